"""What a column is: declared data that table, chart, tooltip and download all read.

A `Board` lists its columns once. The choice of metric and part (dataset, sub-category, task) narrows that list and
never adds to it, so every view of a board shows the same figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

from qbench.errors import UserError
from qbench.models.catalogue import ModelFacts

REFERENCE_KINDS = ("human", "reference")
"""Catalogue kinds that stand beside the ranking of every board: people and random guess."""
COMPARED_DECIMALS = 6
"""Figures as stored that agree in so many decimals are equal: more than any page shows, and clear of the noise of
averaging, where (0.1 + 0.2) / 2 is more than 0.15."""


@dataclass(frozen=True)
class Metric:
    """How a kind of number is called, shown and read."""

    key: str
    """Name in the records, e.g. `srcc`."""
    label: str
    description: str
    """What it measures, in plain words."""
    unit: str = ""
    decimals: int = 3
    direction: Literal["higher", "lower", "neither"] = "higher"
    """Which end is better."""
    proportion: bool = False
    """True for a share of independent items, where binomial intervals and tests hold."""
    counted: bool = False
    """True for what boards count of a record, which is none of its metrics, so that exports of these leave it out."""
    words: str = ""
    """What the label stands for, where it is a symbol."""

    @property
    def scale(self) -> float:
        """Stored value times this is what people read: shares are shown as percentages."""
        return 100 if self.unit == "%" else 1.0

    @property
    def half_decimals(self) -> int:
        """Of half an interval: of percentages one less than of the figure, so that the last one says something."""
        return max(1, self.decimals - 1) if self.unit == "%" else self.decimals


PlaceOf = tuple[str, str, str | None]
"""Task, dataset and split, as boards declare them."""


class Place(NamedTuple):
    """What a record is about."""

    task: str
    dataset: str
    split: str | None


class Address(NamedTuple):
    """Where a figure stands in the records."""

    task: str
    dataset: str
    split: str | None
    metric: str
    grouping: str | None = None
    group: str | None = None


@dataclass(frozen=True)
class Part:
    """A group of columns that can be looked at alone: a dataset, a sub-category, a task."""

    key: str
    label: str


@dataclass(frozen=True)
class Column:
    """One column of a board."""

    key: str
    label: str
    parts: tuple[str, ...]
    """Parts it is shown in; the first heads its group of columns."""
    metric: Metric
    find: Address | None = None
    """The figure as stored; for a mean, the one printed beside its parts."""
    mean_of: tuple[str, ...] = ()
    """Columns this one averages; where one of them is missing there is no average."""
    weights: tuple[float, ...] = ()
    """One per averaged column; equal where empty."""
    description: str = ""
    """What is particular to this column, beyond its metric."""
    protocol: Mapping[str, tuple[Any, ...]] = field(default_factory=dict, hash=False)
    """Protocol field -> values that this column takes; None is a record that does not state the field, and tuples stand
    for the lists that records hold, those of (key, value) sorted by key for objects."""
    alternatives: int | None = None
    """How many there are to choose from, on a board whose columns differ in that."""
    borrowed: bool = False
    """True for a figure that belongs to another board: beside those of this one it is shown, alone it makes no row."""
    in_training: bool = False
    """True for figures on data that the models were trained on, or may have been: they are shown and rank nobody."""
    optional: bool = False
    """True for what the page shows only when asked to."""

    @property
    def averages(self) -> bool:
        """Whether its figures are averages, of the board's own columns or over what a source chose."""
        return bool(self.mean_of) or "average_of" in self.protocol

    @property
    def ranks_models(self) -> bool:
        """Whether one of its figures is better than another, and nobody may have been trained on its data."""
        return self.metric.direction != "neither" and not self.in_training

    def takes(self, protocol: Mapping[str, Any]) -> bool:
        """Whether a record made under this protocol may fill the column."""
        return all(_as_tuples(protocol.get(name)) in values for name, values in self.protocol.items())


def column_of(key: str, label: str, part: str, metric: Metric, place: PlaceOf, *group: str, **more: Any) -> Column:
    """A column of one part: a metric as it stands at one place of the records, or in a group there."""
    return Column(key, label, (part,), metric, Address(*place, metric.key, *group), **more)


