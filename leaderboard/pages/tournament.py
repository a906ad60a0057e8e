"""The Tournament page: a model compares a visitor's pictures while the ranking forms, or the visitor does."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import gradio as gr

from leaderboard.charts.convergence import convergence
from leaderboard.html import markup
from leaderboard.html import person as person_text
from leaderboard.html import tournament as words
from leaderboard.html.live import about, empty, file_name, not_shown, refusal, watched
from leaderboard.html.markup import Html
from leaderboard.live.agreement import EXAMPLE_COUNT, EXAMPLE_DATASET, known_preferences
from leaderboard.live.person import YOU, PersonAnswers
from leaderboard.live.service.image_files import unpacked_images
from leaderboard.live.service.jobs import stream_job
from leaderboard.live.service.limits import Visitor
from leaderboard.live.service.messages import Failure
from leaderboard.live.service.open import Live
from leaderboard.live.tournament import (
    FEWEST_PICTURES,
    MOST_PICTURES,
    MOST_ROUNDS,
    TournamentState,
    tournament_job,
    tournament_states,
)
from leaderboard.live.tournament_files import rank_by_all, rows_of, to_json, write_comparisons
from leaderboard.pages import person, resuming
from leaderboard.pages.endpoint_inputs import optional, whole
from leaderboard.pages.widgets import (
    CANCELLED,
    LIVE,
    PRIVATE,
    REPLACING,
    add_model_line,
    add_plot,
    hide_outdated,
    plotted,
    refused,
    stop_by,
    unchanged,
    visitor_of,
)
from qbench.datasets import open_dataset
from qbench.errors import UserError
from qbench.pairing import ROUNDS

KIND = "tournament"


def build(live: Live) -> None:
    """Add the page and its endpoint."""
    gr.HTML(markup.opening(words.TITLE, words.INTRODUCTION), apply_default_css=False)
    with gr.Row(equal_height=False):
        files = gr.File(
            label=f"Pictures, {FEWEST_PICTURES} to {MOST_PICTURES}, or a zip",
            file_count="multiple",
            file_types=["image", ".zip"],
            height=160,
            elem_id="tournament-files",
        )
        with gr.Column(min_width=280):
            with gr.Row(elem_classes="qb-controls"):
                model = gr.Dropdown(
                    [*live.models.names, YOU], label="Who compares", elem_id="tournament-model", min_width=160
                )
                rounds = whole(
                    gr.Slider(1, MOST_ROUNDS, ROUNDS, step=1, label="Rounds", elem_id="tournament-rounds"), "rounds"
                )
            with gr.Row():
                start = gr.Button("Start", variant="primary", elem_id="tournament-start", min_width=80)
                example = gr.Button("Examples", elem_id="tournament-examples", min_width=80)
                stop = gr.Button("Stop", visible=False, elem_id="tournament-stop", min_width=80)
    add_model_line(model, "tournament")
    panel, yours = person.add_panel("tournament-person"), gr.JSON(visible=False)
    results, agreement = _results(live)
    memory = resuming.add_memory(files, model, rounds, [*live.models.names, YOU])
    shown = [*results, panel, agreement.column, agreement.found, memory, stop]
    hide_outdated("tournament", pictures=files, model=model, rounds=rounds)

    def show(paths: list[str] | None, name: str, number: int, request: gr.Request) -> Iterator[list[Any]]:
        visitor, drawn, ended = visitor_of(request), 0, False
        about_these = partial(about, "tournament", pictures=paths, model=name, rounds=number)
        subject = words.tournament_subject([file_name(path) for path in paths or []], name, number)
        if name == YOU:
            yield _begin(live, visitor, paths, number, about_these)
            return
        for state in _states(live, visitor, paths, name, number):
            presented, ended = state.answers.presented, state.ended
            if state.failure and not presented:
                yield [about_these(refusal(state.failure)), *_nothing()]
                return
            moved = len(state.history) != drawn or not presented or state.ended
            drawn = len(state.history)
            yield [
                about_these(watched(words.tournament_status(state, name), subject), outdated=not_shown(subject)),
                about_these(words.ranked(state)),
                *(_chart(state, name) if moved else [gr.skip()] * 2),
                words.tournament_habits(state),
                *(_closing(live, visitor, state, name) if state.ended else ["", *_hidden(2)]),
                *_no_person(memory="" if state.ended else resuming.going(state.answers.pictures, name, number)),
                _stop(not state.ended),
            ]
        if not ended:
            yield unchanged(shown)

    def show_yours(paths: list[str] | None, number: int, event: gr.EventData, request: gr.Request) -> list[Any]:
        visitor, answered = visitor_of(request), dict(event._data or {})
        about_these = partial(about, "tournament", pictures=paths, model=YOU, rounds=number)
        subject = words.your_subject([file_name(path) for path in paths or []])
        try:
            pictures = person.take_in(live, visitor, paths)
            state = person.read_answers(pictures, number, answered)
        except UserError as fault:
            return [about_these(refusal(Failure(str(fault)))), *_nothing(), None]
        return [
            about_these(watched(words.tournament_status(state, YOU), subject), outdated=not_shown(subject)),
            about_these(words.ranked(state)),
            *_chart(state, YOU),
            person_text.habits(state),
            *_closing(live, visitor, state, YOU),
            "",
            gr.Column(visible=bool(state.answers.presented)),
            person.show_agreement(known_preferences(pictures, state.answers.presented)),
            "",
            _stop(False),
            answered,
        ]

    def bring_examples(request: gr.Request) -> list[str]:
        folder = live.uploads.folder_of(visitor_of(request))
        samples = open_dataset(EXAMPLE_DATASET, limit=EXAMPLE_COUNT).samples
        named = {sample.images[0]: folder / sample.id.replace("--", " ").replace("-", " ") for sample in samples}
        return [str(shutil.copy(path, copy)) for path, copy in named.items()]

    start.click(show, [files, model, rounds], shown, **REPLACING)
    panel.answered(show_yours, [files, rounds], [*shown, yours], **PRIVATE)
    person.connect_agreement(live, agreement, files, rounds, yours)
    stop_by(stop, live, KIND)
    example.click(bring_examples, outputs=files, **PRIVATE)
    _add_endpoint(live, files)


def _begin(
    live: Live, visitor: Visitor, paths: list[str] | None, rounds: int, about_these: Callable[..., Html]
) -> list[Any]:
    """The panel that a person answers in, in place of what a model compares."""
    live.visits.cancel(visitor, KIND, replaced=True)
    try:
        pictures = person.take_in(live, visitor, paths)
        begun = PersonAnswers(len(pictures), rounds, secrets.randbelow(2**31))
    except UserError as fault:
        return [about_these(refusal(Failure(str(fault)))), *_nothing()]
    panel = about_these(person_text.panel(pictures, begun))
    return [about_these(person_text.begun(begun)), *_nothing(panel, resuming.going(pictures, YOU, rounds))]


def _results(live: Live) -> tuple[list[Any], person.AgreementParts]:
    """Status; ranked pictures on the left, chart and habits on the right; agreement, methods and downloads below."""
    status = gr.HTML(apply_default_css=False, elem_id="tournament-status")
    with gr.Column(elem_classes="qb-found"):
        with gr.Row(equal_height=False):
            with gr.Column(scale=5, min_width=320):
                ranked = gr.HTML(empty(words.EMPTY), apply_default_css=False, elem_id="tournament-ranked")
            with gr.Column(scale=6, min_width=320):
                plot = add_plot("tournament-plot", "Scores after each round", visible=False)
                under = gr.HTML(apply_default_css=False)
                habits = gr.HTML(apply_default_css=False, elem_id="tournament-habits")
        agreement = person.add_agreement(live)
        methods = gr.HTML(apply_default_css=False, elem_id="tournament-methods")
        with gr.Row():
            comparisons = gr.DownloadButton(
                "Comparisons (JSONL)", visible=False, elem_id="tournament-comparisons", size="sm"
            )
            ranking = gr.DownloadButton("Ranking (JSON)", visible=False, elem_id="tournament-ranking", size="sm")
    return [status, ranked, plot, under, habits, methods, comparisons, ranking], agreement


def _nothing(panel: str = "", memory: str = "") -> list[Any]:
    """All but the status, where nothing was found; perhaps the panel to answer in, and what the browser keeps."""
    return [
        empty(words.EMPTY),
        gr.HTML(visible=False),
        "",
        "",
        "",
        *_hidden(2),
        *_no_person(panel, memory),
        _stop(False),
    ]


def _stop(going: bool) -> gr.Button:
    """Is there while a model compares; whoever compares has a Stop in the panel."""
    return gr.Button("Stop", visible=going)


def _no_person(panel: str = "", memory: str = "") -> list[Any]:
    """Nobody has compared but a model: there is nobody to agree with."""
    return [panel, gr.Column(visible=False), "", memory]


def _chart(state: TournamentState, model: str) -> list[Any]:
    """The rounds so far, and what stands under them."""
    chart = convergence(state)
    if chart is None:
        return [gr.HTML(visible=False), ""]
    source = f"Source: {len(state.names)} pictures, compared by {model} here."
    return [plotted(chart), markup.under_chart(chart.text, source)]


def _states(live: Live, visitor: Visitor, paths: list[str] | None, name: str, rounds: int) -> Iterator[TournamentState]:
    job = tournament_job(
        lambda: [
            live.uploads.take_in(path, visitor) for path in unpacked_images(paths, visitor, live.uploads, MOST_PICTURES)
        ],
        lambda work: live.models.lend(name, work),
        rounds,
        live.recent,
    )
    return tournament_states(stream_job(live, visitor, KIND, job))


def _closing(live: Live, visitor: Visitor, state: TournamentState, model: str) -> list[Any]:
    """The methods side by side, and both files."""
    if not state.answers.presented:
        return ["", *_hidden(2)]
    folder = live.uploads.folder_of(visitor)
    comparisons = write_comparisons(state, folder / "comparisons.jsonl")
    rankings = rank_by_all(state)
    document = {
        **to_json(state, model),
        "methods": rankings,
        "sha256": {name: picture.sha256 for name, picture in state.answers.pictures.items()},
    }
    ranking = folder / "ranking.json"
    ranking.write_text(json.dumps(document, indent=1, ensure_ascii=False), encoding="utf-8")
    files = [gr.DownloadButton(value=str(path), visible=True) for path in (comparisons, ranking)]
    return [words.methods(rankings), *files]


def _hidden(buttons: int) -> list[gr.DownloadButton]:
    return [gr.DownloadButton(visible=False)] * buttons


def _add_endpoint(live: Live, files: gr.File) -> None:
    def tournament(
        pictures: list[str] | None, model: str, request: gr.Request, rounds: int = ROUNDS
    ) -> Iterator[dict[str, Any]]:
        """Let a model compare pictures two by two, both orders of each pair, and rank them; yields how it stands.

        Args:
            pictures: 3 to 50 image files, or a zip of them.
            model: Name of a model of the Tournament page.
            rounds: 1 to 30; each shows every picture once in each place. Without a number 12, as in the paper.
        """
        visitor, ended = visitor_of(request), False
        for state in _states(live, visitor, pictures, model, rounds):
            if state.failure and not state.answers.presented:
                raise refused(state.failure.sentence)
            answer, ended = to_json(state, model), state.ended
            if state.ended and state.answers.presented:
                answer |= {"methods": rank_by_all(state), "presented": rows_of(state)}
            yield answer
        if not ended:
            raise refused(CANCELLED)

    first = live.models.names[0] if live.models.names else ""
    asked = [files, *optional(first), whole(gr.Number(ROUNDS, visible=False), "rounds")]
    gr.Button(visible=False).click(tournament, asked, gr.JSON(visible=False), api_name="tournament", **LIVE)
