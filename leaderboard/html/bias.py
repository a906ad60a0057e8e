"""The Bias page: one strip for each habit, with its finding, charts, remarks and table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from leaderboard.analysis.findings import Findings, JudgeOnModel, ModelByQuarter, SourceFinding
from leaderboard.analysis.habits import (
    COIN_FLIP,
    CRITERION,
    DPRIME,
    ModelOnPairs,
    PositionFinding,
    PositionShares,
    WordHabit,
    YesNoFinding,
    YesNoHabit,
    datasets_of,
    kept_shares,
)
from leaderboard.boards.comparing import CONSISTENCY, CORRELATION
from leaderboard.boards.questions import QUESTION_ACCURACY
from leaderboard.boards.scoring import ASSESSMENT_DATASETS, SRCC
from leaderboard.charts.chart import Chart
from leaderboard.charts.habits import (
    chance_chart,
    consistency_chart,
    position_shares_chart,
    quarters_chart,
    score_words_chart,
    yes_no_chart,
)
from leaderboard.html import habits, markup
from leaderboard.html.markup import NO_FIGURE, Html, HtmlCell, HtmlRow, figure_cell, figures_below
from leaderboard.tables.chance import JUDGES
from leaderboard.tables.words import cite, count, dataset_title, figure, interval, listed, percent
from qbench.records import Estimate, Source

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
REPORTED_SHARES = (
    "The paper prints no shares of first and second by model and dataset. It says that IDEFICS-Instruct and mPLUG-Owl "
    "chose the second image in more than 70 % of their answers and XComposer-VL the first in about 80 % (Sec. III-B)."
)
REPORTED_WORDS = (
    "Asked to rate the quality of an image in words, Shikra and LLaVA-v1 answered “good” for 78 % of the images and "
    "“poor” for 20 % (Q-Bench, Sec. 2.4.1); asked for a number from 1 to 5, they gave 5 for 84 %."
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
        if finding.cells
    ]
    words = [_on_words(found.score_words, found.as_of)] if found.score_words else []
    words += [_on_judge(found.judge, found.as_of)] if found.judge else []
    photos = [
        _choice(dataset, label, _on_quarters(label, models, found.as_of))
        for dataset, models in found.quarters.items()
        for label in [ASSESSMENT_DATASETS[dataset][0] if dataset in ASSESSMENT_DATASETS else dataset_title(dataset)]
    ]
    groups = {
        "questions": ("Questions", questions or [_choice("", "", _strip(YES_NO, NONE_YET, {}))]),
        "pairs": ("Pairs", pairs),
        "words": ("", [_choice("", "", *words)] if words else []),
        "photos": ("Images", photos),
        "sources": ("", [_choice("", "", _on_sources(found.sources))] if found.sources.compared else []),
    }
    return {
        "introduction": markup.join(markup.title(TITLE), markup.finding(SENTENCE)),
        "groups": [
            {"name": name, "label": label, "choices": choices} for name, (label, choices) in groups.items() if choices
        ],
    }


def _choice(key: str, label: str, *strips: dict[str, Any]) -> dict[str, Any]:
    return {"key": key, "label": label, "strips": strips}


def _strip(title: str, finding: str, plots: Mapping[str, tuple[str, Chart | None]], *under: Html) -> dict[str, Any]:
    """A question, its answer, charts by their keys, each with its title, and what stands under them."""
    charts = [markup.chart_block(key, name, "", chart) for key, (name, chart) in plots.items() if chart]
    return {"head": markup.chart_head(title, finding), "charts": charts, "foot": markup.join(*under)}


def _source(sources: Iterable[Source], as_of: str) -> Html:
    return markup.source_line(cite(sources, as_of))


def in_short(found: Findings) -> Html:
    """The findings in a sentence each, with a link to the page; nothing where there are none."""
    told = [habits.how_many_lean(finding) for finding in found.yes_no[:1]]
    if kept := [shares for finding in found.position.values() if (shares := kept_shares(finding))][:1]:
        fewer = sum(max(shares) < COIN_FLIP for shares in kept[0].values())
        told.append(
            f"Asked in both orders, {fewer} of {len(kept[0])} models change their answer more often than two coin "
            "flips would."
        )
    if found.score_words:
        told.append(f"{habits.how_many_prefer_good(found.score_words)}.")
    return _IN_SHORT(title=TITLE, sentences=told, address="?tab=bias") if told else markup.NOTHING


def _on_yes_no(finding: YesNoFinding, as_of: str) -> dict[str, Any]:
    """Both accuracies, their mean, the two ranks, d' and the criterion."""
    headers = ["", "All", "Yes", "No", "Mean", "Rank by all", "Rank by mean", "d′", "Criterion"]
    rows: list[HtmlRow] = [
        [
            habit.model.name,
            figure_cell(habit.accuracy, QUESTION_ACCURACY),
            figure_cell(habit.yes_accuracy, QUESTION_ACCURACY),
            figure_cell(habit.no_accuracy, QUESTION_ACCURACY),
            figure_cell(habit.debiased_accuracy, QUESTION_ACCURACY),
            "–" if habit.rank is None else str(habit.rank),
            HtmlCell(str(habit.rank_debiased), _move(habit)),
            figure_cell(habit.dprime, DPRIME),
            figure_cell(habit.criterion, CRITERION),
        ]
        for habit in finding.habits
    ]
    caption = (
        f"{finding.questions.label}. Accuracy in %, ± half of the 95 % interval. d′: {DPRIME.description} "
        f"Criterion: {CRITERION.description}"
    )
    return _strip(
        YES_NO,
        habits.on_yes_no(finding),
        {"yes-no": ("Accuracy by the right answer", yes_no_chart(finding))},
        _source(finding.table.sources(habit.model.id for habit in finding.habits), as_of),
        *map(markup.note, habits.yes_no_remarks(finding)),
        figures_below(headers, rows, caption, "Yes and No"),
    )


