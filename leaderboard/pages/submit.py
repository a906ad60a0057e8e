"""The Submit page: drop a file, read the report, see the row, say what the model is, hand it in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import gradio as gr

from leaderboard.html import markup
from leaderboard.html import submit as words
from leaderboard.pages.asking import visitor_of
from leaderboard.pages.submit_endpoints import CHECKS, add_endpoints
from leaderboard.pages.submit_receipt import SHOW_RECEIPT, ReceiptParts
from leaderboard.pages.widgets import PRIVATE, Update, html, opened_with, to_address
from leaderboard.settings import Settings
from leaderboard.snapshot import Snapshot
from leaderboard.submissions.form import LABELS, FormError, SubmissionForm
from leaderboard.submissions.receipts import new_code, view_of
from leaderboard.submissions.service import SubmissionService
from leaderboard.tables.words import dataset_title
from qbench.datasets.known import known_datasets
from qbench.errors import UserError
from qbench.formats import DESCRIPTIONS
from qbench.models import catalogue

SAID_BY_FILES = ("model", "link", "trained_on")
"""Fields of the form that a file may fill."""
SHOW_WRONG = """() => {
  const wrong = document.querySelector(".qb-wrong");
  wrong?.scrollIntoView({ block: "center" });
  wrong?.querySelector("textarea, input:not([role=combobox])")?.focus({ preventScroll: true });
}"""
PRIVATE_WITH_PROGRESS: dict[str, Any] = {"api_visibility": "private", "show_progress": "minimal"}
_COMPUTED = ("mean-of-", "average-of-", "weighted-average-of-", "demo-")
"""How names begin that nobody hands in: means, and synthetic sets."""


def build(settings: Settings, current: Callable[[], Snapshot], service: SubmissionService) -> None:
    """Add the page and its endpoints; `service` does what they ask for."""
    SubmitPage(settings, current, service).connect()
    add_endpoints(service)


class SubmitPage:
    """The parts of the page: what is dropped is checked, and handed in when it is sent."""

    def __init__(self, settings: Settings, current: Callable[[], Snapshot], service: SubmissionService) -> None:
        self.current, self.service = current, service
        refuses = service.store.refuses
        self.receipt = ReceiptParts(service)
        html(markup.opening(words.TITLE, words.INTRODUCTION))
        html(words.where_kept(settings.results_repo, refuses), "submit-kept")
        if settings.login:
            gr.LoginButton(size="sm", elem_id="submit-login")
        self.file = gr.File(label="File of results", elem_id="submit-file", height=120)
        more = {"elem_id": "submit-model", "min_width": 240}
        with gr.Row(elem_classes="qb-controls"):
            info = "Choose it, or write a new name"
            model = gr.Dropdown(_models(), value="", allow_custom_value=True, label=LABELS["model"], info=info, **more)
            info = "Needed only if the file does not name it"
            more = {"elem_id": "submit-dataset", "min_width": 240}
            self.dataset = gr.Dropdown(_datasets(current()), value="", label="Dataset", info=info, **more)
        self.report, self.preview = html("", "submit-report"), html("", "submit-preview")
        with gr.Column(visible=False, elem_id="submit-form") as self.form:
            self.relation = gr.Radio(
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
            self.fields = {"model": model, **_about_the_model()}
            """What is asked about the model, by the names of `SubmissionForm` and in its order."""
            self.send = gr.Button(
                "Submit", variant="primary", elem_id="submit-send", size="lg", interactive=not refuses
            )
        self.refused = html("", "submit-refused")
        self.waiting = html("", "submit-waiting", js_on_load=opened_with("submit", "receipt"))
        self.own_code = gr.State("")
        """Drawn before it is sent: whose answer is lost presses the button again."""
        with gr.Accordion("Formats, each with an example to download", open=False, elem_id="submit-examples"):
            note = (settings.assets / "prose" / "formats.md").read_text(encoding="utf-8")
            gr.Markdown(f"{words.formats(DESCRIPTIONS, 'examples')}\n\n{note}", elem_classes="qb-prose")

    def connect(self) -> None:
        receipt, fields = self.receipt, [*self.fields.values()]
        filled = [self.fields[name] for name in SAID_BY_FILES]
        found = [self.report, self.preview, self.form, self.refused, self.own_code]
        what = [self.file, self.dataset, self.own_code]
        gr.on(
            [self.file.upload, self.file.clear, self.fields["model"].change, self.dataset.change],
            self.look,
            [*what, *filled],
            [*found, self.relation, *filled],
            trigger_mode="always_last",
            **PRIVATE_WITH_PROGRESS,
            **CHECKS,
        )
        asked = [*what, *fields, receipt.corrects, self.relation, receipt.code]
        outputs = [*receipt.outputs, *found, self.file, self.waiting, *fields]
        sent = self.send.click(self.finish, asked, outputs, **PRIVATE_WITH_PROGRESS)
        for script in (to_address("submit", "receipt"), SHOW_RECEIPT):
            sent.then(None, receipt.name, js=script, **PRIVATE)
        sent.then(None, js=SHOW_WRONG, **PRIVATE)
        self.waiting.open(
            lambda: words.waiting(self.current().loaded.pending), outputs=self.waiting, **PRIVATE_WITH_PROGRESS
        )
        receipt.connect(self.waiting, fields)

    def look(self, request: gr.Request, path: str | None, about: str, code: str, name: str, *facts: str) -> Update:
        """Report, preview, whether the form is shown and what it asks, no refusal of an earlier file, and the fields
        that the file fills: what was written there stays."""
        if not path:
            hidden = {self.form: gr.Column(visible=False), self.relation: gr.Radio(visible=False)}
            return {self.report: "", self.preview: "", self.refused: "", **hidden}
        checked = self.service.check(Path(path), about or "", name or "", visitor_of(request).network)
        hint = words.naming(name, self.current().find_model) if name else ""
        said, now = checked.report.said, dict(zip(SAID_BY_FILES, (name, *facts), strict=True))
        fill = {self.fields[field]: said[field] for field in SAID_BY_FILES if field in said and not now[field]}
        return {
            self.report: words.report(checked.report) + markup.page(markup.note(hint)),
            self.preview: words.preview(checked),
            self.form: gr.Column(visible=checked.report.accepted),
            self.relation: gr.Radio(visible=bool(checked.taken), label=words.same_name(checked.taken)),
            self.refused: "",
            self.own_code: code or new_code(),
            **fill,
        }

    def finish(
        self, profile: gr.OAuthProfile | None, request: gr.Request, path: str | None, about: str, code: str, *given: str
    ) -> Update:
        """The receipt and an empty page, or why not; Gradio fills in the profile of whoever is logged in."""
        account, service = profile.username if profile else None, self.service
        try:
            if not path:
                raise UserError("there is no file; drop it first")
            form = SubmissionForm(*(text or "" for text in given))
            if not form.corrects:
                form = replace(form, code="")  # it is of the receipt above, which this has nothing to do with
            receipt = service.submit(Path(path), about or "", form, account, visitor_of(request).senders, code)
        except UserError as fault:
            return {self.refused: words.not_handed_in(fault), **self._marked(fault)}
        view = view_of(receipt.entry, account or service.author)
        return {
            **self.receipt.show(words.handed_in(receipt, service.link), view, receipt.code),
            **dict.fromkeys((self.refused, self.report, self.preview), ""),
            self.file: None,
            self.form: gr.Column(visible=False),
            self.waiting: words.waiting(service.store.load().pending),
            self.own_code: new_code(),
            **self._marked(None),
        }

    def _marked(self, fault: UserError | None) -> Update:
        """The fields as they are, each with what is wrong with it in place of what it asks."""
        wrong = fault.by_field if isinstance(fault, FormError) else {}
        return {
            field: gr.update(info=wrong.get(name, field.info), elem_classes=["qb-wrong"] if name in wrong else [])
            for name, field in self.fields.items()
        }


def _about_the_model() -> dict[str, Any]:
    """What is asked about the model, in the order of `SubmissionForm` after its name and before what it corrects."""

    def field(name: str, info: str, most: int | None = None, **more: Any) -> gr.Textbox:
        return gr.Textbox(
            label=LABELS[name], info=info, max_length=most, elem_id=f"submit-{name.removesuffix('_on')}", **more
        )

    fields: dict[str, Any] = {}
    with gr.Row(elem_classes="qb-controls"):
        fields["organisation"] = field("organisation", "Who made it", 120)
        fields["link"] = field("link", "Paper, code or weights", 500)
    with gr.Row(elem_classes="qb-controls"):
        fields["parameters"] = field("parameters", "In billions", 20)
        fields["weights"] = gr.Dropdown(
            [("Not said", ""), ("Open", "open"), ("Closed", "closed")],
            value="",
            label=LABELS["weights"],
            info="Whether anybody can download them",
            elem_id="submit-weights",
        )
    with gr.Row(elem_classes="qb-controls"):
        fields["prompts"] = field("prompts", "And how answers were read", 4000, lines=2)
        fields["trained_on"] = field("trained_on", "Datasets, with commas between them; shown with the results")
    with gr.Row(elem_classes="qb-controls"):
        fields["contact"] = field("contact", "For the owner of the board alone; never shown", 200)
    return fields


def _models() -> list[tuple[str, str]]:
    known = [model for model in catalogue.load() if model.kind not in ("human", "reference")]
    return [("", ""), *((model.name, model.id) for model in sorted(known, key=lambda model: model.name.casefold()))]


def _datasets(snapshot: Snapshot) -> list[tuple[str, str]]:
    """Datasets there are columns for, and those that can be run by name."""
    names = {column.find.dataset for board in snapshot.boards for column in board.columns if column.find}
    names = {name for name in names if not name.startswith(_COMPUTED)}
    names |= {facts.name for facts in known_datasets() if facts.opens and facts.truth == "people"}
    return [("As the file says", ""), *sorted((dataset_title(name), name) for name in names)]
