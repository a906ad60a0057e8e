"""Models are tested on the same items: of submissions, of records that come with the project, of released answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from leaderboard.analysis.compare import compare_models
from leaderboard.snapshot import Snapshot
from leaderboard.store import records_of
from leaderboard.store.hub import HubStore
from leaderboard.store.local import Store
from leaderboard.store.submission import Submission
from qbench.records import Items, Result
from tests.hub_double import Hub
from tests.leaderboard import made
from tests.leaderboard.handed_in import submission
from tests.leaderboard.published import published

TRUTH = np.random.default_rng(2).normal(size=60).round(3)


def scored(model: str, noise: float, **protocol: str) -> Result:
    values = TRUTH + noise * np.random.default_rng(len(model)).normal(size=60)
    items = Items("srcc", tuple(f"{i}.jpg" for i in range(60)), tuple(values.tolist()), tuple(TRUTH.tolist()))
    result = made.result(model, "a", 0.9 - noise / 10, kind="rescored")
    return replace(result, raw=f"{len(model):064x}", items={"srcc": items}, protocol=protocol)


def handed_in(result: Result, identity: str | None = "ada") -> Submission:
    return submission(result.model, identity=identity, results=(result,))


def verdict(store: Store, first: str, second: str, *shipped: Result) -> bool:
    """Whether two models are tested on the same items."""
    loaded = store.load()
    snapshot = Snapshot(replace(loaded, records=loaded.records + records_of(shipped)), (made.board(),), made.find_model)
    [difference] = compare_models(snapshot, "made", [first, second]).differences
    return difference.paired


def test_two_submissions_and_a_shipped_record_are_paired(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add(handed_in(scored("alpha", 0.2)))
    store.add(handed_in(scored("gamma rays", 2.0)))
    assert verdict(Store(tmp_path), "alpha", "gamma rays")  # as another process reads it
    assert verdict(store, "alpha", "beta", scored("beta", 1.0))


def test_nothing_is_kept_of_private_answers_or_without_an_account(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add(handed_in(scored("alpha", 0.2, answers="private")))
    store.add(handed_in(scored("gamma rays", 2.0), identity=None))
    assert not (tmp_path / "items").exists()
    assert not verdict(store, "alpha", "beta", scored("beta", 1.0))


def test_items_are_never_sent_to_the_hub(hub: Hub, make_store: Callable[..., HubStore]) -> None:
    store = make_store()
    store.add(handed_in(scored("alpha", 0.2)))
    store.sync()
    [sent] = [record.result for record in store.load().records]
    assert set(sent.items) == {"srcc"}
    there = list(hub.tree() or {})
    assert any(path.startswith("submissions/") for path in there)
    assert not any("items" in path for path in there)


def record(task: str, model: str) -> Result:
    found = (one.result for one in published().loaded.records)
    return next(one for one in found if (one.task, one.model, one.source.kind) == (task, model, "rescored"))


@pytest.mark.parametrize(
    ("task", "model"),
    [("perception", "gpt-4o-undated"), ("perception", "glm-4v-plus"), ("description", "depictqa")],
)
def test_items_come_to_the_figures_of_their_record(task: str, model: str) -> None:
    result = record(task, model)
    for metric in set(result.items) - {"debiased_accuracy"}:  # the mean of the rates of Yes and of No
        items, figure = result.items[metric], result.metrics[metric]
        assert sum(items.values) / len(items.values) == pytest.approx(figure.value, abs=1e-12)
        assert len(items.values) == figure.n
    assert {"accuracy", "yes_accuracy", "no_accuracy", "debiased_accuracy"} <= set(result.items) or task != "perception"