def _move(habit: YesNoHabit) -> str:
    if habit.rank is None or habit.rank == habit.rank_debiased:
        return ""
    step = habit.rank - habit.rank_debiased
    return f"up {step}" if step > 0 else f"down {-step}"


def _on_order(finding: PositionFinding, found: Findings) -> dict[str, Any]:
    """Consistency, models down and sets of pairs across; and how often each position was named."""
    labels = {cell.key: cell.label for cell in finding.cells}
    kept: dict[str, dict[str, str]] = {}
    for cell in finding.cells:
        kept.setdefault(cell.model.name, {})[cell.key] = figure(cell.consistency.value, CONSISTENCY)
    rows: list[HtmlRow] = [[name, *(shares.get(key, "–") for key in labels)] for name, shares in kept.items()]
    caption = (
        "Share of pairs where the same photo was chosen in both orders, κ; always naming the same position gives 0"
    )
    plots = {
        "kept": ("Answers kept when the photos change places", consistency_chart(finding)),
        "named": ("How often each place was named", position_shares_chart(found.shares)),
    }
    return _strip(
        ORDER,
        habits.on_consistency(finding),
        plots,
        markup.note(SHARES_SOURCE if found.shares else ""),
        _source(finding.sources, found.as_of),
        figures_below(["", *labels.values()], rows, caption, "Consistency"),
        markup.note(REPORTED_SHARES),
        _shares_table(found.shares) if found.shares else markup.NOTHING,
    )


def _shares_table(found: Sequence[PositionShares]) -> Html:
    """How often each position was named."""
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
    return figures_below(["", "First", "Second", "Tie"], rows, "Share of answers by position", "Positions")


def _on_chance(finding: PositionFinding, as_of: str) -> dict[str, Any]:
    if not (said := habits.on_correlation(finding)):
        return _strip(CHANCE_ALONE, NONE_YET, {})
    plots = {"correlation": ("Correlation above coin flips", chance_chart(finding))}
    notes = [OPEN_DOTS, *(f"{listed(names)}: {text}" for text, names in finding.flags.items())]
    under = (_source(finding.sources, as_of), *map(markup.note, notes), correlation_table(finding))
    return _strip(CHANCE_ALONE, said, plots, *under)


