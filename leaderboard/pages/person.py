"""The parts of a page on which a person compares photos: the panel, and how far others agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from leaderboard.html import markup
from leaderboard.html import person as words
from leaderboard.html.live import message_text, refusal
from leaderboard.live.agreement import MOST_MODELS, Preferences, agreements, preferences_job
from leaderboard.live.person import PersonAnswers, as_tournament, ask_pairs, photos_key
from leaderboard.live.service.image_files import unpacked_images
from leaderboard.live.service.jobs import stream_job
from leaderboard.live.service.limits import Visitor
from leaderboard.live.service.messages import Failure, JobProgress, JobResult, PartialResult
from leaderboard.live.service.open import Live
from leaderboard.live.tournament import MOST_PICTURES, TournamentState, name_pictures
from leaderboard.pages.widgets import PRIVATE_LIVE, refused, visitor_of
from qbench.errors import UserError
from qbench.records import Picture

KIND = "agreement"
MOUNT = """
const open = async () => {
  const panel = element.querySelector(".qb-person:empty");
  if (!panel) return;
  const { keptIn, mountPerson } =
    await import(`${window.gradio_config?.root ?? ""}/gradio_api/file=${props.folder}/person.js`);
  const plan = JSON.parse(panel.dataset.person);
  await mountPerson(panel, plan, {
    kept: keptIn(sessionStorage, "qb-person", `${plan.key} ${plan.rounds}`),
    questions: ({ photos, rounds, seed, answers }) => server.ask({ photos: photos.length, rounds, seed, answers }),
    done: (answers) => trigger("answered", answers),
  });
};
watch("value", open);
"""


@dataclass(frozen=True)
class AgreementParts:
    """What is shown once a person has compared."""

    column: gr.Column
    models: gr.Dropdown
    compare: gr.Button
    found: gr.HTML


def add_panel(elem_id: str) -> gr.HTML:
    """Where a person answers: give it `words.panel`; its event `answered` brings the answers."""
    return gr.HTML(
        "",
        js_on_load=MOUNT,
        server_functions=[ask],
        folder=markup.BOARD_FILES,
        apply_default_css=False,
        elem_id=elem_id,
    )


def ask(given: dict[str, Any]) -> dict[str, Any]:
    """The pairs that a person is to be shown, and how many there are; the browser asks for them."""
    try:
        shown, total = ask_pairs(PersonAnswers(**given))
    except TypeError:
        raise refused("what the browser sent are no answers; reload the page") from None
    except UserError as fault:
        raise refused(str(fault)) from None
    return {"shown": shown, "total": total}


def take_in(live: Live, visitor: Visitor, paths: Sequence[str] | None) -> dict[str, Picture]:
    """The photos by their names.

    Raises:
        UserError: They cannot be compared.
    """
    files = unpacked_images(paths, visitor, live.uploads, MOST_PICTURES)
    return name_pictures([live.uploads.take_in(path, visitor) for path in files])


def read_answers(pictures: dict[str, Picture], rounds: int, answered: dict[str, Any]) -> TournamentState:
    """What the answers that the panel brings come to.

    Raises:
        UserError: They are about other photos, or are none.
    """
    if answered.get("key") != photos_key(pictures):
        raise UserError("other photos are chosen now than those that were compared; start again")
    given = PersonAnswers(len(pictures), rounds, answered.get("seed", 0), answered.get("answers", ""))
    return as_tournament(pictures, given, float(answered.get("seconds", 0)))


def add_agreement(live: Live) -> AgreementParts:
    """A choice of models, and how far they agree with a person; hidden until there are answers."""
    with gr.Column(visible=False) as column:
        found = gr.HTML(apply_default_css=False, elem_id="tournament-agreement")
        with gr.Row(elem_classes="qb-controls qb-asking"):
            models = gr.Dropdown(
                live.models.names,
                value=list(live.models.names[:2]),
                multiselect=True,
                max_choices=MOST_MODELS,
                label="Models to compare with",
                elem_id="tournament-others",
                min_width=240,
            )
            compare = gr.Button("Ask them", size="sm", scale=0, min_width=96, elem_id="tournament-compare")
    return AgreementParts(column, models, compare, found)


def connect_agreement(live: Live, parts: AgreementParts, files: gr.File, rounds: gr.Slider, yours: gr.JSON) -> None:
    """Ask the chosen models about the pairs that were answered, when the button is pressed."""

    def compare(
        paths: list[str] | None, number: int, answered: dict[str, Any], models: list[str], request: gr.Request
    ) -> Iterator[str]:
        visitor = visitor_of(request)
        try:
            pictures = take_in(live, visitor, paths)
            presented = read_answers(pictures, number, answered or {}).answers.presented
        except UserError as fault:
            yield refusal(Failure(str(fault)))
            return
        sides: dict[str, Preferences] = {}
        for message in stream_job(live, visitor, KIND, preferences_job(live, pictures, presented, models)):
            if isinstance(message, PartialResult | JobResult):
                sides = message.value
            doing = f"{message.doing} …" if isinstance(message, JobProgress) else message_text(message)
            yield show_agreement(sides, doing)

    parts.compare.click(compare, [files, rounds, yours, parts.models], parts.found, **PRIVATE_LIVE)


def show_agreement(sides: dict[str, Preferences], status: str = "") -> str:
    """What the preferences so far come to, and what goes on."""
    return markup.join(words.agreement(agreements(sides), list(sides)), markup.page(markup.status(status, "qb-note")))
