"""Models that write: every order is asked, habits show, and nothing is guessed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from qbench.commands.evaluate import evaluate
from qbench.models import Model, open_model
from qbench.records import Picture, Prompt, Response, Result
from qbench.tasks import RunOptions
from tests.estimates import values
from tests.tasks.similarity.made import SIMILARITY, dataset

ASKED = [task for task in SIMILARITY if task != "retrieval"]
COUNT = {"odd-one-out": 3}
CAPTIONS = ["a dog", "a cat"]


def row(task: str, label: int, names: str = "abc") -> dict:
    """A comparison whose right alternative is at the label's place."""
    images = [f"{name}.png" for name in names[: COUNT.get(task, 2)]]
    return {
        "img-2afc": {"reference": "r.png", "images": images},
        "it-2afc": {"texts": ["a dog"], "images": images},
        "text-2afc": {"reference": "r.png", "texts": CAPTIONS},
        "attributes": {"images": images, "attribute": "contrast"},
    }.get(task, {"images": images}) | {"label": label}


class Says(Model):
    """A model that answers by a function of what was shown, in order."""

    name = "says"
    wants = frozenset({"text"})
    identity = {"says": "what it is told"}  # noqa: RUF012 - never changed
    batch_size = 4

    def __init__(self, answer: Callable[[list[str], str], str]) -> None:
        self.answer = answer
        self.asked: list[list[str]] = []

    def respond(self, prompts: list[Prompt]) -> list[Response]:
        return [Response(text=self.answer(*self._seen(prompt))) for prompt in prompts]

    def _seen(self, prompt: Prompt) -> tuple[list[str], str]:
        shown = [Path(part.path).stem for part in prompt.parts if isinstance(part, Picture)]
        self.asked.append(shown)
        return shown, "".join(part for part in prompt.parts if isinstance(part, str))


def run(task: str, model: object, folder: Path, rows: list, **options: str) -> Result:
    [result] = evaluate(task, dataset(folder, rows, "r a b c d"), model, folder, options=RunOptions(**options))
    return result


@pytest.mark.parametrize("mode", ["text", "letter-logits"])
@pytest.mark.parametrize("task", ["img-2afc", "it-2afc", "text-2afc", "iqa-2afc", "attributes"])
@pytest.mark.parametrize(("habit", "first"), [("first", 1.0), ("second", 0.0)])
def test_a_habit_of_place_is_half_right_in_both_orders(
    tmp_path: Path, mode: str, task: str, habit: str, first: float
) -> None:
    # Three of four right alternatives are listed first, so always-first gets 3/4 of them, always-second 1/4; over both
    # orders each gets half, never the same alternative twice.
    rows = [row(task, label) for label in (0, 0, 0, 1)]
    got = values(run(task, open_model(f"scripted:{habit}"), tmp_path, rows, mode=mode).metrics)
    assert got["accuracy"] == (0.75 if habit == "first" else 0.25)
    assert got["accuracy_balanced"] == 0.5
    assert (got["accuracy_joint"], got["consistency"]) == (0.0, 0.0)
    assert (got["first_rate"], got["second_rate"], got["tie_rate"]) == (first, 1 - first, 0.0)
    assert got["position_bias"] == 2 * first - 1


@pytest.mark.parametrize("mode", ["text", "letter-logits"])
@pytest.mark.parametrize("letter", "ABC")
def test_a_habit_of_place_is_a_third_right_among_three(tmp_path: Path, mode: str, letter: str) -> None:
    rows = [row("odd-one-out", label) for label in (0, 0, 1)]
    result = run("odd-one-out", open_model(f"scripted:letter={letter}"), tmp_path, rows, mode=mode)
    got = values(result.metrics)
    assert got["accuracy"] == pytest.approx({"A": 2 / 3, "B": 1 / 3, "C": 0}[letter])
    assert got["accuracy_balanced"] == pytest.approx(1 / 3)
    assert (got["accuracy_joint"], got["consistency"]) == (0.0, 0.0)
    place = f"{'ABC'.index(letter) + 1} of 3"
    assert {name: metric["share"].value for name, metric in result.groups["place"].items()} == {
        **dict.fromkeys(("1 of 3", "2 of 3", "3 of 3"), 0.0),
        place: 1.0,
    }
    assert "first_rate" not in got


@pytest.mark.parametrize("task", ASKED)
@pytest.mark.parametrize("style", ["paper", "code"])
def test_who_knows_the_answers_gets_everything_right(tmp_path: Path, task: str, style: str) -> None:
    label = COUNT.get(task, 2) - 1

    def knows(shown: list[str], text: str) -> str:
        if task == "text-2afc":
            return "Caption 1" if text.index("a cat") < text.index("a dog") else "Caption 2"
        return f"Image {shown.index('abc'[label]) + 1}"

    model = Says(knows)
    result = run(task, model, tmp_path, [row(task, label)], style=style)
    got = values(result.metrics)
    names = ("accuracy", "accuracy_balanced", "accuracy_joint", "consistency")
    assert [got[name] for name in names] == [1.0] * 4
    assert result.status["presented"] == COUNT.get(task, 2)
    assert result.unscored == {}


@pytest.mark.parametrize("style", ["paper", "code"])
def test_a_reply_is_read_for_the_attribute_asked_about(tmp_path: Path, style: str) -> None:
    # In both orders image 2 is named, whatever else image 1 is praised for: half right.
    asked = {"paper": "is more contrasted", "code": "has more contrast"}[style]
    reply = f"Image 1 is sharper and has less noise. Image 2 {asked}."
    result = run("attributes", Says(lambda *_: reply), tmp_path, [row("attributes", 1)], style=style)
    assert (values(result.metrics)["accuracy"], values(result.metrics)["accuracy_balanced"]) == (1.0, 0.5)


@pytest.mark.parametrize(
    ("reply", "unscored", "consistency"),
    [
        ("I'm sorry, but I can't tell.", {"refused": 4}, None),
        ("Both images have the same quality.", {"tie": 4}, 0.0),
        ("An apple, A1.", {"unparseable": 4}, None),  # what the authors' code counts as the first
    ],
)
def test_what_is_no_answer_is_not_right_and_not_guessed(
    tmp_path: Path, reply: str, unscored: dict, consistency: float | None
) -> None:
    result = run("iqa-2afc", Says(lambda *_: reply), tmp_path, [row("iqa-2afc", 0), row("iqa-2afc", 1)])
    assert result.unscored == unscored
    got = values(result.metrics)
    assert (got["accuracy"], got["accuracy_balanced"], got["accuracy_joint"]) == (0.0, 0.0, 0.0)
    assert got["consistency"] == consistency
    assert got.get("tie_rate") == (1.0 if "tie" in unscored else None)
