"""What the tasks share: a way to ask that the model can answer, one prompt about each sample, and a judge that reads.

A judge model may read the replies that the parser leaves unread. It is asked once, without chance, by MMBench's prompt
for the extraction of choices (Appendix C.1, https://arxiv.org/abs/2307.06281): it sees the question, the options and
the reply, not the images nor the right answer. What it reads is marked, so that records count it apart.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from qbench import prompts
from qbench.errors import DataError, UserError
from qbench.images import open_picture
from qbench.models.builtin import models_offering
from qbench.parsing import parse_option
from qbench.records import Picture, Prompt, Response, Sample, Want
from qbench.tasks.task import Ask

ModeT = TypeVar("ModeT", bound=str)
REASONS = frozenset(["ambiguous", "unparseable"])
"""Why the parser may leave a reply unread that yet has a meaning; a refusal and a letter too many are read."""
GRADED_BY = {"graded_by": "parser, then a judge for what it left unread"}


def is_encoder(wants: frozenset[Want]) -> bool:
    """Encoders weigh captions of the whole image; they read no question and have no answer to begin."""
    return "embedding" in wants and "text" not in wants


def choose_mode(
    task: str,
    modes: Mapping[ModeT, Want],
    wants: frozenset[Want],
    asked: ModeT | None = None,
    *,
    usable: frozenset[Want] | None = None,
) -> ModeT:
    """The mode that was asked for, or else the first that the model can answer.

    Args:
        task: Its name, for the message.
        modes: Mode -> what it asks of a model, the preferred first.
        wants: What the model offers.
        asked: The mode a person chose.
        usable: What of the model's offer serves this task, where that is not all of it.

    Raises:
        UserError: The model cannot; the message says which models can.
    """
    usable = wants if usable is None else usable
    mode = asked or next((mode for mode, want in modes.items() if want in usable), None)
    if mode is not None and modes[mode] in usable:
        return mode
    needed = dict.fromkeys([modes[mode]] if mode else modes.values())
    kind = "this one, an encoder," if is_encoder(wants) else "this one"
    raise UserError(
        f"{task}{f' by {mode}' if mode else ''} asks a model for {' or '.join(needed)}, and {kind} offers only "
        f"{', '.join(sorted(wants))}; choose among {'; '.join(f'{models_offering(want)} ({want})' for want in needed)}"
    )


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


@dataclass(frozen=True)
class Unread:
    """A reply, and what it is a reply to."""

    sample: str
    question: str
    options: Sequence[str]
    reply: str


def ask_judge(unread: Sequence[Unread]) -> Generator[Sequence[Ask], Sequence[Response], list[int | None]]:
    """The place of the option that each reply means; None where the judge finds none."""
    if not unread:
        return []
    answers = yield [
        Ask(
            each.sample,
            Prompt(
                "text",
                (prompts.match_option(each.question, each.options, each.reply),),
                max_tokens=prompts.JUDGE_TOKENS,
            ),
            of="judge",
        )
        for each in unread
    ]
    return [read_judge(each, answer.text or "") for each, answer in zip(unread, answers, strict=True)]


def read_judge(unread: Unread, said: str) -> int | None:
    """The place of the option that a judge finds in a reply; None where it finds none."""
    return parse_option(said, unread.options, unread.question).value


def need_replies(task: str, mode: str, want: Want) -> None:
    """Refuse a judge where there is nothing to read.

    Raises:
        UserError: The mode gets no replies in words.
    """
    if want != "text":
        raise UserError(f"a judge reads replies, and {task} by {mode} gets none; leave out the judge")
