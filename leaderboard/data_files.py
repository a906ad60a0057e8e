"""The boards' data as files of JSON, as the app and the static site give them to browsers."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from leaderboard.analysis.answers import answer_sets, answers_json, list_sets
from leaderboard.analysis.findings import find_habits
from leaderboard.analysis.model import listed_models
from leaderboard.analysis.overview import find_reach, map_boards, summarise
from leaderboard.html.between_boards import between_json
from leaderboard.html.bias import bias_json, in_short
from leaderboard.html.markup import BOARD_FILES, Html, file_address
from leaderboard.html.overview import SHOWN, opening, timeline_json
from leaderboard.snapshot import Snapshot


def data_files(
    snapshot: Snapshot, link: str | None = None, about: str | None = None, *, in_app: bool = True
) -> dict[str, Callable[[], str]]:
    """Name of each file -> what makes its text: lists of boards, models and sets of answers, habits, each board, its
    overview, each set of answers, the overview of all boards.

    Args:
        snapshot: The data.
        link: Where links to a view start; None for the page's own address.
        about: Address of the page that explains the metrics, if there is one.
        in_app: Whether there are pages for visitors' own photos, which a static site has not.
    """
    as_of = snapshot.loaded.as_of

    def timeline(key: str) -> dict[str, Any]:
        return timeline_json(summarise(snapshot.table(key), snapshot.simulated), as_of)

    def overview() -> dict[str, Any]:
        told = between_json(map_boards(snapshot), find_reach(snapshot), as_of)
        first = {"opening": opening_of(snapshot, in_app=in_app), "revision": snapshot.loaded.revision}
        return {**first, **told, "habits": in_short(find_habits(snapshot))}

    files: dict[str, Callable[[], Any]] = {
        "index": lambda: snapshot.index(link, about),
        "models": lambda: listed_models(snapshot),
        "bias": lambda: bias_json(find_habits(snapshot)),
        "answers": lambda: list_sets(snapshot),
        **{f"overview-{board.key}": partial(timeline, board.key) for board in snapshot.boards},
        **{f"answers-{key}": partial(answers_json, snapshot, key) for key in answer_sets(snapshot)},
        "overview": overview,
    }
    written = {name: partial(_written, make) for name, make in files.items()}
    return {**written, **{board.key: partial(snapshot.payload, board.key) for board in snapshot.boards}}


def opening_of(snapshot: Snapshot, *, in_app: bool) -> Html:
    """The first screen, by where its picture is for the app or for a static site."""
    picture = f"{BOARD_FILES}/example.jpg"
    shown = (table for table in snapshot.tables if table.board.key in SHOWN)
    tops = {table.board.key: summarise(table, snapshot.simulated) for table in shown}
    return opening(snapshot.index(), tops, file_address(picture) if in_app else picture, in_app=in_app)


def _written(make: Callable[[], Any]) -> str:
    return json.dumps(make(), ensure_ascii=False, separators=(",", ":"))
