from __future__ import annotations

import csv
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from gradio_client import Client, handle_file
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, run_app
from tests.browser.seen import models

EXAMPLES = ROOT / "assets" / "examples"
READY = "#submit-file"
FILE = f"{READY} input[type=file]"
SCRIPT = "<img src=x onerror=\"document.title='owned'\">"
FORMULA = '=HYPERLINK("http://example.org")'


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app of an installation that trusts its visitors."""
    folder = tmp_path_factory.mktemp("desk")
    with run_app(folder / "results", folder / "log", QBENCH_AUTHOR="visitor") as address:
        yield address


@pytest.fixture(scope="module")
def client(desk: str) -> Client:
    return Client(desk, verbose=False)


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


def fill(page: Page, **fields: str) -> None:
    for field, text in fields.items():
        page.locator(f"#submit-{field}").locator("textarea, input").fill(text)


def open_list(page: Page) -> None:
    """What stands under the table is folded once it is long."""
    if page.locator(".qb-unranked:not([open])").count():
        page.locator(".qb-unranked summary").click()


def name(page: Page, text: str) -> None:
    field = page.locator("#submit-model input")
    field.fill(text)
    field.press("Enter")


@pytest.mark.parametrize(
    ("file", "board", "covers"),
    [("run.zip", "demo", ""), ("answers.llvisionqa-dev.json", "perception-dev", "6 of 1,495")],
)
def test_from_a_file_to_its_place_on_the_board(
    desk: str, client: Client, new_page: Callable[..., Page], file: str, board: str, covers: str
) -> None:
    """Dropped, reported, previewed, described and handed in; then seen by the next visitor, with its source."""
    model = f"Dropped {file}"
    page = new_page(desk + "?tab=submit", ready=READY)
    drop(page, EXAMPLES / file)
    expect(page.locator("#submit-report h3")).to_contain_text("Recognised")
    told = page.locator("#submit-preview")
    name(page, model)
    expect(page.locator("#submit-report")).to_contain_text("is a new model here")
    fill(page, organisation="Lab", link="https://example.org/paper", prompts="As printed.", trained="KonIQ-10k")
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
    page.goto(f"{desk}?board={board}")
    page.locator(".qb-status").first.wait_for()
    assert (model in models(page)) == (covers == "")
    if covers:
        open_list(page)
        expect(page.locator(".qb-unranked li").filter(has_text=f"{model} ·")).to_contain_text(covers)
    page.get_by_role("button", name=f"Sources of {model}:").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".qb-said dd").first).to_have_text("KonIQ-10k")
    assert dialog.locator(".qb-said dd").all_inner_texts() == ["KonIQ-10k", "As printed.", digest[:12]]
    assert dialog.locator("a").get_attribute("href") == "https://example.org/paper"
    expect(dialog).to_contain_text("re-scored here" if file == "run.zip" else "self-reported")
    expect(dialog).to_contain_text("by visitor")


def test_a_file_fills_the_form_and_what_was_written_stays(
    desk: str, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    row = json.loads((EXAMPLES / "result.json").read_text(encoding="utf-8"))
    row |= {"model": "Filled by its file", "source": {**row["source"], "url": "https://example.org/filled"}}
    row["protocol"]["training_data"] = ["KonIQ-10k", "SPAQ"]
    path = tmp_path / "result.json"
    path.write_text(json.dumps(row), encoding="utf-8")
    page = new_page(desk + "?tab=submit", ready=READY)
    drop(page, path)
    expect(page.locator("#submit-model input")).to_have_value("Filled by its file")
    expect(page.locator("#submit-link").locator("input, textarea")).to_have_value("https://example.org/filled")
    expect(page.locator("#submit-trained").locator("input, textarea")).to_have_value("KonIQ-10k, SPAQ")
    expect(page.locator("#submit-report")).to_contain_text("“Filled by its file” is a new model here")
    again = new_page(desk + "?tab=submit", ready=READY)
    name(again, "Named by hand")
    drop(again, path)
    expect(again.locator("#submit-report")).to_contain_text("“Named by hand” is a new model here")
    expect(again.locator("#submit-model input")).to_have_value("Named by hand")


def test_problems_come_first_with_their_lines(desk: str, new_page: Callable[..., Page], tmp_path: Path) -> None:
    path = tmp_path / "koniq.jsonl"
    path.write_text('{"img_path": "a", "score": 1}\n{"img_path": "b", "score": "good"}\n', encoding="utf-8")
    page = new_page(desk + "?tab=submit", ready=READY)
    drop(page, path)
    expect(page.locator("#submit-report")).to_contain_text("record 2 (line 2): score is 'good', not a finite number")
    expect(page.locator("#submit-report")).to_contain_text('For example: {"img_path": "a.jpg", "score": 3.2}')
    expect(page.locator("#submit-form")).to_be_hidden()


def test_nothing_an_author_writes_runs(
    desk: str, client: Client, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    """In the report, on the board, and in the file a spreadsheet opens. `new_page` fails on dialogs and requests."""
    row = json.loads((EXAMPLES / "result.json").read_text(encoding="utf-8"))
    path = tmp_path / "result.json"
    path.write_text(json.dumps({**row, "protocol": {"prompt": SCRIPT}}), encoding="utf-8")
    for model, value in ((SCRIPT, 0.55), (FORMULA, 0.56)):
        row["metrics"]["accuracy"] = {"value": value, "n": 1495}
        path.write_text(json.dumps({**row, "protocol": {"prompt": SCRIPT}}), encoding="utf-8")
        said = {"organisation": FORMULA, "prompts": SCRIPT, "trained_on": SCRIPT, "contact": SCRIPT}
        assert send(client, path, model, **said)["status"] == "accepted"
    bad = tmp_path / "koniq.jsonl"
    bad.write_text(json.dumps({"img_path": SCRIPT, "score": SCRIPT}), encoding="utf-8")
    page = new_page(desk + "?tab=submit", ready=READY)
    drop(page, bad)
    expect(page.locator("#submit-report")).to_contain_text("<img src=x")
    wait_for(client, "perception-dev", FORMULA)
    board = new_page(desk + "?board=perception-dev")
    assert {SCRIPT, FORMULA} <= set(models(board))
    for tab in (page, board):
        assert tab.title() != "owned"
        assert tab.locator("img[src=x]").count() == 0
    board.locator("summary", has_text="Download").click()
    with board.expect_download() as download:
        board.get_by_text("CSV").click()
    text = Path(download.value.path()).read_text(encoding="utf-8-sig")
    cells = [cell for line in csv.reader(text.splitlines()) for cell in line]
    assert f"'{FORMULA}" in cells
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))]
