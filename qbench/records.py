"""The whole vocabulary: one typed record for every arrow from dataset to leaderboard.

dataset -> `Sample` -> task -> `Prompt` -> model -> `Response` -> task -> `Score` -> results -> `Estimate` in a `Result`
-> store -> page. Records are frozen and know their JSON form.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from reprlib import repr as quoted
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeVar, cast

from annotated_types import Interval  # comes with pydantic

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from typing_extensions import Self

StoredT = TypeVar("StoredT")
SCHEMA = 1
"""Version written into every stored `Result`; readers refuse what they do not know."""
LEVEL = 0.95
"""Of every interval that is made here."""
_LARGEST_COUNT = 2**53
"""Up to here every JSON reader keeps a whole number exact."""
Count = Annotated[int, Interval(ge=0, le=_LARGEST_COUNT)]
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
    """The description that another is measured against."""
    has_reference: bool = False
    """Whether the first of `images` is what the alternatives of a similarity task are measured against."""
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
class Ask:
    """One prompt about one sample, or about two that are compared."""

    sample: str
    """Its id, as raw answers name it."""
    prompt: Prompt
    of: Literal["model", "judge"] = "model"
    pair: tuple[str, str] | None = None
    """Ids of the two samples that are compared, in the order they are shown."""


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
    chosen: int | None = None
    """The alternative that was chosen, counted from 0 in the order listed, where a file holds nothing else."""
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
    """The human score: higher is better, whichever way the dataset's own scale runs."""
    order: float | None = None
    """What ranks are taken on where it is not `value`: the logit difference keeps ties that exp() would break."""
    chosen: int | None = None
    """Of a choice: the option or alternative that was chosen, counted from 0."""
    right: int | None = None
    """Of a choice: the right one."""
    reason: str | None = None
    """Why `value` is None: refused, unparseable, failed, ..."""
    cluster: str | None = None
    """Items sharing a cluster (an image, a prompt) are resampled together."""
    groups: Mapping[str, str] = field(default_factory=dict)
    by_judge: bool = False
    """Whether a judge read the reply, which the parser had left unread."""

    @property
    def is_known(self) -> bool:
        """Whether it is known what is right, or what people said."""
        return self.truth is not None or self.right is not None

    @property
    def rank_value(self) -> float | None:
        """What ranks are taken on."""
        return self.value if self.order is None else self.order


@dataclass(frozen=True)
class Items:
    """What single items add to one metric, so that two models can be compared on the same ones.

    A mean has a value for each item; a correlation its model score too, and the human score as its truth.
    """

    statistic: Literal["mean", "srcc", "plcc"]
    names: tuple[str, ...]
    values: tuple[float, ...]
    truth: tuple[float, ...] = ()
    parts: tuple[str, ...] = ()
    """The part of each item, where the statistic is taken in each part and averaged."""
    clusters: tuple[str, ...] = ()
    """Items sharing a cluster are resampled together; without any each is its own."""


