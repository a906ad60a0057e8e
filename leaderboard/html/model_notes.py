"""What is said of one model in words: its habits, its training, how it is run and what that takes."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.analysis.model import Habits
from leaderboard.html import markup
from leaderboard.html.how_to_run import MARGIN, how_to_run, memory_of
from leaderboard.html.markup import Html, HtmlRow
from leaderboard.tables.words import between, listed, percent
from qbench.models.builtin import embedded_model
from qbench.models.catalogue import ModelFacts

NO_HABITS = (
    "We know nothing about the habits of this model yet. They appear here once its answers to yes-or-no questions, or "
    "to pairs in both orders, are scored."
)

_COMMAND = markup.template("""
<div class="qb-command"><p class="qb-note">{{ purpose }}</p>
<code tabindex="0">{{ line }}</code><button type="button" class="qb-button" data-copy="{{ line }}">Copy</button></div>
""")


def habit_sentences(habits: Habits) -> list[str]:
    """How the model leans, whatever it is shown; or that nothing is known."""
    if not habits.known:
        return [NO_HABITS]
    told = []
    for questions, habit in habits.yes_no:
        leans = habit.criterion.value if habit.criterion else None
        side = "" if leans is None else " It leans to Yes." if leans < 0 else " It leans to No." if leans > 0 else ""
        told.append(
            f"Yes and No ({questions.label}): right on {percent(habit.yes.value)} of the questions with the answer Yes "
            f"and on {percent(habit.no.value)} of those with the answer No.{side}"
        )
    if habits.pairs:
        kept = [cell.consistency.value for cell in habits.pairs]
        told.append(
            f"Position: asked about two images in both orders, it kept its answer for {between(kept)} of pairs."
        )
    if habits.words:
        told.append(
            f"Words: it finds “{habits.words.words.partition('/')[0]}” likelier than "
            f"“{habits.words.words.partition('/')[2]}” for {percent(habits.words.mean)} of images, whatever they show."
        )
    return told


def position_table(habits: Habits) -> Html:
    """How often it named the first image and the second, a row for each set of pairs."""
    rows: list[HtmlRow] = [
        [shares.pairs, percent(shares.first.value), percent(shares.second.value)]
        for shares in habits.shares
        if shares.first.value is not None and shares.second.value is not None
    ]
    if not rows:
        return markup.NOTHING
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
    """Commands to copy, and the memory that the weights take."""
    how = how_to_run(model)
    parts = [markup.paragraph(how.note, "qb-finding")]
    parts += [_COMMAND(purpose=command.purpose, line=command.line) for command in how.commands]
    if model.parameters and how.commands and model.open is not False:
        rows: list[HtmlRow] = [
            [taken.precision, f"{taken.weights:.3g} GB", f"{taken.with_margin:.3g} GB"]
            for taken in memory_of(model.parameters)
        ]
        caption = (
            f"We assume {model.parameters:g} billion parameters, as in its name (which may leave out the vision "
            f"encoder), and {percent(MARGIN)} more memory for images, prompt and answer."
        )
        parts.append(markup.table(["Precision", "Weights", "To run"], rows, caption, "Memory"))
    return markup.join(*parts)
