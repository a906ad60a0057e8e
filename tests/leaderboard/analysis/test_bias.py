from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from leaderboard.analysis.findings import Findings, find_habits
from leaderboard.analysis.habits import ModelOnPairs, find_yes_no
from leaderboard.html import habits
from leaderboard.store import records_of
from qbench.formats import read_results
from qbench.models.catalogue import find_model
from qbench.records import Estimate, Result, Source
from qbench.stats.intervals import wilson
from tests.leaderboard.published import ROOT, published


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


def test_the_ranks_are_those_the_paper_prints_and_the_most_one_sided_and_the_widest_move_are_named() -> None:
    finding, dev = findings().yes_no
    assert len(dev.habits) == 13  # Claude 3.5 Sonnet answered 1,379 of 1,495
    printed = {
        result.model: result.metrics["debiased_rank"].value
        for result in published().loaded.results
        if "debiased_rank" in result.metrics
    }
    assert {habit.model.id: habit.rank_debiased for habit in finding.habits} == printed
    assert len(printed) == 9
    said = habits.on_yes_no(finding).replace("\u00a0", " ")
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
    assert (one.debiased_accuracy.value, one.rank, one.rank_debiased) == (pytest.approx(0.65), 1, 1)
    assert one.accuracy is not None
    assert one.accuracy.value == 0.65  # of the yes-or-no questions, not of all questions
    assert "10 questions whose answer is Yes and 10 whose answer is No" in habits.yes_no_remarks(finding)[0]


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
    assert said in habits.on_correlation(position)
    assert "InternLM-XComposer-VL on KonIQ-10k, SPAQ and Mixed" in habits.on_correlation(position)
    assert sum(cell.may_be_guessed for cell in position.cells) == 24


def test_shares_of_good_words_are_those_of_the_released_logits(shared_data: Path) -> None:
    """Recount two of the fifteen models from the raw files."""
    files = {"koniq": "koniq-10k", "spaq": "spaq", "livec": "live-itw", "cgi": "cgiqa-6k", "agi": "agiqa-3k"}
    kept = {habit.model.id: habit for habit in findings().score_words}
    for folder in ("instructblip_t5", "shikra"):
        model = find_model(folder)
        assert model is not None
        [good], [bad] = model.words["positive"], model.words["negative"]
        for name, dataset in {**files, "kadid": "kadid-10k"}.items():
            logits = read_results(shared_data / "qbench_outputs" / folder / f"{name}.json").responses.values()
            counted = sum(logit.logits[good] > logit.logits[bad] for logit in logits) / len(logits)
            assert kept[model.id].shares[dataset].value == pytest.approx(counted, abs=1e-6)
            assert kept[model.id].shares[dataset].n == len(logits)


def test_the_judge_of_q_pathway_on_all_models() -> None:
    """Counted apart in the kept grades: three dimensions of 100 descriptions a model."""
    found = findings().judge
    kept = json.loads((ROOT / "assets/recomputed/answers/released_description.json").read_text(encoding="utf-8"))
    for each in found:
        grades = " ".join(kept[each.model.id].values()).split()
        assert len(grades) == 300
        assert each.mean == pytest.approx(sum(five == five[0] * 5 for five in grades) / 300)
    assert len(found) == 6
    assert (found[0].model.id, found[0].mean) == ("co-instruct", pytest.approx(181 / 300))


def test_quarters_are_those_of_the_released_logits(shared_data: Path) -> None:
    """Recount one model on one dataset from the raw files, with SciPy."""
    folder = shared_data / "doi_vllms" / "q_align" / "livec"
    rows = json.loads((folder / "qwen2vl_direct_score.json").read_text(encoding="utf-8"))
    human = json.loads((shared_data / "qbench_mos" / "livec.json").read_text(encoding="utf-8"))
    truth = {row["img_path"]: float(row["gt_score"]) for row in human}
    people = np.array([truth[row["filename"]] for row in rows])
    places = np.digitize(people, np.percentile(people, [25, 50, 75]), right=True)
    gap = np.array([row["logits"][" good"] - row["logits"][" poor"] for row in rows])
    live = findings().quarters["live-itw"]
    [kept] = [each for each in live if (each.model.id, each.asked) == ("qwen2-vl-7b", "odds of two words")]
    for place, quarter in enumerate(kept.quarters):
        counted = spearmanr(gap[places == place], people[places == place]).statistic
        assert quarter.srcc.value == pytest.approx(counted, abs=1e-6)


def test_generated_images_show_that_two_words_fail_among_the_best() -> None:
    """By five levels no model is below its range's share there; by good and poor all five are."""
    agiqa = findings().quarters["agiqa-3k"]
    best = {(each.model.id, each.asked): each.quarters[-1] for each in agiqa}
    below = {asked for (_, asked), quarter in best.items() if quarter.against_range == "below"}
    assert (len(best), below) == (10, {"odds of two words"})
    said = "odds of two words, 5 of the 5 models rank these images worse than this effect predicts, and none rank them"
    assert said in habits.on_quarters(agiqa)
    assert list(findings().quarters) == ["koniq-10k", "spaq", "live-itw", "agiqa-3k"]


def test_sources_of_one_figure_are_compared() -> None:
    """Q-Instruct's own Table 4 has 70.30, Co-Instruct's Table 5 has 73.38 for the same model on the test half."""
    found = findings().sources
    first = found.apart[0]
    assert (first.model.name, first.board.key, first.width) == ("Q-Instruct (mPLUG-Owl2)", "perception-test", 0.0308)
    assert [value for value, _ in first.figures] == [0.7338, 0.7043, 0.703]
    assert "Q-Instruct, Table 4" in first.figures[-1][1]
    assert "3.08 points of Accuracy (Q-Instruct (mPLUG-Owl2)" in habits.on_sources(found)
    assert not {spread.model.kind for spread in found.apart} & {"human"}  # every source copies those


def test_json_holds_the_sentences_and_the_figures() -> None:
    data = json.loads(json.dumps(habits.findings_json(findings())))
    assert data["revision"] == published().loaded.revision
    table_8, _ = data["yes_no"]
    owl = next(row for row in table_8["models"] if row["model"] == "mplug-owl")
    assert (owl["yes_accuracy"]["value"], owl["rank"], owl["rank_debiased"]) == (0.9582, 2, 5)
    assert len(data["position"]["coarse"]["cells"]) == 45 + 7 * 6  # five models on Table II's nine sets, seven on six
    assert {cell["against_chance"] for cell in data["position"]["coarse"]["cells"]} == {"above", "within"}
    assert data["score_words"]["models"][-1]["model"] == "qwen-vl"
