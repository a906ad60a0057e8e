"""The part of the Submit page that a receipt's link opens: what became of a submission; correct it, withdraw it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from leaderboard.html import receipt as words
from leaderboard.html import submit as submit_words
from leaderboard.pages.widgets import COPY, PRIVATE, Update, html
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
        outputs = [self.receipt, self.name, self.own, self.code, self.withdraw, self.sure]
        return [*outputs, self.told, self.corrects, self.instead]

    def show(self, shown: str, view: ReceiptView, code: str = "") -> Update:
        """A receipt: what it says, and what whoever looks at it may do."""
        return {
            self.receipt: shown,
            self.name: view.digest,
            self.own: gr.Column(visible=view.state != "corrected"),
            self.code: gr.Textbox(code, visible=not view.own and not code),
            self.withdraw: gr.Button(visible=view.state in ("waiting", "on the board")),
            self.sure: gr.Row(visible=False),
            **self.afresh(),
        }

    def afresh(self) -> Update:
        """The form is one of a new submission."""
        return {self.told: "", self.corrects: "", self.instead: gr.Button(visible=False)}


def add_receipt() -> ReceiptParts:
    """The components; nothing of them is seen before there is a receipt."""
    receipt = html("", "submit-receipt", js_on_load=COPY)
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
    told = html("", "submit-told")
    instead = gr.Button(
        "Hand in something new instead", size="sm", visible=False, scale=0, min_width=200, elem_id="submit-instead"
    )
    return ReceiptParts(receipt, name, own, code, correct, withdraw, sure, yes, no, told, corrects, instead)


def connect_receipt(parts: ReceiptParts, service: SubmissionService, waiting: gr.HTML, form: list[Any]) -> None:
    """Connect the buttons; `form` is what `form_values` fills in."""

    def find(profile: gr.OAuthProfile | None, event: gr.EventData) -> Any:
        name = getattr(event, "receipt", None)
        if not isinstance(name, str) or not name:
            return gr.skip()
        try:
            view = view_of(service.receipts.find(name), account_of(profile))
        except UserError as fault:
            return {parts.receipt: words.not_found(str(fault))}
        return parts.show(words.became(view, service.link), view)

    def withdraw(profile: gr.OAuthProfile | None, name: str, code: str) -> Update:
        account = account_of(profile)
        try:
            view = view_of(service.receipts.withdraw(name or "", account, code or ""), account)
        except UserError as fault:
            return {parts.sure: gr.Row(visible=False), parts.told: submit_words.refusal(fault)}
        shown = parts.show(words.became(view, service.link), view, code or "")
        return {**shown, waiting: submit_words.waiting(service.store.load().pending)}

    def correct(profile: gr.OAuthProfile | None, name: str, code: str) -> Update:
        try:
            entry = service.receipts.prove(name or "", account_of(profile), code or "")
        except UserError as fault:
            return {**parts.afresh(), parts.told: submit_words.refusal(fault)}
        filled = zip(form, form_values(entry.submission.metadata), strict=True)
        told = {parts.told: words.correcting(entry), parts.corrects: entry.digest}
        return {**told, parts.instead: gr.Button(visible=True), **dict(filled)}

    def account_of(profile: gr.OAuthProfile | None) -> str | None:
        return profile.username if profile else service.author

    asked, afresh = [parts.name, parts.code], [parts.told, parts.corrects, parts.instead]
    waiting.open(find, outputs=parts.outputs, **PRIVATE)
    parts.withdraw.click(lambda: gr.Row(visible=True), outputs=parts.sure, **PRIVATE, queue=False)
    parts.no.click(lambda: gr.Row(visible=False), outputs=parts.sure, **PRIVATE, queue=False)
    parts.yes.click(withdraw, asked, [*parts.outputs, waiting], **PRIVATE)
    corrected = parts.correct.click(correct, asked, [*afresh, *form], **PRIVATE)
    corrected.then(None, js=SHOW_FILE, **PRIVATE)
    parts.instead.click(parts.afresh, outputs=afresh, **PRIVATE)
