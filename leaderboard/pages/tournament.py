"""The Tournament page: a model compares a visitor's pictures while the ranking forms, or the visitor does.

A reload in the middle loses nothing: the browser keeps photos and choices, and starts again with them. On the server
the photos go with the page; what a model answered about them lately is in memory still, and what a person answered is
in the browser.
"""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import gradio as gr

from leaderboard.charts.live import convergence
from leaderboard.html import markup
from leaderboard.html import person as person_words
from leaderboard.html import tournament as words
from leaderboard.html.live import about, empty, file_name, not_done, not_shown, refusal, watched
from leaderboard.html.markup import Html
from leaderboard.live.person import EXAMPLE_COUNT, EXAMPLE_DATASET, YOU, PersonAnswers, known_preferences
from leaderboard.live.service.jobs import stream_job
from leaderboard.live.service.limits import Visitor
from leaderboard.live.service.live import Live
from leaderboard.live.service.uploads import collect_pictures
from leaderboard.live.tournament import (
    FEWEST_PICTURES,
    MOST_PICTURES,
    MOST_ROUNDS,
    TournamentState,
    rank_by_all,
    rows_of,
    to_json,
    tournament_job,
    tournament_states,
    write_comparisons,
    write_ranking,
)
from leaderboard.pages import person
from leaderboard.pages.widgets import (
    CANCELLED,
    LIVE,
    PRIVATE,
    REPLACING,
    Update,
    add_model_line,
    add_plot,
    follow,
    hide_outdated,
    html,
    importing,
    optional,
    plotted,
    refused,
    stop_by,
    visitor_of,
    whole,
)
from qbench.datasets import open_dataset
from qbench.errors import UserError
from qbench.pairing import ROUNDS

KIND = "tournament"
RESUME = importing("resume.js", '({ mountResume }) => mountResume(element, watch, (was) => trigger("left", was))')
CHOOSE_LEFT = "() => window.qbChooseLeft?.()"
START = """(files, model) => {{
  const enough = files.length >= {fewest} || files.some(({{ orig_name }}) => orig_name?.endsWith(".zip"));
  if (!window.qbStartAgain && !({scorers}.includes(model) && enough)) return;
  window.qbStartAgain = false;
  setTimeout(() => document.getElementById("tournament-start").click());
}}"""
"""After a reload, and with a model that scores each picture alone, which takes a moment."""


class Results(NamedTuple):
    """What is shown of a tournament."""

    status: gr.HTML
    ranked: gr.HTML
    plot: gr.HTML
    under: gr.HTML
    habits: gr.HTML
    agreement: gr.Column
    agreed: gr.HTML
    comparisons: gr.DownloadButton
    ranking: gr.DownloadButton
    table: gr.DownloadButton
    panel: gr.HTML
    memory: gr.HTML
    """Has what the browser keeps while a tournament goes on."""
    stop: gr.Button
    """Is there while a model compares; whoever compares has a Stop in the panel."""

    def nothing(self) -> Update:
        """Nothing was found, and nobody compares."""
        texts: Update = dict.fromkeys((self.under, self.habits, self.agreed, self.panel, self.memory), "")
        hidden = gr.DownloadButton(visible=False)
        return {
            **texts,
            self.ranked: empty(words.EMPTY),
            self.plot: gr.HTML(visible=False),
            self.agreement: gr.Column(visible=False),
            self.comparisons: hidden,
            self.ranking: hidden,
            self.table: hidden,
            self.stop: gr.Button("Stop", visible=False),
        }


