"""The Tournament page: a model compares a visitor's pictures while the ranking forms, or the visitor does.

A reload in the middle loses nothing: the browser keeps photos and choices, and starts again with them. On the server
the photos go with the page; what a model answered about them lately is in memory still, and what a person answered is
in the browser.
"""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import gradio as gr

from leaderboard.charts.live import convergence
from leaderboard.html import markup
from leaderboard.html import person as person_words
from leaderboard.html import tournament as words
from leaderboard.html.live import CANCELLED, about, empty, file_name, not_done, not_shown, refusal, source_here, watched
from leaderboard.html.markup import Html
from leaderboard.live import tournament
from leaderboard.live.person import EXAMPLE_COUNT, EXAMPLE_DATASET, YOU, PersonAnswers, known_preferences
from leaderboard.live.service.jobs import stream_job
from leaderboard.live.service.limits import Visitor
from leaderboard.live.service.live import Live
from leaderboard.live.tournament import TournamentState, standing
from leaderboard.pages import asking, person, widgets
from leaderboard.pages.asking import Asked
from leaderboard.pages.widgets import Update
from qbench.datasets import open_dataset
from qbench.errors import UserError
from qbench.pairing import ROUNDS

KIND = "tournament"
RESUME = widgets.importing(
    "resume.js", '({ mountResume }) => mountResume(element, watch, (was) => trigger("left", was))'
)
CHOOSE_LEFT = "() => window.qbChooseLeft?.()"
START = """(files, model) => {{
  const enough = files.length >= {fewest} || files.some(({{ orig_name }}) => orig_name?.endsWith(".zip"));
  if (!window.qbStartAgain && !({scorers}.includes(model) && enough)) return;
  window.qbStartAgain = false;
  setTimeout(() => document.getElementById("tournament-start").click());
}}"""
"""After a reload, and with a model that scores each picture alone, which takes a moment."""


def build(live: Live) -> None:
    widgets.html(markup.opening(words.TITLE, words.INTRODUCTION))
    page = TournamentPage(live)
    page.connect()
    _add_endpoint(live, page.files)


