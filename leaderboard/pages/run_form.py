"""What is chosen on the Run page: model, task, dataset and samples in a row, and more that is folded away."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import gradio as gr

from leaderboard.html import markup
from leaderboard.html import run as words
from leaderboard.live.datasets import available_datasets, is_partly_here
from leaderboard.live.run_request import (
    LONGEST_TEXT,
    RunChoices,
    RunRequest,
    feasible_tasks,
    find_choices,
    read_request,
)
from leaderboard.live.service.models import LiveModels
from leaderboard.pages.widgets import COPY, PRIVATE, Update, add_model_line, html
from qbench.datasets.known import DatasetFacts, find_dataset
from qbench.errors import UserError
from qbench.tasks import TASKS

SIZES = [("The first 20", 20), ("The first 50", 50), ("The first 200", 200), ("All", 0)]
FOLDED = ("mode", "style", "judge", "unread", "words", "prefill", "rounds", "schedule", "pairing", "seed")
"""The folded choices, in their order."""
NAMES = ("model", "task", "dataset", "size", *FOLDED)
AS_SENT: dict[str, Any] = {"preprocess": False}
"""Of events that get the inputs: Gradio would refuse a choice of a list that the page has just replaced."""
_ON = "on"
_WRITTEN = ("words", "prefill", "rounds", "seed")
_NUMBERS = ("rounds", "seed")
"""Written as text, for Gradio shows a number that is not given as 0."""


def request_of(*values: Any) -> RunRequest:
    """What the inputs say, in the order of `NAMES`, or a UserError where one of them cannot be."""
    given = dict(zip(NAMES, values, strict=True))
    options = {name: given[name] for name in FOLDED if name != "judge"}
    options["unread"] = options["unread"] == _ON
    for name in _NUMBERS:
        written = str(options[name] or "").strip()
        options[name] = int(written) if written.isdecimal() else written
    options["schedule"] = options["schedule"] or "random"
    plain = {name: given[name] or "" for name in ("model", "task", "dataset", "judge")}
    return read_request({**plain, "limit": given["size"] or None, "options": options})


def values_of(request: RunRequest) -> dict[str, Any]:
    """What the inputs say where they describe this request, by their names."""
    options = request.options
    return {
        "model": request.model,
        "task": request.task,
        "dataset": request.dataset,
        "size": request.limit or 0,
        "mode": options.mode or "",
        "style": options.style or "",
        "judge": request.judge or "",
        "unread": _ON if options.unread else "",
        "words": options.words or "",
        "prefill": options.prefill or "",
        "rounds": options.rounds,
        "schedule": "active" if options.schedule == "active" else "",
        "pairing": options.rule or "",
        "seed": options.seed,
    }


class RunForm:
    """The choices and what stands beside them; only what can work is offered."""

    def __init__(self, models: LiveModels) -> None:
        self.models = models
        datasets = available_datasets()
        model = next(iter(models.names), "")
        task = feasible_tasks(models.wants(model) if model else None, _tasks(datasets))[0]
        begin = self._shown(
            datasets, self._possible(datasets, RunRequest(task, _of(datasets, task)[0][1], model=model))
        )
        parts: dict[str, Any] = {}
        with gr.Row(elem_classes="qb-controls", elem_id="run-fields"):
            for name, label, width in (
                ("model", "Model", 160),
                ("task", "Task", 200),
                ("dataset", "Dataset", 200),
                ("size", "Samples", 140),
            ):
                parts[name] = gr.Dropdown(label=label, elem_id=f"run-{name}", min_width=width, **begin[name])
        add_model_line(parts["model"], "run")
        parts["note"] = html(elem_id="run-unable", **begin["note"])
        parts["fold"] = gr.Accordion(open=False, elem_id="run-more", **begin["fold"])
        with parts["fold"], gr.Row(elem_classes="qb-controls"):
            parts |= {name: _option(name, begin[name]) for name in FOLDED}
        parts["command"] = html(elem_id="run-command", js_on_load=COPY, **begin["command"])
        self._parts, self._last = parts, gr.State(begin)
        self.inputs = [parts[name] for name in NAMES]
        self.shown = [*parts.values(), self._last]
        """All that follows a choice."""
        leading = ("model", "task", "dataset", "mode", "judge")
        self._answer(leading, self._offer, [self._last], self.shown)
        self._answer([name for name in NAMES if name not in leading], self._tell, [], [parts["command"]])

    def show(self, request: RunRequest) -> Update:
        """What all becomes for a request."""
        shown = self._shown(available_datasets(), request)
        return {self._last: shown, **{self._parts[name]: gr.update(**part) for name, part in shown.items()}}

    def _answer(
        self, names: Sequence[str], answer: Callable[..., Any], needed: Sequence[Any], outputs: Sequence[Any]
    ) -> None:
        """Answer choices of these names; of those that follow each other fast, the last is what it ends with."""
        # While something is typed, its event comes before its value.
        events = [self._parts[name].change if name in _WRITTEN else self._parts[name].input for name in names]
        gr.on(events, answer, [*needed, *self.inputs], outputs, trigger_mode="always_last", **AS_SENT, **PRIVATE)

    def _offer(self, before: Mapping[str, Any], *values: Any) -> Update:
        try:
            given, datasets = dict(zip(NAMES, values, strict=True)), available_datasets()  # looked for on the disk
            shown = self._shown(datasets, self._possible(datasets, request_of(*values)))
        except UserError as fault:
            return {self._parts["command"]: _wrong(fault)}
        # What stays is left alone, for somebody may have opened its list. A choice that was made before the last answer
        # came, which may have put another value in its place, differs from that and is put back.
        changed = {
            name: part
            for name, part in shown.items()
            if part != before[name] or part.get("value") != given.get(name, part.get("value"))
        }
        return {self._last: shown, **{self._parts[name]: gr.update(**part) for name, part in changed.items()}}

    def _tell(self, *values: Any) -> str:
        try:
            request = request_of(*values)
            return self._command(replace(request, allow_missing=is_partly_here(request.dataset) is not None))
        except UserError as fault:
            return _wrong(fault)

    def _possible(self, datasets: Sequence[DatasetFacts], request: RunRequest) -> RunRequest:
        """The request with what cannot work for its model replaced by what can."""
        tasks = feasible_tasks(self.models.wants(request.model), _tasks(datasets))
        task = request.task if request.task in tasks else tasks[0]
        names = [name for _, name in _of(datasets, task)]
        dataset = request.dataset if request.dataset in names else names[0]
        judge = request.judge if request.judge in self._judges() else None
        possible = replace(request, task=task, dataset=dataset, judge=judge, allow_missing=False)
        return self._choices(possible).keep(possible)

    def _shown(self, datasets: Sequence[DatasetFacts], request: RunRequest) -> dict[str, dict[str, Any]]:
        """What each part of the form becomes for a request, by its name."""
        models, every, wants = self.models, _tasks(datasets), self.models.wants(request.model)
        tasks, choices = feasible_tasks(wants, every), self._choices(request)
        missing = [task for task in every if task not in tasks]
        able = [name for name in models.names if feasible_tasks(models.wants(name), missing)]
        judges = [("Nobody", ""), *((words.model_name(name), name) for name in self._judges())]
        on_off, schedules = [("No", ""), ("Yes", _ON)], [("Random pairs", ""), ("Active", "active")]
        others, part, label = choices.others, is_partly_here(request.dataset), words.more_label(choices)
        values = values_of(request)

        def listed(name: str, offered: Sequence[tuple[str, str]]) -> dict[str, Any]:
            """A list with what is chosen; hidden where there is nothing to choose."""
            usual = offered[0][1] if offered else ""
            value = values[name] if values[name] in {key for _, key in offered} else usual
            return {"choices": list(offered) or [("", "")], "value": value, "visible": len(offered) > 1}

        def written(name: str) -> dict[str, Any]:
            return {"value": "" if values[name] is None else str(values[name]), "visible": name in others}

        return {
            "model": {"choices": [(words.model_name(name), name) for name in models.names], "value": request.model},
            "task": {"choices": [(TASKS[task].title, task) for task in tasks], "value": request.task},
            "dataset": {"choices": _of(datasets, request.task), "value": request.dataset},
            "size": {"choices": _sizes(request.limit), "value": request.limit or 0},
            "mode": listed("mode", words.named(choices.modes, words.MODES)),
            "style": listed("style", words.named(choices.styles, words.STYLES)),
            "judge": listed("judge", judges if choices.judged else []),
            "unread": listed("unread", on_off if "unread" in others and request.judge else []),
            "schedule": listed("schedule", schedules if "schedule" in others else []),
            "pairing": listed("pairing", _rules(choices, request.dataset)),
            **{name: written(name) for name in _WRITTEN},
            "fold": {"label": label, "visible": True if label else "hidden"},
            "note": {
                "value": markup.join(
                    words.other_tasks(request.model, wants, missing, able),
                    words.words_alone(request.model, wants),
                    words.left_out(part),
                )
            },
            "command": {"value": self._command(replace(request, allow_missing=part is not None))},
        }

    def _choices(self, request: RunRequest) -> RunChoices:
        facts = find_dataset(request.dataset)
        return find_choices(TASKS[request.task], self.models.wants(request.model), facts, request.options.mode)

    def _judges(self) -> list[str]:
        """Models that write, as far as that is known."""
        wanted = {name: self.models.wants(name) for name in self.models.names}
        return [name for name, wants in wanted.items() if wants is None or "text" in wants]

    def _command(self, request: RunRequest) -> str:
        served = not self.models.takes_device(request.model)
        judged = request.judge is not None and not self.models.takes_device(request.judge)
        return words.command(request.command(served=served, judge_served=judged), served=served or judged)


def _option(name: str, begin: dict[str, Any]) -> Any:
    labels = {"mode": "Asked for", "style": "Wording", "unread": "Only unread replies", "pairing": "Pairs"}
    settings: dict[str, Any] = {
        "label": labels.get(name, name.capitalize()),
        "info": words.CHANGES[name],
        "elem_id": f"run-{name}",
        "min_width": 240,
        **begin,
    }
    if name in ("words", "prefill"):
        return gr.Textbox(max_length=LONGEST_TEXT, **settings)
    if name in _NUMBERS:
        return gr.Textbox(max_length=10, max_lines=1, **settings)
    return gr.Dropdown(**settings)


def _rules(choices: RunChoices, dataset: str) -> list[tuple[str, str]]:
    facts = find_dataset(dataset)
    own = facts.pairing if facts else "coarse"
    ordered = sorted(choices.rules, key=lambda rule: rule != own)
    return words.named(ordered, words.RULES)


def _sizes(limit: int | None) -> list[tuple[str, int]]:
    known = {size for _, size in SIZES}
    return SIZES if not limit or limit in known else [(f"The first {limit:,}", limit), *SIZES]


def _tasks(datasets: Sequence[DatasetFacts]) -> list[str]:
    there = {facts.task for facts in datasets}
    return [task for task in TASKS if task in there]


def _of(datasets: Sequence[DatasetFacts], task: str) -> list[tuple[str, str]]:
    return [(facts.title, facts.name) for facts in datasets if facts.task == task]


def _wrong(fault: UserError) -> str:
    return markup.page(markup.note(str(fault)))
