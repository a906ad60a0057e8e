"""The choice of boards, and the filters that one click sets."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from qbench.records import Result
from tests.browser.conftest import NewPage, NewSite
from tests.browser.seen import figures, keys, models, open_menu, ranks, said
from tests.leaderboard.made import board, result


def test_open_models_up_to_8b_are_one_click_away_and_come_back_with_the_address(show: NewPage, boards: str) -> None:
    page = show("?board=perception-dev")
    total = len(models(page))
    chip = page.get_by_role("button", name="open, up to 8B")
    chip.click()
    expect(chip).to_have_attribute("aria-pressed", "true")
    kept = models(page)
    assert 0 < len(kept) < total
    assert {"Qwen3-VL-8B", "InternVL3.5-8B", "Co-Instruct"} <= set(kept)  # of 8, 8.5 and 8.2 billion parameters
    assert {"GPT-5", "GLM-4.1V-9B"}.isdisjoint(kept)
    page.wait_for_url(re.compile(r"weights=open.*size=\.\.8"))
    again = show(page.url.removeprefix(boards))
    assert models(again) == kept
    expect(again.get_by_role("button", name="open, up to 8B")).to_have_attribute("aria-pressed", "true")
    again.get_by_role("button", name="open, up to 8B").click()
    assert len(models(again)) == total


def test_models_trained_on_the_data_are_left_out(show: NewPage, boards: str) -> None:
    page = show("?board=unisim-core")
    assert any(name.startswith("UniSim ViT") for name in models(page))
    page.get_by_role("button", name="not trained on these data").click()
    assert models(page)
    assert not any(name.startswith("UniSim ViT") for name in models(page))
    assert page.locator("td.qb-figure sup", has_text="t").count() == 0
    page.wait_for_url(re.compile("untrained=1"))
    assert models(show(page.url.removeprefix(boards))) == models(page)


def test_columns_of_what_was_in_training_are_marked_rank_nobody_and_go(show: NewPage) -> None:
    page = show("?board=assessment-trained")
    seen = page.locator("th.qb-in-training[data-key='koniq-10k/seen/srcc']")
    expect(seen).to_contain_text("◌")
    first = models(page)[:3]
    assert ranks(page)[:3] == ["1", "2", "3"]
    seen.get_by_role("button").click()
    by_rank = dict(zip(models(page), ranks(page), strict=True))
    assert [by_rank[name] for name in first] == ["1", "2", "3"]  # sorted by it, still ranked by what was not seen
    assert page.locator("td.qb-in-training strong").count() == 0
    page.get_by_role("button", name="not trained on these data").click()
    assert not any("/seen/" in key for key in keys(page))


def test_class_and_way_of_asking_filter_any_board(new_site: NewSite, new_page: NewPage) -> None:
    protocols = {
        "alpha": {"scoring": "five levels", "reported_by": "others"},
        "beta": {"scoring": "number in text", "training_data": ["Q-Instruct-200K"], "reported_by": "model authors"},
        "gamma": {"reported_by": "others"},
    }
    results: list[Result] = [result(name, protocol=protocol) for name, protocol in protocols.items()]
    site = new_site(results, boards=[board()])
    page = new_page(site)
    open_menu(page, "Filters")
    page.get_by_label("Class").select_option("tuned for low-level vision")
    assert models(page) == ["beta"]
    page.get_by_label("Class").select_option("any")
    page.get_by_label("How it was asked").select_option("odds of five words")
    assert models(page) == ["alpha"]
    page.get_by_label("How it was asked").select_option("any")
    page.get_by_label("Printed by").select_option("others")
    assert models(page) == ["alpha", "gamma"]
    page.wait_for_url(re.compile("f.reporter=others"))
    assert models(new_page(f"{site}&f.class=tuned+for+low-level+vision")) == ["beta"]
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Show all", exact=True).click()
    page.get_by_role("button", name="no known training on quality").click()
    assert models(page) == ["alpha", "gamma"]
    expect(said(page)).to_have_text("2 models, 1 hidden")


def test_every_source_can_be_shown_below_the_row_that_ranks(new_site: NewSite, new_page: NewPage) -> None:
    """The benchmark's own 0.5 ranks; the others print 0.7, which would have been first."""
    results = [
        result("alpha", "a", 0.5, reference="Benchmark", table="Table 1", protocol={"reported_by": "the benchmark"}),
        result("alpha", "a", 0.7, reference="Later paper", table="Table 9", protocol={"reported_by": "others"}),
        result("beta", "a", 0.6),
    ]
    site = new_site(results, boards=[board()])
    page = new_page(f"{site}&part=a&metric=srcc")
    assert models(page) == ["beta", "alpha"]
    page.get_by_role("button", name="show all sources").click()
    shown = models(page)
    assert shown[0] == "beta" and shown[2:] == ["↳ Benchmark, Table 1", "↳ Later paper, Table 9"]
    assert ranks(page) == ["1", "2", "–", "–"]
    assert figures(page, "a/srcc") == ["0.600", "0.500", "0.500", "0.700"]
    assert page.locator("td.qb-figure strong").all_inner_texts() == ["0.600"]
    expect(said(page)).to_have_text("2 models")
    page.wait_for_url(re.compile("rows=all"))
    assert models(new_page(page.url)) == shown
    page.get_by_role("button", name=re.compile("Sources of alpha")).first.click()
    expect(page.get_by_role("dialog")).to_contain_text("0.700 (+0.200)")


def test_on_a_phone_the_table_begins_high_and_one_button_holds_the_rest(app: str, new_page: NewPage) -> None:
    page = new_page(f"{app}?tab=leaderboard", width=360, has_touch=True, is_mobile=True)
    box = page.locator(".qb-frame").bounding_box()
    assert box and box["y"] < 320
    expect(page.locator(".qb-menus button", has_text="Download")).to_be_hidden()
    page.get_by_role("button", name="Filters, download").tap()
    page.locator(".qb-menus button:visible", has_text="Download").tap()
    expect(page.get_by_role("button", name="CSV")).to_be_visible()
