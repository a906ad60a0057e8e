"""What the Run page says: how far it is, the figures, the model's habits, what it missed, where it would stand."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from urllib.parse import quote

from leaderboard.html import markup
from leaderboard.html.run_figures import ends, value
from leaderboard.live.disagreements import Disagreement
from leaderboard.live.on_boards import Among
from leaderboard.live.run import RunRequest, RunState
from leaderboard.submissions.preview import Placing
from leaderboard.tables.words import count, listed, ordinal
from qbench.commands.preview import metric_name
from qbench.records import Want
from qbench.tasks.asking import is_encoder

INTRODUCTION = "Run a model on a dataset while you watch. What was run before is shown at once."
EMPTY = "The figures appear here as the answers come: first a running one, then all of them with 95 % intervals."
MOST_ALIKE = 6


def unable(model: str, wants: frozenset[Want], task: str, can: Sequence[str], others: Sequence[str]) -> str:
    """Why a model cannot be run on a task, what it can do, and who can; screen readers are told."""
    what = (
        "it compares pictures with captions, and answers no questions"
        if is_encoder(wants)
        else "it gives each picture a score, and nothing else"
        if wants == {"score"}
        else "it answers in words, and gives no vectors to find pictures by"
    )
    said = f"{model} cannot do {task}: {what}. It can do {listed(can)}."
    more = f" Models that can: {', '.join(others)}." if others else ""
    return markup.page(f'<p class="qb-finding" role="status">{escape(said + more)}</p>')


def subject(request: RunRequest, model: str) -> str:
    """What a run is about."""
    part = f"the first {request.limit} samples of " if request.limit else ""
    return f"{request.task} on {part}{request.dataset}, asked of {model}"


def status_line(state: RunState, request: RunRequest, model: str) -> str:
    """Where the run is, in one line that screen readers are told, over a bar and the figure so far."""
    seen = state.progress
    share = 0.0 if seen is None or not seen.total else seen.done / seen.total
    bar = "" if state.ended else f'<div class="qb-done" style="--share:{share:.4f}"></div>'
    return markup.page(
        f'<p class="qb-finding" role="status">{escape(_status(state, request, model))}</p>',
        bar,
        _running(state, request.task),
    )


def _status(state: RunState, request: RunRequest, model: str) -> str:
    what = f"{model} on {request.dataset}"
    if state.finished and state.finished.cached:
        at = next(iter(state.finished.records.results.values())).source.at
        return f"Cached: {what} was run on {at}. “Run again” asks the model anew."
    if state.finished:
        return f"Done: {what} in {state.seconds:.0f} s."
    said = _progress(state)
    if state.cancelled:
        return f"Stopped: {said or 'nothing was asked yet'}. What was answered is kept; Run goes on from there."
    if state.failure:
        return f"Ended early: {state.failure.reason.rstrip('.')}. {said}. What was answered is kept."
    if state.ahead:
        return f"Waiting for {model}: {state.ahead} before you. {said}".rstrip()
    return said or f"{state.doing.capitalize()}, {state.seconds:.0f} s so far."


def _progress(state: RunState) -> str:
    """How far, how well, how fast."""
    seen = state.progress
    if seen is None:
        return ""
    step = f"Round {seen.step}: " if seen.step > 1 else ""
    parts = [f"{step}{seen.done:,} of {count(seen.total, 'answer')}"]
    if seen.cached:
        parts.append(f"{seen.cached:,} known before")
    if seen.failed:
        parts.append(f"{seen.failed:,} failed")
    if seen.rate and not state.ended:
        parts.append(f"{seen.rate:.1f} a second")
    if seen.seconds_left and not state.ended:
        parts.append(f"about {seen.seconds_left:.0f} s left")
    if seen.done == seen.total and not state.ended:
        parts.append(f"working out the figures, {state.seconds:.0f} s so far")
    return ", ".join(parts)


def _running(state: RunState, task: str) -> str:
    """The figure so far, large, with its interval."""
    one = state.metric
    if one is None or one.value is None or state.finished:
        return ""
    name = metric_name(task)
    span = "" if one.low is None or one.high is None else f"95 % interval {ends(name.lower(), one)}"
    return (
        f'<p class="qb-number"><strong>{value(name.lower(), one.value)}</strong>'
        f"<span>{escape(name)} so far {escape(span)}</span></p>"
    )


def standing(among: Among | str) -> str:
    """Where the result would stand."""
    said = [among] if isinstance(among, str) else [_placed(one) for one in among.placings]
    return markup.page(
        markup.heading("Beside published models"), *(markup.paragraph(one, "qb-finding") for one in said)
    )


def _placed(one: Placing) -> str:
    place = f"{one.board.title}, {one.column.label}: {ordinal(one.rank)} of {one.models} models"
    claimed = "" if one.best is None else f"; it can claim the ranks {one.best} to {one.worst}"
    alike = [each.name for each in one.alike]
    named = listed([*alike[:MOST_ALIKE], f"{len(alike) - MOST_ALIKE} more"] if len(alike) > MOST_ALIKE else alike)
    told = f" It cannot be told apart from {named}." if alike else ""
    stays = " A figure that was published before stays on the board." if one.passed_over else ""
    return f"{place}{claimed}.{told}{stays}"


def worst(found: Sequence[tuple[Disagreement, Sequence[Path]]], answers_known: bool) -> str:
    """The widest disagreements, each with copies of its pictures that the page may serve."""
    if not answers_known:
        said = "The answers behind this record were asked for in another way, so they are not gone through here."
        return markup.page(markup.paragraph(said, "qb-note"))
    if not found:
        return ""
    number = f" {len(found)}" if len(found) > 1 else ""
    wide = found[0][0].gap is not None
    head = f"The{number} widest disagreement{'s' * bool(number)}" if wide else f"The first{number} of the wrong answers"
    items = "".join(
        f"<li><div>{''.join(_picture(copy) for copy in copies)}</div>{markup.paragraph(one.said)}</li>"
        for one, copies in found
    )
    return markup.page(markup.heading(head), f'<ol class="qb-worst">{items}</ol>')


def _picture(path: Path) -> str:
    address = escape(f"gradio_api/file={quote(path.as_posix())}")
    return f'<a href="{address}" target="_blank" rel="noopener"><img src="{address}" alt="" loading="lazy"></a>'


def on_board(files: Sequence[str]) -> str:
    """What putting a record on the local board did."""
    said = f"Written to the results of this installation: {', '.join(files)}. Boards that have a column show it soon."
    return markup.page(markup.paragraph(said, "qb-note"))
