"""Estimates against hand-worked truths, known population values and independent resampling."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, spearmanr, t

from qbench.records import Estimate, Score
from qbench.results import accuracy, means
from qbench.results.quality import (
    QUARTERS,
    figure_after_curve,
    signed_correlation,
    summarise_assessment,
    summarise_quarters,
)
from qbench.stats import logistic
from qbench.stats.correlation import restricted_srcc
from qbench.stats.intervals import plcc_interval, srcc_interval
from tests.estimates import width


def rated(values: object, truths: object, part: str = "one") -> list[Score]:
    pairs = zip(np.asarray(values), np.asarray(truths), strict=True)
    return [Score(f"{part}{i}", float(x), truth=float(y), groups={"part": part}) for i, (x, y) in enumerate(pairs)]


def answered(rights: list[bool], images: list[str]) -> list[Score]:
    return [
        Score(str(i), float(right), cluster=image) for i, (right, image) in enumerate(zip(rights, images, strict=True))
    ]


def normal_pairs(rng: np.random.Generator, n: int, rho: float) -> np.ndarray:
    return np.asarray(rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], size=n).T)


# --- assessment


def test_ranks_are_taken_on_the_order_where_there_is_one() -> None:
    scores = [
        Score(str(i), value, truth=truth, order=order)
        for i, (value, truth, order) in enumerate([(0.5, 1, 1), (0.5, 2, 2), (0.5, 3, 3), (0.9, 4, 4)])
    ]
    metrics = summarise_assessment(scores, metrics=("srcc", "krcc", "plcc"))
    assert (metrics["srcc"].value, metrics["krcc"].value) == (1, 1)
    assert metrics["plcc"].value == pytest.approx(np.corrcoef([0.5, 0.5, 0.5, 0.9], [1, 2, 3, 4])[0, 1])


def test_parts_are_measured_apart_and_averaged() -> None:
    rng = np.random.default_rng(5)
    close, loose = normal_pairs(rng, 100, 0.8), normal_pairs(rng, 100, 0.5)  # so many that resamples keep their curve
    game, movie = rated(close[0], close[1], "game"), rated(loose[0], loose[1], "movie")
    moved = [Score(score.sample, (score.value or 0) + 100, score.truth, groups=score.groups) for score in movie]
    whole = summarise_assessment([*game, *moved], part="part")
    parts = [summarise_assessment(game), summarise_assessment(moved)]
    for name, estimate in whole.items():
        assert estimate.value == pytest.approx(np.mean([part[name].value for part in parts]))
        assert estimate.n == 200
        # Two independent parts: the mean's interval is about sqrt(a² + b²) / 2 wide.
        apart = [width(part[name]) for part in parts]
        assert width(estimate) == pytest.approx(np.hypot(apart[0], apart[1]) / 2, rel=0.12)
    pooled = summarise_assessment([*game, *moved], metrics=("srcc",))
    assert abs((pooled["srcc"].value or 0) - (whole["srcc"].value or 0)) > 0.1


@pytest.mark.parametrize("silent", [("game",), ("game", "movie")])
def test_a_part_without_a_single_score_leaves_no_average(silent: tuple[str, ...]) -> None:
    scores = [*rated(range(9), range(9), "game"), *rated(range(9), range(9), "movie")]
    said = [
        replace(score, value=None, reason="refused") if score.groups["part"] in silent else score for score in scores
    ]
    for estimate in summarise_assessment(said, part="part").values():
        assert estimate.value is None
        assert estimate.n == 9 * (2 - len(silent))
        assert "only 0 scored item" in (estimate.note or "")


@pytest.mark.parametrize(("items", "resamples", "how"), [(40, 30, "curve fitted to each"), (100, 1000, "curve held")])
def test_records_say_what_became_of_the_curve_in_resamples(
    items: int, resamples: int, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logistic, "REFITS", 30)  # of 200, to save time
    scores = rated(*normal_pairs(np.random.default_rng(1), items, 0.6))
    for estimate in summarise_assessment(scores, metrics=("plcc_fitted", "rmse")).values():
        assert estimate.method.startswith(f"bootstrap-{resamples}, ") and estimate.method.endswith(how)
        assert estimate.low < estimate.value < estimate.high  # type: ignore[operator]


def test_an_error_is_as_sure_wherever_the_scale_of_people_begins() -> None:
    model, people = normal_pairs(np.random.default_rng(1), 100, 0.6)
    one, other = (summarise_assessment(rated(model, people + begin), metrics=("rmse",))["rmse"] for begin in (0, 10))
    assert (other.low, other.high) == pytest.approx((one.low, one.high), rel=1e-3)


def test_the_curve_of_twenty_items_has_to_beat_the_best_through_noise() -> None:
    """Of which one in twenty reaches .68: the root of a share of the variance that is Beta (4/2, 15/2)."""
    for rho, value, clear in ((0.4, 0.645, False), (0.55, 0.746, True)):
        scores = rated(*normal_pairs(np.random.default_rng(0), 20, rho))
        made = summarise_assessment(scores, metrics=("plcc_fitted",))["plcc_fitted"]
        assert made.value == pytest.approx(value, abs=5e-4)
        assert ((made.low or 0) > 0) == clear


def test_correlations_of_fewer_than_ten_items_have_the_interval_of_their_formula_and_others_that_of_resamples() -> None:
    formulas = {"srcc": srcc_interval, "plcc": plcc_interval}
    made = (rated(*normal_pairs(np.random.default_rng(2), items, 0.6)) for items in (9, 10))
    few, many = (summarise_assessment(scores, metrics=tuple(formulas)) for scores in made)
    for name, formula in formulas.items():
        assert few[name] == formula(few[name].value or 0.0, 9)
        assert many[name].method.startswith("bootstrap-1000")


def test_figures_over_parts_have_the_freedom_that_the_fits_to_each_leave() -> None:
    """Student's t of 40 items less two terms a line, or four a curve, on the scale of the interval."""
    drawn = np.random.default_rng(4).uniform(0.3, 0.7, size=200)
    fits = [figure_after_curve("rmse", 0.5, drawn, sizes) for sizes in ([40], [20, 20])]
    lines = [signed_correlation("srcc", 0.5, drawn, sizes) for sizes in ([40], [20, 20])]
    for made, scale, freedom in ((fits, np.log, (36, 32)), (lines, np.arctanh, (38, 36))):
        one, two = (scale(each.high) - scale(each.low) for each in made)
        assert two / one == pytest.approx(t.ppf(0.975, freedom[1]) / t.ppf(0.975, freedom[0]))
    few = [figure_after_curve("rmse", 0.5, drawn, sizes) for sizes in ([9], [10], [9, 10], [9, 11])]
    assert [made.low is None for made in few] == [True, False, True, False]
    assert few[0].note == "fewer than 10 items leave no room to fit a curve to each resample"


