from __future__ import annotations

from leaderboard.boards import all_boards
from leaderboard.html import markup
from leaderboard.html.run_figures import NAMES
from leaderboard.html.terms import TERMS, find_terms, mark_terms
from leaderboard.html.tournament import METHOD_LABELS


def test_a_term_is_explained_where_it_first_comes() -> None:
    marked = mark_terms("SRCC & <b>, then SRCC and κ.")
    assert marked.count("data-tip") == 2
    assert marked.startswith('<span class="qb-term" tabindex="0" data-tip="Spearman&#39;s rank correlation:')
    assert "</span> &amp; &lt;b&gt;, then SRCC and <span" in marked


def test_parts_of_words_and_names_of_files_are_no_terms() -> None:
    text = "MAP.png, KOMAP, RMSEs, mAPs"
    assert mark_terms(text) == text


def test_the_longer_term_is_meant() -> None:
    assert find_terms(["mAP, medium", "MAP score"]) == [("mAP", TERMS["mAP"]), ("MAP", TERMS["MAP"])]


def test_heads_and_captions_explain_and_names_of_anybody_s_do_not() -> None:
    assert markup.table(["", "MAP"], [["SRCC", "1"]], "By SRCC").count("data-tip") == 2
    assert markup.table(["", "MAP"], [["SRCC", "1"]], "By SRCC", of_terms=True).count("data-tip") == 3


def test_every_abbreviation_of_a_metric_or_method_is_explained() -> None:
    metrics = {column.metric.label for board in all_boards() for column in board.columns}
    abbreviations = {label for label in metrics if label.isalpha() and (label.isupper() or not label.isascii())}
    assert abbreviations >= {"SRCC", "PLCC", "α", "κ", "ρ"}
    for label in [*abbreviations, *METHOD_LABELS.values(), *(name for name in NAMES.values() if name.isupper())]:
        assert find_terms([label]), label
