"""The whole vocabulary: one typed record for every arrow from dataset to leaderboard.

dataset -> `Sample` -> task -> `Prompt` -> model -> `Response` -> task -> `Score` -> summary -> `Estimate` in a `Result`
-> store -> page. Records are frozen, know their JSON form and import nothing of ours.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from reprlib import repr as quoted
from typing import Any, Literal, cast, get_args

SCHEMA = 1
"""Version written into every stored `Result`; readers refuse what they do not know."""
LEVEL = 0.95
"""Of every interval that is made here."""
_LARGEST_COUNT = 2**53
"""Up to here every JSON reader keeps a whole number exact."""
_DEEPEST = 32
"""Objects and lists within each other that a protocol may hold; those of this tool are five deep."""

SourceKind = Literal["paper", "rescored", "self-reported", "live"]


@dataclass(frozen=True)
class Sample:
    """One item a model is asked about, with what people (or construction) say is true of it."""

    id: str
    images: tuple[str, ...] = ()
    question: str | None = None
    options: tuple[str, ...] = ()
    answer: int | None = None
    """Index into `options`, or the alternatives of a similarity task; None where it is private or there is none."""
    texts: tuple[str, ...] = ()
    reference: str | None = None
    """What is measured against: a description; in similarity tasks an image, which is also the first of `images`."""
    human: float | None = None
    """Human score, in the dataset's own units."""
    lower_is_better: bool = False
    """True for DMOS-like scores."""
    groups: Mapping[str, str] = field(default_factory=dict)
    """Grouping -> group, e.g. question_type -> yes-or-no."""
    cluster: str | None = None
    """Samples sharing it (made from one photo, of one prompt) are not independent, and are resampled together."""
    relevance: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of a retrieval query: easy, hard, junk -> ids of the samples that are; empty for an image to search."""


@dataclass(frozen=True)
class Picture:
    """An image file and the identity of its bytes."""

    path: str
    sha256: str


Want = Literal["text", "words", "losses", "embedding", "score", "map"]
"""What is asked of a model: to write, logits of words, losses of continuations, a vector, a quality score, a score of
each part of a photo."""


@dataclass(frozen=True)
class Prompt:
    """Everything that can change what a model answers, apart from the model."""

    want: Want
    parts: tuple[str | Picture, ...]
    """Text and images in the order they are shown."""
    words: tuple[str, ...] = ()
    """Words or continuations to weigh, for "words" and "losses"."""
    prefill: str = ""
    """Beginning of the model's answer, put into its mouth."""
    system: str = ""
    max_tokens: int = 64
    repeat: int = 0
    """Tells apart askings of the same prompt whose answers may differ (a judge's rounds)."""

    @property
    def text(self) -> str:
        """What is asked, without the images."""
        return "\n".join(part for part in self.parts if isinstance(part, str)).strip()

    @property
    def images(self) -> tuple[str, ...]:
        """Paths of the images, in the order they are shown."""
        return tuple(part.path for part in self.parts if isinstance(part, Picture))


@dataclass(frozen=True)
class Response:
    """What a model returned for one prompt, before anyone judged it."""

    sample: str = ""
    text: str | None = None
    logits: Mapping[str, float] = field(default_factory=dict)
    """Word -> logit (or log-probability) at the answer position; a word the model did not report is not in it."""
    losses: Mapping[str, float] = field(default_factory=dict)
    """Continuation -> mean negative log-likelihood of its tokens."""
    embedding: tuple[float, ...] = ()
    score: float | None = None
    score_error: float | None = None
    """Standard error of the score, from a model that knows it."""
    faults: Mapping[str, float] = field(default_factory=dict)
    """Kind of damage -> probability, from a model that scores and can tell."""
    score_map: tuple[tuple[float, ...], ...] = ()
    """Scores of the photo's parts, row by row from the top left; a part is about as high as it is wide."""
    map_margin: float | None = None
    """How far below the median part the worst part of nine in ten untouched photos lies at most."""
    failure: str | None = None
    """Why there is no answer: the provider or the image failed."""
    usage: Mapping[str, float] = field(default_factory=dict)
    """Tokens, cost, seconds: whatever the backend counted."""
    note: str | None = None
    """What the reader of the result must know about this answer, e.g. that a word was split into several tokens."""


@dataclass(frozen=True)
class Presented:
    """Two images as they were shown, and which was chosen."""

    first: str
    second: str
    choice: Literal["first", "second", "tie"] | None
    """None where there was no usable answer."""
    dataset: str | None = None
    by_judge: bool = False
    """Whether a judge read the reply, which the parser had left unread."""


@dataclass(frozen=True)
class Score:
    """What one response is worth, beside the truth it is measured against; or why it could not be scored."""

    sample: str
    value: float | None
    truth: float | None = None
    """Higher is better, whichever way the dataset's own scale runs."""
    order: float | None = None
    """What ranks are taken on where it is not `value`: the logit difference keeps ties that exp() would break."""
    reason: str | None = None
    """Why `value` is None: refused, unparseable, failed, ..."""
    cluster: str | None = None
    """Items sharing a cluster (an image, a prompt) are resampled together."""
    groups: Mapping[str, str] = field(default_factory=dict)
    by_judge: bool = False
    """Whether a judge read the reply, which the parser had left unread."""

    @property
    def rank_value(self) -> float | None:
        """What ranks are taken on."""
        return self.value if self.order is None else self.order


