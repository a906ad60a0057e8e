"""Every chart is read with the arrow keys: name and value of each mark, told to screen readers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect


@pytest.mark.parametrize(
    ("address", "plot", "said"),
    [
        ("?tab=bias", "bias-yes-no", ["InstructBLIP (Vicuna-7B), answer No: 50.47 %", "answer Yes: 84.32 %"]),
        ("?tab=bias", "bias-ranks", ["InstructBLIP (Vicuna-7B): all questions 1,", "mPLUG-Owl: all questions 2,"]),
        (
            "?tab=compare&board=perception-dev&models=qwen-vl,shikra",
            "compare-plot",
            ["Qwen-VL, Yes or no: 13.09 %", "Shikra, Yes or no: 15.64 %"],
        ),
        (
            "?tab=compare&board=demo-n-way",
            "compare-plot",
            ["nano-clip, 2 images", "nano-vlm, 2 images", "chance, 2 images"],
        ),
    ],
)
def test_arrow_keys_say_name_and_value_of_each_mark(
    app: str, new_page: Callable[..., Page], address: str, plot: str, said: list[str]
) -> None:
    page = new_page(app + address, ready=f"#{plot} .js-plotly-plot .trace, #{plot} .slice-line")
    chart, status = page.locator(f"#{plot} .qb-chart"), page.locator(f"#{plot} [role=status]")
    chart.focus()
    for text in said:
        page.keyboard.press("ArrowDown")
        expect(status).to_contain_text(text.replace(" ", " "))
        expect(page.locator(f"#{plot} .hoverlayer .hovertext")).to_have_count(1)
    page.keyboard.press("ArrowUp")
    expect(status).to_contain_text(said[-2])
    page.keyboard.press("Escape")
    expect(status).to_have_text("")