class TournamentPage:
    """The parts of the page, and what becomes of them while a model compares, or the visitor."""

    def __init__(self, live: Live) -> None:
        self.live = live
        self.names = [*live.models.names, YOU]
        with gr.Row(equal_height=False):
            self.files = gr.File(
                label=f"Pictures, {tournament.FEWEST_PICTURES} to {tournament.MOST_PICTURES}, or a zip",
                file_count="multiple",
                file_types=["image", ".zip"],
                height=160,
                elem_id="tournament-files",
            )
            with gr.Column(min_width=280):
                with gr.Row(elem_classes="qb-controls"):
                    self.model = gr.Dropdown(
                        self.names, label="Who compares", elem_id="tournament-model", min_width=160
                    )
                    rounds = gr.Slider(
                        1, tournament.MOST_ROUNDS, ROUNDS, step=1, label="Rounds", elem_id="tournament-rounds"
                    )
                    self.rounds = asking.whole(rounds, "rounds")
                with gr.Row():
                    self.start = gr.Button("Start", variant="primary", elem_id="tournament-start", min_width=80)
                    self.example = gr.Button("Examples", elem_id="tournament-examples", min_width=80)
                    self.stop = gr.Button("Stop", visible=False, elem_id="tournament-stop", min_width=80)
        widgets.add_model_line(self.model, "tournament")
        self.panel, self.yours = person.add_panel("tournament-person"), gr.JSON(visible=False)
        self.status = widgets.html("", "tournament-status")
        with gr.Column(elem_classes="qb-found"):
            with gr.Row(equal_height=False):
                with gr.Column(scale=5, min_width=320):
                    self.ranked = widgets.html(empty(words.EMPTY), "tournament-ranked")
                with gr.Column(scale=6, min_width=320):
                    self.plot = widgets.add_plot("tournament-plot", "Scores after each round", visible=False)
                    self.under, self.habits = widgets.html(), widgets.html("", "tournament-habits")
            self.agreement, self.agreed = person.add_agreement(live, self.files, self.rounds, self.yours)
            with gr.Row():
                self.comparisons, self.ranking, self.table = (
                    gr.DownloadButton(label, visible=False, elem_id=f"tournament-{key}", size="sm")
                    for label, key in (
                        ("Comparisons (JSONL)", "comparisons"),
                        ("Ranking (JSON)", "ranking"),
                        ("Ranking (CSV)", "csv"),
                    )
                )
        self.memory = widgets.html("", "tournament-memory", js_on_load=RESUME)
        """Has what the browser keeps while a tournament goes on."""

    def connect(self) -> None:
        live, about_what = self.live, [self.files, self.model, self.rounds]
        left = self.memory.left(self.choose_left, outputs=[self.model, self.rounds], **widgets.PRIVATE)
        left.then(None, js=CHOOSE_LEFT, **widgets.PRIVATE)
        self.files.upload(None, [self.files, self.model], js=_start_at_once(live), **widgets.PRIVATE)
        widgets.hide_outdated("tournament", pictures=self.files, model=self.model, rounds=self.rounds)
        found = [self.ranked, self.plot, self.under, self.habits, self.agreement, self.agreed]
        outputs = [self.status, *found, self.comparisons, self.ranking, self.table, self.panel, self.memory]
        asking.ask_by([self.start.click], live, KIND, self.begin, about_what, outputs, self.stop)
        self.panel.answered(self.show_yours, [self.files, self.rounds], [*outputs, self.yours], **widgets.PRIVATE)
        self.example.click(self.bring_examples, outputs=self.files, **widgets.PRIVATE)

    def choose_left(self, event: gr.EventData) -> Any:
        """Choose again what the browser has kept."""
        update: Update = {self.model: event.model} if event.model in self.names else {}
        if isinstance(event.rounds, int) and 1 <= event.rounds <= tournament.MOST_ROUNDS:
            update[self.rounds] = event.rounds
        return update or gr.skip()

    def bring_examples(self, request: gr.Request) -> list[str]:
        """Photos at as many levels of one damage, under names that say so."""
        folder = self.live.uploads.folder_of(asking.visitor_of(request))
        samples = open_dataset(EXAMPLE_DATASET, limit=EXAMPLE_COUNT).samples
        named = {sample.images[0]: folder / sample.id.replace("--", " ").replace("-", " ") for sample in samples}
        return [str(shutil.copy(path, copy)) for path, copy in named.items()]

    def begin(self, visitor: Visitor, paths: list[str] | None, name: str, rounds: int) -> Asked:
        """Have a model compare, or the visitor in the panel."""
        about_these = partial(about, "tournament", pictures=paths, model=name, rounds=rounds)
        if name == YOU:
            return self._panel(visitor, paths, rounds, about_these)
        subject = words.tournament_subject([file_name(path) for path in paths or []], name, rounds)
        drawn = -1

        def view(state: TournamentState) -> Update:
            nonlocal drawn
            known = standing(state)
            if state.failure and not known.presented:
                return {**self._nothing(), self.status: about_these(refusal(state.failure))}
            update = {
                **self._found(visitor, state, name, subject, about_these),
                self.habits: words.tournament_habits(known),
                self.memory: "" if state.ended else words.going(known.pictures, name, rounds),
            }
            if len(known.history) == drawn and not state.ended:  # the chart is as it was
                del update[self.plot], update[self.under]
            drawn = len(known.history)
            return update

        return tournament.tournament_job(self.live, visitor, paths, name, rounds), view

    def show_yours(self, paths: list[str] | None, rounds: int, event: gr.EventData, request: gr.Request) -> Update:
        """What the visitor's answers come to, which the panel brings at the end."""
        visitor, answered = asking.visitor_of(request), dict(event._data or {})
        about_these = partial(about, "tournament", pictures=paths, model=YOU, rounds=rounds)
        subject = words.your_subject([file_name(path) for path in paths or []])
        try:
            pictures = tournament.take_in(self.live, visitor, paths)
            state = person.read_answers(pictures, rounds, answered)
        except UserError as fault:
            return {**self._nothing(), self.status: about_these(refusal(fault)), self.yours: None}
        return {
            **self._found(visitor, state, YOU, subject, about_these),
            self.habits: person_words.habits(standing(state)),
            self.agreement: gr.Column(visible=bool(standing(state).presented)),
            self.agreed: person.show_agreement(known_preferences(pictures, standing(state).presented)),
            self.yours: answered,
        }

    def _nothing(self) -> Update:
        """Nothing was found, and nobody compares."""
        texts: Update = dict.fromkeys((self.under, self.habits, self.agreed, self.panel, self.memory), "")
        files = (self.comparisons, self.ranking, self.table)
        return {
            **texts,
            self.ranked: empty(words.EMPTY),
            self.plot: gr.HTML(visible=False),
            self.agreement: gr.Column(visible=False),
            **{file: gr.DownloadButton(visible=False) for file in files},
        }

    def _panel(
        self, visitor: Visitor, paths: list[str] | None, rounds: int, about_these: Callable[..., Html]
    ) -> Update:
        """The panel that a person answers in, in place of what a model compares."""
        try:
            pictures = tournament.take_in(self.live, visitor, paths)
            begun = PersonAnswers(len(pictures), rounds, secrets.randbelow(2**31))
        except UserError as fault:
            return {**self._nothing(), self.status: about_these(refusal(fault))}
        return {
            **self._nothing(),
            self.status: about_these(person_words.begun(begun)),
            self.panel: about_these(person_words.panel(pictures, begun)),
            self.memory: words.going(pictures, YOU, rounds),
        }

    def _found(
        self, visitor: Visitor, state: TournamentState, name: str, subject: str, about_these: Callable[..., Html]
    ) -> Update:
        """Status, ranking, the rounds so far as a chart, and at the end the files."""
        known, status = standing(state), watched(words.tournament_status(state, name), subject)
        chart, source = convergence(known), source_here(f"{len(known.names)} pictures, compared by {name}")
        return {
            **self._nothing(),
            self.status: about_these(status, outdated=not_shown(subject)),
            self.ranked: about_these(words.ranked(known)),
            self.plot: widgets.plotted(chart),
            self.under: markup.under_chart(chart.text, source) if chart else "",
            **(self._files(visitor, state, name) if state.ended and known.presented else {}),
        }

    def _files(self, visitor: Visitor, state: TournamentState, model: str) -> Update:
        """The comparisons, and the ranking by every method, to download."""
        known, folder = standing(state), self.live.uploads.folder_of(visitor)
        ranking, table = folder / "ranking.json", folder / "ranking.csv"
        digests = {name: picture.sha256 for name, picture in known.pictures.items()}
        document = {**tournament.to_json(state, model), "methods": tournament.rank_by_all(known), "sha256": digests}
        ranking.write_text(json.dumps(document, indent=1, ensure_ascii=False), encoding="utf-8")
        table.write_text(tournament.ranking_csv(known), encoding="utf-8", newline="")
        comparisons = tournament.write_comparisons(known, folder / "comparisons.jsonl")
        written = {self.comparisons: comparisons, self.ranking: ranking, self.table: table}
        return {button: gr.DownloadButton(value=str(path), visible=True) for button, path in written.items()}


