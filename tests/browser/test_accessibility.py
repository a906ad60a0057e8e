"""Every page, wide and light, then narrow and dark: axe-core finds no serious fault, nothing scrolls sideways, the
content security policy allows what the page needs, and nothing jumps. An owner's `site.toml`, of docs/host.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page, expect

from leaderboard.export.site import export_site
from leaderboard.look import read_look
from leaderboard.settings import Settings
from leaderboard.snapshot import open_snapshot
from tests.browser.conftest import ASSETS, PATIENCE, ROOT, NewPage, Quiet, run_app, serve_files
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


EXAMPLE = re.compile(r'(?m)^    (title = "Photos (?:.|\n)*?)\n\n')
COLOUR = "link => getComputedStyle(link).color"
WHERE = """parts => parts.map((part) => {
  const { x, y, width, height } = part.getBoundingClientRect();
  return [part.textContent.trim(), x, y, width, height, getComputedStyle(part).color].join(" ");
})"""
ACCENT = "rgb(138, 21, 56)"
FIRST = "Which model scores photos most like people, without training on ratings?"
"""What the board `assessment` answers."""
USUAL = (ACCENT, "rgb(125, 178, 255)")
"""That of the light page, and that of dark ones without the file."""


@pytest.fixture
def results(tmp_path: Path) -> Path:
    [example] = EXAMPLE.findall((ROOT / "docs" / "host.md").read_text(encoding="utf-8"))
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "site.toml").write_text(example.replace("\n    ", "\n"), encoding="utf-8")
    return folder


@pytest.fixture
def ours(results: Path, tmp_path: Path) -> Iterator[str]:
    with run_app(results, tmp_path / "log") as address:
        yield address


def test_the_app_has_the_owner_s_title_colour_tabs_and_first_board(
    ours: str, browser: Browser, new_page: NewPage
) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.route("**/assets/index-*.js", lambda route: route.abort())
    page.goto(ours)
    before = page.locator(".qb-site-name, nav [aria-current=page]").evaluate_all(WHERE)
    page.emulate_media(color_scheme="dark")
    page.reload()
    assert page.locator("nav [aria-current=page]").evaluate(COLOUR) not in USUAL
    page.close()
    page = new_page(ours)
    assert page.locator(".qb-site-name, [role=tab][aria-selected=true]").evaluate_all(WHERE) == before
    expect(page.get_by_role("tab")).to_have_text(["Leaderboard", "Compare", "Submit", "About"])
    expect(page.get_by_role("tab", name="Leaderboard")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("heading", level=1)).to_have_text(FIRST)
    expect(page.locator(".qb-site-name")).to_have_text("Photos at our lab")
    expect(page).to_have_title("Photos at our lab")
    link = page.get_by_role("link", name="How it is measured")
    assert link.evaluate(COLOUR) == ACCENT
    page.add_script_tag(path=AXE)
    page.add_style_tag(content="* { transition: none !important; }")
    page.locator(".qb-chip").first.click()
    assert page.evaluate(FAULTS) == []
    page.evaluate("document.body.classList.add('dark')")
    assert link.evaluate(COLOUR) not in USUAL
    assert page.evaluate(FAULTS) == []

    page.goto(f"{ours}?tab=overview")  # a link from elsewhere, to a page without a tab
    page.get_by_role("link", name="Score one photo").click()
    expect(page.get_by_role("tab", name="Probe")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("heading", name="What does a model see in one photo?")).to_be_visible()
    expect(page.get_by_role("tab")).to_have_text(["Leaderboard", "Compare", "Submit", "About", "Probe"])
    page.go_back()
    expect(page.get_by_role("heading", name="Can multimodal models see")).to_be_visible()


def test_the_static_copy_has_them_too(results: Path, new_page: NewPage, tmp_path: Path) -> None:
    settings = Settings(ASSETS, results, look=read_look(results))
    whole = open_snapshot(settings)
    [first, *_] = whole.boards
    some = tuple(record for record in whole.loaded.records if record.result.dataset == "koniq-10k")
    small = replace(whole, loaded=replace(whole.loaded, records=some), boards=(first,))
    export_site(small, ASSETS, tmp_path / "site", settings.look)
    assert "<title>Photos at our lab: new results</title>" in (tmp_path / "site" / "feed.xml").read_text()
    with serve_files(partial(Quiet, directory=str(tmp_path / "site"))) as site:
        page = new_page(site)
        expect(page.locator(".qb-nav a")).to_have_text(["Leaderboard", "Compare", "About", "New results (Atom)"])
        expect(page.get_by_role("heading", level=1)).to_have_text(FIRST)
        expect(page.locator(".qb-site-name")).to_have_text("Photos at our lab")
        expect(page).to_have_title("Photos at our lab")
        assert page.locator(".qb-nav a[aria-current]").evaluate(COLOUR) == ACCENT
        page.goto(f"{site}?tab=bias")
        expect(page.get_by_role("heading", level=1)).to_have_text("Which habits bias the answers?")
