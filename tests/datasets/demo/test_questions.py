"""What is asked and said of a photo follows from what was done to it, and nothing else is asked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest

from qbench.datasets.demo.damage import DAMAGE_WORDS, PLACES, Damage
from qbench.datasets.demo.descriptions import caption, describe_damage
from qbench.datasets.demo.question import DemoQuestion
from qbench.datasets.demo.questions import questions_about
from qbench.tasks.lexicon import statements

LEXICON = {
    "sharpness": "clarity",
    "noise": "noise",
    "brightness": "brightness",
    "colour": "colour",
    "contrast": "contrast",
}
"""Family -> what the word lists of the description judge call it."""


def asked(damage: Damage | None, times: int = 60) -> dict[str, set[str]]:
    """Question -> right answers, over many draws."""
    found: dict[str, set[str]] = {}
    for question in drawn(damage, times):
        found.setdefault(question.question, set()).add(question.options[question.answer])
    return found


def drawn(damage: Damage | None, times: int) -> Iterable[DemoQuestion]:
    for seed in range(times):
        yield from questions_about(damage, np.random.default_rng(seed))


def test_a_part_made_dark() -> None:
    found = asked(Damage("darken", 5, "top left"))
    assert found["Is the top left of this photo too dark?"] == {"Yes"}
    assert found["Is the top left of this photo too bright?"] == {"No"}
    assert found["How is the lighting of the top left of this photo?"] == {"Too dark"}
    assert found["Which part of this photo looks unnaturally dark?"] == {"Top left"}
    assert found["Which part of this photo is darkened?"] == {"Top left"}
    assert found["Is any part of this photo darkened?"] == {"Yes"}
    assert "Is this photo too dark?" not in found  # one part is
    assert not [text for text in found if "contrast" in text.lower() and "show" not in text and "kind" not in text]


def test_a_blurred_photo_is_not_clear_and_its_light_is_as_it_was() -> None:
    found = asked(Damage("motion-blur", 5))
    assert found["Is this photo clear?"] == {"No"}
    assert found["How clear is this photo?"] == {"Blurry"}
    assert found["How severe is the motion blur in this photo?"] == {"Severe"}
    assert found["What kind of distortion is in this photo?"] == {"Motion blur"}
    assert found["How is the lighting of this photo?"] == {"Just fine"}
    assert found["Does this photo show motion blur?"] == {"Yes"}


def test_an_untouched_photo() -> None:
    found = asked(None)
    assert found["Is this photo clear?"] == {"Yes"}
    assert found["Is there distortion in this photo?"] == {"No"}
    assert found["What kind of distortion is in this photo?"] == {"No distortion"}
    assert found["How strongly is this photo distorted?"] == {"Not distorted"}
    assert not any(question.context == "in-context" and "lighting" in question.question for question in drawn(None, 60))


def test_a_slight_damage_is_asked_for_neither_as_present_nor_as_absent() -> None:
    found = asked(Damage("white-noise", 2))
    assert found["How severe is the noise in this photo?"] == {"Slight"}
    assert not [text for text in found if "kind of distortion" in text or ("nois" in text and "severe" not in text)]


def test_what_a_damage_changes_by_the_way_is_not_asked() -> None:
    about = " ".join(asked(Damage("undersaturation", 5)))
    assert "contrast" not in about.replace("contrast loss", "").replace("contrast exaggeration", "")
    assert "lighting" not in about
    assert "brightness" not in about.replace("excess brightness", "")


@pytest.mark.parametrize("kind", ["zoom-blur", "displaced-patches", "colour-blocks", "transmission-error"])
def test_what_is_not_everywhere_is_not_asked_of_a_part(kind: str) -> None:
    assert not [question for question in drawn(Damage(kind, 5), 20) if question.group == "in-context-distortion"]


@pytest.mark.parametrize("kind", DAMAGE_WORDS)
def test_every_type_is_asked_about_soundly(kind: str) -> None:
    right, words = DAMAGE_WORDS[kind].noun, DAMAGE_WORDS[kind]
    for place in (None, *PLACES):
        for question in drawn(Damage(kind, 4, place), 4):
            assert len(set(question.options)) == len(question.options) >= 2
            assert 0 <= question.answer < len(question.options)
            if question.question.startswith("What kind"):
                assert question.options[question.answer].lower() == right.lower()
                wrong = [
                    other for other in DAMAGE_WORDS.values() if other.noun.lower() in map(str.lower, question.options)
                ]
                assert all(other.family not in words.near or bool(other.pole) != bool(words.pole) for other in wrong)
                assert [other.family for other in wrong].count(words.family) == 1
            if question.question_type == "yes-or-no" and words.adjective in question.question:
                assert question.options[question.answer] == "Yes"


def test_right_answers_stand_anywhere_and_two_in_five_are_no() -> None:
    generator = np.random.default_rng(0)
    said: Counter[str] = Counter()
    stands: Counter[int] = Counter()
    kinds = list(DAMAGE_WORDS)
    for number in range(1500):
        kind, place = kinds[number % len(kinds)], [None, "top left"][number % 2]
        for question in questions_about(Damage(kind, 4, place), generator):
            if question.question_type == "yes-or-no":
                said[question.options[question.answer]] += 1
            if question.question.startswith("What kind"):
                stands[question.answer] += 1
    assert said["No"] / said.total() == pytest.approx(0.4, abs=0.03)
    assert all(stands[place] / stands.total() == pytest.approx(0.25, abs=0.03) for place in range(4))


def test_no_question_tells_its_own_answer() -> None:
    said: dict[str, Counter[str]] = {}
    damages = [None, *(Damage(kind, 4, place) for kind in DAMAGE_WORDS for place in (None, "centre"))]
    for number in range(6000):
        for question in questions_about(damages[number % len(damages)], np.random.default_rng(number)):
            if question.question_type == "yes-or-no":
                plain = re.sub("top left|top right|bottom left|bottom right", "center", question.question)
                said.setdefault(plain, Counter())[question.options[question.answer]] += 1
    assert len(said) > 100
    assert not {text: answers for text, answers in said.items() if len(answers) == 1 and answers.total() > 8}


def test_one_question_of_each_kind_and_all_twelve_are_reached() -> None:
    cells = [
        (question.question_type, question.group)
        for question in questions_about(Damage("darken", 5, "centre"), np.random.default_rng(1))
    ]
    assert len(set(cells)) == len(cells)
    every = {
        (question.question_type, question.group)
        for damage in (None, Damage("darken", 5, "centre"))
        for question in drawn(damage, 9)
    }
    assert len(every) == 12


@pytest.mark.parametrize("kind", DAMAGE_WORDS)
@pytest.mark.parametrize("place", [None, "centre"])
def test_the_word_lists_understand_every_description(kind: str, place: str | None) -> None:
    family = DAMAGE_WORDS[kind].family
    for seed in range(4):
        said = statements(describe_damage(Damage(kind, 5, place), np.random.default_rng(seed)))
        assert ("quality", False) in said
        attribute = LEXICON.get(family, "artifacts")
        assert (attribute, False) in said
        assert (attribute, True) not in said


def test_a_description_of_an_untouched_photo_finds_no_fault() -> None:
    for seed in range(4):
        said = statements(describe_damage(None, np.random.default_rng(seed)))
        assert all(good for _, good in said)
        assert {attribute for attribute, _ in said} >= {"quality", "clarity", "noise", "contrast", "colour"}


def test_captions() -> None:
    assert caption(None) == "a clean photo"
    assert caption(Damage("motion-blur", 4)) == "a photo with strong motion blur"
    assert caption(Damage("jpeg", 1.2, "centre")) == "a photo with barely visible JPEG artifacts in the center"


def test_the_same_generator_gives_the_same_words() -> None:
    damage = Damage("jpeg", 4, "top left")
    assert questions_about(damage, np.random.default_rng(3)) == questions_about(damage, np.random.default_rng(3))
    assert describe_damage(damage, np.random.default_rng(3)) == describe_damage(damage, np.random.default_rng(3))
