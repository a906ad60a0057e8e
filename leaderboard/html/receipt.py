"""Receipts of submissions: what became of one, and to its author how to change it."""

from __future__ import annotations

from leaderboard.html import markup
from leaderboard.html.markup import Html, template
from leaderboard.store import Receipt
from leaderboard.store.submission import Entry
from leaderboard.submissions.private import is_private
from leaderboard.submissions.receipts import ReceiptState, ReceiptView
from leaderboard.submissions.service import receipt_link
from leaderboard.tables.words import begin

HEADINGS: dict[ReceiptState, str] = {
    "waiting": "Waiting for review",
    "on the board": "On the board",
    "declined": "Declined",
    "withdrawn": "Withdrawn",
    "corrected": "Corrected",
}
_LINK_TO_IT = """
<p class="qb-note">The link to this receipt: <a href="{{ address }}">{{ name[:12] }}…</a>
<button type="button" class="qb-copy" data-copy-link="{{ address }}">Copy link</button></p>
"""
_LINK = template(_LINK_TO_IT, "address", "name")
_CODE = template("""
<p class="qb-finding">Your code: <code class="qb-code">{{ code }}</code>
<button type="button" class="qb-copy" data-copy="{{ code }}">Copy code</button></p>
<p class="qb-note">Keep this code: you see it only once. With it you can correct or withdraw this submission
{%- if account %} without your account{% endif %}.</p>
""")


def handed_in(receipt: Receipt, base: str | None) -> Html:
    """What became of a submission the moment it was handed in, for its author; links start at `base`."""
    entry = receipt.entry
    if receipt.duplicate:
        head, said = "Already here", "The same results are here already; nothing was added."
    elif entry.status == "pending":
        head = "Handed in"
        said = f"It waits for the owner of the board, because {_why_it_waits(entry)}."
    else:
        head, said = "On the board", "Reload the Leaderboard to see the row; its source names this submission."
    sent = "It is stored here, and goes to the Hub as soon as the Hub answers." if receipt.queued else ""
    code = _CODE(code=receipt.code, account=entry.submission.identity) if receipt.code else markup.NOTHING
    return markup.page(
        markup.heading(head),
        markup.finding(said),
        markup.note(sent),
        code,
        _LINK(receipt_link(entry.digest, base), entry.digest),
    )


def became(view: ReceiptView, base: str | None) -> Html:
    """What became of a submission, for whoever has the link."""
    why = f": {view.reason.rstrip('.')}." if view.reason else " and gave no reason."
    said = {
        "waiting": "It waits for the owner of the board.",
        "on the board": "The owner accepted it, or it needed no review.",
        "declined": f"The owner of the board declined it{why}",
        "withdrawn": "Its author withdrew it.",
        "corrected": "Its author handed in a correction, which takes its place.",
    }[view.state]
    return markup.page(
        markup.heading(HEADINGS[view.state]),
        markup.finding(f"Handed in on {view.day}. {said}"),
        _LINK(receipt_link(view.digest, base), view.digest),
    )


def not_found(reason: str) -> Html:
    """Why there is no receipt."""
    return markup.page(markup.heading("No receipt"), markup.finding(f"{begin(reason)}."))


def correcting(entry: Entry) -> Html:
    """What the form is for, once its author asked to correct a submission."""
    return markup.sentence(
        f"This corrects the submission of {entry.submission.submitted_at[:10]}. Drop the corrected file; the form "
        "already has what you wrote about the model."
    )


def _why_it_waits(entry: Entry) -> str:
    if entry.submission.identity is None:
        return "it came without an account"
    if entry.submission.relation == "correction" or entry.submission.supersedes:
        return "it corrects figures that are not yours"
    if any(result.source.kind == "self-reported" for result in entry.submission.results):
        return "its figures were computed elsewhere; hand in the model's answers if you want them scored here"
    if any(map(is_private, entry.submission.results)):
        return "this month's limit of results on these private answers is reached"
    return "it would replace results that somebody else handed in under this name"
