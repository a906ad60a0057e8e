"""The Owner page: what waits for review, decided on by the functions of `python -m leaderboard review`.

It is there only where the owner named accounts and log-in proves them; each call asks for the account again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gradio as gr

from leaderboard.html import markup
from leaderboard.html import owner as words
from leaderboard.pages.widgets import PRIVATE, drawn, html
from leaderboard.settings import Settings
from leaderboard.submissions.review import decide, list_waiting, stored_text
from leaderboard.submissions.service import SubmissionService
from qbench.errors import ProviderError, UserError

MOST_AT_ONCE = 1000


def build(settings: Settings, service: SubmissionService, counters: Callable[[], Mapping[str, float]]) -> None:
    """Add the page; the browser calls the functions here, and each refuses whoever is no owner.

    Args:
        settings: Whose accounts are owners', and the limits.
        service: Over the store that is decided on.
        counters: What a number means -> the number, at this moment.
    """
    html(markup.opening(words.TITLE, words.INTRODUCTION))
    store = service.store

    def owner_look(_: object, profile: gr.OAuthProfile | None) -> dict[str, Any]:
        if not settings.is_owner(profile and profile.username):
            return {"refused": words.NOT_YOURS}
        service.after_storing()
        now, entries = service.current(), store.load().entries
        kept = words.where_kept(settings.submissions, settings.results_repo, store.unsent(), store.refuses)
        state = words.state(kept, now.unshown, now.loaded.problems, counters())
        waiting = list_waiting(now, (entry for entry in entries if entry.status == "pending"))
        return {
            "waiting": [words.line(one) for one in waiting],
            "decided": words.decided_lately(entries),
            "state": state,
        }

    def owner_open(digest: object, profile: gr.OAuthProfile | None) -> dict[str, str]:
        if not settings.is_owner(profile and profile.username):
            return {"refused": words.NOT_YOURS}
        try:
            entry = service.receipts.find(str(digest))
            contact = store.contact(entry)
        except UserError as fault:
            return {"refused": str(fault)}
        except ProviderError as fault:
            contact = str(fault)
        [waiting] = list_waiting(service.current(), [entry])
        return {"html": words.opened(waiting, contact), "file": stored_text(entry)}

    def owner_decide(sent: object, profile: gr.OAuthProfile | None) -> dict[str, str]:
        if profile is None or not settings.is_owner(profile.username):
            return {"refused": words.NOT_YOURS}
        asked = sent if isinstance(sent, dict) else {}
        digests = asked.get("of")
        of = list(map(str, digests))[:MOST_AT_ONCE] if isinstance(digests, list) else []
        try:
            decision, reason = str(asked.get("decision")), str(asked.get("reason", ""))
            return {"said": decide(store, decision, of, profile.username, reason)}
        except UserError as fault:
            return {"refused": str(fault)}

    functions: list[Callable[..., Any]] = [owner_look, owner_open, owner_decide]
    failed = "The page could not be loaded. Reload it to try again; no decision is lost."
    drawn("owner", "page.mountOwner(root, server)", "Loading what waits…", functions, failed)


def show_to_owners(demo: gr.Blocks, tab: gr.Tab, settings: Settings) -> None:
    """Show the page's tab once somebody is known to be an owner."""

    def show(profile: gr.OAuthProfile | None) -> gr.Tab:
        return gr.Tab(visible=settings.is_owner(profile and profile.username))

    demo.load(show, outputs=tab, **PRIVATE)
