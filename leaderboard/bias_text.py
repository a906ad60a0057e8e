"""Answer habits in small tables and remarks, one function for each strip of the page."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard import markup
from leaderboard.bias import score_words, yes_no
from leaderboard.bias.position import ABSENT, REPORTED, Asked, Position, Shares
from leaderboard.boards.qbench import ACCURACY
from leaderboard.boards.twoafc import CONSISTENCY, CORRELATION
from leaderboard.chance import JUDGES
from leaderboard.columns import Metric
from leaderboard.differences import Figure
from leaderboard.markup import Cell, Row
from leaderboard.words import figure, percent

NONE_YET = "No results hold these figures yet. They appear here once some are scored with “python -m qbench score”."

SHARES_SOURCE = (
    "Shares of first and second come from runs of this tool, whose records are on the boards. "
    "Sets named demo are synthetic."
)
OPEN_DOTS = (
    "Each dot is a set of pairs. Open dots rest on kept answers that may be right no more often than a coin flip: the "
    "95 % interval of their share, as if pairs were independent, holds 50 % or lies below it."
)


def yes_no_table(finding: yes_no.YesNo) -> str:
    """Both accuracies, their mean, the two ranks, d' and the criterion."""
    headers = ["", "All", "Yes", "No", "Mean", "Rank by all", "Rank by mean", "d′", "Criterion"]
    rows: list[Row] = [
        [
            one.model.name,
            _cell(one.overall, ACCURACY),
            _cell(one.yes, ACCURACY),
            _cell(one.no, ACCURACY),
            _cell(one.mean, ACCURACY),
            "–" if one.rank is None else str(one.rank),
            Cell(str(one.rank_of_mean), _move(one)),
            _cell(one.dprime, yes_no.DPRIME),
            _cell(one.criterion, yes_no.CRITERION),
        ]
        for one in finding.habits
    ]
    caption = (
        f"{finding.questions.label}. Accuracy in %, ± half of the 95 % interval. d′: {yes_no.DPRIME.description} "
        f"Criterion: {yes_no.CRITERION.description}"
    )
    return markup.folded("Table", markup.table(headers, rows, caption, "Yes and No", "qb-figures"))


def kept_table(finding: Position) -> str:
    """Consistency: models down, sets of pairs across."""
    labels = {one.key: one.label for one in finding.asked}
    models = {one.model.id: one.model for one in finding.asked}
    kept = {(one.model.id, one.key): one.kept.value for one in finding.asked}
    rows: list[Row] = [
        [model.name, *(figure(kept[name, key], CONSISTENCY) if (name, key) in kept else "–" for key in labels)]
        for name, model in models.items()
    ]
    caption = "Share of pairs answered alike in both orders, κ; always naming the same position gives 0"
    return markup.folded("Table", markup.table(["", *labels.values()], rows, caption, "Consistency", "qb-figures"))


def shares_table(found: Sequence[Shares]) -> str:
    """How often each position was named, or why that is not known."""
    if not found:
        return markup.paragraph(f"{REPORTED} {ABSENT}", "qb-note")
    rows: list[Row] = [
        [
            f"{one.model.name}, {one.dataset}",
            *("–" if share.value is None else percent(share.value, 1) for share in (one.first, one.second, one.tie)),
        ]
        for one in found
    ]
    table = markup.table(
        ["", "First", "Second", "Tie"], rows, "Share of answers by position", "Positions", "qb-figures"
    )
    return markup.paragraph(REPORTED, "qb-note") + markup.folded("Table", table)


def correlation_table(finding: Position) -> str:
    """Sets of pairs down, models across: correlation, and how many of the kept answers are right."""
    sets = {one.key: one for one in finding.asked}
    models = {one.model.id: one.model for one in finding.asked}
    cells = {(one.key, one.model.id): one for one in finding.asked}
    rows: list[Row] = [
        [
            Cell(any_of.label, f"{any_of.images} images"),
            _reach(any_of),
            *(_correlation(cells[key, name]) if (key, name) in cells else "–" for name in models),
        ]
        for key, any_of in sets.items()
    ]
    caption = (
        f"Correlation ρ, beside mean and 95 % range of {JUDGES} simulated judges who flip coins; * no higher than they "
        "can get. Small: how many of the kept answers are right, α divided by κ; guessing gives 50 %."
    )
    headers = ["", "Coin flips reach", *(model.name for model in models.values())]
    return markup.folded("Table", markup.table(headers, rows, caption, "Correlation against chance", "qb-figures"))


def words_table(finding: score_words.ScoreWords) -> str:
    """Share of images where the good word is the likelier one."""
    headers = ["", "Words", "Mean", *finding.datasets.values()]
    rows: list[Row] = [
        [
            one.model.name,
            one.words,
            Cell(percent(one.mean, 1), weight="strong"),
            *(percent(one.shares[key].value, 1) if key in one.shares else "–" for key in finding.datasets),
        ]
        for one in finding.habits
    ]
    caption = "Share of images where the good word has the larger logit; each model with its own most frequent words"
    return markup.folded("Table", markup.table(headers, rows, caption, "Score words", "qb-figures"))


def _cell(one: Figure | None, metric: Metric) -> Cell:
    if one is None:
        return Cell("–", weight="quiet")
    half = "" if one.low is None or one.high is None else f"±{figure((one.high - one.low) / 2, metric)}"
    return Cell(figure(one.value, metric), half)


def _move(one: yes_no.Habit) -> str:
    if one.rank is None or one.rank == one.rank_of_mean:
        return ""
    step = one.rank - one.rank_of_mean
    return f"up {step}" if step > 0 else f"down {-step}"


def _reach(one: Asked) -> Cell:
    chance = one.chance
    if chance is None or chance.value is None:
        return Cell("–", weight="quiet")
    ends = "" if chance.low is None or chance.high is None else f"{chance.low:.2f} to {chance.high:.2f}"
    return Cell(f"{chance.value:.2f}", ends)


def _correlation(one: Asked) -> Cell:
    if one.correlation is None:
        return Cell("–", weight="quiet")
    low = one.verdict in ("within", "below")
    right = percent(one.right.value) if one.right else "none kept"
    return Cell(figure(one.correlation, CORRELATION) + "*" * low, right, "quiet" if low else "")
