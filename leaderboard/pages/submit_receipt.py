"""The part of the Submit page that a receipt's link opens: what became of a submission; correct it, withdraw it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gradio as gr

from leaderboard.html import submit as words
from leaderboard.pages.widgets import COPY, PRIVATE, Update, html
from leaderboard.submissions.form import form_values
from leaderboard.submissions.receipts import ReceiptView, view_of
from leaderboard.submissions.service import SubmissionService
from qbench.errors import UserError

SHOW_RECEIPT = """(name) => {
  if (name) document.getElementById("submit-receipt")?.scrollIntoView({block: "center"});
}"""
SHOW_FILE = """() => document.getElementById("submit-file")?.scrollIntoView({block: "center"})"""


class ReceiptParts:
    """What is on the page above the file; nothing of it is seen before there is a receipt."""

    def __init__(self, service: SubmissionService) -> None:
        self.service = service
        self.receipt = html("", "submit-receipt", js_on_load=COPY)
        # Names of the submission that is shown, and of the one that the form corrects.
        self.name, self.corrects = gr.Textbox(visible=False), gr.Textbox("", visible=False)
        with gr.Column(visible=False, elem_id="submit-own") as self.own:
            with gr.Row(elem_classes="qb-controls"):
                self.code = gr.Textbox(
                    "",
                    label="Code",
                    info="To correct or withdraw it: the code that was given with its receipt",
                    max_length=64,
                    elem_id="submit-code",
                )
            with gr.Row():
                small: dict[str, Any] = {"size": "sm", "scale": 0, "min_width": 96}
                self.correct = gr.Button("Correct", elem_id="submit-correct", **small)
                self.withdraw = gr.Button("Withdraw", elem_id="submit-withdraw", **small)
        with gr.Row(visible=False, elem_id="submit-sure") as self.sure:
            small = {"size": "sm", "scale": 0}
            self.yes = gr.Button("Yes, withdraw it", variant="stop", min_width=160, elem_id="submit-yes", **small)
            self.no = gr.Button("No, leave it", min_width=120, elem_id="submit-no", **small)
        self.told = html("", "submit-told")
        label = "Hand in something new instead"
        self.instead = gr.Button(label, visible=False, min_width=200, elem_id="submit-instead", **small)
        self.form = [self.told, self.corrects, self.instead]
        """Whether the form corrects a submission."""
        self.outputs = [self.receipt, self.name, self.own, self.code, self.withdraw, self.sure, *self.form]
        """What changes with the receipt that is shown."""

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

    def connect(self, waiting: gr.HTML, fields: Sequence[Any]) -> None:
        """Connect the buttons; `fields` are what `form_values` fills in."""
        service, asked = self.service, [self.name, self.code]

        def find(profile: gr.OAuthProfile | None, event: gr.EventData) -> Any:
            name = getattr(event, "receipt", None)
            if not isinstance(name, str) or not name:
                return gr.skip()
            try:
                view = view_of(service.receipts.find(name), account_of(profile))
            except UserError as fault:
                return {self.receipt: words.not_found(str(fault))}
            return self.show(words.became(view, service.link), view)

        def withdraw(profile: gr.OAuthProfile | None, name: str, code: str) -> Update:
            account = account_of(profile)
            try:
                view = view_of(service.receipts.withdraw(name or "", account, code or ""), account)
            except UserError as fault:
                return {self.sure: gr.Row(visible=False), self.told: words.refusal(fault)}
            shown = self.show(words.became(view, service.link), view, code or "")
            return {**shown, waiting: words.waiting(service.store.load().pending)}

        def correct(profile: gr.OAuthProfile | None, name: str, code: str) -> Update:
            try:
                entry = service.receipts.prove(name or "", account_of(profile), code or "")
            except UserError as fault:
                return {**self.afresh(), self.told: words.refusal(fault)}
            filled = zip(fields, form_values(entry.submission.metadata), strict=True)
            told = {self.told: words.correcting(entry), self.corrects: entry.digest}
            return {**told, self.instead: gr.Button(visible=True), **dict(filled)}

        def account_of(profile: gr.OAuthProfile | None) -> str | None:
            return profile.username if profile else service.author

        waiting.open(find, outputs=self.outputs, **PRIVATE)
        self.withdraw.click(lambda: gr.Row(visible=True), outputs=self.sure, **PRIVATE, queue=False)
        self.no.click(lambda: gr.Row(visible=False), outputs=self.sure, **PRIVATE, queue=False)
        self.yes.click(withdraw, asked, [*self.outputs, waiting], **PRIVATE)
        corrected = self.correct.click(correct, asked, [*self.form, *fields], **PRIVATE)
        corrected.then(None, js=SHOW_FILE, **PRIVATE)
        self.instead.click(self.afresh, outputs=self.form, **PRIVATE)
