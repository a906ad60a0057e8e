from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from leaderboard.boards import all_boards

READY = "#about h2"


def test_formulas_are_set_and_code_can_be_copied(app: str, new_page: Callable[..., Page]) -> None:
    page = new_page(f"{app}?tab=about", ready=READY)
    expect(page.locator("#about .katex-display")).to_have_count(6)
    expect(page.locator("#about .katex-error")).to_have_count(0)
    page.locator("#about summary", has_text="BibTeX").click()
    expect(page.locator("#about code", has_text="wu2024qbench")).to_be_visible()


def test_links_from_the_boards_land_on_their_method(app: str, new_page: Callable[..., Page]) -> None:
    page = new_page(f"{app}?tab=leaderboard")
    for board in all_boards()[::3]:
        page.goto(f"{app}?board={board.key}")
        page.get_by_text(board.sentence).wait_for()
        if board != all_boards()[0]:  # the address leaves out the board that opens by itself
            page.wait_for_function("(key) => location.search.includes(key)", arg=board.key)
        address = page.get_by_role("link", name="How it is measured").get_attribute("href")
        page.goto(f"{app}{address}")
        heading = page.locator("#about").get_by_role("heading", name=board.method)
        heading.wait_for()
        page.wait_for_function("scrollY > 0")
        expect(heading).to_be_in_viewport()