def build(live: Live) -> None:
    """Add the page and its endpoint."""
    html(markup.opening(words.TITLE, words.INTRODUCTION))
    names = [*live.models.names, YOU]
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
                model = gr.Dropdown(names, label="Who compares", elem_id="tournament-model", min_width=160)
                rounds = whole(
                    gr.Slider(1, MOST_ROUNDS, ROUNDS, step=1, label="Rounds", elem_id="tournament-rounds"), "rounds"
                )
            with gr.Row():
                start = gr.Button("Start", variant="primary", elem_id="tournament-start", min_width=80)
                example = gr.Button("Examples", elem_id="tournament-examples", min_width=80)
                stop = gr.Button("Stop", visible=False, elem_id="tournament-stop", min_width=80)
    add_model_line(model, "tournament")
    panel, yours = person.add_panel("tournament-person"), gr.JSON(visible=False)
    parts, agreement = _results(live, panel, stop)
    _resume(parts.memory, model, rounds, names)
    files.upload(None, [files, model], js=_start_at_once(live), **PRIVATE)
    hide_outdated("tournament", pictures=files, model=model, rounds=rounds)

    def show(paths: list[str] | None, name: str, number: int, request: gr.Request) -> Iterator[Any]:
        visitor, drawn = visitor_of(request), -1
        about_these = partial(about, "tournament", pictures=paths, model=name, rounds=number)
        subject = words.tournament_subject([file_name(path) for path in paths or []], name, number)

        def view(state: TournamentState) -> Update:
            nonlocal drawn
            if state.failure and not state.answers.presented:
                return {**parts.nothing(), parts.status: about_these(refusal(state.failure))}
            update = {
                **parts.nothing(),
                parts.status: about_these(
                    watched(words.tournament_status(state, name), subject), outdated=not_shown(subject)
                ),
                parts.ranked: about_these(words.ranked(state)),
                parts.habits: words.tournament_habits(state),
                **_chart(parts, state, name),
                **(_closing(live, visitor, parts, state, name) if state.ended else {}),
                parts.memory: "" if state.ended else words.going(state.answers.pictures, name, number),
                parts.stop: gr.Button("Stop", visible=not state.ended),
            }
            if len(state.history) == drawn and not state.ended:  # the chart is as it was
                del update[parts.plot], update[parts.under]
            drawn = len(state.history)
            return update

        if name == YOU:
            live.visits.cancel(visitor, KIND, replaced=True)
            yield _begin(live, visitor, parts, paths, number, about_these)
            return
        yield from follow(_states(live, visitor, paths, name, number), view)

    def show_yours(paths: list[str] | None, number: int, event: gr.EventData, request: gr.Request) -> Update:
        visitor, answered = visitor_of(request), dict(event._data or {})
        about_these = partial(about, "tournament", pictures=paths, model=YOU, rounds=number)
        subject = words.your_subject([file_name(path) for path in paths or []])
        try:
            pictures = person.take_in(live, visitor, paths)
            state = person.read_answers(pictures, number, answered)
        except UserError as fault:
            return {**parts.nothing(), parts.status: about_these(refusal(fault)), yours: None}
        status = watched(words.tournament_status(state, YOU), subject)
        return {
            **parts.nothing(),
            parts.status: about_these(status, outdated=not_shown(subject)),
            parts.ranked: about_these(words.ranked(state)),
            parts.habits: person_words.habits(state),
            **_chart(parts, state, YOU),
            **_closing(live, visitor, parts, state, YOU),
            parts.agreement: gr.Column(visible=bool(state.answers.presented)),
            parts.agreed: person.show_agreement(known_preferences(pictures, state.answers.presented)),
            yours: answered,
        }

    start.click(show, [files, model, rounds], [*parts], **REPLACING)
    panel.answered(show_yours, [files, rounds], [*parts, yours], **PRIVATE)
    person.connect_agreement(live, agreement, files, rounds, yours)
    stop_by(stop, live, KIND)
    _bring_examples(live, example, files)
    _add_endpoint(live, files)


def _bring_examples(live: Live, button: gr.Button, files: gr.File) -> None:
    def bring(request: gr.Request) -> list[str]:
        folder = live.uploads.folder_of(visitor_of(request))
        samples = open_dataset(EXAMPLE_DATASET, limit=EXAMPLE_COUNT).samples
        named = {sample.images[0]: folder / sample.id.replace("--", " ").replace("-", " ") for sample in samples}
        return [str(shutil.copy(path, copy)) for path, copy in named.items()]

    button.click(bring, outputs=files, **PRIVATE)


def _begin(
    live: Live,
    visitor: Visitor,
    parts: Results,
    paths: list[str] | None,
    rounds: int,
    about_these: Callable[..., Html],
) -> Update:
    """The panel that a person answers in, in place of what a model compares."""
    try:
        pictures = person.take_in(live, visitor, paths)
        begun = PersonAnswers(len(pictures), rounds, secrets.randbelow(2**31))
    except UserError as fault:
        return {**parts.nothing(), parts.status: about_these(refusal(fault))}
    return {
        **parts.nothing(),
        parts.status: about_these(person_words.begun(begun)),
        parts.panel: about_these(person_words.panel(pictures, begun)),
        parts.memory: words.going(pictures, YOU, rounds),
    }