def metric_columns(
    part: str,
    label: str,
    metrics: Iterable[Metric],
    place: PlaceOf | None,
    about: str = "",
    *group: str,
    key: str = "",
    mean_of: Iterable[str] = (),
    parts: tuple[str, ...] = (),
    **more: Any,
) -> list[Column]:
    """A column for each metric of what one place of the records holds, by the key PART/METRIC.

    Args:
        part: The part it is shown in.
        label: Of each column.
        metrics: A column each.
        place: Task, dataset and split; None where no record states the figures.
        about: What is particular to the columns.
        group: Grouping and group in the records.
        key: How their keys begin, where not with the part.
        mean_of: How the keys of the columns begin that they average.
        parts: All parts they are shown in, where there are several.
        more: Other fields of each column.
    """
    mean_of = tuple(mean_of)
    return [
        Column(
            f"{key or part}/{metric.key}",
            label,
            parts or (part,),
            metric,
            Address(*place, metric.key, *group) if place else None,
            tuple(f"{name}/{metric.key}" for name in mean_of),
            description=about,
            **more,
        )
        for metric in metrics
    ]


def parts_of(columns: Iterable[Column], **labels: str) -> tuple[Part, ...]:
    """The parts that head these columns, in their order, each called as its first column where it has no label here."""
    found: dict[str, Part] = {}
    for column in columns:
        key = column.parts[0]
        found.setdefault(key, Part(key, labels.get(key, column.label)))
    return tuple(found.values())


def _as_tuples(stated: Any) -> Any:
    """A value of a record's protocol as columns declare it."""
    if isinstance(stated, Mapping):
        return tuple((key, _as_tuples(stated[key])) for key in sorted(stated))
    return tuple(map(_as_tuples, stated)) if isinstance(stated, list) else stated


@dataclass(frozen=True)
class MetricView:
    """Metrics that are shown together."""

    key: str
    label: str
    metrics: tuple[str, ...]


ChartForm = Literal["radar", "dots", "curve"]
"""A curve is for columns that differ in how many there are to choose from."""


@dataclass(frozen=True)
class ChartLayout:
    """Which columns of a board stand side by side in one chart, and how."""

    form: ChartForm = "radar"
    metrics: tuple[str, ...] = ()
    """Kinds of figure to choose from, the default first; empty where all columns belong together."""
    part: str = ""
    """Part the columns come from; empty for all."""
    summaries: tuple[str, ...] = ()
    """Parts that sum up others, or are no match for them: in the tables, but no axis of the chart."""
    joined_boards: tuple[str, ...] = ()
    """Keys of boards whose columns are drawn with this one's."""


EVERYTHING = "all"
"""The choice of metric or part that leaves nothing out."""


class Group(NamedTuple):
    """Boards for what a person wants."""

    title: str
    sentence: str


