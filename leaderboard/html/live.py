"""What all live pages say alike: before anything is asked, while it goes on, when it ends early; and which of two is
better, in words as firm as the probability allows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from leaderboard.html import markup
from leaderboard.html.markup import Html, template
from leaderboard.live.service.jobs import JobState
from leaderboard.look import model_address
from leaderboard.tables.words import begin, duration, minus
from qbench.errors import UserError
from qbench.models.builtin import embedded_model

KEPT = "Your photos are deleted when you close the page, or about an hour after you last used them."
ASKED_ANEW = "Asking again, about your new choice …"
"""What stands in place of answers about other inputs, until the server has heard of the new ones."""


_ABOUT = template("""
<div class="qb-about"
{%- for name, value in inputs.items() %} data-{{ page }}-{{ name }}="{{ value }}"{% endfor %}>
{#- #}<div class="qb-current">{{ content }}</div><div class="qb-outdated">{{ instead }}</div></div>
""")
_EMBEDDED = template("""
<p class="qb-note qb-embedded">{{ model.name }} ({{ "%.1f" | format(model.megabytes) }} MB): {{ model.training }}. Rank
correlation with people on {{ people.on }}: {{ correlation }} ({{ interval }}, 95&nbsp;%).
<a href="{{ address }}">Its figures</a> · <a href="{{ card }}" target="_blank" rel="noopener">Its card</a></p>
""")
_ALERT = template('<p class="qb-finding" role="alert">{{ sentence }}</p>', "sentence")


def about(page: str, content: Html, *, outdated: str = "", **inputs: str | int | Sequence[str] | None) -> Html:
    """Content that says which inputs of its page it is about: see `leaderboard.pages.widgets.hide_outdated`.

    Args:
        page: Key of the page.
        content: Shown while these inputs are chosen.
        outdated: A sentence that is shown in its place once they are not.
        inputs: By the names that `hide_outdated` knows them by.
    """
    chosen = {name.replace("_", "-"): _as_text(value) for name, value in inputs.items()}
    return _ABOUT(page=page, content=content, instead=markup.sentence(outdated, "qb-note"), inputs=chosen)


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
            address=model_address(model.name),
            card=card_address(model.name),
        )
    )


def card_address(name: str) -> str:
    """Where the app shows the card of a model that comes with the project."""
    return f"card/{name}"


def file_name(path: str) -> str:
    """The name under which a visitor knows a file."""
    return Path(path).name


def empty(text: str) -> Html:
    """What stands where results will be."""
    return markup.sentence(text, "qb-empty")


def not_done(reason: str) -> str:
    """Why nothing is done, as a sentence; the reason is not capitalised, for many begin with the name of a file."""
    return f"Not done: {reason}{'' if reason.endswith(('.', '?')) else '.'}"


def refusal(reason: str | UserError) -> Html:
    """The same, which screen readers are told."""
    return markup.page(_ALERT(not_done(str(reason))))


CANCELLED = "This was cancelled; ask again."
"""What an endpoint says to who asked for other work, or stopped this, before there was a result."""


def source_here(answered: str) -> str:
    """What stands under a chart of such answers as "my.jpg, judged by niqe"."""
    return f"Source: {answered} here."


def watched(status: Html, subject: str) -> Html:
    """A status of what is being watched, and under it what it is about."""
    return markup.join(status, markup.sentence(f"Shown: {subject}.", "qb-note"))


def not_shown(subject: str) -> str:
    """What stands in place of results while something else is chosen."""
    return (
        f"Your choice has changed, so these results are hidden: {subject}. Choose the same again to see them, or start "
        "with the new choice."
    )


def answers(subject: str, state: JobState[Any, Any], asking: str, model: str, found: Html) -> Html:
    """What a model was asked about, how far that is, and what it answered so far.

    That it ended early stands out, and screen readers are told.
    """
    status = _answered(state.seconds) if state.result else job_text(state, model) or asking
    if state.failure or state.cancelled:
        return markup.join(markup.page(markup.note(f"{subject}."), _ALERT(status)), found)
    return markup.join(markup.sentence(f"{subject}. {status}", "qb-note"), found)


def _answered(seconds: float) -> str:
    if seconds >= 10:
        return f"Answered in {duration(seconds)}."
    return f"Answered in {f'{seconds:.1f}' if seconds >= 0.05 else 'less than 0.1'}\N{NO-BREAK SPACE}s."


def job_text(
    state: JobState[Any, Any], model: str = "", *, so_far: str = "", done: str = "", stopped: str = "", failed: str = ""
) -> str:
    """How far a job is, in words; empty where there is nothing to say.

    Args:
        state: Of the job.
        model: Whom it waits for.
        so_far: How far it is, where that is more than how many prompts were answered.
        done: What is said once it is through.
        stopped: What is said once it was stopped.
        failed: What is said once it failed, where that is more than why.
    """
    if state.result is not None:
        return done
    if state.cancelled:
        return stopped or "Stopped."
    if state.failure is not None:
        return failed or not_done(state.failure)
    if state.ahead:
        return f"Waiting{f' for {model}' if model else ''}: {state.ahead} ahead of you. {so_far}".rstrip()
    if so_far or state.progress is None:
        return so_far or (f"{begin(state.doing)} …" if state.doing else "")
    left = f", about {duration(state.progress.seconds_left)} left" if state.progress.seconds_left else ""
    return f"{state.progress.done} of {state.progress.total} pictures{left}"


def job_status(state: JobState[Any, Any], text: str) -> Html:
    """The same in a line that screen readers are told; a failure stands out."""
    if state.failure is not None:
        return refusal(state.failure)
    return markup.page(markup.status(text)) if text else markup.NOTHING


LEANS, PREFERS = 0.6, 0.9
"""Probability, as it is shown, from which on one of two is slightly preferred, and preferred: odds of 3:2 and 9:1."""
TOO_CLOSE = "too close to call"


def stance(better: str, probability: float) -> str:
    """What is said of the one that is more probably better, such as "slightly prefers B"."""
    shown = round(probability, 2)
    return f"prefers {better}" if shown >= PREFERS else f"slightly prefers {better}" if shown >= LEANS else TOO_CLOSE


def verdict(who: str, one: str, other: str, probability: float) -> str:
    """A clause with the probability beside it.

    Args:
        who: Whose verdict it is.
        one: One of the two.
        other: The other.
        probability: That `one` is the better.
    """
    if probability < 0.5:
        one, other, probability = other, one, 1 - probability
    said = stance(one, probability)
    if said == TOO_CLOSE:
        return f"{who} finds {one} and {other} {TOO_CLOSE} ({two_digits(probability)} for {one})"
    return f"{who} {said} over {other} (probability {two_digits(probability)})"


def two_digits(probability: float) -> str:
    """A probability of the better of two; never 1, for nothing is certain."""
    return "over 0.99" if probability >= 0.995 else f"{probability:.2f}"
