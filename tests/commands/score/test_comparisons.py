"""Comparisons against human truth: direction, datasets, what is missing."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from qbench.__main__ import main
from qbench.commands.rank import rank_file
from qbench.commands.score import score_file
from tests.commands.asking import write
from tests.commands.score.made_files import QUALITY, judged, one, rated, value


def test_a_perfect_judge_of_csiq_prefers_low_dmos(tmp_path: Path) -> None:
    dmos = {name: -score for name, score in QUALITY.items()}
    truth = write(tmp_path, rated(dmos), "truth.json")
    rows = judged(QUALITY, dataset="CSIQ")
    result = one(write(tmp_path, rows), truth=truth)
    assert result.dataset == "csiq"
    assert [value(result.metrics, name) for name in ("srcc", "accuracy_joint", "accuracy")] == pytest.approx([1, 1, 1])
    assert value(one(write(tmp_path, rows, "csiq.json"), truth=truth).metrics, "srcc") == pytest.approx(1)
    unnamed = one(write(tmp_path, [{**row, "dataset": None} for row in rows]), truth=truth)
    assert value(unnamed.metrics, "srcc") == pytest.approx(-1)


def test_several_datasets_in_one_file_are_several_results(tmp_path: Path) -> None:
    truth = write(tmp_path, rated(QUALITY), "truth.json")
    rows = [*judged(QUALITY, dataset="KonIQ"), *judged(QUALITY, reverse=True, dataset="mine"), *judged(QUALITY)]
    koniq, mine, unnamed = score_file(write(tmp_path, rows), truth=truth)
    assert [result.dataset for result in (koniq, mine, unnamed)] == ["koniq-10k", "mine", "unnamed"]
    assert [round(value(result.metrics, "srcc"), 9) for result in (koniq, mine, unnamed)] == [1, -1, 1]
    assert koniq.status == {"read": 56, "scored": 56, "in_one_order_only": 0, "left_out_of_ranking": 0}
    chance = koniq.groups["chance"]["coin-flip judge"]
    assert set(chance) == {"srcc", "plcc", "correlation"}
    assert abs(value(chance, "srcc")) < 0.3 < value(chance, "correlation")


def test_unanswered_and_unpaired_comparisons_are_counted(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"first": "a", "second": "b", "choice": "first"},
        {"first": "b", "second": "a", "choice": None},
        {"first": "a", "second": "c", "choice": "tie"},
    ]
    result = one(write(tmp_path, rows))
    # The pair that lacks an answer ranks nothing; the tie, shown in one order only, counts.
    assert result.status == {"read": 3, "scored": 2, "in_one_order_only": 1, "left_out_of_ranking": 2}
    assert result.unscored == {"no usable answer": 1}
    assert result.groups == {}
    assert result.metrics["consistency"].value is None
    assert [value(result.metrics, name) for name in ("first_rate", "second_rate", "tie_rate")] == [0.5, 0, 0.5]


def test_a_right_judge_is_right_by_the_published_fine_list_alone(shared_data: Path, tmp_path: Path) -> None:
    """Its scores are DMOS, which neither the list nor its name in this test says; the judge takes the lower level."""
    rows = judged({f"CSIQ/dst_imgs/redwood.BLUR.{level}.png": -level for level in range(1, 6)})
    truth = tmp_path / "truth.json"
    truth.write_bytes((shared_data / "twoafc" / "Fine_grained_CSIQ_levels.json").read_bytes())
    result = one(write(tmp_path, rows), truth=truth)
    assert (result.dataset, result.split, result.protocol["limit"]) == ("csiq", "fine-levels", 5)
    assert value(result.metrics, "accuracy_joint") == 1
    for name in ("csiq", "2afc-fine-levels", "my own"):
        named = one(write(tmp_path, rows), truth=truth, dataset=name)
        assert value(named.metrics, "accuracy_joint") == 1, name


def test_sets_of_a_published_list_that_nothing_names_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, judged(QUALITY, dataset="KonIQ"))
    result = one(path)
    note = "no split, so on no board: if these are images of 2AFC coarse lists (8 sets), say --dataset 2afc-coarse"
    assert (result.dataset, result.split, result.protocol["note"]) == ("koniq-10k", None, note)
    assert main(["score", str(path)]) == 0
    assert capsys.readouterr().err == f"qbench: {note}\n"
    assert "note" not in one(path, dataset="2afc-coarse").protocol
    assert "note" not in one(write(tmp_path, judged(QUALITY, dataset="mine"))).protocol


def test_rank_and_score_count_the_same_answers(tmp_path: Path) -> None:
    # Half of the pairs in one order; one is answered differently in the two orders. Ranked by either, the agreement
    # with people is the same, and so is what is left out.
    pairs = list(combinations(QUALITY, 2))
    both = [
        (a, b, choice)
        for first, second in pairs[::2]
        for a, b, choice in ((first, second, "second"), (second, first, "first"))
    ]
    single = [(left, right, "second" if place % 3 else "first") for place, (left, right) in enumerate(pairs[1::2])]
    rows = [(*both[0][:2], "first"), *both[1:], *single]
    path = write(tmp_path, [{"first": a, "second": b, "choice": choice} for a, b, choice in rows])
    result = one(path, truth=write(tmp_path, rated(QUALITY), "truth.json"))
    ranking = rank_file(path)
    assert ranking["left_out"] == result.status["left_out_of_ranking"] == 2
    assert ranking["left_out_because"] == {"not answered alike in both orders": 2}
    assert ranking["pairs"] == result.protocol["pairs"]
    ranked = [ranking["scores"][name] for name in QUALITY]
    assert value(result.metrics, "srcc") == pytest.approx(spearmanr(ranked, list(QUALITY.values())).statistic)
    assert value(result.metrics, "plcc") == pytest.approx(np.corrcoef(ranked, list(QUALITY.values()))[0, 1])