def _results(live: Live, panel: gr.HTML, stop: gr.Button) -> tuple[Results, person.AgreementParts]:
    """Status; ranked pictures on the left, chart and habits on the right; agreement and downloads below."""
    status = html("", "tournament-status")
    with gr.Column(elem_classes="qb-found"):
        with gr.Row(equal_height=False):
            with gr.Column(scale=5, min_width=320):
                ranked = html(empty(words.EMPTY), "tournament-ranked")
            with gr.Column(scale=6, min_width=320):
                plot = add_plot("tournament-plot", "Scores after each round", visible=False)
                under, habits = html(), html("", "tournament-habits")
        agreement = person.add_agreement(live)
        with gr.Row():
            comparisons = gr.DownloadButton(
                "Comparisons (JSONL)", visible=False, elem_id="tournament-comparisons", size="sm"
            )
            ranking = gr.DownloadButton("Ranking (JSON)", visible=False, elem_id="tournament-ranking", size="sm")
            table = gr.DownloadButton("Ranking (CSV)", visible=False, elem_id="tournament-csv", size="sm")
    memory = html("", "tournament-memory", js_on_load=RESUME)
    found = (agreement.column, agreement.found, comparisons, ranking, table)
    return Results(status, ranked, plot, under, habits, *found, panel, memory, stop), agreement


def _start_at_once(live: Live) -> str:
    wanted = {name: live.models.wants(name) or {"text"} for name in live.models.names}
    scorers = [name for name, wants in wanted.items() if wants <= {"score", "map"}]
    return START.format(fewest=FEWEST_PICTURES, scorers=json.dumps(scorers))


def _resume(memory: gr.HTML, model: gr.Dropdown, rounds: gr.Slider, names: list[str]) -> None:
    """Choose again what the browser has kept."""

    def choose(event: gr.EventData) -> Any:
        update: Update = {model: event.model} if event.model in names else {}
        if isinstance(event.rounds, int) and 1 <= event.rounds <= MOST_ROUNDS:
            update[rounds] = event.rounds
        return update or gr.skip()

    memory.left(choose, outputs=[model, rounds], **PRIVATE).then(None, js=CHOOSE_LEFT, **PRIVATE)


def _chart(parts: Results, state: TournamentState, model: str) -> Update:
    """The rounds so far, and what stands under them."""
    chart = convergence(state)
    if chart is None:
        return {parts.plot: gr.HTML(visible=False), parts.under: ""}
    source = f"Source: {len(state.names)} pictures, compared by {model} here."
    return {parts.plot: plotted(chart), parts.under: markup.under_chart(chart.text, source)}


def _states(live: Live, visitor: Visitor, paths: list[str] | None, name: str, rounds: int) -> Iterator[TournamentState]:
    take_in = partial(collect_pictures, paths, visitor, live.uploads, MOST_PICTURES)
    job = tournament_job(take_in, lambda work: live.models.lend(name, work), rounds, live.recent)
    return tournament_states(stream_job(live, visitor, KIND, job))


def _closing(live: Live, visitor: Visitor, parts: Results, state: TournamentState, model: str) -> Update:
    """The comparisons, and the ranking by every method, as files."""
    if not state.answers.presented:
        return {}
    folder = live.uploads.folder_of(visitor)
    comparisons, ranking = write_comparisons(state, folder / "comparisons.jsonl"), folder / "ranking.json"
    digests = {name: picture.sha256 for name, picture in state.answers.pictures.items()}
    document: Mapping[str, Any] = {**to_json(state, model), "methods": rank_by_all(state), "sha256": digests}
    ranking.write_text(json.dumps(document, indent=1, ensure_ascii=False), encoding="utf-8")
    return {
        parts.comparisons: gr.DownloadButton(value=str(comparisons), visible=True),
        parts.ranking: gr.DownloadButton(value=str(ranking), visible=True),
        parts.table: gr.DownloadButton(value=str(write_ranking(state, folder / "ranking.csv")), visible=True),
    }


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
                raise refused(not_done(state.failure))
            answer, ended = to_json(state, model), state.ended
            if state.ended and state.answers.presented:
                answer |= {"methods": rank_by_all(state), "presented": rows_of(state)}
            yield answer
        if not ended:
            raise refused(CANCELLED)

    first = live.models.names[0] if live.models.names else ""
    asked = [files, *optional(first), whole(gr.Number(ROUNDS, visible=False), "rounds")]
    gr.Button(visible=False).click(tournament, asked, gr.JSON(visible=False), api_name="tournament", **LIVE)
