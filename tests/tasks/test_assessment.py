"""A3: scores from logits worked by hand, and what is asked of which kind of model."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from qbench.errors import UserError
from qbench.records import Response
from qbench.tasks.assessment import CLIP_WORDS, Assessment, WordPair, plan
from tests.tasks.drive import drive, photos

WORDS = frozenset({"words", "text"})


def test_temperature_plain_and_argmax_by_hand(tmp_path: Path) -> None:
    logits = {"good": 17.5, "poor": 14.5}
    outcome = drive(plan(photos(tmp_path, [5]), WORDS, Assessment()), lambda _ask: Response(logits=logits))
    [score] = outcome.scores["quality"]
    assert score.value == pytest.approx(1 / (1 + math.exp(-0.03)))
    assert (score.order, score.truth) == (3.0, 5.0)
    assert outcome.variants["strategy"]["softmax-t1"][0].value == pytest.approx(1 / (1 + math.exp(-3)))
    assert outcome.variants["strategy"]["argmax"][0].value == 1.0


def test_ensemble_sums_the_logits_of_synonyms(tmp_path: Path) -> None:
    logits = {"good": 3.0, "poor": 1.0, "high": 2.0, "low": 5.0}
    outcome = drive(plan(photos(tmp_path, [5]), WORDS, Assessment()), lambda _ask: Response(logits=logits))
    # (3 + 2) - (1 + 5) = -1
    assert outcome.variants["words"]["good+high/poor+low"][0].order == -1.0
    assert set(outcome.variants["words"]) == {"high/low", "good+high/poor+low"}


def test_one_prompt_asks_for_all_words_after_the_papers_beginning(tmp_path: Path) -> None:
    [ask] = next(plan(photos(tmp_path, [5]), WORDS, Assessment(words=WordPair(("high",), ("low",)))))
    assert ask.prompt.words == ("high", "low", "good", "poor", "fine", "bad")
    assert ask.prompt.prefill == "The quality of the image is"
    assert ask.prompt.parts[1] == "Rate the quality of the image."


def test_encoders_weigh_captions(tmp_path: Path) -> None:
    [ask] = next(plan(photos(tmp_path, [5]), frozenset({"words", "embedding"}), Assessment()))
    assert CLIP_WORDS.words == ("a photo of good quality", "a photo of poor quality")
    assert ask.prompt.words == (*CLIP_WORDS.words, "Good photo.", "Bad photo.")
    assert len(ask.prompt.parts) == 1


def test_a_rating_is_read_and_an_unreadable_one_is_unscored(tmp_path: Path) -> None:
    replies = iter([Response(text="4 out of 5"), Response(text="9"), Response(failure="down")])
    outcome = drive(plan(photos(tmp_path, [1, 2, 3]), frozenset({"text"}), Assessment()), lambda _ask: next(replies))
    assert [score.value for score in outcome.scores["quality"]] == [4.0, None, None]
    assert [score.reason for score in outcome.scores["quality"]] == [None, "out of range", "failed: down"]


def test_a_word_the_server_did_not_report_is_not_zero(tmp_path: Path) -> None:
    outcome = drive(plan(photos(tmp_path, [1]), WORDS, Assessment()), lambda _ask: Response(logits={"good": 1.0}))
    assert outcome.scores["quality"][0].value is None
    assert outcome.scores["quality"][0].reason == "no logit of 'poor' was reported"


def test_dmos_is_turned_so_that_higher_is_better(tmp_path: Path) -> None:
    samples = photos(tmp_path, [7], lower_is_better=True)
    outcome = drive(plan(samples, frozenset({"score"}), Assessment()), lambda _ask: Response(score=0.5))
    assert outcome.scores["quality"][0].truth == -7.0


def test_a_model_that_only_embeds_says_what_is_needed(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="words or score or text"):
        next(plan(photos(tmp_path, [7]), frozenset({"embedding"}), Assessment()))
