"""Every chart is read with the arrow keys: name and value of each mark, told to screen readers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from leaderboard.live.service.uploads import EXAMPLES
from tests.browser.slow_model import make_pictures


@pytest.mark.parametrize(
    ("address", "plot", "said"),
    [
        ("?tab=bias", "bias-yes-no", ["InstructBLIP (Vicuna-7B), answer No: 50.47 %", "answer Yes: 84.32 %"]),
        (
            "?tab=compare&board=perception-dev&models=qwen-vl,shikra",
            "compare-plot",
            ["Chance Yes or no: 0.00 %", "Qwen-VL Yes or no: 13.09 %", "Shikra Yes or no: 15.64 %"],
        ),
        (
            "?tab=compare&board=perception-dev&models=qwen-vl,shikra&chart=dots",
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
    app: str, boards: str, new_page: Callable[..., Page], address: str, plot: str, said: list[str]
) -> None:
    page = new_page(
        (boards if "bias" in address else app) + address, ready=f"#{plot} .js-plotly-plot .trace, #{plot} .slice-line"
    )
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


def read_chart(page: Page, plot: str, *keys: str) -> list[str]:
    """What a chart says after each of these keys."""
    page.locator(f"#{plot} .js-plotly-plot .trace").first.wait_for()
    page.locator(f"#{plot} .qb-chart").focus()
    said = []
    for key in keys:
        page.keyboard.press(key)
        said.append(page.locator(f"#{plot} [role=status]").text_content() or "")
    return said


def test_the_chart_of_a_tournament(app: str, new_page: Callable[..., Page], tmp_path: Path) -> None:
    page = new_page(app + "?tab=tournament", ready="#tournament-start")
    page.locator("#tournament-files input[type=file]").set_input_files(make_pictures(tmp_path))
    expect(page.locator("#tournament-files")).to_contain_text("photo-3")
    page.locator("#tournament-start").click()
    page.locator("#tournament-methods summary").wait_for()
    names, scores = (page.locator(f"#tournament-ranked {part}").all_inner_texts() for part in ("bdi", "strong"))
    ranked = [f"{name}: {score.replace('−', '-')} after round 12" for name, score in zip(names, scores, strict=True)]
    assert read_chart(page, "tournament-plot", "End", "ArrowUp") == [ranked[-1], ranked[-2]]
    [first] = read_chart(page, "tournament-plot", "Home")
    assert first.startswith("photo-") and first.endswith(" after round 1")


def test_the_chart_of_own_images(app: str, new_page: Callable[..., Page]) -> None:
    page = new_page(app + "?tab=run", ready="#run-start")
    page.get_by_role("button", name="Your own images").click()
    page.locator("#own-files input[type=file]").set_input_files(EXAMPLES[:3])
    expect(page.locator("#own-files")).to_contain_text(EXAMPLES[2].stem)
    page.locator("#own-start").click()
    rows = page.locator("#own-results tbody tr")
    expect(rows).to_have_count(3)
    cells = [row.locator("th, td").all_inner_texts() for row in rows.all()]
    said = read_chart(page, "own-plot", "Home", "ArrowRight", "ArrowRight")
    for text, row in zip(said, cells, strict=True):
        name, value = text.rsplit(" ", 1)
        assert name in row
        assert abs(float(value) - float(row[-1])) <= 0.5  # the table rounds


def test_the_charts_of_probe(app: str, new_page: Callable[..., Page]) -> None:
    page = new_page(app + "?tab=probe", ready="#probe-photo")
    page.locator("#probe-photo input[type=file]").set_input_files(EXAMPLES[2])
    page.locator("#probe-result").get_by_text("Answered in").wait_for()
    page.locator("#probe-degrade").click()
    said = read_chart(page, "probe-curves", "Home", *["ArrowRight"] * 5)
    assert [text.split(":")[0] for text in said] == [f"sharpness, level {level}" for level in range(6)]
    page.locator("#probe-place").click()
    own = page.locator("#probe-standing")
    expect(own).to_contain_text("126")
    first, second = read_chart(page, "probe-standing-plot", "Home", "ArrowRight")
    assert float(first) <= float(second)
