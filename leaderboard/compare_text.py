"""A comparison in words and small tables."""

from __future__ import annotations

from collections import Counter

from leaderboard import markup
from leaderboard.columns import Column
from leaderboard.compare import Profile
from leaderboard.differences import Difference
from leaderboard.markup import Cell
from leaderboard.words import figure, listed, reading, shorten

EMPTY = "Choose two to six models above: a chart and a table of their differences appear here."
ONE = "Choose a second model to see differences."


def tables(profile: Profile) -> str:
    """What stands beside the chart: the comparison in one sentence and the differences."""
    return markup.page(
        markup.paragraph(headline(profile), "qb-finding"),
        differences_table(profile),
        pairs_table(profile),
        remarks(profile),
    )


def empty_page(profile: Profile) -> str:
    """What stands in the chart's place while there is nothing to show."""
    why = profile.board.empty if profile.empty else EMPTY
    return markup.page(markup.paragraph(why, "qb-empty"), remarks(profile))


def headline(profile: Profile) -> str:
    """The comparison in one sentence, by the column that ranks the board where it is among these."""
    ranking = profile.board.primary
    column = next((one for one in profile.columns if ranking in one.parts), profile.columns[0])
    pairs = [one for one in profile.differences if one.column == column.key]
    if not pairs:
        return ""
    names = {one.id: shorten(one.name) for one in profile.models}
    lead = _narrowest_lead(pairs)
    told = {None: "", True: ", a clear difference", False: ", too little to tell them apart"}[lead.apart]
    ahead = (
        f"{names[lead.leader]} leads {names[lead.other]} by {_gap(column, lead.value)}{told}"
        if lead.value
        else f"{names[lead.leader]} and {names[lead.other]} are level"
    )
    return f"{profile.labels[column.key]}: {ahead}."


def _narrowest_lead(pairs: list[Difference]) -> Difference:
    """The leader of a column over whoever comes next."""
    wins = Counter(one.leader for one in pairs)
    leader = wins.most_common(1)[0][0]
    return min((one for one in pairs if one.leader == leader), key=lambda one: one.value)


def figures_table(profile: Profile) -> str:
    """Every figure: columns of the board down, models across, the best in bold."""
    headers = ["", *(one.name for one in profile.everyone)]
    chance = bool(profile.chance) and not any(one.kind == "reference" for one in profile.references)
    rows = [
        [
            Cell(profile.labels[column.key], column.metric.unit),
            *(_figure(profile, column, one.id) for one in profile.everyone),
            *([_chance(profile, column)] if chance else []),
        ]
        for column in profile.columns
    ]
    return markup.table([*headers, *(["Chance"] if chance else [])], rows, _what(profile), "Figures", "qb-figures")


def differences_table(profile: Profile) -> str:
    """For each column who leads, by how much, and whom the leader can't be told apart from."""
    if len(profile.models) < 2:
        return markup.paragraph(ONE, "qb-empty") if profile.models else ""
    names = {one.id: shorten(one.name) for one in profile.models}
    rows = []
    for column in profile.columns:
        pairs = [one for one in profile.differences if one.column == column.key]
        if pairs:
            rows.append(_lead(profile, column, pairs, names))
    beside = ["Verdict"] if len(profile.models) == 2 else ["Over the next", "Can't tell apart"]
    return markup.table(["", "Leads", "By", *beside], rows, "Who leads, and by how much", "Differences")


def pairs_table(profile: Profile) -> str:
    """Every pair in every column, behind one click; with two models there is nothing more to show."""
    if len(profile.models) < 3:
        return ""
    names = {one.id: shorten(one.name) for one in profile.models}
    columns = {column.key: column for column in profile.columns}
    rows = [
        [
            profile.labels[one.column],
            names[one.leader],
            Cell(_gap(columns[one.column], one.value), _interval(columns[one.column], one)),
            names[one.other],
            _verdict(one),
        ]
        for one in profile.differences
    ]
    pairs = markup.table(["", "Leads", "By", "Over", "Verdict"], rows, "Every pair of models in every column", "Pairs")
    return markup.folded("Every pair", pairs)


