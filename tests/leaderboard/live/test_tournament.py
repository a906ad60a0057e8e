"""Tournaments among made pictures whose order is known: the scripted model judges by sharpness."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from leaderboard.live.service.jobs import stream_job
from leaderboard.live.service.limits import Work
from leaderboard.live.service.live import Live, open_live
from leaderboard.live.tournament import (
    TournamentState,
    name_pictures,
    tournament_job,
    tournament_states,
    write_comparisons,
    write_ranking,
)
from leaderboard.settings import read_settings
from qbench.__main__ import main
from qbench.commands.evaluate import evaluate
from qbench.datasets import open_dataset
from qbench.errors import UserError
from qbench.images import open_picture
from qbench.models import Model, open_model
from qbench.records import Picture
from qbench.tasks import RunOptions
from tests.leaderboard.live.places import ME, Gated

States = Callable[[dict[str, Picture], Model, int], Iterator[TournamentState]]


@pytest.fixture
def pictures(tmp_path: Path) -> dict[str, Picture]:
    """Five pictures, the last the sharpest."""
    rng = np.random.default_rng(1)
    for number in range(5):
        noise = rng.normal(128, 4 + 12 * number, (24, 32, 3)).clip(0, 255).astype(np.uint8)
        Image.fromarray(noise).save(tmp_path / f"{number}.png")
    return name_pictures([open_picture(tmp_path / f"{number}.png") for number in range(5)])


@pytest.fixture
def live(tmp_path: Path) -> Live:
    return open_live(read_settings({}, tmp_path))


@pytest.fixture
def states(live: Live) -> States:
    """Pictures, model and rounds -> the states of a tournament on a visitor's page."""

    def hold(pictures: dict[str, Picture], model: Model, rounds: int) -> Iterator[TournamentState]:
        job = tournament_job(lambda: [*pictures.values()], lambda _: model, rounds)
        return tournament_states(stream_job(live, ME, "tournament", job))

    return hold


def test_a_judge_ranks_by_what_it_sees_and_by_habit_nothing(pictures: dict[str, Picture], states: States) -> None:
    *_, end = states(pictures, open_model("scripted"), 8)
    assert (end.names[end.order[0]], end.names[end.order[-1]]) == ("4.png", "0.png")
    assert (end.result is end.answers, len(end.answers.presented), end.answers.total) == (True, 8 * 2 * 2, 8 * 2 * 2)
    assert end.figures["consistency"].value == 1
    assert end.figures["first_rate"].value == 0.5
    assert end.ranking is not None and end.ranking.low is not None
    assert np.all(end.ranking.low < end.ranking.scores)
    assert len(end.history) == 8
    np.testing.assert_allclose(end.history[-1], end.ranking.scores)
    assert not end.answers.by_scores
    *_, first = states(pictures, open_model("scripted:first"), 3)
    assert first.ranking is None
    assert first.note == "no pair has the same answer in both orders yet, and only such pairs count"
    assert (first.figures["first_rate"].value, first.figures["consistency"].value) == (1, 0)
    assert first.history == (None, None, None)


def test_it_agrees_with_the_command_line(
    pictures: dict[str, Picture], states: States, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same pictures, rounds and model by `run`, and the comparisons it handed out by `rank`."""
    model = open_model("scripted:noise=0.5")
    *_, end = states(pictures, model, 6)
    manifest = tmp_path / "mine.jsonl"
    manifest.write_text("".join(json.dumps({"img_path": name}) + "\n" for name in pictures))
    (record,) = evaluate(
        "comparison", open_dataset(str(manifest)), model, tmp_path / "out", options=RunOptions(rounds=6)
    )
    for name in ("consistency", "first_rate", "second_rate", "tie_rate"):
        assert end.figures[name].value == pytest.approx(record.metrics[name].value, abs=1e-4)
    assert 0 < end.figures["consistency"].value < 1
    table = write_ranking(end, tmp_path / "ranking.csv").read_text(encoding="utf-8").splitlines()
    assert (table[0], table[1].split(",")[:2]) == ("rank,picture,score,low,high", ["1", end.names[end.order[0]]])
    path = write_comparisons(end, tmp_path / "comparisons.jsonl")
    assert main(["rank", str(path), "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)["scores"]
    assert end.ranking is not None
    assert scores == pytest.approx(dict(zip(end.names, end.ranking.scores.tolist(), strict=True)), abs=1e-4)


def test_stopping_keeps_what_was_answered(pictures: dict[str, Picture], live: Live, states: States) -> None:
    model = Gated("scripted")
    model.gate.release(10)
    for end in states(pictures, model, 12):
        if model.asked == 10 and not end.cancelled:
            live.visits.cancel(ME)
            model.gate.release(1)
    assert (end.cancelled, end.answers.total) == (True, 48)
    assert 8 <= len(end.answers.presented) <= 11
    assert end.ranking is not None
    assert end.figures["consistency"].value == 1


def test_pictures_get_names_of_their_own(tmp_path: Path) -> None:
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
        tournament_job(lambda: named, lambda _: open_model("scripted"), 31)(Work(), lambda **_: None)
