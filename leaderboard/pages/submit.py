"""The Submit page: drop a file, read the report, see the row, say what the model is, hand it in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import gradio as gr

from leaderboard.html import markup
from leaderboard.html import receipt as receipt_text
from leaderboard.html import submit as submit_text
from leaderboard.pages.submit_endpoints import CHECKS, add_endpoints
from leaderboard.pages.submit_form import FIELDS, about_the_file, about_the_model, relation_to_others
from leaderboard.pages.submit_receipt import (
    FIND_RECEIPT,
    NAME_RECEIPT,
    ReceiptParts,
    add_receipt,
    connect_receipt,
    show_receipt,
)
from leaderboard.pages.widgets import PRIVATE, senders_of, visitor_of
from leaderboard.settings import Settings
from leaderboard.snapshot import Snapshot
from leaderboard.submissions.form import FormError, SubmissionForm
from leaderboard.submissions.receipts import new_code, view_of
from leaderboard.submissions.service import SubmissionService
from qbench.errors import UserError
from qbench.formats import DESCRIPTIONS

SAID_BY_FILES = ("model", "link", "trained_on")
"""Fields of the form that a file may fill."""
SHOW_WRONG = """() => {
  const wrong = document.querySelector(".qb-wrong");
  wrong?.scrollIntoView({ block: "center" });
  wrong?.querySelector("textarea, input:not([role=combobox])")?.focus({ preventScroll: true });
}"""
PRIVATE_WITH_PROGRESS: dict[str, Any] = {"api_visibility": "private", "show_progress": "minimal"}


@dataclass(frozen=True)
class _Parts:
    """What is on the page."""

    receipt: ReceiptParts
    file: gr.File
    model: gr.Dropdown
    dataset: gr.Dropdown
    report: gr.HTML
    preview: gr.HTML
    form: gr.Column
    fields: list[Any]
    """In the order of `SubmissionForm` after the model's name."""
    relation: gr.Radio
    """One of them, asked where other results stand under the model's name."""
    send: gr.Button
    refused: gr.HTML
    waiting: gr.HTML


def build(settings: Settings, current: Callable[[], Snapshot], service: SubmissionService) -> None:
    """Add the page and its endpoints; `service` does what they ask for."""
    parts = _lay_out(settings, current(), service.store.refuses)
    own_code = gr.State("")  # drawn before it is sent: whose answer is lost presses the button again
    _check_what_is_dropped(parts, current, service, own_code)
    _hand_in_when_sent(parts, current, service, own_code)
    about_model = parts.fields[: parts.fields.index(parts.receipt.corrects)]
    connect_receipt(parts.receipt, service, parts.waiting, [parts.model, *about_model])
    add_endpoints(service)


def _lay_out(settings: Settings, snapshot: Snapshot, refuses: str) -> _Parts:
    receipt = add_receipt()
    gr.HTML(markup.opening(submit_text.TITLE, submit_text.INTRODUCTION), apply_default_css=False)
    gr.HTML(submit_text.where_kept(settings.results_repo, refuses), apply_default_css=False, elem_id="submit-kept")
    if settings.login:
        gr.LoginButton(size="sm", elem_id="submit-login")
    file = gr.File(label="File of results", elem_id="submit-file", height=120)
    model, dataset = about_the_file(snapshot)
    report = gr.HTML(apply_default_css=False, elem_id="submit-report")
    shown = gr.HTML(apply_default_css=False, elem_id="submit-preview")
    with gr.Column(visible=False, elem_id="submit-form") as form:
        relation = relation_to_others()
        fields = [*about_the_model(), receipt.corrects, relation, receipt.code]
        send = gr.Button("Submit", variant="primary", elem_id="submit-send", size="lg", interactive=not refuses)
    why_not = gr.HTML(apply_default_css=False, elem_id="submit-refused")
    waiting = gr.HTML("", js_on_load=FIND_RECEIPT, apply_default_css=False, elem_id="submit-waiting")
    _examples(settings)
    return _Parts(receipt, file, model, dataset, report, shown, form, fields, relation, send, why_not, waiting)


