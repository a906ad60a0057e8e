"""axe-core finds no serious fault on any page, wide and light or narrow and dark, and none scrolls sideways."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.drawn import fits
from tests.browser.screenshots import READY
from tests.browser.seen import styled

AXE = Path(__file__).parent / "axe" / "axe.min.js"
PAGES = {
    **{name: f"?tab={name}" for name in READY if name not in ("curve", "study", "owner")},
    "model": "?tab=model&model=qwen3-vl-8b",
    "several sources": "?board=assessment&rows=all",
}
FAULTS = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  const told = (id) => ({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`;
  return serious.flatMap(({ id, nodes }) => nodes.map(told(id)));
}"""


@pytest.mark.parametrize("name", PAGES)
def test_no_page_has_a_serious_fault(app: str, new_page: Callable[..., Page], name: str) -> None:
    page = new_page(app + PAGES[name], ready=READY.get(name, ".qb-page h1, .qb-status") + " >> visible=true")
    styled(page)
    page.add_script_tag(path=AXE)
    page.add_style_tag(content="* { transition: none !important; }")  # colours half way to the other scheme
    found: dict[str, list[str]] = {}
    for width, height, scheme in ((1360, 900, "light"), (390, 844, "dark")):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("dark => document.body.classList.toggle('dark', dark)", scheme == "dark")
        found[f"{width} px, {scheme}"] = page.evaluate(FAULTS)
        assert fits(page), width
    assert {place: faults for place, faults in found.items() if faults} == {}
