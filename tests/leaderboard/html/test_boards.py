"""Boards, models and their habits in words and tables; terms and verdicts; and that every text is escaped."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pytest

from leaderboard.analysis.model import model_report
from leaderboard.analysis.overview import first_screen
from leaderboard.analysis.position import ModelOnPairs, PositionFinding
from leaderboard.boards import all_boards
from leaderboard.boards.settings_compared import RANKINGS
from leaderboard.html import markup
from leaderboard.html import run_choices as words
from leaderboard.html.bias import correlation_table
from leaderboard.html.live import model_line, refusal, verdict
from leaderboard.html.markup import HtmlCell, mark_terms
from leaderboard.html.model import model_json
from leaderboard.html.overview import LISTS, SHOWN, opening
from leaderboard.html.run_figures import NAMES
from leaderboard.tables.cells import Cell
from leaderboard.tables.terms import find_terms
from qbench.models.catalogue import ModelFacts
from qbench.records import Estimate
from qbench.tasks import TASKS
from tests.leaderboard.analysis.test_overview import report
from tests.leaderboard.made import board, result, snapshot
from tests.leaderboard.published import published


def cells(html: str) -> list[list[str]]:
    """What stands in each row of a table."""
    rows = [re.findall("<t[hd].*?</t[hd]>", row, re.DOTALL) for row in re.findall("<tr.*?</tr>", html, re.DOTALL)]
    return [[" ".join(re.sub("<[^>]+>", " ", cell).split()) for cell in row] for row in rows[1:]]


def test_a_star_marks_what_coin_flips_reach() -> None:
    def on_pairs(key: str, correlation: float) -> ModelOnPairs:
        chance = Estimate(0.2, 0.0, 0.5)
        return ModelOnPairs(ModelFacts("m", "M", "model"), key, key, 30, Cell(0.5), None, correlation, chance)

    found = (on_pairs("above", 0.6), on_pairs("within", 0.3), on_pairs("below", -0.1))
    rows = cells(correlation_table(PositionFinding(board(), found, "", "", ())))
    assert [re.search(r"\d(\**) ", row[-1])[1] for row in rows] == ["", "*", "*"]  # type: ignore[index]


def plain(html: str) -> str:
    return " ".join(unescape(re.sub("<[^>]+>", "", html)).split())


def links(html: str) -> list[str]:
    return [unescape(address) for address in re.findall(r'href="([^"]+)"', html)]


def test_the_first_screen_says_what_is_asked_and_who_is_best() -> None:
    """Figures as in Q-Bench, Table 2 (people, chance) and Q-Bench+, Table 2; the demo set says what is right."""
    html = opening(first_screen(published(), SHOWN), "there.jpg")
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
    assert "?tab=probe" not in set(links(opening(first_screen(published(), SHOWN), "", in_app=False)))


def test_what_authors_write_is_only_text() -> None:
    hostile = '<img src=x onerror="alert(1)">'
    made_up = replace(board(primary="a"), key=LISTS[0][2])
    html = opening(first_screen(snapshot([result(hostile, "a")], made_up), SHOWN), "")
    page = model_json(report(hostile, result(hostile, "a", reference=hostile)), "abc1234")
    assert page["name"] == hostile
    assert "<img src=x" not in html + page["head"] + page["rest"]
    assert "&lt;img" in html and "&lt;img" in page["rest"]


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


HOSTILE = "<script>alert('1')</script>\" onmouseover=\"alert(2)"


class Reader(HTMLParser):
    """Collects tags and attributes, so that a test sees what a browser would."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]


def test_every_text_is_escaped() -> None:
    html = markup.page(
        markup.heading(HOSTILE),
        markup.paragraph(HOSTILE, "qb-note"),
        markup.folded(HOSTILE, markup.table([HOSTILE], [[HOSTILE, HtmlCell(HOSTILE, HOSTILE)]], HOSTILE, HOSTILE)),
        markup.under_chart(HOSTILE, HOSTILE),
    )
    read = Reader(html)
    assert "script" not in read.tags
    assert "onmouseover" not in read.attributes


def test_a_template_escapes_whatever_is_not_html_already() -> None:
    picture = markup.template('<a href="{{ address }}">{{ name }}</a>{{ note }}')
    html = picture(address='x" onclick="alert(1)', name=HOSTILE, note=markup.heading("A & B"))
    read = Reader(html)
    assert (read.tags, read.attributes) == (["a", "h3"], ["href"])
    assert html.endswith("<h3>A &amp; B</h3>")
    assert isinstance(html, markup.Html)


def test_a_term_is_explained_where_it_first_comes() -> None:
    marked = mark_terms("SRCC & <b>, then SRCC and κ.")
    assert marked.count("data-tip") == 2
    assert marked.startswith('<span class="qb-term" tabindex="0" data-tip="Spearman&#39;s rank correlation:')
    assert "</span> &amp; &lt;b&gt;, then SRCC and <span" in marked


def test_every_abbreviation_of_a_metric_or_method_is_explained() -> None:
    metrics = {column.metric.label for board in all_boards() for column in board.columns}
    abbreviations = {label for label in metrics if label.isalpha() and (label.isupper() or not label.isascii())}
    assert abbreviations >= {"SRCC", "PLCC", "α", "κ", "ρ"}
    for label in [*abbreviations, *RANKINGS.values(), *(name for name in NAMES.values() if name.isupper())]:
        assert find_terms([label]), label


@pytest.mark.parametrize(
    ("probability", "said"),
    [
        (0.5, "m finds A and B too close to call (0.50 for A)"),
        (0.594, "m finds A and B too close to call (0.59 for A)"),
        (0.596, "m slightly prefers A over B (probability 0.60)"),
        (0.106, "m slightly prefers B over A (probability 0.89)"),
        (0.1, "m prefers B over A (probability 0.90)"),
        (0.9999, "m prefers A over B (probability over 0.99)"),
    ],
)
def test_a_verdict_is_as_firm_as_its_probability(probability: float, said: str) -> None:
    assert verdict("m", "A", "B", probability) == said


def test_a_refusal_is_one_sentence_and_a_command_is_escaped() -> None:
    said = {
        "there is <b>no</b> such model": "there is &lt;b&gt;no&lt;/b&gt; such model.",
        "did you mean niqe?": "did you mean niqe?",
        "a.JPG is damaged.": "a.JPG is damaged.",
    }
    for reason, sentence in said.items():
        assert f'role="alert">Not done: {sentence}</p>' in refusal(reason)
    assert "<b>" not in words.command("--prefill '<b>'", served=False)
    assert "URL is your server&#39;s address" in words.command("x", served=True)


def test_a_model_that_comes_with_the_project_is_told_in_a_line_and_no_other() -> None:
    line = model_line("nano-clip")
    assert "(8.8 MB): nano-vlm&#39;s vision encoder with a text encoder that we trained on damaged photos" in line
    assert "correlation with people on 66 phone photos that people rated: 0.50 (0.25 to 0.68, 95&nbsp;%)" in line
    assert 'href="?tab=model&amp;model=nano-clip"' in line
    assert 'href="card/nano-clip"' in line
    assert [model_line(name) for name in ("niqe", "../nano-clip", "gpt-4v", None)] == [""] * 4


def test_everything_that_can_be_chosen_has_a_name_and_says_what_it_changes() -> None:
    assert {mode for task in TASKS.values() if "mode" in task.options for mode in task.modes} == set(words.MODES)
    styles = {style for task in TASKS.values() for names in task.styles.values() for style in names}
    assert styles == set(words.STYLES)
    options = {option for task in TASKS.values() for option in task.options}
    assert options == set(words.CHANGES)
