"""What the answers behind a row took, where its records say it: two columns that the browser shows when asked to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from leaderboard.tables.cells import Cell, Note, Row
from leaderboard.tables.columns import Column, Metric
from leaderboard.tables.table import Table
from qbench.records import Result

TOKENS = Metric(
    "tokens",
    "Tokens a prompt",
    "Tokens read and written for each prompt, as the model's server or its tokenizer counted them; a judge's too.",
    decimals=0,
    direction="neither",
    counted=True,
)
COST = Metric(
    "cost",
    "Price of 1,000",
    "What a thousand prompts cost: what the server said or, by the price given to the run, its tokens; a judge's too. "
    "The currency is that of the server, mostly US dollars.",
    decimals=2,
    direction="neither",
    counted=True,
)
_PART = "effort"


def with_effort(table: Table) -> Table:
    """The table with these columns at its end, as far as any of its rows has a figure there."""
    found = {name: effort(row) for name, row in table.rows.items()}
    metrics = [metric for metric in (TOKENS, COST) if any(metric.key in cells for cells in found.values())]
    if not metrics:
        return table
    columns = [Column(f"{_PART}/{metric.key}", metric.label, (_PART,), metric, optional=True) for metric in metrics]

    def widen(rows: Mapping[str, Row]) -> dict[str, Row]:
        more = {name: {f"{_PART}/{key}": cell for key, cell in found[name].items()} for name in rows}
        return {name: replace(row, cells={**row.cells, **more[name]}) for name, row in rows.items()}

    views = [replace(view, metrics=(*view.metrics, *(m.key for m in metrics))) for view in table.board.views]
    return replace(
        table,
        board=replace(table.board, views=tuple(views)),
        columns=(*table.columns, *columns),
        ranked=widen(table.ranked),
        references=widen(table.references),
        ranks={**table.ranks, **{column.key: {} for column in columns}},
    )


def effort(row: Row) -> dict[str, Cell]:
    """Metric -> what the answers took; nothing unless every record that fills the row says it."""
    results = [origin.record.result for origin in row.origins if origin.shown]
    if not all("usage" in result.protocol for result in results):
        return {}
    # One run may leave several records, and each says what the whole run took.
    runs = {result.raw or str(number): usage_of(result) for number, result in enumerate(results)}
    usages = [usage for usage in runs.values() if usage["asked"]]
    if not usages or len(usages) < len(runs):
        return {}
    asked, read, written = (
        sum(usage.get(name, 0) for usage in usages) for name in ("asked", "prompt_tokens", "completion_tokens")
    )
    note = Note("info", f"{asked:,.0f} prompts: {read:,.0f} tokens read, {written:,.0f} written")
    cells = {}
    if all("prompt_tokens" in usage for usage in usages):
        cells[TOKENS.key] = Cell((read + written) / asked, note=note)
    if all("cost" in usage for usage in usages):
        cells[COST.key] = Cell(1000 * sum(usage["cost"] for usage in usages) / asked, note=note)
    return cells


def usage_of(result: Result) -> dict[str, float]:
    """What a record says that the answers of its run took, with the number of prompts; 0 where it does not say it."""
    told = result.protocol.get("usage")
    return {"asked": result.status.get("asked", 0), **told} if isinstance(told, Mapping) else {"asked": 0}
