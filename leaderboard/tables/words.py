"""How figures, lists and remarks are worded, wherever Python writes them: charts, small tables, findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from leaderboard.tables.columns import Metric, Place
from qbench.datasets.known import find_dataset
from qbench.records import Source

LONGEST_SHOWN_NAME = 36
PER_CENT = "\u00a0%"
"""Kept on the line of its number."""
BETTER = {"higher": "higher is better", "lower": "lower is better", "neither": "neither high nor low is better"}


def figure(value: float, metric: Metric) -> str:
    """A stored value as people read it, with a true minus sign and without its unit."""
    text = f"{value * metric.scale:.{metric.decimals}f}"
    return minus(text.removeprefix("-") if float(text) == 0 else text)


def minus(written: str) -> str:
    """Written figures with true minus signs; never for names, which keep their hyphens."""
    return written.replace("-", "−")


def begin(text: str) -> str:
    """A text as a sentence begins, the rest of it as it is."""
    return f"{text[:1].upper()}{text[1:]}"


def figure_with_unit(value: float, metric: Metric) -> str:
    """A figure with its unit."""
    return f"{figure(value, metric)} {metric.unit}".rstrip()


def half_interval(low: float | None, high: float | None, metric: Metric) -> str:
    """±2.2: half the width of an interval; empty where there is none."""
    return "" if low is None or high is None else f"±{(high - low) / 2 * metric.scale:.{metric.half_decimals}f}"


def interval(low: float | None, high: float | None, metric: Metric, without: str = "–") -> str:
    """41.2 to 45.6; `without` stands where there is none."""
    return without if low is None or high is None else f"{figure(low, metric)} to {figure(high, metric)}"


def percent(share: float, decimals: int = 0) -> str:
    """A share as a percentage."""
    return f"{share * 100:.{decimals}f}{PER_CENT}"


def between(shares: Sequence[float]) -> str:
    """The range of some shares, e.g. 12 to 49 %."""
    low, high = f"{min(shares) * 100:.0f}", f"{max(shares) * 100:.0f}"
    return f"{low}{PER_CENT}" if low == high else f"{low} to {high}{PER_CENT}"


def axis_title(metric: Metric) -> str:
    """An axis title: name, unit and which end is better."""
    name = f"{named_metric(metric)} ({metric.unit})" if metric.unit else named_metric(metric)
    return f"{name}, {BETTER[metric.direction]}"


def gap_text(value: float, metric: Metric) -> str:
    """How far two figures are apart, with its unit: of percentages, in points."""
    return f"{figure(value, metric)} {'points' if metric.unit == '%' else metric.unit}".rstrip()


def listed(items: Iterable[str], most: int | None = None) -> str:
    """a, b and c; of more than `most` the first, and how many there are besides."""
    named = list(items)
    more = [] if most is None or len(named) <= most else [f"{len(named) - most} more"]
    *first, last = [*named[:most], *more] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def count(number: int, singular: str, plural: str | None = None) -> str:
    """1 model, 1,495 questions."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def duration(seconds: float) -> str:
    """45 s; from two minutes on in minutes. No line breaks before the unit."""
    return f"{seconds:.0f}\N{NO-BREAK SPACE}s" if seconds < 120 else f"{seconds / 60:.0f}\N{NO-BREAK SPACE}min"


_UNKNOWN_LISTS = {"q-pathway": "Q-Pathway"}
"""Titles of datasets that have results here and no known list."""


def dataset_title(name: str) -> str:
    """What people call a dataset, or a part of one: `demo-comparison/jpeg`."""
    whole, _, part = name.partition("/")
    facts = find_dataset(whole)
    if not facts:
        return _UNKNOWN_LISTS.get(name, name)
    return f"{facts.title}, {part}" if part else facts.title


def ordinal(number: int) -> str:
    """1st, 2nd, 11th."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def shorten_name(name: str, longest: int = LONGEST_SHOWN_NAME) -> str:
    """A name that fits beside a line."""
    return name if len(name) <= longest else f"{name[: longest - 1].rstrip()}…"


def cite(sources: Iterable[Source], as_of: str) -> str:
    """The line under a chart: where its figures come from, and as of which data."""
    return f"Source: {cited(sources)}. Data as of {as_of}."


def cited(sources: Iterable[Source]) -> str:
    """Papers and their tables, without rows and columns."""
    places: dict[str, set[str]] = {}
    for source in sources:
        named = f"a run of this tool ({source.reference})" if source.kind == "live" else source.reference
        places.setdefault(named, set()).update({source.table} if source.table.startswith("Table") else ())
    return "; ".join(", ".join([paper, *sorted(tables)]) for paper, tables in places.items() if paper) or "not stated"


def named_metric(metric: Metric) -> str:
    """A metric's name, with what a symbol stands for."""
    return f"{begin(metric.words)} {metric.label}" if metric.words else metric.label


def told_unshown(unshown: Mapping[Place, int]) -> str:
    """Which records no board shows, and what a board's file has to say to show them; empty where all are shown."""
    if not unshown:
        return ""
    records = count(sum(unshown.values()), "record")
    about = [f"{task} on {dataset}{f' ({split})' if split else ''}" for task, dataset, split in unshown]
    task, dataset, split = next(iter(unshown))
    of_split = f', split = "{split}"' if split else ""
    column = f'{{task = "{task}", dataset = "{dataset}"{of_split}, metric = "…"}}'
    return (
        f"No board has a column for {records}: {listed(about, 6)}. A file boards/NAME.toml in the folder of results "
        f'shows them: title = "…", sentence = "…", columns = [{column}].'
    )
