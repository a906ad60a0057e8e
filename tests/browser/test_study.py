"""A study under a link: two browsers as two people make one ranking; what was not allowed is not kept."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from leaderboard.live.study import Study, open_study, set_open
from leaderboard.store.local import Store
from tests.browser.conftest import NewPage, run_app
from tests.browser.drawn import fits
from tests.browser.seen import question
from tests.leaderboard.made import make_pictures

BEGIN = ".qb-begin"


@pytest.fixture(scope="module")
def app(folder: Path) -> Iterator[str]:
    (folder / "studies").mkdir()
    with run_app(folder / "results", folder / "log", QBENCH_STUDIES=str(folder / "studies")) as address:
        yield address


@pytest.fixture
def study(folder: Path, tmp_path: Path) -> Study:
    photos = tmp_path / "photos"
    photos.mkdir()
    for path in make_pictures(tmp_path):
        shutil.move(path, photos)
    (photos / "photo-0.png").rename(photos / "<b>photo-0.png")
    return open_study(folder / "studies", photos, "Noise <i>of all kinds</i>", "Which is noisier?")


def link(app: str, study: Study) -> str:
    return f"{app}?tab=study&study={study.name}"


def seen(page: Page, study: Study, number: int) -> tuple[int, int]:
    """Wait for a question; the places of its photos in the study."""
    files = list(study.photos.values())
    left, right = (files.index(source.rpartition("/")[2]) for source in question(page, number))
    return left, right


def answer(page: Page, study: Study, best: list[int], first: int = 1) -> None:
    """Prefer what comes earlier in the list of places."""
    for number in range(first, 13):
        left, right = seen(page, study, number)
        page.keyboard.press("ArrowLeft" if best.index(left) < best.index(right) else "ArrowRight")
    expect(page.get_by_text("Thank you: we have your answers.")).to_be_visible()


def test_two_people_in_two_browsers_make_one_ranking(app: str, study: Study, folder: Path, new_page: NewPage) -> None:
    """Both prefer 3 and 2 to the others; of 1 and 0 each prefers another, and so of 3 and 2."""
    one = new_page(link(app, study), ready=BEGIN)
    expect(one.get_by_role("heading", name="Noise <i>of all kinds</i>")).to_be_visible()
    expect(one.get_by_text("By starting you agree that we keep your answers")).to_be_visible()
    one.locator(BEGIN).click()
    expect(one.get_by_role("heading", name="Which is noisier?")).to_be_visible()
    for number in (1, 2, 3):
        left, right = seen(one, study, number)
        one.keyboard.press("ArrowLeft" if left > right else "ArrowRight")
    before = seen(one, study, 4)
    one.reload()
    one.get_by_role("button", name="Continue after 3 of 12 answers").click()
    assert seen(one, study, 4) == before
    assert Store(folder / "submissions").load_answers(study.name) == ()  # nothing before it is sent
    answer(one, study, [3, 2, 1, 0], first=4)
    expect(one.locator("#study")).to_contain_text("1 person has answered.")
    two = new_page(link(app, study), width=390, scheme="dark", ready=BEGIN)
    two.locator(BEGIN).click()
    answer(two, study, [2, 3, 0, 1])
    expect(two.locator("#study")).to_contain_text("2 people have answered.")
    expect(two.locator("#study")).to_contain_text("You and the other people preferred the same photo in 4 of 6 pairs")
    expect(two.locator("#study")).to_contain_text("it was the same photo in 67 % of cases (4 of 6)")
    # Each of 3 and 2 has one win of the other and four over the rest: they are level, and so are 1 and 0.
    assert two.locator(".qb-ranked b").all_inner_texts() == ["1", "1", "3", "3"]
    assert sorted(two.locator(".qb-ranked bdi").all_inner_texts()[2:]) == ["<b>photo-0.png", "photo-1.png"]
    scores = [float(text.replace("−", "-")) for text in two.locator(".qb-ranked strong").all_inner_texts()]
    assert scores[0] == scores[1] == -scores[2] == -scores[3] > 0.5
    assert fits(two)
    one.reload()
    expect(one.locator("#study")).to_contain_text("2 people have answered.")  # whoever took part sees what became of it
    assert len(Store(folder / "submissions").load_answers(study.name)) == 2


def test_a_closed_study_shows_its_ranking_and_takes_nothing(
    app: str, study: Study, folder: Path, new_page: NewPage
) -> None:
    page = new_page(link(app, study), ready=BEGIN)
    page.locator(BEGIN).click()
    seen(page, study, 1)
    set_open(folder / "studies", study.name, is_open=False)
    for number in range(1, 13):
        seen(page, study, number)
        page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("alert")).to_have_text("This study is closed and takes no more answers.")
    assert Store(folder / "submissions").load_answers(study.name) == ()
    other = new_page(link(app, study), ready="#study h1")
    expect(other.locator("#study")).to_contain_text("0 people have answered.")
    expect(other.locator(BEGIN)).to_have_count(0)
    missing = new_page(f"{app}?tab=study&study=../../etc", ready="#study [role=status]")
    expect(missing.locator("#study")).to_contain_text("There is no study under this link")


def test_the_server_gives_photos_and_nothing_else_of_the_folder(app: str, study: Study, folder: Path) -> None:
    folder = (folder / "studies").resolve()
    photo = folder / "photos" / study.name / next(iter(study.photos.values()))
    assert httpx.get(f"{app}gradio_api/file={photo}").status_code == 200
    assert httpx.get(f"{app}gradio_api/file={folder / study.name}.json").status_code == 403


def test_on_a_phone_a_tap_chooses_the_photo_and_a_long_press_zooms(app: str, study: Study, new_page: NewPage) -> None:
    page = new_page(link(app, study), ready=BEGIN, width=390, has_touch=True, is_mobile=True)
    page.locator(BEGIN).tap()
    seen(page, study, 1)
    page.locator(".qb-person img").first.tap()
    seen(page, study, 2)
    box = page.locator(".qb-person img").last.bounding_box()
    assert box is not None
    finger = page.context.new_cdp_session(page)
    at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [at]})
    expect(page.locator(".qb-person .qb-full")).to_be_visible()
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.locator(".qb-person img").last.tap()
    expect(page.locator(".qb-person .qb-full")).to_have_count(0)
    seen(page, study, 2)
    assert '"answers":"f"' in page.evaluate("(name) => localStorage.getItem(name)", f"qb-study {study.name}")