def test_intervals_cover_the_true_value_about_95_percent_of_the_time() -> None:
    rng, rho, simulations = np.random.default_rng(2024), 0.6, 200
    truth = {"srcc": 6 / np.pi * np.arcsin(rho / 2), "krcc": 2 / np.pi * np.arcsin(rho), "plcc": rho}
    covered = dict.fromkeys(truth, 0)
    for _ in range(simulations):
        found = summarise_assessment(rated(*normal_pairs(rng, 40, rho)), metrics=tuple(truth))
        for name, estimate in found.items():
            assert estimate.low is not None and estimate.high is not None
            covered[name] += estimate.low <= truth[name] <= estimate.high
    low, high = binom.interval(0.999, simulations, 0.95)
    assert all(low <= times <= high for times in covered.values()), covered


# --- accuracy


def test_accuracy_of_independent_items_is_wilsons() -> None:
    estimate = means.summarise_accuracy([Score(str(i), float(i < 8)) for i in range(10)])
    assert (estimate.value, estimate.method, estimate.n) == (0.8, "wilson", 10)
    # Wilson 1927 for 8 of 10: (0.8 + z²/20 ± z sqrt(0.16/10 + z²/400)) / (1 + z²/10), z = 1.959964.
    assert [estimate.low, estimate.high] == pytest.approx([0.490162, 0.943318], abs=1e-6)


def test_an_item_without_a_usable_answer_is_not_right() -> None:
    scores = [Score("a", 1.0), Score("b", 0.0), Score("c", None, reason="refused"), Score("d", None, reason="empty")]
    assert means.summarise_accuracy(scores).value == 0.25
    assert means.count_unscored([*scores, Score("e", None, reason="empty")]) == {"refused": 1, "empty": 2}


def test_questions_that_share_images_are_resampled_together() -> None:
    rng = np.random.default_rng(8)
    rights = [bool(drawn) for drawn in rng.random(300) < 0.6]
    images = [f"image{i}" for i in range(300)]
    once = means.summarise_accuracy(answered(rights, images))
    fourfold = means.summarise_accuracy(answered(rights * 4, images * 4))
    naive = means.summarise_accuracy(answered(rights * 4, [str(i) for i in range(1200)]))
    assert (fourfold.n, fourfold.method, naive.method) == (300, "wilson over clusters", "wilson")
    assert width(fourfold) == pytest.approx(width(once), rel=0.1)
    assert width(fourfold) == pytest.approx(2 * width(naive), rel=0.1)


