from __future__ import annotations

import csv
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gradio_client import Client, handle_file
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, run_app
from tests.browser.drawn import fits
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


def drop(page: Page, path: Path) -> None:
    page.locator(FILE).set_input_files(path)
    page.locator("#submit-report h3, #submit-report .qb-finding").first.wait_for()


def wait_for_row(desk: str, model: str) -> None:
    """The board looks for new results now and then."""
    client, until = Client(desk, verbose=False), time.monotonic() + 30
    while time.monotonic() < until:
        if any(row["name"] == model for row in client.predict(board="perception-dev", api_name="/leaderboard")["rows"]):
            return
    pytest.fail(f"{model} did not appear on the board")


def name(page: Page, text: str) -> None:
    field = page.locator("#submit-model input")
    field.fill(text)
    field.press("Enter")


def test_from_a_file_to_a_row_on_the_board(desk: str, new_page: Callable[..., Page]) -> None:
    page = new_page(desk + "?tab=submit", ready=READY)
    drop(page, EXAMPLES / "result.json")
    expect(page.locator("#submit-report")).to_contain_text("marked as self-reported")
    expect(page.locator("#submit-preview")).to_contain_text("Cannot be told apart from LLaVA-v1.5-13B")
    name(page, "Seen in the browser")
    expect(page.locator("#submit-report")).to_contain_text("is a new model here")
    page.locator("#submit-organisation textarea, #submit-organisation input").fill("Lab")
    page.locator("#submit-link textarea, #submit-link input").fill("https://example.org/paper")
    page.locator("#submit-send").click()
    expect(page.locator("#submit-receipt h3")).to_have_text("On the board", timeout=15_000)
    wait_for_row(desk, "Seen in the browser")
    board = new_page(desk + "?board=perception-dev")
    assert "Seen in the browser" in models(board)


def test_problems_come_first_with_their_lines(desk: str, new_page: Callable[..., Page], tmp_path: Path) -> None:
    path = tmp_path / "koniq.jsonl"
    path.write_text('{"img_path": "a", "score": 1}\n{"img_path": "b", "score": "good"}\n', encoding="utf-8")
    page = new_page(desk + "?tab=submit", ready=READY)
    drop(page, path)
    expect(page.locator("#submit-report")).to_contain_text("record 2 (line 2): score is 'good', not a finite number")
    expect(page.locator("#submit-report")).to_contain_text('For example: {"img_path": "a.jpg", "score": 3.2}')
    expect(page.locator("#submit-form")).to_be_hidden()


def test_nothing_an_author_writes_runs(desk: str, new_page: Callable[..., Page], tmp_path: Path) -> None:
    """In the report, on the board, and in the file a spreadsheet opens. `new_page` fails on dialogs and requests."""
    row = json.loads((EXAMPLES / "result.json").read_text(encoding="utf-8"))
    path = tmp_path / "result.json"
    path.write_text(json.dumps({**row, "protocol": {"prompt": SCRIPT}}), encoding="utf-8")
    client = Client(desk, verbose=False)
    for model, value in ((SCRIPT, 0.55), (FORMULA, 0.56)):
        row["metrics"]["accuracy"] = {"value": value, "n": 1495}
        path.write_text(json.dumps({**row, "protocol": {"prompt": SCRIPT}}), encoding="utf-8")
        receipt = client.predict(
            file=handle_file(path), dataset="", model=model, organisation=FORMULA, link="", parameters="",
            weights="", prompts=SCRIPT, trained_on=SCRIPT, contact=SCRIPT, corrects="", api_name="/submit",
        )  # fmt: skip
        assert receipt["status"] == "accepted"
    bad = tmp_path / "koniq.jsonl"
    bad.write_text(json.dumps({"img_path": SCRIPT, "score": SCRIPT}), encoding="utf-8")
    page = new_page(desk + "?tab=submit", ready=READY)
    drop(page, bad)
    expect(page.locator("#submit-report")).to_contain_text("<img src=x")
    wait_for_row(desk, FORMULA)
    board = new_page(desk + "?board=perception-dev")
    assert {SCRIPT, FORMULA} <= set(models(board))
    for one in (page, board):
        assert one.title() != "owned"
        assert one.locator("img[src=x]").count() == 0
    board.locator("summary", has_text="Download").click()
    with board.expect_download() as download:
        board.get_by_text("CSV").click()
    text = Path(download.value.path()).read_text(encoding="utf-8-sig")
    cells = [cell for line in csv.reader(text.splitlines()) for cell in line]
    assert f"'{FORMULA}" in cells
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))]


def test_the_endpoints_answer_scripts(desk: str) -> None:
    said = Client(desk, verbose=False).predict(
        file=handle_file(EXAMPLES / "word-logits.koniq.json"), dataset="", model="Qwen-VL", api_name="/check"
    )
    assert (said["accepted"], said["coverage"]) == (
        True,
        [{"dataset": "koniq-10k", "scored": 12, "missing": 10061}],
    )


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits(desk: str, new_page: Callable[..., Page], width: int, scheme: str) -> None:
    page = new_page(desk + "?tab=submit", width=width, scheme=scheme, ready=READY)
    drop(page, EXAMPLES / "result.json")
    expect(page.locator("#submit-send")).to_be_visible()
    assert fits(page)
