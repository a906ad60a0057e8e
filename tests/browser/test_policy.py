"""The content security policy allows what the pages need, and nothing else."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Error, expect

WATCH = """window.refusedByPolicy = [];
document.addEventListener("securitypolicyviolation",
  event => window.refusedByPolicy.push(`${event.violatedDirective}: ${event.blockedURI}`));"""
TABS = ("overview", "leaderboard", "model", "compare", "bias", "probe", "pair", "tournament", "run", "submit", "about")


def test_every_page_works_under_the_policy_and_reaches_no_other_server(browser: Browser, app: str) -> None:
    for tab in TABS:
        page = browser.new_page()
        page.add_init_script(WATCH)
        page.goto(f"{app}?tab={tab}")
        page.wait_for_function("window.qbTabsRead")
        expect(page.locator("[role=tabpanel]:visible").first).not_to_be_empty()
        assert page.evaluate("window.refusedByPolicy") == [], tab
        if tab != TABS[-1]:
            page.close()
    with pytest.raises(Error, match="Failed to fetch"):
        page.evaluate("fetch('https://elsewhere.example/')")
    assert page.evaluate("window.refusedByPolicy") == ["connect-src: https://elsewhere.example/"]
    page.close()
