"""Every answer can be read: from a figure of the board to the answers behind it, filtered, side by side, one by one."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import NewPage

ROOT = Path(__file__).resolve().parents[2]
READY = "#answers-list tbody tr"
DEMO = "?tab=answers&of=perception-demo-perception"


def test_from_a_figure_to_wrong_answers_about_noise_in_three_actions(boards: str, new_page: NewPage) -> None:
    asked = json.loads((ROOT / "assets" / "recomputed" / "answers" / "released_perception.json").read_text("utf-8"))
    gpt, qwen = asked["answers"]["gpt4o"], asked["answers"]["qwen2vl"]
    wrong = [place for place in asked["topics"]["noise"] if gpt[place] not in ("?", asked["right"][place])]
    page = new_page(f"{boards}?tab=leaderboard&board=perception-dev")
    page.locator('tr[data-id="gpt-4o-undated"] .qb-figure a').first.click()
    page.get_by_label("Search answers").fill("noise")
    page.locator("#answers-models select").select_option(label="Qwen2-VL-7B")
    expect(page.locator("#answers-status")).to_contain_text(
        f"{len(wrong)} of 1,495 questions answered wrong, by GPT-4o"
    )
    cells = page.locator("#answers-list tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.cells].slice(2).map((cell) => cell.innerText.trim().slice(0, 3)))"
    )
    mark = ["✗", "✓"]
    assert cells == [[f"✗ {gpt[at]}", f"{mark[qwen[at] == asked['right'][at]]} {qwen[at]}"] for at in wrong]


def test_one_question_has_an_address_and_its_photo(app: str, new_page: NewPage, tmp_path: Path) -> None:
    page = new_page(f"{app}{DEMO}&show=unread", ready=READY)
    expect(page.locator("#answers-status")).to_have_text("11 of 160 questions with an unreadable answer.")
    page.locator("#answers-list tbody button").first.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Options: Overexposure · No distortion · Transmission errors · Color noise")
    expect(dialog.locator("blockquote")).to_have_text("Speckle noise")
    assert dialog.locator("img").evaluate("async (photo) => (await photo.decode(), photo.naturalWidth)") > 72
    dialog.press("ArrowRight")
    expect(dialog).to_contain_text("astronaut--colour-shift--3.png 2")
    again = new_page(page.url, ready="dialog[open]")
    expect(again.get_by_role("dialog")).to_contain_text("astronaut--colour-shift--3.png 2")
    again.keyboard.press("Escape")
    again.wait_for_function("!location.search.includes('item=')")
    with again.expect_download() as download:
        again.get_by_role("button", name="CSV").click()
    download.value.save_as(tmp_path / "answers.csv")
    rows = list(csv.reader((tmp_path / "answers.csv").read_text("utf-8-sig").splitlines()))
    assert rows[0][-4:] == [f"nano-vlm: {name}" for name in ("read as", "verdict", "said", "reason")]
    assert len(rows) == 1 + 11
    assert rows[1][-4:] == ["", "not read", "Speckle noise", "unparseable"]


def test_answers_fit_a_phone_and_several_models_stand_side_by_side(boards: str, new_page: NewPage) -> None:
    page = new_page(f"{boards}{DEMO}", ready=READY, width=390)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.get_by_label("Quadrant").select_option("other")
    page.get_by_label("All").check()
    expect(page.locator("#answers-status")).to_have_text("39 of 160 questions.")
    page.goto(f"{boards}?tab=answers&of=perception-llvisionqa-dev&by=qwen2-vl-7b,gpt-4o-undated&show=differ")
    expect(page.locator("#answers-models button")).to_have_count(2)
    expect(page.locator("#answers-list tbody tr").first).to_contain_text("✗")
