"""A real Chromium, started the same way by the browser tests and the bench."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--in-process-gpu",  # two processes fewer to talk to
    "--enable-features=NetworkServiceInProcess2",
)


def find_chromium() -> str:
    """Path of a Chromium on this machine."""
    found = os.environ.get("QBENCH_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if not found:
        raise RuntimeError("no Chromium found: install chromium-headless-shell or set QBENCH_CHROMIUM to its path")
    return found


@contextmanager
def open_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()