def remarks(profile: Profile) -> str:
    """How the verdicts come about, or why there are none; and who is missing."""
    out = ""
    tested = [one for one in profile.differences if one.p is not None]
    if tested:
        out += markup.paragraph(
            "The verdicts treat the models' answers as independent, though both saw the same items, and are corrected "
            "for the number of pairs (Holm): they are cautious. Intervals are for one pair alone, at 95 %.",
            "qb-note",
        )
    elif profile.differences:
        out += markup.paragraph(
            "No verdicts: the figures come without intervals and without the number of independent items behind them, "
            "so nothing says how much of a difference is chance.",
            "qb-note",
        )
    if profile.absent:
        missing = listed(one.name for one in profile.absent)
        out += markup.paragraph(f"Not on this board: {missing}.", "qb-note")
    return out


def _what(profile: Profile) -> str:
    kinds = dict.fromkeys(reading(column.metric) for column in profile.columns)
    return f"{profile.board.title}: {'; '.join(kinds)}"


def _figure(profile: Profile, column: Column, model: str) -> Cell:
    one = profile.figures[model].get(column.key)
    if one is None:
        return Cell("–", weight="quiet")
    values = [row[column.key].value for m in profile.models if column.key in (row := profile.figures[m.id])]
    best = min(values, default=None) if column.metric.direction == "lower" else max(values, default=None)
    leads = len(values) > 1 and one.value == best and model in {m.id for m in profile.models}
    half = "" if one.low is None or one.high is None else f"±{figure((one.high - one.low) / 2, column.metric)}"
    return Cell(figure(one.value, column.metric), half, "strong" if leads else "")


def _chance(profile: Profile, column: Column) -> Cell:
    level = profile.chance.get(column.key)
    return Cell("–" if level is None else figure(level, column.metric), weight="quiet")


def _lead(profile: Profile, column: Column, pairs: list[Difference], names: dict[str, str]) -> markup.Row:
    lead = _narrowest_lead(pairs)
    level = f"{names[lead.leader]} and {names[lead.other]}"
    start: list[Cell | str] = [
        profile.labels[column.key],
        Cell(names[lead.leader], weight="strong") if lead.value else Cell("none", weight="quiet"),
        Cell(_gap(column, lead.value), _interval(column, lead)),
    ]
    if len(names) == 2:
        return [*start, _verdict(lead)]
    own = [one for one in reversed(pairs) if one.leader == lead.leader]
    alike = [names[one.other] for one in own if one.apart is False]
    unknown = all(one.apart is None for one in own)
    return [
        *start,
        Cell(names[lead.other] if lead.value else level, weight="wrap"),
        Cell("–", weight="quiet") if unknown else Cell(_alike(alike, len(own)), weight="wrap"),
    ]


def _alike(names: list[str], others: int) -> str:
    return "all the others" if len(names) == others else listed(names) or "none"


def _gap(column: Column, value: float) -> str:
    unit = "points" if column.metric.unit == "%" else column.metric.unit
    return f"{figure(value, column.metric)} {unit}".rstrip()


def _interval(column: Column, one: Difference) -> str:
    if one.low is None or one.high is None:
        return ""
    return f"{figure(one.low, column.metric)} to {figure(one.high, column.metric)}"


def _verdict(one: Difference) -> str | Cell:
    if one.apart is None:
        return Cell("–", weight="quiet")
    return f"clear (p {_p(one.p)})" if one.apart else f"can't tell apart (p {_p(one.p)})"


def _p(p: float | None) -> str:
    return "" if p is None else "< 0.001" if p < 0.001 else f"= {p:.3f}" if p < 0.1 else f"= {p:.2f}"
