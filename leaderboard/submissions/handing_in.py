"""A checked upload and what is said about the model -> a submission for the store."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import partial

from leaderboard.cells import FindModel
from leaderboard.store import Receipt, Store, allow_all
from leaderboard.store.submission import Entry, Metadata, Submission
from leaderboard.submissions.report import Report
from qbench.datasets.known import find_dataset
from qbench.errors import UserError
from qbench.models.catalogue import ModelFacts
from qbench.records import Result

PRIVATE_TRUTH = "private"
"""Value of the protocol field `answers` in results scored against answers that are not public."""
_LONGEST_CONTACT = 200
_UNSEEN = re.compile(r"[\u200b-\u200f\u2060\ufeff\u00ad]")


@dataclass(frozen=True)
class Said:
    """The form as it was filled in, all of it text."""

    model: str
    organisation: str = ""
    link: str = ""
    parameters: str = ""
    weights: str = ""
    """`open`, `closed` or empty for not said."""
    prompts: str = ""
    trained_on: str = ""
    """Names of datasets, with commas between them."""
    contact: str = ""
    corrects: str = ""
    """Digest of the submission that this one corrects."""


def read_form(said: Said) -> Metadata:
    """What the form says about the model.

    Raises:
        UserError: The first field that cannot be kept, and what to write there.
    """
    weights = said.weights.strip().casefold()
    if weights not in ("", "open", "closed"):
        raise UserError(f"weights is {weights[:40]!r}; choose open or closed, or leave it empty")
    if len(said.contact) > _LONGEST_CONTACT:
        raise UserError(f"contact has {len(said.contact)} characters; at most {_LONGEST_CONTACT} are kept")
    try:
        return Metadata(
            model=_clean(said.model),
            organisation=_clean(said.organisation),
            link=_clean(said.link) or None,
            parameters=_billions(said.parameters),
            open=None if not weights else weights == "open",
            prompts=_clean(said.prompts),
            trained_on=tuple(name for one in said.trained_on.split(",") if (name := _clean(one))),
        )
    except ValueError as fault:
        raise UserError(str(fault)) from fault


def hand_in(
    store: Store,
    report: Report,
    said: Said,
    identity: str | None,
    *,
    private_a_day: int,
    clock: Callable[[], datetime] = lambda: datetime.now(timezone.utc),
) -> Receipt:
    """Put an accepted upload into the store; without an identity it waits for review.

    Raises:
        UserError: The upload has problems, the form has, or its author handed in enough for today.
    """
    if not report.accepted:
        raise UserError("the file has problems; mend them and check it again")
    metadata = read_form(said)
    now = clock()
    by = identity or "anonymous"
    results = tuple(
        replace(
            result,
            protocol={**result.protocol, **_told(result, metadata, _is_private(result, report))},
            source=replace(result.source, url=metadata.link, by=by, at=now.date().isoformat()),
        )
        for result in report.results
    )
    try:
        submission = Submission(
            results, metadata, now.isoformat(timespec="seconds"), identity, said.corrects.strip() or None
        )
    except ValueError as fault:
        raise UserError(str(fault)) from fault
    allow = partial(_limit_private, identity, now, private_a_day) if report.private else allow_all
    return store.add(submission, said.contact.strip(), review=identity is None, allow=allow)


def known_models(find: FindModel, entries: Iterable[Entry]) -> FindModel:
    """The catalogue, and after it the models that authors have described."""
    described: dict[str, ModelFacts] = {}
    for entry in entries:
        if entry.status != "accepted":
            continue
        said = entry.submission.metadata
        for result in entry.submission.results:
            described[result.model] = ModelFacts(
                id=result.model,
                name=said.model,
                kind="model",
                organisation=said.organisation or None,
                parameters=said.parameters,
                open=said.open,
            )
    return lambda name: find(name) or described.get(name)


def _told(result: Result, metadata: Metadata, private: bool) -> dict[str, object]:
    """What the record says beyond its file: that its truth is not public, that the model has seen the dataset."""
    seen = {facts.name for name in metadata.trained_on if (facts := find_dataset(name))}
    return {
        **({"answers": PRIVATE_TRUTH} if private else {}),
        **({"trained_on": True} if result.dataset in seen else {}),
    }


def _is_private(result: Result, report: Report) -> bool:
    return report.private and result.source.kind == "rescored"


def _limit_private(identity: str | None, now: datetime, most: int, entries: Iterable[Entry]) -> None:
    """Whoever may try often enough learns the answers: a few tries a day are all."""
    today = [
        one
        for one in entries
        if one.submission.identity == identity
        and one.submission.submitted_at[:10] == now.date().isoformat()
        and any(result.protocol.get("answers") == PRIVATE_TRUTH for result in one.submission.results)
    ]
    if len(today) >= most:
        who = "you" if identity else "authors without an account"
        raise UserError(
            f"{who} handed in {len(today)} results on private answers today, and {most} a day are taken; "
            "come back tomorrow"
        )


def title_of(dataset: str) -> str:
    """What people call a dataset."""
    facts = find_dataset(dataset)
    return facts.title if facts else dataset


def _billions(text: str) -> float | None:
    plain = text.strip().casefold().removesuffix("b").strip()
    if not plain:
        return None
    if not re.fullmatch(r"\d{1,6}(\.\d{1,6})?", plain, re.ASCII):
        raise ValueError(f"parameters is {text[:40]!r}; write billions, such as 7 for a 7B model")
    return float(plain)


def _clean(text: str) -> str:
    """Text as people mean it: one form of each letter, nothing invisible in it."""
    return _UNSEEN.sub("", unicodedata.normalize("NFC", text)).strip()
