"""The Owner page: what waits for review, what was decided, the state of the store, limits, counters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from leaderboard.html import markup
from leaderboard.html.markup import Html, template
from leaderboard.html.run_figures import NAMES, SHARES
from leaderboard.store import SkippedFile
from leaderboard.store.decisions import ANONYMOUS, can_be_taken_back, told
from leaderboard.store.submission import Entry
from leaderboard.submissions.form import other_scripts
from leaderboard.submissions.review import Waiting, figure_told
from leaderboard.submissions.service import receipt_link
from leaderboard.tables.columns import Place
from leaderboard.tables.words import begin, count, dataset_title, listed, minus, percent, told_unshown
from qbench.models.catalogue import find_model, suggest
from qbench.records import Result

MOST_DECIDED = 20
"""Submissions that were decided on and are shown; the others are counted."""
MOST_FIGURES = 8
TITLE = "Review submissions"
INTRODUCTION = (
    "“Accept” puts results on the board. If you decline them, their author sees your reason. Each decision is stored "
    "with your account's name, and you can take it back."
)
NOT_YOURS = "Log in on the Submit page with an owner's account of this board."
_OPENED = template("""
<ul>{% for figures in results %}<li>{{ figures }}</li>{% endfor %}</ul>
{% for note in notes %}<p class="qb-finding">{{ note }}</p>{% endfor %}
<p class="qb-note">
{%- if said.organisation %}<bdi>{{ said.organisation }}</bdi> · {% endif %}
{%- if said.parameters %}{{ "%g" | format(said.parameters) }} B · {% endif %}
{%- if said.open is not none %}{{ "open" if said.open else "closed" }} · {% endif %}
{%- if said.trained_on %}trained on <bdi>{{ said.trained_on | join(", ") }}</bdi> · {% endif %}
handed in {{ at }} UTC as <a href="{{ receipt }}" target="_blank"><code>{{ digest[:12] }}</code></a></p>
<p class="qb-note">Link given:
{% if said.link %}<a href="{{ said.link }}" target="_blank" rel="noopener noreferrer">{{ said.link }}</a>
{%- else %}none{% endif %}
 · contact: <bdi>{{ contact or "none" }}</bdi></p>
{% if said.prompts %}<p class="qb-note">Prompts: <bdi>{{ said.prompts }}</bdi></p>{% endif %}
""")
_DECIDED = template("""
<ul class="qb-decided">
{% for entry, history, can_be_taken_back in shown %}
<li data-digest="{{ entry.digest }}"><b><bdi>{{ entry.submission.metadata.model }}</bdi></b> of
<bdi>{{ entry.submission.identity or nobody }}</bdi>: <bdi>{{ history }}</bdi>
{% if can_be_taken_back %}
<button type="button" class="qb-button" data-back="{{ entry.digest }}">Take it back</button>
{% endif %}
</li>
{% endfor %}
</ul>
""")


def decided_lately(entries: Iterable[Entry]) -> Html:
    """What owners decided, the last first, with a button to take it back."""
    decided = [entry for entry in entries if entry.decisions]
    every = sorted(decided, key=lambda entry: entry.decisions[-1].at, reverse=True)
    if not every:
        return markup.NOTHING
    shown = [(entry, " ".join(_history(entry)), can_be_taken_back(entry)) for entry in every[:MOST_DECIDED]]
    more = len(every) - len(shown)
    rest = f"And {count(more, 'submission')} decided on before." if more else ""
    return markup.page(markup.heading("Decided"), _DECIDED(shown=shown, nobody=ANONYMOUS), markup.note(rest))


def line(waiting: Waiting) -> dict[str, Any]:
    """One submission that waits, as texts for assets/board/owner.js."""
    made = waiting.entry.submission
    return {
        "digest": waiting.entry.digest,
        "model": made.metadata.model,
        "board": waiting.board,
        "figure": waiting.figure,
        "place": waiting.place,
        "source": waiting.source,
        "flags": ", ".join(waiting.flags),
        "at": made.submitted_at[:10],
    }


def where_kept(folder: Path, dataset: str | None, unsent: int, refuses: str) -> str:
    """Where submissions are kept, and what of it is not sent; or why none are taken."""
    if refuses:
        return f"{begin(refuses)}."
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
        [markup.HtmlCell(said.removesuffix("."), weight="wrap"), f"{value:,.0f}"] for said, value in counters.items()
    ]
    wrong: list[markup.HtmlRow] = [
        [problem.where, markup.HtmlCell(problem.reason, weight="wrap")] for problem in problems
    ]
    return markup.page(
        markup.heading("Store and counters"),
        markup.finding(kept),
        markup.finding(told_unshown(unshown)),
        markup.table(["What", "Count"], rows, "Now, in this process", of_terms=True),
        markup.table(["File", "What is wrong with it"], wrong, count(len(wrong), "problem")),
        markup.note("" if wrong else "No file has a problem."),
    )


def opened(waiting: Waiting, contact: str) -> Html:
    """The rest of what is known of a submission that waits, for an owner alone."""
    entry = waiting.entry
    made = entry.submission
    more = len(made.results) - MOST_FIGURES
    placed = [
        f"{placing.board.title}: {figure_told(placing)} would be {placing.rank} of {placing.models}"
        f"{f'; no rank on the board: {placing.unranked}' if placing.unranked else ''}"
        for placing in waiting.placed
    ]
    return _OPENED(
        digest=entry.digest,
        said=made.metadata,
        at=made.submitted_at[:16].replace("T", " "),
        receipt=receipt_link(entry.digest, None),
        results=[*placed, *map(_figures, made.results[:MOST_FIGURES])],
        notes=[*_notes(entry), *([f"{count(more, 'more result')} not shown."] if more > 0 else [])],
        contact=contact,
    )


def _history(entry: Entry) -> list[str]:
    """What owners decided on it, in the order they did."""
    return [f"{begin(line)}." for line in map(told, entry.decisions)]


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
    return notes


def _figures(result: Result) -> str:
    """One result on one line: dataset, figures, how they came about."""
    known = [
        f"{NAMES.get(name) or name.replace('_', ' ')} "
        f"{percent(made.value, 2) if name in SHARES else minus(f'{made.value:.3f}')}"
        for name, made in result.metrics.items()
        if made.value is not None
    ]
    kind = result.source.kind
    how = {"rescored": "scored here", "self-reported": "computed by the author"}.get(kind, kind)
    return f"{dataset_title(result.dataset)}: {', '.join(known[:MOST_FIGURES]) or 'no figure'} ({how})"
