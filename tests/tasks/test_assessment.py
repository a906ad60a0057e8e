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


def test_the_ensembles_are_the_rows_of_table_11(tmp_path: Path) -> None:
    logits = {"good": 1.0, "poor": 0.0, "fine": 20.0, "bad": 0.0, "high": 300.0, "low": 0.0}
    outcome = drive(plan(photos(tmp_path, [5]), WORDS, Assessment()), lambda _ask: Response(logits=logits))
    assert {name: scores[0].order for name, scores in outcome.variants["words"].items()} == {
        "fine/bad": 20.0,
        "high/low": 300.0,
        "good+high/poor+low": 301.0,
        "good+fine/poor+bad": 21.0,
        "good+high+fine/poor+low+bad": 321.0,
    }


def test_an_ensemble_that_one_answer_lacks_is_absent_with_the_reason(tmp_path: Path) -> None:
    whole = {"good": 1.0, "poor": 0.0, "fine": 2.0, "bad": 0.0}
    replies = iter([Response(logits=whole), Response(logits={"good": 1.0, "poor": 0.0}), Response(failure="down")])
    outcome = drive(plan(photos(tmp_path, [5, 6, 7]), WORDS, Assessment()), lambda _ask: next(replies))
    assert "words" not in outcome.variants
    assert outcome.absent["good+fine/poor+bad"] == "not every answer reports all of these words"


def test_an_answer_that_never_came_does_not_cost_the_ensembles(tmp_path: Path) -> None:
    whole = {"good": 1.0, "poor": 0.0, "fine": 2.0, "bad": 0.0}
    replies = iter([Response(logits=whole), Response(failure="down")])
    outcome = drive(plan(photos(tmp_path, [5, 6]), WORDS, Assessment()), lambda _ask: next(replies))
    assert [score.value is None for score in outcome.variants["words"]["fine/bad"]] == [False, True]


def test_notes_of_the_model_reach_the_record(tmp_path: Path) -> None:
    reply = Response(logits={"good": 1.0, "poor": 0.0}, note="'good' has 2 tokens")
    outcome = drive(plan(photos(tmp_path, [5, 6]), WORDS, Assessment()), lambda _ask: reply)
    assert outcome.protocol["notes"] == {"'good' has 2 tokens": 2}


def test_captions_of_clip_iqa_are_weighed_beside_the_papers(tmp_path: Path) -> None:
    # Logits are 100 times the cosine: Eq. 2 divides by 100, CLIP-IQA does not.
    logits = {"a photo of good quality": 25.0, "a photo of poor quality": 23.0, "Good photo.": 27.0, "Bad photo.": 24.0}
    encoder = frozenset({"words", "embedding"})
    outcome = drive(plan(photos(tmp_path, [5]), encoder, Assessment()), lambda _ask: Response(logits=logits))
    assert outcome.scores["quality"][0].value == pytest.approx(1 / (1 + math.exp(-0.02)))
    [clip_iqa] = outcome.variants["words"]["Good photo./Bad photo."]
    assert clip_iqa.value == pytest.approx(1 / (1 + math.exp(-3)))
    assert not outcome.absent


def test_another_beginning_of_the_answer(tmp_path: Path) -> None:
    [ask] = next(plan(photos(tmp_path, [5]), WORDS, Assessment(prefill="The answer is")))
    assert ask.prompt.prefill == "The answer is"
