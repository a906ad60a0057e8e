"""What the Run page offers begins, and what it does not offer would be refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from leaderboard.live.run_request import RunChoices, RunRequest, feasible_tasks, find_choices
from qbench.commands.run import make_plan, resolve
from qbench.datasets import Dataset, open_dataset
from qbench.errors import UserError
from qbench.records import Want
from qbench.tasks import TASKS, RunOptions

MODELS: dict[str, frozenset[Want]] = {
    "writes and weighs": frozenset({"text", "words", "losses"}),
    "writes": frozenset({"text"}),
    "scores": frozenset({"score"}),
    "encodes": frozenset({"words", "embedding"}),
    "writes and embeds": frozenset({"text", "words", "losses", "embedding"}),
}


class Only:
    """A model that says what it can do, and is never asked."""

    name, batch_size = "only", 1

    def __init__(self, wants: frozenset[Want]) -> None:
        self.wants = wants
        self.identity: dict[str, Any] = {}


@pytest.fixture(scope="module")
def datasets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Dataset]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QBENCH_DATA", str(tmp_path_factory.mktemp("data")))
        yield {task: open_dataset(f"demo-{task}", limit=6) for task in TASKS}


def begin(dataset: Dataset, task: str, wants: frozenset[Want], options: RunOptions, *, judged: bool = False) -> None:
    plan = make_plan(task, dataset.samples, Only(wants), resolve(options, dataset), judged=judged)  # type: ignore[arg-type]
    assert next(plan)


def every_choice(task: str, wants: frozenset[Want]) -> Iterator[tuple[RunOptions, bool, RunChoices]]:
    """Each mode with each of its wordings, and with and without a judge and words of one's own."""
    facts = open_dataset(f"demo-{task}", limit=6).facts
    for mode in (None, *find_choices(TASKS[task], wants, facts).modes):
        choices = find_choices(TASKS[task], wants, facts, mode)
        for style in (None, *choices.styles):
            yield RunOptions(mode=mode, style=style), False, choices
        if choices.judged:
            yield RunOptions(mode=mode), True, choices
        if "words" in choices.others:
            yield RunOptions(mode=mode, words="high/low"), False, choices
        if "prefill" in choices.others:
            yield RunOptions(mode=mode, prefill="It is"), False, choices
        for rule in choices.rules:
            yield RunOptions(mode=mode, rule=rule), False, choices


@pytest.mark.parametrize("model", MODELS)
def test_every_combination_that_is_offered_begins(datasets: dict[str, Dataset], model: str) -> None:
    wants, tried = MODELS[model], 0
    for task in feasible_tasks(wants, TASKS):
        for options, judged, _ in every_choice(task, wants):
            begin(datasets[task], task, wants, options, judged=judged)
            tried += 1
    assert tried >= len(feasible_tasks(wants, TASKS))


@pytest.mark.parametrize("model", MODELS)
def test_what_is_not_offered_would_be_refused(datasets: dict[str, Dataset], model: str) -> None:
    wants = MODELS[model]
    offered = feasible_tasks(wants, TASKS)
    for task in set(TASKS) - set(offered):
        with pytest.raises(UserError):
            begin(datasets[task], task, wants, RunOptions())
    for task in offered:
        choices = find_choices(TASKS[task], wants)
        for mode in set(TASKS[task].modes) - set(choices.modes):
            if len(TASKS[task].modes) > 1 and choices.modes:
                with pytest.raises(UserError):
                    begin(datasets[task], task, wants, RunOptions(mode=mode))
        for name in {"words", "prefill"} & TASKS[task].options - choices.others:
            with pytest.raises(UserError):
                begin(datasets[task], task, wants, RunOptions(**{name: "good/poor"}))


def test_choices_by_hand() -> None:
    wants = MODELS["writes and weighs"]
    quality = find_choices(TASKS["assessment"], wants)
    assert quality.modes == ("words", "rating", "levels")
    assert (quality.styles, quality.judged, quality.others) == ((), False, {"words", "prefill"})
    levels = find_choices(TASKS["assessment"], wants, mode="levels")
    assert (levels.styles, levels.others) == (("q-align", "q-realign"), {"prefill"})
    pairs = find_choices(TASKS["comparison"], wants)
    assert pairs.modes == ("text", "letter-logits")
    assert {"rounds", "schedule", "seed"} <= pairs.others
    assert pairs.judged
    assert not find_choices(TASKS["comparison"], wants, mode="letter-logits").judged


def test_what_does_not_count_any_more_is_dropped() -> None:
    chosen = RunOptions(mode="levels", style="q-realign", prefill="It is")
    request = RunRequest("assessment", "demo-assessment", 20, "niqe", "scripted", chosen, device="cuda")
    kept = find_choices(TASKS["assessment"], MODELS["scores"], mode="levels").keep(request)
    assert kept == RunRequest("assessment", "demo-assessment", 20, "niqe")
    wants = MODELS["writes and weighs"]
    assert find_choices(TASKS["assessment"], wants, mode="levels").keep(request).options == chosen
    kept = find_choices(TASKS["assessment"], wants, devices=("cpu", "cuda")).keep(request)
    assert kept.device == "cuda"
