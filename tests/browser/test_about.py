from __future__ import annotations

from playwright.sync_api import expect

from leaderboard.boards import all_boards
from tests.browser.conftest import NewPage


def test_formulas_are_set_and_every_method_has_its_heading(app: str, new_page: NewPage) -> None:
    page = new_page(f"{app}?tab=about", ready="#about h2")
    expect(page.locator("#about .qb-formula math")).to_have_count(7)
    fraction = page.locator("#about mfrac").first.bounding_box()
    assert fraction is not None
    assert fraction["height"] > 30  # its two halves stand one above the other
    page.locator("#about summary", has_text="BibTeX").click()
    expect(page.locator("#about code", has_text="wu2024qbench")).to_be_visible()
    for board in all_boards():
        expect(page.locator("#about").get_by_role("heading", name=board.method)).to_be_visible()
