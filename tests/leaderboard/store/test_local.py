from __future__ import annotations

import json
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from leaderboard.store.local import LocalStore
from leaderboard.store.places import place
from leaderboard.store.submission import history
from qbench.errors import UserError
from tests.leaderboard.handed_in import submission
from tests.leaderboard.made import result

ROOT = Path(__file__).resolve().parents[3]


def models(store: LocalStore) -> list[str]:
    return [one.model for one in store.load().results]


def test_a_submission_is_one_readable_file_named_by_its_content(tmp_path: Path) -> None:
    store, made = LocalStore(tmp_path), submission()
    receipt = store.add(made)
    assert (receipt.entry.status, receipt.duplicate, receipt.entry.submission) == ("accepted", False, made)
    path = tmp_path / "submissions" / made.digest[:2] / f"{made.digest}.json"
    assert json.loads(path.read_text(encoding="utf-8")) == made.to_json()
    assert len(path.read_text(encoding="utf-8").splitlines()) > 20
    assert models(store) == ["alpha"]


def test_an_empty_place_holds_nothing(tmp_path: Path) -> None:
    loaded = LocalStore(tmp_path / "nowhere").load()
    assert (loaded.results, loaded.entries, loaded.problems) == ((), (), ())
    assert not (tmp_path / "nowhere").exists()


