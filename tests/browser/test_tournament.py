"""Tournaments: a model compares photos, or a visitor in its place, with the keyboard and by tapping."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image, ImageOps
from playwright.sync_api import Page, expect

from qbench.__main__ import main
from tests.browser.conftest import NewPage
from tests.browser.drawn import read_chart, traces
from tests.browser.seen import question
from tests.browser.slow_model import NAME, Gate, app_with_slow_model, choose
from tests.browser.test_keyboard import give, go_to, press, upload_button
from tests.leaderboard.made import make_pictures

READY = "#tournament-start"
STATUS = "#tournament-status"


@pytest.fixture(scope="module")
def slow(folder: Path) -> Iterator[tuple[str, Gate]]:
    with app_with_slow_model(folder) as made:
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
    slow: tuple[str, Gate], new_page: NewPage, tmp_path: Path, capsys: pytest.CaptureFixture[str]
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
    slow: tuple[str, Gate], new_page: NewPage, tmp_path: Path
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


def test_a_reload_comes_back_to_what_goes_on(slow: tuple[str, Gate], new_page: NewPage, tmp_path: Path) -> None:
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


def seen(page: Page, number: int) -> tuple[int, int]:
    """Wait for a question; the numbers in the names of its photos."""
    left, right = (int(re.findall(r"photo-(\d+)", source)[-1]) for source in question(page, number))
    return left, right


def test_the_keyboard_alone_ranks_photos(app: str, new_page: NewPage, tmp_path: Path) -> None:
    """The higher number is better; 0 and 1 are equal when 0 is on the left, and left is better otherwise."""
    page = new_page(app + "?tab=tournament", ready=READY)
    give(page, upload_button(page, "#tournament-files"), *make_pictures(tmp_path))
    expect(page.locator("#tournament-files")).to_contain_text("photo-3")
    go_to(page, page.locator("#tournament-model input"))
    page.keyboard.type("you")
    expect(page.get_by_role("option")).to_have_text([re.compile("you")])  # Enter takes the first one shown
    page.keyboard.press("Enter")
    press(page, page.locator(READY))
    seen(page, 1)
    page.keyboard.press("=")  # a mistake, taken back
    seen(page, 2)
    page.keyboard.press("Backspace")
    for number in range(1, 13):
        left, right = seen(page, number)
        key = "ArrowLeft" if left > right else "ArrowDown" if {left, right} == {0, 1} else "ArrowRight"
        page.keyboard.press(key)
    expect(page.locator(STATUS)).to_contain_text("All rounds are done: 12 comparisons by you")
    expect(page.locator(".qb-person")).to_have_count(0)
    habits = page.locator("#tournament-habits")
    expect(habits).to_contain_text("preferred the same photo twice in 83 %")  # 5 of 6 pairs
    expect(habits).to_contain_text("the left (or upper) photo in 50 % of your answers")
    expect(habits).to_contain_text("and neither in 8 %")
    expect(habits).to_contain_text("2 of 12 presentations do not count: 2 not answered alike in both orders")
    press(page, page.locator("#tournament-compare"))
    agreement = page.locator("#tournament-agreement")
    # The noise gets sharper with the number, so that sharpness prefers as this person does wherever there is a pair.
    expect(agreement).to_contain_text("You and sharpness preferred the same photo in 5 of 5 pairs, 100 %")
    expect(agreement).not_to_contain_text("damaged less")  # of one's own photos nothing is known
    assert ranking(page)[:2] == ["photo-3.png", "photo-2.png"]
    scores = page.locator("#tournament-ranked strong").all_inner_texts()
    assert scores[2] == scores[3]  # 0 and 1 have no win and lost to the same two
    go_to(page, page.locator("#tournament-comparisons"))
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert len(Path(download.value.path()).read_text(encoding="utf-8").splitlines()) == 12


def test_keys_answer_wherever_the_focus_is_and_the_question_stays_over_other_choices_and_a_reload(
    app: str, new_page: NewPage, tmp_path: Path
) -> None:
    page = new_page(app + "?tab=tournament", ready=READY)
    enter(page, make_pictures(tmp_path), "you")
    seen(page, 1)
    page.locator(READY).focus()
    page.keyboard.press("ArrowLeft")
    seen(page, 2)
    page.locator(".qb-person").get_by_role("button", name="Back one step").focus()
    page.keyboard.press("ArrowRight")
    seen(page, 3)
    page.locator("#tournament-rounds input[type=number]").focus()
    page.keyboard.press("ArrowLeft")  # moves in the number
    page.get_by_role("tab", name="Tournament").focus()
    page.keyboard.press("ArrowDown")
    before = seen(page, 4)
    assert page.evaluate("JSON.parse(sessionStorage.getItem('qb-person')).answers") == "fst"
    choose(page, "tournament-model", "sharpness")
    expect(page.locator(".qb-person")).to_be_hidden()
    page.locator("body").press("ArrowLeft")  # answers nothing that is not seen
    choose(page, "tournament-model", "you")
    assert seen(page, 4) == before
    page.wait_for_function("sessionStorage.getItem('qb-tournament') !== null")
    page.reload()
    assert seen(page, 4) == before
    expect(page.locator("#tournament-model input")).to_have_value("you")
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.locator(STATUS)).to_contain_text("Stopped after 3 of 12 comparisons")
    page.wait_for_function("sessionStorage.getItem('qb-tournament') === null")
    page.reload()
    page.locator(READY).wait_for()
    expect(page.locator(".qb-person")).to_have_count(0)
