"""Submit: from a file to the board; authors with and without an account hand in, correct and withdraw.

Logging in is as Gradio does it off the Hub: its own routes, session and profile; the Hub itself is a double."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gradio_client import Client, handle_file
from playwright.sync_api import Page, expect

from leaderboard.store.local import Store
from tests.browser.conftest import ROOT, NewPage, run_app
from tests.browser.seen import models
from tests.hub_double import TOKEN, Hub, serve
from tests.hub_routes import ACCOUNT

EXAMPLES = ROOT / "assets" / "examples"
READY = "#submit-file"
FILE = f"{READY} input[type=file]"
SCRIPT = "<img src=x onerror=\"document.title='owned'\">"
FORMULA = '=HYPERLINK("http://example.org")'


@pytest.fixture(scope="module")
def trusting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app of an installation that trusts its visitors."""
    own = tmp_path_factory.mktemp("trusting")
    with run_app(own / "results", own / "log", QBENCH_AUTHOR="visitor") as address:
        yield address


@pytest.fixture(scope="module")
def client(trusting: str) -> Client:
    return Client(trusting, verbose=False)


def drop(page: Page, path: Path) -> None:
    page.locator(FILE).set_input_files(path)
    page.locator("#submit-report h3, #submit-report .qb-finding").first.wait_for()


