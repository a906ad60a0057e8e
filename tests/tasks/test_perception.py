"""A1: what is asked, what answers of known kinds are worth, and what a judge reads for the parser."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from qbench.commands.text import result_text
from qbench.errors import UserError
from qbench.records import Response, Sample
from qbench.tasks.comparison import plan as compare
from qbench.tasks.perception import TASK, plan, shuffle_options
from tests.tasks.drive import TEXT, chosen, drive, photos, record_of

how = partial(chosen, "perception")

OPTIONS = ("Blurry", "Noisy", "Clean", "Dark")


@pytest.fixture
def samples(tmp_path: Path) -> list[Sample]:
    fields = {"question": "How does it look?", "options": OPTIONS, "answer": 1}
    return [replace(photo, human=None) for photo in photos(tmp_path, range(40), **fields)]


def test_shuffling_depends_on_seed_and_id_alone(samples: list[Sample]) -> None:
    once = [shuffle_options(sample, 3) for sample in samples]
    again = [shuffle_options(sample, 3) for sample in reversed(samples)]
    assert once == again[::-1]
    assert once != [shuffle_options(sample, 4) for sample in samples]
    assert all(question.options[question.answer] == "Noisy" for question in once)
    assert {question.answer for question in once} == {0, 1, 2, 3}


def test_close_set_takes_the_likeliest_text(samples: list[Sample]) -> None:
    losses = {f"#Answer: {option}": loss for option, loss in zip(OPTIONS, [2.0, 0.5, 0.7, 9.0], strict=True)}
    outcome = drive(plan(samples, how(frozenset({"losses"}))), lambda _ask: Response(losses=losses))
    assert {score.value for score in outcome.scores["accuracy"]} == {1.0}
    assert outcome.protocol["prompt"] == "close-set"


def test_letter_logits_need_every_letter_and_no_tie(samples: list[Sample]) -> None:
    words = frozenset({"words"})
    tied = drive(plan(samples[:1], how(words)), lambda _ask: Response(logits=dict.fromkeys("ABCD", 1.0)))
    assert tied.scores["accuracy"][0].reason == "ambiguous"
    partial = drive(plan(samples[:1], how(words)), lambda _ask: Response(logits={"A": 1.0}))
    assert "not every option was weighed" in partial.scores["accuracy"][0].reason


def test_the_judge_decides_by_majority_and_its_agreement_is_counted(samples: list[Sample]) -> None:
    votes = {"0": "11100", "1": "00011", "2": "1x0xx", "3": "xxxxx"}

    def answer(ask):
        if ask.of == "model":
            return Response(text="Noisy")
        assert ask.prompt.repeat > 0  # 0 would be the one answer without chance
        vote = votes[ask.sample][ask.prompt.repeat - 1]
        return Response(text="unsure" if vote == "x" else f"{'Result' if vote == '1' else 'Score'}: {vote}")

    outcome = drive(plan(samples[:4], how(TEXT, judge=True)), answer)
    assert [score.value for score in outcome.scores["accuracy"]] == [1.0, 0.0, None, None]
    assert [score.reason for score in outcome.scores["accuracy"]][2:] == [
        "the judge reached no majority",
        "the judge gave no usable grade",
    ]
    assert [score.value for score in outcome.scores["parser_accuracy"]] == [1.0] * 4
    assert [score.value for score in outcome.scores["judge_agreement"]] == [1.0, 0.0]


def test_every_way_of_asking_shows_the_shuffled_options(samples: list[Sample]) -> None:
    shuffled = shuffle_options(samples[0], 0)
    listed = [f"{letter}. {option}" for letter, option in zip("ABCD", shuffled.options, strict=True)]

    def asked(want: str, **options: object) -> tuple[object, ...]:
        [ask] = next(plan(samples[:1], how(frozenset({want}), **options)))
        return (*ask.prompt.parts, *ask.prompt.words)

    assert asked("text")[-1] == f"\nChoose between one of the following options: {' '.join(listed)}"
    assert asked("text", style="answer")[-1].endswith("\n#Answer:")
    direct = "\n".join(
        ["How does it look?", *listed, "Answer with the option's letter from the given choices directly."]
    )
    assert asked("text", mode="letter")[1] == f"{direct}\n"
    assert asked("words")[1:] == (f"{direct}\n", "A", "B", "C", "D")
    assert asked("losses")[2:] == tuple(f"#Answer: {option}" for option in shuffled.options)


def test_what_nobody_knows_the_answer_of_is_neither_right_nor_wrong(samples: list[Sample]) -> None:
    private = replace(samples[0], answer=None)
    [score] = drive(plan([private], how(TEXT)), lambda _ask: Response(text="Dark")).scores["accuracy"]
    assert (score.value, score.right, score.reason) == (None, None, "no known answer")
    assert shuffle_options(private, 0).options[score.chosen] == "Dark"


def test_a_reply_that_never_came_is_not_judged(samples: list[Sample]) -> None:
    replies = {"0": Response(failure="down"), "1": Response(text=""), "2": Response(text="Dark")}
    judged = []

    def answer(ask):
        if ask.of == "model":
            return replies[ask.sample]
        judged.append(ask.sample)
        return Response(text="Result: 0")

    scores = drive(plan(samples[:3], how(TEXT, judge=True)), answer).scores
    assert judged == ["2"] * 5
    assert [score.reason for score in scores["accuracy"]] == ["failed: down", "empty", None]


def test_the_first_mode_the_model_can_answer_and_which_models_can() -> None:
    assert TASK.choose_mode(frozenset({"words", "text"})) == "free"
    assert TASK.choose_mode(frozenset({"words"})) == "letter-logits"
    assert TASK.choose_mode(frozenset({"words", "text"}), "letter-logits") == "letter-logits"
    with pytest.raises(UserError) as error:
        TASK.choose_mode(frozenset({"score"}), "free")
    assert str(error.value) == (
        "perception by free asks a model for text, and this one offers only score; "
        "choose among vision-language checkpoints and servers (text)"
    )
    with pytest.raises(UserError, match=r"text or losses or words, and this one, an encoder, offers only emb"):
        TASK.choose_mode(frozenset({"embedding", "words"}))


MUDDLE = "Hard to say, hm, the edges."
"""Unparseable."""


def test_questions_that_the_parser_cannot_read_are_read_by_the_judge(tmp_path: Path) -> None:
    fields = {"question": "Is it sharp?", "options": ("Yes", "No"), "answer": 0}
    samples = [replace(photo, human=None) for photo in photos(tmp_path, range(6), **fields)]
    replies = {"0": "Yes.", "1": "No.", "2": MUDDLE, "3": MUDDLE + "!", "4": "I cannot see the image.", "5": ""}
    asked = []

    def answer(ask):
        if ask.of == "model":
            return Response(text=replies[ask.sample])
        asked.append((ask.sample, ask.prompt.repeat))
        listed = ask.prompt.parts[0].split("Options: ")[-1]
        right = "A" if listed.startswith("A. Yes") else "B"
        return Response(text=right if ask.sample == "2" else "Z")

    outcome = drive(plan(samples, chosen("perception", TEXT, judge=True, unread=True)), answer)
    assert asked == [("2", 0), ("3", 0)]  # once, as the model answers without chance; no refusals, nothing empty
    assert [score.value for score in outcome.scores["accuracy"]] == [1.0, 0.0, 1.0, None, None, None]
    assert [score.by_judge for score in outcome.scores["accuracy"]] == [False, False, True, False, False, False]
    result = record_of("perception", outcome, samples)
    assert result.metrics["accuracy"].value == pytest.approx(2 / 6)
    assert result.groups["read_by"]["parser alone"]["accuracy"].value == pytest.approx(1 / 6)
    assert result.protocol["read_by_judge"] == {"replies": 1, "of": 6}
    assert result.unscored == {"unparseable": 1, "refused": 1, "empty": 1}
    assert "read by the judge: 1 of 6 replies" in result_text(result)
    private = replace(outcome, scores={"accuracy": [replace(each, right=None) for each in outcome.scores["accuracy"]]})
    assert record_of("perception", private, samples).protocol["read_by_judge"] == {"replies": 1, "of": 6}


def test_comparisons_that_the_parser_cannot_read_are_read_by_the_judge(tmp_path: Path) -> None:
    # One pair in both orders: the parser reads one reply, the judge the other; together they are consistent.
    samples = photos(tmp_path, [10, 200])
    readings = {"0\n1": Response(text=MUDDLE), "1\n0": Response(text="The first image.")}
    for said, choice in (("B", "second"), ("C", "tie"), ("Z", None)):
        outcome = drive(
            compare(samples, chosen("comparison", TEXT, rounds=1, judge=True)),
            lambda ask, said=said: Response(text=said) if ask.of == "judge" else readings[ask.sample],
        )
        read = {(shown.first, shown.second): (shown.choice, shown.by_judge) for shown in outcome.presented}
        assert read == {("0", "1"): (choice, choice is not None), ("1", "0"): ("first", False)}
        assert outcome.protocol["unanswered"] == ({} if choice else {"unparseable": 1})
        result = record_of("comparison", outcome, samples)
        assert result.protocol["read_by_judge"] == {"replies": int(choice is not None), "of": 2}
        assert result.groups["read_by"]["parser alone"]["consistency"].value is None
    assert result.groups["read_by"]["parser alone"]["first_rate"].value == 1.0
