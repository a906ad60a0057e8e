"""What a board says beside its figures, the page of one model, and every answer behind a figure."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import NewPage


def test_niqe_and_images_seen_on_a3(show: NewPage) -> None:
    """Q-Bench Table 4 and Q-Instruct Table 6: NIQE on SPAQ 0.693; 95 % of SPAQ's images are in Q-Instruct."""
    page = show("?board=assessment&part=spaq&metric=srcc")
    niqe = page.locator(".qb-references tr[data-id=niqe]")
    expect(niqe.locator("td.qb-figure")).to_have_text("0.693")
    expect(niqe.locator(".qb-rank")).to_have_text("–")
    seen = page.locator("tr[data-id=q-instruct] td.qb-figure")
    expect(seen.locator("sup")).to_have_text("i")
    expect(seen).to_have_attribute("aria-label", re.compile("tuned on text about 95 % of these images, not on their"))
    expect(page.locator(".qb-legend")).to_contain_text("ⁱ trained on these images, without their scores")


def test_the_source_mark_opens_the_exact_place(show: NewPage) -> None:
    page = show("?board=assessment")
    page.get_by_role("button", name="Sources of Shikra").click()
    panel = page.get_by_role("dialog", name="Sources of Shikra")
    expect(
        panel.get_by_role("link", name="Q-Bench (ICLR 2024), Table 4, row 'Shikra (Vicuna-7B)', column 'SPAQ'")
    ).to_have_attribute("href", "https://arxiv.org/abs/2309.14181")
    expect(panel).to_contain_text("Other sources")
    expect(panel).to_contain_text("SPAQ, SRCC 0.320 †")
    said = re.compile(r"The figures of this row are printed in a paper\. \d+ figures have a remark, below\.")
    expect(panel).to_contain_text(said)
    expect(panel).to_contain_text("The logits the authors released give 0.327.")
    expect(panel).not_to_contain_text("Recomputed: 0.327")  # the remark says it
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()


def test_the_reason_for_a_missing_figure_is_shown_and_told(show: NewPage) -> None:
    page = show("?board=unisim-ood")
    cell = page.locator("td.qb-missing").first
    expect(cell).to_have_attribute("aria-label", re.compile("^no figure: .{10}"))
    tip = page.get_by_role("tooltip")
    cell.hover()
    expect(tip).to_have_text(cell.get_attribute("aria-label") or "")
    page.mouse.move(0, 0)
    expect(tip).to_be_hidden()


def test_a_remark_opens_on_click_stays_and_says_what_follows(show: NewPage) -> None:
    page = show("?board=perception-dev")
    cell = page.locator("tr[data-id='fuyu-8b'] td.qb-figure:has(.qb-flag:not(:empty))[data-tip*='493']")
    tip = page.get_by_role("tooltip").locator("visible=true")
    cell.click()
    expect(tip).to_have_text(
        "95 % interval 33.82 to 42.36. 38.0 % of 493 questions is no whole count. So the paper's figure cannot come "
        "from 493 questions: it is misprinted, or the paper counted other questions. Its rank may be wrong by one."
    )
    page.locator("tr[data-id='qualirag'] td.qb-figure").first.hover()
    expect(tip).to_contain_text("493 questions")  # though the pointer goes elsewhere
    page.locator(".qb-legend").click()
    expect(tip).to_have_count(0)
    cell.click()
    expect(tip).to_contain_text("493 questions")
    page.keyboard.press("Escape")
    expect(tip).to_have_count(0)
    page.locator("tr[data-id='fuyu-8b'] a.qb-name").focus()
    page.keyboard.press("Tab")
    expect(tip).to_contain_text("So the ")


FACTS = ".qb-model-facts:visible"


def test_from_the_board_to_a_model_and_back_to_another_that_is_probed(app: str, new_page: NewPage) -> None:
    """In the app; every page counts the same models, of which people and chance, which have pages, are none."""
    page = new_page(f"{app}?board=perception-test")
    page.locator("tr[data-id='internlm-xcomposer-vl'] a.qb-name").click()
    page.locator(FACTS).wait_for()
    assert parse_qs(urlsplit(page.url).query) == {"tab": ["model"], "model": ["internlm-xcomposer-vl"]}
    model = page.locator("#model")
    expect(model.locator("h1")).to_have_text("InternLM-XComposer-VL")
    expect(model).to_contain_text("Shanghai AI Laboratory")
    model.locator(".scatterlayer .trace").first.wait_for(state="attached")
    page.go_back()
    page.locator(".qb-status").wait_for()
    assert "board=perception-test" in page.url
    page.goto(f"{app}?tab=model")
    page.locator(".qb-directory").wait_for()
    expect(page.get_by_role("link", name="Random guess", exact=True)).to_be_visible()
    counted = re.match(r"\d+ models", page.locator(".qb-directory .qb-finding").inner_text())
    assert counted
    for tab, said in (("Overview", ".qb-opening"), ("Leaderboard", ".qb-header .qb-quiet")):
        page.get_by_role("tab", name=tab).locator("visible=true").click()
        expect(page.locator(f"{said}:visible")).to_contain_text(counted[0])
    page.get_by_role("tab", name="Model", exact=True).locator("visible=true").click()
    page.locator("#model").get_by_label("Model", exact=True).select_option("sharpness")
    page.get_by_role("link", name="Probe with it").click()
    page.locator("#probe-model:visible").wait_for()
    expect(page.locator("#probe-model input")).to_have_value("sharpness")


def test_figures_lead_to_their_boards_and_commands_are_copied(app: str, new_page: NewPage) -> None:
    may = {"permissions": ["clipboard-read", "clipboard-write"]}
    page = new_page(f"{app}?tab=model&model=llava-v1.5-7b", ready=FACTS, **may)
    board = page.get_by_role("link", name="A1 Perception, dev", exact=True)
    expect(board).to_have_attribute(
        "href", re.compile(r"\?tab=leaderboard&board=perception-dev|\?board=perception-dev")
    )
    page.get_by_role("button", name="Copy", exact=True).first.click()
    assert page.evaluate("navigator.clipboard.readText()") == (
        "python -m qbench run --task perception --dataset llvisionqa-dev --model llava-v1.5-7b --images FOLDER"
    )
    page.get_by_role("button", name="Copy link").last.click()
    assert page.evaluate("navigator.clipboard.readText()") == f"{app}?tab=model&model=llava-v1.5-7b"


ROOT = Path(__file__).resolve().parents[2]
READY = "#answers-list tbody tr"
DEMO = "?tab=answers&of=perception-demo-perception"

pytestmark = pytest.mark.browser


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
