"""The boards' data as files of JSON, as the app and the static site give them to browsers."""

from __future__ import annotations

import json

from leaderboard.analysis.answers import answer_sets, answers_json, list_sets
from leaderboard.analysis.between_boards import find_reach, map_boards
from leaderboard.analysis.findings import find_habits
from leaderboard.analysis.model import listed_models
from leaderboard.analysis.overview import first_screen
from leaderboard.html.between_boards import between_json
from leaderboard.html.bias import bias_json, in_short
from leaderboard.html.markup import BOARD_FILES, Html, file_address
from leaderboard.html.overview import SHOWN, opening, timeline_json
from leaderboard.snapshot import Snapshot

INDEX, OVERVIEW, MODELS, BIAS, ANSWERS = "index", "overview", "models", "bias", "answers"


def data_names(snapshot: Snapshot) -> list[str]:
    """Names of all files: lists of boards, models and sets of answers, habits, each board, its overview, each set of
    answers, the overview of all boards."""
    keys = [board.key for board in snapshot.boards]
    sets = (f"{ANSWERS}-{key}" for key in answer_sets(snapshot))
    return [INDEX, MODELS, BIAS, ANSWERS, *keys, *(f"{OVERVIEW}-{key}" for key in keys), *sets, OVERVIEW]


def data_file(
    snapshot: Snapshot,
    name: str,
    link: str | None = None,
    about: str | None = None,
    *,
    in_app: bool = True,
) -> str | None:
    """Text of the file of this name; None where there is none.

    Args:
        snapshot: The data.
        name: One of `data_names`.
        link: Where links to a view start; None for the page's own address.
        about: Address of the page that explains the metrics, if there is one.
        in_app: Whether there are pages for visitors' own photos, which a static site has not.
    """
    if name not in data_names(snapshot):
        return None
    if name == INDEX:
        return _json(snapshot.index(link, about))
    if name == MODELS:
        return _json(listed_models(snapshot))
    if name == ANSWERS:
        return _json(list_sets(snapshot))
    if name.startswith(f"{ANSWERS}-"):
        return _json(answers_json(snapshot, name.removeprefix(f"{ANSWERS}-")))
    if name == BIAS:
        return _json(bias_json(find_habits(snapshot)))
    key = name.removeprefix(f"{OVERVIEW}-")
    if name == key != OVERVIEW:
        return snapshot.payload(key)
    as_of = snapshot.loaded.as_of
    if name == OVERVIEW:
        found = map_boards(snapshot)
        told = between_json(found, find_reach(snapshot), as_of)
        first = {
            "opening": opening_of(snapshot, in_app=in_app),
            "revision": snapshot.loaded.revision,
        }
        return _json({**first, **told, "habits": in_short(find_habits(snapshot))})
    return _json(timeline_json(snapshot.table(key), snapshot.simulated, as_of))


def opening_of(snapshot: Snapshot, *, in_app: bool) -> Html:
    """The first screen, by where its picture is for the app or for a static site."""
    picture = f"{BOARD_FILES}/example.jpg"
    found = first_screen(snapshot, SHOWN)
    return opening(found, file_address(picture) if in_app else picture, in_app=in_app)


def _json(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
