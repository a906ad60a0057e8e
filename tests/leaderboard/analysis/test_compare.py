"""What Compare and Bias find, worked out by hand and as papers print it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from leaderboard.analysis.compare import Profile, best_models, compare_models, comparison_json, find_models
from leaderboard.analysis.findings import Findings, find_habits, findings_json
from leaderboard.analysis.position import ModelOnPairs
from leaderboard.analysis.yes_no import find_yes_no
from leaderboard.boards import all_boards
from leaderboard.html import compare as compare_text
from leaderboard.store import records_of
from leaderboard.tables.columns import ChartLayout
from qbench.errors import UserError
from qbench.formats import read_results
from qbench.models.catalogue import find_model
from qbench.records import Estimate, Result, Source
from qbench.stats.intervals import wilson
from tests.leaderboard import made
from tests.leaderboard.published import ROOT, published

HOSTILE = '<img src=x onerror="alert(1)">${alert(2)}{{name}}' + "x" * 300


def profile(board: str, *models: str, metric: str = "") -> Profile:
    return compare_models(published(), board, models, metric)


def test_a_clear_difference_and_one_that_is_not() -> None:
    """Table 2: 73.36 against 64.35 of 1,495 questions; 62.68 against 61.93 of 486 How questions."""
    one = profile("perception-test", "internlm-xcomposer-vl", "gpt-4v")
    found = {difference.column: difference for difference in one.differences}
    assert found["overall"].leader == "gpt-4v"
    assert found["overall"].value == pytest.approx(0.0901)
    assert found["overall"].apart is True
    assert found["question_type/how"].apart is False


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


def findings() -> Findings:
    return find_habits(published())


def answers(yes: tuple[int, int], no: tuple[int, int]) -> Result:
    """A result on yes/no questions: (right, asked) of both kinds."""
    return Result(
        task="perception",
        dataset="llvisionqa-dev",
        split="dev",
        model="alpha",
        metrics={"yes_accuracy": wilson(*yes), "no_accuracy": wilson(*no), "accuracy": Estimate(0.1)},
        groups={"question_type": {"yes-or-no": {"accuracy": wilson(yes[0] + no[0], yes[1] + no[1])}}},
        source=Source("rescored"),
    )


# --- Yes and No


def test_the_ranks_are_those_the_paper_prints_and_the_most_one_sided_and_the_widest_move_are_named() -> None:
    finding, dev = findings().yes_no
    assert len(dev.habits) == 13  # Claude 3.5 Sonnet answered 1,379 of 1,495
    printed = {
        result.model: result.metrics["debiased_rank"].value
        for result in published().loaded.results
        if "debiased_rank" in result.metrics
    }
    assert {habit.model.id: habit.rank_of_mean for habit in finding.habits} == printed
    assert len(printed) == 9
    said = finding.finding.replace("\u00a0", " ")
    assert said.startswith("All 9 models do better on questions whose answer is Yes")
    assert "IDEFICS-Instruct is the most one-sided: 89 % right where the answer is Yes, 13 % where it is No" in said
    assert "mPLUG-Owl is 2nd by accuracy on all questions, and 5th by the mean of Yes and No" in said


def test_dprime_and_criterion_by_hand() -> None:
    """8 of 10 and 5 of 10 right: h = 8.5/11, f = 5.5/11, z(h) = 0.7479, z(f) = 0."""
    [finding] = find_yes_no(records_of([answers((8, 10), (5, 10))]), find_model)
    [one] = finding.habits
    assert one.dprime is not None
    assert one.criterion is not None
    assert one.dprime.value == pytest.approx(0.7479, abs=1e-4)
    assert one.criterion.value == pytest.approx(-0.3739, abs=1e-4)
    assert (one.mean.value, one.rank, one.rank_of_mean) == (pytest.approx(0.65), 1, 1)
    assert one.overall is not None
    assert one.overall.value == 0.65  # of the yes-or-no questions, not of all questions
    assert "10 questions whose answer is Yes and 10 whose answer is No" in finding.remarks[0]


# --- position


def cell(board: str, model: str, key: str) -> ModelOnPairs:
    return next(cell for cell in findings().position[board].cells if (cell.model.id, cell.key) == (model, key))


def test_right_of_kept_is_alpha_over_kappa_and_a_correlation_within_the_range_of_coin_flips_is_no_evidence() -> None:
    """XComposer-VL on KonIQ-10k: 0.058 / 0.148, 142 of 960 pairs kept (12 rounds of 80)."""
    one = cell("coarse", "internlm-xcomposer-vl", "koniq-10k")
    assert one.right_of_consistent is not None
    assert one.right_of_consistent.value == pytest.approx(0.3919, abs=1e-4)
    assert one.right_of_consistent.n == 142
    assert one.right_of_consistent.low == pytest.approx(0.315, abs=2e-3)
    assert (one.verdict, one.runs_backwards, one.may_be_guessed) == ("above", True, True)
    assert cell("coarse", "internlm-xcomposer-vl", "csiq").verdict == "within"  # 0.489, flips reach 0.52
    assert cell("coarse", "gpt-4v", "csiq").verdict == "above"  # 0.764
    assert cell("fine", "idefics-instruct", "fine-levels/awgn").verdict == "below"  # printed 0.000
    position = findings().position["coarse"]
    said = "13 of the 87 correlations are no better than coin flips; the other 74 are better. But 24 of these 74 are"
    assert said in position.on_correlation
    assert "InternLM-XComposer-VL on KonIQ-10k, SPAQ and Mixed" in position.on_correlation
    assert sum(cell.may_be_guessed for cell in position.cells) == 24


# --- score words


def test_shares_of_good_words_are_those_of_the_released_logits(shared_data: Path) -> None:
    """Recount two of the fifteen models from the raw files."""
    files = {"koniq": "koniq-10k", "spaq": "spaq", "livec": "live-itw", "cgi": "cgiqa-6k", "agi": "agiqa-3k"}
    kept = {habit.model.id: habit for habit in findings().score_words.habits}
    for folder in ("instructblip_t5", "shikra"):
        model = find_model(folder)
        assert model is not None
        [good], [bad] = model.words["positive"], model.words["negative"]
        for name, dataset in {**files, "kadid": "kadid-10k"}.items():
            logits = read_results(shared_data / "qbench_outputs" / folder / f"{name}.json").responses.values()
            counted = sum(logit.logits[good] > logit.logits[bad] for logit in logits) / len(logits)
            assert kept[model.id].shares[dataset].value == pytest.approx(counted, abs=1e-6)
            assert kept[model.id].shares[dataset].n == len(logits)


# --- judges


def test_the_judge_of_q_pathway_on_all_models() -> None:
    """Counted apart in the kept grades: three dimensions of 100 descriptions a model."""
    found = findings().judge
    kept = json.loads((ROOT / "assets/recomputed/answers/released_description.json").read_text(encoding="utf-8"))
    for each in found.models:
        grades = " ".join(kept[each.model.id].values()).split()
        assert len(grades) == 300
        assert each.mean == pytest.approx(sum(five == five[0] * 5 for five in grades) / 300)
    assert len(found.models) == 6
    assert (found.models[0].model.id, found.models[0].mean) == ("co-instruct", pytest.approx(181 / 300))


# --- quarters of quality


def test_quarters_are_those_of_the_released_logits(shared_data: Path) -> None:
    """Recount one model on one dataset from the raw files, with SciPy."""
    folder = shared_data / "doi_vllms" / "q_align" / "livec"
    rows = json.loads((folder / "qwen2vl_direct_score.json").read_text(encoding="utf-8"))
    human = json.loads((shared_data / "qbench_mos" / "livec.json").read_text(encoding="utf-8"))
    truth = {row["img_path"]: float(row["gt_score"]) for row in human}
    people = np.array([truth[row["filename"]] for row in rows])
    places = np.digitize(people, np.percentile(people, [25, 50, 75]), right=True)
    gap = np.array([row["logits"][" good"] - row["logits"][" poor"] for row in rows])
    [live] = [finding for finding in findings().quarters if finding.dataset == "live-itw"]
    [kept] = [each for each in live.models if (each.model.id, each.asked) == ("qwen2-vl-7b", "odds of two words")]
    for place, quarter in enumerate(kept.quarters):
        counted = spearmanr(gap[places == place], people[places == place]).statistic
        assert quarter.srcc.value == pytest.approx(counted, abs=1e-6)


def test_generated_images_show_that_two_words_fail_among_the_best() -> None:
    """By five levels no model is below its range's share there; by good and poor all five are."""
    agiqa = findings().quarters[-1]
    best = {(each.model.id, each.asked): each.quarters[-1] for each in agiqa.models}
    below = {asked for (_, asked), quarter in best.items() if quarter.against_range == "below"}
    assert (agiqa.label, len(best), below) == ("AGIQA-3K", 10, {"odds of two words"})
    said = "odds of two words, 5 of the 5 models rank these images worse than this effect predicts, and none rank them"
    assert said in agiqa.finding
    assert [finding.label for finding in findings().quarters] == ["KonIQ-10k", "SPAQ", "LIVE-itw", "AGIQA-3K"]


