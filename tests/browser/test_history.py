"""Back and forward of the browser walk through boards, filters and pages."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.seen import busy, models


def test_back_and_forward_walk_through_boards_and_filters(boards: str, new_page: NewPage) -> None:
    page = new_page(f"{boards}?tab=leaderboard")
    first = models(page)
    page.get_by_role("button", name="open, up to 8B").click()
    small = models(page)
    choice = page.get_by_label("Board", exact=True).locator("visible=true")
    choice.select_option("assessment")
    page.locator("th", has_text="KonIQ-10k").first.wait_for()
    page.go_back()
    page.locator("tr[data-id='qwen3-vl-8b']").wait_for()
    assert models(page) == small
    expect(page.get_by_role("button", name="open, up to 8B")).to_have_attribute("aria-pressed", "true")
    page.go_back()
    expect(page.get_by_role("button", name="open, up to 8B")).to_have_attribute("aria-pressed", "false")
    assert models(page) == first
    page.go_forward()
    expect(page.get_by_role("button", name="open, up to 8B")).to_have_attribute("aria-pressed", "true")


def test_what_is_typed_is_no_step(boards: str, new_page: NewPage) -> None:
    page = new_page(f"{boards}?tab=leaderboard")
    page.get_by_role("button", name="no known training on quality").click()
    page.get_by_label("Find a model").locator("visible=true").fill("qwen")
    page.wait_for_url(re.compile("q=qwen"))
    page.go_back()
    expect(page.get_by_label("Find a model").locator("visible=true")).to_have_value("")
    expect(page.get_by_role("button", name="no known training on quality")).to_have_attribute("aria-pressed", "false")


def test_back_leads_through_pages_as_they_were_left(app: str, new_page: NewPage) -> None:
    """On a phone, where most tabs are in a menu, which is not there while it is closed."""
    page = new_page(f"{app}?tab=leaderboard", width=390)
    page.get_by_role("button", name="open, up to 8B").click()
    for name in ("Compare", "Overview"):
        open_tab(page, name)
        page.wait_for_url(re.compile(f"tab={name.lower()}"))
        expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
    page.go_back()
    expect(page.locator("#compare-models .qb-chip")).to_have_count(3)
    expect(page.get_by_role("tab", name="Compare")).to_have_attribute("aria-selected", "true")
    page.go_back()
    expect(page.get_by_role("button", name="open, up to 8B")).to_have_attribute("aria-pressed", "true")
    page.go_forward()
    expect(page.get_by_role("tab", name="Compare")).to_have_attribute("aria-selected", "true")


def open_tab(page: Page, name: str) -> None:
    """By its tab, or out of the menu of those that do not fit."""
    shown = page.get_by_role("tab", name=name).locator("visible=true")
    if not shown.count():
        page.locator(".overflow-menu > button").click()
        shown = page.locator(".overflow-dropdown button", has_text=name)
    shown.click()


def test_a_page_whose_data_come_late_leaves_the_address_to_the_page_that_is_seen(app: str, new_page: NewPage) -> None:
    page, asked = new_page(app, ready="#overview-released svg"), "**/component_server**"
    with busy(page, asked):
        with page.expect_request(asked):
            open_tab(page, "Compare")
        open_tab(page, "Overview")
        page.wait_for_url(re.compile("tab=overview"))
    expect(page.locator("#compare-models .qb-chip")).to_have_count(3)
    expect(page).to_have_url(re.compile("tab=overview"))
