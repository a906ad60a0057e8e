"""The static site has the page of each model and comparisons too."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode

from playwright.sync_api import Page, expect

from tests.browser.seen import figures, models
from tests.leaderboard.made import board, result

NewPage = Callable[..., Page]
NewSite = Callable[..., str]
RESULTS = [
    result("alpha", "a", 0.5, reference="Benchmark, Table 1"),
    result("beta/gamma", "a", 0.7),
    result("delta", "a", 0.6),
]
HTML = '<img src=x onerror="alert(1)">'


def at(site: str, **query: str) -> str:
    """Another page of a site."""
    return f"{site.partition('?')[0]}?{urlencode(query)}"


def test_a_name_leads_to_the_models_page_and_back(new_site: NewSite, new_page: NewPage) -> None:
    page = new_page(f"{new_site(RESULTS, boards=[board()])}&part=a&metric=srcc")
    page.locator("a.qb-name", has_text="beta/gamma").click()
    expect(page.locator("h1")).to_have_text("beta/gamma")
    expect(page.get_by_role("row", name="Made up").first).to_contain_text("no figure in the ranking column")
    page.get_by_label("Model", exact=True).select_option("alpha")
    expect(page.locator("h1")).to_have_text("alpha")
    page.go_back()
    expect(page.locator("h1")).to_have_text("beta/gamma")
    page.get_by_role("link", name="Made up", exact=True).click()
    page.locator(".qb-status").wait_for()
    assert "delta" in models(page)


def test_an_unknown_model_is_one_sentence(new_site: NewSite, new_page: NewPage) -> None:
    page = new_page(at(new_site(RESULTS, boards=[board()]), tab="model", model=HTML), ready="[role=alert]")
    expect(page.locator("[role=alert]")).to_contain_text("No model on a board goes by the name")
    assert page.locator("main img").count() == 0


def test_ticked_models_stand_side_by_side(new_site: NewSite, new_page: NewPage) -> None:
    page = new_page(f"{new_site(RESULTS, boards=[board()])}&part=a&metric=srcc")
    for name in ("alpha", "delta"):
        page.get_by_label(f"Tick {name} to compare", exact=True).check()
    page.get_by_role("link", name="Compare the 2 ticked").click()
    expect(page.locator("h1")).to_have_text("Compare")
    expect(page.locator(".qb-sentence")).to_contain_text("alpha and delta on Made up")
    assert models(page) == ["alpha", "delta"]
    assert figures(page, "a/srcc") == ["0.500", "0.600"]
    page.get_by_role("link", name="Choose others on the board").click()
    expect(page.get_by_label("Tick alpha to compare", exact=True)).to_be_checked()