def correlation_table(finding: PositionFinding) -> Html:
    """Sets of pairs down, models across: correlation, and how many of the kept answers are right."""
    sets = {cell.key: cell for cell in finding.cells}
    models = {cell.model.id: cell.model for cell in finding.cells}
    cells = {(cell.key, cell.model.id): cell for cell in finding.cells}
    rows: list[HtmlRow] = [
        [
            HtmlCell(any_of.label, f"{any_of.images} images"),
            _reach(any_of.chance),
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
    return figures_below(headers, rows, caption, "Correlation against chance")


def _reach(chance: Estimate) -> HtmlCell:
    if chance.value is None:
        return NO_FIGURE
    return HtmlCell(f"{chance.value:.3f}", interval(chance.low, chance.high, CORRELATION, ""))


def _correlation(cell: ModelOnPairs) -> HtmlCell:
    if cell.correlation is None:
        return NO_FIGURE
    low = cell.verdict in ("within", "below")
    right = "share not printed" if cell.consistency.value else "none kept"
    if cell.right_of_consistent:
        right = percent(cell.right_of_consistent.value)
    return HtmlCell(figure(cell.correlation.value, CORRELATION) + "*" * low, right, "quiet" if low else "")


def _on_words(found: Sequence[WordHabit], as_of: str) -> dict[str, Any]:
    """Share of images where the good word is the likelier one."""
    datasets = datasets_of(found)
    rows: list[HtmlRow] = [
        [
            habit.model.name,
            habit.words,
            HtmlCell(percent(habit.mean, 1), weight="strong"),
            *(percent(habit.shares[key].value, 1) if key in habit.shares else "–" for key in datasets),
        ]
        for habit in found
    ]
    caption = "Share of images for which the good word has the larger logit; each model has its own most frequent words"
    sources = [cell.record.result.source for habit in found for cell in habit.shares.values() if cell.record]
    return _strip(
        GOOD_WORD,
        habits.on_score_words(found),
        {"words": ("How often the good word is the likelier one", score_words_chart(found))},
        _source(sources, as_of),
        markup.note(REPORTED_WORDS),
        figures_below(["", "Words", "Mean", *datasets.values()], rows, caption, "Score words"),
    )


def _on_judge(models: Sequence[JudgeOnModel], as_of: str) -> dict[str, Any]:
    """Share of descriptions with the same grade each time, by model."""
    dimensions = models[0].same
    headers = ["", "All", *(name.capitalize() for name in dimensions), "Standard deviation"]
    rows: list[HtmlRow] = [
        [
            each.model.name,
            HtmlCell(percent(each.mean), weight="strong"),
            *(percent(each.same[name]) for name in dimensions),
            f"{each.deviation:.2f}",
        ]
        for each in models
    ]
    caption = (
        "Share of descriptions that get the same grade of 0, 1 or 2 each time; spread of the grades of one description"
    )
    table = markup.table(headers, rows, caption, "Grades of a judge", "qb-figures")
    return _strip(SAME_GRADE, habits.on_judge(models), {}, table, _source((each.source for each in models), as_of))


def _on_quarters(label: str, models: Sequence[ModelByQuarter], as_of: str) -> dict[str, Any]:
    """SRCC in each quarter, and in small type what the narrower range leaves."""
    by_asked: dict[str, list[ModelByQuarter]] = {}
    for each in models:
        by_asked.setdefault(each.asked, []).append(each)
    plots = {
        f"quarters-{place}": (f"SRCC by quarter, by {asked}" if asked else "SRCC by quarter", quarters_chart(of))
        for place, (asked, of) in enumerate(by_asked.items())
    }
    rows: list[HtmlRow] = [
        [
            each.model.name,
            each.asked or "–",
            *(
                HtmlCell(figure(quarter.srcc.value, SRCC), f"{figure(quarter.expected.value, SRCC)} expected")
                for quarter in each.quarters
            ),
        ]
        for each in models
    ]
    names = [quarter.name.capitalize() for quarter in models[0].quarters]
    caption = f"{label}. SRCC within each quarter, and the SRCC expected from its range alone"
    return _strip(
        GOOD_PHOTOS,
        habits.on_quarters(models),
        plots,
        markup.note(NARROW),
        _source((each.source for each in models), as_of),
        figures_below(["", "Asked by", *names], rows, caption, "SRCC by quarter"),
    )


def _on_sources(found: SourceFinding) -> dict[str, Any]:
    """Figures that differ between sources, each with its sources."""
    rows: list[HtmlRow] = [
        [
            spread.model.name,
            HtmlCell(spread.board.title, spread.board.column_name(spread.column), "wrap"),
            HtmlCell(figure(spread.width, spread.column.metric), weight="strong"),
            HtmlCell("", "; ".join(f"{figure(of, spread.column.metric)} {by}" for of, by in spread.figures), "wrap"),
        ]
        for spread in found.apart
    ]
    caption = "Figures that sources print differently, in the column that ranks a board; each model's highest first"
    table = markup.table(["", "Board", "Apart", "By source"], rows, caption, "Sources that differ")
    under = markup.folded(f"{count(len(rows), 'figure')} differ", table) if rows else markup.NOTHING
    return _strip(SOURCES_APART, habits.on_sources(found), {}, under)