@dataclass(frozen=True)
class Items:
    """What single items add to one metric, so that two models can be compared on the same ones.

    A mean has a value for each item; a correlation its model score too, and the human score as its truth.
    """

    statistic: Literal["mean", "srcc", "krcc", "plcc"]
    names: tuple[str, ...]
    values: tuple[float, ...]
    truth: tuple[float, ...] = ()
    parts: tuple[str, ...] = ()
    """The part of each item, where the statistic is taken in each part and averaged."""
    clusters: tuple[str, ...] = ()
    """Items sharing a cluster are resampled together; without any each is its own."""


@dataclass(frozen=True)
class Estimate:
    """A number with its uncertainty. What cannot be computed is None and says why in `note`; it is never zero."""

    value: float | None
    low: float | None = None
    high: float | None = None
    level: float = LEVEL
    n: int | None = None
    """How many independent items it rests on."""
    method: str = ""
    """How the interval was made, e.g. `wilson`, `bootstrap-1000`; `printed` for a figure taken from a paper."""
    note: str | None = None
    """Why the value or interval is absent, or a flag on a printed figure."""
    recomputed: float | None = None
    """Our own value, where a printed one disagrees with its own table."""

    def __post_init__(self) -> None:
        for name in ("value", "low", "high", "recomputed"):
            number = getattr(self, name)
            if number is not None and not math.isfinite(number):
                raise ValueError(f"an estimate's {name} is {number}; use None with a note for what does not exist")

    def to_json(self) -> dict[str, Any]:
        seldom = ("note", "recomputed")
        return {name: value for name, value in vars(self).items() if value is not None or name not in seldom}

    @classmethod
    def from_json(cls, data: object, where: str = "estimate") -> Estimate:
        row = _mapping(data, where)
        _only(row, {each.name for each in fields(cls)}, where)
        if "value" not in row:
            raise ValueError(f"{where} has no value; write null with a note where there is none")
        level = _number(row.get("level", LEVEL), f"{where}.level")
        if level is None or not 0 < level < 1:
            raise ValueError(f"{where}.level is {quoted(level)}; expected a share between 0 and 1, such as 0.95")
        low, high = _number(row.get("low"), f"{where}.low"), _number(row.get("high"), f"{where}.high")
        if low is not None and high is not None and low > high:
            raise ValueError(f"{where} has low {low} above high {high}")
        return cls(
            value=_number(row["value"], f"{where}.value"),
            low=low,
            high=high,
            level=level,
            n=None if row.get("n") is None else _count(row["n"], f"{where}.n"),
            method=_text(row.get("method", ""), f"{where}.method"),
            note=_optional_text(row.get("note"), f"{where}.note"),
            recomputed=_number(row.get("recomputed"), f"{where}.recomputed"),
        )


@dataclass(frozen=True)
class Source:
    """Where a result comes from, exactly enough to find it again."""

    kind: SourceKind
    reference: str = ""
    """Title of the paper, or the file that was scored; in records of earlier versions with table and row."""
    url: str | None = None
    by: str | None = None
    at: str | None = None
    """ISO date."""
    table: str = ""
    row: str = ""  # and column, as printed

    @property
    def cited(self) -> str:
        """Title, table and row in one line."""
        return ", ".join(filter(None, (self.reference, self.table, self.row)))

    def to_json(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value or name not in ("table", "row")}


Metrics = Mapping[str, Estimate]


