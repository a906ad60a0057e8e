"""`run --shard i/n`: one part of a run, on any machine; `merge` makes the records of all parts.

Prompts belong together where they show the same images: both orders of a pair, all questions about one image. Which
part they are in follows from these images alone (from the text, where there are none), so that no prompt is in two. A
part leaves its answers, and a file that says what was asked of whom.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from qbench.atomic import write_whole
from qbench.cache import Cache, asked_by_one, response_key, to_json
from qbench.commands.preview import running_metric
from qbench.commands.run import WatchMetric, check_run, make_plan, set_up
from qbench.datasets import Dataset
from qbench.errors import UserError
from qbench.models import Model
from qbench.records import Picture, Prompt, Response
from qbench.runner import Progress, Runner
from qbench.tasks import Ask, Outcome, Plan, RunOptions, find_task

ELSEWHERE = "asked in another shard"
ANSWERS = "responses.jsonl"
FILES = "shard-*-of-*.json"
SCHEMA = 1


@dataclass(frozen=True)
class Shard:
    """One of several parts of a run; the first is number 1."""

    number: int
    of: int

    def holds(self, prompt: Prompt) -> bool:
        """Whether a prompt is in this part."""
        return shard_of(prompt, self.of) == self.number

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def read_shard(text: str) -> Shard:
    """`2/8` as a shard.

    Raises:
        UserError: It is none.
    """
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
        if ask.of == "judge":
            return ask.sample in mine
        return shard.holds(ask.prompt)

    try:
        asks = next(plan)
        while True:
            chosen = [own(ask) for ask in asks]
            mine |= {ask.sample for ask, is_own in zip(asks, chosen, strict=True) if is_own}
            answers = iter((yield [ask for ask, is_own in zip(asks, chosen, strict=True) if is_own]))
            asks = plan.send(
                [
                    next(answers) if is_own else Response(ask.sample, failure=ELSEWHERE)
                    for ask, is_own in zip(asks, chosen, strict=True)
                ]
            )
    except StopIteration as stop:
        outcome: Outcome = stop.value
        return outcome


@dataclass(frozen=True)
class PartedRun:
    """What is asked of whom, in all parts alike."""

    task: str
    dataset: Dataset
    opened: Mapping[str, Any]
    """How the same dataset is opened again: arguments of `open_dataset`."""
    model: Model
    judge: Model | None
    options: RunOptions

    def to_json(self) -> dict[str, Any]:
        """What merging must find again."""
        return {
            "schema": SCHEMA,
            "task": self.task,
            "dataset": {**self.opened, "revision": self.dataset.revision},
            "options": asdict(self.options),
            "model": _told(self.model),
            "judge": _told(self.judge) if self.judge else None,
        }


@dataclass(frozen=True)
class ShardDone:
    """What a finished part is known by."""

    path: Path
    asked: int
    failed: int


def run_shard(
    run: PartedRun, out: Path, shard: Shard, watch: WatchMetric = lambda _progress, _metric: None
) -> ShardDone:
    """Ask one part of what a run asks, and leave the answers and what they answer in a folder.

    Args:
        run: What is asked of whom.
        out: The folder; several parts may share it.
        shard: Which part.
        watch: Told after every batch how far the part is.

    Raises:
        UserError: The run cannot be made, or not in parts.
    """
    judged = run.judge is not None
    options = check_run(run.task, run.dataset, run.options, judged=judged)
    if options.schedule == "active":
        raise UserError("active pairing chooses pairs by all answers before, so it has no parts; leave out --shard")
    plan = make_plan(run.task, run.dataset.samples, run.model, options, judged=judged)
    preview = running_metric(find_task(run.task), run.dataset.samples, set_up(run.model, options, judged=judged))
    asked: dict[str, Response] = {}

    def follow(progress: Progress, answers: Sequence[tuple[Ask, Response]]) -> None:
        for ask, response in answers:
            answerer = run.judge if ask.of == "judge" and run.judge is not None else run.model
            asked[response_key(answerer.identity, ask.prompt)] = response
        watch(progress, preview(answers))

    with asked_by_one(out, [run.to_json(), shard.number, shard.of]):
        Runner(run.model, Cache(out / ANSWERS), judge=run.judge, watch=follow).run(part_of_plan(plan, shard))
    failed = {key: to_json(asked[key]) for key in sorted(asked) if asked[key].failure is not None}
    what = run.to_json()
    name = hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:8]
    path = out / f"shard-{shard.number}-of-{shard.of}--{name}.json"
    told = {**what, "shard": [shard.number, shard.of], "failed": failed}
    write_whole(path, (json.dumps(told, indent=1, ensure_ascii=False) + "\n").encode())
    return ShardDone(path, len(asked), len(failed))


def _told(model: Model) -> dict[str, Any]:
    return {"name": model.name, "wants": sorted(model.wants), "identity": dict(model.identity)}
