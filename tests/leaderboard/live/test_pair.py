from __future__ import annotations

import math
from pathlib import Path

import pytest

from leaderboard.html.pair import orders_verdict
from leaderboard.live.pair import PREFERENCE_PROMPTS, PairResult, compare_photos, pair_job, quick_models
from leaderboard.live.service.limits import Work
from leaderboard.live.service.live import LiveRunner, open_live
from leaderboard.settings import read_settings
from qbench.errors import UserError
from qbench.records import Picture
from tests.leaderboard.live.places import ME, run_with
from tests.leaderboard.live.test_probe import by_command


def compared(runner: LiveRunner, name: str, photos: list[Picture]) -> PairResult:
    one, two = photos
    *_, known = compare_photos(runner, name, (one, two))
    return known


def test_the_project_s_own_models_are_asked_too_and_no_file_twice(photos: list[Picture]) -> None:
    assert quick_models(["nano-iqa", "owner/name", "sharpness"]) == ["nano-iqa", "sharpness"]
    with pytest.raises(UserError, match="both photos are the same file"):
        compared(run_with("scripted"), "scripted", [photos[0], photos[0]])


def test_six_models_are_asked_beside_the_first(tmp_path: Path) -> None:
    live, others = open_live(read_settings({}, tmp_path)), [f"model {number}" for number in range(7)]
    for named, said in ((others[:6], "gone.png is no longer here"), (others, "at most 6 models .*; 7 were named")):
        job = pair_job(live, ME, ("gone.png", "gone.png"), "scripted", ["scripted", *named, *named])
        with pytest.raises(UserError, match=said):
            job(Work(), lambda **_: None)


def test_a_model_that_sees_keeps_its_answer(photos: list[Picture]) -> None:
    known = compared(run_with("scripted"), "scripted", photos)
    assert [answer.prompt for answer in known.answers] == list(PREFERENCE_PROMPTS)
    assert all(answer.agrees for answer in known.answers)
    assert {choice.prefers for answer in known.answers for choice in answer.choices} == {"A"}
    assert known.places == (5, 5, 0)
    assert orders_verdict(known.answers[0], "scripted") == (
        "scripted slightly prefers A over B (probability 0.73), whichever comes first."  # e / (e + 1) is .7311
    )
    assert known.answers[0].choices[0].probability == pytest.approx(math.e / (math.e + 1))


@pytest.mark.parametrize(
    ("habit", "places", "said"),
    [
        ("second", (0, 10, 0), "Inconsistent: scripted:second prefers the photo that comes second."),
        ("tie", (0, 0, 10), "scripted:tie sees no difference, in either order."),
    ],
)
def test_habits_show_in_the_places(photos: list[Picture], habit: str, places: tuple[int, int, int], said: str) -> None:
    name = f"scripted:{habit}"
    known = compared(run_with(name), name, photos)
    assert orders_verdict(known.answers[0], name) == said
    assert known.places == places


def test_answers_are_the_command_line_s(photos: list[Picture], tmp_path: Path) -> None:
    by_first = by_command("comparison", "scripted", photos, tmp_path, mode="letter-logits", rounds=1)
    turns = compared(run_with("scripted"), "scripted", photos).answers[0].choices
    for turn in turns:
        logits = by_first[{"A": "sharp.png", "B": "flat.png"}[turn.order[0]]]["logits"]
        share = 1 / (1 + math.exp(-abs(logits["A"] - logits["B"])))
        assert turn.probability == pytest.approx(share, abs=1e-12)
        assert turn.choice == ("first" if logits["A"] > logits["B"] else "second")
