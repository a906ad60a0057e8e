"""What the Submit page and its endpoints do, without Gradio: check an upload, show where it would stand, store it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from leaderboard.account import Account
from leaderboard.events import log_event, log_refusal
from leaderboard.snapshot import Snapshot
from leaderboard.store import Receipt, Recorded
from leaderboard.store.local import Store
from leaderboard.store.submission import may_change
from leaderboard.submissions.check import Checks
from leaderboard.submissions.form import SubmissionForm, clean_name, read_form, store_submission
from leaderboard.submissions.preview import Placing, find_listings, find_placings
from leaderboard.submissions.receipts import Receipts, ReceiptView, check_code, digest_code, knows_code
from leaderboard.submissions.report import Report
from leaderboard.submissions.same_name import find_taken
from leaderboard.submissions.scoring import PLACEHOLDER_MODEL, AnswerKeys, explain_fault
from leaderboard.tables.unranked import Partial
from qbench.errors import UserError

PROMPTS = "Run on this board's Run page; the record says how."


@dataclass(frozen=True)
class CheckedUpload:
    """What is said about an upload before it is handed in."""

    report: Report
    placings: Sequence[Placing] = ()
    listings: Sequence[Partial] = ()
    """Results of a part of their dataset, as they would be listed under a board."""
    taken: str = ""
    """What the model is called of which there are other results on the same datasets; empty where there are none."""

    def to_json(self) -> dict[str, Any]:
        """For scripts."""
        return {
            **self.report.to_json(),
            "preview": [placing.to_json() for placing in self.placings],
            "listed_under": [
                {"board": listing.board.key, "covers": listing.covers, "figures": dict(listing.figures)}
                for listing in self.listings
            ],
            "name_taken": bool(self.taken),
        }


@dataclass(frozen=True)
class SubmissionService:
    """Checks uploads, shows where they would stand, and puts them into the store."""

    store: Store
    answer_keys: AnswerKeys
    current: Callable[[], Snapshot]
    author: str | None = None
    """Who hands in where nobody has to log in; None makes those without an account anonymous."""
    after_storing: Callable[[], None] = lambda: None
    """Called once the store holds a submission, so that `current` has it."""
    link: str | None = None
    """Where links start; None for the address that the page was opened at."""
    account: Account = field(default_factory=Account, repr=False, compare=False)
    """Counts what comes from each address."""
    receipts: Receipts = field(init=False, repr=False, compare=False)
    _checks: Checks = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "receipts", Receipts(self.store, self.after_storing))
        object.__setattr__(self, "_checks", Checks(self.answer_keys, self.account))

    def check(self, file: Path, dataset: str, model: str, network: str = "") -> CheckedUpload:
        """The report, and where the results would stand; nothing of that where the answers are private.

        The dataset is named where the file does not say it. Of a network, by digest, one upload is checked at a time.
        """
        started = time.monotonic()
        name = clean_name(model)
        try:
            report = self._checks.report(file, dataset, name or PLACEHOLDER_MODEL, network)
        except UserError as fault:
            log_refusal(fault, kind="check")
            report = Report(problems=(explain_fault(file.name, fault),))
        told = {"results": len(report.results), "problems": len(report.problems), "bytes": file.stat().st_size}
        log_event("check", **told, seconds=time.monotonic() - started)
        if not report.accepted:
            return CheckedUpload(report)
        now = self.current()
        known = now.find_model(name)
        others = self._taken(report, now)
        taken = (known.name if known else name) if others else ""
        if report.private:
            return CheckedUpload(report, taken=taken)
        return CheckedUpload(
            report,
            find_placings(now, report.results),
            find_listings(report.results, now.boards, now.find_model),
            taken,
        )

    def submit(
        self,
        file: Path,
        dataset: str,
        form: SubmissionForm,
        account: str | None,
        senders: Sequence[str] = (),
        own_code: str = "",
    ) -> Receipt:
        """Hand in what was checked; it is checked now where it was not.

        The submission has the author's own code, or one that is drawn. Whoever sends the same again with their own,
        because the answer was lost, is given the receipt again. Senders are digests of the address and its network.

        Raises:
            UserError: What is to be mended first, or that enough was handed in.
        """
        started = time.monotonic()
        try:
            receipt = self._submit(file, dataset, form, account, senders, check_code(own_code))
        except UserError as fault:
            log_refusal(fault, kind="submission")
            raise
        told = {"status": receipt.entry.status, "results": len(receipt.entry.submission.results)}
        how = {"duplicate": int(receipt.duplicate), "queued": int(receipt.queued)}
        log_event("submission", **told, **how, seconds=time.monotonic() - started)
        self.after_storing()
        return receipt

    def submit_run(self, archive: Path, model: str, account: str | None, senders: Sequence[str]) -> Receipt:
        """Hand in what a run of the Run page came to, like any other file: it is scored again here. See `submit`."""
        return self.submit(archive, "", SubmissionForm(model=model, prompts=PROMPTS), account, senders)

    def _submit(
        self,
        file: Path,
        dataset: str,
        form: SubmissionForm,
        account: str | None,
        senders: Sequence[str],
        own_code: str,
    ) -> Receipt:
        model = read_form(form).model
        who = account or self.author
        is_counted = who is None and bool(senders)
        corrected = self.receipts.prove(form.corrects, who, form.code) if form.code.strip() else None
        if corrected is None and form.corrects.strip() and who is not None:
            found = self.receipts.find(form.corrects)
            corrected = found if may_change(found, who) else None
        code = form.code.strip() if corrected and knows_code(corrected, form.code) else own_code
        if self.author is None:
            self.account.count("submission", senders)
        report = self._checks.report(file, dataset, model, senders[-1] if senders else "")
        try:
            with self.account.hold("anonymous", senders) if is_counted else nullcontext():
                receipt = store_submission(
                    self.store,
                    report,
                    form,
                    who,
                    code_digest=digest_code(code),
                    taken=self._taken(report, self.current()),
                    trusted=account is None and self.author is not None,
                )
                if is_counted and not receipt.duplicate:
                    self.account.keep("anonymous", senders, 1)
        except OSError as fault:
            logging.getLogger(__name__).exception("A submission could not be kept.")
            raise UserError(
                f"the server could not keep it ({fault.strerror or fault}) and kept nothing; tell the owner of the "
                "board, and hand it in again later"
            ) from fault
        if corrected is not None and receipt.entry.submission.supersedes in corrected.names:
            self.receipts.replace(corrected)
        return replace(receipt, code=code) if knows_code(receipt.entry, code) else receipt

    def _taken(self, report: Report, now: Snapshot) -> list[Recorded]:
        return find_taken(now.loaded.records, report.results, now.find_model)


def receipt_link(digest: str, base: str | None) -> str:
    """Where people see what became of a submission; below `base`, or the address that the page was opened at."""
    return f"{base or ''}?tab=submit&receipt={digest}"


def view_json(view: ReceiptView, base: str | None) -> dict[str, Any]:
    """What became of a submission, for scripts; links start at `base`."""
    return {
        "receipt": receipt_link(view.digest, base),
        "submission": view.digest,
        "state": view.state,
        "day": view.day,
        "reason": view.reason or None,
        "own": view.own,
    }


def receipt_json(receipt: Receipt, base: str | None) -> dict[str, Any]:
    """For scripts; links start at `base`."""
    return {
        "receipt": receipt_link(receipt.entry.digest, base),
        "code": receipt.code or None,
        "submission": receipt.entry.digest,
        "status": receipt.entry.status,
        "duplicate": receipt.duplicate,
        "queued": receipt.queued,
        "url": receipt.entry.url,
    }
