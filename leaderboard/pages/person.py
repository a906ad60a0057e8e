"""The parts of the Tournament page for a person who compares photos: the panel, and how far others agree."""

from __future__ import annotations

from typing import Any

import gradio as gr

from leaderboard.html import markup
from leaderboard.html import person as words
from leaderboard.html.live import job_text, refusal
from leaderboard.live import person
from leaderboard.live.service.jobs import JobState
from leaderboard.live.service.limits import Visitor
from leaderboard.live.service.live import Live
from leaderboard.live.tournament import TournamentState, standing, take_in
from leaderboard.pages.asking import Asked, ask_by
from leaderboard.pages.widgets import Update, html, importing, several_models
from qbench.errors import UserError
from qbench.records import Picture


def add_panel(elem_id: str) -> gr.HTML:
    """Where a person answers: give it `words.panel`; its event `answered` brings the answers."""
    mount = '({ mountPanel }) => mountPanel(element, server, watch, (answers) => trigger("answered", answers))'
    return html("", elem_id, js_on_load=importing("person.js", mount), server_functions=[ask])


def ask(given: dict[str, Any]) -> dict[str, Any]:
    """The pairs that a person is to be shown, and how many there are; the browser asks for them."""
    try:
        shown, total = person.ask_pairs(person.PersonAnswers(**given))
    except TypeError:
        raise UserError("the browser sent something that is not an answer; reload the page") from None
    return {"shown": shown, "total": total}


def read_answers(pictures: dict[str, Picture], rounds: int, answered: dict[str, Any]) -> TournamentState:
    """What the answers that the panel brings come to, or a UserError where they are about other photos."""
    if answered.get("key") != person.photos_key(pictures):
        raise UserError("the chosen photos are not the ones you compared; start again")
    given = person.PersonAnswers(len(pictures), rounds, answered.get("seed", 0), answered.get("answers", ""))
    return person.as_tournament(pictures, given, float(answered.get("seconds", 0)))


def add_agreement(live: Live, files: gr.File, rounds: gr.Slider, yours: gr.JSON) -> tuple[gr.Column, gr.HTML]:
    """A choice of models, asked about the pairs that a person answered when the button is pressed, and how far they
    agree; the column is hidden until there are answers."""
    with gr.Column(visible=False) as column:
        found = html("", "tournament-agreement")
        with gr.Row(elem_classes="qb-controls qb-asking"):
            names, label = live.models.names, "Models to compare with"
            chosen = several_models(names, label, "tournament-others", names[:2], person.MOST_MODELS, min_width=240)
            compare = gr.Button("Ask them", size="sm", scale=0, min_width=96, elem_id="tournament-compare")

    def ask_them(
        visitor: Visitor, paths: list[str] | None, number: int, answered: dict[str, Any], models: list[str]
    ) -> Asked:
        def view(state: JobState[dict[str, person.Preferences], dict[str, person.Preferences]]) -> Update:
            return {found: show_agreement(state.result or state.known or known, job_text(state))}

        try:
            pictures = take_in(live, visitor, paths)
            presented = standing(read_answers(pictures, number, answered or {})).presented
        except UserError as fault:
            return {found: refusal(fault)}
        known = person.known_preferences(pictures, presented)
        return person.preferences_job(live, pictures, presented, models), view

    ask_by([compare.click], live, "agreement", ask_them, [files, rounds, yours, chosen], [found])
    return column, found


def show_agreement(sides: dict[str, person.Preferences], status: str = "") -> str:
    """What the preferences so far come to, and what goes on."""
    return markup.join(
        words.agreement(person.agreements(sides), list(sides)), markup.page(markup.status(status, "qb-note"))
    )
