"""What the Run page says of datasets that are not here, and of getting them."""

from __future__ import annotations

from leaderboard.html import markup
from leaderboard.html.live import job_status, job_text
from leaderboard.html.markup import Html, template
from leaderboard.live.datasets import FetchedDataset, size_of
from leaderboard.live.service.jobs import JobState
from qbench.datasets.get import FetchProgress
from qbench.datasets.known import DatasetFacts
from qbench.datasets.places import Presence
from qbench.datasets.remote import in_bytes
from qbench.tasks import TASKS

NOT_YOURS = "only the owners of this installation can get datasets; log in with an owner's account"
SECTION = "Datasets that are not here"
INTRODUCTION = (
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
        so_far = f"{progress.doing[:1].upper()}{progress.doing[1:]}: {in_bytes(progress.bytes)}{of}."
    share = progress.bytes / progress.of if progress is not None and progress.of else 0.0
    stopped = "Stopped. The downloaded part is kept; “Get it” continues from there."
    done = _done(state.result) if state.result else ""
    status = job_status(state, job_text(state, so_far=so_far, done=done, stopped=stopped))
    return status if state.ended else markup.join(status, markup.page(markup.done_bar(share)))


def _done(got: FetchedDataset) -> str:
    if got.presence.state == "yes":
        return f"{got.facts.title} is here. Reload the page to choose it."
    return f"{got.facts.title} is here in part: {got.presence.detail}. Boards show no figures of a part."
