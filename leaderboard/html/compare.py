"""A comparison in words and small tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from leaderboard.analysis.compare import MOST_MODELS, NamedModels, Profile
from leaderboard.charts.comparison import draw
from leaderboard.html import markup
from leaderboard.html.markup import NO_FIGURE, Html, HtmlCell, HtmlRow, figure_cell
from leaderboard.look import model_address
from leaderboard.tables.columns import COMPARED_DECIMALS, Column
from leaderboard.tables.differences import ModelDifference
from leaderboard.tables.provenance import answers_at, answers_link
from leaderboard.tables.words import (
    axis_title,
    cite,
    figure,
    gap_text,
    interval,
    listed,
    named_metric,
    shorten_name,
)
from qbench.models.catalogue import ModelFacts

NOTHING_CHOSEN = "Choose two to six models above. A chart and a table of their differences appear here."
ONE_CHOSEN = "Choose a second model to see differences."
MOST_LISTED = 6
"""Models that a remark names; the others it counts."""


_ANSWERS = markup.template("""
<p class="qb-note"><a href="{{ address }}">Read their answers to the same {{ answers }} questions side by side</a></p>
""")
MOST_BESIDE = 4
"""Models whose answers stand side by side."""
_TESTS = {
    "paired bootstrap": "a bootstrap that draws all items about one photo together",
    "McNemar, exact": "McNemar's exact test",
}
ABOVE, RAW = "above", "raw"
"""Figures less their chance levels, and as they are."""


def comparison_page(profile: Profile, named: NamedModels, ranked: Iterable[ModelFacts], as_of: str) -> dict[str, Any]:
    """What the page shows of models on one board.

    Args:
        profile: The comparison.
        named: Those that were asked for.
        ranked: All that can be chosen; those chosen stay among them.
        as_of: Which data.
    """
    chosen = {model.id: model for model in (*profile.models, *profile.absent, *profile.without_figures)}
    names = {model.id: model.name for model in (*ranked, *chosen.values())}
    drawn = profile.has_marks and bool(profile.models)
    return {
        "title": markup.opening(
            profile.board.question or profile.board.title,
            f"{profile.board.title}. Compare two to six models, and see which differences are clear.",
        ),
        "notice": models_left_out(named),
        "offered": list(names.items()),
        "chosen": [model.id for model in named.known if model.id in chosen],
        "most": MOST_MODELS,
        "metrics": [(metric.key, named_metric(metric)) for metric in profile.choices],
        "metric": profile.metric.key,
        "charts": charts_of(profile, "", as_of) if drawn else [],
        "instead": no_chart(profile, cite(profile.sources, as_of)) if profile.models else empty_page(profile),
        "differences": tables(profile) if profile.models else "",
        "figures": figures_table(profile) if profile.models else "",
    }


def charts_of(profile: Profile, finding: str, as_of: str) -> list[dict[str, Any]]:
    """The comparison in each way that it can be drawn, the usual one first.

    Chance is subtracted where a board prints its random guess, as in Q-Bench Fig. 9.
    """
    rows = [["", *(model.name for model in profile.everyone)]]
    for column in profile.columns:
        cells = (profile.figures[model.id].get(column.key) for model in profile.everyone)
        rows.append(
            [profile.labels[column.key], *("" if cell is None else figure(cell.value, column.metric) for cell in cells)]
        )
    modes = [RAW] if profile.bounds_above_chance is None else [RAW, ABOVE]
    modes = modes[::-1] if any(model.kind == "reference" for model in profile.references) else modes
    forms = ("radar", "dots") if profile.suits_radar else ("dots",)
    under = markup.under_chart("", cite(profile.sources, as_of))
    also = [named_metric(metric) for metric in profile.choices]
    return [
        {
            **markup.chart_block(
                form, profile.board.title, finding, draw(profile, mode == ABOVE, form == "dots"), rows, under, also
            ),
            "mode": mode,
        }
        for mode in modes
        for form in forms
    ]


def tables(profile: Profile) -> Html:
    """What stands beside the chart: the comparison in one sentence and the differences."""
    return markup.page(
        markup.finding(headline(profile)),
        differences_table(profile),
        answers_beside(profile),
        remarks(profile),
    )


def answers_beside(profile: Profile) -> Html:
    """A link to the answers of the models side by side, where those of two are kept."""
    cells = (profile.figures[model.id].get(column.key) for column in profile.columns for model in profile.models)
    found: dict[str, dict[str, int]] = {}
    for cell in cells:
        if cell and cell.record and (at := answers_at(cell.record)):
            found.setdefault(at.set, {})[at.id] = at.answers
    for key, ids in found.items():
        if len(ids) > 1:
            return _ANSWERS(address=answers_link(key, *list(ids)[:MOST_BESIDE]), answers=f"{max(ids.values()):,}")
    return markup.NOTHING


def empty_page(profile: Profile) -> Html:
    """What stands in the chart's place while there is nothing to show."""
    why = profile.board.empty if profile.empty else NOTHING_CHOSEN
    return markup.page(markup.paragraph(why, "qb-empty"), remarks(profile))


