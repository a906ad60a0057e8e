"""A model behind a real server that answers when the test lets it, and what visitors do to ask it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page

from tests.browser.conftest import run_app
from tests.models.openai.server import OpenAIServer

NAME = "tiny/vlm"


class Gate:
    """Lets answers through, so many at a time."""

    def __init__(self) -> None:
        self._permits = threading.Semaphore(0)
        self.waiting = 0

    def shut(self) -> None:
        """Take back what was let and not used."""
        self._permits = threading.Semaphore(0)

    def let(self, answers: int) -> None:
        self._permits.release(answers)

    def says(self, asked: str) -> str:
        if "quality" in asked or "A. " in asked:
            self.waiting += 1
            self._permits.acquire(timeout=120)
            return "The first image." if "quality" in asked and "A. " not in asked else "A."
        return ""


@contextmanager
def app_with_slow_model(folder: Path, **more: str) -> Iterator[tuple[str, Gate]]:
    """Address of the app, which offers the slow model beside quick ones, and the gate before its answers."""
    gate = Gate()
    with OpenAIServer(says=gate.says) as server:
        settings = {
            "QBENCH_MODELS": "scripted,sharpness,niqe",
            "QBENCH_ENDPOINT": server.url,
            "QBENCH_ENDPOINT_MODEL": NAME,
            "QBENCH_DATA": str(folder / "data"),
            "QBENCH_RUNS": str(folder / "runs"),
            **more,
        }
        with run_app(folder / "results", folder / "log", **settings) as address:
            yield address, gate
            gate.let(10_000)  # whoever still waits must not keep the server from ending


def choose(page: Page, field: str, option: str) -> None:
    """Pick an option of a drop-down list."""
    page.locator(f"#{field} input").click()
    page.get_by_role("option", name=option, exact=True).click()
