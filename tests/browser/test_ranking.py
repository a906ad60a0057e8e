"""The Leaderboard page: what it shows, sorts, finds, filters and hands out."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from leaderboard.boards import all_boards
from tests.browser.conftest import NewPage
from tests.browser.seen import (
    MISSING,
    download,
    figures,
    head,
    keys,
    models,
    number,
    open_menu,
    ranks,
    references,
    said,
)
from tests.leaderboard.published import published


def test_the_page_shows_what_the_table_holds(show: NewPage, boards: str) -> None:
    page = show()
    for board in all_boards()[::3]:
        page.goto(f"{boards}?board={board.key}")
        page.locator(".qb-status").wait_for()
        table = published().table(board.key)
        names = [row.model.name for row in table.ranked.values()]
        assert models(page) == names
        assert references(page) == [row.model.name for row in table.references.values()]
        columns = [column for column in table.columns if column.metric.key in board.views[0].metrics]
        assert keys(page) == [column.key for column in columns]
        rank = table.ranks[table.primary.key]
        assert ranks(page) == [str(rank[name].rank) if name in rank else MISSING for name in table.ranked]
        for column in columns:
            cells = [row.cells.get(column.key) for row in table.ranked.values()]
            stored = [cell.value * column.metric.scale if cell else float("nan") for cell in cells]
            shown = [float("nan") if text == MISSING else number(text) for text in figures(page, column.key)]
            assert shown == pytest.approx(stored, abs=0.51 * 10**-column.metric.decimals, nan_ok=True)


def test_missing_sorts_last_both_ways(show: NewPage) -> None:
    page, key = show("?board=unisim-core"), "it-2afc/hpdv2"
    head(page, key).get_by_role("button").click()
    expect(head(page, key)).to_have_attribute("aria-sort", "descending")
    falling = figures(page, key)
    head(page, key).get_by_role("button").click()
    expect(head(page, key)).to_have_attribute("aria-sort", "ascending")
    rising = figures(page, key)
    for shown in (falling, rising):
        present = shown[: shown.index(MISSING)]
        assert len(present) == 18
        assert shown[len(present) :] == [MISSING] * 2
    assert [number(text) for text in falling[:18]] == sorted((number(text) for text in falling[:18]), reverse=True)
    assert [number(text) for text in rising[:18]] == sorted(number(text) for text in rising[:18])
    assert page.locator("th[aria-sort]").count() == 1


def test_sorting_by_name_size_and_date(show: NewPage) -> None:
    page = show()
    page.get_by_role("button", name="model", exact=True).click()
    names = models(page)
    assert [name[0].casefold() for name in names] == sorted(name[0].casefold() for name in names)
    assert names.index("LLaVA-v1.5-7B") < names.index("LLaVA-v1.5-13B")  # numbers count as numbers
    assert ranks(page)[0] != "1"  # the rank stays the rank by overall accuracy
    page.get_by_role("button", name="size").click()
    sizes = page.locator("tbody:not(.qb-references) td.qb-fact:nth-of-type(4)").all_inner_texts()
    assert sizes[0] == "37B"  # Emu2-Chat
    assert sizes[-1] == ""


def test_search_hides_rows_and_leaves_ranks_and_emphasis(show: NewPage) -> None:
    page = show()
    total, leaders = len(models(page)), emphasised(page)
    rank_of = dict(zip(models(page), ranks(page), strict=True))
    assert total == 61 and rank_of["GPT-5"] == "3"
    page.get_by_label("Find a model").fill("instruct blip")
    names = ["InstructBLIP (Flan-T5-XL)", "InstructBLIP (Vicuna-7B)"]
    assert models(page) == names
    assert ranks(page) == [f"{rank_of[name]} of 61" for name in names]
    assert emphasised(page) == []
    expect(said(page)).to_have_text(f"2 models, {total - 2} hidden")
    page.get_by_label("Find a model").fill("gpt-5")
    assert ranks(page) == ["3 of 61"]
    assert emphasised(page) == [leader for leader in leaders if leader.startswith("gpt-5 ")]
    page.get_by_role("button", name="Show all", exact=True).click()
    assert len(models(page)) == total
    expect(said(page)).to_have_text(f"{total} models")


def emphasised(page: Page) -> list[str]:
    """Model, tag and figure of everything that is bold or underlined."""
    return page.locator("td.qb-figure :is(strong, u)").evaluate_all(
        "found => found.map((one) => `${one.closest('tr').dataset.id} ${one.tagName} ${one.textContent}`)"
    )


def test_nothing_found_names_near_names_and_other_boards(show: NewPage, boards: str) -> None:
    """InternVL3-9B is here; NIQE is on other boards alone."""
    page = show("?q=intrnvl3-9b")
    assert models(page) == []
    empty = page.locator(".qb-empty")
    expect(empty).to_contain_text("No model on this board matches “intrnvl3-9b”. Near names:")
    meant = page.locator(".qb-meant li")
    meant.get_by_role("button", name="InternVL3-9B", exact=True).click()
    assert models(page) == ["InternVL3-9B"]
    page.get_by_label("Find a model").fill("niqe")
    assert models(page) == []
    expect(empty).to_contain_text("No model on this board matches “niqe”. Elsewhere:")
    meant.filter(has=page.get_by_text("NIQE", exact=True)).get_by_role("link").first.click()
    page.locator(".qb-status").wait_for()
    assert "NIQE" in [*references(page), *models(page)]
    assert page.get_by_label("Find a model").input_value() == "NIQE"


def test_filters_and_columns_come_back_with_the_link(show: NewPage, boards: str) -> None:
    page = show()
    open_menu(page, "Filters")
    page.get_by_label("Weights").select_option("open")
    page.get_by_label("from").first.fill("7.5")
    page.get_by_label("from").first.press("Tab")
    page.get_by_label("Vision encoder").select_option("CLIP-ViT-Large-14")
    page.keyboard.press("Escape")
    open_menu(page, "Columns")
    page.get_by_label("By question type, What").uncheck()
    page.keyboard.press("Escape")
    head(page, "concern/other").get_by_role("button").click()
    head(page, "concern/other").get_by_role("button").click()
    kept = models(page), keys(page), ranks(page), said(page).inner_text()
    assert set(kept[0]) == {"LLaVA-v1.5-13B", "LLaVA-v1", "MiniGPT-4"}
    assert "question_type/what" not in kept[1]
    page.wait_for_url(re.compile(r"hide="))
    query = page.url.removeprefix(boards)
    again = show(query)
    assert (models(again), keys(again), ranks(again), said(again).inner_text()) == kept
    expect(again.get_by_role("button", name="Filters (3)")).to_be_visible()


def test_a_hostile_link_shows_the_first_board(show: NewPage) -> None:
    page = show("?board=%3Cscript%3Ealert(1)%3C/script%3E&sort=__proto__&f.constructor=x&size=..&hide=,,,&order=%00")
    assert len(models(page)) == 61


def test_downloads_are_exactly_what_is_shown(show: NewPage, boards: str, tmp_path: Path) -> None:
    page = show("?board=assessment&metric=srcc&sort=spaq/srcc&order=reverse&q=owl2&hide=average/srcc")
    shown_models, shown_keys = models(page), keys(page)
    assert shown_models == ["mPLUG-Owl2", "Q-Instruct (mPLUG-Owl2)", "Q-Instruct (mPLUG-Owl2, after)"]

    rows = list(csv.reader(download(page, "CSV", tmp_path).decode("utf-8-sig").splitlines()))
    header, *lines = rows
    assert [line[1] for line in lines[: len(references(page))]] == references(page) == ["NIQE"]
    lines = lines[1:]
    assert [line[1] for line in lines] == shown_models
    among = {place.partition(" of ")[2] for place in ranks(page)}
    assert [line[0] for line in lines] == [place.partition(" of ")[0] for place in ranks(page)]
    assert [header[0]] == [f"Rank of {number}" for number in among]
    # Two databases have intervals, which are columns of their own and empty for these models.
    places = [place for place in range(6, len(header) - 1) if not header[place].endswith(("95 % from", "95 % to"))]
    assert len(places) == len(shown_keys)
    assert header[places[0]] == "KonIQ-10k, SRCC (higher is better)"
    for place, key in zip(places, shown_keys, strict=True):
        assert [line[place] for line in lines] == [figure.replace("−", "-") for figure in figures(page, key)]
    assert {line[-1] for line in lines} == {"paper"}

    document = json.loads(download(page, "JSON", tmp_path))
    reference, *found = document["rows"]
    assert reference["name"] == "NIQE"
    assert [row["name"] for row in found] == shown_models
    assert [column["key"] for column in document["columns"]] == shown_keys
    assert found[0]["figures"]["spaq/srcc"]["value"] == 0.589
    assert found[0]["sources"][0]["reference"].startswith("Q-Bench+")
    assert document["address"] == page.url

    latex = download(page, "LaTeX", tmp_path).decode()
    _, beside, ranked = latex.split("\\midrule")
    assert beside.strip().startswith("NIQE & ")
    body = ranked.split("\\bottomrule")[0].strip().splitlines()
    assert [line.split(" & ")[0] for line in body] == shown_models
    assert body[2].split(" & ")[2] == "\\underline{$0.901$\\textsuperscript{i}}"  # 0.909, the best, is not found
    assert body[1].split(" & ")[2] == "$0.899$\\textsuperscript{i}"

    bibtex = download(page, "BibTeX", tmp_path).decode()
    assert "arxiv2402-07116" in bibtex
    assert "zhu2024afc" not in bibtex

    page.goto(f"{boards}?board=perception-test&part=overall")
    page.locator("tr[data-id='gpt-4v']").wait_for()
    header, human, *_ = csv.reader(download(page, "CSV", tmp_path).decode("utf-8-sig").splitlines())
    assert header[6:9] == [
        f"Overall, Accuracy{more}" for more in (" (%, higher is better)", ", 95 % from", ", 95 % to")
    ]
    assert human[:2] == ["", "Senior-level human"]
    assert float(human[7]) < float(human[6]) == 81.74 < float(human[8])


def test_a_bad_file_is_named_below_the_board(show: NewPage) -> None:
    page = show("?board=perception-test")
    page.get_by_text("1 record could not be read").click()
    expect(page.locator(".qb-problems")).to_contain_text("broken.json")
    expect(page.locator(".qb-problems")).to_contain_text("is not JSON")


def test_a_phone_shows_the_board_without_scrolling_the_page_sideways(show: NewPage, boards: str) -> None:
    page = show(width=390, has_touch=True, is_mobile=True)
    for board in all_boards()[::6]:
        page.goto(f"{boards}?board={board.key}")
        page.locator(".qb-status").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        expect(page.locator("th.qb-figure button").first).to_be_visible()
        frame = page.locator(".qb-frame")
        frame.evaluate("frame => { frame.scrollLeft = 150; }")
        name = page.locator(".qb-table .qb-model").last.bounding_box()  # of the head, where a board has no rows
        assert name is not None
        assert abs(name["x"] - (frame.bounding_box() or {})["x"]) <= 1  # the model column stays in place
        open_menu(page, "Filters")
        panel = page.locator(".qb-panel:popover-open").bounding_box()
        assert panel is not None
        assert (panel["x"], panel["width"]) == (0, 390)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_intervals_stand_beside_the_column_that_ranks(show: NewPage) -> None:
    page = show("?board=perception-test")
    gpt = page.locator("tr[data-id='gpt-4v']")
    assert gpt.locator(".qb-interval").all_inner_texts() == ["±2.2"]
    gpt.scroll_into_view_if_needed()  # a page that scrolls under the pointer closes the tooltip
    gpt.locator("td.qb-figure").nth(1).hover()
    expect(page.get_by_role("tooltip")).to_have_text(re.compile(r"^95\s% interval 74\.26 to 81\.19\."))
    head(page, "question_type/yes-or-no").get_by_role("button").click()
    assert gpt.locator(".qb-interval").all_inner_texts() == ["±3.5"]
