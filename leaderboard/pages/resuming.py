"""A reload in the middle of a tournament: the browser keeps photos and choices, and starts it again with them.

Nothing of it is kept on the server, where the photos went with the page. What a model answered about them lately is
still in memory, and what a person answered is in the browser, so that both go on where they were.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import gradio as gr

from leaderboard.html import markup
from leaderboard.html.markup import Html, template
from leaderboard.live.tournament import MOST_ROUNDS
from leaderboard.pages.widgets import PRIVATE
from qbench.records import Picture

MOUNT = """
const resume = import(`${window.gradio_config?.root ?? ""}/gradio_api/file=${props.folder}/resume.js`);
let kept = resume;
watch("value", () => { // one after the other: keeping fetches the photos first, and may not end after forgetting
  const going = element.querySelector("[data-going]")?.dataset.going;
  kept = kept.then(async () => {
    const { remember, forget } = await resume;
    await (going ? remember(JSON.parse(going)) : forget());
  }).catch(console.warn);
});
resume.then(async ({ left, chooseFiles }) => {
  const was = await left().catch(() => null);
  if (!was) return;
  window.qbChooseLeft = () => {
    window.qbStartAgain = true;
    chooseFiles(document.querySelector("#tournament-files input[type=file]"), was.files);
  };
  trigger("left", { model: was.model, rounds: was.rounds });
});
"""
CHOOSE_LEFT = "() => window.qbChooseLeft?.()"
START_AGAIN = """() => {
  if (!window.qbStartAgain) return;
  window.qbStartAgain = false;
  setTimeout(() => document.getElementById("tournament-start").click());
}"""
_GOING = template('<div hidden data-going="{{ going }}"></div>')


def add_memory(files: gr.File, model: gr.Dropdown, rounds: gr.Slider, names: list[str]) -> gr.HTML:
    """Give what is returned `going` once a tournament has begun, and nothing once it has ended."""
    memory = gr.HTML(
        "",
        js_on_load=MOUNT,
        folder=markup.BOARD_FILES,
        apply_default_css=False,
        elem_id="tournament-memory",
    )

    def choose(event: gr.EventData) -> list[Any]:
        number = event.rounds if isinstance(event.rounds, int) and 1 <= event.rounds <= MOST_ROUNDS else gr.skip()
        return [event.model if event.model in names else gr.skip(), number]

    memory.left(choose, outputs=[model, rounds], **PRIVATE).then(None, js=CHOOSE_LEFT, **PRIVATE)
    files.upload(None, js=START_AGAIN, **PRIVATE)
    return memory


def going(pictures: Mapping[str, Picture], model: str, rounds: int) -> Html:
    """What the browser is to keep; nothing until the photos are read, for a reload would find none of them."""
    if not pictures:
        return Html("")
    photos = [{"name": name, "url": markup.file_address(picture.path)} for name, picture in pictures.items()]
    return _GOING(going=json.dumps({"photos": photos, "model": model, "rounds": rounds}))