def test_adding_again_changes_nothing(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    first = store.add(submission())
    stamp = store.stamp()
    again = store.add(submission(at="2027-01-01T00:00:00Z"))
    assert (again.duplicate, again.entry) == (True, first.entry)
    assert store.stamp() == stamp


def test_equal_results_are_duplicates_whoever_brings_them(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    first = store.add(submission(identity="ada")).entry
    for identity in ("bea", None):
        receipt = store.add(submission(identity=identity))
        assert (receipt.duplicate, receipt.entry) == (True, first)


def test_what_waits_for_review_stops_only_what_would_wait_too(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    waiting = store.add(submission(identity=None)).entry
    assert waiting.status == "pending"
    assert models(store) == []
    assert store.load().pending == (waiting,)
    assert store.add(submission(identity=None, metadata=submission("other").metadata)).duplicate
    assert store.add(submission(identity="ada")).entry.status == "accepted"


def test_review_puts_on_the_board_or_declines(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    good = store.add(submission(identity=None)).entry
    bad = store.add(submission("beta", identity="bea"), review=True).entry
    assert {one.digest for one in store.load().pending} == {good.digest, bad.digest}
    assert store.accept(good.digest).status == "accepted"
    assert store.accept(good.digest).status == "accepted"
    declined = store.withdraw(bad.digest, by="owner", reason="made up")
    assert declined.withdrawal is not None
    assert (declined.status, declined.withdrawal.by, declined.withdrawal.reason) == ("withdrawn", "owner", "made up")
    assert models(store) == ["alpha"]
    with pytest.raises(UserError, match="was withdrawn"):
        store.accept(bad.digest)


def test_a_correction_supersedes_with_history(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    first = store.add(submission(value=0.5)).entry
    second = store.add(submission(value=0.6, supersedes=first.digest, at="2026-06-01T00:00:00Z")).entry
    assert second.status == "accepted"
    loaded = store.load()
    assert [one.metrics["srcc"].value for one in loaded.results] == [0.6]
    line = history(loaded.entries, second.digest)
    assert [(one.status, one.superseded_by) for one in line] == [("accepted", None), ("superseded", second.digest)]
    with pytest.raises(UserError, match=f"correct {second.digest[:12]} instead"):
        store.add(submission(value=0.7, supersedes=first.digest))
    with pytest.raises(UserError, match="no submission"):
        store.add(submission(value=0.8, supersedes="e" * 64))


def test_words_alone_can_be_corrected(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    first = store.add(submission()).entry
    receipt = store.add(submission(metadata=submission("renamed").metadata, supersedes=first.digest))
    assert (receipt.duplicate, receipt.entry.status) == (False, "accepted")


@pytest.mark.parametrize("identity", ["bea", None])
def test_a_correction_by_somebody_else_waits_and_changes_nothing_until_then(tmp_path: Path, identity: str) -> None:
    store = LocalStore(tmp_path)
    first = store.add(submission(identity="ada")).entry
    other = store.add(submission(value=0.9, identity=identity, supersedes=first.digest)).entry
    assert other.status == "pending"
    assert [one.metrics["srcc"].value for one in store.load().results] == [0.5]
    store.accept(other.digest)
    assert [one.metrics["srcc"].value for one in store.load().results] == [0.9]


def test_a_withdrawn_submission_is_remembered_and_can_come_back_as_a_correction(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    first = store.add(submission()).entry
    gone = store.withdraw(first.digest, by="ada")
    assert store.withdraw(first.digest, by="somebody later") == gone
    assert models(store) == []
    assert store.add(submission()).entry.status == "withdrawn"
    assert store.add(submission(supersedes=first.digest)).entry.status == "accepted"
    assert models(store) == ["alpha"]


def test_withdrawing_a_correction_does_not_bring_back_what_was_wrong(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    first = store.add(submission()).entry
    second = store.add(submission(value=0.6, supersedes=first.digest)).entry
    store.withdraw(second.digest, by="ada")
    assert models(store) == []


@pytest.mark.parametrize("digest", ["", "..", "/etc/passwd", "a" * 64, "../" * 20 + "x"])
def test_names_that_are_none_reach_no_file(tmp_path: Path, digest: str) -> None:
    store = LocalStore(tmp_path / "store")
    for call in (store.accept, lambda one: store.withdraw(one, by="x")):
        with pytest.raises(UserError, match="no submission"):
            call(digest)
    assert [one.name for one in tmp_path.iterdir()] == ["store"]
    with pytest.raises(ValueError, match="names no submission"):
        place("submissions", digest or "..") if digest != "a" * 64 else place("submissions", "A" * 64)


def test_contacts_are_apart_and_for_the_owner_alone(tmp_path: Path) -> None:
    store, made = LocalStore(tmp_path), submission()
    receipt = store.add(made, contact="ada@example.org")
    (path,) = (tmp_path / "contacts").rglob("*.json")
    assert json.loads(path.read_text(encoding="utf-8")) == {"contact": "ada@example.org"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "ada@example.org" not in repr(receipt) + repr(store.load())
    others = [one for one in tmp_path.rglob("*.json") if one != path]
    assert all("ada@example.org" not in one.read_text(encoding="utf-8") for one in others)


def test_files_changed_by_hand_and_strange_files_are_named_and_skipped(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    kept = store.add(submission()).entry
    path = tmp_path / place("submissions", kept.digest)
    path.write_text(path.read_text(encoding="utf-8").replace("0.5", "0.99"), encoding="utf-8")
    (path.parent / "x.json").write_bytes(b"\xff\xfe")
    (path.parent / "folder.json").mkdir()
    (path.parent / "part.tmp").write_bytes(b"{")
    loaded = store.load()
    assert loaded.results == ()
    assert len(loaded.problems) == 3
    assert any("not what its name says" in one.reason for one in loaded.problems)


def test_text_that_no_file_can_hold_is_the_authors_to_mend(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    broken = submission(results=(result("half \ud800 a letter"),))
    with pytest.raises(UserError, match="cannot be kept"):
        store.add(broken)
    assert list(tmp_path.rglob("*.json")) == []


def test_the_stamp_and_the_revision_change_with_what_is_there(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    seen = {(store.stamp(), store.load().revision)}
    first = store.add(submission()).entry
    seen.add((store.stamp(), store.load().revision))
    store.withdraw(first.digest, by="ada")
    seen.add((store.stamp(), store.load().revision))
    assert len({one for one, _ in seen}) == len({one for _, one in seen}) == 3
    assert LocalStore(tmp_path).load().revision == store.load().revision


WRITER = """
import sys
from pathlib import Path
from leaderboard.store.local import LocalStore
from tests.leaderboard.handed_in import submission
store = LocalStore(Path(sys.argv[1]))
for number in range(int(sys.argv[2]), int(sys.argv[3])):
    store.add(submission(f"model-{number}", value=number / 1000, identity="ada"), contact="c")
    print(number, flush=True)
"""


def start(folder: Path, first: int, end: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(folder), str(first), str(end)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_several_processes_write_at_once(tmp_path: Path) -> None:
    writers = [start(tmp_path, first, first + 15) for first in (0, 5, 10)]  # each overlaps with the next
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0
    loaded = LocalStore(tmp_path).load()
    assert sorted(one.model for one in loaded.results) == sorted(f"model-{number}" for number in range(25))
    assert loaded.problems == ()


def test_kill_9_at_any_moment_leaves_whole_submissions_only(tmp_path: Path) -> None:
    confirmed: set[str] = set()
    for kill_after in (1, 3, 7):
        writer = start(tmp_path, 0, 1000)
        assert writer.stdout is not None
        for _ in range(kill_after):
            confirmed.add(f"model-{int(writer.stdout.readline())}")
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
        loaded = LocalStore(tmp_path).load()
        assert loaded.problems == ()
        assert confirmed <= {one.model for one in loaded.results}
    LocalStore(tmp_path).add(submission("after", identity="bea"))
    assert list((tmp_path / ".incoming").iterdir()) == []