def no_chart(profile: Profile, source: str) -> Html:
    """What stands in the chart's place where the models have figures in the tables alone."""
    axes = listed(profile.labels[axis.key] for axis in profile.axes)
    said = f"No chart, because none of these models has a figure in {axes}. The tables show the figures they have."
    return markup.page(markup.paragraph(said, "qb-empty"), markup.source_line(source))


def models_left_out(named: NamedModels) -> Html:
    """Which models that a link names are not compared."""
    sentences = []
    if named.unknown:
        unknown = listed((f"“{shorten_name(name)}”" for name in named.unknown), MOST_LISTED)
        sentences.append(f"No model goes by the name {unknown}.")
    if named.known[MOST_MODELS:]:
        sentences.append(f"At most six models are compared at once. Left out: {_names(named.known[MOST_MODELS:])}.")
    return markup.sentence(" ".join(sentences), "qb-note")


def headline(profile: Profile) -> str:
    """The comparison in one sentence, by the column that ranks the board where it is among these."""
    ranking = profile.board.primary
    column = next((column for column in profile.columns if ranking in column.parts), profile.columns[0])
    pairs = [pair for pair in profile.differences if pair.column == column.key]
    if not pairs:
        return ""
    names = _short_names(profile)
    lead = _narrowest_lead(pairs)
    verdict = {
        None: "; the sources give no interval, so it may be chance",
        True: ", a clear difference",
        False: ", too little to tell them apart",
    }[lead.apart]
    ahead = (
        f"{names[lead.leader]} leads {names[lead.other]} by {gap_text(lead.value, column.metric)}{verdict}"
        if lead.value
        else f"{names[lead.leader]} and {names[lead.other]} are level"
    )
    return f"{profile.labels[column.key]}: {ahead}."


def _narrowest_lead(pairs: list[ModelDifference]) -> ModelDifference:
    """The leader of a column over whoever comes next."""
    wins = Counter(pair.leader for pair in pairs)
    leader = wins.most_common(1)[0][0]
    return min((pair for pair in pairs if pair.leader == leader), key=lambda pair: pair.value)


def figures_table(profile: Profile) -> Html:
    """Every figure: columns of the board down, models across, the best in bold."""
    headers = ["", *(markup.link(model_address(model.id), shorten_name(model.name)) for model in profile.everyone)]
    chance = bool(profile.chance) and not any(model.kind == "reference" for model in profile.references)
    rows = []
    for column in profile.columns:
        row = [HtmlCell(profile.labels[column.key], column.metric.unit), *_figures(profile, column)]
        if chance:
            level = profile.chance.get(column.key)
            row.append(HtmlCell("–" if level is None else figure(level, column.metric), weight="quiet"))
        rows.append(row)
    kinds = dict.fromkeys(axis_title(column.metric) for column in profile.columns)
    caption = f"{profile.board.title}: {'; '.join(kinds)}"
    return markup.table(
        [*headers, *(["Chance"] if chance else [])], rows, caption, "Figures", "qb-figures", of_terms=True
    )


def _figures(profile: Profile, column: Column) -> list[HtmlCell]:
    """One column's figures of everybody, the best of the models strong."""
    cells = [profile.figures[model.id].get(column.key) for model in profile.everyone]
    own = [round(cell.value, COMPARED_DECIMALS) for cell in cells[: len(profile.models)] if cell]
    best = (min if column.metric.direction == "lower" else max)(own, default=None)
    shown = [figure_cell(cell, column.metric) for cell in cells]
    if len(own) < 2 or not column.ranks_models:
        return shown
    for place, cell in enumerate(cells[: len(profile.models)]):
        if cell and round(cell.value, COMPARED_DECIMALS) == best:
            shown[place] = shown[place]._replace(weight="strong")
    return shown


