"""`/check`, `/submit` and `/receipt`, for scripts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gradio as gr

from leaderboard.pages.asking import add_endpoint, given_file, optional, visitor_of
from leaderboard.submissions.form import SubmissionForm
from leaderboard.submissions.receipts import view_of
from leaderboard.submissions.service import SubmissionService, receipt_json, view_json

CHECKS: dict[str, Any] = {"concurrency_limit": 20, "concurrency_id": "check"}
"""Few go on at once: uploads take turns in the service, where those of one network wait for each other."""


def add_endpoints(service: SubmissionService) -> None:
    """Add both; `service` does what they ask for."""

    def check(file: str | None, request: gr.Request, dataset: str = "", model: str = "") -> dict[str, Any]:
        """Check a file of results: what is wrong with it, or its figures and where they would stand. Stores nothing.

        Args:
            file: The file of results, in any of the formats of the Submit page. A tool of MCP is given what it holds,
                as data:text/csv;base64,….
            dataset: Name of the dataset; empty where the file says it.
            model: Name of the model.
        """
        network = visitor_of(request).network
        return service.check(given_file(file), dataset or "", model or "", network).to_json()

    def submit(  # noqa: PLR0913 - one for each field of the form
        file: str | None,
        model: str,
        request: gr.Request,
        dataset: str = "",
        organisation: str = "",
        link: str = "",
        parameters: str = "",
        weights: str = "",
        prompts: str = "",
        trained_on: str = "",
        contact: str = "",
        corrects: str = "",
        relation: str = "reproduction",
        code: str = "",
        own_code: str = "",
    ) -> dict[str, Any]:
        """Check a file of results and hand it in. Without an account it waits for the owner's review.

        Answers with the link of its receipt, and the code that lets you correct and withdraw it there: keep it.

        Args:
            file: The file of results; see `check`.
            model: Name of the model.
            dataset: Name of the dataset; empty where the file says it.
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
            code: Code of the submission that this one replaces, if it is yours.
            own_code: A secret of your own, at least 32 characters drawn at random, to take the place of the code that
                is given. If the answer is lost on its way, send the same again with it: nothing is added, and the
                receipt is given again.
        """
        about = (model, organisation, link, parameters, weights, prompts, trained_on, contact)
        values = (*about, corrects, relation, code)
        form = SubmissionForm(*(text or "" for text in values))
        receipt = service.submit(
            given_file(file), dataset or "", form, None, visitor_of(request).senders, own_code or ""
        )
        return receipt_json(receipt, service.link or f"{request.url.scheme}://{request.url.netloc}/")

    def receipt(submission: str, request: gr.Request, code: str = "") -> dict[str, Any]:
        """What became of a submission: waiting, on the board, declined with the reason, withdrawn or corrected.

        Args:
            submission: Its name or the link of its receipt, as `/submit` answers them.
            code: Its code, to be told whether it is right (`own`); empty for nothing but the state.
        """
        entry = service.receipts.find(submission or "")
        view = view_of(entry, service.author)
        if code:
            service.receipts.prove(entry.digest, service.author, code)
            view = replace(view, own=True)
        return view_json(view, service.link or f"{request.url.scheme}://{request.url.netloc}/")

    file = gr.File(visible=False)
    add_endpoint("check", check, [file, *optional("", "")], CHECKS)
    asked = [file, gr.Textbox(visible=False), *optional(*[""] * 9, "reproduction", "", "")]
    add_endpoint("submit", submit, asked, CHECKS)
    add_endpoint("receipt", receipt, [gr.Textbox(visible=False), *optional("")], CHECKS)
