"""Word logits and plain scores against human truth: strategies by hand, halves, directions, joins, refusals."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import pearsonr, rankdata, spearmanr

from tests.commands.asking import write
from tests.commands.score.made_files import HAND, HUMAN, complaint, logits, one, value, words


def test_softmax_at_both_temperatures_and_argmax_by_hand(tmp_path: Path) -> None:
    result = one(write(tmp_path, logits()))
    at_100 = [1 / (1 + math.exp((low - high) / 100)) for _, _, high, low in HAND]
    at_1 = [1 / (1 + math.exp(low - high)) for _, _, high, low in HAND]
    argmax = [0, 0, 1, 1, 1]  # equal logits do not make an image good
    # Differences -3, 0, 1, 0.5, 7 rank 1, 2, 4, 3, 5: one neighbouring pair swapped, 1 - 6 * 2 / (5 * 24).
    assert value(result.metrics, "srcc") == pytest.approx(0.9)
    assert value(result.metrics, "krcc") == pytest.approx(0.8)
    assert value(result.metrics, "plcc") == pytest.approx(pearsonr(at_100, HUMAN).statistic)
    strategies = result.groups["strategy"]
    assert set(strategies) == {"softmax-t1", "argmax"}
    assert value(strategies["softmax-t1"], "plcc") == pytest.approx(pearsonr(at_1, HUMAN).statistic)
    assert value(strategies["softmax-t1"], "srcc") == pytest.approx(0.9)
    assert value(strategies["argmax"], "plcc") == pytest.approx(pearsonr(argmax, HUMAN).statistic)
    assert value(strategies["argmax"], "srcc") == pytest.approx(pearsonr(argmax, rankdata(HUMAN)).statistic)
    assert (words(result), result.protocol["temperature"]) == ("good/poor", 100)
    assert result.protocol["truth"] == "in the file"
    assert (result.task, result.source.kind, result.source.reference) == ("assessment", "self-reported", "file.json")


def test_the_order_of_a_file_changes_no_interval(tmp_path: Path) -> None:
    truth = write(tmp_path, [{"img_path": f"{i}.png", "gt_score": i % 7} for i in range(30)], "truth.json")
    rows = [{"img_path": f"{i}.png", "score": i % 5} for i in range(30)]
    assert one(write(tmp_path, rows[::-1]), truth=truth).metrics == one(write(tmp_path, rows), truth=truth).metrics


def test_other_words_are_measured_beside_good_and_poor_alone_and_in_ensembles(tmp_path: Path) -> None:
    """An ensemble sums logits before the softmax. Qwen-VL's files hold `excellent`, whose opposite is `poor`."""
    more = {"fine": [2.0, 7, 1, 4, 3], "bad": [1.0, 0, 3, 5, 2], "excellent": [4.0, 1, 3, 2, 6]}
    rows = [{**row, **{f"logit_{word}": more[word][at] for word in more}} for at, row in enumerate(logits())]
    groups = one(write(tmp_path, rows)).groups["words"]
    both = [high + f - low - b for (_, _, high, low), f, b in zip(HAND, more["fine"], more["bad"], strict=True)]
    worked = {
        "good+fine/poor+bad": both,
        "fine/bad": np.subtract(more["fine"], more["bad"]),
        "excellent/poor": [logit - poor for logit, (_, _, _, poor) in zip(more["excellent"], HAND, strict=True)],
    }
    assert groups.keys() == worked.keys()
    for label, differences in worked.items():
        assert value(groups[label], "srcc") == pytest.approx(spearmanr(differences, HUMAN).statistic)
    eq_4 = [1 / (1 + math.exp(-difference / 100)) for difference in both]
    assert value(groups["good+fine/poor+bad"], "plcc") == pytest.approx(pearsonr(eq_4, HUMAN).statistic)


def test_a_word_of_no_pair_is_named_as_left_out(tmp_path: Path) -> None:
    """Q-Align's files hold 13 words, of which six stand in no pair of the papers."""
    of_pairs = ("good", "poor", "high", "low", "excellent", "bad", "fine")
    single = ("fair", "moderate", "decent", "average", "medium", "acceptable")
    logit = dict.fromkeys((*of_pairs, *single), 1.0)
    rows = [{"img_path": name, "gt_score": human, "logits": {**logit, "good": human}} for name, human, _, _ in HAND]
    groups = one(write(tmp_path, rows)).groups["words"]
    notes = {label: estimates["srcc"].note for label, estimates in groups.items() if "/" not in label}
    assert notes == dict.fromkeys(single, "no pair of the papers has this word")


def test_the_catalogue_says_which_words_a_model_is_scored_by(tmp_path: Path) -> None:
    good = logits()
    high = logits([(image, human, -first, -second) for image, human, first, second in HAND], "high low")
    rows = [{**first, **second} for first, second in zip(good, high, strict=True)]
    by_folder = one(write(tmp_path, rows, "instructblip_t5/koniq.json"), dataset="mine")
    by_name = one(write(tmp_path, rows), model="InstructBLIP (Flan-T5-XL)")
    plain = one(write(tmp_path, rows), model="my model")
    assert (by_folder.model, words(by_folder)) == ("instructblip-flan-t5-xl", "high/low")
    assert (by_name.model, words(by_name)) == ("instructblip-flan-t5-xl", "high/low")
    assert (plain.model, words(plain)) == ("my model", "good/poor")
    assert value(by_name.metrics, "srcc") == pytest.approx(-value(plain.metrics, "srcc"))


