"""Which choices of a model mean something."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leaderboard.html.probe import probe_results
from leaderboard.live import questions as calibration
from leaderboard.live.probe import ProbeResult, WrittenDescription
from leaderboard.live.questions import (
    STANDARD_QUESTIONS,
    OrderedAnswer,
    PhotoQuestion,
    QuestionAnswer,
    doubt_of,
    without_doubtful,
    without_doubtful_sentences,
)
from qbench.records import Picture

QUESTION = PhotoQuestion("Is it sharp?", ("Yes", "No"))


def answered(option: str, question: PhotoQuestion = QUESTION) -> QuestionAnswer:
    shares = (0.8, 0.2) if option == question.options[0] else (0.2, 0.8)
    return QuestionAnswer(question, (OrderedAnswer(question.options, option, shares),), option)


@pytest.fixture
def calibrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {"mine": {QUESTION.text: {"Yes": [14, 28], "No": [9, 10]}}}
    (tmp_path / "calibration.json").write_text(json.dumps(counts), encoding="utf-8")
    monkeypatch.setattr(calibration, "FILE", tmp_path / "calibration.json")
    calibration._calibration.cache_clear()
    yield
    calibration._calibration.cache_clear()


def test_the_bound_is_wilson_s() -> None:
    # Wilson's lower ends: 8 of 11 is 0.434, above a third; 7 of 20 is 0.181; 9 of 10 is 0.596; 14 of 28 is 0.326.
    assert doubt_of("a", {"a": (8, 11)}, 1 / 3) == ""
    assert "chose “a” 20 times and was right 7 times" in doubt_of("a", {"a": (7, 20)}, 1 / 3)
    assert doubt_of("a", {"a": (9, 10)}, 1 / 2) == ""
    assert doubt_of("b", {"a": (14, 28)}, 1 / 2) == "Can’t tell: it never chose “b” on 28 demo photos"


@pytest.mark.usefixtures("calibrated")
def test_a_choice_that_does_not_beat_chance_is_not_said() -> None:
    identity = {"checkpoint": "mine"}
    assert without_doubtful(answered("No"), identity) == answered("No")
    doubtful = without_doubtful(answered("Yes"), identity)
    assert (doubtful.chosen, doubtful.probabilities) == (None, (0.8, 0.2))
    html = probe_results(ProbeResult("mine", Picture("photo.png", "0" * 64), answers=(doubtful,)))
    assert "Can’t tell: on demo photos of known damage it chose “Yes” 28 times and was right 14 times" in html
    assert 'class="chosen"' not in html


STRENGTH, COLOURS, CLARITY = STANDARD_QUESTIONS[0], STANDARD_QUESTIONS[3], STANDARD_QUESTIONS[5]


def test_a_description_says_nothing_of_what_is_in_doubt() -> None:
    """The shipped model cannot tell a strong distortion, nor natural colours, and can tell a clear photo."""
    weights = next(iter(calibration._calibration()))
    choices = {STRENGTH: "Severely distorted", COLOURS: "Natural", CLARITY: "Clear"}
    answers = [
        without_doubtful(QuestionAnswer(question, (), option), {"checkpoint": weights})
        for question, option in choices.items()
    ]
    text = "The photo is clear. It is noisy, and the colors are natural. The overall quality is good."
    said = without_doubtful_sentences(text, answers)
    assert said == ("The photo is clear.", ("colourfulness", "overall quality"))
    sure = [QuestionAnswer(question, (), option) for question, option in choices.items()]
    assert without_doubtful_sentences(text, sure) == (text, ())
    described = WrittenDescription(*said[:1], left_out=said[1])
    html = probe_results(ProbeResult("mine", Picture("photo.png", "0" * 64), described=described))
    assert "Left out is what it wrote of colourfulness and overall quality" in html


@pytest.mark.usefixtures("calibrated")
def test_other_weights_and_other_questions_are_not_judged() -> None:
    assert without_doubtful(answered("Yes"), {"checkpoint": "other"}).chosen == "Yes"
    assert without_doubtful(answered("Yes"), {"id": "scripted"}).chosen == "Yes"
    own = PhotoQuestion("Is it hot?", ("Yes", "No"))
    assert without_doubtful(answered("Yes", own), {"checkpoint": "mine"}).chosen == "Yes"


def test_what_is_stored_is_about_the_standard_questions() -> None:
    for questions in calibration._calibration().values():
        assert {text: set(counts) for text, counts in questions.items()} == {
            question.text: set(question.options) for question in STANDARD_QUESTIONS
        }
