"""Back and forward of the browser walk through boards, filters and pages."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.seen import models


def test_back_and_forward_walk_through_boards_and_filters(app: str, new_page: Callable[..., Page]) -> None:
    page = new_page(f"{app}?tab=leaderboard")
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


def test_what_is_typed_is_no_step(app: str, new_page: Callable[..., Page]) -> None:
    page = new_page(f"{app}?tab=leaderboard")
    page.get_by_role("button", name="no training on quality").click()
    page.get_by_label("Find a model").locator("visible=true").fill("qwen")
    page.wait_for_url(re.compile("q=qwen"))
    page.go_back()
    expect(page.get_by_label("Find a model").locator("visible=true")).to_have_value("")
    expect(page.get_by_role("button", name="no training on quality")).to_have_attribute("aria-pressed", "false")


def test_back_from_another_tab_opens_the_board_again(app: str, new_page: Callable[..., Page]) -> None:
    page = new_page(f"{app}?tab=leaderboard")
    page.get_by_role("button", name="open, up to 8B").click()
    page.get_by_role("tab", name="Bias").click()
    page.wait_for_url(re.compile("tab=bias"))
    page.go_back()
    page.locator(".qb-status:visible").wait_for()
    expect(page.get_by_role("tab", name="Leaderboard")).to_have_attribute("aria-selected", "true")
