"""A3: scores from logits worked by hand, and what is asked of which kind of model."""

from __future__ import annotations

import math
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from qbench.errors import UserError
from qbench.records import Prompt, Response, Want
from qbench.tasks import RunOptions
from qbench.tasks.assessment import TASK, plan
from tests.tasks.drive import chosen, drive, photos

how = partial(chosen, "assessment")

WORDS = frozenset({"words", "text"})
ENCODER = frozenset({"words", "embedding"})


def test_one_prompt_asks_for_all_words_after_the_papers_beginning(tmp_path: Path) -> None:
    prompt = asked(tmp_path, words="high/low")
    assert prompt.words == ("high", "low", "good", "poor", "fine", "bad")
    assert prompt.prefill == "The quality of the image is"
    assert prompt.parts[1] == "Rate the quality of the image."


def test_the_ensembles_are_the_rows_of_table_11(tmp_path: Path) -> None:
    logits = {"good": 1.0, "poor": 0.0, "fine": 20.0, "bad": 0.0, "high": 300.0, "low": 0.0}
    outcome = drive(plan(photos(tmp_path, [5]), how(WORDS)), lambda _ask: Response(logits=logits))
    assert {name: scores[0].order for name, scores in outcome.variants["words"].items()} == {
        "fine/bad": 20.0,
        "high/low": 300.0,
        "good+high/poor+low": 301.0,
        "good+fine/poor+bad": 21.0,
        "good+high+fine/poor+low+bad": 321.0,
    }


def test_captions_of_clip_iqa_are_weighed_beside_the_papers(tmp_path: Path) -> None:
    # Logits are 100 times the cosine: Eq. 2 divides by 100, CLIP-IQA does not.
    logits = {"a photo of good quality": 25.0, "a photo of poor quality": 23.0, "Good photo.": 27.0, "Bad photo.": 24.0}
    outcome = drive(plan(photos(tmp_path, [5]), how(ENCODER)), lambda _ask: Response(logits=logits))
    assert outcome.scores["quality"][0].value == pytest.approx(1 / (1 + math.exp(-0.02)))
    [clip_iqa] = outcome.variants["words"]["Good photo./Bad photo."]
    assert clip_iqa.value == pytest.approx(1 / (1 + math.exp(-3)))
    assert not outcome.absent


def test_five_levels_by_hand(tmp_path: Path) -> None:
    # Odds of 8 : 4 : 2 : 1 : 1, so (5 * 8 + 4 * 4 + 3 * 2 + 2 * 1 + 1 * 1) / 16 = 65 / 16.
    logits = {"excellent": math.log(8), "good": math.log(4), "fair": math.log(2), "poor": 0.0, "bad": 0.0}
    even = dict.fromkeys(logits, 2.0)
    replies = iter([Response(logits=logits), Response(logits=even), Response(logits={})])
    outcome = drive(plan(photos(tmp_path, [5, 6, 7]), how(WORDS, mode="levels")), lambda _ask: next(replies))
    assert [score.value for score in outcome.scores["quality"]] == [pytest.approx(65 / 16), pytest.approx(3), None]
    assert outcome.scores["quality"][2].reason == "no logit of 'excellent' was reported"
    assert outcome.protocol == {
        "prompt": "levels",
        "scoring": "five levels",
        "style": "q-align",
        "levels": ["excellent", "good", "fair", "poor", "bad"],
        "weights": [5, 4, 3, 2, 1],
        "temperature": 1,
    }


@pytest.mark.parametrize(
    ("reply", "value", "reason"),
    [
        ('<think>Sharp: a 2, or 3.</think><answer>{"rating": 3.52}</answer>', 3.52, None),
        ("<think>Sharp.</think>\n<answer> 4.25 </answer>", 4.25, None),
        ("<think>It may be a 3, it may be a 4, and", None, "no answer after its thoughts"),
        ("<answer>7.5</answer>", None, "out of range"),
    ],
)
def test_a_number_in_text_comes_after_the_thoughts(
    tmp_path: Path, reply: str, value: float | None, reason: str | None
) -> None:
    samples, asked = photos(tmp_path, [5]), how(WORDS, mode="rating", style="q-insight")
    outcome = drive(plan(samples, asked), lambda _ask: Response(text=reply))
    [score] = outcome.scores["quality"]
    assert (score.value, score.reason) == (value, reason)
    assert outcome.protocol == {
        "prompt": "rating",
        "scoring": "number in text",
        "style": "q-insight",
        "scale": "1 to 5",
        "max_tokens": 1024,
    }


def asked(folder: Path, wants: frozenset[Want] = WORDS, **options: Any) -> Prompt:
    [ask] = next(plan(photos(folder, [5]), how(wants, **options)))
    return ask.prompt


def test_other_words_are_scored_and_named(tmp_path: Path) -> None:
    own = {"positive": ("good",), "negative": ("poor",)}
    logits = {"good": 0.0, "poor": 5.0, "high": 3.0, "low": 1.0}
    answer = lambda _ask: Response(logits=logits)  # noqa: E731
    other = TASK.choose(WORDS, RunOptions(words="high/low"), own=own)
    outcome = drive(plan(photos(tmp_path, [5]), other), answer)
    assert outcome.scores["quality"][0].order == 2.0
    assert outcome.protocol["words"] == {"positive": ["high"], "negative": ["low"]}
    assert outcome.protocol["other_words"] is True
    usual = TASK.choose(WORDS, RunOptions(words="good/poor"), own=own)
    said = drive(plan(photos(tmp_path, [5]), usual), answer).protocol
    assert "other_words" not in said and "prefill" not in said


@pytest.mark.parametrize(
    ("wants", "options", "said"),
    [
        (WORDS, {"words": "good"}, "is no pair such as good/poor"),
        (WORDS, {"mode": "levels", "words": "good/poor"}, "--words changes nothing about assessment by levels"),
        (WORDS, {"style": "q-align"}, "--style changes nothing about assessment by words"),
        (WORDS, {"mode": "levels", "style": "q-insight"}, "choose one of q-align, q-realign"),
        (WORDS, {"prefill": "x" * 201}, "an answer begins with 200 or fewer"),
        (ENCODER, {"words": "good/poor"}, "--words changes nothing about assessment by words of an encoder"),
        (frozenset({"text"}), {"mode": "levels"}, "assessment by levels asks a model for words"),
    ],
)
def test_what_cannot_count_is_refused(
    tmp_path: Path, wants: frozenset[Want], options: dict[str, str], said: str
) -> None:
    with pytest.raises(UserError, match=re.escape(said)):
        asked(tmp_path, wants, **options)
