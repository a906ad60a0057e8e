"""The static site: chosen results, hostile authors, no results, many results."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

from playwright.sync_api import Browser, expect

from leaderboard.store import SkippedFile
from qbench.records import Estimate, Result
from tests.browser.conftest import NewPage, NewSite
from tests.browser.seen import download, figures, head, keys, models, open_menu, ranks
from tests.leaderboard.made import board, result

HTML = '<img src=x onerror="alert(1)"><b>bold</b>'
LONG = "long-" + "x" * 295
RIGHT_TO_LEFT = "نموذج الرؤية ١"
FORMULA = '=HYPERLINK("https://example.org","a")'
HIDDEN = "model;=1+1;\uff0b2"
"""Some spreadsheets begin a cell at each semicolon, and take signs of full width for plain ones."""
LATEX = r"50%_of\{all}$&#~^"


def test_every_page_opens_from_the_folder(browser: Browser, new_site: NewSite, tmp_path: Path) -> None:
    new_site([result("alpha"), result("beta", "a", 0.9)], boards=[board()])
    page = browser.new_page()
    faults: list[object] = []
    page.on("pageerror", lambda fault: faults.append(fault))  # noqa: PLW0108 - a list.append is refused
    page.goto(next(tmp_path.glob("*/index.html")).as_uri())
    expect(page.locator("main")).to_contain_text("2 models on 1 board")
    shows = {
        "Leaderboard": "alpha",
        "Model": "alpha",
        "Compare": "The address names no model",
        "Bias": "Which habits bias the answers?",
        "About": "How to cite",
    }
    for name, shown in shows.items():
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.locator("main")).to_contain_text(shown, ignore_case=True)
    assert faults == []
    page.close()


def test_what_authors_write_is_only_text(new_site: NewSite, new_page: NewPage, tmp_path: Path) -> None:
    names = (HTML, LONG, RIGHT_TO_LEFT, FORMULA, HIDDEN, LATEX)
    note = Estimate(0.5, method="printed", note=HTML)
    records = [result(name, "a", 0.1 * n, reference=HTML) for n, name in enumerate(names)]
    records.append(replace(result("beta", "a", note), protocol={HTML: HTML}))
    page = new_page(new_site(records, boards=[board()], problems=[SkippedFile(HTML, HTML)]))
    assert set(models(page)) == {*names, "beta"}
    assert page.locator(".qb b, .qb img").count() == 0
    page.get_by_role("button", name="Sources of beta").click()
    expect(page.get_by_role("dialog")).to_contain_text(HTML)
    assert page.locator(".qb b, .qb img").count() == 0
    page.keyboard.press("Escape")

    long = page.locator("tbody bdi", has_text=LONG)
    assert long.get_attribute("title") == LONG
    assert long.evaluate("e => e.scrollWidth > e.clientWidth && e.clientWidth < 360")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert page.locator("tbody bdi", has_text=RIGHT_TO_LEFT).evaluate("e => getComputedStyle(e).direction") == "rtl"

    rows = list(csv.reader(download(page, "CSV", tmp_path).decode("utf-8-sig").splitlines()))
    assert f"'{FORMULA}" in [row[1] for row in rows]
    assert "model;'=1+1;'\uff0b2" in [row[1] for row in rows]
    assert not any(cell.startswith(("=", "+", "@")) for row in rows for cell in row)
    latex = download(page, "LaTeX", tmp_path).decode()
    assert r"50\%\_of\textbackslash{}\{all\}\$\&\#\textasciitilde{}\textasciicircum{}" in latex


def test_an_address_that_runs_code_is_no_link(new_site: NewSite, new_page: NewPage) -> None:
    record = result("alpha")
    record = replace(record, source=replace(record.source, url="javascript:alert(1)", reference="click me"))
    page = new_page(new_site([record], boards=[board()]))
    page.get_by_role("button", name="Sources of alpha").click()
    expect(page.get_by_role("dialog")).to_contain_text("click me")
    assert page.get_by_role("dialog").get_by_role("link").count() == 0


def test_an_unknown_model_is_one_sentence(new_site: NewSite, new_page: NewPage) -> None:
    site = new_site([result("alpha")], boards=[board()]).partition("?")[0]
    page = new_page(f"{site}?{urlencode({'tab': 'model', 'model': HTML})}", ready="[role=alert]")
    expect(page.locator("[role=alert]")).to_contain_text("No model on a board goes by the name")
    assert page.locator("main img").count() == 0


def test_a_long_board_can_be_read_to_its_end(new_site: NewSite, new_page: NewPage) -> None:
    total = 700
    results = [
        result(f"model-{n:03d}", "a", Estimate(n / total, n / total - 0.01, n / total + 0.01)) for n in range(total)
    ]
    page = new_page(new_site(results, boards=[board()]) + "&part=a&metric=srcc")
    assert models(page)[0] == "model-699"
    assert len(models(page)) < 100
    page.wait_for_function("(scrollTo(0, document.body.scrollHeight), document.querySelector('[data-id=model-000]'))")
    assert ranks(page)[-1] == str(total)
    table = page.get_by_role("table")
    last = page.locator("tr[data-id='model-000']").get_attribute("aria-rowindex")
    assert last == table.get_attribute("aria-rowcount") == str(total + 1)
    head(page, "a/srcc").get_by_role("button").click()
    head(page, "a/srcc").get_by_role("button").click()
    assert models(page)[0] == "model-000"
    page.get_by_label("Find a model").fill("model-01")
    assert models(page) == [f"model-01{n}" for n in range(10)]


def test_ties_share_a_rank_and_are_both_in_bold(new_site: NewSite, new_page: NewPage) -> None:
    figures_of = {"alpha": 0.5, "beta": 0.7, "gamma": 0.7, "delta": 0.2}
    page = new_page(
        new_site([result(name, "a", value) for name, value in figures_of.items()], boards=[board()])
        + "&part=a&metric=srcc"
    )
    assert ranks(page) == ["1", "1", "3", "4"]
    assert page.locator("td.qb-figure strong").all_inner_texts() == ["0.700", "0.700"]
    assert page.locator("td.qb-figure u").all_inner_texts() == ["0.500"]


def test_a_lower_is_better_column_starts_with_the_lowest(new_site: NewSite, new_page: NewPage) -> None:
    made = board()
    turned = replace(
        made,
        columns=tuple(replace(column, metric=replace(column.metric, direction="lower")) for column in made.columns),
    )
    page = new_page(
        new_site([result("alpha", "a", 0.5), result("beta", "a", 0.1)], boards=[turned]) + "&part=a&metric=srcc"
    )
    assert figures(page, "a/srcc") == ["0.100", "0.500"]
    assert page.locator("td.qb-figure strong").all_inner_texts() == ["0.100"]


QUERIES = (
    ("", ""),
    ("board=made&metric=srcc&part=a&sort=a/srcc&order=reverse", None),
    ("q=é+%26+%22quotes%22&weights=open&size=0.5..&released=..2024-01", None),
    ("size=1..7.25&released=2023-05..2023-12&source=paper,self-reported", None),
    ("untrained=1&rows=all&f.kind=encoder&f.language=Flan-T5,+XL&hide=a/srcc,b/plcc&models=x,y/z", None),
    ("weights=both&size=-1..&released=2023-13..soon&source=rumour&f.=x&unheard=of", ""),
    (f"q={'x' * 300}", f"q={'x' * 200}"),
)
"""What an address asks for, and what of it is kept where that is less."""
TABS = {"": "overview", "tab=overview&board=made": "overview", "q=llava": "leaderboard", "tab=bias": "bias"}
"""An address, also one from before there was an overview, and the page it opens."""


def test_a_view_is_written_as_it_was_read_and_opens_its_page(new_site: NewSite, new_page: NewPage) -> None:
    page = new_page(new_site([result("alpha")], boards=[board()]))
    rewritten = """async (query) => {
      const { fromQuery, toQuery } = await import("qb/view.js");
      return [...toQuery(fromQuery(new URLSearchParams(query)))];
    }"""
    for query, kept in QUERIES:
        assert dict(page.evaluate(rewritten, query)) == dict(parse_qsl(query if kept is None else kept)), query
    tab_of = 'async (query) => (await import("qb/view.js")).tabOf(new URLSearchParams(query))'
    assert {query: page.evaluate(tab_of, query) for query in TABS} == TABS


def test_made_by_hand_results_of_every_kind_carry_their_mark(new_site: NewSite, new_page: NewPage) -> None:
    kinds = {"alpha": "paper", "beta": "rescored", "gamma": "self-reported", "delta": "live"}
    results: list[Result] = [result(name, kind=kind) for name, kind in kinds.items()]
    page = new_page(new_site(results, boards=[board()]))
    marks = {name: page.get_by_role("button", name=f"Sources of {name}").inner_text() for name in models(page)}
    assert marks == {"alpha": "▣", "beta": "◉", "gamma": "◔", "delta": "●"}
    open_menu(page, "Filters")
    page.get_by_role("checkbox", name="self-reported").check()
    assert models(page) == ["gamma"]


def test_tokens_and_prices_are_shown_when_asked_for_and_downloaded_then(
    new_site: NewSite, new_page: NewPage, tmp_path: Path
) -> None:
    """1,000 tokens and 0.50 for 100 prompts."""
    usage = {"usage": {"prompt_tokens": 900, "completion_tokens": 100, "cost": 0.5}}
    priced = replace(result("alpha", protocol=usage), status={"asked": 100})
    page = new_page(new_site([priced, result("beta", srcc=0.9)], boards=[board()]))
    assert not {"effort/tokens", "effort/cost"} & set(keys(page))
    open_menu(page, "Columns")
    page.get_by_label("Price of 1,000").check()
    assert figures(page, "effort/cost") == ["5.00", "–"]
    assert "effort/tokens" not in keys(page)
    assert "5.00" in download(page, "CSV", tmp_path).decode("utf-8-sig")
    page.wait_for_url(lambda url: "hide=effort%2Fcost" in url)
    page.reload()
    head(page, "effort/cost").wait_for()
    assert figures(page, "effort/cost") == ["5.00", "–"]
    open_menu(page, "Columns")
    page.get_by_role("button", name="Show all columns").click()
    assert figures(page, "effort/tokens") == ["10", "–"]
