"""The Pair page: two photos, both orders, and whether the model keeps its answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import gradio as gr

from leaderboard.html import markup
from leaderboard.html import pair as words
from leaderboard.html.live import ASKED_ANEW, about, answers, file_name, refusal
from leaderboard.live import pair
from leaderboard.live.person import YOU
from leaderboard.live.service.jobs import JobState
from leaderboard.live.service.limits import Visitor
from leaderboard.live.service.live import Live
from leaderboard.live.service.uploads import EXAMPLES
from leaderboard.pages.widgets import (
    LATEST,
    LIVE,
    PRIVATE,
    PRIVATE_LIVE,
    Update,
    add_examples,
    add_model_line,
    asking_text,
    end_earlier,
    follow,
    given_names,
    hide_outdated,
    html,
    importing,
    photo,
    result_of,
    states_of,
    stop_by,
    visitor_of,
)
from qbench.errors import UserError
from qbench.records import Picture

KIND = "pair"
_YOURS = {"A is better": "A", "Equal": "tie", "B is better": "B"}


def build(live: Live) -> None:
    """Add the page and its endpoint."""
    html(markup.opening(words.TITLE, words.INTRODUCTION))
    photos = _photos()
    model, others, swap, stop = _controls(live)
    add_model_line(model, "pair")
    result = html(markup.sentence(words.EMPTY), "pair-result")
    with gr.Row(visible=False, elem_id="pair-yours") as asked:
        buttons = [gr.Button(text, size="sm", min_width=96) for text in _YOURS]
    yours = gr.State(())
    viewer = html("", "pair-viewer", js_on_load=importing("pair.js", "({ mountViewer }) => mountViewer(element)"))
    add_examples([[str(first), str(second)] for first, second in pairwise(EXAMPLES)][::5], photos, "pair-examples")
    hide_outdated("pair", a=photos[0], b=photos[1], model=model)
    changes = [*(each.change for each in photos), model.change, others.change]
    end_earlier(changes, live, KIND)

    def look(
        first: str | None,
        second: str | None,
        name: str,
        several: list[str],
        answer: tuple[str, ...],
        request: gr.Request,
    ) -> Iterator[Any]:
        hidden = gr.Row(visible=False)
        if not first or not second:
            yield {result: markup.sentence(words.EMPTY), asked: hidden}
            return
        visitor = visitor_of(request)
        preferred = _preferred(answer, first, second) if YOU in several else None
        if YOU in several and not preferred:
            try:
                _pictures(live, visitor, first, second)
            except UserError as fault:
                yield {result: refusal(fault), asked: hidden}
                return
            question = about("pair", markup.sentence(words.YOUR_TURN), a=first, b=second, model=name)
            yield {result: question, asked: gr.Row(visible=True)}
            return

        def show(state: JobState[pair.PairResult, pair.PairResult]) -> Update:
            known, subject = (
                state.result or state.known,
                f"{file_name(first)} and {file_name(second)}, judged by {name}",
            )
            found = words.pair_results(known, preferred) if known else markup.NOTHING
            said = answers(subject, state, words.asking_others(known) or asking_text(live, name), name, found)
            shown = about("pair", said, outdated=ASKED_ANEW, a=first, b=second, model=name)
            return {result: shown, asked: hidden, stop: gr.Button(visible=not state.ended)}

        yield show(JobState())
        asked_too = [other for other in several if other != YOU]
        job = pair.pair_job(live, visitor, (first, second), name, asked_too)
        yield from follow(states_of(live, request, KIND, job), show)

    inputs = [*photos, model]
    _draw_viewer(live, photos, viewer)
    gr.on(changes, look, [*inputs, others, yours], [result, asked, stop], **PRIVATE_LIVE)
    for button, preferred in zip(buttons, _YOURS.values(), strict=True):
        chosen = button.click(partial(_answered, preferred), photos, yours, **PRIVATE)
        chosen.then(look, [*inputs, others, yours], [result, asked, stop], **LATEST, **LIVE)
    swap.click(None, photos, photos, js="(first, second) => [second, first]", **PRIVATE)
    stop_by(stop, live, KIND)
    _add_endpoint(live, [*inputs, others])


def _photos() -> list[gr.Image]:
    with gr.Row(equal_height=False):
        return [
            photo(
                label=f"Photo {name}",
                sources=["upload", "clipboard", "webcam"],
                height=200,
                elem_id=f"pair-{name.lower()}",
                min_width=280,
            )
            for name in pair.PHOTO_NAMES
        ]


def _controls(live: Live) -> tuple[gr.Dropdown, gr.Dropdown, gr.Button, gr.Button]:
    """The model that is asked in every form, the others, and buttons."""
    with gr.Row(elem_classes="qb-controls qb-asking"):
        model = gr.Dropdown(live.models.names, label="Model", elem_id="pair-model", scale=2, min_width=240)
        others = gr.Dropdown(
            [YOU, *live.models.names],
            value=pair.quick_models(live.models.names),
            multiselect=True,
            max_choices=pair.MOST_OTHERS + 1,
            label="Other models",
            elem_id="pair-others",
            scale=3,
            min_width=240,
        )
        swap = gr.Button("Swap", elem_id="pair-swap", size="sm", scale=0, min_width=96)
        stop = gr.Button("Stop", visible=False, elem_id="pair-stop", size="sm", scale=0, min_width=96)
    return model, others, swap, stop


def _draw_viewer(live: Live, photos: list[gr.Image], viewer: gr.HTML) -> None:
    """Show both photos once there are two, and anew only when one changes: how they are looked at stays as chosen."""
    shown = gr.State(())

    def draw(first: str | None, second: str | None, before: tuple[str, ...], request: gr.Request) -> Any:
        if before and before == (first, second):
            return gr.skip()
        try:
            if first and second:
                pictures = _pictures(live, visitor_of(request), first, second)
                return {viewer: about("pair", words.viewer(pictures), a=first, b=second), shown: (first, second)}
        except UserError:  # the answer says why
            pass
        return {viewer: "", shown: ()}

    gr.on([each.change for each in photos], draw, [*photos, shown], [viewer, shown], **PRIVATE)


def _pictures(live: Live, visitor: Visitor, first: str, second: str) -> list[Picture]:
    """Both photos, checked.

    Raises:
        UserError: One is none, or too large.
    """
    return [live.uploads.take_in(Path(path), visitor) for path in (first, second)]


def _answered(choice: str, first: str | None, second: str | None) -> tuple[str, ...]:
    """The visitor's answer, with the photos it is about."""
    return (first, second, choice) if first and second else ()


