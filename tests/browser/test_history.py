"""Back and forward of the browser walk through boards, filters and pages."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, Route, expect

from tests.browser.drawn import wait_for_models
from tests.browser.seen import models
from tests.browser.test_compare import choose, take_away


def test_back_and_forward_walk_through_boards_and_filters(boards: str, new_page: Callable[..., Page]) -> None:
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


def test_what_is_typed_is_no_step(boards: str, new_page: Callable[..., Page]) -> None:
    page = new_page(f"{boards}?tab=leaderboard")
    page.get_by_role("button", name="no training on quality").click()
    page.get_by_label("Find a model").locator("visible=true").fill("qwen")
    page.wait_for_url(re.compile("q=qwen"))
    page.go_back()
    expect(page.get_by_label("Find a model").locator("visible=true")).to_have_value("")
    expect(page.get_by_role("button", name="no training on quality")).to_have_attribute("aria-pressed", "false")


def test_back_leads_through_pages_as_they_were_left(app: str, new_page: Callable[..., Page]) -> None:
    for width in (1280, 390):  # on a phone most tabs are in a menu, which is not there while it is closed
        page = new_page(f"{app}?tab=leaderboard", width=width)
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


def test_a_page_chosen_before_the_address_is_read_stays_chosen(app: str, new_page: Callable[..., Page]) -> None:
    page, reader, held = new_page(app, ready="#overview-released svg"), "**/view.js*", list[Route]()

    def hold(route: Route) -> None:
        held.append(route)

    page.route(reader, hold)
    with page.expect_request(reader):
        page.reload(wait_until="commit")
    page.get_by_role("tab", name="About").locator("visible=true").click()
    expect(page.get_by_role("tab", name="About")).to_have_attribute("aria-selected", "true")
    for route in held:
        route.continue_()
    page.unroute(reader)
    page.wait_for_url(re.compile("tab=about"))
    expect(page.get_by_role("tab", name="About")).to_have_attribute("aria-selected", "true")


def test_a_page_whose_data_come_late_leaves_the_address_to_the_page_that_is_seen(
    app: str, new_page: Callable[..., Page]
) -> None:
    page, asked, held = new_page(app, ready="#overview-released svg"), "**/component_server**", list[Route]()

    def hold(route: Route) -> None:
        held.append(route)

    page.route(asked, hold)
    with page.expect_request(asked):
        open_tab(page, "Compare")
    open_tab(page, "Overview")
    page.wait_for_url(re.compile("tab=overview"))
    for route in held:
        route.continue_()
    page.unroute(asked)
    expect(page.locator("#compare-models .qb-chip")).to_have_count(3)
    expect(page).to_have_url(re.compile("tab=overview"))


def test_back_steps_through_boards_of_the_overview(app: str, new_page: Callable[..., Page]) -> None:
    page = new_page(app, ready="#overview-released svg")
    choice, told = page.locator("#overview select[aria-label=Board]"), page.locator("#overview h3").first
    first = choice.input_value()
    for board, name in (("assessment", "A3 Assessment"), ("unisim-core", "UniSim, core tasks")):
        choice.select_option(board)
        expect(told).to_contain_text(name)
    page.go_back()
    expect(told).to_contain_text("A3 Assessment")
    expect(choice).to_have_value("assessment")
    page.go_back()
    expect(choice).to_have_value(first)
    page.go_forward()
    expect(choice).to_have_value("assessment")


def test_back_steps_through_what_is_compared(app: str, new_page: Callable[..., Page]) -> None:
    page = new_page(f"{app}?tab=compare&board=perception-test&models=gpt-4v,qwen-vl,shikra", ready="#compare-plot svg")
    wait_for_models(page, "compare-plot", "gpt-4v", "qwen-vl", "shikra")
    take_away(page, "Shikra")
    wait_for_models(page, "compare-plot", "gpt-4v", "qwen-vl")
    choose(page, "A3 Assessment")
    wait_for_models(page, "compare-plot", "qwen-vl")
    page.go_back()
    wait_for_models(page, "compare-plot", "gpt-4v", "qwen-vl")
    expect(page.locator("#compare").get_by_label("Board", exact=True)).to_have_value("perception-test")
    page.go_back()
    wait_for_models(page, "compare-plot", "gpt-4v", "qwen-vl", "shikra")
    page.go_forward()
    wait_for_models(page, "compare-plot", "gpt-4v", "qwen-vl")


def test_choices_of_bias_are_in_the_address(boards: str, new_page: Callable[..., Page]) -> None:
    page = new_page(f"{boards}?tab=bias", ready="#bias-words .js-plotly-plot")
    close, kept = page.get_by_label("Pairs close in quality"), page.get_by_text("kept their answer for 1 to 81")
    expect(page.get_by_text("kept their answer for 12 to 49")).to_be_visible()
    close.check()
    page.wait_for_url(re.compile("pairs=fine"))
    expect(kept).to_be_visible()
    page.reload()
    expect(close).to_be_checked()
    expect(kept).to_be_visible()
    page.get_by_label("Random pairs").check()
    page.wait_for_url(lambda address: "pairs" not in address)
    page.go_back()
    expect(close).to_be_checked()
    expect(kept).to_be_visible()
    page.go_forward()
    expect(page.get_by_label("Random pairs")).to_be_checked()
    expect(kept).to_have_count(0)


def open_tab(page: Page, name: str) -> None:
    """By its tab, or out of the menu of those that do not fit."""
    shown = page.get_by_role("tab", name=name).locator("visible=true")
    if not shown.count():
        page.locator(".overflow-menu > button").click()
        shown = page.locator(".overflow-dropdown button", has_text=name)
    shown.click()
