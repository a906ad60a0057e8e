"""What people come for, each from the landing page in at most three actions.

Handing in, correcting and withdrawing, the ninth, is in test_submit.py.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from leaderboard.live.service.uploads import EXAMPLES
from qbench.distortions import distort
from tests.browser.conftest import NewPage, quiet_pages, run_app

MOST = 3


class Visitor:
    """Somebody on the landing page, whose actions are counted."""

    def __init__(self, page: Page) -> None:
        self.page, self.actions = page, 0

    def _act(self) -> None:
        self.actions += 1
        assert self.actions <= MOST

    def click(self, on: Locator | str) -> None:
        self._act()
        (self.page.get_by_text(on, exact=True) if isinstance(on, str) else on).locator("visible=true").first.click()

    def choose(self, label: str, option: str) -> None:
        self._act()
        self.page.get_by_label(label, exact=True).locator("visible=true").select_option(option)

    def drop(self, on: str, files: Path | list[Path]) -> None:
        self._act()
        self.page.locator(f"{on} input[type=file]").set_input_files(files)


@pytest.fixture(scope="module")
def nano(folder: Path) -> Iterator[str]:
    with run_app(folder / "results", folder / "log", QBENCH_MODELS="nano-iqa") as address:
        yield address


@pytest.fixture(scope="module")
def landing(nano: str, browser: Browser, used_contexts: dict[str, list[BrowserContext]]) -> Iterator[Page]:
    with quiet_pages(browser, used_contexts) as open_page:
        yield open_page(nano, ready="#overview-released svg")


@pytest.fixture
def visitor(landing: Page) -> Visitor:
    """On the landing page again; no two of the tests use one page of those that ask models."""
    landing.get_by_role("tab", name="Overview").click()
    landing.locator("#overview-released:visible").wait_for()
    return Visitor(landing)


def test_the_best_open_model_to_8b_at_scoring_photos_and_whether_its_lead_is_clear(visitor: Visitor) -> None:
    page = visitor.page
    visitor.click("All 32 models")
    visitor.click("open, up to 8B")
    first = page.locator("tbody:not(.qb-references) .qb-model bdi").first.inner_text()
    visitor.click("Compare the top 3")
    expect(page.get_by_text(f"{first} leads").locator("visible=true").first).to_contain_text("it may be chance")


def test_where_gpt_5_stands(visitor: Visitor) -> None:
    visitor.click("GPT-5")
    row = visitor.page.locator("#model tr", has_text="A1 Perception, dev")
    expect(row).to_contain_text("80.27 %")
    expect(row).to_contain_text("3 of 61")


def test_why_a_cell_is_marked(visitor: Visitor) -> None:
    visitor.click("See all boards")
    visitor.click(visitor.page.locator("tr[data-id='fuyu-8b'] td.qb-figure:has(.qb-flag:not(:empty))[data-tip*='493']"))
    expect(visitor.page.get_by_role("tooltip").locator("visible=true")).to_contain_text("misprint")


def test_what_a_board_measures_with_an_example(visitor: Visitor) -> None:
    visitor.click("See all boards")
    visitor.choose("Board", "2afc-coarse")
    visitor.click("How it is measured")
    expect(visitor.page.get_by_text("The model sees A and B and says “the first”")).to_be_in_viewport()


def test_is_my_photo_good_and_what_is_wrong(visitor: Visitor) -> None:
    visitor.click("Score one photo")
    visitor.drop("#probe-photo", EXAMPLES[2])
    expect(visitor.page.locator("#probe-result .qb-number")).to_contain_text("Excellent")
    expect(visitor.page.locator("#probe-result")).to_contain_text("no likely damage found")


def test_which_of_two_photos_and_how_sure(visitor: Visitor) -> None:
    visitor.click("Compare two photos")
    visitor.drop("#pair-a", EXAMPLES[3])
    visitor.drop("#pair-b", EXAMPLES[4])
    expect(visitor.page.locator("#pair-result .qb-verdict")).to_contain_text(
        "nano-iqa slightly prefers A over B (probability"
    )


def test_rank_ten_photos_and_take_the_result(visitor: Visitor) -> None:
    visitor.click("Rank many")
    visitor.drop("#tournament-files", list(EXAMPLES[:10]))
    with visitor.page.expect_download() as taken:
        visitor.click("Ranking (CSV)")
    assert len(Path(taken.value.path()).read_text("utf-8").splitlines()) == 1 + 10


def test_a_model_on_my_photos_with_my_scores(visitor: Visitor, tmp_path: Path) -> None:
    packed = tmp_path / "photos.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for number, path in enumerate(EXAMPLES[:4]):
            archive.write(path, f"{number}.jpg")
        archive.writestr("mos.csv", "filename,MOS\n0.jpg,1\n1.jpg,2\n2.jpg,3\n3.jpg,4\n")
    visitor.click("test a model on your own photos and scores")
    visitor.drop("#own-files", packed)
    expect(visitor.page.locator("#own-files")).to_contain_text("photos")
    visitor.click(visitor.page.locator("#own-start"))
    expect(visitor.page.locator("#own-status")).to_contain_text("nano-iqa scored 4 images")
    expect(visitor.page.locator("#own-results")).to_contain_text("SRCC")


def test_a_damaged_corner_is_shown_and_the_overlay_follows_the_keyboard(
    nano: str, new_page: NewPage, tmp_path: Path
) -> None:
    with Image.open(next(path for path in EXAMPLES if path.stem == "playground")) as photo:
        distort(photo, "oversaturation", 5, region=(0, 0.5, 0.5, 1)).save(tmp_path / "corner.png")
    page = new_page(nano + "?tab=probe", ready="#probe-photo", width=390)
    page.locator("#probe-photo input[type=file]").set_input_files(tmp_path / "corner.png")
    found = page.locator("#probe-result")
    expect(found).to_contain_text("The lower left looks worst")
    overlay, slider = found.locator(".qb-map .overlay"), found.get_by_label("Overlay")
    expect(overlay).to_have_css("opacity", "0.8")
    slider.focus()
    slider.press("Home")
    expect(overlay).to_have_css("opacity", "0")
    slider.press("ArrowRight")
    expect(overlay).to_have_css("opacity", "0.05")
    answer, examples = (page.locator(part).bounding_box() for part in ("#probe-result", "#probe-examples"))
    assert answer and examples and answer["y"] < examples["y"]  # on a phone the answer comes first
