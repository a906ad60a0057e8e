"""The page of one model in the running app."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect

from tests.browser.conftest import NewPage

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
