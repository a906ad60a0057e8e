"""What an author hands in: results and what is said about them, named by their content. The JSON form is strict."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from reprlib import repr as quoted
from typing import Any, Literal

from qbench.records import Result

SCHEMA = 1
"""Version written into every stored submission; readers refuse what they do not know."""
LONGEST = {"model": 120, "organisation": 120, "link": 500, "prompts": 4000, "trained_on": 120}
"""Most characters of each text, of each one for lists."""
MOST_RESULTS = 1000
MOST_DATASETS = 100
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Control characters and those that turn the direction of what follows; tab and line end are text."""

Status = Literal["accepted", "pending", "withdrawn", "superseded"]


@dataclass(frozen=True)
class Metadata:
    """What the author says about the model; all of it is public."""

    model: str
    organisation: str = ""
    link: str | None = None
    """Paper, code or checkpoint: an http or https address."""
    parameters: float | None = None
    """Billions."""
    open: bool | None = None
    """Whether the weights can be had; None where it was not said."""
    prompts: str = ""
    """Prompts and protocol that were used."""
    trained_on: tuple[str, ...] = ()
    """Datasets the model was trained on, as far as they bear on the boards."""

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise ValueError("model is empty; give the model a name")
        for name, longest in LONGEST.items():
            value = getattr(self, name)
            for text in (value,) if isinstance(value, str) else value or ():
                _check_text(text, name, longest)
        if self.link is not None and not re.fullmatch(r"https?://[^\s<>\"'`\\]+", self.link):
            raise ValueError(f"link is {quoted(self.link)}; expected an address that starts with https:// or http://")
        if self.parameters is not None and not 0 < self.parameters < 1e6:
            raise ValueError(f"parameters is {self.parameters}; expected billions, such as 7 for a 7B model")
        if len(self.trained_on) > MOST_DATASETS:
            raise ValueError(f"trained_on names {len(self.trained_on)} datasets; at most {MOST_DATASETS} are kept")

    def to_json(self) -> dict[str, Any]:
        parameters = None if self.parameters is None else float(self.parameters)
        return {**asdict(self), "parameters": parameters, "trained_on": list(self.trained_on)}

    @classmethod
    def from_json(cls, data: object) -> Metadata:
        """Read the stored form; anything malformed is a ValueError naming the field."""
        row = _object(data, {one.name for one in fields(cls)}, "metadata")
        trained_on = _typed(row, "trained_on", (list,), ())
        if not all(isinstance(one, str) for one in trained_on):
            raise ValueError("metadata.trained_on holds something that is no text; expected names of datasets")
        parameters = _typed(row, "parameters", (int, float, type(None)), None)
        return cls(
            model=_typed(row, "model", (str,)),
            organisation=_typed(row, "organisation", (str,), ""),
            link=_typed(row, "link", (str, type(None)), None),
            parameters=parameters,
            open=_typed(row, "open", (bool, type(None)), None),
            prompts=_typed(row, "prompts", (str,), ""),
            trained_on=tuple(trained_on),
        )


@dataclass(frozen=True)
class Submission:
    """One hand-in: results, what is said about them, who handed them in and when."""

    results: tuple[Result, ...]
    metadata: Metadata
    submitted_at: str
    """ISO time with its zone."""
    identity: str | None = None
    """Account on the Hub; None for an anonymous author."""
    supersedes: str | None = None
    """Digest of the submission that this one corrects."""

    def __post_init__(self) -> None:
        if not 0 < len(self.results) <= MOST_RESULTS:
            raise ValueError(f"a submission has {len(self.results)} results; expected 1 to {MOST_RESULTS}")
        try:
            zone = datetime.fromisoformat(self.submitted_at.replace("Z", "+00:00")).tzinfo
        except ValueError:
            zone = None
        if zone is None:
            raise ValueError(f"submitted_at is {quoted(self.submitted_at)}; expected a time such as {_EXAMPLE_TIME}")
        if self.identity is not None:
            _check_text(self.identity, "identity", 120)
        if self.supersedes is not None and not is_digest(self.supersedes):
            raise ValueError(f"supersedes is {quoted(self.supersedes)}; expected the digest of a submission")

    @property
    def content(self) -> str:
        """Names the results, whoever hands them in and whenever: equal contents are duplicates."""
        return _digest([_content(result) for result in self.results])

    @property
    def digest(self) -> str:
        """Names the submission: what is said about the results and by whom belongs to it, the time does not."""
        said = {"metadata": self.metadata.to_json(), "identity": self.identity, "supersedes": self.supersedes}
        return _digest([self.content, said])

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "submitted_at": self.submitted_at,
            "identity": self.identity,
            "supersedes": self.supersedes,
            "metadata": self.metadata.to_json(),
            "results": [result.to_json() for result in self.results],
        }

    @classmethod
    def from_json(cls, data: object) -> Submission:
        """Read the stored form; anything malformed is a ValueError naming the field."""
        row = _object(data, {"schema", *(one.name for one in fields(cls))}, "submission")
        if row.get("schema") != SCHEMA or isinstance(row.get("schema"), bool):
            raise ValueError(f"schema is {quoted(row.get('schema'))}; this version reads schema {SCHEMA}")
        return cls(
            results=tuple(Result.from_json(one) for one in _typed(row, "results", (list,))),
            metadata=Metadata.from_json(row.get("metadata")),
            submitted_at=_typed(row, "submitted_at", (str,)),
            identity=_typed(row, "identity", (str, type(None)), None),
            supersedes=_typed(row, "supersedes", (str, type(None)), None),
        )


