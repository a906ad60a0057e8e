"""What is said of one model in words: its habits, its training, and the command that runs it."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.analysis.model import Habits
from leaderboard.html import markup
from leaderboard.html.markup import Html, HtmlRow
from leaderboard.tables.words import between, listed, percent
from qbench.models.builtin import embedded_model, find_builtin
from qbench.models.catalogue import ModelFacts
from qbench.tasks import assessment, perception
from qbench.tasks.similarity import choices

NO_HABITS = (
    "We know nothing about the habits of this model yet. To show them, we need its accuracy on questions whose "
    "answer is Yes and on those whose answer is No, or its answers to pairs of photos in both orders."
)


def habit_sentences(habits: Habits) -> list[str]:
    """How the model leans, whatever it is shown; or that nothing is known."""
    if not habits.known:
        return [NO_HABITS]
    told = []
    for questions, habit in habits.yes_no:
        leans = habit.criterion.value if habit.criterion else None
        side = "" if leans is None else " It leans to Yes." if leans < 0 else " It leans to No." if leans > 0 else ""
        told.append(
            f"Yes and No ({questions.label}): right on {percent(habit.yes_accuracy.value)} of the questions with the "
            f"answer Yes and on {percent(habit.no_accuracy.value)} of those with the answer No.{side}"
        )
    if habits.pairs:
        kept = [cell.consistency.value for cell in habits.pairs]
        told.append(
            f"Position: asked about two images in both orders, it kept its answer for {between(kept)} of pairs."
        )
    if habits.words:
        good, _, bad = habits.words.words.partition("/")
        share = percent(habits.words.mean)
        told.append(f"Words: it finds “{good}” likelier than “{bad}” for {share} of images, whatever they show.")
    return told


def position_table(habits: Habits) -> Html:
    """How often it named the first image and the second, a row for each set of pairs."""
    rows: list[HtmlRow] = [
        [shares.pairs, percent(shares.first.value), percent(shares.second.value)]
        for shares in habits.shares
        if shares.first.value is not None and shares.second.value is not None
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


PROGRAM = "python -m qbench run"
SERVER = "http://localhost:8000/v1"
"""Where servers of open models listen by themselves."""
Commands = list[tuple[str, str]]
"""Each with what it is for."""
ABOUT_PHOTOS = "Questions about photos (A1)"


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
