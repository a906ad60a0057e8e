"""A visitor compares photos in place of a model, with the keyboard and by tapping."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from qbench.__main__ import main
from tests.browser.slow_model import choose, make_pictures

READY = "#tournament-start"
STATUS = "#tournament-status"
COUNT = ".qb-person [role=status]"


def begin(page: Page, paths: list[Path]) -> None:
    choose(page, "tournament-model", "you")
    page.locator("#tournament-files input[type=file]").set_input_files(paths)
    expect(page.locator("#tournament-files")).to_contain_text(paths[-1].stem)
    page.locator("#tournament-start").click()
    seen(page, 1)


def seen(page: Page, number: int) -> tuple[int, int]:
    """Wait for a question; the numbers in the names of its photos."""
    expect(page.locator(COUNT)).to_have_text(re.compile(rf"^{number} of "))
    page.locator(".qb-person[aria-busy=false]").wait_for()
    sources = page.locator(".qb-person img").evaluate_all(
        "images => images.map((image) => decodeURIComponent(image.src))"
    )
    left, right = (int(re.findall(r"photo-(\d+)", source)[-1]) for source in sources)
    return left, right


def test_the_keyboard_alone_ranks_photos(
    app: str, new_page: Callable[..., Page], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The higher number is better; 0 and 1 are equal when 0 is on the left, and left is better otherwise."""
    page = new_page(app + "?tab=tournament", ready=READY)
    begin(page, make_pictures(tmp_path))
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
    page.locator("#tournament-compare").click()
    agreement = page.locator("#tournament-agreement")
    # The noise gets sharper with the number, so that sharpness prefers as this person does wherever there is a pair.
    expect(agreement).to_contain_text("You and sharpness preferred the same photo in 5 of 5 pairs, 100 %")
    expect(agreement).not_to_contain_text("damaged less")  # of one's own photos nothing is known
    names = page.locator("#tournament-ranked bdi").all_inner_texts()
    assert names[:2] == ["photo-3.png", "photo-2.png"]
    with page.expect_download() as download:
        page.locator("#tournament-comparisons").click()
    path = tmp_path / "comparisons.jsonl"
    download.value.save_as(path)
    assert main(["rank", str(path), "--json"]) == 0
    ranked = json.loads(capsys.readouterr().out)
    # 3 has three wins, 2 has two, 0 and 1 have none and lost to the same two.
    assert ranked["ranks"] == {"photo-3.png": 1, "photo-2.png": 2, "photo-0.png": 3, "photo-1.png": 3}
    shown = [text.replace("−", "-") for text in page.locator("#tournament-ranked strong").all_inner_texts()]
    assert sorted(shown) == sorted(f"{score:.2f}" for score in ranked["scores"].values())


def test_keys_answer_wherever_the_focus_is_and_the_question_stays_over_other_choices_and_a_reload(
    app: str, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    page = new_page(app + "?tab=tournament", ready=READY)
    begin(page, make_pictures(tmp_path))
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
