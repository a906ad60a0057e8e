"""The form about a model, and what its author may hand in: a checked upload -> a submission in the store."""

from __future__ import annotations

import re
import secrets
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any

from leaderboard.store import Receipt, Recorded
from leaderboard.store.local import Store
from leaderboard.store.submission import Entry, Metadata, Submission
from leaderboard.submissions.private import A_MONTH, PRIVATE_ANSWERS, is_private, limit_private, told_lately
from leaderboard.submissions.report import Report
from leaderboard.submissions.same_name import needs_review, read_answer
from qbench.datasets.known import find_dataset
from qbench.errors import UserError
from qbench.records import Result

MOST_WAITING_ANONYMOUS = 200
"""All of them together: what the owner of a board can still look through."""
MOST_WAITING_OF_AN_ACCOUNT = 50
_LONGEST_CONTACT = 200
_UNSEEN = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u206f\u2800\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
"""Characters without a picture of their own: two names that look the same are the same."""


@dataclass(frozen=True)
class SubmissionForm:
    """What the author wrote about the model, all of it text."""

    model: str
    organisation: str = ""
    link: str = ""
    parameters: str = ""
    weights: str = ""
    """`open`, `closed`, or empty where that is not said."""
    prompts: str = ""
    trained_on: str = ""
    """Names of datasets, with commas between them."""
    contact: str = ""
    corrects: str = ""
    """Digest of the submission that this one corrects."""
    relation: str = ""
    """What the results are to figures under the same name, one of `same_name.ANSWERS`; empty for a reproduction."""
    code: str = ""
    """Code of the submission that this one corrects, by which its author is known without an account."""


LABELS = {
    "model": "Model",
    "organisation": "Organisation",
    "link": "Link",
    "parameters": "Parameters",
    "weights": "Weights",
    "prompts": "Prompts",
    "trained_on": "Trained on",
    "contact": "Contact",
}
"""Field -> what people see beside it, on the page and in what is said of it."""


class FormError(UserError):
    """Fields that cannot be kept, each with what to write there."""

    def __init__(self, by_field: Mapping[str, str]) -> None:
        super().__init__("; ".join(by_field.values()))
        self.by_field = dict(by_field)
        """Field of the form -> what is wrong with it."""


def read_form(form: SubmissionForm) -> Metadata:
    """What the form says about the model.

    Raises:
        FormError: Every field that cannot be kept, and what to write there.
    """
    read: dict[str, Callable[[], object]] = {
        "model": lambda: clean_name(form.model),
        "organisation": lambda: clean_name(form.organisation),
        "link": lambda: _clean(form.link) or None,
        "parameters": lambda: _billions(form.parameters),
        "open": lambda: _is_open(form.weights),
        "prompts": lambda: _clean(form.prompts),
        "trained_on": lambda: tuple(name for part in form.trained_on.split(",") if (name := clean_name(part))),
    }
    said: dict[str, Any] = {}
    problems: dict[str, str] = {}
    for name, value in read.items():
        try:
            said[name] = value()
            Metadata(**{"model": "any", name: said[name]})
        except ValueError as fault:
            field, _, rest = str(fault).partition(" ")
            problems["weights" if name == "open" else name] = f"{LABELS.get(field, field)} {rest}"
    if len(form.contact) > _LONGEST_CONTACT:
        problems["contact"] = f"Contact has {len(form.contact)} characters; at most {_LONGEST_CONTACT} are kept"
    if problems:
        raise FormError(problems)
    return Metadata(**said)


def clean_name(text: str) -> str:
    """A name as people mean it: nothing invisible in it, its words one blank apart."""
    return re.sub(r"\s+", " ", _clean(text))


def form_values(metadata: Metadata) -> list[str]:
    """What the form says where this was said of a model, from its name to the datasets it was trained on, and an empty
    contact, which nobody reads back."""
    weights = {None: "", True: "open", False: "closed"}[metadata.open]
    parameters = "" if metadata.parameters is None else f"{metadata.parameters:g}"
    said = [metadata.model, metadata.organisation, metadata.link or "", parameters, weights, metadata.prompts]
    return [*said, ", ".join(metadata.trained_on), ""]


