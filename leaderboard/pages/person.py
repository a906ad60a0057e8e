"""The parts of the Tournament page for a person who compares photos: the panel, and how far others agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import gradio as gr

from leaderboard.html import markup
from leaderboard.html import person as words
from leaderboard.html.live import job_text, refusal
from leaderboard.live.person import (
    MOST_MODELS,
    PersonAnswers,
    Preferences,
    agreements,
    as_tournament,
    ask_pairs,
    photos_key,
    preferences_job,
)
from leaderboard.live.service.jobs import JobState
from leaderboard.live.service.limits import Visitor
from leaderboard.live.service.live import Live
from leaderboard.live.service.uploads import collect_pictures
from leaderboard.live.tournament import MOST_PICTURES, TournamentState, name_pictures
from leaderboard.pages.widgets import PRIVATE_LIVE, follow, html, importing, states_of, visitor_of
from qbench.errors import UserError
from qbench.records import Picture


class AgreementParts(NamedTuple):
    """What is shown once a person has compared."""

    column: gr.Column
    models: gr.Dropdown
    compare: gr.Button
    found: gr.HTML


def add_panel(elem_id: str) -> gr.HTML:
    """Where a person answers: give it `words.panel`; its event `answered` brings the answers."""
    mount = '({ mountPanel }) => mountPanel(element, server, watch, (answers) => trigger("answered", answers))'
    return html("", elem_id, js_on_load=importing("person.js", mount), server_functions=[ask])


def ask(given: dict[str, Any]) -> dict[str, Any]:
    """The pairs that a person is to be shown, and how many there are; the browser asks for them."""
    try:
        shown, total = ask_pairs(PersonAnswers(**given))
    except TypeError:
        raise UserError("the browser sent something that is not an answer; reload the page") from None
    return {"shown": shown, "total": total}


def take_in(live: Live, visitor: Visitor, paths: Sequence[str] | None) -> dict[str, Picture]:
    """The photos by their names.

    Raises:
        UserError: They cannot be compared.
    """
    return name_pictures(collect_pictures(paths, visitor, live.uploads, MOST_PICTURES))


def read_answers(pictures: dict[str, Picture], rounds: int, answered: dict[str, Any]) -> TournamentState:
    """What the answers that the panel brings come to.

    Raises:
        UserError: They are about other photos, or are none.
    """
    if answered.get("key") != photos_key(pictures):
        raise UserError("the chosen photos are not the ones you compared; start again")
    given = PersonAnswers(len(pictures), rounds, answered.get("seed", 0), answered.get("answers", ""))
    return as_tournament(pictures, given, float(answered.get("seconds", 0)))


def add_agreement(live: Live) -> AgreementParts:
    """A choice of models, and how far they agree with a person; hidden until there are answers."""
    with gr.Column(visible=False) as column:
        found = html("", "tournament-agreement")
        with gr.Row(elem_classes="qb-controls qb-asking"):
            models = gr.Dropdown(
                live.models.names,
                value=list(live.models.names[:2]),
                multiselect=True,
                max_choices=MOST_MODELS,
                label="Models to compare with",
                elem_id="tournament-others",
                min_width=240,
            )
            compare = gr.Button("Ask them", size="sm", scale=0, min_width=96, elem_id="tournament-compare")
    return AgreementParts(column, models, compare, found)


def connect_agreement(live: Live, parts: AgreementParts, files: gr.File, rounds: gr.Slider, yours: gr.JSON) -> None:
    """Ask the chosen models about the pairs that were answered, when the button is pressed."""

    def view(state: JobState[dict[str, Preferences], dict[str, Preferences]]) -> dict[Any, str]:
        return {parts.found: show_agreement(state.result or state.known or {}, job_text(state))}

    def compare(
        paths: list[str] | None, number: int, answered: dict[str, Any], models: list[str], request: gr.Request
    ) -> Iterator[Any]:
        try:
            pictures = take_in(live, visitor_of(request), paths)
            presented = read_answers(pictures, number, answered or {}).answers.presented
        except UserError as fault:
            yield refusal(fault)
            return
        job = preferences_job(live, pictures, presented, models)
        yield from follow(states_of(live, request, "agreement", job), view)

    parts.compare.click(compare, [files, rounds, yours, parts.models], parts.found, **PRIVATE_LIVE)


def show_agreement(sides: dict[str, Preferences], status: str = "") -> str:
    """What the preferences so far come to, and what goes on."""
    return markup.join(words.agreement(agreements(sides), list(sides)), markup.page(markup.status(status, "qb-note")))
