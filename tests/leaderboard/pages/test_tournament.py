"""The endpoint of tournaments, without a server."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import gradio as gr
import pytest

from leaderboard.live.service.live import open_live
from leaderboard.live.service.uploads import EXAMPLES
from leaderboard.pages import tournament
from leaderboard.pages.widgets import visitor_of
from leaderboard.settings import read_settings

PHOTOS = [str(path) for path in EXAMPLES[:3]]


def test_a_script_whose_tournament_is_stopped_for_another_is_told(tmp_path: Path) -> None:
    """It would take the last standing for the end of it."""
    live = open_live(read_settings({"QBENCH_MODELS": "scripted"}, tmp_path))
    with gr.Blocks() as blocks:
        tournament._add_endpoint(live, gr.File())
    [endpoint] = [event.fn for event in blocks.fns.values() if event.api_name == "tournament"]
    request = SimpleNamespace(session_hash="page", client=SimpleNamespace(host="127.0.0.1"))
    standings = endpoint(PHOTOS, "scripted", request, 2)
    next(standings)
    live.visits.cancel(visitor_of(request), tournament.KIND, replaced=True)
    with pytest.raises(gr.Error, match="cancelled"):
        list(standings)
    *_, end = endpoint(PHOTOS, "scripted", request, 2)
    assert (end["ended"], end["comparisons"]) == ("all rounds", 4)