@dataclass(frozen=True)
class Withdrawal:
    """That a submission was taken off the board, or declined; and by whom."""

    digest: str
    by: str
    at: str
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        return {"schema": SCHEMA, **asdict(self)}

    @classmethod
    def from_json(cls, data: object) -> Withdrawal:
        """Read the stored form; anything malformed is a ValueError naming the field."""
        row = _object(data, {"schema", *(one.name for one in fields(cls))}, "withdrawal")
        digest = _typed(row, "digest", (str,))
        if not is_digest(digest):
            raise ValueError(f"digest is {quoted(digest)}; expected the digest of a submission")
        said = {name: _typed(row, name, (str,), "") for name in ("by", "at", "reason")}
        for name, text in said.items():
            _check_text(text, name, 500)
        return cls(digest, **said)


@dataclass(frozen=True)
class Entry:
    """A submission in a store, and what became of it."""

    submission: Submission
    digest: str
    status: Status
    superseded_by: str | None = None
    """Digest of its correction."""
    withdrawal: Withdrawal | None = None
    url: str | None = None
    """Where it can be read on the Hub; None for a folder."""


def history(entries: Iterable[Entry], digest: str) -> list[Entry]:
    """A submission and all it corrects, newest first; empty where there is no such submission."""
    found = {entry.digest: entry for entry in entries}
    line: list[Entry] = []
    current: str | None = digest
    while current in found:
        entry = found.pop(current)  # what was seen is gone: a made-up circle ends
        line.append(entry)
        current = entry.submission.supersedes
    return line


def may_change(entry: Entry, identity: str | None) -> bool:
    """Whether an account may correct or withdraw a submission without review: only its author."""
    return identity is not None and entry.submission.identity == identity


def is_digest(text: object) -> bool:
    """Whether a text could name a submission; everything else must never become part of a path."""
    return isinstance(text, str) and re.fullmatch(r"[0-9a-f]{64}", text) is not None


def to_bytes(record: Submission | Withdrawal) -> bytes:
    """The file of a record: JSON that people can read, the same bytes for the same record."""
    return (json.dumps(record.to_json(), ensure_ascii=False, allow_nan=False, indent=1) + "\n").encode()


_EXAMPLE_TIME = "2026-05-31T12:00:00+00:00"


def _content(result: Result) -> dict[str, Any]:
    """A result as it is read back, without who handed it in and when."""
    row = Result.from_json(result.to_json()).to_json()
    row["source"] = {name: value for name, value in row["source"].items() if name not in ("by", "at")}
    return row


def _digest(data: object) -> str:
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _check_text(text: str, where: str, longest: int) -> None:
    if len(text) > longest:
        raise ValueError(f"{where} has {len(text)} characters; at most {longest} are kept")
    if _CONTROL.search(text):
        raise ValueError(f"{where} is {quoted(text)}; remove its control characters")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{where} is {quoted(text)}; it holds half a character (a lone surrogate)") from None


def _object(data: object, known: set[str], where: str) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise ValueError(f"{where} is {type(data).__name__}; expected an object")
    unknown = sorted(str(name) for name in set(data) - known)
    if unknown:
        raise ValueError(f"{where} has the unknown field {quoted(unknown[0])}; known are {', '.join(sorted(known))}")
    return data


_REQUIRED = object()


def _typed(row: Mapping[str, Any], name: str, types: tuple[type, ...], default: object = _REQUIRED) -> Any:
    """A field of one of the types; a truth value is no number."""
    if name not in row and default is not _REQUIRED:
        return default
    value = row.get(name)
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        expected = " or ".join("null" if one is type(None) else one.__name__ for one in types)
        raise ValueError(f"{name} is {quoted(value)}; expected {expected}")
    return value