def wait_for(client: Client, board: str, model: str) -> dict[str, Any]:
    """What a board says of a model, in its rows and beside them; it looks for new results now and then."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        told = client.predict(board=board, metric="all", api_name="/leaderboard")
        rows = [row for row in told["rows"] if row["name"] == model]
        listed = [row for row in told["partial"]["newest"] if row["model"] == model]
        if rows or listed:
            return {"rows": rows, "listed": listed}
    pytest.fail(f"{model} did not appear on the board {board}")


def send(client: Client, path: Path, model: str, **said: str) -> dict[str, Any]:
    """Hand in through the endpoint."""
    receipt: dict[str, Any] = client.predict(file=handle_file(path), model=model, api_name="/submit", **said)
    return receipt


def name(page: Page, text: str) -> None:
    field = page.locator("#submit-model input")
    field.fill(text)
    field.press("Enter")


@pytest.mark.parametrize(
    ("file", "board", "covers"),
    [("run.zip", "demo", ""), ("answers.llvisionqa-dev.json", "perception-dev", "6 of 1,495")],
)
def test_from_a_file_to_its_place_on_the_board(
    trusting: str, client: Client, new_page: NewPage, file: str, board: str, covers: str
) -> None:
    """Dropped, reported, previewed, described and handed in; then seen by the next visitor, with its source."""
    model = f"Dropped {file}"
    page = new_page(trusting + "?tab=submit", ready=READY)
    drop(page, EXAMPLES / file)
    expect(page.locator("#submit-report h3")).to_contain_text("Recognised")
    told = page.locator("#submit-preview")
    name(page, model)
    expect(page.locator("#submit-report")).to_contain_text("is a new model here")
    said = {
        "organisation": "Lab",
        "link": "https://example.org/paper",
        "prompts": "As printed.",
        "trained": "KonIQ-10k",
    }
    for field, text in said.items():
        page.locator(f"#submit-{field}").locator("textarea, input").fill(text)
    if covers:
        expect(told.locator("caption")).to_have_text("Listed under the board, not ranked")
        expect(told.get_by_role("cell", name=covers, exact=True)).to_be_visible()
    else:
        expect(told).to_contain_text("your results")
    page.locator("#submit-send").click()
    expect(page.locator("#submit-receipt h3")).to_have_text("On the board")
    link = page.locator("#submit-receipt a").get_attribute("href")
    digest = str(link).partition("receipt=")[2]
    wait_for(client, board, model)
    page.goto(f"{trusting}?board={board}")
    page.locator(".qb-status").first.wait_for()
    assert (model in models(page)) == (covers == "")
    if covers:
        if page.locator(".qb-unranked:not([open])").count():  # once the list is long
            page.locator(".qb-unranked summary").click()
        expect(page.locator(".qb-unranked li").filter(has_text=f"{model} ·")).to_contain_text(covers)
    page.get_by_role("button", name=f"Sources of {model}:").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".qb-said dd").first).to_have_text("KonIQ-10k")
    assert dialog.locator(".qb-said dd").all_inner_texts() == ["KonIQ-10k", "As printed.", digest[:12]]
    assert dialog.locator("a").get_attribute("href") == "https://example.org/paper"
    expect(dialog).to_contain_text("re-scored here" if file == "run.zip" else "self-reported")
    expect(dialog).to_contain_text("by visitor")


def test_a_file_fills_the_form_and_what_was_written_stays(trusting: str, new_page: NewPage, tmp_path: Path) -> None:
    row = json.loads((EXAMPLES / "result.json").read_text(encoding="utf-8"))
    row |= {"model": "Filled by its file", "source": {**row["source"], "url": "https://example.org/filled"}}
    row["protocol"]["training_data"] = ["KonIQ-10k", "SPAQ"]
    path = tmp_path / "result.json"
    path.write_text(json.dumps(row), encoding="utf-8")
    page = new_page(trusting + "?tab=submit", ready=READY)
    expect(page.locator("#submit-form")).to_be_hidden()
    drop(page, path)
    expect(page.locator("#submit-model input")).to_have_value("Filled by its file")
    expect(page.locator("#submit-link").locator("input, textarea")).to_have_value("https://example.org/filled")
    expect(page.locator("#submit-trained").locator("input, textarea")).to_have_value("KonIQ-10k, SPAQ")
    expect(page.locator("#submit-report")).to_contain_text("“Filled by its file” is a new model here")
    again = new_page(trusting + "?tab=submit", ready=READY)
    name(again, "Named by hand")
    drop(again, path)
    expect(again.locator("#submit-report")).to_contain_text("“Named by hand” is a new model here")
    expect(again.locator("#submit-model input")).to_have_value("Named by hand")
    nameless = tmp_path / "scores.csv"  # only its author knows what it is about
    nameless.write_bytes((EXAMPLES / "scores.koniq.csv").read_bytes())
    another = new_page(trusting + "?tab=submit", ready=READY)
    name(another, "Named by hand")
    drop(another, nameless)
    another.locator("#submit-dataset input").fill("KonIQ-10k")
    another.locator("#submit-dataset input").press("Enter")
    expect(another.locator("#submit-report h3")).to_contain_text("Recognised")
    another.locator("#submit-send").click()
    expect(another.locator("#submit-receipt h3")).to_have_text("On the board")


def test_nothing_an_author_writes_runs(trusting: str, client: Client, new_page: NewPage, tmp_path: Path) -> None:
    """In the report and on the board. `new_page` fails on dialogs and requests."""
    row = json.loads((EXAMPLES / "result.json").read_text(encoding="utf-8"))
    path = tmp_path / "result.json"
    for model, value in ((SCRIPT, 0.55), (FORMULA, 0.56)):
        row["metrics"]["accuracy"] = {"value": value, "n": 1495}
        path.write_text(json.dumps({**row, "protocol": {"prompt": SCRIPT}}), encoding="utf-8")
        said = {"organisation": FORMULA, "prompts": SCRIPT, "trained_on": SCRIPT, "contact": SCRIPT}
        assert send(client, path, model, **said)["status"] == "accepted"
    bad = tmp_path / "koniq.jsonl"
    bad.write_text(json.dumps({"img_path": SCRIPT, "score": SCRIPT}), encoding="utf-8")
    page = new_page(trusting + "?tab=submit", ready=READY)
    drop(page, bad)
    expect(page.locator("#submit-report")).to_contain_text("record 1 (line 1): score is '<img src=x")
    expect(page.locator("#submit-report")).to_contain_text('For example: {"img_path": "a.jpg", "score": 3.2}')
    expect(page.locator("#submit-form")).to_be_hidden()
    wait_for(client, "perception-dev", FORMULA)
    board = new_page(trusting + "?board=perception-dev")
    assert {SCRIPT, FORMULA} <= set(models(board))
    for tab in (page, board):
        assert tab.title() != "owned"
        assert tab.locator("img[src=x]").count() == 0


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
    desk: str, new_page: NewPage, folder: Path
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


def test_submit_correct_withdraw(desk: str, new_page: NewPage, folder: Path) -> None:
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
    page.wait_for_url(f"**{link.removeprefix('?tab=submit')}")
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
