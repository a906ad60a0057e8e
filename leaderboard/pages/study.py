"""The Study page: what people with its link are asked, and the ranking of everybody's answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gradio as gr

from leaderboard.events import log_refusal
from leaderboard.html import markup
from leaderboard.html import study as words
from leaderboard.live.service.limits import visitor_at
from leaderboard.live.study import find_study, study_pairs, study_pictures
from leaderboard.live.study_answers import StudyService
from leaderboard.pages.widgets import drawn
from qbench.errors import UserError


def build(studies: StudyService) -> None:
    """Add the page; the browser calls the functions here, so each says what is wrong instead of raising it."""

    def study_open(name: object) -> dict[str, Any]:
        if not name:
            return {"refused": words.NO_STUDY}
        try:
            study = find_study(studies.folder, name)
            photos = study_pictures(studies.folder, study).values()
            addresses = [markup.file_address(photo.path) for photo in photos]
            return words.invitation(study, addresses, None if study.is_open else studies.result(name))
        except UserError as fault:
            return {"refused": _sentence(fault)}

    def study_ask(sent: object) -> dict[str, Any]:
        asked = _fields(sent)
        try:
            study = find_study(studies.folder, asked.get("study"))
        except UserError as fault:
            return {"refused": _sentence(fault)}
        return {"shown": study_pairs(study, str(asked.get("person"))), "total": study.total}

    def study_send(sent: object, request: gr.Request) -> dict[str, Any]:
        visitor = visitor_at(None, request.client.host if request.client else None)
        try:
            return {"html": words.taken_part(studies.hand_in(_fields(sent), (visitor.place, visitor.network)))}
        except UserError as fault:
            return {"refused": _sentence(fault)}

    failed = "The study could not be loaded. Reload the page to try again; your answers are kept."
    functions: list[Callable[..., Any]] = [study_open, study_ask, study_send]
    drawn("study", "page.mountStudy(root, server)", "Loading the study…", functions, failed)


def _fields(sent: object) -> Mapping[str, object]:
    """What a browser sends by its names; nothing where it is no such thing, for anybody may send anything."""
    return sent if isinstance(sent, dict) else {}


def _sentence(fault: UserError) -> str:
    log_refusal(fault, kind="study")
    text = str(fault)
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
