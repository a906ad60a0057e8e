"""What a visitor wants to see run: read from a form or a stored file, written as a command; and what can be chosen."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from qbench.datasets.known import DatasetFacts
from qbench.errors import UserError
from qbench.records import Want
from qbench.tasks import TASKS, RunOptions, Task
from qbench.tasks.task import is_encoder

LONGEST_TEXT = 200
"""Characters of what a visitor writes for one option."""
MOST_ROUNDS = 1000
LARGEST_NUMBER = 2**31
_FLAGS = {"rule": "pairing"}
"""Field of the options -> what the command line calls it, where that is another name."""
_NUMBERS = ("rounds", "seed")


@dataclass(frozen=True)
class RunRequest:
    """One run."""

    task: str
    dataset: str
    limit: int | None = None
    """Only the first so many samples; None for all."""
    allow_missing: bool = field(default=False, kw_only=True)
    """Whether samples are left out whose images are not here."""
    model: str = ""
    """As the owner's list calls it."""
    judge: str | None = None
    options: RunOptions = field(default_factory=RunOptions)

    def to_json(self) -> dict[str, Any]:
        chosen = {name: value for name, value in asdict(self.options).items() if value != _USUAL[name]}
        told = {"task": self.task, "dataset": self.dataset, "limit": self.limit, "model": self.model}
        told |= {"allow_missing": True} if self.allow_missing else {}
        return {**told, "judge": self.judge, "options": chosen}

    def command(self, *, served: bool = False, judge_served: bool = False) -> str:
        """The command that gives the same record; a server's address is for the reader to fill in."""
        words = ["run", "--task", self.task, "--dataset", self.dataset, "--model", self.model]
        words += ["--endpoint", "URL"] if served else []
        words += ["--limit", str(self.limit)] if self.limit else []
        words += ["--allow-missing"] if self.allow_missing else []
        words += ["--judge", self.judge] if self.judge else []
        words += ["--judge-endpoint", "URL"] if judge_served else []
        for name, value in asdict(self.options).items():
            if value != _USUAL[name]:
                flag = f"--{_FLAGS.get(name, name)}"
                words += [flag] if value is True else [f"{flag}={value}" if name == "prefill" else flag]
                words += [] if value is True or name == "prefill" else [str(value)]
        return f"python -m qbench {shlex.join(words)}"


_USUAL: Mapping[str, Any] = asdict(RunOptions())


def read_request(data: object) -> RunRequest:
    """A request from a file or a script, or a UserError that names the field."""
    if not isinstance(data, dict):
        raise UserError("a run is described by an object with task, dataset and model")
    texts = {name: _text(data.get(name, ""), name) for name in ("task", "dataset", "model")}
    judge, limit = data.get("judge"), data.get("limit")
    return RunRequest(
        **texts,
        limit=None if limit is None else whole_number(limit, "limit"),
        allow_missing=data.get("allow_missing") is True,
        judge=_text(judge, "judge") if judge else None,
        options=read_options(data.get("options") or {}),
    )


def read_options(data: object) -> RunOptions:
    """Options of a run by their names on the command line, or as `RunOptions` has them; empty ones are not chosen.

    Raises:
        UserError: One that is unknown, or of another kind than it must be.
    """
    if not isinstance(data, dict):
        raise UserError("choices are an object, such as {}".format('{"mode": "levels"}'))
    chosen: dict[str, Any] = {}
    names = {flag: name for name, flag in _FLAGS.items()}
    for given, value in data.items():
        name = names.get(given, str(given))
        if name not in _USUAL:
            known = ", ".join(_FLAGS.get(known, known) for known in _USUAL)
            raise UserError(f"{str(given)[:40]!r} is no choice of a run; there are {known}")
        if value is None or value == "":
            continue
        if name == "unread":
            if not isinstance(value, bool):
                raise UserError(f"{given} is true or false")
            chosen[name] = value
        elif name in _NUMBERS:
            chosen[name] = whole_number(value, given)
        else:
            chosen[name] = _text(value, given)
    if chosen.get("rounds", 0) > MOST_ROUNDS:
        raise UserError(f"{chosen['rounds']:,} rounds are too many; the most here are {MOST_ROUNDS:,}")
    return RunOptions(**chosen)


