from __future__ import annotations

import re
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Page, expect

from leaderboard.analysis.compare import best_models
from tests.browser.conftest import NewPage
from tests.browser.drawn import models, names, read_chart, traces, wait_for_models
from tests.leaderboard.published import published

READY = "#compare-plot .js-plotly-plot"
TWO = "?tab=compare&board=perception-test&models=gpt-4v,qwen-vl"
HOSTILE = '<img src=x onerror="alert(1)">${alert(2)}{{7*7}}' + "y" * 300


def choose(page: Page, board: str) -> None:
    choice = page.locator("#compare").get_by_label("Board", exact=True)
    named = choice.locator("option", has_text=re.compile(rf"· {board}( \(recommended\))?$"))
    choice.select_option(named.first.get_attribute("value"))


def take_away(page: Page, name: str) -> None:
    page.get_by_role("button", name=f"Remove {name}").click()


SEVEN_AXES = {
    "perception-test": "gpt-4v,gemini-pro-vision,qwen-vl-plus,internlm-xcomposer-vl,qwen-vl,shikra",
    "unisim-core": "unisim-vit-l-14,unisim-ll-n-0.5b,unisim-ll-n-7b,clip-vit-l-14-336,blip,siglip-so400m-14",
}
"""Board -> six of its models."""


@pytest.mark.parametrize(("board", "width"), [("perception-test", 1280), ("unisim-core", 390)])
def test_seven_axes_are_a_radar_whose_names_are_whole(app: str, new_page: NewPage, board: str, width: int) -> None:
    page = new_page(f"{app}?tab=compare&board={board}&models={SEVEN_AXES[board]}", ready=READY, width=width)
    drawn = traces(page, "compare-plot")
    assert {len(trace["r"]) for trace in drawn} == {8}
    [(_, chart), *written] = names(page, "compare-plot")
    texts = [text for text, _ in written]
    named = [text.split(" ", 1)[-1].replace(" ", "") for text in texts]
    for trace in drawn:  # people, chance and models, each once
        assert named.count(trace["name"].replace(" ", "")) == 1
    for axis in {axis for trace in drawn for axis in trace["theta"]}:
        assert axis.replace("<br>", "") in texts
    for place, (text, box) in enumerate(written):
        assert box[0] >= chart[0] and box[1] >= chart[1] and box[2] <= chart[2] and box[3] <= chart[3], text
        for other, its in written[place + 1 :]:
            apart = box[2] <= its[0] or its[2] <= box[0] or box[3] <= its[1] or its[3] <= box[1]
            assert apart, f"{text} covers {other}"


def test_raw_figures_and_dots_with_intervals_are_a_click_away_and_the_link_says_so(app: str, new_page: NewPage) -> None:
    page = new_page(app + TWO, ready=READY)
    wait_for_models(page, "compare-plot", "gpt-4v", "qwen-vl")
    page.get_by_label("As it is").check()
    page.wait_for_function("location.search.includes('radar=raw')")
    as_radar = models(page, "compare-plot")
    assert as_radar["gpt-4v"] == pytest.approx([77.92, 79.18, 62.68, 70.58, 73.03, 74.66, 77.95])
    assert as_radar["random-guess"][0] == 50
    page.get_by_label("Dots with intervals").check()
    page.wait_for_function("document.querySelector('#compare-plot .js-plotly-plot').data[0].type === 'scatter'")
    page.wait_for_function("location.search.includes('chart=dots')")
    assert models(page, "compare-plot") == as_radar
    expect(page.locator("#compare").get_by_text("The figures are in the table below")).to_have_count(1)
    again = new_page(page.url, ready=READY)
    assert models(again, "compare-plot") == as_radar
    expect(again.get_by_label("Dots with intervals")).to_be_checked()
    expect(again.get_by_label("As it is")).to_be_checked()
    choose(again, "2AFC, fine pairs")
    again.wait_for_function("location.search.includes('board=2afc-fine')")
    expect(again.get_by_label("Dots with intervals")).to_be_hidden()  # 14 axes are dots alone


