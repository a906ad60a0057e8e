"""Answer habits in small tables and remarks, one function for each strip of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from leaderboard.analysis.findings import Findings
from leaderboard.analysis.judge import JudgeFinding
from leaderboard.analysis.position import (
    NO_SHARES_YET,
    REPORTED_SHARES,
    ModelOnPairs,
    PositionFinding,
    PositionShares,
    keeps_fewer,
)
from leaderboard.analysis.quarters import ModelByQuarter, QuarterFinding
from leaderboard.analysis.score_words import REPORTED_WORDS, ScoreWordFinding
from leaderboard.analysis.sources import SourceFinding
from leaderboard.analysis.yes_no import CRITERION, DPRIME, YesNoFinding, YesNoHabit
from leaderboard.boards.qbench import QUESTION_ACCURACY, SRCC
from leaderboard.boards.twoafc import CONSISTENCY, CORRELATION
from leaderboard.charts.chart import Chart
from leaderboard.charts.habits import (
    chance_chart,
    consistency_chart,
    position_shares_chart,
    quarters_chart,
    score_words_chart,
    yes_no_chart,
)
from leaderboard.html import markup
from leaderboard.html.chart_block import chart_block, head
from leaderboard.html.markup import Html, HtmlCell, HtmlRow
from leaderboard.tables.cells import Cell
from leaderboard.tables.chance import JUDGES
from leaderboard.tables.columns import Metric
from leaderboard.tables.words import cite, count, figure, half_interval, percent

TITLE = "Which habits bias the answers?"
SENTENCE = (
    "Some models prefer the answer Yes, the first photo or the word “good”, whatever the photo shows. Such a habit "
    "alone raises or lowers the score. Each chart shows how strong a habit is, and what chance alone would give."
)
YES_NO = "Is Yes answered too readily?"
ORDER = "Does the order of two photos change the answer?"
CHANCE_ALONE = "Would coin flips agree with people as well?"
SOURCES_APART = "How far are two sources apart?"
SAME_GRADE = "Does a judge give one description the same grade twice?"
GOOD_WORD = "Is the good word preferred, whatever the photo?"
GOOD_PHOTOS = "Do models fail among good images?"
PAIRS = {"coarse": "Random pairs", "fine": "Pairs close in quality"}
"""Kinds of pairs, by their names in an address."""
_IN_SHORT = markup.template("""
<h3>{{ title }}</h3><ul class="qb-sentences">
{% for sentence in sentences %}<li>{{ sentence }}</li>{% endfor %}
</ul><p><a href="{{ address }}">All habits, with charts</a></p>
""")

NONE_YET = (
    "No results have these figures yet. They appear here after somebody scores some with “python -m qbench score”."
)

SHARES_SOURCE = (
    "Shares of first and second come from runs of this tool, recorded on the boards. Sets named demo are synthetic."
)
OPEN_DOTS = (
    "Each dot is a set of pairs. Kept answers are the same in both orders. A dot is open if the share of "
    "kept answers that are right is not clearly above 50 %."
)

NARROW = (
    "The images are split into quarters by people's scores. Within a quarter the range is narrower, so the correlation "
    "is lower for everybody: a grey line marks the SRCC expected from the narrower range alone if the model's errors "
    "are equally large on all images (Thorndike's case 2, 1949). A dot with its interval left of the line does worse "
    "than that."
)


def bias_json(found: Findings) -> dict[str, Any]:
    """What the page shows: strips in groups, the choices of which the address keeps."""
    questions = [
        _choice(finding.questions.dataset, finding.questions.label, _on_yes_no(finding, found.as_of))
        for finding in found.yes_no
    ]
    pairs = [
        _choice(kind, PAIRS[kind], _on_order(finding, found), _on_chance(finding, found.as_of))
        for kind, finding in found.position.items()
    ]
    nobody = _choice("", "", _strip(YES_NO, NONE_YET, {}))
    groups = {"questions": ("Questions", questions or [nobody]), "pairs": ("Pairs", pairs)}
    judge = [_on_judge(found.judge, found.as_of)] if found.judge.models else []
    groups["words"] = ("", [_choice("", "", _on_words(found.score_words, found.as_of), *judge)])
    photos = [_choice(each.dataset, each.label, _on_quarters(each, found.as_of)) for each in found.quarters]
    groups["photos"] = ("Images", photos)
    groups["sources"] = ("", [_choice("", "", _on_sources(found.sources))] * bool(found.sources.compared))
    return {
        "introduction": markup.join(markup.title(TITLE), markup.paragraph(SENTENCE, "qb-finding")),
        "groups": [
            {"name": name, "label": label, "choices": choices} for name, (label, choices) in groups.items() if choices
        ],
    }


def _choice(key: str, label: str, *strips: dict[str, Any]) -> dict[str, Any]:
    return {"key": key, "label": label, "strips": strips}


def _strip(title: str, finding: str, plots: Mapping[str, tuple[str, Chart | None]], *under: Html) -> dict[str, Any]:
    """A question, its answer, charts by their keys, each with its title, and what stands under them."""
    charts = [chart_block(key, name, "", chart) for key, (name, chart) in plots.items() if chart]
    return {"head": head(title, finding), "charts": charts, "foot": markup.join(*under)}


def _source(
    finding: YesNoFinding | PositionFinding | ScoreWordFinding | JudgeFinding | QuarterFinding, as_of: str
) -> Html:
    return markup.paragraph(cite(finding.sources, as_of), "qb-source")


def _on_yes_no(finding: YesNoFinding, as_of: str) -> dict[str, Any]:
    plots = {"yes-no": ("Accuracy by the right answer", yes_no_chart(finding))}
    notes = [markup.paragraph(remark, "qb-note") for remark in finding.remarks]
    return _strip(YES_NO, finding.finding, plots, _source(finding, as_of), *notes, yes_no_table(finding))


def _on_order(finding: PositionFinding, found: Findings) -> dict[str, Any]:
    if not finding.cells:
        return _strip(ORDER, NONE_YET, {})
    plots = {
        "kept": ("Answers kept when the photos change places", consistency_chart(finding)),
        "named": ("How often each place was named", position_shares_chart(found.shares)),
    }
    note = markup.paragraph(SHARES_SOURCE if found.shares else "", "qb-note")
    under = (note, _source(finding, found.as_of), consistency_table(finding), shares_table(found.shares))
    return _strip(ORDER, finding.on_consistency, plots, *under)


def _on_chance(finding: PositionFinding, as_of: str) -> dict[str, Any]:
    if not finding.on_correlation:
        return _strip(CHANCE_ALONE, NONE_YET, {})
    plots = {"correlation": ("Correlation above coin flips", chance_chart(finding))}
    notes = [markup.paragraph(note, "qb-note") for note in (OPEN_DOTS, *finding.remarks)]
    under = (_source(finding, as_of), *notes, correlation_table(finding))
    return _strip(CHANCE_ALONE, finding.on_correlation, plots, *under)


def _on_words(finding: ScoreWordFinding, as_of: str) -> dict[str, Any]:
    if not finding.habits:
        return _strip(GOOD_WORD, NONE_YET, {})
    plots = {"words": ("How often the good word is the likelier one", score_words_chart(finding))}
    under = (_source(finding, as_of), markup.paragraph(REPORTED_WORDS, "qb-note"), words_table(finding))
    return _strip(GOOD_WORD, finding.finding, plots, *under)


def _on_judge(finding: JudgeFinding, as_of: str) -> dict[str, Any]:
    return _strip(SAME_GRADE, finding.finding, {}, judge_table(finding), _source(finding, as_of))


def _on_sources(finding: SourceFinding) -> dict[str, Any]:
    table = markup.folded(f"{count(len(finding.apart), 'figure')} differ", sources_table(finding))
    return _strip(SOURCES_APART, finding.finding, {}, table if finding.apart else markup.NOTHING)


def _on_quarters(finding: QuarterFinding, as_of: str) -> dict[str, Any]:
    by_asked: dict[str, list[ModelByQuarter]] = {}
    for each in finding.models:
        by_asked.setdefault(each.asked, []).append(each)
    plots = {
        f"quarters-{place}": (f"SRCC by quarter, by {asked}" if asked else "SRCC by quarter", quarters_chart(of))
        for place, (asked, of) in enumerate(by_asked.items())
    }
    under = (markup.paragraph(NARROW, "qb-note"), _source(finding, as_of), quarters_table(finding))
    return _strip(GOOD_PHOTOS, finding.finding, plots, *under)


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


def yes_no_table(finding: YesNoFinding) -> Html:
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
            _cell(habit.dprime, DPRIME),
            _cell(habit.criterion, CRITERION),
        ]
        for habit in finding.habits
    ]
    caption = (
        f"{finding.questions.label}. Accuracy in %, ± half of the 95 % interval. d′: {DPRIME.description} "
        f"Criterion: {CRITERION.description}"
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
    caption = (
        "Share of pairs where the same photo was chosen in both orders, κ; always naming the same position gives 0"
    )
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
        f"Correlation ρ, beside mean and 95 % range of {JUDGES} simulated judges who flip coins; * marks a correlation "
        "within this range or below it. In small type: the share of kept answers that are right (α divided by κ); "
        "guessing gives 50 %."
    )
    headers = ["", "Coin flips reach", *(model.name for model in models.values())]
    return markup.folded("Table", markup.table(headers, rows, caption, "Correlation against chance", "qb-figures"))


def words_table(finding: ScoreWordFinding) -> Html:
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
    caption = "Share of images for which the good word has the larger logit; each model has its own most frequent words"
    return markup.folded("Table", markup.table(headers, rows, caption, "Score words", "qb-figures"))


def quarters_table(finding: QuarterFinding) -> Html:
    """SRCC in each quarter, and in small type what the narrower range leaves."""
    rows: list[HtmlRow] = [
        [
            each.model.name,
            each.asked or "–",
            *(
                HtmlCell(figure(quarter.srcc.value, SRCC), f"{figure(quarter.expected, SRCC)} expected")
                for quarter in each.quarters
            ),
        ]
        for each in finding.models
    ]
    names = [quarter.name.capitalize() for quarter in finding.models[0].quarters]
    caption = f"{finding.label}. SRCC within each quarter, and the SRCC expected from its range alone"
    table = markup.table(["", "Asked by", *names], rows, caption, "SRCC by quarter", "qb-figures")
    return markup.folded("Table", table)


def sources_table(finding: SourceFinding) -> Html:
    """Figures that differ between sources, each with its sources."""
    rows: list[HtmlRow] = [
        [
            spread.model.name,
            HtmlCell(spread.board.title, spread.board.column_name(spread.column), "wrap"),
            HtmlCell(figure(spread.width, spread.column.metric), weight="strong"),
            HtmlCell("", "; ".join(f"{figure(of, spread.column.metric)} {by}" for of, by in spread.figures), "wrap"),
        ]
        for spread in finding.apart
    ]
    caption = "Figures that sources print differently, in the column that ranks a board; each model's highest first"
    return markup.table(["", "Board", "Apart", "By source"], rows, caption, "Sources that differ")


def judge_table(finding: JudgeFinding) -> Html:
    """Share of descriptions with the same grade each time, by model."""
    dimensions = finding.models[0].same
    headers = ["", "All", *(name.capitalize() for name in dimensions), "Standard deviation"]
    rows: list[HtmlRow] = [
        [
            each.model.name,
            HtmlCell(percent(each.mean), weight="strong"),
            *(percent(each.same[name]) for name in dimensions),
            f"{each.deviation:.2f}",
        ]
        for each in finding.models
    ]
    caption = (
        "Share of descriptions that get the same grade of 0, 1 or 2 each time; spread of the grades of one description"
    )
    return markup.table(headers, rows, caption, "Grades of a judge", "qb-figures")


def _cell(shown: Cell | None, metric: Metric) -> HtmlCell:
    if shown is None:
        return HtmlCell("–", weight="quiet")
    return HtmlCell(figure(shown.value, metric), half_interval(shown.low, shown.high, metric))


def _move(habit: YesNoHabit) -> str:
    if habit.rank is None or habit.rank == habit.rank_of_mean:
        return ""
    step = habit.rank - habit.rank_of_mean
    return f"up {step}" if step > 0 else f"down {-step}"


def _reach(cell: ModelOnPairs) -> HtmlCell:
    chance = cell.chance
    if chance is None or chance.value is None:
        return HtmlCell("–", weight="quiet")
    ends = "" if chance.low is None or chance.high is None else f"{chance.low:.3f} to {chance.high:.3f}"
    return HtmlCell(f"{chance.value:.3f}", ends)


def _correlation(cell: ModelOnPairs) -> HtmlCell:
    if cell.correlation is None:
        return HtmlCell("–", weight="quiet")
    low = cell.verdict in ("within", "below")
    right = "share not printed" if cell.consistency.value else "none kept"
    if cell.right_of_consistent:
        right = percent(cell.right_of_consistent.value)
    return HtmlCell(figure(cell.correlation, CORRELATION) + "*" * low, right, "quiet" if low else "")