def _check_what_is_dropped(
    parts: _Parts, current: Callable[[], Snapshot], service: SubmissionService, own_code: gr.State
) -> None:
    filled = [parts.model, *(parts.fields[FIELDS.index(name)] for name in SAID_BY_FILES[1:])]

    def look(request: gr.Request, path: str | None, about: str, code: str, name: str, *facts: str) -> list[Any]:
        """Report, preview, whether the form is shown and what it asks, no refusal of an earlier file, and the fields
        that the file fills: what was written there stays."""
        if not path:
            rest = [gr.skip()] * len(filled)
            return ["", "", gr.Column(visible=False), gr.Radio(visible=False), "", code, *rest]
        checked = service.check(Path(path), about or "", name or "", visitor_of(request).network)
        hint = submit_text.naming(name, current().find_model) if name else ""
        told = submit_text.report(checked.report) + markup.page(markup.paragraph(hint, "qb-note"))
        form = gr.Column(visible=checked.report.accepted)
        relation = gr.Radio(visible=bool(checked.taken), label=submit_text.same_name(checked.taken))
        said, now = checked.report.said, dict(zip(SAID_BY_FILES, (name, *facts), strict=True))
        fill = [gr.skip() if now[field] else said.get(field, gr.skip()) for field in SAID_BY_FILES]
        return [told, submit_text.preview(checked), form, relation, "", code or new_code(), *fill]

    gr.on(
        [parts.file.upload, parts.file.clear, parts.model.change, parts.dataset.change],
        look,
        inputs=[parts.file, parts.dataset, own_code, *filled],
        outputs=[parts.report, parts.preview, parts.form, parts.relation, parts.refused, own_code, *filled],
        trigger_mode="always_last",
        **PRIVATE_WITH_PROGRESS,
        **CHECKS,
    )


def _hand_in_when_sent(
    parts: _Parts, current: Callable[[], Snapshot], service: SubmissionService, own_code: gr.State
) -> None:
    emptied = [parts.refused, parts.file, parts.report, parts.preview]
    about_model = [parts.model, *parts.fields[: len(FIELDS)]]

    def finish(
        profile: gr.OAuthProfile | None, request: gr.Request, path: str | None, about: str, code: str, *values: str
    ) -> list[Any]:
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
            said = {parts.refused: submit_text.not_handed_in(fault)}
            return [*(said.get(part, gr.skip()) for part in plain), *_marked(about_model, fault)]
        view = view_of(receipt.entry, account or service.author)
        shown = receipt_text.handed_in(receipt, service.link, service.review_days)
        waiting = submit_text.waiting(service.store.load().pending)
        return [
            *show_receipt(shown, view, receipt.code),
            "",
            None,
            "",
            "",
            gr.Column(visible=False),
            waiting,
            new_code(),
            *_marked(about_model, None),
        ]

    plain = [*parts.receipt.outputs, *emptied, parts.form, parts.waiting, own_code]
    outputs = [*plain, *about_model]
    sent = parts.send.click(
        finish,
        inputs=[parts.file, parts.dataset, own_code, parts.model, *parts.fields],
        outputs=outputs,
        **PRIVATE_WITH_PROGRESS,
    )
    sent.then(None, parts.receipt.name, js=NAME_RECEIPT, **PRIVATE)
    sent.then(None, js=SHOW_WRONG, **PRIVATE)
    parts.waiting.open(
        lambda: submit_text.waiting(current().loaded.pending), outputs=parts.waiting, **PRIVATE_WITH_PROGRESS
    )


def _marked(fields: list[Any], fault: UserError | None) -> list[Any]:
    """The fields as they are, each with what is wrong with it in place of what it asks."""
    wrong = fault.by_field if isinstance(fault, FormError) else {}
    names = ("model", *FIELDS)
    return [
        gr.update(info=wrong.get(name, field.info), elem_classes=["qb-wrong"] if name in wrong else [])
        for name, field in zip(names, fields, strict=True)
    ]


def _examples(settings: Settings) -> None:
    """Every format, with a small file of it to download."""
    with gr.Accordion("Formats, each with an example to download", open=False, elem_id="submit-examples"):
        note = (settings.assets / "prose" / "formats.md").read_text(encoding="utf-8")
        table = submit_text.formats(DESCRIPTIONS, "examples")
        gr.Markdown(f"{table}\n\n{note}", elem_classes="qb-prose")