def test_yes_no_bias_uses_only_answered_questions_whose_options_are_yes_and_no() -> None:
    yes_no, other = ("Yes", "No"), ("Clear", "Not clear")
    rows = [  # options, right index, chosen index
        (yes_no, 0, 0),
        (yes_no, 0, 0),
        (yes_no, 0, 1),
        (yes_no, 1, 0),
        (("no ", "YES"), 0, 0),  # the right answer is No, and No was chosen
        (yes_no, 1, None),
        (other, 0, 1),
    ]
    scores = [
        Score(str(i), None if chosen is None else float(chosen == right), right=right, chosen=chosen)
        for i, (_, right, chosen) in enumerate(rows)
    ]
    found, items = accuracy.summarise_yes_no(scores, {str(i): options for i, (options, _, _) in enumerate(rows)})
    assert (items["yes_accuracy"].names, items["yes_accuracy"].values) == (("0", "1", "2"), (1.0, 1.0, 0.0))
    assert (items["no_accuracy"].names, items["no_accuracy"].values) == (("3", "4"), (0.0, 1.0))
    assert items["debiased_accuracy"].parts == ("yes_accuracy",) * 3 + ("no_accuracy",) * 2
    assert [found["yes_accuracy"].n, found["no_accuracy"].n] == [3, 2]
    assert [found["yes_accuracy"].value, found["no_accuracy"].value] == pytest.approx([2 / 3, 1 / 2])
    assert found["debiased_accuracy"].value == pytest.approx((2 / 3 + 1 / 2) / 2)
    # Hautus: hits (2 + .5) / (3 + 1) = .625, false alarms (1 + .5) / (2 + 1) = .5; z(.625) = .318639, z(.5) = 0.
    assert found["dprime"].value == pytest.approx(0.318639, abs=1e-6)
    assert found["criterion"].value == pytest.approx(-0.159320, abs=1e-6)
    assert accuracy.summarise_yes_no(scores[-1:], {"6": other}) == ({}, {})


# --- means


def test_means_over_datasets_then_over_tasks() -> None:
    def wilson(right: int, n: int) -> Estimate:
        return means.summarise_accuracy([Score(f"{i}", float(i < right)) for i in range(n)])

    images = {"nights": wilson(90, 100), "bapps": wilson(60, 100), "pieapp": wilson(60, 100)}
    captions = {"polaris": wilson(50, 100)}
    found = {"img-2afc": means.mean_of_all(images), "text-2afc": means.mean_of_all(captions)}
    overall = means.mean_of_all(found)
    assert found["img-2afc"].value == pytest.approx(0.7)
    assert found["text-2afc"] == captions["polaris"]
    assert overall.value == pytest.approx(0.6)  # not 0.65, the mean over datasets
    assert overall.n == 400
    for end in ("low", "high"):
        of_tasks = [getattr(estimate, end) - estimate.value for estimate in found.values()]
        assert abs(getattr(overall, end) - 0.6) == pytest.approx(np.hypot(*of_tasks) / 2)


def test_each_quarter_has_the_srcc_of_its_images_and_what_its_range_leaves() -> None:
    """48 images with the scores 1 to 48, whose quarters are 1 to 12, 13 to 24, ...; the model turns the last around."""
    truth = np.arange(1.0, 49.0)
    value = np.concatenate([truth[:36], truth[:35:-1]]) + np.random.default_rng(5).normal(0, 3, 48)
    found = summarise_quarters(
        [Score(f"{i}", float(v), truth=float(t)) for i, (v, t) in enumerate(zip(value, truth, strict=True))]
    )
    assert tuple(found) == QUARTERS
    for place, metrics in enumerate(found.values()):
        inside = slice(12 * place, 12 * place + 12)
        srcc, expected = metrics["srcc"], metrics["srcc_expected"]
        assert srcc.value == pytest.approx(spearmanr(value[inside], truth[inside]).statistic)
        assert (srcc.n, srcc.low is not None) == (12, True)
        spread = np.std(truth[:12]) / np.std(truth)
        assert expected.value == pytest.approx(restricted_srcc(spearmanr(value, truth).statistic, spread))


def test_images_of_one_score_share_a_quarter_and_missing_answers_move_no_border() -> None:
    """31 of 100 have the lowest score, so that the first border lies on it and nobody can rank them."""
    scores = [Score(f"{i}", float(i % 7), truth=float(max(i, 30))) for i in range(100)]
    scores[40] = Score("40", None, truth=40.0)
    found = [metrics["srcc"] for metrics in summarise_quarters(scores).values()]
    assert [srcc.n for srcc in found] == [31, 18, 25, 25]
    assert (found[0].value, found[0].note) == (None, "all 31 human scores are equal")


def test_parts_have_their_own_quarters() -> None:
    """Both parts are in the people's order; in one scale they would fill two quarters each."""
    scores = [
        Score(f"{part}{i}", i + (i % 3) * 4.0, truth=i + 100.0 * part, groups={"part": str(part)})
        for part in range(2)
        for i in range(48)
    ]
    found = summarise_quarters(scores, part="part")
    alone = summarise_quarters(scores[:48])
    for name in QUARTERS:
        assert found[name]["srcc"].value == pytest.approx(alone[name]["srcc"].value)
        assert found[name]["srcc"].n == 24
