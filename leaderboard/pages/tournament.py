"""The Tournament page: a model compares a visitor's pictures while the ranking forms."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import gradio as gr

from leaderboard import markup
from leaderboard import tournament_text as words
from leaderboard.charts.convergence import convergence
from leaderboard.live.handout import rank_by_all, rows_of, to_json, write_comparisons
from leaderboard.live.limits import Visitor
from leaderboard.live.opening import Live
from leaderboard.live.tournament import FEWEST, MOST, MOST_ROUNDS, Standing, hold, name_pictures
from leaderboard.live_text import empty, refusal
from leaderboard.widgets import LIVE, PRIVATE, PRIVATE_LIVE, plotted, visitor_of
from qbench.datasets import open_dataset
from qbench.errors import ProviderError, UserError
from qbench.pairing import ROUNDS
from qbench.records import Picture

KIND = "tournament"
EXAMPLES = ("demo-comparison", 8)


def build(live: Live) -> None:
    """Add the page and its endpoint."""
    gr.HTML(markup.page(markup.paragraph(words.INTRODUCTION, "qb-finding")), apply_default_css=False)
    with gr.Row(equal_height=False):
        files = gr.File(
            label=f"Pictures, {FEWEST} to {MOST}",
            file_count="multiple",
            file_types=["image"],
            height=160,
            elem_id="tournament-files",
        )
        with gr.Column(min_width=280):
            with gr.Row(elem_classes="qb-controls"):
                model = gr.Dropdown(live.models.names, label="Model", elem_id="tournament-model", min_width=160)
                rounds = gr.Slider(1, MOST_ROUNDS, ROUNDS, step=1, label="Rounds", elem_id="tournament-rounds")
            with gr.Row():
                start = gr.Button("Start", variant="primary", elem_id="tournament-start", min_width=80)
                stop = gr.Button("Stop", elem_id="tournament-stop", min_width=80)
                example = gr.Button("Examples", elem_id="tournament-examples", min_width=80)
    shown = _results()

    def show(paths: list[str] | None, name: str, number: float, request: gr.Request) -> Iterator[list[Any]]:
        visitor = visitor_of(request)
        drawn = 0
        try:
            pictures = _take_in(live, visitor, paths)
            for now in _hold(live, visitor, pictures, name, int(number)):
                moved = len(now.history) != drawn or not now.presented or now.ended
                drawn = len(now.history)
                yield [
                    words.status(now, name),
                    words.ranked(now, pictures),
                    *(_chart(now, name) if moved else [gr.skip()] * 2),
                    words.habits(now),
                    *(_closing(live, visitor, now, name, pictures) if now.ended else ["", *_hidden(2)]),
                ]
        except (UserError, ProviderError) as fault:
            yield [refusal(str(fault)), *[gr.skip()] * 7]

    def bring_examples(request: gr.Request) -> list[str]:
        folder = live.uploads.folder_of(visitor_of(request))
        name, how_many = EXAMPLES
        samples = open_dataset(name, limit=how_many).samples
        named = {one.images[0]: folder / one.id.replace("--", " ").replace("-", " ") for one in samples}
        return [str(shutil.copy(path, copy)) for path, copy in named.items()]

    def cancel(request: gr.Request) -> None:
        live.visits.cancel(visitor_of(request), KIND)

    start.click(show, [files, model, rounds], shown, **PRIVATE_LIVE)
    stop.click(cancel, **PRIVATE, queue=False)
    example.click(bring_examples, outputs=files, **PRIVATE)
    _add_endpoint(live, files)


def _results() -> list[Any]:
    """Status; ranked pictures on the left, chart and habits on the right; methods and downloads below."""
    status = gr.HTML(apply_default_css=False, elem_id="tournament-status")
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=320):
            ranked = gr.HTML(empty(words.EMPTY), apply_default_css=False, elem_id="tournament-ranked")
        with gr.Column(scale=6, min_width=320):
            plot = gr.Plot(show_label=False, container=False, visible=False, elem_id="tournament-plot")
            under = gr.HTML(apply_default_css=False)
            habits = gr.HTML(apply_default_css=False, elem_id="tournament-habits")
    methods = gr.HTML(apply_default_css=False, elem_id="tournament-methods")
    with gr.Row():
        comparisons = gr.DownloadButton(
            "Comparisons (JSONL)", visible=False, elem_id="tournament-comparisons", size="sm"
        )
        ranking = gr.DownloadButton("Ranking (JSON)", visible=False, elem_id="tournament-ranking", size="sm")
    return [status, ranked, plot, under, habits, methods, comparisons, ranking]


def _chart(now: Standing, model: str) -> list[Any]:
    """The rounds so far, and what stands under them."""
    chart = convergence(now)
    if chart is None:
        return [gr.Plot(visible=False), ""]
    return [plotted(chart), markup.under_chart(chart.text, f"Source: these pictures, asked of {model} here.")]


def _take_in(live: Live, visitor: Visitor, paths: list[str] | None) -> dict[str, Picture]:
    return name_pictures([live.uploads.take_in(Path(path), visitor) for path in paths or []])


def _hold(live: Live, visitor: Visitor, pictures: Mapping[str, Picture], name: str, rounds: int) -> Iterator[Standing]:
    with live.visits.begin(visitor, KIND) as work:
        yield from hold(pictures, lambda one: live.models.lend(name, one), rounds, work)


def _closing(live: Live, visitor: Visitor, now: Standing, model: str, pictures: Mapping[str, Picture]) -> list[Any]:
    """The methods side by side, and both files."""
    if not now.presented:
        return ["", *_hidden(2)]
    folder = live.uploads.folder_of(visitor)
    comparisons = write_comparisons(now, folder / "comparisons.jsonl")
    rankings = rank_by_all(comparisons)
    document = {
        **to_json(now, model),
        "methods": rankings,
        "sha256": {name: one.sha256 for name, one in pictures.items()},
    }
    ranking = folder / "ranking.json"
    ranking.write_text(json.dumps(document, indent=1, ensure_ascii=False), encoding="utf-8")
    files = [gr.DownloadButton(value=str(path), visible=True) for path in (comparisons, ranking)]
    return [words.methods(rankings), *files]


def _hidden(buttons: int) -> list[gr.DownloadButton]:
    return [gr.DownloadButton(visible=False)] * buttons


def _add_endpoint(live: Live, files: gr.File) -> None:
    def tournament(
        pictures: list[str] | None, model: str, rounds: int | None, request: gr.Request
    ) -> Iterator[dict[str, Any]]:
        """Let a model compare pictures two by two, both orders of each pair, and rank them; yields how it stands.

        Args:
            pictures: 3 to 50 image files.
            model: Name of a model of the Tournament page.
            rounds: 1 to 30; each shows every picture once in each place. Without a number 12, as in the paper.
        """
        visitor = visitor_of(request)
        try:
            taken = _take_in(live, visitor, pictures)
            for now in _hold(live, visitor, taken, model, ROUNDS if rounds is None else rounds):
                answer = to_json(now, model)
                if now.ended and now.presented:
                    path = write_comparisons(now, live.uploads.folder_of(visitor) / "asked.jsonl")
                    answer |= {"methods": rank_by_all(path), "presented": rows_of(now)}
                yield answer
        except (UserError, ProviderError) as fault:
            raise gr.Error(str(fault)) from fault

    asked = [files, gr.Textbox(visible=False), gr.Number(precision=0, visible=False)]
    gr.Button(visible=False).click(tournament, asked, gr.JSON(visible=False), api_name="tournament", **LIVE)
