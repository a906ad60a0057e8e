"""Tables, terms, verdicts and the state of jobs in words, and that every text is escaped."""

from __future__ import annotations

import pytest

from leaderboard.boards import all_boards
from leaderboard.boards.comparing import RANKINGS
from leaderboard.html import markup
from leaderboard.html import run as words
from leaderboard.html.live import model_line, refusal, verdict
from leaderboard.html.markup import HtmlCell, mark_terms
from leaderboard.html.run_figures import NAMES
from leaderboard.tables.terms import find_terms
from qbench.tasks import TASKS

HOSTILE = "<script>alert('1')</script>\" onmouseover=\"alert(2)"


def test_every_text_is_escaped() -> None:
    html = markup.page(
        markup.heading(HOSTILE),
        markup.note(HOSTILE),
        markup.folded(HOSTILE, markup.table([HOSTILE], [[HOSTILE, HtmlCell(HOSTILE, HOSTILE)]], HOSTILE, HOSTILE)),
        markup.under_chart(HOSTILE, HOSTILE),
    )
    assert "<script" not in html
    assert '" onmouseover' not in html  # it would end an attribute


def test_a_template_escapes_whatever_is_not_html_already() -> None:
    picture = markup.template('<a href="{{ address }}">{{ name }}</a>{{ note }}')
    html = picture(address='x" onclick="alert(1)', name=HOSTILE, note=markup.heading("A & B"))
    assert html.startswith('<a href="x&#34; onclick=&#34;alert(1)">&lt;script&gt;')
    assert html.endswith("</a><h3>A &amp; B</h3>")
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
