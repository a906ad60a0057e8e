"""The Submit page: drop a file, read the report, see the row, say what the model is, hand it in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import gradio as gr

from leaderboard.html import markup
from leaderboard.html import receipt as receipt_words
from leaderboard.html import submit as words
from leaderboard.pages.submit_endpoints import CHECKS, add_endpoints
from leaderboard.pages.submit_receipt import FIND_RECEIPT, NAME_RECEIPT, ReceiptParts, add_receipt, connect_receipt
from leaderboard.pages.widgets import PRIVATE, Update, html, senders_of, visitor_of
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


@dataclass(frozen=True)
class _Parts:
    """What is on the page."""

    receipt: ReceiptParts
    file: gr.File
    dataset: gr.Dropdown
    report: gr.HTML
    preview: gr.HTML
    form: gr.Column
    fields: dict[str, Any]
    """What is asked about the model, by the names of `SubmissionForm` and in its order."""
    relation: gr.Radio
    """Asked where other results stand under the model's name."""
    send: gr.Button
    refused: gr.HTML
    waiting: gr.HTML
    own_code: gr.State
    """Drawn before it is sent: whose answer is lost presses the button again."""

    def marked(self, fault: UserError | None) -> Update:
        """The fields as they are, each with what is wrong with it in place of what it asks."""
        wrong = fault.by_field if isinstance(fault, FormError) else {}
        return {
            field: gr.update(info=wrong.get(name, field.info), elem_classes=["qb-wrong"] if name in wrong else [])
            for name, field in self.fields.items()
        }


def build(settings: Settings, current: Callable[[], Snapshot], service: SubmissionService) -> None:
    """Add the page and its endpoints; `service` does what they ask for."""
    parts = _lay_out(settings, current(), service.store.refuses)
    _check_what_is_dropped(parts, current, service)
    _hand_in_when_sent(parts, current, service)
    connect_receipt(parts.receipt, service, parts.waiting, list(parts.fields.values()))
    add_endpoints(service)


def _lay_out(settings: Settings, snapshot: Snapshot, refuses: str) -> _Parts:
    receipt = add_receipt()
    html(markup.opening(words.TITLE, words.INTRODUCTION))
    html(words.where_kept(settings.results_repo, refuses), "submit-kept")
    if settings.login:
        gr.LoginButton(size="sm", elem_id="submit-login")
    file = gr.File(label="File of results", elem_id="submit-file", height=120)
    more = {"elem_id": "submit-model", "min_width": 240}
    with gr.Row(elem_classes="qb-controls"):
        info = "Choose it, or write a new name"
        model = gr.Dropdown(_models(), value="", allow_custom_value=True, label=LABELS["model"], info=info, **more)
        info = "Needed only if the file does not name it"
        more = {"elem_id": "submit-dataset", "min_width": 240}
        dataset = gr.Dropdown(_datasets(snapshot), value="", label="Dataset", info=info, **more)
    report, shown = html("", "submit-report"), html("", "submit-preview")
    with gr.Column(visible=False, elem_id="submit-form") as form:
        relation = _relation_to_others()
        fields = {"model": model, **_about_the_model()}
        send = gr.Button("Submit", variant="primary", elem_id="submit-send", size="lg", interactive=not refuses)
    why_not = html("", "submit-refused")
    waiting = html("", "submit-waiting", js_on_load=FIND_RECEIPT)
    with gr.Accordion("Formats, each with an example to download", open=False, elem_id="submit-examples"):
        note = (settings.assets / "prose" / "formats.md").read_text(encoding="utf-8")
        gr.Markdown(f"{words.formats(DESCRIPTIONS, 'examples')}\n\n{note}", elem_classes="qb-prose")
    told = (form, fields, relation, send, why_not, waiting, gr.State(""))
    return _Parts(receipt, file, dataset, report, shown, *told)


def _relation_to_others() -> gr.Radio:
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


