"""Sets of answers to the same questions, as the page of answers reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from leaderboard.boards.questions import QUESTION_GROUPS
from leaderboard.snapshot import Snapshot
from leaderboard.store import Recorded
from leaderboard.tables.provenance import answers_at
from leaderboard.tables.words import dataset_title
from qbench.datasets import data_root
from qbench.datasets.known import find_dataset
from qbench.datasets.places import find_answer_key
from qbench.models.catalogue import ModelFacts
from qbench.records import Sample
from qbench.results.answers import Answer, released_path, stored_answers
from qbench.tasks import TASKS

LABELS = {"question_type": "Kind of question", "concern": "Quadrant", "topic": "About"}
_SIGNS = {"right": "r", "wrong": "w", "unread": "u", "": "v"}


class Answerer(NamedTuple):
    """A model, and the record whose answers are shown."""

    id: str
    model: ModelFacts
    record: Recorded


def answer_sets(snapshot: Snapshot) -> dict[str, list[Answerer]]:
    """Key of a set -> who answered it, in the order of the store."""
    found: dict[str, dict[str, Answerer]] = {}
    for of_model in snapshot.models.values():
        for record in of_model.records:
            if place := answers_at(record):
                found.setdefault(place.set, {}).setdefault(place.id, Answerer(place.id, of_model.model, record))
    return {key: list(each.values()) for key, each in found.items()}


def list_sets(snapshot: Snapshot) -> list[dict[str, Any]]:
    """Every set with its name, for whoever chooses one."""
    of_key = {key: each[0].record.result for key, each in answer_sets(snapshot).items()}
    in_order = sorted(of_key.items(), key=lambda item: ((*TASKS,).index(item[1].task), item[0]))
    return [
        {"key": key, "title": dataset_title(result.dataset), "task": TASKS[result.task].title}
        for key, result in in_order
    ]


def answers_json(snapshot: Snapshot, key: str) -> dict[str, Any] | None:
    """All answers of a set, column by column; None where there is no such set."""
    answerers = answer_sets(snapshot).get(key)
    if not answerers:
        return None
    given = [{answer.sample.id: answer for answer in _answers(each.record)} for each in answerers]
    asked: dict[str, Answer] = {}
    for answers in sorted(given, key=len, reverse=True):  # the order of whoever answered most
        for name, answer in answers.items():
            if name not in asked or (answer.sample.question and not asked[name].sample.question):
                asked[name] = answer
    first = answerers[0].record
    facts = find_dataset(first.result.dataset)
    samples = [answer.sample for answer in asked.values()]
    known = facts if facts and not any(sample.question for sample in samples) and facts.fetch else None
    times = Counter(each.model.id for each in answerers)
    return {
        "key": key,
        "title": dataset_title(first.result.dataset),
        "task": TASKS[first.result.task].title,
        "list": {"title": known.title, "url": known.fetch[0].page} if known else None,
        "photos": bool(facts and facts.truth == "construction"),
        "names": list(asked),
        "images": _unless_empty([list(sample.images) for sample in samples]),
        "questions": _unless_empty([sample.question or "" for sample in samples]),
        "options": _unless_empty([list(sample.options or sample.texts) for sample in samples]),
        "right": _unless_empty([answer.right for answer in asked.values()]),
        "groups": _groups(samples),
        "answerers": [
            _answerer(each, [answers.get(name) for name in asked], several=times[each.model.id] > 1)
            for each, answers in zip(answerers, given, strict=True)
        ],
    }


def shown_answers(record: Recorded) -> list[Answer]:
    """The answers of a record; none where they are not kept, or nobody may see which are right."""
    return _answers(record) if answers_at(record) else []


def _answers(record: Recorded) -> list[Answer]:
    """The answers of a record without people's scores, unless these follow from what was done to a photo."""
    result = record.result
    facts = find_dataset(result.dataset)
    released = record.file and released_path(record.file)
    key = find_answer_key(facts, data_root()) if facts and not released else None
    answers = stored_answers(result, record.file, key)
    if not TASKS[result.task].rates_images or (facts and facts.truth == "construction"):
        return answers
    return [replace(each, right="") for each in answers]


def _groups(samples: Sequence[Sample]) -> list[dict[str, Any]]:
    """Each grouping with its groups, and the group of each sample by number; one may be in several."""
    found = []
    for grouping in dict.fromkeys(name for sample in samples for name in sample.groups):
        of = [sample.groups.get(grouping, "") for sample in samples]
        names = list(dict.fromkeys(of))
        label = LABELS.get(grouping) or grouping.replace("_", " ").capitalize()
        titles = QUESTION_GROUPS.get(grouping, {})
        found.append(
            {
                "key": grouping,
                "label": label,
                "names": names,
                "titles": {name: titles[name] for name in names if name in titles},
                "of": list(map(names.index, of)),
            }
        )
    return found


def _answerer(by: Answerer, answers: Sequence[Answer | None], *, several: bool) -> dict[str, Any]:
    source = by.record.result.source
    which = PurePosixPath(source.row).stem if source.row else by.id
    read = [
        (answer.read or ("" if answer.value is None else f"{answer.value:.4g}")) if answer else "" for answer in answers
    ]
    return {
        "id": by.id,
        "model": by.model.id,
        "name": f"{by.model.name} ({which})" if several else by.model.name,
        "url": source.url,
        "signs": "".join(_SIGNS[answer.verdict] if answer else "-" for answer in answers),
        "read": read,
        "said": _unless_empty([answer.said if answer else "" for answer in answers]),
        "reasons": _unless_empty([answer.reason if answer else "" for answer in answers]),
    }


def _unless_empty(column: list[Any]) -> list[Any] | None:
    return column if any(column) else None
