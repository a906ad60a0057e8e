"""From the board to a comparison: by one click on a row, by ticks, and with the best of what is in view."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.drawn import wait_for_models
from tests.browser.seen import models

NewPage = Callable[..., Page]


@pytest.fixture
def show(app: str, new_page: NewPage) -> NewPage:
    return lambda query="", **options: new_page(app + query, **options)


def asked(address: str) -> dict[str, str]:
    return {name: value for name, [value] in parse_qs(urlsplit(address).query).items()}


def test_ticked_models_and_a_row_beside_the_leader_are_sent_to_compare(show: NewPage) -> None:
    page = show("?board=perception-test")
    leader, *_ = models(page)
    row = page.locator("tr[data-id='internlm-xcomposer-vl'] .qb-compare")
    expect(row).to_have_attribute("aria-label", f"Compare InternLM-XComposer-VL with {leader}")
    assert asked(row.get_attribute("href") or "")["models"].split(",")[0] == "internlm-xcomposer-vl"
    expect(page.get_by_role("link", name="Compare the top 3")).to_be_visible()
    for name in ("GPT-4V", "Qwen-VL"):
        page.get_by_label(f"Tick {name} to compare", exact=True).check()
    page.wait_for_function("location.search.includes('models=')")
    again = show(f"?{urlsplit(page.url).query}")
    expect(again.get_by_label("Tick Qwen-VL to compare", exact=True)).to_be_checked()
    again.get_by_role("link", name="Compare the 2 ticked").click()
    again.locator("#compare-plot .js-plotly-plot").wait_for()
    assert asked(again.url)["board"] == "perception-test"
    wait_for_models(again, "compare-plot", "gpt-4v", "qwen-vl")
