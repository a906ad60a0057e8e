"""How every live page asks: what it shows of a job from its beginning to its end, and where there is nothing to do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gradio as gr

from leaderboard.live.service.jobs import JobState, Publish
from leaderboard.live.service.limits import Visitor, Work
from leaderboard.live.service.live import Live, open_live
from leaderboard.pages.widgets import Asked, ask_by
from leaderboard.settings import read_settings

REQUEST = SimpleNamespace(session_hash="page", client=None)
WORK: list[Work] = []


def updates(live: Live, given: str) -> Iterator[tuple[Any, bool]]:
    """What stands on a page after each update, and whether its Stop does."""
    with gr.Blocks() as page:
        field, said, stop = gr.Textbox(), gr.HTML(), gr.Button("Stop", visible=False)

    def ask(visitor: Visitor, text: str) -> Asked:
        def job(work: Work, publish: Publish) -> str:
            WORK.append(work)
            publish(known="half of it")
            return text.upper() if text == "at once" else str(work.cancel.wait(30))

        def view(state: JobState[str, str]) -> dict[Any, Any]:
            return {said: state.result or state.known or "asking"}

        assert visitor.session == "page"
        return (job, view) if text else {said: "give a photo"}

    with page:
        ask_by([field.change], live, "pair", ask, [field], [said], stop)
    for update in next(iter(page.fns.values())).fn(REQUEST, given):
        yield (update[said], update[stop].visible) if said in update else ("as it was", True)


def test_stop_is_there_while_there_is_something_to_stop(tmp_path: Path) -> None:
    """A photo that was taken away while a model was asked about it left a Stop behind, with nothing to stop."""
    live = open_live(read_settings({}, tmp_path))
    begun, *_, ended = updates(live, "at once")
    assert (begun, ended) == (("asking", True), ("AT ONCE", False))
    earlier = updates(live, "until it is stopped")
    assert ("half of it", True) in earlier
    assert list(updates(live, "")) == [("give a photo", False)]
    assert WORK[-1].cancel.is_set()
    assert list(earlier) == [("as it was", True)]  # says nothing more
