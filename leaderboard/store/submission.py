"""What a store keeps: submissions of authors, each named by its content, decisions of owners, answers to studies. The
JSON form is strict."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cached_property
from reprlib import repr as quoted
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, InstanceOf, Strict

from qbench.records import Result, Stored
from qbench.tasks import read_stored_result

if TYPE_CHECKING:
    from typing_extensions import Self

SUBMISSION_SCHEMA = 1
"""Version written into every stored submission; readers refuse what they do not know."""
LONGEST = {"model": 120, "organisation": 120, "link": 500, "prompts": 4000, "trained_on": 120}
"""Most characters of each text, of each one for lists."""
MOST_RESULTS = 1000
MOST_DATASETS = 100
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Control characters and those that turn the direction of what follows; tab and line end are text."""

STUDY_NAME = re.compile(r"[a-z0-9]{12}")
PERSON = re.compile(r"[0-9a-f]{32}")

Status = Literal["accepted", "pending", "withdrawn", "superseded"]
Decided = Literal["accepted", "declined", "taken back"]
Choice = tuple[str, str, Literal["first", "second", "tie"]]
"""The photo on the left, the one on the right, and which was chosen."""
Relation = Literal["", "reproduction", "correction"]
"""What results are to figures that the board had under the same name; empty where it had none."""


@dataclass(frozen=True)
class Metadata(Stored):
    """What the author says about the model; all of it is public."""

    model: str
    organisation: str = ""
    link: str | None = None
    """Paper, code or checkpoint: an http or https address."""
    parameters: Annotated[float, Strict()] | None = None
    """Billions."""
    open: Annotated[bool, Strict()] | None = None
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
        return {**vars(self), "parameters": parameters, "trained_on": list(self.trained_on)}


class Versioned(Stored):
    """A record whose file tells the version of its form, which is checked first: a later one may mean anything."""

    def to_json(self) -> dict[str, Any]:
        return {"schema": SUBMISSION_SCHEMA, **asdict(self)}  # type: ignore[call-overload]  # of dataclasses

    @classmethod
    def from_json(cls, data: object) -> Self:
        if not isinstance(data, dict):
            return super().from_json(data)
        schema = data.get("schema")
        if schema != SUBMISSION_SCHEMA or isinstance(schema, bool):
            raise ValueError(f"schema is {quoted(schema)}; this version reads schema {SUBMISSION_SCHEMA}")
        return super().from_json({name: value for name, value in data.items() if name != "schema"})


@dataclass(frozen=True)
class Submission(Versioned):
    """One hand-in: results, what is said about them, who handed them in and when."""

    results: tuple[Annotated[InstanceOf[Result], BeforeValidator(read_stored_result)], ...]
    metadata: Metadata
    submitted_at: str
    """ISO time with its zone."""
    identity: str | None = None
    """Account on the Hub; None for an anonymous author."""
    supersedes: str | None = None
    """Digest of the submission that this one corrects."""
    relation: Relation = ""
    salt: str = ""
    """Random text in the name of results on private answers, which would otherwise tell them to whoever tries all."""
    code_digest: str = ""
    """SHA-256 of the code that its author was given, long and random, so that publishing this helps nobody."""

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
        _check_text(self.salt, "salt", 64)
        if self.code_digest and not is_digest(self.code_digest):
            raise ValueError(f"code_digest is {quoted(self.code_digest)}; expected a SHA-256")
        if self.supersedes is not None and not is_digest(self.supersedes):
            raise ValueError(f"supersedes is {quoted(self.supersedes)}; expected the digest of a submission")

    @classmethod
    def from_json(cls, data: object) -> Self:
        made = super().from_json(data)
        vars(made)["content"] = _content(made.results)  # of thousands of files it takes seconds to read them twice
        return made

    @cached_property
    def content(self) -> str:
        """Names the results, whoever hands them in and whenever: equal contents are duplicates."""
        return _content(read_stored_result(result.to_json()) for result in self.results)

    @cached_property
    def unsalted(self) -> str:
        """What the digest would be without anything random: equal for the same thing handed in again."""
        return self._digest_with(_present(relation=self.relation))

    @cached_property
    def digest(self) -> str:
        """Names the submission: what is said about the results and by whom belongs to it, the time does not."""
        return self._digest_with(self._added)

    def _digest_with(self, added: dict[str, str]) -> str:
        said = {"metadata": self.metadata.to_json(), "identity": self.identity, "supersedes": self.supersedes}
        return _digest([self.content, {**said, **added}])

    @property
    def _added(self) -> dict[str, str]:
        return _present(relation=self.relation, salt=self.salt, code_digest=self.code_digest)

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": SUBMISSION_SCHEMA,
            "submitted_at": self.submitted_at,
            "identity": self.identity,
            "supersedes": self.supersedes,
            **self._added,
            "metadata": self.metadata.to_json(),
            "results": [result.to_json() for result in self.results],
        }