@dataclass(frozen=True)
class Result:
    """Everything the board knows about one model on one dataset."""

    task: str
    dataset: str
    model: str
    metrics: Metrics
    source: Source
    split: str | None = None
    protocol: Mapping[str, Any] = field(default_factory=dict)
    """How it was asked and scored: prompt style, word pair, temperature, rounds, ..."""
    groups: Mapping[str, Mapping[str, Metrics]] = field(default_factory=dict)
    """Grouping -> group -> metrics, e.g. question_type -> how -> accuracy."""
    unscored: Mapping[str, int] = field(default_factory=dict)
    """Reason -> how many samples have no score because of it."""
    status: Mapping[str, int] = field(default_factory=dict)
    """What was read, scored, dropped as a repeat, or missing."""
    raw: str | None = None
    """SHA-256 of the raw responses."""
    items: Mapping[str, Items] = field(default_factory=dict, compare=False, repr=False)
    """Metric -> what its items add, where the answers are at hand; kept beside the record and no part of its JSON."""

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "task": self.task,
            "dataset": self.dataset,
            "split": self.split,
            "model": self.model,
            "protocol": dict(self.protocol),
            "metrics": _metrics_to_json(self.metrics),
            "groups": {
                grouping: {group: _metrics_to_json(metrics) for group, metrics in members.items()}
                for grouping, members in self.groups.items()
            },
            "unscored": dict(self.unscored),
            "status": dict(self.status),
            "source": self.source.to_json(),
            "raw": self.raw,
        }

    @classmethod
    def from_json(cls, data: object) -> Result:
        """Read a stored record; anything malformed is a ValueError naming the field.

        Which tasks there are is not known here: `qbench.tasks.read_stored_result` checks that too.
        """
        row = _mapping(data, "result")
        if row.get("schema") != SCHEMA or isinstance(row.get("schema"), bool):
            raise ValueError(f"schema is {quoted(row.get('schema'))}; this version reads schema {SCHEMA}")
        _only(row, {"schema"} | {each.name for each in fields(cls)} - {"items"}, "result")
        groups = {
            grouping: {
                group: _metrics_from_json(metrics, f"groups.{grouping}.{group}")
                for group, metrics in _mapping(members, f"groups.{grouping}").items()
            }
            for grouping, members in _mapping(row.get("groups", {}), "groups").items()
        }
        return cls(
            task=_text(row.get("task"), "task"),
            dataset=_text(row.get("dataset"), "dataset"),
            model=_text(row.get("model"), "model"),
            metrics=_metrics_from_json(row.get("metrics"), "metrics"),
            source=_source_from_json(row.get("source")),
            split=_optional_text(row.get("split"), "split"),
            protocol=_protocol_from_json(row.get("protocol", {})),
            groups=groups,
            unscored=_counts(row.get("unscored", {}), "unscored"),
            status=_counts(row.get("status", {}), "status"),
            raw=_optional_text(row.get("raw"), "raw"),
        )


def _metrics_to_json(metrics: Metrics) -> dict[str, Any]:
    return {name: estimate.to_json() for name, estimate in metrics.items()}


def _metrics_from_json(data: object, where: str) -> dict[str, Estimate]:
    return {name: Estimate.from_json(estimate, f"{where}.{name}") for name, estimate in _mapping(data, where).items()}


def _source_from_json(data: object) -> Source:
    row = _mapping(data, "source")
    _only(row, {each.name for each in fields(Source)}, "source")
    kind = row.get("kind")
    if kind not in get_args(SourceKind):
        raise ValueError(f"source.kind is {quoted(kind)}; expected one of {', '.join(get_args(SourceKind))}")
    texts: dict[str, Any] = {name: _text(row.get(name, ""), f"source.{name}") for name in ("reference", "table", "row")}
    texts |= {name: _optional_text(row.get(name), f"source.{name}") for name in ("url", "by", "at")}
    return Source(cast("SourceKind", kind), **texts)


def _mapping(data: object, where: str) -> dict[str, Any]:
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise ValueError(f"{where} is {type(data).__name__}; expected an object")
    return data


def _protocol_from_json(data: object) -> dict[str, Any]:
    """Whatever JSON can hold again, for Python reads NaN, which is not JSON; what boards count must be counts."""
    row = _mapping(data, "protocol")
    try:
        json.dumps(row, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"protocol cannot be written as JSON ({error})") from None
    if not _is_shallow(row, _DEEPEST):
        raise ValueError(f"protocol is nested more than {_DEEPEST} deep")
    if "limit" in row:
        _count(row["limit"], "protocol.limit")
    rounds = _number(row.get("rounds", 0), "protocol.rounds")
    if rounds is None or rounds < 0:
        raise ValueError(f"protocol.rounds is {quoted(rounds)}; expected how many rounds of comparisons were asked")
    return row


def _is_shallow(value: object, deepest: int) -> bool:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return deepest > 0 and all(_is_shallow(item, deepest - 1) for item in inside)


def _only(row: Mapping[str, object], known: set[str], where: str) -> None:
    unknown = sorted(set(row) - known)
    if unknown:
        raise ValueError(f"{where} has the unknown field {quoted(unknown[0])}; known are {', '.join(sorted(known))}")


def _text(data: object, where: str) -> str:
    if not isinstance(data, str):
        raise ValueError(f"{where} is {quoted(data)}; expected text")
    return data


def _optional_text(data: object, where: str) -> str | None:
    return None if data is None else _text(data, where)


def _number(data: object, where: str) -> float | None:
    if data is None:
        return None
    if isinstance(data, bool) or not isinstance(data, (int, float)):
        raise ValueError(f"{where} is {quoted(data)}; expected a number or null")
    try:
        value = float(data)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise ValueError(f"{where} is not a finite number; write null with a note for what does not exist")
    return value


def _counts(data: object, where: str) -> dict[str, int]:
    return {name: _count(count, f"{where}.{name}") for name, count in _mapping(data, where).items()}


def _count(data: object, where: str) -> int:
    if isinstance(data, bool) or not isinstance(data, int) or not 0 <= data <= _LARGEST_COUNT:
        raise ValueError(f"{where} is {quoted(data)}; expected a count")
    return data