def halves() -> list[dict[str, object]]:
    """Within each half good falls as people's scores rise; the better half has the larger logits."""
    rng = np.random.default_rng(0)
    rows: list[dict[str, object]] = []
    for part, shift in (("game", 0), ("movie", 10)):
        for i, human in enumerate(rng.normal(shift, 1, size=9)):
            good = shift - (human - shift) / 2 + rng.normal() / 2
            rows.append({"img_path": f"x/{part}_{i}.png", "gt_score": human, "logit_good": good, "logit_poor": 0})
    return rows


def test_cgiqa_averages_its_two_halves(tmp_path: Path) -> None:
    rows = halves()
    result = one(write(tmp_path, rows, "cgi.json"))
    each = [one(write(tmp_path, part)) for part in (rows[:9], rows[9:])]
    for name in ("srcc", "plcc", "plcc_fitted", "krcc", "rmse"):
        expected = [value(part.metrics, name) for part in each]
        assert value(result.metrics, name) == pytest.approx(np.mean(expected))
        assert [value(result.groups["part"][part], name) for part in ("game", "movie")] == pytest.approx(expected)
    expected = [value(part.groups["strategy"]["softmax-t1"], "plcc") for part in each]
    assert value(result.groups["strategy"]["softmax-t1"], "plcc") == pytest.approx(np.mean(expected))
    assert result.protocol["averaged_over"] == "part"
    pooled = one(write(tmp_path, rows))
    assert value(pooled.metrics, "srcc") > 0 > value(result.metrics, "srcc")


@pytest.mark.parametrize("mark", ["in the file", "in the truth", "by the dataset's name", "by the truth's set"])
def test_dmos_is_turned_round_once(tmp_path: Path, mark: str) -> None:
    """Lower is better: a judge that scores high where people's scores are low is right."""
    scores: list[dict[str, object]] = [{"img_path": f"{i}.png", "score": i} for i in range(6)]
    dmos: list[dict[str, object]] = [{"img_path": f"{i}.png", "gt_score": 10 - i} for i in range(6)]
    both = [{**score, **human} for score, human in zip(scores, dmos, strict=True)]
    lower = {"lower_is_better": True}
    if mark == "in the file":
        result = one(write(tmp_path, [{**row, **lower} for row in both]))
    elif mark == "in the truth":
        result = one(write(tmp_path, scores), truth=write(tmp_path, [{**row, **lower} for row in dmos], "truth.json"))
    elif mark == "by the dataset's name":
        result = one(write(tmp_path, both, "csiq.json"))
    else:
        result = one(write(tmp_path, scores), truth=write(tmp_path, json.dumps({"CSIQ": dmos}), "truth.json"))
    assert value(result.metrics, "srcc") == pytest.approx(1)
    assert value(one(write(tmp_path, both)).metrics, "srcc") == pytest.approx(-1)


def test_truth_from_elsewhere_is_joined_by_name_or_base_name(tmp_path: Path) -> None:
    scores = [{"img_path": f"somewhere/else/{i}.png", "score": i, "gt_score": -i} for i in range(5)]
    truth = write(
        tmp_path, [{"img_path": f"images/{i}.png", "gt_score": i} for i in (0, 1, 3, 2, 4, 5, 6)], "truth.json"
    )
    result = one(write(tmp_path, scores), truth=truth)
    assert value(result.metrics, "srcc") == pytest.approx(1)  # the file's own scores, turned round, do not count
    assert (result.source.kind, result.protocol["truth"]) == ("rescored", "truth.json")
    assert result.status == {"read": 5, "repeated": 0, "missing": 2, "scored": 5, "without_truth": 0}


def test_a_full_name_goes_before_a_base_name(tmp_path: Path) -> None:
    names = ["blur/1.png", "noise/1.png", "blur/2.png", "noise/2.png"]
    truth = write(tmp_path, [{"img_path": name, "gt_score": i} for i, name in enumerate(names)], "truth.json")
    path = write(tmp_path, [{"img_path": name, "score": i} for i, name in enumerate(names)])
    assert value(one(path, truth=truth).metrics, "srcc") == pytest.approx(1)
    path = write(tmp_path, [{"img_path": "1.png", "score": 1}])
    assert "'1.png' is not in truth.json" in complaint(path, truth=truth)  # it could be either


def test_no_truth_at_all_says_how_to_give_it(tmp_path: Path) -> None:
    path = write(tmp_path, {"img_path": "1.png", "score": 1})
    assert complaint(path) == "file.json: no human score (gt_score) in the file; give the truth with --truth FILE"
    truth = write(tmp_path, {"img_path": "1.png"}, "truth.json")
    assert complaint(path, truth=truth) == "file.json: no human score (gt_score) in truth.json"


@pytest.mark.parametrize(
    ("truth", "says"),
    [
        ('[{"img_path": "1.png", "gt_sc', "truth.json: record 1 (line 1) is cut off"),
        ('[{"img_path": "1.png", "gt_score": NaN}]', "truth.json: record 1 (line 1): gt_score is nan"),
        ('{"img_path": "1.png", "gt_score": 1}{"img_path": "1.png", "gt_score": 2}', "'1.png' stands here twice"),
    ],
)
def test_a_malformed_truth_is_named(tmp_path: Path, truth: str, says: str) -> None:
    path = write(tmp_path, {"img_path": "1.png", "score": 1})
    assert says in complaint(path, truth=write(tmp_path, truth, "truth.json"))


def test_half_of_cgiqa_is_not_cgiqa(tmp_path: Path) -> None:
    assert "holds no rated movie images" in complaint(write(tmp_path, halves()[:9], "cgi.json"))
    told = complaint(write(tmp_path, [*halves(), {**halves()[0], "img_path": "film_1.png"}], "cgi.json"))
    assert "'film_1.png' does not begin with game_ or movie_" in told
