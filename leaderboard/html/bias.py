"""Answer habits in small tables and remarks, one function for each strip of the page."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.analysis import score_words, yes_no
from leaderboard.analysis.coin_flips import JUDGES
from leaderboard.analysis.findings import Findings
from leaderboard.analysis.position import (
    NO_SHARES_YET,
    REPORTED_SHARES,
    ModelOnPairs,
    PositionFinding,
    PositionShares,
    keeps_fewer,
)
from leaderboard.boards.qbench import QUESTION_ACCURACY
from leaderboard.boards.twoafc import CONSISTENCY, CORRELATION
from leaderboard.html import markup
from leaderboard.html.markup import Html, HtmlCell, HtmlRow
from leaderboard.tables.cells import Cell
from leaderboard.tables.columns import Metric
from leaderboard.tables.words import figure, half_interval, percent

TITLE = "Which habits bend the answers?"
SENTENCE = (
    "A model that favours Yes, the first photo or the good word gets points, or loses them, without looking. Each "
    "chart shows how far such a habit goes, beside what chance alone would give."
)
YES_NO = "Is Yes answered too readily?"
ORDER = "Does the order of two photos change the answer?"
CHANCE_ALONE = "Would coin flips correlate as well?"
GOOD_WORD = "Is the good word preferred, whatever the photo?"
_IN_SHORT = markup.template("""
<h3>{{ title }}</h3><ul class="qb-sentences">
{% for sentence in sentences %}<li>{{ sentence }}</li>{% endfor %}
</ul><p><a href="{{ address }}">All habits, with charts</a></p>
""")

NONE_YET = "No results hold these figures yet. They appear here once some are scored with “python -m qbench score”."

SHARES_SOURCE = (
    "Shares of first and second come from runs of this tool, whose records are on the boards. "
    "Sets named demo are synthetic."
)
OPEN_DOTS = (
    "Each dot is a set of pairs. Open dots rest on kept answers that may be right no more often than a coin flip: the "
    "95 % interval of their share, as if pairs were independent, holds 50 % or lies below it."
)


def head(title: str, finding: str) -> Html:
    """What stands above a chart: a question and the answer."""
    return markup.page(markup.heading(title), markup.paragraph(finding, "qb-finding"))


def introduction() -> Html:
    """What the page is about."""
    return markup.page(markup.title(TITLE), markup.paragraph(SENTENCE, "qb-finding"))


def in_short(found: Findings) -> Html:
    """The findings in a sentence each, with a link to the page; nothing where there are none."""
    kept = [(sum(keeps), len(keeps)) for finding in found.position.values() if (keeps := keeps_fewer(finding))]
    told = [finding.finding.split(". ")[0] for finding in found.yes_no[:1]]
    told += [
        f"Asked in both orders, {fewer} of {models} models change their answer more often than two coin flips would"
        for fewer, models in kept[:1]
    ]
    told += [found.score_words.finding.split("; ")[0]] if found.score_words.habits else []
    sentences = [f"{sentence.removesuffix('.')}." for sentence in told if sentence]
    if not sentences:
        return markup.NOTHING
    return _IN_SHORT(title=TITLE, sentences=sentences, address="?tab=bias")


def yes_no_table(finding: yes_no.YesNoFinding) -> Html:
    """Both accuracies, their mean, the two ranks, d' and the criterion."""
    headers = ["", "All", "Yes", "No", "Mean", "Rank by all", "Rank by mean", "d′", "Criterion"]
    rows: list[HtmlRow] = [
        [
            habit.model.name,
            _cell(habit.overall, QUESTION_ACCURACY),
            _cell(habit.yes, QUESTION_ACCURACY),
            _cell(habit.no, QUESTION_ACCURACY),
            _cell(habit.mean, QUESTION_ACCURACY),
            "–" if habit.rank is None else str(habit.rank),
            HtmlCell(str(habit.rank_of_mean), _move(habit)),
            _cell(habit.dprime, yes_no.DPRIME),
            _cell(habit.criterion, yes_no.CRITERION),
        ]
        for habit in finding.habits
    ]
    caption = (
        f"{finding.questions.label}. Accuracy in %, ± half of the 95 % interval. d′: {yes_no.DPRIME.description} "
        f"Criterion: {yes_no.CRITERION.description}"
    )
    return markup.folded("Table", markup.table(headers, rows, caption, "Yes and No", "qb-figures"))


