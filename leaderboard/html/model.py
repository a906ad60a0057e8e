"""The page of one model as the browser gets it: facts, figures on all boards, habits, training, how to run it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from leaderboard.analysis.findings import Findings
from leaderboard.analysis.model import ModelReport
from leaderboard.html import markup
from leaderboard.html.compare import RAW, charts_of
from leaderboard.html.live import card_address
from leaderboard.html.markup import Html, HtmlCell, HtmlRow
from leaderboard.look import address, board_address
from leaderboard.tables.cells import Cell
from leaderboard.tables.columns import Column
from leaderboard.tables.provenance import answers_at, answers_link
from leaderboard.tables.table import Table
from leaderboard.tables.words import between, cited, figure_with_unit, half_interval, listed, percent
from qbench.models.builtin import embedded_model, find_builtin
from qbench.models.catalogue import ModelFacts
from qbench.tasks import assessment, perception
from qbench.tasks.similarity import choices

KINDS = {
    "model": "multimodal model",
    "encoder": "image and text encoder",
    "metric": "learned metric",
    "classical": "hand-made metric",
    "human": "people",
    "reference": "random guess",
}
FACTS_FROM = "Architecture and release month: from the model's card and the papers that report it."
NO_HABITS = (
    "We know nothing about the habits of this model yet. To show them, we need its accuracy on questions whose "
    "answer is Yes and on those whose answer is No, or its answers to pairs of photos in both orders."
)
PROGRAM = "python -m qbench run"
SERVER = "http://localhost:8000/v1"
"""Where servers of open models listen by themselves."""
Commands = list[tuple[str, str]]
"""Each with what it is for."""
ABOUT_PHOTOS = "Questions about photos (A1)"
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
    profile, name = report.profile, report.model.id
    others = [other.name for other in profile.everyone if other.id != name] if profile else []
    beside = f"Beside {listed(others)}." if others else "Beside chance, because no other model has all these figures."
    charts = charts_of(profile, beside, as_of) if profile else []
    return {
        "id": name,
        "name": report.model.name,
        "head": markup.page(_head(report, offered)),
        "charts": [chart for chart in charts if chart["mode"] == RAW],
        "rest": markup.page(
            markup.heading("Figures on all boards"),
            boards_table(report),
            markup.questions(table.board.title for table in report.tables),
            *(_every_figure(table, name) for table in report.tables),
            markup.heading("Habits"),
            *(markup.finding(sentence) for sentence in habit_sentences(report.findings, name)),
            position_table(report.findings, name),
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


def _head(report: ModelReport, offered: Collection[str]) -> Html:
    model, profile = report.model, report.profile
    pixels = f"{model.vision_pixels} pixels a side" if model.vision_pixels else None
    facts: list[tuple[str, Html | str | None]] = [
        ("By", model.organisation),
        ("Parameters", f"{model.parameters:g} billion" if model.parameters is not None else None),
        ("Weights", {True: "open", False: "closed", None: None}[model.open]),
        ("Released", model.released),
        ("Language model", ", ".join(filter(None, [model.language, model.language_type]))),
        ("Vision encoder", ", ".join(filter(None, [model.vision, pixels]))),
        ("Joined by", model.alignment),
        ("Hub", _HUB(hub=model.hub) if model.hub else None),
        ("Also called", listed(model.aliases[:4])),
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


def boards_table(report: ModelReport) -> Html:
    """One row a board: the figure that ranks it, the rank, and the ranks that the evidence allows."""
    name, rows = report.model.id, list[HtmlRow]()
    for table in report.tables:
        board, column = table.board, table.primary
        head = markup.link(board_address(board.key), board.title)
        source = HtmlCell(cited(table.sources([name])), weight="wrap qb-cited")
        cell = table.rows[name].cells.get(column.key)
        if cell is None:
            rows.append([head, "", "–", "no figure in the ranking column", "", source])
            continue
        at = answers_at(cell.record) if cell.record else None
        figure = _FIGURE(
            figure=figure_with_unit(cell.value, column.metric),
            half=half_interval(cell.low, cell.high, column.metric),
            answers=(answers_link(at.set, at.id), f"{at.answers:,}") if at else None,
        )
        label = HtmlCell(Html(markup.mark_terms(board.column_name(column))), weight="wrap")
        rows.append([head, label, figure, *_standing(table, column, name), source])
    caption = (
        "Each row shows the figure that decides the rank on that board. “Possible ranks”: the range in "
        "which the true rank probably lies. With 95 % confidence, all models' ranges on a board are right at the same "
        "time. The column is empty where the figure has no interval."
    )
    headers = ["Board", "Column", "Figure", "Rank", "Possible ranks", "Source"]
    return markup.table(headers, rows, caption, "Figures on all boards")


def _standing(table: Table, column: Column, name: str) -> tuple[str, str]:
    """The rank among all, and the ranks that the model can claim at 95 %."""
    ranks = table.ranks[column.key]
    rank, claimed = ranks.get(name, (None, None))
    return f"{rank} of {len(ranks)}" if rank else "–", f"{claimed.best} to {claimed.worst}" if claimed else ""


def _every_figure(table: Table, name: str) -> Html:
    """All figures on one board, the one that ranks it first; nothing where there is no other."""
    board, cells = table.board, table.rows[name].cells
    columns = sorted(
        (column for column in table.columns if column.key in cells), key=lambda each: each != table.primary
    )
    if columns in ([], [table.primary]):
        return markup.NOTHING
    rows: list[HtmlRow] = []
    for column in columns:
        cell, metric = cells[column.key], column.metric
        figure = HtmlCell(figure_with_unit(cell.value, metric), half_interval(cell.low, cell.high, metric))
        rows.append([board.column_name(column), figure, *_standing(table, column, name), _training(column, cell)])
    headers = ["Column", "Figure", "Rank", "Possible ranks", ""]
    shown = markup.table(headers, rows, board.sentence, board.title, of_terms=True)
    return markup.folded(f"{board.title}: all {len(rows)} figures", shown)


def _training(column: Column, cell: Cell) -> str:
    """What is known of these data in training."""
    if cell.trained == "scores":
        return "trained on it"
    if cell.trained == "images":
        return "images seen, scores not"
    return "in training, or not told" if column.in_training and not column.averages else ""


def habit_sentences(found: Findings, name: str) -> list[str]:
    """How a model leans, whatever it is shown; or that nothing is known."""
    told = []
    for finding in found.yes_no:
        for habit in finding.habits:
            if habit.model.id == name:
                leans = habit.criterion.value if habit.criterion else 0.0
                side = " It leans to Yes." if leans < 0 else " It leans to No." if leans > 0 else ""
                told.append(
                    f"Yes and No ({finding.questions.label}): right on {percent(habit.yes_accuracy.value)} of the "
                    f"questions with the answer Yes and on {percent(habit.no_accuracy.value)} of those with the answer "
                    f"No.{side}"
                )
    pairs = [cell for finding in found.position.values() for cell in finding.cells if cell.model.id == name]
    if pairs:
        kept = between([cell.consistency.value for cell in pairs])
        told.append(f"Position: asked about two images in both orders, it kept its answer for {kept} of pairs.")
    for words in found.score_words:
        if words.model.id == name:
            good, _, bad = words.words.partition("/")
            share = percent(words.mean)
            told.append(f"Words: it finds “{good}” likelier than “{bad}” for {share} of images, whatever they show.")
    return told if told or position_table(found, name) else [NO_HABITS]


def position_table(found: Findings, name: str) -> Html:
    """How often it named the first image and the second, a row for each set of pairs."""
    rows: list[HtmlRow] = [
        [shares.pairs, percent(shares.first.value), percent(shares.second.value)]
        for shares in found.shares
        if shares.model.id == name and shares.first.value is not None and shares.second.value is not None
    ]
    caption = "Position: share of its answers that name the first image and the second; each pair comes in both orders"
    return markup.table(["Pairs", "First", "Second"], rows, caption, "Position", "qb-figures")


def training_sentence(training: Sequence[str], model: ModelFacts) -> str:
    """What it was trained on, of data about image quality."""
    if known := embedded_model(model.id):
        return f"It comes with this project: {known.training}."
    if training:
        return f"Its sources say that it was trained on {listed(training)}."
    return "Its sources do not mention training on data about image quality; that does not mean that there was none."


def running(model: ModelFacts) -> Html:
    """Commands to copy."""
    said, commands = how_to_run(model)
    return markup.join(markup.finding(said), *(markup.command(purpose, line) for purpose, line in commands))


def how_to_run(model: ModelFacts) -> tuple[str, Commands]:
    """What has to be said about running a model, and the commands that run it, by what is known of it."""
    builtin = find_builtin(model.id)
    if model.kind in ("human", "reference"):
        return "This is not a model, so it cannot be run.", []
    if builtin is not None:
        writes, scores = "text" in builtin.wants, builtin.wants <= {"score", "map"}
        task = assessment.NAME if scores else perception.NAME if writes else choices.IQA_2AFC.name
        line = _line(task, f"demo-{task}", model.id)
        return "It comes with this project.", [("On the demo photos, whose damage is known", line)]
    if model.pyiqa is not None:
        said = "The package pyiqa has it (pip install pyiqa; its licence is non-commercial)."
        return said, [("Scores by the package pyiqa", _rated(f"pyiqa:{model.pyiqa}"))]
    if model.serve is not None and model.kind == "model" and model.hub is not None:
        return f"{model.serve} At a server that has it:", [_at_a_server(model.hub)]
    if model.serve is not None:
        return model.serve, []
    if model.hub is not None:
        return "Transformers loads it from the Hub.", _from_the_hub(model)
    if model.address is not None and model.asked_as is not None:
        said = f"Its weights are closed. Its maker's server answers for it; its name there is {model.asked_as}."
        return said, [_at_a_server(model.asked_as, model.address)]
    if model.open is False:
        said = "Its weights are closed. Ask its maker's server; NAME is its name there."
        return said, [_at_a_server("NAME", "https://ADDRESS/v1")]
    return "We know only its published figures, and not where its weights are.", []


def _from_the_hub(model: ModelFacts) -> Commands:
    if model.kind == "encoder":
        return [
            ("Scores: which of two words is nearer to the photo", _rated(model.id)),
            ("The same on the demo photos", _line(assessment.NAME, "demo-assessment", model.id)),
        ]
    return [
        (ABOUT_PHOTOS, f"{_line('perception', 'llvisionqa-dev', model.id)} --images FOLDER"),
        ("Scores by two words (A3)", _rated(model.id)),
        ("The demo questions, which need no download", _line(perception.NAME, "demo-perception", model.id)),
    ]


def _line(task: str, dataset: str, model: str) -> str:
    return f"{PROGRAM} --task {task} --dataset {dataset} --model {model}"


def _rated(model: str) -> str:
    return f"{_line('assessment', 'koniq-10k', model)} --images FOLDER"


def _at_a_server(model: str, address: str = SERVER) -> tuple[str, str]:
    return ABOUT_PHOTOS, f"{_line('perception', 'llvisionqa-dev', model)} --images FOLDER --endpoint {address}"