class Stored:
    """A dataclass that is read from stored JSON; a field that is not known is a fault."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    @classmethod
    def from_json(cls, data: object) -> Self:
        """Read the stored form; see `read_stored`."""
        return read_stored(cls, data)

    def to_json(self) -> dict[str, Any]:
        """The stored form, which has some fields only where they say something."""
        seldom = ("note", "recomputed", "table", "row")
        return {name: value for name, value in vars(self).items() if value not in (None, "") or name not in seldom}


def read_stored(made: type[StoredT], data: object, *, exact: bool = False) -> StoredT:
    """A record of what JSON held; anything malformed is a ValueError naming the first field that is wrong.

    Where it is exact, texts, numbers and yes or no are what they must be as they stand, and none is made of another.
    """
    from pydantic import ValidationError

    adapter = _adapter(made)  # type: ignore[arg-type]  # classes are hashable
    try:
        read = adapter.validate_json(json.dumps(data), strict=True) if exact else adapter.validate_python(data)
        return cast("StoredT", read)
    except ValidationError as fault:
        error = fault.errors()[0]
    except (TypeError, RecursionError) as fault:
        raise ValueError(f"{made.__name__.lower()} cannot be written as JSON ({fault})") from None
    if error["type"] == "value_error":  # a sentence of the record's own
        raise ValueError(str(error["ctx"]["error"]))
    where = ".".join(map(str, error["loc"])) or made.__name__.lower()
    raise ValueError(f"{where}: {error['msg']}, found {quoted(error['input'])}")


@cache
def _adapter(made: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(made)


@dataclass(frozen=True)
class Estimate(Stored):
    """A number with its uncertainty. What cannot be computed is None and says why in `note`; it is never zero."""

    value: float | None
    low: float | None = None
    high: float | None = None
    level: Annotated[float, Interval(gt=0, lt=1)] = LEVEL
    n: Count | None = None
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


@dataclass(frozen=True)
class Source(Stored):
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


Metrics = Mapping[str, Estimate]


@dataclass(frozen=True)
class Result(Stored):
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
    unscored: Mapping[str, Count] = field(default_factory=dict)
    """Reason -> how many samples have no score because of it."""
    status: Mapping[str, Count] = field(default_factory=dict)
    """What was read, scored, dropped as a repeat, or missing."""
    raw: str | None = None
    """SHA-256 of the raw responses."""
    items: Mapping[str, Items] = field(default_factory=dict, compare=False, repr=False)
    """Metric -> what its items add, where the answers are at hand; kept beside the record and no part of its JSON."""

    def to_json(self) -> dict[str, Any]:
        return {"schema": SCHEMA, **{name: _to_json(getattr(self, name)) for name in _STORED}}

    @classmethod
    def from_json(cls, data: object) -> Result:
        """Read a stored record; anything malformed is a ValueError naming the field.

        Which tasks there are is not known here: `qbench.tasks.read_stored_result` checks that too.
        """
        if not isinstance(data, dict):
            raise ValueError(f"result is {type(data).__name__}; expected an object")
        rest = {name: value for name, value in data.items() if name != "schema"}
        if data.get("schema") != SCHEMA or isinstance(data["schema"], bool):
            raise ValueError(f"schema is {quoted(data.get('schema'))}; this version reads schema {SCHEMA}")
        if "items" in rest:
            raise ValueError("items: Unexpected keyword argument; they are kept beside the record")
        result = read_stored(cls, rest, exact=True)
        _check_protocol(result.protocol)
        named = [("metrics", result.metrics)]
        named += [(f"{at}.{name}", each) for at, groups in result.groups.items() for name, each in groups.items()]
        for where, metrics in named:
            for name, made in metrics.items():
                if made.low is not None and made.high is not None and made.low > made.high:
                    raise ValueError(f"{where}.{name} has low {made.low} above high {made.high}")
        return result


_STORED = ("task", "dataset", "split", "model", "protocol", "metrics", "groups", "unscored", "status", "source", "raw")
"""Fields of a result's stored form, in its order."""


def _to_json(value: Any) -> Any:
    if isinstance(value, Stored):
        return value.to_json()
    return {name: _to_json(each) for name, each in value.items()} if isinstance(value, Mapping) else value


def _check_protocol(protocol: Mapping[str, Any]) -> None:
    """Python reads NaN, which is not JSON; and what boards count must be counts."""
    try:
        json.dumps(protocol, allow_nan=False)
    except ValueError as error:
        raise ValueError(f"protocol cannot be written as JSON ({error})") from None
    limit, rounds = protocol.get("limit", 0), protocol.get("rounds", 0)
    if type(limit) is not int or not 0 <= limit <= _LARGEST_COUNT:
        raise ValueError(f"protocol.limit is {quoted(limit)}; expected a count")
    if type(rounds) not in (int, float) or not 0 <= rounds <= _LARGEST_COUNT:
        raise ValueError(f"protocol.rounds is {quoted(rounds)}; expected how many rounds of comparisons were asked")
