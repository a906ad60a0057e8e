"""Authors with and without an account: what they hand in, correct and withdraw.

Logging in is as Gradio does it off the Hub: its own routes, session and profile; the Hub itself is a double.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gradio_client import Client
from playwright.sync_api import Page, expect

from leaderboard.store.local import Store
from tests.browser.conftest import run_app
from tests.browser.test_submit import EXAMPLES, FILE, READY, drop, name
from tests.hub_double import TOKEN, Hub, serve
from tests.hub_routes import ACCOUNT


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
    drop(page, EXAMPLES / "result.json")
    link, parameters = (page.locator(f"#submit-{field}").locator("input, textarea") for field in ("link", "parameters"))
    link.fill("example.org")
    parameters.fill("lots")
    page.locator("#submit-send").click()
    for field, said in (("link", "Link is"), ("parameters", "Parameters is")):
        expect(page.locator("#submit-refused")).to_contain_text(said)
        expect(page.locator(f"#submit-{field}")).to_contain_text(said)
    link.fill("")
    parameters.fill("")
    name(page, "By somebody")
    expect(page.locator("#submit-report")).to_contain_text("is a new model here")
    page.locator("#submit-send").click()
    expect(page.locator("#submit-receipt h3")).to_have_text("Handed in")
    expect(page.locator("#submit-waiting")).to_contain_text("1 submission waits for review")

    page.locator("#submit-login").click()
    expect(page.locator("#submit-login")).to_have_text(f"Logout ({ACCOUNT})")
    assert "tab=submit" in page.url
    page.locator(FILE).wait_for(state="attached")
    hand_in(page, "Claimed by Ada")
    expect(page.locator("#submit-receipt")).to_contain_text("its figures were computed elsewhere")
    page.goto(desk + "?tab=submit")
    page.locator(FILE).wait_for(state="attached")
    hand_in(page, "By Ada", "run.zip")
    expect(page.locator("#submit-receipt h3")).to_have_text("On the board")

    board = Client(desk, verbose=False)
    assert board.predict("perception-dev", api_name="/leaderboard")["pending"] == 2
    told = board.predict("demo", metric="all", api_name="/leaderboard")
    [[source]] = [row["sources"] for row in told["rows"] if row["name"] == "By Ada"]
    [entry] = [kept for kept in Store(folder / "submissions").load().entries if kept.digest == source["submission"]]
    assert (source["kind"], entry.submission.identity) == ("rescored", ACCOUNT)
    assert TOKEN not in json.dumps(told) + page.content()
    assert TOKEN not in "".join(path.read_text("utf-8", "replace") for path in folder.rglob("*") if path.is_file())


def test_submit_correct_withdraw(desk: str, new_page: Callable[..., Page], folder: Path) -> None:
    """Each in at most three actions, which the comments count; others see what became of it and nothing else."""
    store = Store(folder / "submissions")
    page = new_page(desk + "?tab=submit", ready=READY)
    receipt = page.locator("#submit-receipt")
    drop(page, EXAMPLES / "scores.koniq.csv")  # 1
    name(page, "Secret name")  # 2
    expect(page.locator("#submit-report")).to_contain_text("is a new model here")
    page.locator("#submit-send").click()  # 3
    code = receipt.locator("code").inner_text()
    link = str(receipt.locator("a").get_attribute("href"))
    assert page.url.endswith(link.removeprefix("?tab=submit&"))
    first = store.load().entries[-1]
    assert (first.digest, first.status) == (link.partition("receipt=")[2], "pending")

    page.locator("#submit-correct").click()  # 1
    expect(page.locator("#submit-told")).to_contain_text("Drop the corrected file")
    drop(page, EXAMPLES / "responses.koniq.jsonl")  # 2
    expect(page.locator("#submit-report")).to_contain_text("is a new model here")
    page.locator("#submit-send").click()  # 3
    expect(receipt.locator("a")).not_to_have_attribute("href", link)
    newer = store.load().entries[-1]
    assert (newer.submission.supersedes, newer.submission.metadata.model) == (first.digest, "Secret name")
    assert [entry.status for entry in store.load().entries[-2:]] == ["withdrawn", "pending"]

    other = new_page(f"{desk}{link}", ready="#submit-receipt h3")
    expect(other.locator("#submit-receipt")).to_contain_text("Its author handed in a correction")
    other.goto(f"{desk}?tab=submit&receipt={newer.digest}")
    expect(other.locator("#submit-receipt h3")).to_have_text("Waiting for review")
    assert "Secret name" not in other.content()
    other.locator("#submit-code input, #submit-code textarea").fill("0" * 32)
    other.locator("#submit-withdraw").click()
    other.locator("#submit-yes").click()
    expect(other.locator("#submit-told")).to_contain_text("This is not the code of this submission")
    other.locator("#submit-correct").click()
    expect(other.locator("#submit-told")).to_contain_text("This is not the code")
    assert "Secret name" not in other.content()
    assert store.load().entries[-1].status == "pending"

    assert receipt.locator("code").inner_text() == code
    page.locator("#submit-withdraw").click()  # 1
    page.locator("#submit-yes").click()  # 2
    expect(receipt.locator("h3")).to_have_text("Withdrawn")
    assert store.load().entries[-1].status == "withdrawn"
