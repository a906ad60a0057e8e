from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import NewPage

BIAS = "?tab=bias"
BIAS_READY = "#bias-words .js-plotly-plot"
PLOTS = ("bias-yes-no", "bias-kept", "bias-correlation", "bias-words")


def test_each_strip_is_a_sentence_a_chart_and_a_table(boards: str, new_page: NewPage) -> None:
    page = new_page(boards + BIAS, ready=BIAS_READY)
    expect(page.locator(".qb-page h3:visible")).to_have_count(7)
    expect(
        page.get_by_text("mPLUG-Owl is 2nd by accuracy on all questions, and 5th by the mean of Yes and No")
    ).to_be_visible()
    for plot in PLOTS:
        assert page.locator(f"#{plot} .shape-group path, #{plot} .shapelayer path").count()
    tables = page.locator("summary:visible", has_text="Table")
    assert tables.count() == 6  # two of positions: as the papers report them, and as records here tell them
    for summary in tables.all():
        summary.focus()
        page.keyboard.press("Enter")
    assert page.locator(".qb-data:visible").count() == 6 + 1  # that of the judge has no chart, and stands open
    expect(page.get_by_role("row", name="mPLUG-Owl").first).to_contain_text("95.82")


def test_a_word_of_the_field_is_explained_by_key_and_tap(boards: str, new_page: NewPage) -> None:
    page = new_page(boards + BIAS, ready=BIAS_READY, width=390, is_mobile=True, has_touch=True)
    word, tip = page.locator("#bias-kept .qb-term"), page.get_by_role("tooltip").locator("visible=true")
    expect(word).to_have_text("What is κ?")
    word.tap()
    expect(tip).to_contain_text("share of pairs for which the model names the same picture in both orders")
    page.keyboard.press("Escape")
    expect(tip).to_have_count(0)
    page.locator("#bias-kept .qb-chart").focus()
    page.keyboard.press("Tab")
    expect(word).to_be_focused()
    expect(tip).to_contain_text("share of pairs for which")
