"""Answers one by one, for people to read: what was asked, what the model said, how that was read, and what it is worth.

They come from a file of replies, or from what lies beside a stored record: released answers, raw replies, or items.
Answers that others released are kept in `assets/recomputed/answers`: letters, logits and grades, without the questions
and photos that they are about. Where the list of questions is on this machine, its texts are joined.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Literal

from qbench.datasets.known import DatasetFacts, find_dataset
from qbench.datasets.manifest import CONCERNS, QUESTION_TYPES
from qbench.datasets.places import AnswerKey
from qbench.errors import DataError
from qbench.formats.packed import SCORED_AGAIN, RunFiles, read_run
from qbench.formats.reading import Reading
from qbench.records import Items, Presented, Response, Result, Sample, Score
from qbench.results.items import items_path, read_items
from qbench.results.scored_files import Words, read_answers
from qbench.rows import File, explain_unreadable, read_file
from qbench.tasks import TASKS, description, perception, read_stored_result
from qbench.tasks.assessment import human_score, score_levels
from qbench.tasks.words import LEVELS

LOGIT_SCALE = 256
"""Logits are kept as whole numbers, so many times as large."""
Released = Mapping[str, Any]
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
    first, second = (human_score(samples[name]) if name in samples else None for name in (shown.first, shown.second))
    better = "" if first is None or second is None or first == second else "first" if first > second else "second"
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


def read_records(file: Path) -> list[Result]:
    """The stored records of a file, one or a list of them; a DataError where it holds something else."""
    with explain_unreadable(file):
        content = file.read_bytes()
    try:
        data = json.loads(content)
        return [read_stored_result(each) for each in (data if isinstance(data, list) else [data])]
    except (ValueError, RecursionError) as error:
        raise DataError(f"{file} is no record of a run ({error}); name the records alone") from None


def stored_answers(result: Result, file: Path | None, key: AnswerKey | None) -> list[Answer]:
    """The answers behind a record, which may have its items at hand or a file of its own; none where none are kept."""
    if file and (released := released_path(file)):
        return released_answers(result, json.loads(released.read_bytes()), key)
    if file and not result.items and (items := items_path(file)).is_file():
        result = replace(result, items=read_items(items.read_bytes(), result.raw))
    raw = file.parent / "raw" / f"{result.raw}.jsonl" if file else None
    if raw is None or not raw.is_file():
        return _of_items(result, key, {})
    if result.task in SCORED_AGAIN and (key or result.task != perception.NAME):
        replies = RunFiles(result, File("record.json", b""), read_file(raw))
        return answers_of_reading(read_run(replies), find_dataset(result.dataset) or result.dataset, key)
    return _of_items(result, key, _texts(raw))


def stored_grades(result: Result, file: Path | None) -> dict[str, list[str]]:
    """Dimension -> a judge's grades of each description, a digit for each time; none where they are not kept."""
    released = released_path(file) if file and result.task == description.NAME else None
    given = json.loads(released.read_bytes())[result.model] if released else {}
    return {name: grades.split() for name, grades in given.items()}


@lru_cache
def released_path(file: Path) -> Path | None:
    """The released answers behind the records of a file, where there are any."""
    path = file.parent.parent / "answers" / file.name
    return path if path.is_file() else None


def _of_items(result: Result, key: AnswerKey | None, texts: Mapping[str, str]) -> list[Answer]:
    items = result.items.get(TASKS[result.task].metric) or next(iter(result.items.values()), Items("mean", (), ()))
    asked = {sample.id: sample for sample in key.samples} if key else {}
    answers = []
    for place, (name, value) in enumerate(zip(items.names, items.values, strict=True)):
        sample = asked.get(name) or Sample(name)
        binary = TASKS[result.task].result in RIGHT_OR_WRONG and items.statistic == "mean" and value in (0, 1)
        verdict: Verdict = ("right" if value else "wrong") if binary else ""
        truth = f"{items.truth[place]:.4g}" if items.truth else right_in_words(sample)
        answers.append(
            Answer(sample, texts.get(name, ""), right=truth, verdict=verdict, value=None if binary else value)
        )
    return answers


def _texts(raw: Path) -> dict[str, str]:
    """What a run's model wrote, by sample; of several answers each once."""
    found: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for line in raw.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row.get("of", "model") == "model":
            found[row["sample"]][row.get("text") or ""] = None
    return {name: " | ".join(filter(None, texts)) for name, texts in found.items()}


def question_name(image: str, question: str) -> str:
    """The photo and a short digest of the question: a name that does not repeat the question."""
    return f"{image} {hashlib.sha256(question.encode()).hexdigest()[:8]}"


def released_answers(result: Result, document: Released, key: AnswerKey | None = None) -> list[Answer]:
    """The answers behind a record of `results/released_TASK.json`, of what `answers/released_TASK.json` holds."""
    return _READERS[result.task](result, document, key)


def _letters(result: Result, document: Released, key: AnswerKey | None) -> list[Answer]:
    given: str = document["answers"][Path(result.source.row).stem]
    asked = {question_name(one.images[0], one.question or ""): one for one in (key.samples if key else ())}
    topics: dict[int, list[str]] = {}
    for topic, places in document["topics"].items():
        for place in places:
            topics.setdefault(place, []).append(topic)
    rows = zip(
        *(document[name] for name in ("names", "options", "right", "question_type", "concern")), given, strict=True
    )
    found = []
    for place, (name, count, right, kind, concern, chosen) in enumerate(rows):
        if chosen == "-":
            continue
        groups = {"question_type": QUESTION_TYPES[int(kind)], "concern": CONCERNS[int(concern)]}
        groups |= {"topic": ", ".join(topics[place])} if place in topics else {}
        options = tuple("ABCD"[: int(count)])
        listed = asked.get(name)
        question = None
        if listed and len(listed.options) == len(options) and listed.answer == options.index(right):
            question, options = listed.question, listed.options
        sample = Sample(name, (name.rpartition(" ")[0],), question, options, "ABCD".index(right), groups=groups)
        letter = None if chosen == "?" else "ABCD".index(chosen)
        score = Score(name, None if letter is None else float(chosen == right), chosen=letter)
        if letter is None:
            score = replace(score, reason="names no option")
        found.append(answer_of(result.task, sample, Response(text=""), score))
    return found


def _logits(result: Result, document: Released, key: AnswerKey | None) -> list[Answer]:
    kept = document[result.dataset]
    logits = [number / LOGIT_SCALE for number in kept["logits"][result.model]]
    human = {image: sample.human for sample in (key.samples if key else ()) for image in sample.images}
    found = []
    for place, name in enumerate(kept["names"]):
        response = Response(name, logits=dict(zip(LEVELS, logits[place * len(LEVELS) :], strict=False)))
        sample = Sample(name, (name,), human=human.get(name))
        found.append(answer_of(result.task, sample, response, score_levels(sample, response)))
    return found


def _grades(result: Result, document: Released, _key: AnswerKey | None) -> list[Answer]:
    by_dimension = {name: grades.split() for name, grades in document[result.model].items()}
    found = []
    for place, grades in enumerate(zip(*by_dimension.values(), strict=True)):
        total = sum(sum(map(int, each)) / len(each) for each in grades)
        said = "; ".join(f"{name} {' '.join(each)}" for name, each in zip(by_dimension, grades, strict=True))
        found.append(Answer(Sample(str(place)), said, f"{total:.2f}", value=total))
    return found


_READERS: Mapping[str, Callable[[Result, Released, AnswerKey | None], list[Answer]]] = {
    "perception": _letters,
    "assessment": _logits,
    "description": _grades,
}
