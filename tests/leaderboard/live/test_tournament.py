"""Tournaments among made pictures whose order is known: a model or a person compares them, and how far others agree."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from leaderboard.live.person import (
    EXAMPLE_COUNT,
    EXAMPLE_DATASET,
    TRUTH,
    YOU,
    PersonAnswers,
    agreements,
    as_tournament,
    ask_pairs,
    known_preferences,
    preferences,
    preferences_by_truth,
    true_scores,
)
from leaderboard.live.service.jobs import stream_job
from leaderboard.live.service.limits import Work
from leaderboard.live.service.live import Live, open_live
from leaderboard.live.service.models import LiveModels, ModelOffer, ModelOffers
from leaderboard.live.tournament import (
    Tournament,
    TournamentState,
    name_pictures,
    ranking_csv,
    standing,
    tournament_job,
    write_comparisons,
)
from leaderboard.settings import read_settings
from qbench.__main__ import main
from qbench.commands.evaluate import evaluate
from qbench.datasets import open_dataset
from qbench.errors import UserError
from qbench.images import open_picture
from qbench.models import Model, open_model
from qbench.records import Picture, Presented
from qbench.tasks import RunOptions
from tests.leaderboard.live.places import ME, Gated
from tests.leaderboard.made import make_pictures


@pytest.fixture
def pictures(tmp_path: Path) -> dict[str, Picture]:
    """Five pictures, the last the sharpest."""
    return name_pictures([open_picture(path) for path in make_pictures(tmp_path, 5)])


@pytest.fixture
def live(tmp_path: Path) -> Live:
    return open_live(read_settings({}, tmp_path))


def states(live: Live, pictures: dict[str, Picture], model: Model, rounds: int) -> Iterator[TournamentState]:
    """Of a tournament on a visitor's page."""
    offers = ModelOffers({model.name: ModelOffer(model.name, model.name, "time")}, {})
    here = replace(live, models=LiveModels(offers, lambda *_: model))
    paths = [picture.path for picture in pictures.values()]
    return stream_job(here, ME, "tournament", tournament_job(here, ME, paths, model.name, rounds))


def end_of(states: Iterator[TournamentState]) -> Tournament:
    *_, last = states
    assert last.result is not None
    return last.result


def test_a_judge_ranks_by_what_it_sees_and_by_habit_nothing(pictures: dict[str, Picture], live: Live) -> None:
    end = end_of(states(live, pictures, open_model("scripted"), 8))
    assert (end.names[end.order[0]], end.names[end.order[-1]]) == ("photo-4.png", "photo-0.png")
    assert len(end.presented) == end.total == 8 * 2 * 2
    assert end.figures["consistency"].value == 1
    assert end.figures["first_rate"].value == 0.5
    assert end.ranking is not None and end.ranking.low is not None
    assert np.all(end.ranking.low < end.ranking.scores)
    assert len(end.history) == 8
    np.testing.assert_allclose(end.history[-1], end.ranking.scores)
    assert not end.by_scores
    first = end_of(states(live, pictures, open_model("scripted:first"), 3))
    assert first.ranking is None
    assert first.note == "no pair has the same answer in both orders yet, and only such pairs count"
    assert (first.figures["first_rate"].value, first.figures["consistency"].value) == (1, 0)
    assert first.history == (None, None, None)