def _start_at_once(live: Live) -> str:
    wanted = {name: live.models.wants(name) or {"text"} for name in live.models.names}
    scorers = [name for name, wants in wanted.items() if wants <= {"score", "map"}]
    return START.format(fewest=tournament.FEWEST_PICTURES, scorers=json.dumps(scorers))


def _add_endpoint(live: Live, files: gr.File) -> None:
    def answer(
        pictures: list[str] | None, model: str, request: gr.Request, rounds: int = ROUNDS
    ) -> Iterator[dict[str, Any]]:
        """Let a model compare pictures two by two, both orders of each pair, and rank them; yields how it stands.

        Args:
            pictures: 3 to 50 image files, or a zip of them.
            model: Name of a model of the Tournament page.
            rounds: 1 to 30; each shows every picture once in each place. Without a number 12, as in the paper.
        """
        visitor, ended = asking.visitor_of(request), False
        for state in stream_job(live, visitor, KIND, tournament.tournament_job(live, visitor, pictures, model, rounds)):
            told, known, ended = tournament.to_json(state, model), standing(state), state.ended
            if state.failure and not known.presented:
                raise asking.refused(not_done(state.failure))
            if ended and known.presented:
                told |= {"methods": tournament.rank_by_all(known), "presented": tournament.rows_of(known)}
            yield told
        if not ended:
            raise asking.refused(CANCELLED)

    first = live.models.names[0] if live.models.names else ""
    asked = [files, *asking.optional(first), asking.whole(gr.Number(ROUNDS, visible=False), "rounds")]
    asking.add_endpoint("tournament", answer, asked)
