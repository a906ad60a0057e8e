"""2AFC: both orders are asked, habits show, rounds are the released ones; active pairs ask for what is in doubt."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr

from qbench.errors import UserError
from qbench.pairing import coarse_rounds
from qbench.records import Picture, Response
from qbench.tasks import Ask
from qbench.tasks.active import ActivePairs, updated
from qbench.tasks.comparison import plan
from tests.tasks.drive import TEXT, chosen, drive, photos, record_of

how = partial(chosen, "comparison")


def brightest(ask):
    """A perfect judge: names the brighter image (file names are the order of brightness)."""
    first, second = (int(Path(part.path).stem) for part in ask.prompt.parts if isinstance(part, Picture))
    return Response(text="The first image." if first > second else "The second image.")


def test_every_pair_of_a_round_is_asked_in_both_orders(tmp_path: Path) -> None:
    samples = photos(tmp_path, range(5))
    outcome = drive(plan(samples, how(TEXT, rounds=2)), brightest)
    pairs = [(str(first), str(second)) for first, second in coarse_rounds(5, 2).reshape(-1, 2)]
    expected = [order for first, second in pairs for order in ((first, second), (second, first))]
    assert [(shown.first, shown.second) for shown in outcome.presented] == expected
    assert outcome.protocol["rounds"] == 2


def test_letters_are_weighed_and_equal_weights_tie(tmp_path: Path) -> None:
    words = frozenset({"words"})
    samples = photos(tmp_path, [1, 2])
    for logits, choice in (({"A": 2.0, "B": 1.0}, "first"), ({"A": 1.0, "B": 1.0}, "tie"), ({"A": 1.0}, None)):
        outcome = drive(plan(samples, how(words, rounds=1)), lambda _ask, said=logits: Response(logits=said))
        assert {shown.choice for shown in outcome.presented} == {choice}


def test_a_scoring_model_is_asked_once_an_image_and_never_inconsistent(tmp_path: Path) -> None:
    asked = []

    def answer(ask):
        asked.append(ask.sample)
        return Response(score=float(ask.sample))

    samples = photos(tmp_path, range(6))
    outcome = drive(plan(samples, how(frozenset({"score"}), rounds=12)), answer)
    assert sorted(asked) == ["0", "1", "2", "3", "4", "5"]
    result = record_of("comparison", outcome, samples)
    assert (result.metrics["consistency"].value, result.metrics["srcc"].value) == (1.0, pytest.approx(1.0, abs=0.1))


def test_an_unreadable_image_costs_its_own_pairs(tmp_path: Path) -> None:
    samples, asked = photos(tmp_path, range(6)), []
    (tmp_path / "3.png").write_bytes(b"")
    outcome = drive(
        plan(samples, how(TEXT, rounds=3)),
        lambda ask: (asked.append(ask.sample), Response(text="first"))[1],
    )
    assert all("3" not in sample.split("\n") for sample in asked)
    assert len(asked) == 3 * 4
    assert {shown.choice for shown in outcome.presented if "3" in (shown.first, shown.second)} == {None}
    assert outcome.protocol["unanswered"] == {"an image cannot be opened": 6}


def test_active_pairs_cost_half_and_rank_a_perfect_judge_better(tmp_path: Path) -> None:
    samples = photos(tmp_path, range(0, 240, 4))
    random = drive(plan(samples, how(TEXT)), brightest)
    active = drive(plan(samples, how(TEXT, schedule="active")), brightest)
    assert len(active.presented) <= len(random.presented) / 2
    by_lot, by_doubt = (record_of("comparison", outcome, samples) for outcome in (random, active))
    assert by_doubt.metrics["srcc"].value > by_lot.metrics["srcc"].value
    assert by_doubt.metrics["consistency"].n == 40  # images of the pairs shown in both orders, to see whether it is
    assert by_doubt.metrics["accuracy"].n == 40  # the other pairs were picked for being hard
    assert "chance" in by_lot.groups
    chance = by_doubt.groups["chance"]["coin-flip judge"]
    assert 0.05 < chance["correlation"].value < 0.5  # of 328 pairs, most in one order, each of which counts


def test_rounds_that_only_repeat_answers_are_refused(tmp_path: Path) -> None:
    # Three rounds come to each of the six pairs of four images once, and to as many of the three pairs of three.
    for images, most in ((4, 60), (3, 60), (2, 20)):
        samples = photos(tmp_path, range(images))
        assert len(drive(plan(samples, how(TEXT, rounds=most)), brightest).presented) == 2 * most * (images // 2)
        with pytest.raises(UserError, match=f"pair of {images} images some 2[01] times, always .* at most {most}"):
            next(plan(samples, how(TEXT, rounds=most + 1)))


def test_rounds_asked_at_once_are_those_asked_one_by_one_with_each_first_image_in_one_go(tmp_path: Path) -> None:
    samples = photos(tmp_path, range(0, 240, 20))
    one_by_one = drive(plan(samples, how(TEXT)), brightest)
    asked: list[str] = []

    def noting(ask: Ask) -> Response:
        asked.append(next(part.sha256 for part in ask.prompt.parts if isinstance(part, Picture)))
        return brightest(ask)

    at_once = drive(plan(samples, how(TEXT), by_round=False), noting)
    assert (at_once.presented, at_once.protocol) == (one_by_one.presented, one_by_one.protocol)
    assert len(asked) == len({(shown.first, shown.second) for shown in at_once.presented})
    assert sum(before != after for before, after in pairwise(asked)) == len(samples) - 1


def judged(pairs, quality, noise, rng):
    seen = [(quality[list(pair)] + noise * rng.standard_normal(2)).tolist() for pair in pairs]
    return ["first" if first > second else "second" for first, second in seen]


def test_one_answer_moves_the_belief_to_the_exact_posteriors_moments() -> None:
    mean, covariance = np.array([0.3, -0.2, 1.0]), np.array([[1.0, 0.4, 0.2], [0.4, 0.8, 0.0], [0.2, 0.0, 1.5]])
    rng = np.random.default_rng(0)
    drawn = rng.multivariate_normal(mean, covariance, size=400_000)
    weight = ndtr(drawn[:, 1] - drawn[:, 0])  # item 1 was preferred to item 0
    exact = np.average(drawn, axis=0, weights=weight)
    found, spread = updated(mean, covariance, winner=1, loser=0)
    assert found == pytest.approx(exact, abs=0.01)
    assert spread == pytest.approx(np.cov(drawn.T, aweights=weight), abs=0.01)


def test_a_judge_by_position_stays_asked_in_both_orders() -> None:
    schedule = ActivePairs(60, 0)
    for _ in range(4):
        pairs = schedule.propose()
        schedule.learn(pairs, ["second"] * len(pairs))
        assert schedule.both_orders


def test_no_pair_comes_twice_and_the_end_is_the_end() -> None:
    schedule, rng, seen = ActivePairs(7, 1), np.random.default_rng(0), []
    while pairs := schedule.propose():
        schedule.learn(pairs, judged(pairs, np.arange(7.0), 0.0, rng))
        seen += [frozenset(pair) for pair in pairs]
    assert len(set(seen)) == 21
    assert max(seen.count(pair) for pair in seen) == 2