def _preferred(answer: Sequence[str], first: str, second: str) -> str | None:
    """Which of these photos the visitor prefers, also once they changed places; None where others were shown."""
    if not answer or {first, second} != set(answer[:2]):
        return None
    choice = answer[2]
    return choice if answer[0] == first else {"A": "B", "B": "A"}.get(choice, choice)


def _add_endpoint(live: Live, inputs: list[Any]) -> None:
    def answer(
        first: str | None, second: str | None, model: str, others: list[str] | None, request: gr.Request
    ) -> dict[str, Any]:
        """Ask models which of two photos looks better: one in both orders and several forms of the question.

        Args:
            first: Photo A; the model gets its bytes as they are. A tool of MCP is given data:image/jpeg;base64,….
            second: Photo B, given alike.
            model: Name of a model of the Pair page, asked in every form of the question that it can answer.
            others: Names of models that are asked in the first form that each can answer, in both orders; without it
                those that come with the project, [] for none. What they say stands under "others".
        """
        asked_too = pair.quick_models(live.models.names) if others is None else given_names(others, "others")
        if YOU in asked_too:
            raise UserError(f"“{YOU}” compares photos on the page; name models here")
        job = pair.pair_job(live, visitor_of(request), (first, second), model, asked_too)
        return pair.to_json(result_of(states_of(live, request, KIND, job)))

    answer.__name__ = "pair"  # as the tool of MCP is called
    gr.Button(visible=False).click(answer, inputs, gr.JSON(visible=False), api_name="pair", **LIVE)
