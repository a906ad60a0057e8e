"""The Owner page: what waits for review with the buttons to decide on it, the state of the store, limits, counters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from leaderboard.account import BOUNDS
from leaderboard.html import markup
from leaderboard.html.markup import Html, template
from leaderboard.html.run_figures import NAMES, SHARES
from leaderboard.store import SkippedFile, decisions
from leaderboard.store.decisions import ANONYMOUS, by_source, can_be_taken_back, told
from leaderboard.store.local import MOST_BYTES, MOST_BYTES_ANONYMOUS
from leaderboard.store.submission import Decided, Entry
from leaderboard.submissions.form import MOST_WAITING_ANONYMOUS, MOST_WAITING_OF_AN_ACCOUNT, other_scripts, title_of
from leaderboard.submissions.private import A_DAY, A_MONTH, STEPS
from leaderboard.tables.columns import Place
from leaderboard.tables.words import count, listed, minus, percent, told_unshown
from qbench.models.catalogue import find_model, suggest
from qbench.records import Result

MOST_SHOWN = 50
"""Submissions that are shown at once; the others are counted."""
MOST_DECIDED = 20
"""Likewise, of those that were decided on."""
MOST_FIGURES = 8
DECISIONS: Mapping[str, Decided] = {"accept": "accepted", "decline": "declined", "take back": "taken back"}
"""What an owner does -> what is decided by it."""
TITLE = "Review submissions"
INTRODUCTION = (
    "“Accept” puts results on the board. If you decline them, their author sees your reason. Each decision is stored "
    "with your account's name, and you can take it back below."
)
NOT_YOURS = "Log in on the Submit page with an owner's account of this board."
_SOURCE = template("""
<section class="qb-source-waits" aria-label="From {{ source }}">
<h3><bdi>{{ name }}</bdi>: {{ entries | length }}</h3>
{% if entries | length > 1 %}
<details><summary>Decline all {{ entries | length }}</summary>
<p class="qb-decline"><label>Reason, for all to read <input type="text" maxlength="500"></label>
<button type="button" class="qb-copy" data-decide="decline all" data-of="{{ source }}">Decline all</button></p>
</details>
{% endif %}
{% for entry in shown %}{{ entry }}{% endfor %}
</section>
""")
_ENTRY = template("""
<article class="qb-waits" data-digest="{{ digest }}">
<p class="qb-finding"><b><bdi>{{ said.model }}</bdi></b>
{%- if said.organisation %}, <bdi>{{ said.organisation }}</bdi>{% endif %}
{%- if said.parameters %}, {{ "%g" | format(said.parameters) }} B{% endif %}
{%- if said.open is not none %}, {{ "open" if said.open else "closed" }}{% endif %}</p>
{% for note in notes %}<p class="qb-finding">{{ note }}</p>{% endfor %}
<ul>{% for figures in results %}<li>{{ figures }}</li>{% endfor %}</ul>
<p class="qb-note">Handed in {{ at }} as <code>{{ digest[:12] }}</code>
{%- if url %} · <a href="{{ url }}" target="_blank" rel="noopener">on the Hub</a>{% endif %}
{%- if said.link %} · link given: <bdi>{{ said.link }}</bdi>{% endif %}
{%- if said.trained_on %} · trained on <bdi>{{ said.trained_on | join(", ") }}</bdi>{% endif %}</p>
{% if said.prompts %}
<details><summary>Prompts</summary><p class="qb-note"><bdi>{{ said.prompts }}</bdi></p></details>
{% endif %}
<div class="qb-decisions">
<button type="button" class="qb-copy" data-decide="accept" data-of="{{ digest }}">Accept</button>
<details><summary>Decline</summary>
<p class="qb-decline"><label>Reason, for all to read <input type="text" maxlength="500"></label>
<button type="button" class="qb-copy" data-decide="decline" data-of="{{ digest }}">Decline it</button></p></details>
</div>
</article>
""")
_DECIDED = template("""
<article class="qb-waits" data-digest="{{ digest }}">
<p class="qb-finding"><b><bdi>{{ model }}</bdi></b> of <bdi>{{ source }}</bdi></p>
<ul>{% for line in history %}<li><bdi>{{ line }}</bdi></li>{% endfor %}</ul>
{% if can_be_taken_back %}
<div class="qb-decisions">
<button type="button" class="qb-copy" data-decide="take back" data-of="{{ digest }}">Take it back</button>
</div>
{% endif %}
</article>
""")


def decided_lately(entries: Iterable[Entry]) -> Html:
    """What owners decided, the last first, with a button to take it back."""
    every = decisions.decided_lately(entries)
    if not every:
        return markup.NOTHING
    shown = [
        _DECIDED(
            digest=entry.digest,
            model=entry.submission.metadata.model,
            source=entry.submission.identity or ANONYMOUS,
            history=_history(entry),
            can_be_taken_back=can_be_taken_back(entry),
        )
        for entry in every[:MOST_DECIDED]
    ]
    more = len(every) - len(shown)
    rest = f"And {count(more, 'submission')} decided on before." if more else ""
    return markup.page(markup.heading("Decided"), *shown, markup.paragraph(rest, "qb-note"))


def waiting(pending: Sequence[Entry]) -> Html:
    """What waits for review, grouped by who handed it in, with its buttons."""
    if not pending:
        return markup.sentence("No submission is waiting for review.")
    left = MOST_SHOWN
    parts = []
    for source, entries in by_source(pending).items():
        shown, left = entries[:left], left - min(left, len(entries))
        name = "Without an account" if source == ANONYMOUS else source
        parts.append(_SOURCE(source=source, name=name, entries=entries, shown=list(map(_entry, shown))))
    more = len(pending) - MOST_SHOWN
    rest = f"The first {MOST_SHOWN} are shown; {more:,} more wait." if more > 0 else ""
    head = markup.heading(f"{count(len(pending), 'submission')} for review")
    return markup.page(head, *parts, markup.paragraph(rest, "qb-note"))


def where_kept(folder: Path, dataset: str | None, unsent: int, refuses: str) -> str:
    """Where submissions are kept, and what of it is not sent; or why none are taken."""
    if refuses:
        return f"{refuses[:1].upper()}{refuses[1:]}."
    if dataset is None:
        return f"Submissions are kept in the folder {folder} on this server, and nowhere else."
    sent = f"{count(unsent, 'file')} not sent yet" if unsent else "everything is sent"
    return f"Submissions are kept in the dataset {dataset} on the Hub; {sent}."


def state(
    kept: str, unshown: Mapping[Place, int], problems: Sequence[SkippedFile], counters: Mapping[str, float]
) -> Html:
    """Where submissions are kept, which records no board shows, which files cannot be read, and the counters of this
    process."""
    rows: list[markup.HtmlRow] = [
        [f"{value:,.0f}", markup.HtmlCell(said, weight="wrap")] for said, value in counters.items()
    ]
    wrong: list[markup.HtmlRow] = [
        [problem.where, markup.HtmlCell(problem.reason, weight="wrap")] for problem in problems
    ]
    return markup.page(
        markup.heading("Store and counters"),
        markup.paragraph(kept, "qb-finding"),
        markup.paragraph(told_unshown(unshown), "qb-finding"),
        markup.table(["Count", "What"], rows, "At this moment, in this process"),
        markup.table(["File", "What is wrong with it"], wrong, count(len(wrong), "problem"))
        if wrong
        else markup.paragraph("No file has a problem.", "qb-note"),
    )


def limits(megabytes: int, hourly: float | None) -> Html:
    """The limits that visitors are held to; what runs may take, and one visitor at the models in an hour, is set."""
    a_day = BOUNDS["submission"]
    at_models = (
        "no limit" if hourly is None else f"{hourly:g} for one visitor in an hour, a third of it for one request"
    )
    in_force = {
        "Submissions in a day": f"{a_day.own} from one address, {a_day.network} from its network",
        "Submissions that wait": (
            f"{MOST_WAITING_ANONYMOUS} without an account, {MOST_WAITING_OF_AN_ACCOUNT} of one account"
        ),
        "One submission": f"{MOST_BYTES / 2**20:g} MB, without an account {MOST_BYTES_ANONYMOUS / 2**20:g} MB",
        "Results on private answers": (
            f"{A_DAY} of an account in a day, {A_MONTH} of a split in 30 days, rounded to {STEPS[0]:g} or more"
        ),
        "Seconds at the models": f"{at_models} (QBENCH_LIVE_SECONDS_AN_HOUR)",
        "Visitors' runs that are kept": f"{megabytes} MB together (QBENCH_RUNS_MEGABYTES)",
    }
    rows: list[markup.HtmlRow] = [[name, markup.HtmlCell(value, weight="wrap")] for name, value in in_force.items()]
    return markup.page(markup.heading("Limits in force"), markup.table(["What", "At most"], rows, "Limits of visitors"))


def decided(sentence: str) -> Html:
    """What was decided, or why it could not be."""
    return markup.page(markup.paragraph(f"{sentence[:1].upper()}{sentence[1:]}", "qb-finding"))


def _entry(entry: Entry) -> Html:
    made = entry.submission
    return _ENTRY(
        digest=entry.digest,
        said=made.metadata,
        at=made.submitted_at[:16].replace("T", " "),
        url=entry.url,
        results=[_figures(result) for result in made.results[:MOST_FIGURES]],
        notes=_notes(entry),
    )


def _history(entry: Entry) -> list[str]:
    """What owners decided on it, in the order they did."""
    return [f"{line[:1].upper()}{line[1:]}." for line in map(told, entry.decisions)]


def _notes(entry: Entry) -> list[str]:
    """What to look at before it is accepted."""
    made, notes = entry.submission, _history(entry)
    name = made.metadata.model
    if made.supersedes:
        notes.append(f"Corrects {made.supersedes[:12]}.")
    if made.relation == "correction":
        notes.append("Its author says that the board's figures under this name are wrong.")
    if made.relation == "reproduction":
        notes.append("The board has other figures under this name.")
    if scripts := other_scripts(name):
        notes.append(f"The name has {listed(scripts)} letters, and may look like the name of another model.")
    elif not find_model(name) and (near := suggest(name)):
        notes.append(f"The name is similar to {listed(near)}.")
    if len(made.results) > MOST_FIGURES:
        notes.append(f"{len(made.results)} results; the first {MOST_FIGURES} are shown.")
    return notes


def _figures(result: Result) -> str:
    """One result on one line: dataset, figures, how they came about."""
    known = [
        f"{NAMES.get(name) or name.replace('_', ' ')} {_read(name, made.value)}"
        for name, made in result.metrics.items()
        if made.value is not None
    ]
    how = {"rescored": "scored here", "self-reported": "computed by the author"}.get(result.source.kind, "")
    return f"{title_of(result.dataset)}: {', '.join(known[:MOST_FIGURES]) or 'no figure'} ({how or result.source.kind})"


def _read(name: str, value: float) -> str:
    return percent(value, 2) if name in SHARES else minus(f"{value:.3f}")
