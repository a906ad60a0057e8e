"""What Compare finds, worked out by hand and as papers print it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from leaderboard.analysis.compare import Profile, best_models, compare_models, comparison_json, find_models
from leaderboard.boards import all_boards
from leaderboard.html import compare as compare_text
from leaderboard.tables.columns import ChartLayout
from qbench.errors import UserError
from tests.leaderboard import made
from tests.leaderboard.published import published

HOSTILE = '<img src=x onerror="alert(1)">${alert(2)}{{name}}' + "x" * 300


def profile(board: str, *models: str, metric: str = "") -> Profile:
    return compare_models(published(), board, models, metric)


def test_axes_are_the_same_whoever_is_compared() -> None:
    for board in all_boards():
        few, more = profile(board.key, *best_models(published(), board.key, 1)), profile(board.key)
        assert (few.bounds, few.bounds_above_chance) == (more.bounds, more.bounds_above_chance)
    assert profile("perception-test").bounds_above_chance == (0.0, 0.7)  # senior human, What: 88.94 - 28.48
    assert profile("description").bounds == (0.0, 2.0)


def test_a_model_without_the_figures_compared_is_on_its_board_all_the_same() -> None:
    board = replace(made.board(), chart=ChartLayout(part="a"))
    results = (made.result("alpha", "a", 0.5), made.result("beta", "b", 0.6))
    one = compare_models(made.snapshot(results, board), "made", ["alpha", "beta", "people"])
    assert [model.id for model in one.without_figures] == ["beta"]
    said = compare_text.remarks(one)
    assert "On this board, but without the figures compared here: Beta." in said
    assert [group["id"] for group in comparison_json(one, "abc1234")["without_figures"]] == ["beta"]
    absent = profile("demo", "nano-clip", "gpt-4v")
    assert [model.id for model in absent.absent] == ["gpt-4v"]
    assert "Not on this board: GPT-4V." in compare_text.remarks(absent)
    assert "niqe" not in best_models(published(), "demo")


def test_models_without_counts_are_named_beside_the_verdicts_of_the_others() -> None:
    """The README gives three closed models without the numbers of questions that Table 2 has for the others."""
    one = profile("perception-test", "gpt-4v", "gpt-4v-turbo", "qwen-vl", "internlm-xcomposer-vl")
    assert [model.id for model in one.untested] == ["gpt-4v-turbo"]
    assert "No verdicts on GPT-4V-Turbo: the figures have no intervals" in compare_text.remarks(one)
    table = compare_text.differences_table(one)
    distortion = next(row for row in table.split("<tr>") if "<bdi>Yes or no</bdi>" in row)
    assert "not known: GPT-4V-Turbo" in distortion
    assert "No verdicts" not in compare_text.remarks(profile("perception-test", "gpt-4v", "qwen-vl"))


def test_what_a_link_asks_for_in_vain_is_said() -> None:
    models = [*best_models(published(), "perception-dev", 8), "nobody", "<b>"]
    named = find_models(published(), "perception-dev", [*models, "Qwen-VL", "qwen-vl"])
    assert named.unknown == ["nobody", "<b>"]
    assert [model.id for model in named.known] == list(dict.fromkeys([*models[:8], "qwen-vl"]))
    said = compare_text.models_left_out(named)
    assert "No model goes by the name “nobody” and “&lt;b&gt;”." in said
    left = [model.name for model in named.known[6:]]
    assert f"At most six models are compared at once. Left out: {', '.join(left[:-1])} and {left[-1]}." in said
    assert compare_text.models_left_out(find_models(published(), "perception-dev", models[:6])) == ""


def test_a_comparison_begins_with_the_leaders_also_where_they_cannot_be_tested() -> None:
    """GPT-4V-Turbo leads the README (74.10), though nobody says of how many questions; GPT-4V has 73.36 in Table 2."""
    loaded = published().loaded
    first = [record for record in loaded.records if "reported_by" not in record.result.protocol]
    papers = replace(published(), loaded=replace(loaded, records=tuple(first)))
    assert best_models(papers, "perception-test", 2) == ["gpt-4v-turbo", "gpt-4v"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("nope", ["gpt-4v"], ""), "'nope' is no board"),
        (("assessment", ["nobody"], ""), "no model goes by the name 'nobody'"),
        (("assessment", ["qwen-vl"], "accuracy"), "'accuracy' is no kind of figure"),
        (("description", ["qwen-vl"], "srcc"), "leave it empty"),
        (("perception-dev", best_models(published(), "perception-dev", 7), ""), "7 models are too many"),
    ],
)
def test_a_wrong_question_is_answered_with_one_sentence(asked: tuple[str, list[str], str], said: str) -> None:
    with pytest.raises(UserError, match=said):
        compare_models(published(), *asked)


def test_an_empty_store_has_an_empty_page() -> None:
    empty = made.snapshot((), *all_boards())
    for board in all_boards():
        assert best_models(empty, board.key) == []
        assert "No results yet" in compare_text.empty_page(compare_models(empty, board.key, []))
    assert "Choose two to six models" in compare_text.empty_page(profile("assessment"))


def test_names_from_anybody_are_inert() -> None:
    results = [made.result(HOSTILE, "a", 0.5), made.result("alpha", "a", 0.6)]
    one = compare_models(made.snapshot(results), "made", [HOSTILE, "alpha"])
    html = compare_text.tables(one) + compare_text.figures_table(one)
    assert "<img" not in html
    assert "&lt;img" in html


def test_verdicts_say_whether_they_rest_on_the_same_items() -> None:
    """Both nano models' answers to the demo sets are here, those of the models in the papers are not."""
    demo, papers = profile("demo", "nano-clip", "nano-vlm"), profile("perception-test", "gpt-4v", "qwen-vl")
    assert {pair.column for pair in demo.differences if pair.paired} >= {"similarity/img-2afc"}
    assert not any(pair.paired for pair in papers.differences)
    for one, paired, how in (
        (demo, True, "compares the two models item by item"),
        (papers, False, "answers as independent"),
    ):
        assert (", paired)" in compare_text.differences_table(one)) is paired
        assert how in compare_text.tables(one)


def test_nobody_leads_on_what_was_in_training() -> None:
    """Q-SiT and OneAlign both learnt from KonIQ-10k: its figures are shown, and neither is said to be ahead."""
    compared = profile("assessment-trained", "q-sit", "one-align")
    seen = {column.key for column in compared.columns if column.in_training}
    assert seen & compared.figures["q-sit"].keys() & compared.figures["one-align"].keys()
    assert compared.differences
    assert not seen & {pair.column for pair in compared.differences}
    rows = compare_text.figures_table(compared).split("<tr>")
    bold = [row.count("strong") for label in ("Unseen", "KonIQ-10k, seen") for row in rows if f"<bdi>{label}<" in row]
    assert bold == [1, 0]


def test_nobody_leads_where_neither_high_nor_low_is_better() -> None:
    """The share of replies that could not be read stands beside the accuracy."""
    leaders = [row.model.id for row in published().table("perception-dev").ranked.values() if "unread" in row.cells]
    compared = profile("perception-dev", *leaders[:2])
    assert {pair.column for pair in compared.differences} >= {"overall"}
    assert "unread" not in {pair.column for pair in compared.differences}
    rows = compare_text.figures_table(compared).split("<tr>")
    assert [row.count("strong") for label in ("Overall", "Unreadable") for row in rows if f"{label}<" in row] == [1, 0]