def differences_table(profile: Profile) -> Html:
    """For each column who leads, by how much, and whom the leader can't be told apart from."""
    if len(profile.models) < 2:
        return markup.paragraph(ONE_CHOSEN if profile.models else "", "qb-empty")
    names = _short_names(profile)
    rows = []
    for column in profile.columns:
        pairs = [pair for pair in profile.differences if pair.column == column.key]
        if pairs:
            rows.append(_lead(profile, column, pairs, names))
    verdicts = ["Verdict"] if len(profile.models) == 2 else ["Second best", "Not clearly worse"]
    heads = ["", "Best", "Lead", *verdicts]
    return markup.table(heads, rows, "Who leads, and by how much", "Differences", of_terms=True)


def remarks(profile: Profile) -> Html:
    """How the verdicts come about, or why there are none; and who is missing."""
    unknown, sentences = "the figures have no intervals, and the number of independent items is unknown", list[str]()
    if any(pair.p is not None for pair in profile.differences):
        sentences.append(_how_tested(profile))
    elif profile.differences:
        sentences.append(f"No verdicts: {unknown}. So we cannot say how much of a difference is chance.")
    said = {
        f"No verdicts on {{}}: {unknown}.": profile.untested,
        "Not on this board: {}.": profile.absent,
        "On this board, but without the figures compared here: {}.": profile.without_figures,
    }
    sentences += [sentence.format(_names(models)) for sentence, models in said.items() if models]
    return markup.join(*map(markup.note, sentences))


def _how_tested(profile: Profile) -> str:
    """Which verdicts rest on the same items, and which on the figures alone."""
    tested = {pair.paired for pair in profile.differences if pair.p is not None}
    tests = listed(sorted({_TESTS[pair.test] for pair in profile.differences if pair.test}))
    paired = f"compares the two models item by item, by {tests}"
    unpaired = (
        "treats the two models' answers as independent, because we do not have each model's answer to every item. This "
        "makes the test less sensitive: it may miss a real difference"
    )
    if tested == {True}:
        said = f"All these models answered the same items, so every verdict {paired}."
    elif tested == {False}:
        said = f"Every verdict {unpaired}."
    else:
        said = f"A verdict marked paired {paired}, since both answered the same items. Any other {unpaired}."
    if len(profile.models) == 2:
        return f"{said} p is the probability that two equally good models differ by this much or more."
    return f"{said} Verdicts are corrected for the number of model pairs compared (Holm); the 95 % intervals are not."


def _short_names(profile: Profile) -> dict[str, str]:
    return {model.id: shorten_name(model.name) for model in profile.models}


def _names(models: Iterable[ModelFacts]) -> str:
    return listed((shorten_name(model.name) for model in models), MOST_LISTED)


def _lead(profile: Profile, column: Column, pairs: list[ModelDifference], names: dict[str, str]) -> HtmlRow:
    lead = _narrowest_lead(pairs)
    start: list[HtmlCell | str] = [
        profile.labels[column.key],
        HtmlCell(names[lead.leader], weight="strong wrap") if lead.value else HtmlCell("none", weight="quiet"),
        HtmlCell(
            gap_text(lead.value, column.metric),
            interval(lead.low, lead.high, column.metric, "").replace(" ", "\u00a0"),
            weight="wrap",
        ),
    ]
    if len(names) == 2:
        return [*start, _verdict(lead)]
    level = f"{names[lead.leader]} and {names[lead.other]}"
    by_leader = [pair for pair in reversed(pairs) if pair.leader == lead.leader]
    return [*start, HtmlCell(names[lead.other] if lead.value else level, weight="wrap"), _alike(by_leader, names)]


def _alike(by_leader: list[ModelDifference], names: dict[str, str]) -> HtmlCell:
    """Whom the leader can't be told apart from, and of whom that is not known."""
    alike = [names[pair.other] for pair in by_leader if pair.apart is False]
    unknown = [names[pair.other] for pair in by_leader if pair.apart is None]
    if len(unknown) == len(by_leader):
        return NO_FIGURE
    text = "all the others" if len(alike) == len(by_leader) else listed(alike) or "none"
    return HtmlCell(f"{text}; not known: {listed(unknown)}" if unknown else text, weight="wrap")


def _verdict(pair: ModelDifference) -> HtmlCell:
    if pair.apart is None:
        return NO_FIGURE
    how = f"p {_p(pair.p)}, paired" if pair.paired else f"p {_p(pair.p)}"
    return HtmlCell(f"clear ({how})" if pair.apart else f"can't tell apart ({how})", weight="wrap")


def _p(p: float | None) -> str:
    return "" if p is None else "< 0.001" if p < 0.001 else f"= {p:.3f}" if p < 0.1 else f"= {p:.2f}"
