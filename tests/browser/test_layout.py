"""What stands on a page stays where it is while the rest arrives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.seen import SHIFTS

DRAWN = {
    "overview": "#overview .js-plotly-plot",
    "compare": "#compare-plot .js-plotly-plot",
    "model&model=gpt-4v": "#model .js-plotly-plot",
}
"""Tab, and what of it comes last."""
MOST = 0.1
"""Above it a page counts as jumping (web.dev/cls)."""


@pytest.mark.parametrize(
    ("tab", "width"),
    [("overview", 1280), ("compare", 390), ("model&model=gpt-4v", 390)],
)
def test_nothing_jumps_while_a_page_arrives(app: str, new_page: Callable[..., Page], tab: str, width: int) -> None:
    page = new_page(f"{app}?tab={tab}", ready=DRAWN[tab], width=width)
    page.wait_for_function("!document.querySelector('[aria-busy=true]')")
    shifts: list[dict[str, Any]] = page.evaluate(SHIFTS)
    assert sum(shift["value"] for shift in shifts) < MOST, shifts