def _check_what_is_dropped(parts: _Parts, current: Callable[[], Snapshot], service: SubmissionService) -> None:
    filled = [parts.fields[name] for name in SAID_BY_FILES]

    def look(request: gr.Request, path: str | None, about: str, code: str, name: str, *facts: str) -> Update:
        """Report, preview, whether the form is shown and what it asks, no refusal of an earlier file, and the fields
        that the file fills: what was written there stays."""
        if not path:
            hidden = {parts.form: gr.Column(visible=False), parts.relation: gr.Radio(visible=False)}
            return {parts.report: "", parts.preview: "", parts.refused: "", **hidden}
        checked = service.check(Path(path), about or "", name or "", visitor_of(request).network)
        hint = words.naming(name, current().find_model) if name else ""
        said, now = checked.report.said, dict(zip(SAID_BY_FILES, (name, *facts), strict=True))
        fill = {parts.fields[field]: said[field] for field in SAID_BY_FILES if field in said and not now[field]}
        return {
            parts.report: words.report(checked.report) + markup.page(markup.note(hint)),
            parts.preview: words.preview(checked),
            parts.form: gr.Column(visible=checked.report.accepted),
            parts.relation: gr.Radio(visible=bool(checked.taken), label=words.same_name(checked.taken)),
            parts.refused: "",
            parts.own_code: code or new_code(),
            **fill,
        }

    gr.on(
        [parts.file.upload, parts.file.clear, parts.fields["model"].change, parts.dataset.change],
        look,
        inputs=[parts.file, parts.dataset, parts.own_code, *filled],
        outputs=[parts.report, parts.preview, parts.form, parts.relation, parts.refused, parts.own_code, *filled],
        trigger_mode="always_last",
        **PRIVATE_WITH_PROGRESS,
        **CHECKS,
    )


def _hand_in_when_sent(parts: _Parts, current: Callable[[], Snapshot], service: SubmissionService) -> None:
    def finish(
        profile: gr.OAuthProfile | None, request: gr.Request, path: str | None, about: str, code: str, *values: str
    ) -> Update:
        """The receipt and an empty page, or why not; Gradio fills in the profile of whoever is logged in."""
        account = profile.username if profile else None
        try:
            if not path:
                raise UserError("there is no file; drop it first")
            form = SubmissionForm(*(value or "" for value in values))
            if not form.corrects:
                form = replace(form, code="")  # it is of the receipt above, which this has nothing to do with
            receipt = service.submit(Path(path), about or "", form, account, senders_of(request), code)
        except UserError as fault:
            return {parts.refused: words.not_handed_in(fault), **parts.marked(fault)}
        view = view_of(receipt.entry, account or service.author)
        told = receipt_words.handed_in(receipt, service.link)
        return {
            **parts.receipt.show(told, view, receipt.code),
            **dict.fromkeys((parts.refused, parts.report, parts.preview), ""),
            parts.file: None,
            parts.form: gr.Column(visible=False),
            parts.waiting: words.waiting(service.store.load().pending),
            parts.own_code: new_code(),
            **parts.marked(None),
        }

    receipt = parts.receipt
    asked = [*parts.fields.values(), receipt.corrects, parts.relation, receipt.code]
    emptied = [parts.refused, parts.file, parts.report, parts.preview, parts.form, parts.waiting, parts.own_code]
    sent = parts.send.click(
        finish,
        inputs=[parts.file, parts.dataset, parts.own_code, *asked],
        outputs=[*receipt.outputs, *emptied, *parts.fields.values()],
        **PRIVATE_WITH_PROGRESS,
    )
    sent.then(None, receipt.name, js=NAME_RECEIPT, **PRIVATE)
    sent.then(None, js=SHOW_WRONG, **PRIVATE)
    parts.waiting.open(lambda: words.waiting(current().loaded.pending), outputs=parts.waiting, **PRIVATE_WITH_PROGRESS)
