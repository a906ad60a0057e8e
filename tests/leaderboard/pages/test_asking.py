"""How every live page asks: what it shows of a job from its beginning to its end, and where there is nothing to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gradio as gr

from leaderboard.live.service.jobs import JobState, Publish
from leaderboard.live.service.limits import Visitor, Work
from leaderboard.live.service.live import Live, open_live
from leaderboard.pages.asking import Asked, ask_by
from leaderboard.settings import read_settings

REQUEST = SimpleNamespace(session_hash="page", client=None)
WORK: list[Work] = []


def asked_on_a_page(live: Live) -> Callable[[str], Iterator[tuple[Any, bool]]]:
    """What stands on a page after each update, and whether its Stop does, once something is asked there."""
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
    begin = next(iter(page.fns.values())).fn

    def updates(given: str) -> Iterator[tuple[Any, bool]]:
        for update in begin(REQUEST, given):
            yield (update[said], update[stop].visible) if said in update else ("as it was", True)

    return updates


def test_only_what_was_asked_last_is_told_and_stop_is_there_while_there_is_something_to_stop(tmp_path: Path) -> None:
    """A photo that was taken away while a model was asked about it left a Stop behind, with nothing to stop."""
    updates = asked_on_a_page(open_live(read_settings({}, tmp_path)))
    begun, *_, ended = updates("at once")
    assert (begun, ended) == (("asking", True), ("AT ONCE", False))
    going_on, just_ended = updates("until it is stopped"), updates("at once")
    for earlier, said in ((going_on, ("half of it", True)), (just_ended, ("AT ONCE", False))):
        assert said in earlier
        assert list(updates("")) == [("give a photo", False)]
        assert WORK[-1].cancel.is_set()
        assert list(earlier) == [("as it was", True)]  # Gradio sends the last update again when a function is through