def with_choices(request: RunRequest, text: str) -> RunRequest:
    """The request with what a script chooses besides, as JSON; the same where that is empty."""
    try:
        chosen = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        raise UserError("choices are JSON, such as {}".format('{"mode": "levels"}')) from None
    return replace(request, options=read_options(chosen))


def whole_number(value: object, name: str) -> int:
    """A whole number that a page, a file or a script sent, or a UserError where it is none or too large."""
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not whole or abs(int(value)) > LARGEST_NUMBER:  # type: ignore[call-overload]
        raise UserError(f"{name} is a whole number up to {LARGEST_NUMBER:,}, which {str(value)[:40]} is not")
    return int(value)  # type: ignore[call-overload, no-any-return]


def _text(value: object, name: str) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT or re.search(r"[\x00-\x1f\x7f]", value):
        raise UserError(f"{name} is a line of up to {LONGEST_TEXT} characters")
    return value


@dataclass(frozen=True)
class RunChoices:
    """What there is to choose among; empty where nothing is."""

    modes: tuple[str, ...] = ()
    """The usual one first."""
    styles: tuple[str, ...] = ()
    judged: bool = False
    """Whether a judge can read what the model writes."""
    rules: tuple[str, ...] = ()
    others: frozenset[str] = frozenset()
    """Further options that count: prefill, rounds, schedule, seed, unread, words."""

    def keep(self, request: RunRequest) -> RunRequest:
        """The request without what does not count here any more, as when another model was chosen."""
        options, judge = request.options, request.judge if self.judged else None
        allowed = {
            "mode": options.mode in self.modes,
            "style": options.style in self.styles,
            "rule": options.rule in self.rules,
            "unread": "unread" in self.others and judge is not None,
            **{name: name in self.others for name in _OTHERS},
        }
        usual = {name: _USUAL[name] for name, kept in allowed.items() if not kept}
        return replace(request, judge=judge, options=replace(options, **usual))


_OTHERS = ("prefill", "rounds", "schedule", "seed", "words")


def find_choices(
    task: Task,
    wants: frozenset[Want] | None,
    dataset: DatasetFacts | None = None,
    mode: str | None = None,
) -> RunChoices:
    """What can be chosen about a task.

    Args:
        task: What is asked.
        wants: What the model offers; None where that is not known before it is opened, and all is offered.
        dataset: What it is asked about.
        mode: How the model is to be asked; None is the usual way.
    """
    modes = tuple(name for name in task.modes if _works(task, wants, name))
    usual = next(iter(task.modes)) if wants is None else task.choose_mode(wants)
    asked = mode if mode in modes else usual
    encoder = wants is not None and is_encoder(wants)
    others = {name for name in (*_OTHERS, "unread") if name in task.options}
    others = {name for name in others if asked in task.option_modes.get(name, (asked,))}
    if encoder:
        others -= task.option_modes.keys()
    writes = task.modes[asked] == "text"
    styles = task.styles.get(asked, ())
    rules = dict.fromkeys(["coarse", *([dataset.pairing] if dataset else [])])
    return RunChoices(
        modes=modes if "mode" in task.options and len(modes) > 1 else (),
        styles=styles if len(styles) > 1 else (),
        judged="judge" in task.options and writes,
        rules=tuple(rules) if "pairing" in task.options and len(rules) > 1 else (),
        others=frozenset(others if writes else others - {"unread"}),
    )


def _works(task: Task, wants: frozenset[Want] | None, mode: str) -> bool:
    if wants is None:
        return True
    try:
        task.choose_mode(wants, mode)
    except UserError:
        return False
    # Of models that also write, the vectors are of pictures alone.
    with_captions = task.choice is not None and task.choice.has_texts
    return not (mode == "embeddings" and with_captions and not is_encoder(wants))


def feasible_tasks(wants: frozenset[Want] | None, tasks: Iterable[str]) -> list[str]:
    """Those of the tasks that a model can do; all, where it is not known yet what it can."""
    return [task for task in tasks if any(_works(TASKS[task], wants, mode) for mode in TASKS[task].modes)]
