"""Every chart is read with the arrow keys: name and value of each mark, told to screen readers."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect


def assert_read(page: Page, plot: str, *said: str) -> None:
    """Each mark in its turn says its name and value, going back says the one before, and Escape nothing."""
    page.locator(f"#{plot} .js-plotly-plot .trace, #{plot} .slice-line").first.wait_for()
    status = page.locator(f"#{plot} [role=status]")
    page.locator(f"#{plot} .qb-chart").focus()
    for text in said:
        page.keyboard.press("ArrowDown")
        expect(status).to_contain_text(text)
        expect(page.locator(f"#{plot} .hoverlayer .hovertext")).to_have_count(1)
    page.keyboard.press("ArrowUp")
    expect(status).to_contain_text(said[-2])
    page.keyboard.press("Escape")
    expect(status).to_have_text("")


def test_the_charts_of_compare(app: str, new_page: Callable[..., Page]) -> None:
    """A radar, rows of dots and a curve."""
    address = f"{app}?tab=compare&board=perception-dev&models=qwen-vl,shikra"
    page = new_page(address, ready="#compare-plot .js-plotly-plot .trace, #compare-plot .slice-line")
    on_radar = ("Chance Yes or no: 0.00 %", "Qwen-VL Yes or no: 13.09 %", "Shikra Yes or no: 15.64 %")
    assert_read(page, "compare-plot", *on_radar)
    page.get_by_label("Dots with intervals").check()
    page.wait_for_function("document.querySelector('#compare-plot .js-plotly-plot').data[0].type === 'scatter'")
    assert_read(page, "compare-plot", "Qwen-VL, Yes or no: 13.09 %", "Shikra, Yes or no: 15.64 %")
    page.goto(f"{app}?tab=compare&board=demo-n-way")
    assert_read(page, "compare-plot", "nano-clip, 2 images", "nano-vlm, 2 images", "Chance, 2 images")
