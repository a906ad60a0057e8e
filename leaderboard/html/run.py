"""What the Run page says: how far it is, the figures, the model's habits, what it missed, where it would stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from leaderboard.html import markup
from leaderboard.html.live import job_text
from leaderboard.html.markup import Html, template
from leaderboard.html.run_choices import model_name
from leaderboard.html.run_figures import interval, value
from leaderboard.live.run import BoardPosition, Disagreement, NoPosition, RunState
from leaderboard.live.run_files import KeptRun
from leaderboard.live.run_request import RunRequest
from leaderboard.submissions.preview import Placing
from leaderboard.tables.words import count, dataset_title, duration, listed, ordinal
from qbench.commands.preview import metric_name
from qbench.tasks import TASKS

TITLE = "Run a model on a dataset"
INTRODUCTION = (
    "While the model answers, you see its figures beside those of published models. If the same run was done before, "
    "you see its results at once."
)
EMPTY = "While answers arrive, one provisional figure appears here; at the end, all figures with 95 % intervals."
NO_POSITION: Mapping[NoPosition, str] = {
    "demo set": "There are no published results on the demo sets, whose truth is synthetic. The board “Demo "
    "(synthetic)” shows how others do on them.",
    "part of a dataset": "You ran a part of the dataset. Boards compare results on whole datasets, so there is no "
    "model to compare with.",
    "no column": "No board has a column for this dataset, so there is no model to compare with.",
}
MOST_ALIKE = 6
_WORST = template("""
<ol class="qb-worst">
{%- for pictures, sentence in items -%}
  <li><div>
  {%- for address in pictures -%}
    <a href="{{ address }}" target="_blank" rel="noopener"><img src="{{ address }}" alt="" loading="lazy"></a>
  {%- endfor -%}
  </div>{{ sentence }}</li>
{%- endfor -%}
</ol>
""")


def run_subject(request: RunRequest) -> str:
    """What a run is about."""
    part = f"the first {request.limit} samples of " if request.limit else ""
    title = TASKS[request.task].title if request.task in TASKS else request.task
    return f"“{title}” on {part}{dataset_title(request.dataset)}, run with {model_name(request.model)}"


def run_status(state: RunState, run: KeptRun) -> Html:
    """Where the run is, in one line that screen readers are told, over a bar and the figure so far."""
    seen = state.progress
    share = 0.0 if seen is None or not seen.total else seen.done / seen.total
    bar = markup.NOTHING if state.ended else markup.done_bar(share)
    known, name, figure = state.known, metric_name(run.request.task), markup.NOTHING
    if known and known.value is not None and not state.result:
        whole = known.low is not None and known.high is not None
        span = f"95 % interval {interval(name.lower(), known)}" if whole else ""
        figure = markup.number(value(name.lower(), known.value), f"{name} so far {span}")
    return markup.page(markup.status(_status(state, run)), bar, figure)


def _status(state: RunState, run: KeptRun) -> str:
    model = model_name(run.request.model)
    what = f"{model} on {dataset_title(run.request.dataset)}"
    progress, done = _progress(state), f"Done: {what} in {duration(max(state.seconds, 1))}."
    stopped = f"Stopped: {progress or what}. The answers so far are kept; “Go on” asks for the rest."
    if state.result and state.result.cached:
        done = f"Already done: {what}. Every answer was known. “Run again” asks the model again."
    if run.status == "interrupted":
        stopped = f"Interrupted: {what}. The app restarted. The answers so far are kept; “Go on” asks for the rest."
    reason = state.failure.rstrip(".") if state.failure else ""
    failed = f"Ended early: {reason}. {progress}. The answers so far are kept."
    doing = state.doing or "waiting to begin"
    so_far = progress or ("" if state.ahead else f"{doing.capitalize()}, {duration(state.seconds)} so far.")
    return job_text(state, model, so_far=so_far, done=done, stopped=stopped, failed=failed)


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
        parts.append(f"about {duration(seen.seconds_left)} left")
    if seen.done == seen.total and not state.ended:
        parts.append(f"working out the figures, {duration(state.seconds)} so far")
    return ", ".join(parts)


def board_position(position: BoardPosition | NoPosition) -> Html:
    """Where the result would stand, or why it stands nowhere."""
    said = map(_placed, position.placings) if isinstance(position, BoardPosition) else [NO_POSITION[position]]
    return markup.page(markup.heading("Beside published models"), *map(markup.finding, said))


def _placed(placing: Placing) -> str:
    place = f"{placing.board.title}, {placing.column.label}: {ordinal(placing.rank)} of {placing.models} models"
    claimed = "" if placing.best is None else f"; it can claim the ranks {placing.best} to {placing.worst}"
    alike = listed((neighbour.name for neighbour in placing.alike), MOST_ALIKE)
    untold = f" It cannot be told apart from {alike}." if alike else ""
    stays = " A figure that was published before stays on the board." if placing.passed_over else ""
    return f"{place}{claimed}.{untold}{stays}"


def worst(found: Sequence[tuple[Disagreement, Sequence[Path]]], answers_known: bool) -> Html:
    """The widest disagreements, each with copies of its pictures that the page may serve."""
    if not answers_known:
        reason = "The answers of this record were asked for in another way, so this page does not list its mistakes."
        return markup.sentence(reason, "qb-note")
    if not found:
        return markup.NOTHING
    number = f" {len(found)}" if len(found) > 1 else ""
    wide = found[0][0].gap is not None
    head = f"The{number} widest disagreement{'s' * bool(number)}" if wide else f"The first{number} of the wrong answers"
    items = [
        (
            [markup.file_address(copy.as_posix()) for copy in copies],
            markup.join(markup.paragraph(disagreement.said), markup.note(_damage(disagreement))),
        )
        for disagreement, copies in found
    ]
    return markup.page(markup.heading(head), _WORST(items=items))


def _damage(disagreement: Disagreement) -> str:
    """What was done to the pictures, where that is known."""
    where = " from the left" if len(disagreement.damage) > 1 else ""
    return f"Damage{where}: {'; '.join(disagreement.damage)}." if disagreement.damage else ""
