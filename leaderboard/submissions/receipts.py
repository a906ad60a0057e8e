"""What became of a submission, and what its author may do with it later: correct it, withdraw it.

An author is known by the account that handed it in, or by a secret code that was given once, of which the submission
holds no more than the digest. Whoever has no more than the link of a receipt sees what became of it, and nothing that
the author wrote.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from leaderboard.events import log_event
from leaderboard.store.decisions import is_declined
from leaderboard.store.local import Store, find_entry
from leaderboard.store.submission import Entry, may_change
from qbench.errors import UserError

ReceiptState = Literal["waiting", "on the board", "declined", "withdrawn", "corrected"]
AUTHOR = "its author"
"""Who withdrew a submission, as stored where it was the author; no account has such a name."""
CORRECTED = "corrected before it was reviewed"
"""Why it was withdrawn, where a correction took its place among those that wait."""
SHORTEST_CODE = 32
"""Characters of a code that an author brings along: as many as are drawn here."""
NO_CODE = "log in with the account that handed it in, or write the code that was given with its receipt"


def new_code() -> str:
    """A code that nobody guesses."""
    return secrets.token_hex(16)


def check_code(code: str) -> str:
    """A code that an author brings along, or a new one where they bring none; a UserError where it could be guessed."""
    if code.strip() and len(code.strip()) < SHORTEST_CODE:
        raise UserError(f"a code of your own has at least {SHORTEST_CODE} characters, drawn at random")
    return code.strip() or new_code()


def digest_code(code: str) -> str:
    """What is kept of a code: as it is random and long, no salt is needed."""
    return hashlib.sha256(code.strip().encode()).hexdigest()


def knows_code(entry: Entry, code: str) -> bool:
    """Whether this is a code of a submission; takes as long whatever is wrong with it."""
    given = digest_code(code)
    return sum(hmac.compare_digest(one.code_digest, given) for one in (entry.submission, *entry.also)) > 0


def state_of(entry: Entry) -> ReceiptState:
    """What became of a submission, in the words of its receipt."""
    if entry.status == "pending":
        return "waiting"
    if entry.status == "accepted":
        return "on the board"
    if is_declined(entry):
        return "declined"
    gone = entry.withdrawal
    return "corrected" if gone is None or (gone.by, gone.reason) == (AUTHOR, CORRECTED) else "withdrawn"


@dataclass(frozen=True)
class ReceiptView:
    """What a receipt shows: nothing that the author wrote, and of what the owner wrote the reason alone."""

    digest: str
    state: ReceiptState
    day: str
    """When it was handed in."""
    reason: str = ""
    """Why the owner declined it."""
    own: bool = False
    """Whether it is looked at with the account that handed it in."""


def view_of(entry: Entry, account: str | None) -> ReceiptView:
    """What whoever has this account sees of a submission."""
    day = entry.submission.submitted_at[:10]
    reason = entry.decisions[-1].reason if is_declined(entry) else ""
    return ReceiptView(entry.digest, state_of(entry), day, reason, may_change(entry, account))


@dataclass(frozen=True)
class Receipts:
    """Receipts of the submissions in a store."""

    store: Store
    changed: Callable[[], None] = lambda: None
    """Called once something was withdrawn."""

    def find(self, digest: str) -> Entry:
        """The submission of a receipt, or a UserError where there is none."""
        name = digest.strip().rpartition("receipt=")[2]  # its name, or the link of its receipt
        return find_entry(self.store.load().entries, name)

    def prove(self, digest: str, account: str | None, code: str) -> Entry:
        """The submission, for its author alone: whoever has the account that handed it in, or knows its code.

        Raises:
            UserError: It is another author's, or the code is wrong.
        """
        entry = self.find(digest)
        if may_change(entry, account):
            return entry
        if not code.strip():
            raise UserError(NO_CODE)
        if not knows_code(entry, code):
            log_event("refusal", by="a wrong code")
            raise UserError(
                "this is not the code of this submission; the page showed it once, when the results were handed in"
            )
        return entry

    def withdraw(self, digest: str, account: str | None, code: str) -> Entry:
        """Take a submission off the board, or out of review, for its author; see `prove`.

        Raises:
            UserError: It is not theirs, or is not there any more.
        """
        entry = self.prove(digest, account, code)
        if state_of(entry) not in ("waiting", "on the board"):
            raise UserError(f"this submission is {state_of(entry)} already")
        gone = self.store.withdraw(entry.digest, AUTHOR)
        self.changed()
        return gone

    def replace(self, earlier: Entry) -> None:
        """Take a submission that waits out of review, because its author's correction waits in its place."""
        if earlier.status == "pending":
            self.store.withdraw(earlier.digest, AUTHOR, CORRECTED)
            self.changed()