def consistency_table(finding: PositionFinding) -> Html:
    """Consistency: models down, sets of pairs across."""
    labels = {cell.key: cell.label for cell in finding.cells}
    models = {cell.model.id: cell.model for cell in finding.cells}
    shares = {(cell.model.id, cell.key): cell.consistency.value for cell in finding.cells}
    rows: list[HtmlRow] = [
        [model.name, *(figure(shares[name, key], CONSISTENCY) if (name, key) in shares else "–" for key in labels)]
        for name, model in models.items()
    ]
    caption = "Share of pairs answered alike in both orders, κ; always naming the same position gives 0"
    return markup.folded("Table", markup.table(["", *labels.values()], rows, caption, "Consistency", "qb-figures"))


def shares_table(found: Sequence[PositionShares]) -> Html:
    """How often each position was named, or why that is not known."""
    if not found:
        return markup.paragraph(f"{REPORTED_SHARES} {NO_SHARES_YET}", "qb-note")
    rows: list[HtmlRow] = [
        [
            f"{shares.model.name}, {shares.pairs}",
            *(
                "–" if share.value is None else percent(share.value, 1)
                for share in (shares.first, shares.second, shares.tie)
            ),
        ]
        for shares in found
    ]
    table = markup.table(
        ["", "First", "Second", "Tie"], rows, "Share of answers by position", "Positions", "qb-figures"
    )
    return markup.join(markup.paragraph(REPORTED_SHARES, "qb-note"), markup.folded("Table", table))


def correlation_table(finding: PositionFinding) -> Html:
    """Sets of pairs down, models across: correlation, and how many of the kept answers are right."""
    sets = {cell.key: cell for cell in finding.cells}
    models = {cell.model.id: cell.model for cell in finding.cells}
    cells = {(cell.key, cell.model.id): cell for cell in finding.cells}
    rows: list[HtmlRow] = [
        [
            HtmlCell(any_of.label, f"{any_of.images} images"),
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


def words_table(finding: score_words.ScoreWordFinding) -> Html:
    """Share of images where the good word is the likelier one."""
    headers = ["", "Words", "Mean", *finding.datasets.values()]
    rows: list[HtmlRow] = [
        [
            habit.model.name,
            habit.words,
            HtmlCell(percent(habit.mean, 1), weight="strong"),
            *(percent(habit.shares[key].value, 1) if key in habit.shares else "–" for key in finding.datasets),
        ]
        for habit in finding.habits
    ]
    caption = "Share of images where the good word has the larger logit; each model with its own most frequent words"
    return markup.folded("Table", markup.table(headers, rows, caption, "Score words", "qb-figures"))


def _cell(shown: Cell | None, metric: Metric) -> HtmlCell:
    if shown is None:
        return HtmlCell("–", weight="quiet")
    return HtmlCell(figure(shown.value, metric), half_interval(shown.low, shown.high, metric))


def _move(habit: yes_no.YesNoHabit) -> str:
    if habit.rank is None or habit.rank == habit.rank_of_mean:
        return ""
    step = habit.rank - habit.rank_of_mean
    return f"up {step}" if step > 0 else f"down {-step}"


def _reach(cell: ModelOnPairs) -> HtmlCell:
    chance = cell.chance
    if chance is None or chance.value is None:
        return HtmlCell("–", weight="quiet")
    ends = "" if chance.low is None or chance.high is None else f"{chance.low:.2f} to {chance.high:.2f}"
    return HtmlCell(f"{chance.value:.2f}", ends)


def _correlation(cell: ModelOnPairs) -> HtmlCell:
    if cell.correlation is None:
        return HtmlCell("–", weight="quiet")
    low = cell.verdict in ("within", "below")
    right = percent(cell.right_of_consistent.value) if cell.right_of_consistent else "none kept"
    return HtmlCell(figure(cell.correlation, CORRELATION) + "*" * low, right, "quiet" if low else "")
