"""One revision of all results: what the pages read, with each table made once."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

import orjson

from leaderboard.boards import all_boards
from leaderboard.boards.own import files_of_boards, put_first, read_own_boards
from leaderboard.events import log_event
from leaderboard.look import SITE_FILE
from leaderboard.settings import Settings, SettingsError
from leaderboard.store import Loaded, SkippedFile, join_loaded
from leaderboard.store.folders import PENDING
from leaderboard.store.local import Store
from leaderboard.store.records import RecordFolder, stamp
from leaderboard.tables.chance import Simulated, read_simulated
from leaderboard.tables.columns import EVERYTHING, Board, Place, find_board
from leaderboard.tables.models import FindModel, ModelsRecords, group_by_model, model_finder
from leaderboard.tables.payload import make_payload
from leaderboard.tables.provenance import Paper, read_papers
from leaderboard.tables.table import Table, build_table, is_reference
from leaderboard.tables.terms import find_terms, split_terms
from leaderboard.tables.unranked import Unranked, find_unranked
from qbench.models.catalogue import find_model

COME_ALONG = 3
"""Folders of results that come with the project; the others are this installation's own."""
NOT_REVIEWED = "cannot be read; it waits for review, so the owner of the board alone is told more"
"""Of a file whose problem may quote what nobody reviewed."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What the pages read; a new revision is a new snapshot, equal only to itself."""

    loaded: Loaded
    boards: Sequence[Board]
    find_model: FindModel
    papers: Sequence[Paper] = ()
    unshown: Mapping[Place, int] = field(default_factory=dict)
    """What no board has a column for -> records of this installation about it."""
    simulated: Simulated = field(default_factory=dict)
    """Chance levels that come from simulation."""
    models: ModelsRecords = field(init=False, repr=False)
    _tables: dict[tuple[str, tuple[str, ...]], Table] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", group_by_model(self.loaded.records, self.find_model))

    @property
    def tables(self) -> list[Table]:
        """Every board with all its columns."""
        return [self.table_of(board) for board in self.boards]

    def table(self, board: str, metric: str = EVERYTHING, part: str = EVERYTHING) -> Table:
        """The table of a board under a choice of columns, all if none is named; an empty metric is the board's default.

        Raises:
            UserError: No such board, metric or part.
        """
        return self.table_of(find_board(self.boards, board), metric, part)

    def table_of(self, board: Board, metric: str = EVERYTHING, part: str = EVERYTHING) -> Table:
        """The same for a board that nobody can choose, such as several joined; it needs a key of its own."""
        columns = board.shown(metric, part)
        key = (board.key, tuple(column.key for column in columns))
        if key not in self._tables:
            self._tables[key] = build_table(self.models, board, columns)
        return self._tables[key]

    def unranked(self, board: str) -> Unranked:
        """What stands under a board and is not ranked; errors as for `table`."""
        return find_unranked(self.models, self.loaded.pending, find_board(self.boards, board), self.find_model)

    def payload(self, board: str) -> str:
        """Everything the browser needs of one board, as JSON text; errors as for `table`."""
        payload = make_payload(self.table(board), self.loaded.revision)
        payload |= self.unranked(board).to_json()
        # Several times as quick as json on a million figures.
        return orjson.dumps(payload, option=orjson.OPT_SERIALIZE_NUMPY).decode()

    def boards_of(self) -> dict[str, list[str]]:
        """Id of everybody with a figure on a board -> keys of those boards; people and random guess are among them."""
        found: dict[str, list[str]] = {}
        for table in self.tables:
            for name in table.rows:
                found.setdefault(name, []).append(table.board.key)
        return found

    def index(self, link: str | None = None, about: str | None = None) -> dict[str, Any]:
        """What the browser needs before any board, as JSON; `leaderboard.data_files` says what the addresses are."""
        return {
            "revision": self.loaded.revision,
            "as_of": self.loaded.as_of,
            "models": sum(not is_reference(self.models[name].model) for name in self.boards_of()),
            "boards": [
                {
                    "key": board.key,
                    "title": board.title,
                    "question": board.question,
                    "group": board.group,
                    "sentence": board.sentence,
                    "told": split_terms(board.sentence),
                    "terms": find_terms([board.question or "", board.title]),
                    "method": board.method,
                    "empty": not self.table_of(board).rows and self.unranked(board.key) == Unranked((), ()),
                }
                for board in self.boards
            ],
            "problems": [
                {"where": where, "reason": NOT_REVIEWED if where.startswith(f"{PENDING}/") else problem.reason}
                for problem in self.loaded.problems
                for where in [problem.where]
            ],
            "papers": [{"urls": list(paper.urls), "bibtex": paper.bibtex} for paper in self.papers],
            "link": link,
            "about": about,
        }


