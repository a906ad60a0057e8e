from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image, ImageOps
from playwright.sync_api import Page, expect

from qbench.__main__ import main
from tests.browser.drawn import read_chart, traces
from tests.browser.slow_model import NAME, Gate, app_with_slow_model, choose, make_pictures

READY = "#tournament-start"
STATUS = "#tournament-status"


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Gate]]:
    with app_with_slow_model(tmp_path_factory.mktemp("tournament")) as made:
        yield made


def enter(page: Page, paths: list[Path], model: str) -> None:
    page.locator("#tournament-files input[type=file]").set_input_files(paths)
    expect(page.locator("#tournament-files")).to_contain_text("photo-0")
    choose(page, "tournament-model", model)
    page.locator("#tournament-rounds input[type=number]").fill("6")
    page.locator("#tournament-start").click()


def ranking(page: Page) -> list[str]:
    return page.locator("#tournament-ranked bdi").all_inner_texts()


def test_a_ranking_forms_and_agrees_with_the_command_line(
    slow: tuple[str, Gate], new_page: Callable[..., Page], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = new_page(slow[0] + "?tab=tournament", ready=READY)
    enter(page, make_pictures(tmp_path), "scripted")
    expect(page.locator(STATUS)).to_contain_text("All rounds are done: 24 comparisons")
    assert (ranking(page)[0], ranking(page)[-1]) == ("photo-3.png", "photo-0.png")
    expect(page.locator("#tournament-habits")).to_contain_text("kept its answer for 100")
    assert len(traces(page, "tournament-plot")) == 4
    page.wait_for_function(
        "[...document.querySelectorAll('#tournament-ranked img')].every((one) => one.naturalWidth === 64)"
    )
    with page.expect_download() as download:
        page.locator("#tournament-comparisons").click()
    path = tmp_path / "comparisons.jsonl"
    download.value.save_as(path)
    assert main(["rank", str(path), "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)["scores"]
    assert ranking(page) == list(scores)
    shown = [text.replace("−", "-") for text in page.locator("#tournament-ranked strong").all_inner_texts()]
    assert shown == [f"{score:.2f}" for score in scores.values()]
    after = [f"{file}: {score.replace('−', '-')} after round 6" for file, score in zip(scores, shown, strict=True)]
    assert read_chart(page, "tournament-plot", "End", "ArrowUp") == [after[-1], after[-2]]
    assert read_chart(page, "tournament-plot", "Home")[0].endswith(" after round 1")
    with page.expect_download() as download:
        page.locator("#tournament-ranking").click()
    document = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert document["methods"]["map"]["scores"] == pytest.approx(scores, abs=1e-4)
    page.locator("#tournament-examples").click()
    expect(page.locator("#tournament-files")).to_contain_text("astronaut lens blur 0.7")


def test_answers_are_seen_as_they_come_and_stopping_keeps_them(
    slow: tuple[str, Gate], new_page: Callable[..., Page], tmp_path: Path
) -> None:
    address, gate = slow
    page = new_page(address + "?tab=tournament", ready=READY)
    stop = page.locator("#tournament-stop")
    expect(stop).to_be_hidden()
    enter(page, make_pictures(tmp_path, 8), NAME)
    gate.let(4)
    expect(page.locator(STATUS)).to_contain_text(re.compile(r"^\s*4 of 48 comparisons"))
    gate.let(2)
    expect(page.locator(STATUS)).to_contain_text(re.compile(r"^\s*6 of 48 comparisons"))
    stop.click()
    expect(page.locator(STATUS)).to_contain_text("Stopped after 6 of 48 comparisons")
    expect(stop).to_be_hidden()
    expect(page.locator("#tournament-habits")).to_contain_text("named the first picture in 100")
    expect(page.locator("#tournament-ranked")).to_contain_text("No ranking yet")  # always the first: nothing is kept
    expect(page.locator("#tournament-comparisons")).to_be_visible()
    gate.let(100)


def test_a_reload_comes_back_to_what_goes_on(
    slow: tuple[str, Gate], new_page: Callable[..., Page], tmp_path: Path
) -> None:
    address, gate = slow
    gate.shut()
    paths = make_pictures(tmp_path)
    for path in paths:  # others than those of the other tests, whose answers would be known
        ImageOps.invert(Image.open(path)).save(path)
    page = new_page(address + "?tab=tournament", ready=READY)
    enter(page, paths, NAME)
    gate.let(4)  # the second round pairs as the first did, and asks nothing
    expect(page.locator(STATUS)).to_contain_text(re.compile(r"^\s*8 of 24 comparisons"))
    page.wait_for_function("sessionStorage.getItem('qb-tournament') !== null")
    page.reload()
    # What was answered is in memory, so that the tournament is where it was without another answer.
    expect(page.locator(STATUS)).to_contain_text(re.compile(r"^\s*8 of 24 comparisons"))
    expect(page.locator(STATUS)).to_contain_text(f"compared by {NAME} in 6 rounds")
    gate.let(100)
    expect(page.locator(STATUS)).to_contain_text("All rounds are done: 24 comparisons")
    page.wait_for_function("sessionStorage.getItem('qb-tournament') === null")
