"""What a snapshot takes over from the one before is what it would make itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from leaderboard.snapshot import Snapshot
from leaderboard.store.local import LocalStore
from leaderboard.tables.columns import Address, Column, Metric, MetricView, Part
from leaderboard.tables.models import model_finder
from qbench.records import Estimate, Result
from tests.leaderboard.handed_in import submission
from tests.leaderboard.made import board, find_model, result

SHARE = Metric("accuracy", "Accuracy", "", proportion=True)
SHARE_PART = Part("share", "Share")
SHARES = Column("share", "Share", ("share",), SHARE, Address("assessment", "c", None, "accuracy"))
VIEW = MetricView("shares", "Shares", ("accuracy",))
BOARDS = (
    board(columns=(*board().columns, SHARES), parts=(*board().parts, SHARE_PART), views=(*board().views, VIEW)),
    board(key="shares", columns=(SHARES,), parts=(SHARE_PART,), views=(VIEW,), primary="share", protocol={"limit": ()}),
)
AUTHORS = ("ada", "bea")
MODELS = ("alpha", "Alpha (7B)", "beta", "chance", "new", "newer")


def snapshot(store: LocalStore, before: Snapshot | None = None) -> Snapshot:
    loaded = store.load()
    return Snapshot(loaded, BOARDS, model_finder(find_model, loaded.entries), before=before)


def some_result(model: str, rng: np.random.Generator) -> Result:
    dataset = str(rng.choice(["a", "b", "c"]))
    protocol = {"limit": 9} if rng.random() < 0.2 else {"trained_on": True} if rng.random() < 0.2 else {}
    value = round(float(rng.random()), 1)  # few values, so that some are ties
    if dataset == "c":
        shares = Estimate(value, n=int(rng.choice([100, 1000])))
        return result(model, dataset, None, accuracy=shares, kind="self-reported", protocol=protocol)
    return result(model, dataset, value, plcc=value if rng.random() < 0.5 else None, kind="live", protocol=protocol)


def change(store: LocalStore, rng: np.random.Generator, step: int) -> None:
    """A submission more, or a correction, a withdrawal or the acceptance of one."""
    entries = store.load().entries
    entry = entries[int(rng.integers(len(entries)))] if entries else None
    act = rng.choice(["add", "add", "correct", "withdraw", "accept"])
    if act == "withdraw" and entry:
        store.withdraw(entry.digest, by="ada")
    elif act == "accept" and entry and entry.status == "pending":
        store.decide(entry.digest, "accepted", "ola")
    else:
        model, at = str(rng.choice(MODELS)), f"2026-05-{1 + step:02d}T12:00:00+00:00"
        results = tuple(some_result(model, rng) for _ in range(int(rng.integers(1, 4))))
        identity = None if rng.random() < 0.2 else str(rng.choice(AUTHORS))
        made = submission(model, identity=identity, at=at, results=results)
        if act == "correct" and entry and entry.superseded_by is None:
            made = replace(made, supersedes=entry.digest, identity=entry.submission.identity)
        store.add(made)


@pytest.mark.parametrize("seed", range(4))
def test_boards_after_each_change_are_those_from_scratch(tmp_path: Path, seed: int) -> None:
    rng, store = np.random.default_rng(seed), LocalStore(tmp_path)
    now = snapshot(store)
    for step in range(25):
        change(store, rng, step)
        now, scratch = snapshot(store, now), snapshot(LocalStore(tmp_path))
        assert now.index() == scratch.index()
        for each in BOARDS:
            assert now.payload(each.key) == scratch.payload(each.key)
            for view in each.views:
                ours, theirs = (made.table(each.key, view.key) for made in (now, scratch))
                assert ours.ranked.value.equals(theirs.ranked.value)
                assert all(ours.ranks[key].rank.equals(theirs.ranks[key].rank) for key in theirs.ranks)


def test_a_board_that_nothing_happened_to_is_not_made_again(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    store.add(submission("alpha", results=(result("alpha", "c", None, accuracy=Estimate(0.5, n=100)),)))
    before = snapshot(store)
    table = before.table("shares", "all")
    row = before.table("made", "all").row("alpha")
    store.add(submission("beta", results=(result("beta", "a", 0.5),)))
    after = snapshot(store, before)
    assert after.table("shares", "all").ranks is table.ranks
    assert after.table("made", "all").row("alpha") is row