def test_it_agrees_with_the_command_line(
    pictures: dict[str, Picture], live: Live, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same pictures, rounds and model by `run`, and the comparisons it handed out by `rank`."""
    model = open_model("scripted:noise=0.5")
    end = end_of(states(live, pictures, model, 6))
    manifest = tmp_path / "mine.jsonl"
    manifest.write_text("".join(json.dumps({"img_path": name}) + "\n" for name in pictures))
    (record,) = evaluate(
        "comparison", open_dataset(str(manifest)), model, tmp_path / "out", options=RunOptions(rounds=6)
    )
    for name in ("consistency", "first_rate", "second_rate", "tie_rate"):
        assert end.figures[name].value == pytest.approx(record.metrics[name].value, abs=1e-4)
    assert 0 < end.figures["consistency"].value < 1
    table = ranking_csv(end).splitlines()
    assert (table[0], table[1].split(",")[:2]) == ("rank,picture,score,low,high", ["1", end.names[end.order[0]]])
    path = write_comparisons(end, tmp_path / "comparisons.jsonl")
    assert main(["rank", str(path), "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)["scores"]
    assert end.ranking is not None
    assert scores == pytest.approx(dict(zip(end.names, end.ranking.scores.tolist(), strict=True)), abs=1e-4)


def test_stopping_keeps_what_was_answered(pictures: dict[str, Picture], live: Live) -> None:
    model = Gated("scripted")
    model.gate.release(10)
    for state in states(live, pictures, model, 12):
        if model.asked == 10 and not state.cancelled:
            live.visits.cancel(ME)
            model.gate.release(1)
    end = standing(state)
    assert (state.cancelled, end.total) == (True, 48)
    assert 8 <= len(end.presented) <= 11
    assert end.ranking is not None
    assert end.figures["consistency"].value == 1


def test_pictures_get_names_of_their_own(tmp_path: Path, live: Live) -> None:
    named = []
    for number, folder in enumerate("abc"):
        (tmp_path / folder).mkdir()
        Image.new("RGB", (20, 20), (number, 0, 0)).save(tmp_path / folder / "photo.png")
        named.append(open_picture(tmp_path / folder / "photo.png"))
    assert list(name_pictures(named)) == ["photo.png", "photo (2).png", "photo (3).png"]
    with pytest.raises(UserError, match="3 to 50 pictures, not 2"):
        name_pictures(named[:2])
    with pytest.raises(UserError, match="are the same picture; remove one"):
        name_pictures([*named, named[0]])
    with pytest.raises(UserError, match="1 to 30 rounds, not 31"):
        tournament_job(live, ME, [], "nano-iqa", 31)(Work(), lambda **_: None)


ABC = {name: Picture(f"/tmp/{name}", name * 64) for name in ("a", "b", "c")}
ONE_WIN = 0.5061
"""Of a chain a > b > c with one win each: b is at 0, a at the x that is the normal density over the distribution."""


def answers(given: PersonAnswers, choose: Callable[[int, int], str]) -> str:
    """Answer every question, as the page does: the next is asked for once those known are answered."""
    said = given.answers
    while True:
        shown, total = ask_pairs(PersonAnswers(given.photos, given.rounds, given.seed, said))
        assert len(shown) <= total
        if len(said) == total:
            return said
        said += "".join(choose(*pair) for pair in shown[len(said) :])


def by_number(first: int, second: int) -> str:
    return "f" if first < second else "s"


@pytest.mark.parametrize(("photos", "seed"), [(3, 0), (5, 1), (8, 2**31)])
def test_few_photos_come_in_every_pair_and_order_and_none_twice_in_succession(photos: int, seed: int) -> None:
    shown, total = ask_pairs(PersonAnswers(photos, 1, seed))
    assert total == len(shown) == photos * (photos - 1)
    assert sorted(shown) == sorted((one, two) for one in range(photos) for two in range(photos) if one != two)
    assert all({*one} != {*two} for one, two in pairwise(shown))


def test_many_photos_are_paired_by_the_answers() -> None:
    begun = PersonAnswers(20, 12, 7)
    first, total = ask_pairs(begun)
    assert (len(first), total) == (20, 240)  # a round: ten pairs in both orders
    assert Counter(frozenset(pair) for pair in first) == Counter({frozenset(pair): 2 for pair in first})
    said = answers(begun, by_number)
    shown, total = ask_pairs(PersonAnswers(20, 12, 7, said))
    # A consistent person is asked 20 pairs in both orders and the other 170 in one, and then no pair is left.
    assert total == len(shown) == 2 * 20 + 170
    assert {frozenset(pair) for pair in shown} == {frozenset(pair) for pair in combinations(range(20), 2)}
    assert all({*one} != {*two} for one, two in pairwise(shown))
    so_far, _ = ask_pairs(PersonAnswers(20, 12, 7, said[:55]))
    assert so_far == shown[: len(so_far)]
    opening = PersonAnswers(20, 12, 7, said[:20])
    contrary = answers(opening, lambda *pair: "sf"["sf".index(by_number(*pair)) - 1])
    assert ask_pairs(PersonAnswers(20, 12, 7, contrary))[0][:60] != shown[:60]


def test_a_ranking_worked_out_by_hand() -> None:
    """a over b and b over c in both orders; of a and c always the left one, which ranks nothing."""

    def choose(first: int, second: int) -> str:
        return "f" if {first, second} == {0, 2} else by_number(first, second)

    begun = PersonAnswers(3, 12, 5)
    state = as_tournament(ABC, PersonAnswers(3, 12, 5, answers(begun, choose)), 9.0)
    end = state.result
    assert end and not state.cancelled
    assert end.ranking is not None
    assert end.ranking.scores == pytest.approx([ONE_WIN, 0, -ONE_WIN], abs=1e-4)
    assert end.figures["consistency"].value == pytest.approx(2 / 3)
    # Left: once of a and b, once of b and c, twice of a and c.
    assert end.figures["first_rate"].value == pytest.approx(4 / 6)
    assert end.figures["position_bias"].value == pytest.approx(2 / 6)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        *(("answers", answers) for answers in ("fx", "f" * 7, ["f"])),
        *(("photos", photos) for photos in (51, 1, "3")),
        *(("rounds", rounds) for rounds in (0, 31, True)),
        *(("seed", seed) for seed in (-1, 2**31 + 1, 1.5)),
    ],
)
def test_what_browsers_may_not_send_is_refused(name: str, wrong: Any) -> None:
    assert PersonAnswers(50, 30, 2**31).most == 30 * 50
    assert PersonAnswers(2, 1, 0, "ft").most == 2
    with pytest.raises(UserError):
        PersonAnswers(**{"photos": 3, "rounds": 12, "seed": 5, name: wrong})


YOURS = (
    Presented("a", "b", "first"),
    Presented("b", "a", "second"),  # a, twice
    Presented("a", "c", "first"),
    Presented("c", "a", "first"),  # whichever is on the left
    Presented("c", "b", "tie"),
    Presented("b", "c", "tie"),
    Presented("c", "d", "second"),  # in one order only: d
)


def test_agreement_is_counted_where_both_prefer_a_photo() -> None:
    truth = preferences_by_truth({"a": 4, "b": 3, "c": 2, "d": 2})
    assert truth == {("a", "b"): "a", ("a", "c"): "a", ("a", "d"): "a", ("b", "c"): "b", ("b", "d"): "b"}
    contrary = {**truth, ("a", "b"): "b"}
    found = {
        agreement.sides: agreement for agreement in agreements({YOU: preferences(YOURS), "t": truth, "n": contrary})
    }
    assert (found[YOU, "t"].alike, found[YOU, "t"].pairs) == (1, 1)  # c and d are equal in truth
    assert (found[YOU, "n"].alike, found[YOU, "n"].share.value) == (0, 0)
    assert (found["t", "n"].alike, found["t", "n"].pairs, found["t", "n"].share.value) == (4, 5, 0.8)
    (none,) = agreements({YOU: {}, "t": truth})
    assert (none.pairs, none.share.value) == (0, None)


def test_the_truth_is_known_of_the_examples_alone() -> None:
    samples = open_dataset(EXAMPLE_DATASET, limit=EXAMPLE_COUNT).samples
    examples = {sample.id: open_picture(Path(sample.images[0])) for sample in samples}
    scores = true_scores(examples)
    assert scores is not None
    # The photos of the set are at 0, 0.7, 1.4, ... of one damage, and 20 points are lost for each level.
    assert list(scores.values()) == pytest.approx([100, 86, 72, 58, 44, 30, 16, 2])
    assert true_scores({**examples, "mine": Picture("/tmp/mine.png", "0" * 64)}) is None
    assert known_preferences(examples, ()).keys() == {YOU, TRUTH}
