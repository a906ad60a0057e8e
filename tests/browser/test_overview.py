"""Overview: the first screen, and charts beside sentences."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from leaderboard.analysis.overview import BoardSummary, map_boards, summarise
from leaderboard.html.overview import QUESTION
from tests.browser.conftest import NewPage
from tests.browser.seen import models
from tests.leaderboard.published import published, simulated

DRAWN = ".qb-chart:not([aria-busy]) "
READY = DRAWN + "#overview-released .scatterlayer"
MAP = DRAWN + "#overview-map .heatmaplayer"


@pytest.fixture(scope="module")
def found() -> BoardSummary:
    return summarise(published().table("perception-dev"), simulated())


@pytest.fixture
def show(boards: str, new_page: NewPage) -> NewPage:
    return lambda query="", **options: new_page(boards + query, **{"ready": READY, **options})


def drawn(page: Page, name: str) -> list[float]:
    """Heights of a trace of the chart of release months."""
    values: list[float] = page.evaluate(
        """(name) => {
          const trace = document.querySelector("#overview-released").data.find((found) => found.name === name);
          return [...trace.y];
        }""",
        name,
    )
    return values


def cells(page: Page) -> list[list[int | None]]:
    """The map's figures as they are written in its cells."""
    texts = page.evaluate("document.querySelector('#overview-map').data[0].text.map((row) => [...row])")
    return [[int(text.replace("−", "-")) if text else None for text in row] for row in texts]


def test_it_is_the_landing_page_and_shows_what_the_tables_hold(
    app: str, new_page: NewPage, found: BoardSummary
) -> None:
    page = new_page(app, ready=READY)
    expect(page.get_by_role("tab", name="Overview")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Can multimodal models see")
    for name, is_open in (("open weights", True), ("closed", False)):
        figures = [scored.figure.value * 100 for scored in found.dated if scored.model.open is is_open]
        assert drawn(page, name) == pytest.approx(figures)
    for scored in found.undated:
        expect(page.get_by_text("their release month is unknown")).to_contain_text(scored.model.name)
    best = page.locator(".qb-lists section").first.locator("li a").all_inner_texts()
    assert best == [scored.model.name for scored in found.ranked[:5]]


WHERE = """[...document.querySelectorAll(".qb-first, .qb-first :is(h1, h2, p, li, img, b, small)")].map((part) => {
  const { x, y, width, height } = part.getBoundingClientRect();
  return [part.tagName, x, y, width, height, getComputedStyle(part).color].join(" ");
})"""


def test_the_first_screen_is_there_before_gradio_and_stays_where_it_is(app: str, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 900}, color_scheme="dark")
    page.route("**/assets/index-*.js", lambda route: route.abort())
    page.goto(app)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Can multimodal models see")
    expect(page.locator(".qb-lists li")).to_have_count(15)
    image = page.get_by_role("img", name="A raccoon")
    page.wait_for_function("image => image.complete && image.naturalWidth === 512", arg=image.element_handle())
    early = page.evaluate(WHERE)
    page.unroute("**/assets/index-*.js")
    page.route("**/board-data/**", lambda route: route.abort())
    page.goto(app)
    expect(page.locator("#overview")).to_contain_text("The charts could not be loaded")
    expect(page.locator(".qb-early")).to_have_count(0)
    assert page.evaluate(WHERE) == early
    styles = page.evaluate("[...document.styleSheets].map(({ href }) => href?.split('/').at(-1))")
    assert styles[-1 - styles[::-1].index("pages.css") :].count("model.css") == 1  # a later one has the last word
    page.close()


def test_a_chart_is_saved_as_png_svg_and_csv(show: NewPage, found: BoardSummary, tmp_path: Path) -> None:
    page = show()
    files = {}
    for kind in ("PNG", "SVG", "CSV"):
        with page.expect_download() as handed:
            page.locator(".qb-block").first.get_by_role("button", name=f"save as {kind}").click()
        assert handed.value.suggested_filename == f"{found.table.board.key}-released.{kind.lower()}"
        handed.value.save_as(tmp_path / kind)
        files[kind] = (tmp_path / kind).read_bytes()
    assert files["PNG"].startswith(b"\x89PNG")
    assert b"<svg" in files["SVG"]
    head, *rows = csv.reader(io.StringIO(files["CSV"].decode("utf-8-sig")))
    assert head[:2] == ["Model", "Released"]
    shown = [*found.dated, *found.undated]
    assert [row[0] for row in rows] == [scored.model.name for scored in shown]


def test_the_map_holds_every_figure_and_arrows_go_from_cell_to_cell_and_enter_opens_the_board(show: NewPage) -> None:
    page, between = show(ready=MAP), map_boards(published())
    scales = [scale for scale in between.scales if any(model.id in scale.figures for model in between.models)]
    assert cells(page) == [
        [None if (share := scale.share(model.id)) is None else round(share) for scale in scales]
        for model in between.models
    ]
    block = page.locator(".qb-block", has=page.locator("#overview-map"))
    block.locator(".qb-chart").focus()
    page.keyboard.press("ArrowDown")
    first, second = between.models[:2]
    said = block.locator("[role=status]")
    expect(said).to_contain_text(f"{first.name}, {scales[0].board.title}:")
    page.keyboard.press("ArrowDown")
    expect(said).to_contain_text(f"{second.name}, {scales[0].board.title}:")
    page.keyboard.press("ArrowRight")  # over the blanks, to the next board that has the model
    board = next(scale.board for scale in scales[1:] if second.id in scale.figures)
    expect(said).to_contain_text(f"{second.name}, {board.title}:")
    page.keyboard.press("Enter")
    page.locator("tr[data-id]").first.wait_for()
    assert f"board={board.key}" in page.url
    assert second.name in models(page)


def test_before_gradio_the_tab_that_the_address_names_is_marked(app: str, browser: Browser) -> None:
    page = browser.new_page()
    page.route("**/assets/index-*.js", lambda route: route.abort())
    for asked, tab in (
        ("tab=probe", "Probe"),
        ("board=assessment", "Leaderboard"),
        ("__theme=system&__sign=1", "Overview"),
    ):
        page.goto(f"{app}?{asked}")
        assert page.locator("nav [aria-current=page]").all_inner_texts() == [tab]
        expect(page.locator(".qb-first")).to_have_count(int(tab == "Overview"))
    assert page.locator("meta[property='og:description']").first.get_attribute("content") == QUESTION
    page.close()


def test_a_tap_names_a_mark_and_the_next_follows_it(show: NewPage) -> None:
    page = show(width=390, has_touch=True, is_mobile=True)
    mark = page.locator("#overview-released .points path").first
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    assert box
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".qb-block [role=status]").first).to_contain_text("released 20")
    box = mark.bounding_box()
    assert box
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.locator("tr[data-id]").first.wait_for()
