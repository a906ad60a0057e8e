from __future__ import annotations

from leaderboard.boards import all_boards
from leaderboard.html import markup
from leaderboard.html.run_figures import NAMES
from leaderboard.html.terms import mark_terms
from leaderboard.html.tournament import METHOD_LABELS
from leaderboard.tables.terms import TERMS, find_terms


def test_a_term_is_explained_where_it_first_comes() -> None:
    marked = mark_terms("SRCC & <b>, then SRCC and κ.")
    assert marked.count("data-tip") == 2
    assert marked.startswith('<span class="qb-term" tabindex="0" data-tip="Spearman&#39;s rank correlation:')
    assert "</span> &amp; &lt;b&gt;, then SRCC and <span" in marked


def test_a_term_that_begins_a_sentence_or_a_name_is_the_same_term() -> None:
    assert find_terms(["In-context other", "Joint", "jointly, non-zero-shot"]) == [
        ("in-context", TERMS["in-context"]),
        ("joint", TERMS["joint"]),
    ]
    assert mark_terms("In-context other").endswith(">In-context</span> other")


def test_heads_and_captions_explain_and_names_of_anybody_s_do_not() -> None:
    assert markup.table(["", "MAP"], [["SRCC", "1"]], "By SRCC").count("data-tip") == 2
    assert markup.table(["", "MAP"], [["SRCC", "1"]], "By SRCC", of_terms=True).count("data-tip") == 3


def test_every_abbreviation_of_a_metric_or_method_is_explained() -> None:
    metrics = {column.metric.label for board in all_boards() for column in board.columns}
    abbreviations = {label for label in metrics if label.isalpha() and (label.isupper() or not label.isascii())}
    assert abbreviations >= {"SRCC", "PLCC", "α", "κ", "ρ"}
    for label in [*abbreviations, *METHOD_LABELS.values(), *(name for name in NAMES.values() if name.isupper())]:
        assert find_terms([label]), label
