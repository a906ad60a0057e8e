"""Every page, wide and light, then narrow and dark: axe-core finds no serious fault, nothing scrolls sideways, the
content security policy allows what the page needs, and nothing jumps."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page, expect

from tests.browser.conftest import PATIENCE, NewPage
from tests.browser.drawn import fits
from tests.browser.seen import SHIFTS, styled
from tools.screenshots import READY

AXE = Path(__file__).parent / "axe" / "axe.min.js"
WATCH = """window.refusedByPolicy = [];
document.addEventListener("securitypolicyviolation",
  event => window.refusedByPolicy.push(`${event.violatedDirective}: ${event.blockedURI}`));"""
VIEWS = {"model": "?tab=model&model=qwen3-vl-8b", "several sources": "?board=assessment&rows=all"}
"""What no tab leads to."""
FAULTS = """async () => {
  // Pages that are not seen are no fault, rows are alike, and marks of a chart are told by its own status; axe would
  // take seconds to look through all of them.
  const hidden = [...document.querySelectorAll("[role=tabpanel]")].filter((panel) => !panel.checkVisibility());
  const like = "tbody > tr:nth-of-type(n + 9), li:nth-of-type(n + 9), .js-plotly-plot svg > *";
  const away = [...hidden, ...document.querySelectorAll(like)];
  const places = away.map((part) => { const place = new Comment(); part.replaceWith(place); return place; });
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  places.forEach((place, number) => place.replaceWith(away[number]));
  const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  const told = (id) => ({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`;
  return serious.flatMap(({ id, nodes }) => nodes.map(told(id)));
}"""
WIDE = {"width": 1800, "height": 900}
"""No tab is in the menu."""


def faults(page: Page) -> list[str]:
    """At both sizes."""
    found = []
    for size, dark in ((WIDE, False), ({"width": 390, "height": 844}, True)):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        page.evaluate("dark => document.body.classList.toggle('dark', dark)", dark)
        found += [f"{size['width']} px: {fault}" for fault in page.evaluate(FAULTS)]
        if not fits(page):
            found.append(f"{size['width']} px: scrolls sideways")
    page.set_viewport_size(WIDE)  # type: ignore[arg-type]
    page.evaluate("document.body.classList.remove('dark')")
    page.locator("[role=tab][data-tab-id=about]:visible").wait_for()
    return found


def prepare(page: Page) -> None:
    styled(page)
    page.add_script_tag(path=AXE)
    page.add_style_tag(content="* { transition: none !important; }")  # colours half way to the other scheme


def test_every_page_has_no_serious_fault_and_works_under_the_policy(browser: Browser, app: str) -> None:
    page = browser.new_page(viewport=WIDE)  # type: ignore[arg-type]
    page.set_default_timeout(PATIENCE)
    page.add_init_script(WATCH)
    page.goto(f"{app}?tab=overview")
    page.wait_for_function("window.qbTabsRead")
    page.locator(READY["overview"]).first.wait_for()
    prepare(page)
    found = {"overview": faults(page)}
    tabs = page.locator("[role=tab][data-tab-id]:visible").evaluate_all("tabs => tabs.map(tab => tab.dataset.tabId)")
    assert set(tabs) == set(READY) - {"curve", "study", "owner"}
    for tab in tabs[1:]:
        page.locator(f"[role=tab][data-tab-id={tab}]:visible").click()
        page.wait_for_url(re.compile(f"tab={tab}"))
        ready = ".qb-page h1, .qb-directory" if tab == "model" else READY[tab]
        page.locator(ready).locator("visible=true").first.wait_for()
        expect(page.locator("[aria-busy=true]:visible")).to_have_count(0)
        found[tab] = faults(page)
        assert page.evaluate("window.refusedByPolicy") == [], tab
    with pytest.raises(Error, match="Failed to fetch"):
        page.evaluate("fetch('https://elsewhere.example/')")
    assert page.evaluate("window.refusedByPolicy") == ["connect-src: https://elsewhere.example/"]
    for name, query in VIEWS.items():
        page.goto(app + query)
        page.locator(READY.get(name, ".qb-status")).locator("visible=true").first.wait_for()
        prepare(page)
        found[name] = faults(page)
    page.close()
    assert {place: told for place, told in found.items() if told} == {}


MOST = 0.1
"""Above it a page counts as jumping (web.dev/cls)."""


@pytest.mark.parametrize(
    ("tab", "comes_last", "width"),
    [("overview", "#overview", 1280), ("compare", "#compare-plot", 390), ("model&model=gpt-4v", "#model", 390)],
)
def test_nothing_jumps_while_a_page_arrives(app: str, new_page: NewPage, tab: str, comes_last: str, width: int) -> None:
    page = new_page(f"{app}?tab={tab}", ready=f"{comes_last} .js-plotly-plot", width=width)
    page.wait_for_function("!document.querySelector('[aria-busy=true]')")
    shifts: list[dict[str, Any]] = page.evaluate(SHIFTS)
    assert sum(shift["value"] for shift in shifts) < MOST, shifts
