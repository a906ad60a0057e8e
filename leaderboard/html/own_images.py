"""What the Run page says of a visitor's own images."""

from __future__ import annotations

from leaderboard.html import markup
from leaderboard.html.live import job_status, job_text
from leaderboard.html.markup import Html, HtmlRow
from leaderboard.html.run_figures import metrics_table
from leaderboard.live.own_images import MOST_IMAGES, OwnRun
from leaderboard.live.service.jobs import JobState
from leaderboard.tables.words import minus

INTRODUCTION = (
    f"Give up to {MOST_IMAGES} images, or a zip of them. You may add a CSV of your own scores (columns img_path and "
    "gt_score, higher is better). The model scores every image; with your scores, you also see how well it agrees with "
    "you. No board shows your files or results; they are deleted when you leave, or about an hour after you last used "
    "them."
)
_MOST_ROWS = 50


def own_status(state: JobState[None, OwnRun], model: str) -> Html:
    """Where it is, in one line that screen readers are told."""
    stopped = "Stopped. The answers so far are kept until you leave; “Score” continues from there."
    return job_status(state, job_text(state, model, done=_done(state.result, model), stopped=stopped))


def _done(done: OwnRun | None, model: str) -> str:
    scores = done.scores if done else ()
    missing = sum(score.value is None for score in scores)
    gone = f"; {missing} got none, and the table says why" if missing else ""
    return f"Done: {model} scored {len(scores) - missing} images{gone}."


def own_results(done: OwnRun) -> Html:
    """How far the model agrees with the visitor, and the images by score."""
    rated = any(score.truth is not None for score in done.scores)
    caption = "Agreement with your scores"
    agreement = metrics_table(done.result.metrics, caption) if rated else markup.NOTHING
    return markup.page(agreement, _images(done, rated))


def _images(done: OwnRun, rated: bool) -> Html:
    headers = ["image", "score", *(["yours"] if rated else [])]
    rows: list[HtmlRow] = [
        [
            score.sample,
            "–" if score.value is None else minus(f"{score.value:.3g}"),
            *(["–" if score.truth is None else f"{score.truth:g}"] if rated else []),
        ]
        for score in done.ranked[:_MOST_ROWS]
    ]
    left = len(done.scores) - len(rows)
    more = f"{left} more are in the CSV." if left > 0 else ""
    reasons = sorted({score.reason for score in done.scores if score.value is None and score.reason})
    because = f"Without a score: {'; '.join(reasons)}." if reasons else ""
    return markup.join(
        markup.table(headers, rows, "Your images, the best first", kind="qb-figures"),
        markup.paragraph(more, "qb-note"),
        markup.paragraph(because, "qb-note"),
    )
