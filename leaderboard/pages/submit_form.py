"""The inputs of the Submit page."""

from __future__ import annotations

from typing import Any

import gradio as gr

from leaderboard.snapshot import Snapshot
from leaderboard.submissions.form import LABELS, title_of
from qbench.datasets.known import known_datasets
from qbench.models import catalogue

AS_THE_FILE_SAYS = ""
FIELDS = ("organisation", "link", "parameters", "weights", "prompts", "trained_on", "contact")
"""What `about_the_model` asks, by the names of `SubmissionForm`."""


def about_the_file(snapshot: Snapshot) -> tuple[gr.Dropdown, gr.Dropdown]:
    """Which model and dataset a file is of."""
    with gr.Row(elem_classes="qb-controls"):
        model = gr.Dropdown(
            _models(),
            value="",
            allow_custom_value=True,
            label=LABELS["model"],
            info="Choose it, or write a new name",
            elem_id="submit-model",
            min_width=240,
        )
        dataset = gr.Dropdown(
            _datasets(snapshot),
            value=AS_THE_FILE_SAYS,
            label="Dataset",
            info="Only where the file does not say it",
            elem_id="submit-dataset",
            min_width=240,
        )
    return model, dataset


def relation_to_others() -> gr.Radio:
    """What the results are to others under the same name."""
    return gr.Radio(
        [
            ("of the same model, measured again", "reproduction"),
            ("a correction, for the owner of the board to decide on", "correction"),
            ("of another model, which needs another name", "another model"),
        ],
        value="reproduction",
        label="Results under the same name",
        visible=False,
        elem_id="submit-relation",
    )


def about_the_model() -> list[Any]:
    """What is asked about the model, in the order of `SubmissionForm` after its name and before what it corrects."""
    with gr.Row(elem_classes="qb-controls"):
        organisation = gr.Textbox(
            label=LABELS["organisation"], info="Who made it", max_length=120, elem_id="submit-organisation"
        )
        link = gr.Textbox(label=LABELS["link"], info="Paper, code or weights", max_length=500, elem_id="submit-link")
    with gr.Row(elem_classes="qb-controls"):
        parameters = gr.Textbox(
            label=LABELS["parameters"], info="In billions", max_length=20, elem_id="submit-parameters"
        )
        weights = gr.Dropdown(
            [("Not said", ""), ("Open", "open"), ("Closed", "closed")],
            value="",
            label=LABELS["weights"],
            info="Whether anybody can download them",
            elem_id="submit-weights",
        )
    with gr.Row(elem_classes="qb-controls"):
        prompts = gr.Textbox(
            label=LABELS["prompts"],
            info="And how answers were read",
            lines=2,
            max_length=4000,
            elem_id="submit-prompts",
        )
        trained_on = gr.Textbox(
            label=LABELS["trained_on"],
            info="Datasets, with commas between them; shown with the results",
            elem_id="submit-trained",
        )
    with gr.Row(elem_classes="qb-controls"):
        contact = gr.Textbox(
            label=LABELS["contact"],
            info="For the owner of the board alone; never shown",
            max_length=200,
            elem_id="submit-contact",
        )
    return [organisation, link, parameters, weights, prompts, trained_on, contact]


def _models() -> list[tuple[str, str]]:
    known = [model for model in catalogue.load() if model.kind not in ("human", "reference")]
    return [("", ""), *((model.name, model.id) for model in sorted(known, key=lambda model: model.name.casefold()))]


_COMPUTED = ("mean-of-", "average-of-", "weighted-average-of-", "demo-")
"""How names begin that nobody hands in: means, and synthetic sets."""


def _datasets(snapshot: Snapshot) -> list[tuple[str, str]]:
    """Datasets there are columns for, and those that can be run by name."""
    names = {column.find.dataset for board in snapshot.boards for column in board.columns if column.find}
    names = {name for name in names if not name.startswith(_COMPUTED)}
    names |= {facts.name for facts in known_datasets() if facts.opens and facts.truth == "people"}
    return [("As the file says", AS_THE_FILE_SAYS), *sorted((title_of(name), name) for name in names)]
