"""An owner's `site.toml`, as docs/host.md shows it, in the app and in the static copy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from leaderboard.export.site import export_site
from leaderboard.look import read_look
from leaderboard.settings import Settings
from leaderboard.snapshot import open_snapshot
from tests.browser.conftest import ASSETS, ROOT, NewPage, Quiet, run_app, serve_files
from tests.browser.test_accessibility import AXE, FAULTS

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
