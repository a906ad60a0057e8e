"""What all live pages say alike: before anything is asked, while it goes on, and when it ends early."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from leaderboard.html import markup
from leaderboard.html.markup import Html, template
from leaderboard.live.service.messages import (
    Failure,
    JobCancelled,
    JobProgress,
    JobResult,
    Message,
    PartialResult,
    QueuePosition,
)
from leaderboard.tables.view import PageView, link
from leaderboard.tables.words import minus
from qbench.models.embedded import embedded_model

KEPT = "Photos are deleted when you close the page, and about an hour after you last used them at the latest."
ASKED_ANEW = "Asked anew, about what is chosen now."
"""What stands in place of answers about other inputs, until the server has heard of the new ones."""


_ABOUT = template("""
<div class="qb-about"
{%- for name, value in inputs.items() %} data-{{ page }}-{{ name }}="{{ value }}"{% endfor %}>
{#- #}<div class="qb-current">{{ content }}</div><div class="qb-outdated">{{ instead }}</div></div>
""")
_EMBEDDED = template("""
<p class="qb-note qb-embedded">{{ model.name }}: {{ "%.1f" | format(model.megabytes) }} MB, {{ model.training }}. Rank
correlation with people on {{ people.on }}: {{ correlation }} ({{ interval }}, 95 %).
<a href="{{ address }}">Its figures</a>; its card is <code>{{ model.card }}</code>.</p>
""")
_ALERT = template('<p class="qb-finding" role="alert">{{ sentence }}</p>')


def about(page: str, content: Html, *, outdated: str = "", **inputs: str | int | Sequence[str] | None) -> Html:
    """Content that says which inputs of its page it is about: see `leaderboard.pages.widgets.hide_outdated`.

    Args:
        page: Key of the page.
        content: Shown while these inputs are chosen.
        outdated: A sentence that is shown in its place once they are not.
        inputs: By the names that `hide_outdated` knows them by.
    """
    chosen = {name.replace("_", "-"): _as_text(value) for name, value in inputs.items()}
    instead = markup.page(markup.paragraph(outdated, "qb-note")) if outdated else markup.NOTHING
    return _ABOUT(page=page, content=content, instead=instead, inputs=chosen)


def _as_text(value: str | int | Sequence[str] | None) -> str:
    """The text that the browser makes of the same value."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "\n".join(value)
    return "" if value is None else str(value)


def model_line(name: str | None) -> Html:
    """What a model that comes with the project is and how far it agrees with people; nothing of any other."""
    model = embedded_model(name or "")
    if model is None:
        return markup.NOTHING
    people = model.people
    return markup.page(
        _EMBEDDED(
            model=model,
            people=people,
            correlation=minus(f"{people.srcc:.2f}"),
            interval=minus(f"{people.low:.2f} to {people.high:.2f}"),
            address=link(PageView(tab="model", models=(model.name,)), ""),
        )
    )


def file_name(path: str) -> str:
    """The name under which a visitor knows a file."""
    return Path(path).name


def empty(text: str) -> Html:
    """What stands where results will be."""
    return markup.page(markup.paragraph(text, "qb-empty"))


def refusal(failure: Failure) -> Html:
    """Why nothing is done, as a sentence that screen readers are told."""
    return markup.page(_ALERT(sentence=failure.sentence))


def watched(status: Html, subject: str) -> Html:
    """A status of what is being watched, and under it what it is about."""
    return markup.join(status, markup.page(markup.paragraph(f"About {subject}.", "qb-note")))


def not_shown(subject: str) -> str:
    """What stands in place of results while something else is chosen."""
    return (
        f"Not shown, since something else is chosen now: {subject}. Choose that again to see it, or start what is "
        "chosen now."
    )


def answers_status(subject: str, status: str, *, ended_early: bool = False) -> Html:
    """What a result is about and how far it is; that it ended early stands out, and screen readers are told."""
    if not ended_early:
        return markup.page(markup.paragraph(f"{subject}. {status}", "qb-note"))
    return markup.page(markup.paragraph(f"{subject}.", "qb-note"), _ALERT(sentence=status))


def answer_status(message: Message[Any, Any], model: str, asking: str) -> str:
    """How far the answers of a model are; empty where there is nothing to say."""
    if isinstance(message, PartialResult):
        return asking
    if isinstance(message, JobResult):
        return f"Answered in {message.value.seconds:.2f} s."
    return message_text(message, model)


def message_text(message: Message[Any, Any], model: str = "") -> str:
    """A message of a job that is no result, in words; empty where there is nothing to say."""
    if isinstance(message, QueuePosition):
        return f"Waiting{f' for {model}' if model else ''}: {message.ahead} before you."
    if isinstance(message, JobProgress) and message.prompts:
        seconds = message.prompts.seconds_left
        left = f", about {seconds:.0f} s left" if seconds else ""
        return f"{message.prompts.done} of {message.prompts.total} pictures{left}"
    if isinstance(message, Failure):
        return message.sentence
    return "Stopped." if isinstance(message, JobCancelled) else ""