# --- all


def test_sources_of_one_figure_are_compared() -> None:
    """Q-Instruct's own Table 4 has 70.30, Co-Instruct's Table 5 has 73.38 for the same model on the test half."""
    found = findings().sources
    first = found.apart[0]
    assert (first.model.name, first.board.key, first.width) == ("Q-Instruct (mPLUG-Owl2)", "perception-test", 0.0308)
    assert [value for value, _ in first.figures] == [0.7338, 0.7043, 0.703]
    assert "Q-Instruct, Table 4" in first.figures[-1][1]
    assert "3.08 points of Accuracy (Q-Instruct (mPLUG-Owl2)" in found.finding
    assert not {spread.model.kind for spread in found.apart} & {"human"}  # every source copies those


def test_json_holds_the_sentences_and_the_figures() -> None:
    data = json.loads(json.dumps(findings_json(findings())))
    assert data["revision"] == published().loaded.revision
    table_8, _ = data["yes_no"]
    owl = next(row for row in table_8["models"] if row["model"] == "mplug-owl")
    assert (owl["yes_accuracy"]["value"], owl["rank"], owl["rank_debiased"]) == (0.9582, 2, 5)
    assert len(data["position"]["coarse"]["cells"]) == 45 + 7 * 6  # five models on Table II's nine sets, seven on six
    assert {cell["against_chance"] for cell in data["position"]["coarse"]["cells"]} == {"above", "within"}
    assert data["score_words"]["models"][-1]["model"] == "qwen-vl"
