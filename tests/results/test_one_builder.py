"""The same answers make the same records, whether a model gives them, a file holds them, or a submission does."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from leaderboard.submissions.check import check
from leaderboard.submissions.scoring import AnswerKeys, ScoringOptions
from qbench.cache import Cache
from qbench.commands.evaluate import TaskRun, run_task, write_run
from qbench.commands.score import score_file
from qbench.datasets import Dataset, open_dataset
from qbench.models import Model, open_model
from qbench.records import Picture, Prompt, Response, Result, Want
from qbench.tasks import RunOptions
from tests.commands.asking import write

pytestmark = pytest.mark.usefixtures("few_resamples", "demo_data")

SAME = ("task", "dataset", "split", "model", "metrics", "groups", "unscored")
"""Fields of a record that say nothing of where its answers came from."""


def run(task: str, dataset: Dataset, folder: Path, model: str = "scripted", **options: Any) -> TaskRun:
    made = run_task(task, dataset, open_model(model), Cache(folder / "cache.jsonl"), options=RunOptions(**options))
    write_run(made, folder / "out")
    return made


def pack(folder: Path) -> Path:
    """All that `run` wrote, as people hand it in."""
    path = folder / "run.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(folder.joinpath("out").rglob("*.json*")):
            archive.write(file, file.relative_to(folder / "out"))
    return path


def submitted(path: Path, model: str, dataset: str = "") -> tuple[Result, ...]:
    report = check(path, model, ScoringOptions(AnswerKeys(path.parent), dataset))
    assert report.problems == ()
    return report.results


def nearly(value: object) -> object:
    """To 1e-7: a ranking's solver stops that near the optimum, where rounding leads it."""
    if isinstance(value, dict):
        return {name: nearly(part) for name, part in value.items()}
    return pytest.approx(value, rel=1e-7, abs=1e-7, nan_ok=True) if isinstance(value, float) else value


def assert_same(own: Result, other: Result, *, apart: Sequence[str] = (), groups_apart: Sequence[str] = ()) -> None:
    """Field by field; what only one of them can know is named by the test."""
    mine, theirs = own.to_json(), other.to_json()
    for record in (mine, theirs):
        for grouping in groups_apart:
            record["groups"].pop(grouping, None)
    for field in SAME:
        assert theirs[field] == nearly(mine[field]), field
    said = mine["protocol"].keys() & theirs["protocol"].keys() - set(apart)
    assert {name: theirs["protocol"][name] for name in said} == {name: mine["protocol"][name] for name in said}


@pytest.mark.parametrize(
    ("task", "model", "options"),
    [
        ("perception", "scripted", {}),
        ("perception", "scripted", {"seed": 5, "mode": "letter"}),
        ("perception", "scripted", {"mode": "close-set"}),
        ("perception", "scripted", {"mode": "letter-logits"}),
        ("assessment", "scripted", {}),
        ("assessment", "scripted", {"words": "good+fine/poor+bad", "prefill": "It is"}),
        ("assessment", "scripted", {"mode": "levels"}),
        ("assessment", "scripted", {"mode": "rating"}),
        ("assessment", "scripted", {"mode": "rating", "style": "q-insight"}),
        ("assessment", "sharpness", {}),
    ],
)
def test_answers_to_single_samples(tmp_path: Path, task: str, model: str, options: dict[str, Any]) -> None:
    dataset = open_dataset(f"demo-{task}", limit=40)
    [own] = run(task, dataset, tmp_path, model, **options).results.values()
    assert own.protocol["truth"] == "construction (synthetic)"
    path = pack(tmp_path)
    [scored] = score_file(path)
    assert_same(own, scored)
    assert scored.protocol.keys() - own.protocol.keys() == set()
    assert own.protocol.keys() - scored.protocol.keys() == {"model", "list"}
    assert scored.protocol["limit"] == own.protocol["limit"] == 40
    assert submitted(path, own.model) == (scored,)


class Failing(Model):
    """The scripted model, whose server fails on one prompt."""

    name, batch_size = "failing", 8

    def __init__(self) -> None:
        self._model = open_model("scripted")
        self.wants, self.identity = self._model.wants, self._model.identity
        self.asked = 0

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        responses = self._model.respond(prompts)
        self.asked += len(prompts)
        return [Response(failure="it went away"), *responses[1:]] if self.asked <= len(prompts) else responses


