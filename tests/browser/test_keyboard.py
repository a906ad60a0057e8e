"""What each page is for, done with the keyboard alone: every step begins where Tab leads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from leaderboard.live.service.uploads import EXAMPLES
from tests.browser.conftest import NewPage, quiet_pages

MOST_STEPS = 150
MOST_TRIES = 60


def go_to(page: Page, part: Locator) -> None:
    """Press Tab until the part has the focus; it must show that."""
    part.wait_for()
    for _ in range(MOST_STEPS):
        if part.evaluate("element => element === document.activeElement"):
            ring = "element => [getComputedStyle(element).outlineStyle, getComputedStyle(element).boxShadow]"
            assert part.evaluate(ring) != ["none", "none"]
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab does not lead to {part}")


def press(page: Page, part: Locator, key: str = "Enter") -> None:
    go_to(page, part)
    page.keyboard.press(key)


def give(page: Page, part: Locator, *files: Path) -> None:
    """Through the dialog that the key opens."""
    go_to(page, part)
    for _ in range(MOST_TRIES):
        try:
            with page.expect_file_chooser(timeout=3_000) as chooser:
                page.keyboard.press("Enter")
        except PlaywrightTimeout:
            continue  # a key that comes before Gradio's script does nothing
        return chooser.value.set_files(files)
    pytest.fail("no dialog for files")


def upload_button(page: Page, place: str) -> Locator:
    return page.locator(f"{place} button.upload-container, {place} button:has(input[type=file])").first


@pytest.fixture(scope="module")
def opened(app: str, browser: Browser, used_contexts: dict[str, list[BrowserContext]]) -> Iterator[Page]:
    """Wide enough for all tabs."""
    with quiet_pages(browser, used_contexts) as open_page:
        yield open_page(app, ready="#overview-released svg", width=1800)


@pytest.fixture
def show(opened: Page) -> NewPage:
    """Open a page of the app by its tab; each page is used by one test."""

    def show(tab: str, ready: str) -> Page:
        opened.get_by_role("tab", name=tab, exact=True).press("Enter")
        opened.locator(ready).locator("visible=true").first.wait_for()
        return opened

    return show


def test_overview(show: NewPage) -> None:
    page = show("Overview", "#overview-released svg")
    boards = page.locator("#overview select[aria-label=Board]")
    go_to(page, boards)
    before = boards.input_value()
    page.keyboard.press("ArrowDown")
    expect(boards).not_to_have_value(before)
    expect(page.locator("#overview[aria-busy], #overview [aria-busy=true]")).to_have_count(0)  # its charts are drawn
    go_to(page, page.locator("#overview-released").locator("xpath=ancestor::*[contains(@class, 'qb-chart')]"))
    page.keyboard.press("ArrowRight")
    expect(page.locator("#overview .qb-block [role=status]").first).to_contain_text(":")
    press(page, page.get_by_role("link", name="All habits, with charts"))
    expect(page.get_by_role("tab", name="Bias")).to_have_attribute("aria-selected", "true")


def test_leaderboard(boards: str, new_page: NewPage) -> None:
    page = new_page(f"{boards}?tab=leaderboard")
    head = page.locator("th.qb-figure button.qb-sort").nth(1)
    press(page, head)
    expect(page.locator("th[aria-sort]")).to_have_count(1)
    expect(page.get_by_role("tooltip").locator("visible=true")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("tooltip").locator("visible=true")).to_have_count(0)
    source = page.locator("tbody:not(.qb-references) .qb-source button").first
    press(page, source)
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(source).to_be_focused()
    page.reload()
    page.locator(".qb-status").first.wait_for()
    go_to(page, page.get_by_label("Find a model").locator("visible=true"))
    page.keyboard.type("qwen3-vl-8b")
    expect(page.locator("tbody:not(.qb-references) .qb-model bdi")).to_have_text(["Qwen3-VL-8B"])
    filters = page.locator(".qb-menus button:visible", has_text="Filters")
    press(page, filters)
    press(page, page.locator("select:visible", has=page.locator("option[value=closed]")), "ArrowDown")
    page.wait_for_url(re.compile("weights=open"))


def test_model(show: NewPage) -> None:
    page = show("Model", ".qb-directory")
    press(page, page.get_by_role("link", name="Qwen3-VL-8B", exact=True))
    expect(page.get_by_role("heading", name="Qwen3-VL-8B")).to_be_visible()
    press(page, page.locator(".qb-model-page .qb-command button").first)
    press(page, page.locator("summary:visible").first)
    expect(page.locator(".qb-model-page details[open]")).to_have_count(1)


def test_compare(show: NewPage) -> None:
    page = show("Compare", "#compare-plot .js-plotly-plot .trace, #compare-plot .slice-line")
    chosen = page.locator("#compare-models .qb-chip")
    expect(chosen).to_have_count(3)
    press(page, page.get_by_role("button", name="Remove Gemini 3 Pro"))
    expect(chosen).to_have_count(2)
    go_to(page, page.get_by_label("Add a model"))
    page.keyboard.type("Qwen3-VL-8B")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("qwen3-vl-8b"))
    page.keyboard.press("Escape")
    press(page, page.locator("#compare-mode input:checked"), "ArrowRight")
    page.wait_for_url(re.compile("radar=raw"))
    press(page, page.locator("#compare").get_by_role("button", name=re.compile("link", re.I)))
    expect(page.locator("#compare").get_by_role("button", name=re.compile("link", re.I))).not_to_have_text("Copy link")


def test_bias(boards: str, new_page: NewPage) -> None:
    page = new_page(f"{boards}?tab=bias", ready="#bias-words .js-plotly-plot")
    press(page, page.locator("#bias-pairs input:checked"), "ArrowRight")
    page.wait_for_url(re.compile("pairs=fine"))
    expect(page.get_by_text("(1 to 81")).to_be_visible()
    press(page, page.locator("summary:visible", has_text="Table").last)
    expect(page.locator("details[open] .qb-data")).to_have_count(1)


def test_probe(show: NewPage) -> None:
    page = show("Probe", "#probe-photo")
    give(page, upload_button(page, "#probe-photo"), EXAMPLES[0])
    expect(page.locator("#probe-result")).to_contain_text(f"{EXAMPLES[0].name}, judged by")
    press(page, page.get_by_role("button", name=f"Example {EXAMPLES[2].stem}"))
    expect(page.locator("#probe-result")).to_contain_text(f"{EXAMPLES[2].name}, judged by")
    press(page, page.locator("#probe-degrade"))
    page.locator("#probe-curves .js-plotly-plot .trace").first.wait_for()


def test_pair(show: NewPage) -> None:
    page = show("Pair", "#pair-a")
    for name, path in zip("ab", EXAMPLES[:2], strict=True):
        give(page, upload_button(page, f"#pair-{name}"), path)
    verdict = page.locator("#pair-result .qb-verdict")
    expect(verdict).to_contain_text("sharpness scores A higher")
    press(page, page.locator("#pair-swap"))
    expect(verdict).to_contain_text("sharpness scores B higher")
    press(page, page.locator("#pair-viewer input:checked"), "ArrowRight")
    expect(page.get_by_label("Blink", exact=True)).to_be_checked()
    press(page, page.locator("#pair-examples tbody tr").first)
    expect(page.locator("#pair-result")).to_contain_text("admiral.jpg and astronaut.jpg, judged by")


def test_run(show: NewPage) -> None:
    page = show("Run", "#run-start")
    go_to(page, page.locator("#run-size input"))
    for key in ("ArrowDown", "Enter"):
        page.keyboard.press(key)
    press(page, page.locator("#run-start"))
    expect(page.locator("#run-status")).to_contain_text(re.compile("Done|Already done"))
    go_to(page, page.locator("#run-archive"))
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename.endswith(".zip")


def test_submit(show: NewPage, tmp_path: Path) -> None:
    page = show("Submit", "#submit-file")
    press(page, page.get_by_role("button", name="Formats, each with an example to download"))
    example = page.locator("a[href$='scores.koniq.csv']")
    go_to(page, example)
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    download.value.save_as(tmp_path / "scores.koniq.csv")
    give(page, upload_button(page, "#submit-file"), tmp_path / "scores.koniq.csv")
    page.locator("#submit-report h3, #submit-report .qb-finding").first.wait_for()
    go_to(page, page.locator("#submit-model input"))
    page.keyboard.type("By keyboard")
    page.keyboard.press("Enter")
    expect(page.locator("#submit-report")).to_contain_text("is a new model here")
    press(page, page.locator("#submit-send"))
    expect(page.locator("#submit-receipt h3")).to_have_text("Handed in")


def test_about(show: NewPage) -> None:
    page = show("About", "#about h2")
    press(page, page.locator("#about-contents").get_by_role("link", name="Limits", exact=True))
    expect(page.locator("#about h2", has_text="Limits")).to_be_in_viewport()
