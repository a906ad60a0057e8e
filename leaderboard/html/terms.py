"""Words of the field in HTML: each is explained where it stands, on hover, on focus and on a tap."""

from __future__ import annotations

from markupsafe import escape

from leaderboard.tables.terms import split_terms
from leaderboard.tables.words import PER_CENT


def mark_terms(text: str) -> str:
    """Text as HTML, each term explained where it first comes, and no figure parted from its unit."""
    return "".join(
        str(escape(part))
        if isinstance(part, str)
        else f'<span class="qb-term" tabindex="0" data-tip="{escape(part[1])}">{escape(part[0])}</span>'
        for part in split_terms(text)
    ).replace(" %", PER_CENT)
