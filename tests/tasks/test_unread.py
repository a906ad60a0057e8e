"""What a judge reads for the parser: it is asked of unread replies alone, and what it reads is counted apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from qbench.commands.text import result_text
from qbench.records import Response
from qbench.tasks.comparison import plan as compare
from qbench.tasks.perception import plan as ask_questions
from tests.tasks.drive import TEXT, chosen, drive, photos, record_of

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

    outcome = drive(ask_questions(samples, chosen("perception", TEXT, judge=True, unread=True)), answer)
    assert asked == [("2", 0), ("3", 0)]  # once, as the model answers without chance; no refusals, nothing empty
    assert [score.value for score in outcome.scores["accuracy"]] == [1.0, 0.0, 1.0, None, None, None]
    assert [score.by_judge for score in outcome.scores["accuracy"]] == [False, False, True, False, False, False]
    result = record_of("perception", outcome, samples)
    assert result.metrics["accuracy"].value == pytest.approx(2 / 6)
    assert result.groups["read_by"]["parser alone"]["accuracy"].value == pytest.approx(1 / 6)
    assert result.protocol["read_by_judge"] == {"replies": 1, "of": 6}
    assert result.unscored == {"unparseable": 1, "refused": 1, "empty": 1}
    assert "read by the judge: 1 of 6 replies" in result_text(result)


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
