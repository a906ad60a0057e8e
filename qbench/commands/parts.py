"""`run --shard i/n`: one part of a run, on any machine.

Prompts belong together where they show the same images: both orders of a pair, all questions about one image. Which
part they are in follows from these images alone (from the text, where there are none), so that no prompt is in two. A
part leaves its answers; with the files of all parts joined (`cat`) the whole run asks nothing again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from qbench.errors import UserError
from qbench.records import Picture, Prompt, Response
from qbench.tasks import Ask, Outcome, Plan

ELSEWHERE = "asked in another shard"


@dataclass(frozen=True)
class Shard:
    """One of several parts of a run; the first is number 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def read_shard(text: str) -> Shard:
    """`2/8` as a shard; UserError where it is none."""
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text, re.ASCII)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise UserError(f"--shard {text} is no part of a run; write its number and how many there are, such as 2/8")
    return Shard(int(found[1]), int(found[2]))


def shard_of(prompt: Prompt, shards: int) -> int:
    """The number of the part that a prompt is in."""
    images = sorted({part.sha256 for part in prompt.parts if isinstance(part, Picture)})
    said = images or [part for part in prompt.parts if isinstance(part, str)]
    return int.from_bytes(hashlib.sha256("\0".join(said).encode()).digest()[:8], "big") % shards + 1


def part_of_plan(plan: Plan, shard: Shard) -> Generator[Sequence[Ask], Sequence[Response], Outcome]:
    """The plan, of which only one part is asked; a judge is asked about the replies of this part."""
    mine: set[str] = set()

    def own(ask: Ask) -> bool:
        return ask.sample in mine if ask.of == "judge" else shard_of(ask.prompt, shard.of) == shard.number

    try:
        asks = next(plan)
        while True:
            chosen = [(ask, own(ask)) for ask in asks]
            mine |= {ask.sample for ask, is_own in chosen if is_own}
            answers = iter((yield [ask for ask, is_own in chosen if is_own]))
            asks = plan.send(
                [next(answers) if is_own else Response(ask.sample, failure=ELSEWHERE) for ask, is_own in chosen]
            )
    except StopIteration as stop:
        outcome: Outcome = stop.value
        return outcome
