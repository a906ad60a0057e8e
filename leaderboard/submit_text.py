"""What the Submit page says: problems first, then what the results cover, then the row in its neighbourhood."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard import markup
from leaderboard.cells import FindModel
from leaderboard.columns import Metric
from leaderboard.store import Receipt
from leaderboard.store.submission import Entry
from leaderboard.submissions.desk import Checked
from leaderboard.submissions.handing_in import title_of
from leaderboard.submissions.preview import Listing, Neighbour, Placing
from leaderboard.submissions.report import Coverage, Problem, Report
from leaderboard.words import count, figure, listed, measure, named_metric, percent
from qbench.models.catalogue import suggest

MOST_SHOWN = 10
MOST_NAMED = 6
INTRODUCTION = (
    "Drop the file your evaluation wrote. It is recognised from its contents, checked, and scored here where this "
    "server has the human scores or answers; nothing is stored before you submit."
)
PRIVATE = "Scored against private answers: the figures appear on the board once it is handed in, and not before."


def report(made: Report) -> str:
    """What is wrong, or what was recognised and how much it covers."""
    if made.problems:
        head = f"{count(len(made.problems), 'file')} to mend" if len(made.problems) > 1 else "This has to be mended"
        return markup.page(markup.heading(head), *(_problem(one) for one in made.problems[:MOST_SHOWN]))
    if not made.results:
        return markup.page(markup.heading("Nothing was found"), markup.paragraph("The file holds no results."))
    rows: list[markup.Row] = [
        [
            title_of(one.dataset),
            f"{one.scored:,}",
            f"{one.missing:,}" if one.missing or not one.part else "–",
            _covered(one),
        ]
        for one in made.coverage
    ]
    covered = markup.table(["Dataset", "Scored", "Missing", "Coverage"], rows, "What the results cover") if rows else ""
    partial = [title_of(one.dataset) for one in made.coverage if one.part]
    missing = f"A part of {listed(dict.fromkeys(partial))}: only complete results are ranked."
    remarks = [*made.remarks, *([missing] if partial else []), *([PRIVATE] if made.private else [])]
    return markup.page(
        markup.heading(f"Recognised: {listed(made.kinds)}"),
        *(markup.paragraph(one, "qb-note") for one in remarks),
        covered,
    )


def preview(checked: Checked) -> str:
    """The new row among its neighbours, on every board that takes it; and what is listed under the others."""
    made = checked.report
    if not made.accepted or made.private:
        return ""
    told = [_placing(one) for one in checked.placings]
    if checked.listings:
        rows: list[markup.Row] = [
            [one.board.title, one.covers, markup.Cell(_figures(one), weight="wrap")] for one in checked.listings
        ]
        told.append(markup.table(["Board", "Covers", "Figures"], rows, "Listed under the board, not ranked"))
    nowhere = "No board has a column for these results; they would be kept."
    return markup.page(markup.heading("On the boards"), *(told or [markup.paragraph(nowhere, "qb-finding")]))


def naming(name: str, find: FindModel) -> str:
    """Whether a name is known, and by which near names a known model may be meant."""
    if find(name):
        return ""
    near = suggest(name)
    return f"“{name}” is a new model here." + (f" Known by near names: {listed(near)}." if near else "")


def receipt(handed: Receipt) -> str:
    """What became of a submission."""
    entry = handed.entry
    if handed.duplicate:
        head, said = "Already here", "The same results were handed in before; nothing was added."
    elif entry.status == "pending":
        head, said = "Handed in", "It waits for the owner of the board, because it came without an account."
    else:
        head, said = "On the board", "Reload the Leaderboard to see the row; its source names this submission."
    sent = "It is kept here and sent on as soon as the Hub answers." if handed.queued else ""
    name = f"Keep its name to correct or withdraw it: {entry.digest}"
    return markup.page(
        markup.heading(head),
        markup.paragraph(said, "qb-finding"),
        markup.paragraph(sent, "qb-note"),
        markup.paragraph(name, "qb-note qb-digest"),
    )


def refusal(reason: str) -> str:
    """Why a submission was not taken."""
    return markup.page(markup.heading("Not handed in"), markup.paragraph(reason, "qb-finding"))


def waiting(pending: Sequence[Entry]) -> str:
    """Submissions that wait for review."""
    if not pending:
        return ""
    rows: list[markup.Row] = [
        [
            one.submission.metadata.model,
            listed(dict.fromkeys(title_of(result.dataset) for result in one.submission.results[:MOST_NAMED])),
            one.submission.identity or "anonymous",
            one.submission.submitted_at[:10],
        ]
        for one in pending[-MOST_SHOWN:]
    ]
    caption = f"{count(len(pending), 'submission')} waiting for review; not ranked"
    return markup.page(markup.table(["Model", "Datasets", "By", "Handed in"], rows, caption))


def _problem(one: Problem) -> str:
    rows: list[markup.Row] = [
        [f"{number}", markup.Cell(place, weight="wrap")] for number, place in enumerate(one.places[:MOST_SHOWN], 1)
    ]
    more = one.more + max(0, len(one.places) - MOST_SHOWN)
    caption = f"The first {len(rows)}; {more:,} more like these" if more else f"{count(len(rows), 'record')}"
    return "".join(
        [
            markup.paragraph(f"{one.file}: {one.said}", "qb-finding"),
            markup.table(["No.", "What is wrong"], rows, caption) if rows else "",
            markup.paragraph(f"Expected fields: {one.expected}" if one.expected else "", "qb-note"),
            markup.paragraph(f"For example: {one.example}" if one.example else "", "qb-note qb-example"),
        ]
    )


def _covered(one: Coverage) -> str:
    """How much of a dataset: a share of its samples, or how many comparisons were made."""
    every = one.scored + one.missing
    return one.part if one.part and not one.missing else percent(one.scored / every) if every else "–"


def _figures(one: Listing) -> str:
    """Every figure with the name of its column."""
    parts = {part.key: part.label for part in one.board.parts}
    columns = [column for column in one.board.columns if column.key in one.figures]
    return "; ".join(
        f"{', '.join(dict.fromkeys((parts[column.parts[0]], column.label, named_metric(column.metric))))} "
        f"{measure(one.figures[column.key], column.metric)}"
        for column in columns
    )


def _placing(one: Placing) -> str:
    metric = one.column.metric
    shown = ", ".join(dict.fromkeys((one.column.label, named_metric(metric))))
    row = [
        f"{one.rank} of {one.models}" if not one.unranked else f"({one.rank} of {one.models})",
        "–" if one.best is None else f"{one.best}–{one.worst}",
        "your results",
        measure(one.value, metric),
        _interval(one, metric),
    ]
    rows = [
        *([_neighbour(one.above, one.rank - 1, metric)] if one.above else []),
        [markup.Cell(text, weight="strong") if place == 2 else text for place, text in enumerate(row)],
        *([_neighbour(one.below, one.rank + 1, metric)] if one.below else []),
    ]
    ordered = [[cells[2], *cells[:2], *cells[3:]] for cells in rows]
    notes = [
        _alike(one),
        f"No rank on the board as a whole: {one.unranked}." if one.unranked else "",
        f"In {count(len(one.passed_over), 'column')} the figure published before stays; yours is listed with the row."
        if one.passed_over
        else "",
    ]
    head = ["Model", "Place", "Ranks it can claim", shown, "95 % interval"]
    return markup.table(head, ordered, one.board.title) + "".join(markup.paragraph(text, "qb-note") for text in notes)


def _neighbour(one: Neighbour, rank: int, metric: Metric) -> list[markup.Cell | str]:
    return [f"{rank}", "", one.name, measure(one.value, metric), ""]


def _interval(one: Placing, metric: Metric) -> str:
    if one.low is None or one.high is None:
        return "–"
    return f"{figure(one.low, metric)} to {figure(one.high, metric)}"


def _alike(one: Placing) -> str:
    if one.alike:
        names = [each.name for each in one.alike[:MOST_NAMED]]
        rest = len(one.alike) - len(names)
        return f"Cannot be told apart from {listed([*names, f'{rest} more'] if rest else names)}."
    if one.untested == one.models - 1:
        return "The other figures were printed without intervals or counts, so nobody can say which differ."
    return "Can be told apart from every model whose figure comes with evidence."
