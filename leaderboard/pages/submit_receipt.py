"""The part of the Submit page that a receipt's link opens: what became of a submission; correct it, withdraw it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from leaderboard.html import receipt as words
from leaderboard.html import submit as submit_text
from leaderboard.pages.widgets import COPY, PRIVATE, senders_of
from leaderboard.submissions.form import form_values
from leaderboard.submissions.receipts import ReceiptView, view_of
from leaderboard.submissions.service import SubmissionService
from qbench.errors import UserError

FIND_RECEIPT = """
const query = new URLSearchParams(location.search);
trigger("open", {receipt: query.get("tab") === "submit" ? query.get("receipt") : null});
"""
NAME_RECEIPT = """(name) => {
  if (!name) return;
  const query = new URLSearchParams(location.search);
  query.set("tab", "submit");
  query.set("receipt", name);
  history.replaceState(history.state, "", `?${query}`);
  document.getElementById("submit-receipt")?.scrollIntoView({block: "center"});
}"""
SHOW_FILE = """() => document.getElementById("submit-file")?.scrollIntoView({block: "center"})"""


@dataclass(frozen=True)
class ReceiptParts:
    """What is on the page above the file."""

    receipt: gr.HTML
    name: gr.Textbox
    """The submission's, hidden."""
    own: gr.Column
    """What its author does with it."""
    code: gr.Textbox
    correct: gr.Button
    withdraw: gr.Button
    sure: gr.Row
    """Asks again before it is withdrawn."""
    yes: gr.Button
    no: gr.Button
    told: gr.HTML
    corrects: gr.Textbox
    """Name of the submission that the form corrects, hidden."""
    instead: gr.Button
    """Makes the form one of a new submission again."""

    @property
    def outputs(self) -> list[Any]:
        """What changes with the receipt that is shown."""
        return [
            self.receipt,
            self.name,
            self.own,
            self.code,
            self.withdraw,
            self.sure,
            self.told,
            self.corrects,
            self.instead,
        ]


def add_receipt() -> ReceiptParts:
    """The components; nothing of them is seen before there is a receipt."""
    receipt = gr.HTML(js_on_load=COPY, apply_default_css=False, elem_id="submit-receipt")
    name, corrects = gr.Textbox(visible=False), gr.Textbox("", visible=False)
    with gr.Column(visible=False, elem_id="submit-own") as own:
        with gr.Row(elem_classes="qb-controls"):
            code = gr.Textbox(
                "",
                label="Code",
                info="To correct or withdraw it: the code that was given with its receipt",
                max_length=64,
                elem_id="submit-code",
            )
        with gr.Row():
            correct = gr.Button("Correct", size="sm", scale=0, min_width=96, elem_id="submit-correct")
            withdraw = gr.Button("Withdraw", size="sm", scale=0, min_width=96, elem_id="submit-withdraw")
    with gr.Row(visible=False, elem_id="submit-sure") as sure:
        yes = gr.Button("Yes, withdraw it", variant="stop", size="sm", scale=0, min_width=160, elem_id="submit-yes")
        no = gr.Button("No, leave it", size="sm", scale=0, min_width=120, elem_id="submit-no")
    told = gr.HTML(apply_default_css=False, elem_id="submit-told")
    instead = gr.Button(
        "Hand in something new instead", size="sm", visible=False, scale=0, min_width=200, elem_id="submit-instead"
    )
    return ReceiptParts(receipt, name, own, code, correct, withdraw, sure, yes, no, told, corrects, instead)


def show_receipt(shown: str, view: ReceiptView, code: str = "") -> list[Any]:
    """The outputs for a receipt: what it says, and what whoever looks at it may do."""
    return [
        shown,
        view.digest,
        gr.Column(visible=view.state != "corrected"),
        gr.Textbox(code, visible=not view.own and not code),
        gr.Button(visible=view.state in ("waiting", "on the board")),
        gr.Row(visible=False),
        "",
        "",
        gr.Button(visible=False),
    ]


def connect_receipt(parts: ReceiptParts, service: SubmissionService, waiting: gr.HTML, form: list[Any]) -> None:
    """Connect the buttons; `form` is what `form_values` fills in."""

    def find(profile: gr.OAuthProfile | None, event: gr.EventData) -> list[Any]:
        name = getattr(event, "receipt", None)
        if not isinstance(name, str) or not name:
            return [gr.skip()] * len(parts.outputs)
        try:
            view = view_of(service.receipts.find(name), account_of(profile))
        except UserError as fault:
            return [words.not_found(str(fault)), *[gr.skip()] * (len(parts.outputs) - 1)]
        return show_receipt(words.became(view, service.link, service.review_days), view)

    def withdraw(profile: gr.OAuthProfile | None, request: gr.Request, name: str, code: str) -> list[Any]:
        account = account_of(profile)
        try:
            view = view_of(service.receipts.withdraw(name or "", account, code or "", senders_of(request)), account)
        except UserError as fault:
            refused = {parts.sure: gr.Row(visible=False), parts.told: submit_text.refusal(fault)}
            return [refused.get(part, gr.skip()) for part in (*parts.outputs, waiting)]
        shown = words.became(view, service.link, service.review_days)
        return [*show_receipt(shown, view, code or ""), submit_text.waiting(service.store.load().pending)]

    def correct(profile: gr.OAuthProfile | None, request: gr.Request, name: str, code: str) -> list[Any]:
        try:
            entry = service.receipts.prove(name or "", account_of(profile), code or "", senders_of(request))
        except UserError as fault:
            return [submit_text.refusal(fault), "", gr.Button(visible=False), *[gr.skip()] * len(form)]
        return [words.correcting(entry), entry.digest, gr.Button(visible=True), *form_values(entry.submission.metadata)]

    def account_of(profile: gr.OAuthProfile | None) -> str | None:
        return profile.username if profile else service.author

    asked = [parts.name, parts.code]
    waiting.open(find, outputs=parts.outputs, **PRIVATE)
    parts.withdraw.click(lambda: gr.Row(visible=True), outputs=parts.sure, **PRIVATE, queue=False)
    parts.no.click(lambda: gr.Row(visible=False), outputs=parts.sure, **PRIVATE, queue=False)
    parts.yes.click(withdraw, asked, [*parts.outputs, waiting], **PRIVATE)
    parts.correct.click(correct, asked, [parts.told, parts.corrects, parts.instead, *form], **PRIVATE).then(
        None, js=SHOW_FILE, **PRIVATE
    )
    parts.instead.click(
        lambda: ["", "", gr.Button(visible=False)], outputs=[parts.told, parts.corrects, parts.instead], **PRIVATE
    )
