"""Of what waits for review a store keeps heads in memory, under the names of the whole."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.store.headers import LONGEST_FIELD, MOST_FIELDS, header_of
from leaderboard.store.local import LocalStore
from leaderboard.store.submission import Submission
from qbench.errors import UserError
from qbench.records import Estimate
from tests.leaderboard.handed_in import submission
from tests.leaderboard.made import result
from tests.leaderboard.store.conftest import MakeStore

SRCC = Estimate(0.5, 0.4, 0.6, n=100)
GROUPS = {"question_type": {f"type {k}": {"srcc": SRCC} for k in range(300)}}


def large(**changes: object) -> Submission:
    one = result("alpha", srcc=0.5, kind="self-reported")
    return submission(identity=None, results=(replace(one, groups=GROUPS, **changes),), salt="s")  # type: ignore[arg-type]


def test_a_header_has_the_names_of_the_whole_and_little_else() -> None:
    whole = large(protocol={"prompt": "score", "long": "x" * LONGEST_FIELD, "answers": None})
    header = header_of(whole)
    assert (header.content, header.unsalted, header.digest) == (whole.content, whole.unsalted, whole.digest)
    assert (header.metadata, header.submitted_at, header.identity) == (whole.metadata, whole.submitted_at, None)
    assert header.results[0].metrics == whole.results[0].metrics
    assert dict(header.results[0].protocol) == {"prompt": "score", "answers": None}
    header = header_of(large(metrics={f"m{k}": SRCC for k in range(MOST_FIELDS + 1)}))
    assert header.results[0].groups == {}
    assert list(header.results[0].metrics) == [f"m{k}" for k in range(MOST_FIELDS)]


def test_figures_on_private_answers_keep_their_groups() -> None:
    assert header_of(large(protocol={"answers": "private"})).results[0].groups == GROUPS


def test_a_store_keeps_headers_while_a_submission_waits_and_the_whole_after(tmp_path: Path) -> None:
    whole = large()
    receipt = LocalStore(tmp_path).add(whole)
    assert receipt.entry.status == "pending"
    store = LocalStore(tmp_path)
    [entry] = store.load().entries
    assert entry.submission.results[0].groups == {}
    assert store.read(whole.digest) == whole
    assert store.add(whole).duplicate
    assert store.decide(whole.digest, "accepted", "ola").submission == whole
    assert store.read(whole.digest) == whole
    with pytest.raises(UserError, match="There is no submission 'ffffffffffff'"):
        store.read("f" * 64)


def test_what_waited_on_the_hub_is_put_on_the_board_whole(make_store: MakeStore) -> None:
    store, whole = make_store(), large()
    store.add(whole)
    store.sync()  # from here on it is a copy of a pull request
    store.decide(whole.digest, "accepted", "ola")
    store.sync()
    assert make_store("another").load().entries == ()
    other = make_store("another")
    other.sync()
    assert [entry.submission for entry in other.load().entries] == [whole]
