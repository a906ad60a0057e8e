"""The Owner page: what waits for review, decided on by the functions of `python -m leaderboard review`.

It is there only where the owner named accounts and log-in proves them; each event asks for the account again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import gradio as gr

from leaderboard.html import markup
from leaderboard.html import owner as words
from leaderboard.pages.widgets import PRIVATE, Update, html, refused
from leaderboard.settings import Settings
from leaderboard.submissions.service import SubmissionService
from qbench.errors import ProviderError, UserError

DECIDE = """element.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-decide]");
  if (!button) return;
  button.disabled = true;
  const reason = button.closest(".qb-decline")?.querySelector("input").value ?? "";
  trigger("decide", {decision: button.dataset.decide, of: button.dataset.of, reason});
});"""


def build(settings: Settings, service: SubmissionService, counters: Callable[[], Mapping[str, float]]) -> None:
    """Add the page.

    Args:
        settings: Whose accounts are owners', and the limits.
        service: Over the store that is decided on.
        counters: What a number means -> the number, at this moment.
    """
    html(markup.opening(words.TITLE, words.INTRODUCTION))
    told = html("", "owner-told")
    waiting = html("", "owner-waiting", js_on_load=DECIDE)
    again = gr.Button("Look again", size="sm", scale=0, min_width=120, elem_id="owner-again")
    state = html("", "owner-state", js_on_load=DECIDE)
    opened = html(js_on_load='trigger("open");')
    outputs = [told, waiting, state]

    def shown(said: str) -> Update:
        store, now = service.store, service.current()
        entries = store.load().entries
        pending = [entry for entry in entries if entry.status == "pending"]
        kept = words.where_kept(settings.submissions, settings.results_repo, store.unsent(), store.refuses)
        told_of = words.state(kept, now.unshown, now.loaded.problems, counters())
        below = words.decided_lately(entries) + told_of + words.limits(settings.runs_megabytes, settings.live_hourly)
        return {told: said, waiting: words.waiting(pending), state: below}

    def look(profile: gr.OAuthProfile | None) -> Update:
        return shown("") if _is_owner(profile, settings) else {told: words.decided(words.NOT_YOURS)}

    def decide(profile: gr.OAuthProfile | None, event: gr.EventData) -> Update:
        if profile is None or not _is_owner(profile, settings):
            raise refused(words.NOT_YOURS)
        decision, of, reason = (str(getattr(event, name, "")) for name in ("decision", "of", "reason"))
        try:
            said = _decide(service, decision, of, profile.username, reason.strip())
        except (UserError, ProviderError, ValueError) as fault:
            said = str(fault)
        service.after_storing()
        return shown(words.decided(said))

    opened.open(look, outputs=outputs, **PRIVATE)
    again.click(look, outputs=outputs, **PRIVATE)
    # Every decision counts, also one that is made before an earlier one is answered.
    for block in (waiting, state):
        block.decide(decide, outputs=outputs, trigger_mode="multiple", **PRIVATE)


def show_to_owners(demo: gr.Blocks, tab: gr.Tab, settings: Settings) -> None:
    """Show the page's tab once somebody is known to be an owner."""

    def show(profile: gr.OAuthProfile | None) -> gr.Tab:
        return gr.Tab(visible=_is_owner(profile, settings))

    demo.load(show, outputs=tab, **PRIVATE)


def _is_owner(profile: gr.OAuthProfile | None, settings: Settings) -> bool:
    return profile is not None and profile.username in settings.owners


def _decide(service: SubmissionService, decision: str, of: str, by: str, reason: str) -> str:
    """Do what a button says; returns what was done.

    Raises:
        UserError: There is no such submission or decision, or something else became of it meanwhile.
    """
    if decision == "decline all":
        return f"{service.store.decline_source(of, by, reason)} submissions of {of} are declined."
    if decision not in words.DECISIONS:
        raise UserError("There is no such decision; use the buttons.")
    decided = words.DECISIONS[decision]
    entry = service.store.decide(of, decided, by, reason)
    return f"{decided.capitalize()}: {entry.submission.metadata.model}"
