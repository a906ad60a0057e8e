"""Logging in as Gradio does it off the Hub: its own routes, session and profile; the Hub itself is a double."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import run_app
from tests.browser.test_submit import EXAMPLES, FILE, READY, drop, name
from tests.hub_double import ACCOUNT, TOKEN, Hub, serve


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("login")


@pytest.fixture(scope="module")
def desk(folder: Path) -> Iterator[str]:
    """The app of an installation where people can log in."""
    with serve(Hub()) as hub:
        settings = {"OAUTH_CLIENT_ID": "board", "HF_ENDPOINT": hub, "HF_TOKEN": TOKEN}
        with run_app(folder / "results", folder / "log", **settings) as address:
            yield address


def hand_in(page: Page, model: str, file: str = "result.json") -> None:
    drop(page, EXAMPLES / file)
    name(page, model)
    expect(page.locator("#submit-report")).to_contain_text("is a new model here")
    page.locator("#submit-send").click()


def test_without_an_account_it_waits_and_with_one_it_is_on_the_board(
    desk: str, new_page: Callable[..., Page], folder: Path
) -> None:
    page = new_page(desk + "?tab=submit", ready=READY)
    hand_in(page, "By somebody")
    expect(page.locator("#submit-receipt h3")).to_have_text("Handed in", timeout=30_000)
    expect(page.locator("#submit-waiting")).to_contain_text("1 submission waits for review")

    page.locator("#submit-login").click()
    expect(page.locator("#submit-login")).to_have_text(f"Logout ({ACCOUNT})", timeout=30_000)
    assert "tab=submit" in page.url
    page.locator(FILE).wait_for(state="attached")
    hand_in(page, "Claimed by Ada")
    expect(page.locator("#submit-receipt")).to_contain_text("its figures were computed elsewhere", timeout=30_000)
    page.goto(desk + "?tab=submit")
    page.locator(FILE).wait_for(state="attached")
    hand_in(page, "By Ada", "run.zip")
    expect(page.locator("#submit-receipt h3")).to_have_text("On the board", timeout=30_000)

    board = new_page(desk + "?board=perception-dev")
    expect(board.locator(".qb-unranked")).to_contain_text("2 submissions wait for review; not ranked")
    board = new_page(desk + "?board=demo")
    board.get_by_role("button", name="Sources of By Ada").click()
    expect(board.get_by_role("dialog")).to_contain_text(f"re-scored here from raw responses · by {ACCOUNT}")
    assert TOKEN not in board.content() + page.content()
    assert TOKEN not in "".join(path.read_text("utf-8", "replace") for path in folder.rglob("*") if path.is_file())


def test_logging_out_makes_one_anonymous_again(desk: str, new_page: Callable[..., Page]) -> None:
    page = new_page(desk + "?tab=submit", ready=READY)
    page.locator("#submit-login").click()
    expect(page.locator("#submit-login")).to_have_text(f"Logout ({ACCOUNT})", timeout=30_000)
    page.locator("#submit-login").click()
    expect(page.locator("#submit-login")).to_have_text("Sign in with Hugging Face", timeout=30_000)
    hand_in(page, "By nobody")
    expect(page.locator("#submit-receipt h3")).to_have_text("Handed in", timeout=30_000)
