"""What can be chosen about a run of a model on a dataset: only what works together is offered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from leaderboard.live.run_request import RunRequest
from qbench.commands.run import can_do
from qbench.datasets.known import DatasetFacts
from qbench.errors import UserError
from qbench.records import Want
from qbench.tasks import Task
from qbench.tasks.asking import is_encoder


@dataclass(frozen=True)
class RunChoices:
    """What there is to choose among; empty where nothing is."""

    modes: tuple[str, ...] = ()
    """The usual one first."""
    styles: tuple[str, ...] = ()
    judged: bool = False
    """Whether a judge can read what the model writes."""
    rules: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    """Where what has weights here can compute, the usual place first."""
    others: frozenset[str] = frozenset()
    """Further options that count: lexicon, prefill, rounds, schedule, seed, unread, words."""

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
        usual = {name: getattr(_USUAL, name) for name, kept in allowed.items() if not kept}
        device = request.device if request.device in self.devices else "auto"
        return replace(request, judge=judge, device=device, options=replace(options, **usual))


_OTHERS = ("lexicon", "prefill", "rounds", "schedule", "seed", "words")
_USUAL = RunRequest("", "").options


def find_choices(
    task: Task,
    wants: frozenset[Want] | None,
    dataset: DatasetFacts | None = None,
    mode: str | None = None,
    devices: tuple[str, ...] = (),
) -> RunChoices:
    """What can be chosen about a task.

    Args:
        task: What is asked.
        wants: What the model offers; None where that is not known before it is opened, and all is offered.
        dataset: What it is asked about.
        mode: How the model is to be asked; None is the usual way.
        devices: Where what has weights here can compute, the usual place first.
    """
    modes = tuple(name for name in task.modes if _works(task, wants, name))
    asked = mode if mode in modes else _usual_mode(task, wants)
    encoder = wants is not None and is_encoder(wants)
    others = {name for name in (*_OTHERS, "unread") if name in task.options}
    others = {name for name in others if asked in task.option_modes.get(name, (asked,))}
    if encoder:
        others -= task.option_modes.keys()
    writes = asked is None or task.modes[asked] == "text"
    rules = dict.fromkeys(["coarse", *([dataset.pairing] if dataset else [])])
    return RunChoices(
        modes=modes if "mode" in task.options and len(modes) > 1 else (),
        styles=task.styles.get(asked, ()) if "style" in task.options and not (encoder and asked == "words") else (),
        judged="judge" in task.options and writes,
        rules=tuple(rules) if "pairing" in task.options and len(rules) > 1 else (),
        devices=devices,
        others=frozenset(others if writes else others - {"unread"}),
    )


def _usual_mode(task: Task, wants: frozenset[Want] | None) -> str | None:
    return next(iter(task.modes)) if wants is None else task.choose_mode(wants)


def _works(task: Task, wants: frozenset[Want] | None, mode: str) -> bool:
    if wants is None:
        return True
    try:
        if len(task.modes) > 1:
            task.choose_mode(wants, mode)
        else:
            task.choose_mode(wants)
    except UserError:
        return False
    # Of models that also write, the vectors are of pictures alone.
    with_captions = task.choice is not None and task.choice.has_texts
    return not (mode == "embeddings" and with_captions and not is_encoder(wants))


def feasible_tasks(wants: frozenset[Want] | None, tasks: Iterable[str]) -> list[str]:
    """Those of the tasks that a model can do; all, where it is not known yet what it can."""
    return [task for task in tasks if wants is None or can_do(task, wants)]
