"""Overview, Model, Bias and the map of boards in words and tables."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
from PIL import Image

from leaderboard.analysis.between_boards import map_boards
from leaderboard.analysis.model import model_report, read_models
from leaderboard.analysis.overview import find_timeline, first_screen
from leaderboard.analysis.position import ModelOnPairs, PositionFinding
from leaderboard.analysis.yes_no import find_yes_no
from leaderboard.html.between_boards import between_json
from leaderboard.html.bias import correlation_table, yes_no_table
from leaderboard.html.model import model_json
from leaderboard.html.overview import EXAMPLE, LISTS, SHOWN, opening, people_sentence, timeline_json
from leaderboard.snapshot import Snapshot
from leaderboard.store import Loaded, Recorded, records_of
from leaderboard.tables.cells import Cell
from qbench.datasets.demo import read_demo_set, with_picture_files
from qbench.models.catalogue import ModelFacts
from qbench.records import Estimate
from tests.leaderboard.analysis.test_bias import answers
from tests.leaderboard.analysis.test_model import report
from tests.leaderboard.dated import ERROR, dated_table
from tests.leaderboard.made import board, result
from tests.leaderboard.published import ROOT, published, simulated
from tests.leaderboard.several_boards import several_boards

LEFT = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4, "e": 0.5, "f": 0.6, "people": 1.0}
RIGHT = {"a": 0.2, "b": 0.1, "c": 0.3, "d": 0.4, "e": 0.6, "f": 0.5, "alone": 0.05}
SMALL = {"a": 0.4, "f": 0.2}


def spaced(html: str) -> str:
    return " ".join(unescape(re.sub("<[^>]+>", " ", html)).split())


def test_the_map_says_what_its_ends_are_and_who_is_not_in_it() -> None:
    found = map_boards(several_boards(left=LEFT, right=RIGHT, empty={}), {})
    chart = between_json(found, [], "abc")["charts"][0]
    assert "100 is people's figure, where a board has one" in spaced(chart["head"])
    assert "1 model of a single board: 1 on Right." in spaced(chart["foot"])
    assert "Empty is not in the map: no figures yet." in spaced(chart["foot"])
    assert "Right 0 is chance (0.000), 100 is the best model" in spaced(chart["foot"])


def test_the_table_and_the_csv_hold_every_model() -> None:
    found = map_boards(several_boards(left=LEFT, right=RIGHT), {})
    chart = between_json(found, [], "abc")["charts"][0]
    assert chart["rows"] == [
        ["Model", "Left", "Right"],
        ["F", "60.0", "83.3"],
        ["E", "50.0", "100.0"],
        ["D", "40.0", "66.7"],
        ["C", "30.0", "50.0"],
        ["B", "20.0", "16.7"],
        ["A", "10.0", "33.3"],
        ["ALONE", "", "8.3"],
        ["0 stands for", "0.000", "0.000"],
        ["100 stands for", "1.000", "0.600"],
    ]
    assert "?tab=leaderboard&board=right&q=ALONE" in unescape(chart["foot"])


def cells(html: str) -> list[list[str]]:
    """What stands in each row of a table."""
    rows = [re.findall("<t[hd].*?</t[hd]>", row, re.DOTALL) for row in re.findall("<tr.*?</tr>", html, re.DOTALL)]
    return [[" ".join(re.sub("<[^>]+>", " ", cell).split()) for cell in row] for row in rows[1:]]


def test_a_model_moves_up_where_its_rank_by_the_mean_is_better() -> None:
    """Right in 100 of 120 questions but half of those with No; in 91 but 75 and 80 % of each kind."""
    results = [answers("says-yes", (90, 100), (10, 20)), answers("fair", (75, 100), (16, 20))]
    [finding] = find_yes_no(records_of(results), lambda _name: None)
    ranks = {row[0]: (row[5], row[6]) for row in cells(yes_no_table(finding))}
    assert ranks == {"fair": ("2", "1 up 1"), "says-yes": ("1", "2 down 1")}


def test_a_star_marks_what_coin_flips_reach() -> None:
    def on_pairs(key: str, correlation: float) -> ModelOnPairs:
        chance = Estimate(0.2, 0.0, 0.5)
        return ModelOnPairs(ModelFacts("m", "M", "model"), key, key, 30, Cell(0.5), None, correlation, chance)

    found = (on_pairs("above", 0.6), on_pairs("within", 0.3), on_pairs("below", -0.1))
    rows = cells(correlation_table(PositionFinding(board(), found, "", "", ())))
    assert [re.search(r"\d(\**) ", row[-1])[1] for row in rows] == ["", "*", "*"]  # type: ignore[index]


PICTURE = ROOT / "assets" / "board" / "example.jpg"


def plain(html: str) -> str:
    return " ".join(unescape(re.sub("<[^>]+>", "", html)).split())


def links(html: str) -> list[str]:
    return [unescape(address) for address in re.findall(r'href="([^"]+)"', html)]


def test_the_first_screen_says_what_is_asked_and_who_is_best() -> None:
    """Figures as in Q-Bench, Table 2 (people, chance) and Q-Bench+, Table 2; the demo set says what is right."""
    html = opening(first_screen(published(), simulated(), SHOWN), "there.jpg")
    told = plain(html)
    assert "What kind of distortion is in this photo?" in told
    assert "A. Overexposure ✓" in told
    assert "(test half), with two to four options, experienced people get 82 % right and the best model 81 %." in told
    assert "Guessing would get 38 %." in told
    lists = [plain(part) for part in html.split("<h2>")[1:]]
    assert [part.count("open,") + part.count("%") > 0 for part in lists] == [True] * 3
    assert "guessing 39.8 % · ┃ Senior-level human 85.5 %" in lists[2]
    assert "Senior-level" not in lists[0] + lists[1]  # nobody asked people there
    boards = [f"?tab=leaderboard&board={key}" for _, _, key in LISTS]
    assert [link for link in links(html) if "board=" in link] == boards
    assert "?tab=probe" in links(html)
    assert "?tab=probe" not in set(links(opening(first_screen(published(), simulated(), SHOWN), "", in_app=False)))


def test_the_picture_of_the_example_is_the_one_that_the_demo_set_makes(tmp_path: Path) -> None:
    samples, _ = read_demo_set("demo-perception")
    [sample] = with_picture_files([sample for sample in samples if sample.id == EXAMPLE], tmp_path)
    made, shown = (np.asarray(Image.open(path).convert("RGB"), float) for path in (sample.images[0], PICTURE))
    assert np.abs(made - shown).mean() < 8  # of JPEG


def test_whether_the_field_is_at_peoples_level() -> None:
    timeline = find_timeline(dated_table(), {})
    assert people_sentence(timeline) == (
        "Level, released 2024-01, was the first to be level with Amateurs (80.0 %). No model is level with Experts "
        "(90.0 %) yet: Undated is 5.0 points behind, more than chance explains."
    )
    assert people_sentence(find_timeline(dated_table(ERROR, old=0.5), {})) == ("The best so far is Old with 0.500.")


def test_a_model_without_a_month_is_named_under_the_chart_and_in_the_table() -> None:
    [block] = timeline_json(dated_table(), {}, "abc")["charts"]
    assert "their release month is unknown: Undated." in plain(block["foot"])
    assert block["rows"][0][:3] == ["Model", "Released", "Parameters (billions)"]
    assert [row[0] for row in block["rows"][1:]] == ["Twin", "Old", "Worse", "Level", "Limit", "Sizeless", "Undated"]
    assert block["rows"][1] == ["Twin", "2023-05", "13", "open weights", "60.0", "", ""]


def test_names_are_text() -> None:
    loaded = Loaded((Recorded(result("<b>Limit</b>", "a", Estimate(0.5)), None),), (), "abc")
    made_up = replace(board(primary="a"), key=LISTS[0][2])
    html = opening(first_screen(Snapshot(loaded, (made_up,), lambda _: None), {}, SHOWN), "")
    assert "&lt;b&gt;Limit&lt;/b&gt;" in html
    assert "<b>Limit" not in html


def test_what_authors_write_is_only_text() -> None:
    hostile = '<img src=x onerror="alert(1)">'
    page = model_json(report(hostile, result(hostile, "a", reference=hostile)), "abc1234")
    assert page["name"] == hostile
    assert "<img" not in page["head"] + page["rest"]
    assert "&lt;img" in page["rest"]


def test_the_page_of_a_published_model_says_it_all() -> None:
    found = model_report(read_models(published(), simulated()), "internlm-xcomposer-vl")
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
