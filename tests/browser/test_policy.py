"""The content security policy allows what the pages need, and nothing else."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Error, expect

WATCH = """window.refusedByPolicy = [];
document.addEventListener("securitypolicyviolation",
  event => window.refusedByPolicy.push(`${event.violatedDirective}: ${event.blockedURI}`));"""
TABS = ("leaderboard", "model", "compare", "bias", "probe", "pair", "tournament", "run", "submit", "about")
"""Those behind the first."""


def test_every_page_works_under_the_policy_and_reaches_no_other_server(browser: Browser, app: str) -> None:
    page = browser.new_page(viewport={"width": 1800, "height": 900})  # no tab is in the menu
    page.add_init_script(WATCH)
    page.goto(f"{app}?tab=overview")
    page.wait_for_function("window.qbTabsRead")
    for tab in TABS:
        page.locator(f"[role=tab][data-tab-id={tab}]:visible").click()
        page.wait_for_url(re.compile(f"tab={tab}"))
        expect(page.locator("[role=tabpanel]:visible").first).not_to_be_empty()
        expect(page.locator("[aria-busy=true]:visible")).to_have_count(0)
        assert page.evaluate("window.refusedByPolicy") == [], tab
    with pytest.raises(Error, match="Failed to fetch"):
        page.evaluate("fetch('https://elsewhere.example/')")
    assert page.evaluate("window.refusedByPolicy") == ["connect-src: https://elsewhere.example/"]
    page.close()
