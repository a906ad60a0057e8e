"""One revision of all results: what the pages read, with each table and payload made once."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from leaderboard.beside import Beside, find_beside
from leaderboard.boards import all_boards
from leaderboard.cells import FindModel
from leaderboard.columns import EVERYTHING, Board, Choice, find_board
from leaderboard.papers import Paper, read_papers
from leaderboard.payload import make_payload
from leaderboard.settings import Settings
from leaderboard.store import Loaded, Readable, load_all
from leaderboard.store.records import RecordFolder
from leaderboard.submissions.handing_in import known_models
from leaderboard.table import Table, build_table, is_reference
from qbench.models.catalogue import find


@dataclass(frozen=True)
class Snapshot:
    """What the pages read; a new revision is a new snapshot."""

    loaded: Loaded
    boards: Sequence[Board]
    find_model: FindModel
    papers: Sequence[Paper] = ()
    _tables: dict[tuple[str, Choice], Table] = field(default_factory=dict, init=False, repr=False)
    _payloads: dict[str, str] = field(default_factory=dict, init=False, repr=False)

    def table(self, board: str, metric: str = "", part: str = EVERYTHING) -> Table:
        """The table of a board under a choice of columns; an empty metric is the board's default.

        Raises:
            UserError: No such board, metric or part.
        """
        found = find_board(self.boards, board)
        choice = found.choose(metric, part)
        key = (board, choice)
        if key not in self._tables:
            self._tables[key] = build_table(self.loaded.results, found, choice, self.find_model)
        return self._tables[key]

    def beside(self, board: str) -> Beside:
        """What stands under a board and is not ranked.

        Raises:
            UserError: No such board.
        """
        return find_beside(self.loaded, find_board(self.boards, board), self.find_model)

    def payload(self, board: str) -> str:
        """Everything the browser needs of one board, as JSON text: encoded once, however often it is asked for.

        Raises:
            UserError: No such board.
        """
        if board not in self._payloads:
            payload = make_payload(self.table(board, EVERYTHING), self.loaded.revision, self.loaded.handed_in)
            payload |= self.beside(board).to_json()
            self._payloads[board] = json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return self._payloads[board]

    def index(self, link: str | None = None, about: str | None = None) -> dict[str, Any]:
        """What the browser needs before any board, as JSON.

        Args:
            link: Where links to a view start; None for the page's own address.
            about: Address of the page that explains the metrics, if there is one.
        """
        names = {result.model for result in self.loaded.results}
        known = {name: self.find_model(name) for name in names}
        return {
            "revision": self.loaded.revision,
            "models": len({facts.id if facts else name for name, facts in known.items() if not is_reference(facts)}),
            "boards": [
                {"key": board.key, "title": board.title, "sentence": board.sentence, "method": board.method}
                for board in self.boards
            ],
            "problems": [{"where": problem.where, "reason": problem.reason} for problem in self.loaded.problems],
            "papers": [{"urls": list(paper.urls), "bibtex": paper.bibtex} for paper in self.papers],
            "link": link,
            "about": about,
        }


def open_snapshot(settings: Settings, *stores: Readable) -> Snapshot:
    """Read the published results, those recomputed from what the papers released, those of this installation, and more.

    Args:
        settings: Where the folders are.
        stores: What is read beside them: submissions.
    """
    loaded = load_all([*_folders(settings), *stores])
    papers = read_papers(settings.assets / "board" / "papers.bib")
    return Snapshot(loaded, all_boards(), known_models(find, loaded.entries), papers)


def follow(
    settings: Settings, *stores: Readable, every: float = 2.0, clock: Callable[[], float] = time.monotonic
) -> Callable[[], Snapshot]:
    """What gives the snapshot of the moment: a new one once results changed on disk, without a restart.

    Args:
        settings: Where the folders are.
        stores: What is read beside them: submissions.
        every: Seconds during which nobody looks for changes again.
        clock: Seconds of a clock that never goes back.
    """
    watched = [*_folders(settings), *stores]
    lock = threading.Lock()

    def stamps() -> list[str]:
        return [one.stamp() for one in watched]

    known = stamps()  # before reading: what changes in between is read again, never missed
    snapshot = open_snapshot(settings, *stores)
    looked = clock()

    def current() -> Snapshot:
        nonlocal known, snapshot, looked
        with lock:
            if clock() - looked >= every:
                found = stamps()
                if found != known:
                    snapshot = open_snapshot(settings, *stores)
                known, looked = found, clock()
            return snapshot

    return current


def _folders(settings: Settings) -> list[Readable]:
    return [
        RecordFolder(settings.assets / "published", "*/table_*.json"),
        RecordFolder(settings.assets / "recomputed" / "results"),
        RecordFolder(settings.assets / "demo"),
        RecordFolder(settings.results),
    ]
