"""The answers that others released, as `assets/recomputed/answers` keeps them: letters, logits and grades, without the
questions and photos that they are about. Where the list of questions is on this machine, its texts are joined.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from qbench.datasets.answer_keys import AnswerKey
from qbench.datasets.manifest import CONCERNS, QUESTION_TYPES
from qbench.records import Response, Result, Sample
from qbench.results.answers import Answer, Verdict, option_in_words, said_in_words
from qbench.tasks.assessment import score_levels
from qbench.tasks.words import LEVELS

LOGIT_SCALE = 256
"""Logits are kept as whole numbers, so many times as large."""
Released = Mapping[str, Any]


def question_name(image: str, question: str) -> str:
    """The photo and a short digest of the question: a name that does not repeat the question."""
    return f"{image} {hashlib.sha256(question.encode()).hexdigest()[:8]}"


def released_answers(result: Result, document: Released, key: AnswerKey | None = None) -> list[Answer]:
    """The answers behind a record, of the document of its task; none where it holds none.

    Args:
        result: A record of `results/released_TASK.json`.
        document: What `answers/released_TASK.json` holds.
        key: The list of questions, where it is here.
    """
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
        verdict: Verdict = "unread" if chosen == "?" else "right" if chosen == right else "wrong"
        read = "" if chosen == "?" else option_in_words(sample, "ABCD".index(chosen))
        reason = "names no option" if chosen == "?" else ""
        found.append(Answer(sample, "", read, option_in_words(sample, sample.answer), verdict, reason))
    return found


def _logits(result: Result, document: Released, key: AnswerKey | None) -> list[Answer]:
    kept = document[result.dataset]
    logits = [number / LOGIT_SCALE for number in kept["logits"][result.model]]
    human = {image: sample.human for sample in (key.samples if key else ()) for image in sample.images}
    found = []
    for place, name in enumerate(kept["names"]):
        weights = dict(zip(LEVELS, logits[place * len(LEVELS) :], strict=False))
        response = Response(name, logits=weights)
        sample = Sample(name, (name,), human=human.get(name))
        score = score_levels(sample, response)
        truth = "" if sample.human is None else f"{sample.human:.4g}"
        found.append(Answer(sample, said_in_words(response), f"{score.value:.3f}", truth, value=score.value))
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