def test_charts_are_read_mark_by_mark(app: str, new_page: NewPage) -> None:
    """A radar, rows of dots and a curve."""
    page = new_page(f"{app}?tab=compare&board=perception-dev&models=qwen-vl,shikra", ready=READY)
    chance, first, second, *back = read_chart(page, "compare-plot", *["ArrowDown"] * 3, "ArrowUp", "Escape")
    assert (chance, first) == ("Chance Yes or no: 0.00 % above chance", "Qwen-VL Yes or no: 13.09 % above chance")
    assert (second, back) == ("Shikra Yes or no: 15.64 % above chance", [first, ""])
    expect(page.locator("#compare-plot .hoverlayer .hovertext")).to_have_count(0)
    page.get_by_label("Dots with intervals").check()
    page.wait_for_function("document.querySelector('#compare-plot .js-plotly-plot').data[0].type === 'scatter'")
    first, second = read_chart(page, "compare-plot", "ArrowDown", "ArrowDown")
    assert first.startswith("Qwen-VL, Yes or no: 13.09 %") and second.startswith("Shikra, Yes or no: 15.64 %")
    page.goto(f"{app}?tab=compare&board=demo-n-way")
    said = read_chart(page, "compare-plot", *["ArrowDown"] * 3)
    assert [text.split(", 2 images")[0] for text in said] == ["nano-clip", "nano-vlm", "Chance"]


def test_models_that_a_link_makes_up_are_left_out(app: str, new_page: NewPage) -> None:
    best = best_models(published(), "perception-test")
    for asked, shown in (("qwen-vl,nobody,qwen-vl,gpt-4v", ["qwen-vl", "gpt-4v"]), (HOSTILE[:190], best)):
        page = new_page(
            f"{app}?{urlencode({'tab': 'compare', 'board': 'perception-test', 'models': asked})}", ready=READY
        )
        wait_for_models(page, "compare-plot", *shown)
        expect(page.locator("#compare-models .qb-chip")).to_have_count(len(shown))
        expect(page.locator(".toast-body")).to_have_count(0)
        made_up = "“nobody”" if "nobody" in asked else f"“{HOSTILE[:35]}…”"
        expect(page.locator("#compare-notice")).to_contain_text(f"No model goes by the name {made_up}.")
    take_away(page, published().table("perception-test").ranked[best[0]].model.name)
    expect(page.locator("#compare-notice")).to_have_text("")


def test_another_board_keeps_the_models_it_has_names_the_others_and_all_can_be_taken_away(
    app: str, new_page: NewPage
) -> None:
    page = new_page(app + TWO, ready=READY)
    choose(page, "A3 Assessment")
    drawn = wait_for_models(page, "compare-plot", "qwen-vl")
    assert drawn["qwen-vl"][0] == pytest.approx(0.508)
    expect(page.locator("#compare-differences")).to_contain_text("Not on this board: GPT-4V.")
    expect(page.get_by_label("Chance subtracted")).to_be_hidden()
    choose(page, "A2 Description")
    page.wait_for_function("document.querySelector('#compare-plot .js-plotly-plot')?.data?.[0]?.type === 'scatter'")
    assert wait_for_models(page, "compare-plot", "qwen-vl")["qwen-vl"] == [0.98, 0.75, 1.63]  # Table 3
    for _ in range(2):
        page.go_back()
    wait_for_models(page, "compare-plot", "gpt-4v", "qwen-vl")
    take_away(page, "Qwen-VL")
    wait_for_models(page, "compare-plot", "gpt-4v")
    expect(page.locator("#compare-differences")).to_contain_text("Choose a second model")
    take_away(page, "GPT-4V")
    expect(page.get_by_text("Choose two to six models above")).to_be_visible()
    expect(page.locator(READY)).to_be_hidden()


def asked(address: str) -> dict[str, str]:
    return {name: value for name, [value] in parse_qs(urlsplit(address).query).items()}


def test_ticked_models_and_a_row_beside_the_leader_are_sent_to_compare(app: str, new_page: NewPage) -> None:
    page = new_page(f"{app}?board=perception-test")
    leader = page.locator("tbody:not(.qb-references) .qb-model bdi").first.inner_text()
    row = page.locator("tr[data-id='internlm-xcomposer-vl'] .qb-compare")
    expect(row).to_have_attribute("aria-label", f"Compare InternLM-XComposer-VL with {leader}")
    assert asked(row.get_attribute("href") or "")["models"].split(",")[0] == "internlm-xcomposer-vl"
    expect(page.get_by_role("link", name="Compare the top 3")).to_be_visible()
    for name in ("GPT-4V", "Qwen-VL"):
        page.get_by_label(f"Tick {name} to compare", exact=True).check()
    page.wait_for_function("location.search.includes('models=')")
    again = new_page(page.url)
    expect(again.get_by_label("Tick Qwen-VL to compare", exact=True)).to_be_checked()
    again.get_by_role("link", name="Compare the 2 ticked").click()
    again.locator("#compare-plot .js-plotly-plot").wait_for()
    assert asked(again.url)["board"] == "perception-test"
    wait_for_models(again, "compare-plot", "gpt-4v", "qwen-vl")
