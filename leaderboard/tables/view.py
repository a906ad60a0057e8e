"""Addresses of the pages' views. `assets/board/view.js` says what their words mean, and reads them in the browser."""

from __future__ import annotations

from urllib.parse import urlencode


def address(tab: str, **words: str) -> str:
    """Address of a view on a tab; what is empty needs no word."""
    return f"?{urlencode({'tab': tab, **{name: value for name, value in words.items() if value}})}"


def board_address(board: str, search: str = "") -> str:
    """Address of a board, by its key, and there of what a search finds."""
    return address("leaderboard", board=board, q=search)


def model_address(model: str) -> str:
    """Address of the page of one model, by its id."""
    return address("model", model=model)