@pytest.mark.parametrize("task", ["perception", "assessment"])
def test_a_failure_is_unscored_on_every_road(tmp_path: Path, task: str) -> None:
    made = run_task(task, open_dataset(f"demo-{task}", limit=40), Failing(), Cache(tmp_path / "cache.jsonl"))
    write_run(made, tmp_path / "out")
    [own] = made.results.values()
    assert own.unscored == {"failed: it went away": 1}
    path = pack(tmp_path)
    for other in (*score_file(path), *submitted(path, "failing")):
        assert_same(own, other)


@pytest.mark.usefixtures("no_curve_is_searched")
@pytest.mark.parametrize(("model", "rounds"), [("sharpness", 4), ("scripted:noise=0.5", 3), ("scripted:first", 2)])
def test_comparisons(tmp_path: Path, model: str, rounds: int) -> None:
    dataset = open_dataset("demo-comparison")
    made = run("comparison", dataset, tmp_path, model, rounds=rounds)
    rows = [
        {"first": shown.first, "second": shown.second, "choice": shown.choice, "dataset": shown.dataset}
        for shown in made.outcome.presented
    ]
    path = write(tmp_path, rows, "demo-comparison.jsonl")
    rated = [{"img_path": sample.id, "gt_score": sample.human} for sample in dataset.samples]
    assert not any(sample.lower_is_better for sample in dataset.samples)
    own = list(made.results.values())
    assert [record.dataset.partition("/")[0] for record in own] == ["demo-comparison"] * len(own) and len(own) > 1
    scored = score_file(path, model=own[0].model, truth=write(tmp_path, rated, "truth.jsonl"))
    for record, other in zip(own, scored, strict=True):
        assert_same(record, other)
        assert other.status["read"] == other.status["scored"] == record.status["presented"]
        assert other.protocol["rounds"] == rounds
    for record, other in zip(own, submitted(path, own[0].model), strict=True):
        assert_same(record, other, groups_apart=["chance"])  # authors wait for this: no coins are flipped


class Encoder(Model):
    """Embeds images and texts by their contents alone; no two are equally near."""

    name, batch_size = "hashing", 16
    wants: frozenset[Want] = frozenset({"embedding", "words"})
    identity = {"embeds": "digests"}  # noqa: RUF012 - never changed

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        return [Response(embedding=self._vector(*prompt.parts)) for prompt in prompts]

    def _vector(self, part: str | Picture) -> tuple[float, ...]:
        digest = hashlib.sha256((part if isinstance(part, str) else part.sha256).encode()).digest()
        return tuple(byte / 255 for byte in digest)


@pytest.mark.parametrize("name", ["img-2afc", "attributes", "odd-one-out", "it-2afc-4-way"])
def test_choices(tmp_path: Path, name: str) -> None:
    dataset, task = open_dataset(f"demo-{name}", limit=12), name.removesuffix("-4-way")
    made = run_task(task, dataset, Encoder(), Cache(tmp_path / "cache.jsonl"))
    rows = [
        {"task": task, "dataset": dataset.name, "id": score.sample, "prediction": score.chosen}
        for score in made.outcome.scores["accuracy"]
    ]
    assert None not in [row["prediction"] for row in rows]
    path = write(tmp_path, [{**row, "prediction": int(row["prediction"])} for row in rows], f"demo-{name}.jsonl")
    [own] = made.results.values()
    [handed_in] = submitted(path, own.model)
    assert_same(own, handed_in, groups_apart=["approach"])  # a file holds one choice a sample, however it was made
    labelled = [
        {**row, "prediction": int(row["prediction"]), "label": sample.answer, "cluster": sample.cluster}
        for row, sample in zip(rows, dataset.samples, strict=True)
    ]
    [scored] = score_file(write(tmp_path, labelled, f"{dataset.name}.json"), model=own.model)
    assert scored.metrics == own.metrics
    assert (scored.task, scored.dataset, scored.model, scored.unscored) == (task, dataset.name, own.model, own.unscored)
