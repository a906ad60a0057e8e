"""The Submit page: drop a file, read the report, see the row, say what the model is, hand it in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr

from leaderboard.html import markup
from leaderboard.html import submit as submit_text
from leaderboard.pages.widgets import given_file, refused, visitor_of
from leaderboard.settings import Settings
from leaderboard.snapshot import Snapshot
from leaderboard.submissions.form import SubmissionForm, title_of
from leaderboard.submissions.service import SubmissionService, receipt_json
from qbench.datasets.known import known_datasets
from qbench.errors import UserError
from qbench.formats import DESCRIPTIONS
from qbench.models import catalogue

AS_THE_FILE_SAYS = ""
PRIVATE_WITH_PROGRESS: dict[str, Any] = {"api_visibility": "private", "show_progress": "minimal"}
CHECKS: dict[str, Any] = {"concurrency_limit": 20, "concurrency_id": "check"}
"""Few go on at once: uploads take turns in the service, where those of one network wait for each other."""


@dataclass(frozen=True)
class _Parts:
    """What is on the page."""

    file: gr.File
    model: gr.Dropdown
    dataset: gr.Dropdown
    report: gr.HTML
    preview: gr.HTML
    form: gr.Column
    fields: list[Any]
    """In the order of `SubmissionForm` after the model's name."""
    relation: gr.Radio
    """The last of them, asked where other results stand under the model's name."""
    send: gr.Button
    receipt: gr.HTML
    waiting: gr.HTML


def build(settings: Settings, current: Callable[[], Snapshot], service: SubmissionService) -> None:
    """Add the page and its endpoints; `service` does what they ask for."""
    parts = _lay_out(settings, current())
    _check_what_is_dropped(parts, current, service)
    _hand_in_when_sent(parts, current, service)
    _endpoints(parts, service)


def _lay_out(settings: Settings, snapshot: Snapshot) -> _Parts:
    gr.HTML(markup.page(markup.paragraph(submit_text.INTRODUCTION, "qb-finding")), apply_default_css=False)
    if settings.login:
        gr.LoginButton(size="sm", elem_id="submit-login")
    file = gr.File(label="File of results", elem_id="submit-file", height=120)
    model, dataset = _about_the_file(snapshot)
    report = gr.HTML(apply_default_css=False, elem_id="submit-report")
    shown = gr.HTML(apply_default_css=False, elem_id="submit-preview")
    with gr.Column(visible=False, elem_id="submit-form") as form:
        relation = _relation()
        fields = [*_form(), relation]
        send = gr.Button("Submit", variant="primary", elem_id="submit-send", size="lg")
    receipt = gr.HTML(apply_default_css=False, elem_id="submit-receipt")
    waiting = gr.HTML("", js_on_load='trigger("open");', apply_default_css=False, elem_id="submit-waiting")
    _examples(settings)
    return _Parts(file, model, dataset, report, shown, form, fields, relation, send, receipt, waiting)