def open_snapshot(settings: Settings, *stores: Store) -> Snapshot:
    """Read the published results, those recomputed from what the papers released, those of this installation, and
    submissions."""
    return _make_snapshot([each.load() for each in _places(settings, stores)], settings)


def read_boards(settings: Settings) -> tuple[tuple[Board, ...], tuple[SkippedFile, ...]]:
    """The boards in their order, and which files of the owner's make none."""
    ours = all_boards()
    declared, faults = read_own_boards(settings.results, ours)
    boards = put_first((*declared, *ours), settings.look.board)  # an owner who declares boards wants them first
    return boards, tuple(SkippedFile(where, reason) for where, reason in faults.items())


def check_first_board(settings: Settings) -> None:
    """Look whether the board is there that the owner wants first.

    Raises:
        SettingsError: It is not, so another one would be.
    """
    key = settings.look.board
    boards, problems = read_boards(settings)
    if key and key != boards[0].key:
        why = next((f": {fault.reason}" for fault in problems if fault.where == f"boards/{key}.toml"), "")
        near = get_close_matches(key, [board.key for board in boards], 3, 0.4)
        fix = f"write {' or '.join(map(repr, near))}" if near else "write what stands behind board= in its address"
        raise SettingsError(f"{settings.results / SITE_FILE}: board is {key!r}, and there is none{why}; {fix}")


def _make_snapshot(parts: Sequence[Loaded], settings: Settings) -> Snapshot:
    loaded = join_loaded(parts)
    papers, (boards, problems) = read_papers(settings.assets / "published"), read_boards(settings)
    loaded = replace(loaded, problems=(*loaded.problems, *problems))
    own = Counter(Place(made.task, made.dataset, made.split) for part in parts[COME_ALONG:] for made in part.results)
    shown = {place for board in boards for place in board.places}
    unshown = {place: number for place, number in own.items() if place not in shown}
    simulated = read_simulated(settings.assets / "recomputed" / "chance_2afc.json")
    return Snapshot(loaded, boards, model_finder(find_model, loaded.entries), papers, unshown, simulated)


class SnapshotWatch:
    """The snapshot of the moment: call it. Results that changed on disk give a new one, without a restart.

    Args:
        settings: Where the folders are.
        stores: What is read beside them.
        every: Seconds during which nobody looks for changes again.
        clock: Seconds of a clock that never goes back.
    """

    def __init__(
        self, settings: Settings, *stores: Store, every: float = 2.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._settings = settings
        self._watched = _places(settings, stores)
        self._every, self._clock = every, clock
        self._lock = threading.Lock()
        self._known = self._stamps()  # before reading: what changes in between is read again, never missed
        self._parts = [store.load() for store in self._watched]
        self._snapshot = self._make()
        self._next_look = clock() + every

    def __call__(self) -> Snapshot:
        """The newest there is. When it is time to look for changes, that happens in the background."""
        if self._clock() >= self._next_look:
            self._next_look = self._clock() + self._every
            threading.Thread(target=self.look_again, daemon=True).start()
        return self._snapshot

    def look_again(self) -> None:
        """Look for changes now, and wait for what they bring: whoever has just stored something sees it at once."""
        with self._lock:
            found = self._stamps()
            if found != self._known:
                looked_at = zip(self._watched, self._parts, self._known, found, strict=False)  # last: the boards
                self._parts = [part if old == new else store.load() for store, part, old, new in looked_at]
                self._snapshot, self._known = self._make(), found

    def _make(self) -> Snapshot:
        """A new snapshot with its tables, so that no visitor waits for them."""
        made = _make_snapshot(self._parts, self._settings)
        _ = made.tables
        if problems := len(made.loaded.problems):
            log_event("store-problem", problems=problems)
        return made

    def _stamps(self) -> list[str]:
        return [*(store.stamp() for store in self._watched), stamp(files_of_boards(self._settings.results))]


def _places(settings: Settings, stores: Iterable[Store]) -> list[RecordFolder | Store]:
    recomputed = settings.assets / "recomputed"
    return [
        RecordFolder(settings.assets / "published", "*/table_*.json"),
        RecordFolder(recomputed / "results", answers=recomputed / "answers"),
        RecordFolder(settings.assets / "demo"),
        RecordFolder(settings.results),
        *stores,
    ]
