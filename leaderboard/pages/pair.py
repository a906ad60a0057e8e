"""The Pair page: two photos, both orders, and whether the model keeps its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import gradio as gr

from leaderboard import markup, pair_text
from leaderboard.live import pair
from leaderboard.live.asking import Asking
from leaderboard.live.examples import EXAMPLES
from leaderboard.live.limits import Visitor, Work
from leaderboard.live.opening import Live
from leaderboard.live.pair import Compared
from leaderboard.live.serving import Ahead, Tell, serve
from leaderboard.settings import Settings
from leaderboard.widgets import LIVE, PRIVATE, PRIVATE_LIVE, ended_by, last_of, photo, visitor_of
from qbench.errors import UserError

MOUNT = """
import(`${window.gradio_config?.root ?? ""}/gradio_api/file=${props.folder}/pair.js`)
  .then(({ mountViewer }) => mountViewer(element));
"""


def build(settings: Settings, live: Live) -> None:
    """Add the page and its endpoint."""
    gr.HTML(markup.sentence(pair_text.INTRODUCTION), apply_default_css=False)
    with gr.Row(equal_height=False):
        photos = [
            photo(
                label=f"Photo {name}",
                sources=["upload", "clipboard", "webcam"],
                height=200,
                elem_id=f"pair-{name.lower()}",
                min_width=280,
            )
            for name in pair.NAMES
        ]
    with gr.Row(elem_classes="qb-controls qb-asking"):
        model = gr.Dropdown(live.models.names, label="Model", elem_id="pair-model", min_width=240)
        swap = gr.Button("Swap", elem_id="pair-swap", size="sm", scale=0, min_width=96)
        stop = gr.Button("Stop", elem_id="pair-stop", size="sm", scale=0, min_width=96)
    result = gr.HTML(markup.sentence(pair_text.EMPTY), apply_default_css=False, elem_id="pair-result")
    viewer = gr.HTML(
        "",
        js_on_load=MOUNT,
        folder=(settings.assets / "board").as_posix(),
        apply_default_css=False,
        elem_id="pair-viewer",
    )
    gr.Examples(
        [[str(one), str(two)] for one, two in pairwise(EXAMPLES)][::5],
        photos,
        elem_id="pair-examples",
    )

    changes = [*(one.change for one in photos), model.change]
    going = ended_by(changes, live)

    def look(one: str | None, two: str | None, name: str, request: gr.Request) -> Iterator[list[Any]]:
        if not one or not two:
            yield [markup.sentence(pair_text.EMPTY), "", ""]
            return
        visitor, known, seen, kind = visitor_of(request), None, False, f"pair {uuid4().hex}"
        yield [markup.sentence(f"Asking {name} …"), gr.skip(), kind]
        for news in serve(live, visitor, kind, _comparer(live, (one, two), name, visitor)):
            if isinstance(news, tuple):
                seen = True
                yield [gr.skip(), pair_text.viewer(news), kind]
            elif isinstance(news, Compared):
                known = news
                done = "" if news.seconds is None else f"Answered in {news.seconds:.2f} s."
                yield [pair_text.found(news, done or f"Asking {name} …"), gr.skip(), kind]
            elif isinstance(news, Ahead):
                waiting = f"Waiting for {name}: {news.count} before you."
                yield [pair_text.found(known, waiting) if known else markup.sentence(waiting), gr.skip(), kind]
            else:
                # No pair but this one is looked at.
                yield [markup.sentence(news.sentence), gr.skip() if seen else "", kind]

    def halt(request: gr.Request) -> None:
        live.visits.cancel(visitor_of(request), "pair")

    inputs = [*photos, model]
    gr.on(changes, look, inputs, [result, viewer, going], **PRIVATE_LIVE)
    swap.click(lambda one, two: (two, one), photos, photos, **PRIVATE)
    stop.click(halt, **PRIVATE, queue=False)
    _add_endpoint(live, inputs)


def _comparer(
    live: Live, paths: tuple[str | None, str | None], name: str, visitor: Visitor
) -> Callable[[Work, Tell], None]:
    """The job of one comparison: both pictures, then each form of the question."""

    def job(work: Work, tell: Tell) -> None:
        if not all(paths):
            raise UserError("choose two photos first")
        one, two = (live.uploads.take_in(Path(path), visitor) for path in paths if path)
        tell((one, two))
        for known in pair.compare(Asking(live.models.lend(name, work), work, live.recent), name, (one, two)):
            tell(known)

    return job


def _add_endpoint(live: Live, inputs: list[Any]) -> None:
    def answer(first: str | None, second: str | None, model: str, request: gr.Request) -> dict[str, Any]:
        """Ask a model which of two photos looks better, in both orders and several forms of the question.

        Args:
            first: Photo A; the model gets its bytes as they are.
            second: Photo B.
            model: Name of a model of the Pair page.
        """
        visitor = visitor_of(request)
        told = serve(live, visitor, "pair", _comparer(live, (first, second), model, visitor))
        return pair.to_json(last_of(told, Compared))

    hidden = gr.Button(visible=False)
    hidden.click(answer, inputs, gr.JSON(visible=False), api_name="pair", **LIVE)
