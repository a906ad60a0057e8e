"""The page of one model as the browser gets it: facts, figures on all boards, habits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from leaderboard.analysis.compare import Profile
from leaderboard.analysis.model import ModelReport, OnBoard, Standing
from leaderboard.html import markup
from leaderboard.html.compare import RAW, charts_of
from leaderboard.html.live import card_address
from leaderboard.html.markup import Html, HtmlCell, HtmlRow
from leaderboard.html.model_notes import habit_sentences, position_table, running, training_sentence
from leaderboard.look import address, board_address
from leaderboard.tables.provenance import answers_at, answers_link
from leaderboard.tables.words import (
    cite,
    figure_with_unit,
    half_interval,
    listed,
)
from qbench.models.builtin import embedded_model

KINDS = {
    "model": "multimodal model",
    "encoder": "image and text encoder",
    "metric": "learned metric",
    "classical": "hand-made metric",
    "human": "people",
    "reference": "random guess",
}
FACTS_FROM = "Architecture and release month: from the model's card and the papers that report it."
NO_FILES: Mapping[str, str] = MappingProxyType({})
_TO_HUB = markup.template("""
<details><summary>Bring these figures to its page on the Hub</summary>
<p class="qb-finding">The Hub shows the figures that stand in <code>{{ path }}</code> of the model's repository.
Propose this file there by a pull request of your account. This server takes no part in it.</p>
<p class="qb-actions">
<a href="data:text/yaml;charset=utf-8,{{ file | urlencode }}" download="{{ name }}">Save {{ name }}</a>
<button type="button" class="qb-button" data-copy="{{ file }}">Copy its text</button></p>
{{ command }}
<p class="qb-note">Or in the browser: create this file among
<a href="https://huggingface.co/{{ hub }}/tree/main" rel="noopener noreferrer" target="_blank">those of the model</a>,
paste the text, and choose to open a pull request.</p>
<div class="qb-scroll" role="region" tabindex="0" aria-label="{{ name }}"><pre>{{ file }}</pre></div>
</details>
""")
_HEAD = markup.template("""
<header class="qb-header"><h1><bdi>{{ name }}</bdi></h1><p class="qb-quiet">{{ kind }}</p></header>
<dl class="qb-model-facts">
{% for term, value in facts %}<div><dt>{{ term }}</dt><dd>{{ value }}</dd></div>{% endfor %}
</dl>
<p class="qb-source">{{ source }}</p>
<p class="qb-actions">
{% for address, text in actions %}<a href="{{ address }}">{{ text }}</a>{% endfor %}
</p>
""")
_HUB = markup.template(
    '<a href="https://huggingface.co/{{ hub }}" rel="noopener noreferrer" target="_blank">{{ hub }}</a>'
)
_FIGURE = markup.template("""
{{ figure }}{% if half %} <small>{{ half }}</small>{% endif %}
{% if answers %}<br><a href="{{ answers[0] }}">read {{ answers[1] }} answers</a>{% endif %}
""")


def model_json(
    report: ModelReport, as_of: str, offered: Collection[str] = (), hub_files: Mapping[str, str] = NO_FILES
) -> dict[str, Any]:
    """What the page shows of one model.

    Args:
        report: The findings.
        as_of: Which data.
        offered: Names of models that visitors may ask here.
        hub_files: Files of figures for the repositories of models on the Hub, by `owner/name/path`.
    """
    return {
        "id": report.model.id,
        "name": report.model.name,
        "head": markup.page(_head(report, offered)),
        "charts": _charts(report, report.profile, as_of) if report.profile else [],
        "rest": markup.page(
            markup.heading("Figures on all boards"),
            boards_table(report.boards),
            markup.questions(on.board.title for on in report.boards),
            *(_every_figure(on) for on in report.boards if on.others),
            markup.heading("Habits"),
            *(markup.finding(sentence) for sentence in habit_sentences(report.habits)),
            position_table(report.habits),
            markup.heading("Training"),
            markup.finding(training_sentence(report.training, report.model)),
            markup.heading("How to run it"),
            running(report.model),
            to_hub(report.model.hub, hub_files),
        ),
    }


def to_hub(hub: str | None, files: Mapping[str, str]) -> Html:
    """How the author of a model brings its figures to the Hub; nothing where none of these files is for it."""
    address = next((address for address in files if hub and address.startswith(f"{hub}/")), None)
    if address is None:
        return markup.NOTHING
    path = address.removeprefix(f"{hub}/")
    name = path.rsplit("/", 1)[-1]
    line = f"hf upload {hub} {name} {path} --create-pr"
    command = markup.command("Where you saved it, logged in by hf auth login:", line)
    return _TO_HUB(path=path, file=files[address], name=name, hub=hub, command=command)


def _joined(*texts: str | None) -> str | None:
    return ", ".join(text for text in texts if text) or None


def _head(report: ModelReport, offered: Collection[str]) -> Html:
    model, profile = report.model, report.profile
    pixels = f"{model.vision_pixels} pixels a side" if model.vision_pixels else None
    facts: list[tuple[str, Html | str | None]] = [
        ("By", model.organisation),
        ("Parameters", f"{model.parameters:g} billion" if model.parameters is not None else None),
        ("Weights", {True: "open", False: "closed"}.get(model.open) if model.open is not None else None),
        ("Released", model.released),
        ("Language model", _joined(model.language, model.language_type)),
        ("Vision encoder", _joined(model.vision, pixels)),
        ("Joined by", model.alignment),
        ("Hub", _HUB(hub=model.hub) if model.hub else None),
        ("Also called", listed(model.aliases[:4]) or None),
    ]
    actions = []
    if profile and len(profile.models) > 1:
        rival = next(other for other in profile.models if other.id != model.id)
        beside = address("compare", board=profile.board.key, models=f"{model.id},{rival.id}")
        actions.append((beside, f"Compare with {rival.name}"))
    if name := next((name for name in (model.id, model.hub) if name in offered), None):
        actions.append((f"?tab=probe&model={name}", "Probe with it"))
        if embedded_model(name):
            actions.append((card_address(name), "Its card"))
    return _HEAD(
        name=model.name,
        kind=KINDS[model.kind],
        facts=[(term, value) for term, value in facts if value],
        source=FACTS_FROM,
        actions=actions,
    )


def _charts(report: ModelReport, profile: Profile, as_of: str) -> list[dict[str, Any]]:
    """The model beside others, in each way that it can be drawn; the first is shown until another is chosen."""
    others = [other.name for other in profile.everyone if other.id != report.model.id]
    beside = f"Beside {listed(others)}." if others else "Beside chance, because no other model has all these figures."
    return [chart for chart in charts_of(profile, beside, as_of) if chart["mode"] == RAW]


def boards_table(boards: Iterable[OnBoard]) -> Html:
    """One row a board: the figure that ranks it, the rank, and the ranks that the evidence allows."""
    rows: list[HtmlRow] = []
    for on in boards:
        name = markup.link(board_address(on.board.key), on.board.title)
        source = HtmlCell(_cited(on), weight="wrap qb-cited")
        if on.main is None:
            rows.append([name, "", "–", "no figure in the ranking column", "", source])
            continue
        cell, column = on.main.figure, on.main.column
        figure = _FIGURE(
            figure=figure_with_unit(cell.value, column.metric),
            half=half_interval(cell.low, cell.high, column.metric),
            answers=_answers(on.main),
        )
        label = HtmlCell(Html(markup.mark_terms(on.board.column_name(column))), weight="wrap")
        rows.append([name, label, figure, _rank(on.main), _claimed(on.main), source])
    caption = (
        "Each row shows the figure that decides the rank on that board. “Possible ranks”: the range in "
        "which the true rank probably lies. With 95 % confidence, all models' ranges on a board are right at the same "
        "time. The column is empty where the figure has no interval."
    )
    headers = ["Board", "Column", "Figure", "Rank", "Possible ranks", "Source"]
    return markup.table(headers, rows, caption, "Figures on all boards")


def _answers(standing: Standing) -> tuple[str, str] | None:
    """The address of the answers behind a figure, and how many they are; None where they are not kept."""
    record = standing.figure.record
    at = answers_at(record) if record else None
    return (answers_link(at.set, at.id), f"{at.answers:,}") if at else None


def _cited(on: OnBoard) -> str:
    return cite(on.sources, "").removeprefix("Source: ").partition(". Data as of")[0]


def _rank(standing: Standing) -> str:
    return "–" if standing.rank is None else f"{standing.rank} of {standing.ranked}"


def _claimed(standing: Standing) -> str:
    claimed = standing.claimed
    return "" if claimed is None else f"{claimed.best} to {claimed.worst}"


def _every_figure(on: OnBoard) -> Html:
    standings = [*([on.main] if on.main else []), *on.others]
    rows: list[HtmlRow] = [
        [
            on.board.column_name(standing.column),
            HtmlCell(
                figure_with_unit(standing.figure.value, standing.column.metric),
                half_interval(standing.figure.low, standing.figure.high, standing.column.metric),
            ),
            _rank(standing),
            _claimed(standing),
            _training(standing),
        ]
        for standing in standings
    ]
    table = markup.table(
        ["Column", "Figure", "Rank", "Possible ranks", ""], rows, on.board.sentence, on.board.title, of_terms=True
    )
    return markup.folded(f"{on.board.title}: all {len(rows)} figures", table)


def _training(standing: Standing) -> str:
    """What is known of these data in training."""
    if standing.figure.trained == "scores":
        return "trained on it"
    if standing.figure.trained == "images":
        return "images seen, scores not"
    return "in training, or not told" if standing.column.in_training and not standing.column.averages else ""