def _about_the_file(snapshot: Snapshot) -> tuple[gr.Dropdown, gr.Dropdown]:
    with gr.Row(elem_classes="qb-controls"):
        model = gr.Dropdown(
            _models(),
            value="",
            allow_custom_value=True,
            label="Model",
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


def _check_what_is_dropped(parts: _Parts, current: Callable[[], Snapshot], service: SubmissionService) -> None:
    def look(request: gr.Request, path: str | None, about: str, name: str) -> list[Any]:
        """Report, preview, whether the form is shown and what it asks, and no receipt of an earlier file."""
        if not path:
            return ["", "", gr.Column(visible=False), gr.Radio(visible=False), ""]
        checked = service.check(Path(path), about or "", name or "", visitor_of(request).network)
        hint = submit_text.naming(name, current().find_model) if name else ""
        told = submit_text.report(checked.report) + markup.page(markup.paragraph(hint, "qb-note"))
        form = gr.Column(visible=checked.report.accepted)
        relation = gr.Radio(visible=bool(checked.taken), label=submit_text.same_name(checked.taken))
        return [told, submit_text.preview(checked), form, relation, ""]

    gr.on(
        [parts.file.upload, parts.file.clear, parts.model.change, parts.dataset.change],
        look,
        inputs=[parts.file, parts.dataset, parts.model],
        outputs=[parts.report, parts.preview, parts.form, parts.relation, parts.receipt],
        **PRIVATE_WITH_PROGRESS,
        **CHECKS,
    )


def _hand_in_when_sent(parts: _Parts, current: Callable[[], Snapshot], service: SubmissionService) -> None:
    def finish(
        profile: gr.OAuthProfile | None, request: gr.Request, path: str | None, about: str, *values: str
    ) -> list[Any]:
        """Receipt, whether the form stays, and what waits; Gradio fills in the profile of whoever is logged in."""
        try:
            if not path:
                raise UserError("there is no file; drop it first")
            form = SubmissionForm(*(value or "" for value in values))
            account = profile.username if profile else None
            receipt = service.submit(Path(path), about or "", form, account, _senders(request))
        except UserError as fault:
            return [submit_text.not_handed_in(str(fault)), gr.Column(), submit_text.waiting(current().loaded.pending)]
        waiting = submit_text.waiting(service.store.load().pending)
        return [submit_text.receipt(receipt), gr.Column(visible=False), waiting]

    parts.send.click(
        finish,
        inputs=[parts.file, parts.dataset, parts.model, *parts.fields],
        outputs=[parts.receipt, parts.form, parts.waiting],
        **PRIVATE_WITH_PROGRESS,
    )
    parts.waiting.open(
        lambda: submit_text.waiting(current().loaded.pending), outputs=parts.waiting, **PRIVATE_WITH_PROGRESS
    )


def _senders(request: gr.Request) -> tuple[str, str]:
    visitor = visitor_of(request)
    return visitor.place, visitor.network


def _relation() -> gr.Radio:
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


def _form() -> list[Any]:
    """What is asked about the model, in the order of `SubmissionForm` after its name and before the relation."""
    with gr.Row(elem_classes="qb-controls"):
        organisation = gr.Textbox(
            label="Organisation", info="Who made it", max_length=120, elem_id="submit-organisation"
        )
        link = gr.Textbox(label="Link", info="Paper, code or weights", max_length=500, elem_id="submit-link")
    with gr.Row(elem_classes="qb-controls"):
        parameters = gr.Textbox(label="Parameters", info="In billions", max_length=20, elem_id="submit-parameters")
        weights = gr.Dropdown(
            [("Not said", ""), ("Open", "open"), ("Closed", "closed")],
            value="",
            label="Weights",
            info="Whether anybody can download them",
            elem_id="submit-weights",
        )
    with gr.Row(elem_classes="qb-controls"):
        prompts = gr.Textbox(
            label="Prompts", info="And how answers were read", lines=2, max_length=4000, elem_id="submit-prompts"
        )
        trained_on = gr.Textbox(
            label="Trained on",
            info="Datasets, with commas between them; shown with the results",
            elem_id="submit-trained",
        )
    with gr.Row(elem_classes="qb-controls"):
        contact = gr.Textbox(
            label="Contact",
            info="For the owner of the board alone; never shown",
            max_length=200,
            elem_id="submit-contact",
        )
        corrects = gr.Textbox(
            label="Corrects",
            info="Name of the submission it replaces, if any",
            max_length=64,
            elem_id="submit-corrects",
        )
    return [organisation, link, parameters, weights, prompts, trained_on, contact, corrects]


def _endpoints(parts: _Parts, service: SubmissionService) -> None:
    """`/check` and `/submit`, for scripts."""

    def check(file: str | None, request: gr.Request, dataset: str = "", model: str = "") -> dict[str, Any]:
        """Check a file of results: what is wrong with it, or its figures and where they would stand. Stores nothing.

        Args:
            file: The file of results, in any of the formats of the Submit page.
            dataset: Name of the dataset; empty where the file says it.
            model: Name of the model.
        """
        network = visitor_of(request).network
        return service.check(given_file(file), dataset or "", model or "", network).to_json()

    def submit(  # noqa: PLR0913 - one for each field of the form
        file: str | None,
        dataset: str,
        model: str,
        organisation: str,
        link: str,
        parameters: str,
        weights: str,
        prompts: str,
        trained_on: str,
        contact: str,
        corrects: str,
        request: gr.Request,
        relation: str = "reproduction",
    ) -> dict[str, Any]:
        """Check a file of results and hand it in. Without an account it waits for the owner's review.

        Args:
            file: The file of results.
            dataset: Name of the dataset; empty where the file says it.
            model: Name of the model.
            organisation: Who made it.
            link: Address of the paper, code or weights.
            parameters: Billions of parameters, as text.
            weights: open, closed or empty.
            prompts: Prompts and protocol that were used.
            trained_on: Datasets the model was trained on, with commas between them.
            contact: How the owner of the board reaches you; never shown.
            corrects: Name of the submission that this one replaces.
            relation: What these are to other results of this model on the same dataset, where there are any:
                reproduction (both are listed, published figures stay), correction (the owner of the board decides),
                or another model (which needs a name of its own, so this is refused).
        """
        values = (model, organisation, link, parameters, weights, prompts, trained_on, contact, corrects, relation)
        try:
            form = SubmissionForm(*(text or "" for text in values))
            return receipt_json(service.submit(given_file(file), dataset or "", form, None, _senders(request)))
        except UserError as fault:
            raise refused(str(fault)) from fault

    answer, first, second = gr.JSON(visible=False), gr.Button(visible=False), gr.Button(visible=False)
    about = [parts.file, parts.dataset, parts.model]
    first.click(check, about, answer, api_name="check", **CHECKS)
    second.click(submit, [*about, *parts.fields], answer, api_name="submit", **CHECKS)


def _examples(settings: Settings) -> None:
    """One small file of each format, to download."""
    files = sorted((settings.assets / "examples").glob("*.*"))
    with gr.Accordion("Formats, each with an example to download", open=False, elem_id="submit-examples"):
        note = (settings.assets / "prose" / "formats.md").read_text(encoding="utf-8")
        gr.Markdown(f"{submit_text.formats(DESCRIPTIONS)}\n\n{note}", elem_classes="qb-prose")
        gr.File([str(file) for file in files], label="Examples", interactive=False, elem_id="submit-example-files")


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
