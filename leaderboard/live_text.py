"""What the pages Tournament and Run say alike: before anything is asked, and when nothing can be."""

from __future__ import annotations

from html import escape

from leaderboard import markup


def empty(text: str) -> str:
    """What stands where results will be."""
    return markup.page(markup.paragraph(text, "qb-empty"))


def refusal(reason: str) -> str:
    """Why nothing is done, as a sentence."""
    said = f"{reason[:1].upper()}{reason[1:]}{'' if reason.endswith(('.', '?')) else '.'}"
    return markup.page(f'<p class="qb-finding" role="alert">{escape(said)}</p>')