@dataclass(frozen=True)
class Withdrawal(Versioned):
    """That the author of a submission took it off the board, or out of review."""

    digest: str
    by: str = ""
    at: str = ""
    reason: str = ""

    def __post_init__(self) -> None:
        if not is_digest(self.digest):
            raise ValueError(f"digest is {quoted(self.digest)}; expected the digest of a submission")
        for name in ("by", "at", "reason"):
            _check_text(getattr(self, name), name, 500)


@dataclass(frozen=True)
class Decision(Versioned):
    """What an owner of the board decided on a submission."""

    submission: str
    """Its digest."""
    decided: Decided
    by: str
    """The owner's account."""
    at: str
    """ISO time with its zone, to the microsecond."""
    reason: str = ""

    def __post_init__(self) -> None:
        if not is_digest(self.submission):
            raise ValueError(f"submission is {quoted(self.submission)}; expected the digest of a submission")
        if not _TIME.fullmatch(self.at):
            raise ValueError(f"at is {quoted(self.at)}; expected a time such as {_EXAMPLE_TIME}")
        for name in ("by", "reason"):
            _check_text(getattr(self, name), name, 500)

    @cached_property
    def digest(self) -> str:
        """Names the decision."""
        return _digest(self.to_json())


@dataclass(frozen=True)
class StudyAnswers(Versioned):
    """What one person answered in one study; nothing says who it was."""

    study: str
    person: str
    """A number that the person's browser drew."""
    answered_at: str
    """ISO time with its zone."""
    seconds: Annotated[float, Strict()]
    choices: tuple[Choice, ...]
    """In the order they were asked."""

    def __post_init__(self) -> None:
        if not STUDY_NAME.fullmatch(self.study) or not PERSON.fullmatch(self.person):
            raise ValueError("study or person is no name of one")

    @property
    def digest(self) -> str:
        """Names study and person, so that nobody answers twice."""
        return hashlib.sha256(f"{self.study} {self.person}".encode()).hexdigest()


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
    decisions: tuple[Decision, ...] = ()
    """What owners decided on it, the earliest first."""
    also: tuple[Submission, ...] = ()
    """The same, handed in at other replicas, which gave it codes of their own."""

    @property
    def names(self) -> tuple[str, ...]:
        """Every digest that means it."""
        return (self.digest, *(one.digest for one in self.also))


def may_change(entry: Entry, identity: str | None) -> bool:
    """Whether an account may correct or withdraw a submission without review: only its author."""
    return identity is not None and entry.submission.identity == identity


def is_digest(text: object) -> bool:
    """Whether a text could name a submission; everything else must never become part of a path."""
    return isinstance(text, str) and re.fullmatch(r"[0-9a-f]{64}", text) is not None


def record_bytes(record: Versioned) -> bytes:
    """The file of a record: JSON that people can read, the same bytes for the same record."""
    return (json.dumps(record.to_json(), ensure_ascii=False, allow_nan=False, indent=1) + "\n").encode()


_EXAMPLE_TIME = "2026-05-31T12:00:00+00:00"


def _present(**texts: str) -> dict[str, str]:
    """Only those there are: submissions from before they were thought of keep their names."""
    return {name: text for name, text in texts.items() if text}


def _content(read: Iterable[Result]) -> str:
    """Digest of results as they are read back, without who handed them in and when."""
    rows = [result.to_json() for result in read]
    for row in rows:
        row["source"] = {name: value for name, value in row["source"].items() if name not in ("by", "at")}
    return _digest(rows)


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
