"""Overview, Model, Bias and the map of boards in words and tables."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

from leaderboard.analysis.habits import ModelOnPairs, PositionFinding
from leaderboard.analysis.model import model_report
from leaderboard.data_files import opening_of
from leaderboard.html.bias import correlation_table
from leaderboard.html.model import model_json
from leaderboard.html.overview import LISTS
from leaderboard.tables.cells import Cell
from qbench.models.catalogue import ModelFacts
from qbench.records import Estimate
from tests.leaderboard.analysis.test_model import report
from tests.leaderboard.made import board, result, snapshot
from tests.leaderboard.published import published


def cells(html: str) -> list[list[str]]:
    """What stands in each row of a table."""
    rows = [re.findall("<t[hd].*?</t[hd]>", row, re.DOTALL) for row in re.findall("<tr.*?</tr>", html, re.DOTALL)]
    return [[" ".join(re.sub("<[^>]+>", " ", cell).split()) for cell in row] for row in rows[1:]]


def test_a_star_marks_what_coin_flips_reach() -> None:
    def on_pairs(key: str, correlation: float) -> ModelOnPairs:
        chance = Estimate(0.2, 0.0, 0.5)
        return ModelOnPairs(ModelFacts("m", "M", "model"), key, key, 30, Cell(0.5), None, Cell(correlation), chance)

    found = (on_pairs("above", 0.6), on_pairs("within", 0.3), on_pairs("below", -0.1))
    rows = cells(correlation_table(PositionFinding(board(), found, {}, ())))
    assert [re.search(r"\d(\**) ", row[-1])[1] for row in rows] == ["", "*", "*"]  # type: ignore[index]


def plain(html: str) -> str:
    return " ".join(unescape(re.sub("<[^>]+>", "", html)).split())


def links(html: str) -> list[str]:
    return [unescape(address) for address in re.findall(r'href="([^"]+)"', html)]


def test_the_first_screen_says_what_is_asked_and_who_is_best() -> None:
    """Figures as in Q-Bench, Table 2 (people, chance) and Q-Bench+, Table 2; the demo set says what is right."""
    html = opening_of(published(), in_app=True)
    told = plain(html)
    assert "What kind of distortion is in this photo?" in told
    assert "A. Overexposure ✓" in told
    assert "On the 1,495 test questions experienced people get 82 % right and the best model 81 %;" in told
    assert "guessing would get 38 %." in told
    lists = [plain(part) for part in html.split("<h2>")[1:]]
    assert [part.count("open,") + part.count("%") > 0 for part in lists] == [True] * 3
    assert "guessing 39.8 % · ┃ Senior-level human 85.5 %" in lists[2]
    assert "Senior-level" not in lists[0] + lists[1]  # nobody asked people there
    boards = [f"?tab=leaderboard&board={key}" for _, _, key in LISTS]
    assert [link for link in links(html) if "board=" in link] == boards
    assert "?tab=probe" in links(html)
    assert "?tab=probe" not in set(links(opening_of(published(), in_app=False)))


def test_what_authors_write_is_only_text() -> None:
    hostile = '<img src=x onerror="alert(1)">'
    made_up = replace(board(primary="a"), key=LISTS[0][2])
    html = opening_of(snapshot([result(hostile, "a")], made_up), in_app=True)
    page = model_json(report(hostile, result(hostile, "a", reference=hostile)), "abc1234")
    assert page["name"] == hostile
    assert "<img src=x" not in html + page["head"] + page["rest"]
    assert "&lt;img" in html and "&lt;img" in page["rest"]


def test_a_figure_stands_with_its_rank_among_all() -> None:
    """By SRCC on A: beta 0.7, alpha 0.5, gamma 0.4; only alpha has both sets, and so the mean that ranks."""
    found = report(
        "Alpha (7B)",
        result("alpha", "a", 0.5),
        result("alpha", "b", 0.3),
        result("beta", "a", 0.7),
        result("gamma", "a", 0.4),
    )
    ranking, _, *every = cells(model_json(found, "abc1234")["rest"])
    assert ranking == ["Made up", "Average, SRCC", "0.400", "1 of 1", "", "Table 1"]
    assert [row[:3] for row in every] == [
        ["Average, SRCC", "0.400", "1 of 1"],
        ["A, SRCC", "0.500", "2 of 3"],
        ["B, SRCC", "0.300", "1 of 1"],
    ]


def test_the_page_of_a_published_model_says_it_all() -> None:
    found = model_report(published(), "internlm-xcomposer-vl")
    page = model_json(found, "abc1234", offered=["internlm/internlm-xcomposer-vl-7b"])
    text = re.sub(r"<[^>]+>", " ", page["head"] + page["rest"])
    assert "Shanghai AI Laboratory" in text
    assert "InternLM, pure-decoder" in text  # the Q-Bench paper, its table of models
    assert re.search(r"Joined by\s+Q-Former", text)
    assert "64.35 %" in text  # Q-Bench Table 2
    assert "?tab=leaderboard&amp;board=perception-test" in page["rest"]
    assert "it kept its answer for" in text
    assert "?tab=probe&amp;model=internlm/internlm-xcomposer-vl-7b" in page["head"]
    assert [chart["text"].partition(" of ")[0] for chart in page["charts"]] == ["Radar chart", "Dots with intervals"]
    assert "Probe with it" not in model_json(found, "abc1234")["head"]
