"""What the tasks share: one prompt about each sample, and a judge that grades or reads.

A judge model may read the replies that the parser leaves unread. It is asked once, without chance, by MMBench's prompt
for the extraction of choices (Appendix C.1, https://arxiv.org/abs/2307.06281): it sees the question, the options and
the reply, not the images nor the right answer. What it reads is marked, so that records count it apart.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TypeVar

from qbench import prompts
from qbench.errors import DataError
from qbench.images import open_picture
from qbench.parsing import parse_judge_score, parse_option
from qbench.records import Ask, Picture, Prompt, Response, Sample

REASONS = frozenset(["ambiguous", "unparseable"])
"""Why the parser may leave a reply unread that yet has a meaning; a refusal and a letter too many are read."""
KeyT = TypeVar("KeyT")
GRADED_BY = {"graded_by": "parser, then a judge for what it left unread"}


def open_pictures(samples: Sequence[Sample]) -> tuple[dict[str, tuple[Picture, ...]], dict[str, str]]:
    """Pictures of each sample, each read once; and of each sample whose images cannot be opened, why.

    Raises:
        DataError: None of them can be opened.
    """
    opened = cache(lambda image: open_picture(Path(image)))
    pictures: dict[str, tuple[Picture, ...]] = {}
    broken: dict[str, str] = {}
    for sample in samples:
        try:
            pictures[sample.id] = tuple(opened(image) for image in sample.images)
        except DataError as error:
            broken[sample.id] = str(error)
    if broken and not pictures:
        raise DataError(f"none of {len(broken):,} images can be opened; the first: {next(iter(broken.values()))}")
    return pictures, broken


def ask_each(
    samples: Sequence[Sample], prompt: Callable[[Sample, tuple[Picture, ...]], Prompt]
) -> Generator[Sequence[Ask], Sequence[Response], list[Response]]:
    """One response for each sample; a sample whose images cannot be opened fails without being asked."""
    pictures, broken = open_pictures(samples)
    asks = [Ask(sample.id, prompt(sample, pictures[sample.id])) for sample in samples if sample.id in pictures]
    answers = dict(zip((ask.sample for ask in asks), (yield asks), strict=True))
    return [answers.get(sample.id) or Response(sample.id, failure=broken[sample.id]) for sample in samples]


def ask_grades(
    asked: Mapping[KeyT, tuple[str, Prompt]], grades: Sequence[int]
) -> Generator[Sequence[Ask], Sequence[Response], dict[KeyT, list[int]]]:
    """The usable grades of five draws of each prompt, which is about a sample of this id.

    Draws are counted from 1, since 0 is the answer without chance.
    """
    draws = [
        (key, Ask(sample, replace(prompt, repeat=turn), of="judge"))
        for key, (sample, prompt) in asked.items()
        for turn in range(1, prompts.JUDGE_ROUNDS + 1)
    ]
    given: dict[KeyT, list[int]] = {key: [] for key in asked}
    for (key, _), reply in zip(draws, (yield [ask for _, ask in draws]), strict=True):
        grade = parse_judge_score(reply.text or "", grades)
        if grade.value is not None:
            given[key].append(grade.value)
    return given


def ask_judge(
    unread: Mapping[KeyT, tuple[Sample, Response]],
) -> Generator[Sequence[Ask], Sequence[Response], dict[KeyT, int]]:
    """The places of the options that replies to questions mean, as far as the judge finds any."""
    if not unread:
        return {}
    asked = unread.values()
    texts = [prompts.match_option(each.question or "", each.options, reply.text or "") for each, reply in asked]
    answers = yield [
        Ask(each.id, Prompt("text", (text,), max_tokens=prompts.JUDGE_TOKENS), of="judge")
        for (each, _), text in zip(asked, texts, strict=True)
    ]
    return read_judge(unread, {key: answer.text or "" for key, answer in zip(unread, answers, strict=True)})


def read_judge(unread: Mapping[KeyT, tuple[Sample, Response]], said: Mapping[KeyT, str]) -> dict[KeyT, int]:
    """The places of the options that a judge finds, by what it said of replies."""
    asked = {key: each for key, (each, _) in unread.items() if key in said}
    found = {key: parse_option(said[key], each.options, each.question or "").value for key, each in asked.items()}
    return {key: place for key, place in found.items() if place is not None}
