"""Send what waits, fetch what changed: the only part of the Hub's store that uses the network.

Below the store's folder: `outbox/` holds what is still to be sent, `mirror/` what the Hub had when it was last asked;
both are laid out as every store is. A file moves from one to the other, so it is always read from one of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from leaderboard.store import hub_archive
from leaderboard.store.answers import ANSWERS
from leaderboard.store.files import LARGEST_FILE, locked, move, write_durably
from leaderboard.store.folders import ACCEPTED, DECISIONS, PENDING, WITHDRAWN, place, read_record
from leaderboard.store.hub_client import HubClient, Pull, RefusedError
from leaderboard.store.local import CONTACTS, MOST_BYTES
from leaderboard.store.submission import Status, Submission
from qbench.errors import ProviderError

BATCH = 50
"""Files in a commit; the Hub advises fewer than 100."""
TITLE = "All records in one file"
Became = Callable[[], Mapping[str, Status]]
"""Gives what became of each submission, by its digest, as far as is known here by now."""
COMMITTED = (DECISIONS, ACCEPTED, WITHDRAWN, ANSWERS)
"""What goes to the main branch, and is fetched from it."""


@dataclass(frozen=True)
class SyncState:
    """What the Hub said when it was last asked."""

    revision: str = ""
    files: tuple[str, ...] = ()
    pulls: dict[str, int] = field(default_factory=dict)
    """Digest of a submission that waits for review -> number of its pull request."""
    missing: tuple[str, ...] = ()
    """Of those, the ones that were not listed as open the last time: closed, or the listing lags behind."""
    waiting: str = ""
    """The commit of the private repository, where what waits for review is kept in one."""
    archived: int = 0
    """Records in the file of all when it was last read or written here."""


def read_state(folder: Path) -> SyncState:
    """The state kept beside the mirror; an unreadable one only means that everything is looked at again."""
    try:
        data = json.loads((folder / "state.json").read_bytes())
        pulls = {str(digest): int(number) for digest, number in data["pulls"].items()}
        return SyncState(
            str(data["revision"]),
            tuple(data["files"]),
            pulls,
            tuple(data["missing"]),
            str(data.get("waiting", "")),
            int(data.get("archived", 0)),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return SyncState()


def push(folder: Path, client: HubClient, private: HubClient | None) -> None:
    """Send everything in the outbox; what was sent moves to the mirror. Sending twice changes nothing.

    Raises:
        ProviderError: Something could not be sent; it stays in the outbox.
    """
    refused: list[RefusedError] = []
    contacts = _waiting(folder, CONTACTS)
    _sent(folder, contacts if private is None else _send(private, contacts, refused), folder)
    for kind in COMMITTED:
        waiting = list(_waiting(folder, kind).items())
        for start in range(0, len(waiting), BATCH):
            _sent(folder, _send(client, dict(waiting[start : start + BATCH]), refused), folder / "mirror")
    for path, content in _waiting(folder, PENDING).items():
        if private is not None:
            _sent(folder, _send(private, {path: content}, refused), folder / "mirror")
            continue
        digest = Path(path).stem
        try:
            number = client.propose(digest, place(ACCEPTED, digest).as_posix(), content)
        except RefusedError as fault:
            refused.append(fault)
            continue
        _sent(folder, [path], folder / "mirror")
        state = read_state(folder)
        _write_state(folder, replace(state, pulls={**state.pulls, digest: number}))
    if refused:
        raise refused[0]


def pull(folder: Path, client: HubClient, private: HubClient | None, became: Became) -> None:
    """Bring the mirror up to date: one listing where the Hub moved on, and only the files that changed.

    Raises:
        ProviderError: The Hub is away; the mirror stays as it is.
    """
    state, head = read_state(folder), client.head()
    files, archived = state.files, state.archived
    if head != state.revision:
        files, archived = _pull_files(folder, client, state, head)
    pulls, complete = client.pulls()
    states = became() if pulls or state.pulls else {}
    listed = _pull_requests(folder, client, pulls, states)
    known = {digest: number for digest, number in state.pulls.items() if digest not in listed}
    # Of more than are looked at, one that is not listed need not be closed. What was declined can be taken back.
    gone = [digest for digest in known if complete and digest in state.missing]
    forgotten = [digest for digest in gone if states.get(digest) != "withdrawn"]
    _remove(folder, [folder / "mirror" / place(PENDING, digest) for digest in forgotten])
    missing = {digest: number for digest, number in known.items() if digest not in gone}
    waiting = state.waiting if private is None else _pull_waiting(folder, private, state.waiting)
    _write_state(folder, SyncState(head, files, {**missing, **listed}, tuple(missing), waiting, archived))


def _pull_waiting(folder: Path, private: HubClient, seen: str) -> str:
    """Fetch what waits for review in the private repository, unless it is as it was; returns its commit.

    What was declined is fetched too, so that its receipt says so after a restart on an empty disk.
    """
    mirror, head = folder / "mirror", private.head()
    _remove(folder, [path for path in mirror.glob(f"{PENDING}/*/*.json") if _was_accepted(folder, path.stem)])
    if head == seen:
        return head
    for path, (_, size) in private.tree(head).items():
        digest = Path(path).stem
        if size > MOST_BYTES or not _is_ours(path, (PENDING,)) or _was_accepted(folder, digest):
            continue
        if not (mirror / path).exists():
            content = private.read(path, head, MOST_BYTES)
            with suppress(ValueError):
                read_record(content, digest, Submission)
                with locked(folder):
                    write_durably(folder, mirror / path, content)
    return head


def _was_accepted(folder: Path, digest: str) -> bool:
    return any((folder / place_of / place(ACCEPTED, digest)).exists() for place_of in ("mirror", "outbox"))


def archive(folder: Path, client: HubClient) -> None:
    """Write the file of all records anew.

    Raises:
        ProviderError: The Hub is away or refuses.
    """
    state, mirror = read_state(folder), folder / "mirror"
    there = [path for path in state.files if (mirror / path).is_file()]
    client.commit({hub_archive.NAME: hub_archive.pack((path, (mirror / path).read_bytes()) for path in there)}, TITLE)
    _write_state(folder, replace(state, archived=len(there)))


def _pull_files(folder: Path, client: HubClient, state: SyncState, head: str) -> tuple[tuple[str, ...], int]:
    """Paths that are listed now, and how many of them the file of all records is known to have."""
    mirror, tree = folder / "mirror", client.tree(head)
    listed = {path: oid for path, (oid, size) in tree.items() if _is_ours(path) and size <= LARGEST_FILE}
    wanted = {path: oid for path, oid in listed.items() if not _holds(mirror / path, oid)}
    archived = state.archived

    def keep(path: str, content: bytes) -> None:
        with locked(folder):
            write_durably(folder, mirror / path, content)

    if len(wanted) >= hub_archive.FEWEST and hub_archive.NAME in tree:
        together = client.read(hub_archive.NAME, head, hub_archive.LARGEST)
        known = len(listed) - len(wanted)
        for path, content in hub_archive.unpack(together, hub_archive.LARGEST):
            if path in wanted and wanted[path] == _git_name(content):
                keep(path, content)
                del wanted[path]
        archived = len(listed) - len(wanted) - known
    for path in wanted:
        keep(path, client.read(path, head))
    # A listing may lag behind what was just sent: only what was listed before can have been removed.
    _remove(folder, [mirror / path for path in state.files if path not in listed])
    return tuple(listed), archived


def _pull_requests(
    folder: Path, client: HubClient, pulls: Iterable[Pull], states: Mapping[str, Status]
) -> dict[str, int]:
    """Fetch what waits for review; closes the pull requests of what was decided on here."""
    found: dict[str, int] = {}
    for pull in pulls:
        if states.get(pull.digest, "pending") != "pending":
            with suppress(ProviderError):  # the next round tries again; the token may not be allowed to
                client.close(pull.number, "Decided on the board.")
        elif pull.digest not in found and _fetch_proposal(folder, client, pull):
            found[pull.digest] = pull.number
    return found


def _fetch_proposal(folder: Path, client: HubClient, pull: Pull) -> bool:
    """Whether the submission of a pull request is there; anybody can open one, so it is checked before it is kept."""
    path = folder / "mirror" / place(PENDING, pull.digest)
    if path.exists():
        return True
    try:
        content = client.read(place(ACCEPTED, pull.digest).as_posix(), f"refs/pr/{pull.number}", MOST_BYTES)
        if len(content) > MOST_BYTES:
            return False
        read_record(content, pull.digest, Submission)
    except ValueError:
        return False
    except ProviderError as fault:
        if fault.kind == "permanent":
            return False  # it does not bring what its title says
        raise
    with locked(folder):
        write_durably(folder, path, content)
    return True


def _is_ours(path: str, kinds: tuple[str, ...] = COMMITTED) -> bool:
    kind, stem = path.split("/", 1)[0], Path(path).stem
    try:
        return kind in kinds and place(kind, stem).as_posix() == path
    except ValueError:
        return False


def _holds(path: Path, oid: str) -> bool:
    """Whether a file has the content that git names so."""
    return path.is_file() and _git_name(path.read_bytes()) == oid


def _git_name(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _waiting(folder: Path, kind: str) -> dict[str, bytes]:
    """Path in the store -> content of what is to be sent."""
    outbox = folder / "outbox"
    found: dict[str, bytes] = {}
    for path in sorted((outbox / kind).glob("**/*.json")):
        with suppress(FileNotFoundError):  # decided on since it was listed
            found[path.relative_to(outbox).as_posix()] = path.read_bytes()
    return found


def _send(client: HubClient, files: dict[str, bytes], refused: list[RefusedError]) -> list[str]:
    """Commit files together, or one by one where one is refused, so that it holds up no other; returns those sent."""
    if not files:
        return []
    try:
        client.commit(files, f"{len(files)} records" if len(files) > 1 else f"Add {next(iter(files))}")
    except RefusedError as fault:
        if len(files) > 1:
            return [path for item in files.items() for path in _send(client, dict([item]), refused)]
        refused.append(fault)
        return []
    return list(files)


def _sent(folder: Path, paths: Iterable[str], target: Path) -> None:
    with locked(folder):
        for path in paths:
            if (folder / "outbox" / path).exists():  # not decided on in the meantime
                move(folder / "outbox" / path, target / path)


def _remove(folder: Path, paths: Iterable[Path]) -> None:
    with locked(folder):
        for path in paths:
            path.unlink(missing_ok=True)


def _write_state(folder: Path, state: SyncState) -> None:
    with locked(folder):
        write_durably(folder, folder / "state.json", json.dumps(asdict(state)).encode())