@dataclass(frozen=True)
class Board:
    """One leaderboard: its columns and which records may fill them."""

    key: str
    title: str
    sentence: str
    """What the board measures, in one sentence."""
    columns: tuple[Column, ...]
    method: str
    """Heading of the About page that defines the metrics."""
    primary: str
    """Part whose first visible column ranks the models, as long as it is shown."""
    parts: tuple[Part, ...] = ()
    """Left out, those that head the columns, each called as its first one."""
    views: tuple[MetricView, ...] = ()
    """The first is the default; left out, there is one of all metrics."""
    protocol: Mapping[str, tuple[Any, ...]] = field(default_factory=lambda: {"limit": ()})
    """Protocol field -> values admitted; a record that does not state the field is admitted. A run of a part is not."""
    question: str = ""
    """What the board answers, as a plain question; empty for the title alone."""
    group: Group | None = None
    """Boards of a group stand together where a board is chosen, the one that most people want first."""
    own_words: bool = False
    """Admit only the score words that are the model's own (its most frequent answers)."""
    references: tuple[str, ...] = ()
    """Ids of models of another class that stand beside the ranked ones, as people do."""
    facets: tuple[str, ...] = ()
    """Model facts worth filtering by on this board."""
    empty: str = "No results yet. Models appear here as soon as the store holds results for this board."
    """What stands in place of rows."""

    chart: ChartLayout | None = None
    """None for a radar of all columns but those that rank the models, as Q-Bench draws its Fig. 9."""

    @cached_property
    def by_address(self) -> Mapping[Address, list[Column]]:
        """Place of a figure in the records -> the columns that show it, each of which may ask for another protocol."""
        columns: dict[Address, list[Column]] = {}
        for column in self.columns:
            if column.find:
                columns.setdefault(column.find, []).append(column)
        return columns

    @cached_property
    def by_key(self) -> Mapping[str, Column]:
        """The columns by their keys."""
        return {column.key: column for column in self.columns}

    @cached_property
    def means(self) -> tuple[Column, ...]:
        """Columns that average others, each after those that it averages, which may be means themselves."""

        def depth(column: Column) -> int:
            return 1 + max((depth(self.by_key[key]) for key in column.mean_of), default=0)

        return tuple(sorted((column for column in self.columns if column.mean_of), key=depth))

    @cached_property
    def places(self) -> frozenset[Place]:
        """What every record that may fill a column is about."""
        return frozenset(Place(*address[:3]) for address in self.by_address)

    @property
    def chart_layout(self) -> ChartLayout:
        """How the figures stand side by side."""
        return self.chart or ChartLayout(summaries=(self.primary,))

    def __post_init__(self) -> None:
        """Fill in what is left out. Refuse two columns by one name and two columns of one figure, of which a table
        would show only the last."""
        first, keys = self.columns[0].metric, dict.fromkeys(column.metric.key for column in self.columns)
        object.__setattr__(self, "parts", self.parts or parts_of(self.columns))
        object.__setattr__(self, "views", self.views or (MetricView(first.key, first.label, tuple(keys)),))
        for what, names in (
            ("key", [column.key for column in self.columns]),
            ("figure", [(column.find, *column.protocol.items()) for column in self.columns if column.find]),
            ("part", [part.key for part in self.parts]),
        ):
            twice = [name for name, number in Counter(names).items() if number > 1]
            if twice:
                raise ValueError(f"the board {self.key} has the {what} {twice[0]!r} twice")

    def admits(self, protocol: Mapping[str, Any], model: ModelFacts) -> bool:
        """Whether a record of this model made under this protocol belongs on the board."""
        if self.own_words and "words" in protocol:
            own = {sign: list(words) for sign, words in model.words.items()}
            if protocol["words"] != own:
                return False
        return all(
            name not in protocol or protocol[name] in values or (name == "class" and self.is_reference(model))
            for name, values in self.protocol.items()
        )

    def is_reference(self, model: ModelFacts) -> bool:
        """Whether it stands beside the ranked models: people, random guess and the board's own references."""
        return model.kind in REFERENCE_KINDS or model.id in self.references

    def shown(self, metric: str = EVERYTHING, part: str = EVERYTHING) -> tuple[Column, ...]:
        """Columns of a choice of metric and part, in the board's order; an empty metric is the board's default.

        Raises:
            UserError: The board has no such metric or part.
        """
        metric = metric or self.views[0].key
        _known(metric, [EVERYTHING, *(view.key for view in self.views)], f"metric of the board {self.key}")
        _known(part, [EVERYTHING, *(choice.key for choice in self.parts)], f"part of the board {self.key}")
        metrics = {key for view in self.views if metric in (view.key, EVERYTHING) for key in view.metrics}
        return tuple(
            column for column in self.columns if column.metric.key in metrics and part in (EVERYTHING, *column.parts)
        )

    def column_name(self, column: Column) -> str:
        """A column's name where no head stands above it: its part, its label and its metric, each said once."""
        part = next((part.label for part in self.parts if part.key == column.parts[0]), "")
        return ", ".join(dict.fromkeys(text for text in (part, column.label, column.metric.label) if text))


def join_boards(board: Board, others: Iterable[Board], without: Collection[str]) -> Board:
    """One board with the columns of several, to draw them together.

    Args:
        board: What ranks, describes and names the joined board.
        others: Boards whose columns come after.
        without: Parts whose columns are taken from the first board alone, such as what sums a board up.
    """
    others = list(others)
    more = [column for other in others for column in other.columns if not set(column.parts) & set(without)]
    boards = (board, *others)
    default, *views = board.views
    metrics = tuple(dict.fromkeys(metric for joined in boards for metric in joined.views[0].metrics))
    return replace(
        board,
        key="+".join(joined.key for joined in boards),
        columns=(*board.columns, *more),
        parts=tuple({part.key: part for joined in reversed(boards) for part in joined.parts}.values()),
        views=(replace(default, metrics=metrics), *views),
    )


def find_board(boards: Sequence[Board], key: str) -> Board:
    """The board with this key.

    Raises:
        UserError: There is none.
    """
    _known(key, [board.key for board in boards], "board")
    return next(board for board in boards if board.key == key)


def _known(value: str, known: list[str], what: str) -> None:
    if value not in known:
        raise UserError(f"{value!r} is no {what}; choose one of {', '.join(known)}.")
