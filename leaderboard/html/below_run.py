"""What the Run page says below its form: of a visitor's own images, and of datasets that are not here."""

from __future__ import annotations

from leaderboard.html import markup
from leaderboard.html.live import job_status, job_text
from leaderboard.html.markup import Html, HtmlRow, template
from leaderboard.html.run_figures import metrics_table
from leaderboard.live.datasets import FetchedDataset, size_of
from leaderboard.live.own_images import MOST_IMAGES, OwnRun
from leaderboard.live.service.jobs import JobState
from leaderboard.tables.words import begin, minus
from qbench.datasets.get import FetchProgress
from qbench.datasets.known import DatasetFacts
from qbench.datasets.places import Presence
from qbench.datasets.remote import in_bytes
from qbench.tasks import TASKS

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
    scores = state.result.scores if state.result else ()
    missing = sum(score.value is None for score in scores)
    gone = f"; {missing} got none, and the table says why" if missing else ""
    done = f"Done: {model} scored {len(scores) - missing} images{gone}."
    return job_status(state, job_text(state, model, done=done, stopped=stopped))


def own_results(done: OwnRun) -> Html:
    """How far the model agrees with the visitor, and the images by score."""
    rated = any(score.truth is not None for score in done.scores)
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
    reasons = sorted({score.reason for score in done.scores if score.value is None and score.reason})
    return markup.page(
        *(metrics_table(record.metrics, "Agreement with your scores") for record in done.records.values()),
        markup.table(headers, rows, "Your images, the best first", kind="qb-figures"),
        markup.note(f"{left} more are in the CSV." if left > 0 else ""),
        markup.note(f"Without a score: {'; '.join(reasons)}." if reasons else ""),
    )


NOT_YOURS = "only the owners of this installation can get datasets; log in with an owner's account"
DATASETS = "Datasets that are not here"
DATASETS_INTRODUCTION = (
    "This shows the size and licence of a dataset, and how to get it. Files come from their publishers; downloads can "
    "be resumed and are checked."
)
_ABOUT = template("""
<p>{{ facts.title }}, “{{ task }}”{% if facts.items %}, {{ "{:,}".format(facts.items) }} items{% endif %}, {{ size }}.
Licence: {{ facts.licence }}.
{%- if presence.state == "yes" %} It is here: reload the page to choose it.
{%- elif presence.detail %} So far: {{ presence.detail }}.{% endif %}</p>
{%- if facts.form %}
<p>To get it, fill in its publisher's <a href="{{ facts.form }}" target="_blank" rel="noopener">form</a>.</p>
{%- endif %}
{%- if facts.fetch %}
<p>From {% for source in facts.fetch -%}
  <a href="{{ source.page }}" target="_blank" rel="noopener">{{ source.repo }}</a>
  {%- if source.licence %} ({{ source.licence }}){% endif %}{% if not loop.last %} and {% endif %}
{%- endfor %}. The owner of this installation gets it with <code>python -m qbench datasets get {{ facts.name }}</code>
{%- if owner %} or with the button{% endif %}.</p>
{%- else %}
<p>It cannot be downloaded from here. The owner of this installation puts into
<code>$QBENCH_DATA/{{ facts.name }}</code>:
{{ facts.get }}.</p>
{%- endif %}
""")


def about_dataset(facts: DatasetFacts, presence: Presence, *, owner: bool) -> Html:
    """What a dataset is, how large, under which licence, and how it gets here."""
    task, size = TASKS[facts.task].title, size_of(facts) or "of unknown size"
    return markup.page(_ABOUT(facts=facts, task=task, size=size, presence=presence, owner=owner))


def button_label(facts: DatasetFacts | None) -> str:
    """What the button says: with the size, where that is known beforehand."""
    size = size_of(facts) if facts else ""
    return f"Get it: {size}" if size else "Get it"


def fetch_status(state: JobState[FetchProgress, FetchedDataset]) -> Html:
    """How far it is, in one line that screen readers are told, over a bar."""
    so_far, progress = "", state.known
    if progress is not None:
        of = f" of {in_bytes(progress.of)}" if progress.of else ""
        so_far = f"{begin(progress.doing)}: {in_bytes(progress.bytes)}{of}."
    share = progress.bytes / progress.of if progress is not None and progress.of else 0.0
    stopped = "Stopped. The downloaded part is kept; “Get it” continues from there."
    done = ""
    if got := state.result:
        done = f"{got.facts.title} is here in part: {got.presence.detail}. Boards show no figures of a part."
        if got.presence.state == "yes":
            done = f"{got.facts.title} is here. Reload the page to choose it."
    status = job_status(state, job_text(state, so_far=so_far, done=done, stopped=stopped))
    return status if state.ended else markup.join(status, markup.page(markup.done_bar(share)))
