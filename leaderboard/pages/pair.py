"""The Pair page: two photos, both orders, and whether the model keeps its answer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import gradio as gr

from leaderboard.html import markup
from leaderboard.html import pair as words
from leaderboard.html.live import ASKED_ANEW, about, answers, file_name, refusal
from leaderboard.html.markup import Html
from leaderboard.live import pair
from leaderboard.live.person import YOU
from leaderboard.live.service.jobs import JobState
from leaderboard.live.service.limits import Visitor
from leaderboard.live.service.live import Live
from leaderboard.live.service.uploads import EXAMPLES
from leaderboard.pages import asking, widgets
from leaderboard.pages.asking import Asked
from leaderboard.pages.widgets import Update
from qbench.errors import UserError
from qbench.records import Picture

KIND = "pair"
_YOURS = {"A is better": "A", "Equal": "tie", "B is better": "B"}


def build(live: Live) -> None:
    widgets.html(markup.opening(words.TITLE, words.INTRODUCTION))
    with gr.Row(equal_height=False):
        photos = [
            widgets.photo(label=f"Photo {name}", height=200, elem_id=f"pair-{name.lower()}", min_width=280)
            for name in pair.PHOTO_NAMES
        ]
    names = live.models.names
    with gr.Row(elem_classes="qb-controls qb-asking"):
        model = gr.Dropdown(names, label="Model", elem_id="pair-model", scale=2, min_width=240)
        quick, shape = pair.quick_models(names), {"scale": 3, "min_width": 240}
        others = widgets.several_models(
            [YOU, *names], "Other models", "pair-others", quick, pair.MOST_OTHERS + 1, **shape
        )
        swap = gr.Button("Swap", elem_id="pair-swap", size="sm", scale=0, min_width=96)
        stop = widgets.stop_button("pair-stop")
    widgets.add_model_line(model, "pair")
    result = widgets.html(markup.sentence(words.EMPTY), "pair-result")
    with gr.Row(visible=False, elem_id="pair-yours") as asked:
        buttons = [gr.Button(text, size="sm", min_width=96) for text in _YOURS]
    yours = gr.State(())
    viewer = widgets.html(
        "", "pair-viewer", js_on_load=widgets.importing("pair.js", "({ mountViewer }) => mountViewer(element)")
    )
    widgets.add_examples(
        [[str(first), str(second)] for first, second in pairwise(EXAMPLES)][::5], photos, "pair-examples"
    )
    widgets.hide_outdated("pair", a=photos[0], b=photos[1], model=model)
    inputs = [*photos, model, others]
    changes = [*(each.change for each in inputs), yours.change]

    def look(
        visitor: Visitor, first: str | None, second: str | None, name: str, several: list[str], answer: tuple[str, ...]
    ) -> Asked:
        hidden = gr.Row(visible=False)
        if not first or not second:
            return {result: markup.sentence(words.EMPTY), asked: hidden}
        preferred = _preferred(answer, first, second) if YOU in several else None
        if YOU in several and not preferred:
            try:
                _pictures(live, visitor, first, second)
            except UserError as fault:
                return {result: refusal(fault), asked: hidden}
            question = about("pair", markup.sentence(words.YOUR_TURN), a=first, b=second, model=name)
            return {result: question, asked: gr.Row(visible=True)}

        def view(state: JobState[pair.PairResult, pair.PairResult]) -> Update:
            known = state.result or state.known
            subject = f"{file_name(first)} and {file_name(second)}, judged by {name}"
            found = words.pair_results(known, preferred) if known else markup.NOTHING
            said = answers(subject, state, asking.asking_text(live, name), name, found)
            return {result: about("pair", said, outdated=ASKED_ANEW, a=first, b=second, model=name), asked: hidden}

        return pair.pair_job(live, visitor, (first, second), name, [other for other in several if other != YOU]), view

    _draw_viewer(live, photos, viewer)
    asking.ask_by(changes, live, KIND, look, [*inputs, yours], [result, asked], stop, changes=True)
    for button, preferred in zip(buttons, _YOURS.values(), strict=True):
        button.click(partial(_answered, preferred), photos, yours, **widgets.PRIVATE)
    swap.click(None, photos, photos, js="(first, second) => [second, first]", **widgets.PRIVATE)
    _add_endpoint(live, inputs)


def _draw_viewer(live: Live, photos: list[gr.Image], viewer: gr.HTML) -> None:
    """Show both photos once there are two, and anew only when one changes: how they are looked at stays as chosen."""

    def draw(first: str | None, second: str | None, request: gr.Request) -> Html:
        try:
            if first and second:
                pictures = _pictures(live, asking.visitor_of(request), first, second)
                return about("pair", words.viewer(pictures), a=first, b=second)
        except UserError:  # the answer says why
            pass
        return markup.NOTHING

    gr.on([each.change for each in photos], draw, photos, viewer, **widgets.PRIVATE)


def _pictures(live: Live, visitor: Visitor, first: str, second: str) -> list[Picture]:
    """Both photos, or a UserError where one is none, or too large."""
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
        asked_too = pair.quick_models(live.models.names) if others is None else asking.given_names(others, "others")
        if YOU in asked_too:
            raise UserError(f"“{YOU}” compares photos on the page; name models here")
        job = pair.pair_job(live, asking.visitor_of(request), (first, second), model, asked_too)
        return pair.to_json(asking.result_of(live, request, KIND, job))

    asking.add_endpoint("pair", answer, inputs)
