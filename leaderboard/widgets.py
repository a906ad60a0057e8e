"""Parts of Gradio that several pages use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import gradio as gr
from gradio.components.plot import PlotData
from gradio.data_classes import ImageData

from leaderboard.charts.chart import Chart
from leaderboard.live.limits import Visitor, visitor_at
from leaderboard.live.opening import Live
from leaderboard.live.serving import Trouble

NewsT = TypeVar("NewsT")
PRIVATE: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
"""Of events that are no endpoint; the page says itself what goes on."""
LIVE: dict[str, Any] = {"concurrency_limit": 20, "concurrency_id": "live"}
"""Of events that ask models. Visitors queue at the models, where they are told their place, and not in Gradio."""
PRIVATE_LIVE: dict[str, Any] = {**PRIVATE, **LIVE}


def photo(**settings: Any) -> gr.Image:
    """An image input that hands over the path of the uploaded file, unread.

    Gradio's own decodes the file, which hostile ones want, and may write it anew, which changes its pixels. A subclass
    would say this better, but Gradio writes a file of types beside every module that has one.
    """
    made = gr.Image(type="filepath", image_mode=None, **settings)
    made.preprocess = _path_of
    return made


def plotted(chart: Chart | None) -> gr.Plot:
    """A chart on its page; hidden where there is none."""
    return gr.Plot(PlotData(type="plotly", plot=chart.plot), visible=True) if chart else gr.Plot(visible=False)


def last_of(told: Iterable[Any], kind: type[NewsT]) -> NewsT:
    """What an endpoint answers: the last news of this kind.

    Raises:
        gr.Error: There was trouble, or the work was cancelled before there was any.
    """
    last = None
    for news in told:
        if isinstance(news, Trouble):
            raise gr.Error(news.sentence)
        last = news if isinstance(news, kind) else last
    if last is None:
        raise gr.Error("This was cancelled; ask again.")
    return last


def given_file(path: str | None) -> Path:
    """The file that the caller of an endpoint gave.

    Raises:
        gr.Error: There is none.
    """
    if not path:
        raise gr.Error("there is no file; give one")
    return Path(path)


def _path_of(payload: ImageData | None) -> str | None:
    return payload.path if payload else None


def ended_by(events: Sequence[Any], live: Live) -> gr.Textbox:
    """What is to hold the name of the work that goes on, which these events end.

    Gradio keeps a change back until the work before it is through. That work ends by a name of its own, so that a
    request which comes late stops nothing that was asked since.
    """
    going = gr.Textbox(visible=False)

    def end(earlier: str | None, request: gr.Request) -> None:
        if earlier:
            live.visits.cancel(visitor_of(request), earlier)

    gr.on(events, end, going, queue=False, **PRIVATE)
    return going


def forget_who_leaves(demo: gr.Blocks, live: Live) -> None:
    """When a page is closed, what runs for it stops and what it uploaded is deleted."""

    def leave(request: gr.Request) -> None:
        live.leave(visitor_of(request))

    demo.unload(leave)


def visitor_of(request: gr.Request) -> Visitor:
    """Who asks. Behind a proxy the address is what that says it is, which is good enough to share the models by."""
    forwarded = request.headers.get("x-forwarded-for", "").split(",")[0].strip()
    return visitor_at(request.session_hash, forwarded or (request.client.host if request.client else None))