def store_submission(
    store: Store,
    report: Report,
    form: SubmissionForm,
    identity: str | None,
    *,
    code_digest: str = "",
    taken: Sequence[Recorded] = (),
    trusted: bool = False,
    clock: Callable[[], datetime] = lambda: datetime.now(timezone.utc),
) -> Receipt:
    """Put an accepted upload into the store.

    Args:
        store: Where it is kept.
        report: What was found in it.
        form: What its author says.
        identity: Account of the author; without one it waits for review.
        code_digest: Of the code that its author is given.
        taken: Records that are there under the name of its model, which it may have to wait for review because of.
        trusted: Whether figures computed elsewhere and any names go on the board as they are, as on one's own machine.
        clock: Gives the time.

    Raises:
        UserError: The upload has problems, the form has, or its author handed in enough for today.
    """
    if not report.accepted:
        raise UserError("the file has problems; correct them and check it again")
    metadata = read_form(form)
    now = clock()
    by = identity or "anonymous"
    results = tuple(
        replace(
            result,
            protocol={**result.protocol, **_added_protocol(result, metadata, report)},
            source=replace(result.source, url=metadata.link, by=by, at=now.date().isoformat()),
        )
        for result in report.results
    )
    corrects = form.corrects.strip()
    relation = read_answer(form.relation.strip(), taken, corrects)
    try:
        at = now.isoformat(timespec="seconds")
        salt = secrets.token_hex(16) if report.private else ""
        submission = Submission(results, metadata, at, identity, corrects or None, relation, salt, code_digest)
    except ValueError as fault:
        raise UserError(str(fault)) from fault
    claimed = any(result.source.kind == "self-reported" for result in results)
    doubtful = not trusted and (claimed or bool(other_scripts(metadata.model)))
    review = identity is None or doubtful or needs_review(relation, taken, results, identity)

    def allow(entries: tuple[Entry, ...]) -> bool:
        if report.private and identity is not None:
            limit_private(entries, identity, now)
        used_up = any(told_lately(entries, result, now) >= A_MONTH for result in results if is_private(result))
        if review or used_up:
            limit_waiting(entries, identity)
        return used_up

    return store.add(submission, form.contact.strip(), review=review, allow=allow)


def limit_waiting(entries: Iterable[Entry], identity: str | None) -> None:
    """Refuse a submission, by a UserError, that would wait for review beside too many others."""
    waiting = sum(entry.status == "pending" and entry.submission.identity == identity for entry in entries)
    if identity is None and waiting >= MOST_WAITING_ANONYMOUS:
        raise UserError(
            f"{waiting} submissions without an account wait for review, and the board keeps no more; log in if the "
            "board has accounts, or come back after its owner has decided on some"
        )
    if identity is not None and waiting >= MOST_WAITING_OF_AN_ACCOUNT:
        raise UserError(f"{waiting} of your submissions wait for review, and the board keeps no more; come back later")


def _added_protocol(result: Result, metadata: Metadata, report: Report) -> dict[str, object]:
    """What the record says beyond its file: that its truth is not public, that the model has seen the dataset."""
    seen = {facts.name for name in metadata.trained_on if (facts := find_dataset(name))}
    return {
        **({"answers": PRIVATE_ANSWERS} if report.private and result.source.kind == "rescored" else {}),
        **({"trained_on": True} if result.dataset in seen else {}),
    }


def _is_open(weights: str) -> bool | None:
    chosen = weights.strip().casefold()
    if chosen not in ("", "open", "closed"):
        raise ValueError(f"weights is {chosen[:40]!r}; choose open or closed, or leave it empty")
    return None if not chosen else chosen == "open"


def _billions(text: str) -> float | None:
    plain = text.strip().casefold().removesuffix("b").strip()
    if not plain:
        return None
    if not re.fullmatch(r"\d{1,6}(\.\d{1,6})?", plain, re.ASCII):
        raise ValueError(f"parameters is {text[:40]!r}; write billions, such as 7 for a 7B model")
    return float(plain)


def other_scripts(name: str) -> list[str]:
    """Scripts beside the Latin one that a name has letters of, such as Greek: it may look like another model's."""
    scripts = {unicodedata.name(letter, "").partition(" ")[0].title() for letter in name if letter.isalpha()}
    return sorted(scripts - {"Latin", "Fullwidth"})


def _clean(text: str) -> str:
    """Text as people mean it: one form of each letter, nothing invisible in it."""
    return _UNSEEN.sub("", unicodedata.normalize("NFC", text)).strip()
