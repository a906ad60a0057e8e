"""Answers one by one, for people to read: what was asked, what the model said, how that was read, and what it is worth.

Here they come from a file of replies; `stored` reads what lies beside a record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, Literal

from qbench.datasets.known import DatasetFacts
from qbench.datasets.places import AnswerKey
from qbench.formats.reading import Reading
from qbench.records import Presented, Response, Sample, Score
from qbench.results.scored_files import Words, read_answers
from qbench.tasks import TASKS

Verdict = Literal["right", "wrong", "unread", ""]
_MOST_WEIGHTS = 5
RIGHT_OR_WRONG = ("questions", "choices", "comparisons")
"""Kinds of results whose answers are right or wrong; others have a value."""


@dataclass(frozen=True)
class Answer:
    """One answer."""

    sample: Sample
    """What was asked, as far as that is known."""
    said: str = ""
    """What the model wrote, or the weights of the words that were asked for; empty where the text is not here."""
    read: str = ""
    """The option or number that this was read as; empty where it was not."""
    right: str = ""
    """The right option, or people's score."""
    verdict: Verdict = ""
    """Empty where there is no right and wrong."""
    reason: str = ""
    """Why an answer was not read."""
    value: float | None = None
    """What it adds to the figure, where that is not right or wrong."""

    @property
    def searched(self) -> str:
        """What a search looks through, in small letters."""
        sample = self.sample
        asked = (sample.id, sample.question or "", *sample.options, *sample.texts, *sample.groups.values())
        return "\n".join((*asked, self.said)).casefold()

    def to_json(self) -> dict[str, Any]:
        sample = self.sample
        told = {
            "sample": sample.id,
            "images": list(sample.images),
            "question": sample.question,
            "options": list(sample.options or sample.texts),
            "groups": dict(sample.groups),
            **{name: getattr(self, name) for name in ("right", "said", "read", "verdict", "reason", "value")},
        }
        return {name: value for name, value in told.items() if value not in (None, "", [], {})}


def answers_of_reading(
    reading: Reading, dataset: DatasetFacts | str, key: AnswerKey | None, words: Words = None
) -> list[Answer]:
    """The answers in a file that was read; the arguments are those of `score_reading`."""
    reading, answered, scores = read_answers(reading, dataset, key, words)
    if reading.presented:
        return [_of_pair(shown, reading.samples) for shown in reading.presented]
    return [
        answer_of(reading.task, sample, response, score, (reading.judged or {}).get(sample.id, ""))
        for (sample, response), score in zip(answered, scores, strict=True)
    ]


def answer_of(task: str, sample: Sample, response: Response, score: Score, judged: str = "") -> Answer:
    """The answer to one sample, with what a judge wrote of it."""
    if TASKS[task].result not in RIGHT_OR_WRONG:
        read = "" if score.value is None else f"{score.value:.4g}"
        truth = "" if sample.human is None else f"{sample.human:.4g}"
        verdict: Verdict = "unread" if score.value is None else ""
        return Answer(sample, said_in_words(response), read, truth, verdict, score.reason or "", score.value)
    verdict = "unread" if score.value is None else "right" if score.value else "wrong"
    reason = f"read by the judge: {judged}" if score.by_judge else score.reason or ""
    read = option_in_words(sample, score.chosen)
    return Answer(sample, said_in_words(response), read, right_in_words(sample), verdict, reason)


def _of_pair(shown: Presented, samples: Mapping[str, Sample]) -> Answer:
    human = [samples[name].human if name in samples else None for name in (shown.first, shown.second)]
    first, second = human
    better = "" if first is None or second is None or first == second else "first" if first > second else "second"
    if better and samples[shown.first].lower_is_better:
        better = {"first": "second", "second": "first"}[better]
    verdict: Verdict = "unread" if shown.choice is None else ""
    if shown.choice and better:
        verdict = "right" if shown.choice == better else "wrong"
    pair = Sample(f"{shown.first} against {shown.second}", (shown.first, shown.second), options=("first", "second"))
    return Answer(pair, shown.choice or "", shown.choice or "", better, verdict, "" if shown.choice else "no choice")


def right_in_words(sample: Sample) -> str:
    return option_in_words(sample, sample.answer) if sample.human is None else f"{sample.human:.4g}"


def option_in_words(sample: Sample, place: int | None) -> str:
    """An option with its letter, the letter alone where its text is not here, or the number of an alternative."""
    if place is None:
        return ""
    if not sample.options:
        return str(place + 1)
    letter, text = ascii_uppercase[place], sample.options[place]
    return letter if text == letter else f"{letter}. {text}"


def said_in_words(response: Response) -> str:
    if response.text is not None:
        return response.text
    if response.chosen is not None:
        return str(response.chosen)
    if response.score is not None:
        return f"{response.score:.4g}"
    weights: Mapping[str, float] = response.logits or response.losses
    ordered: Sequence[tuple[str, float]] = sorted(
        weights.items(), key=lambda each: -each[1] if response.logits else each[1]
    )
    return ", ".join(f"{word.strip()} {weight:.2f}" for word, weight in ordered[:_MOST_WEIGHTS])
