"""What somebody who has only the screen comes for, each in at most three actions, on a phone too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from leaderboard.live.service.uploads import EXAMPLES
from qbench.distortions import distort
from tests.browser.conftest import run_app

PHONE = {"width": 390, "has_touch": True, "is_mobile": True}
MOST_ACTIONS = 3
FRONT = ".qb-lists"


class Visitor:
    """Does things on a page, and counts them."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.actions = 0

    def tap(self, part: Locator) -> None:
        self._count()
        part.tap()

    def choose(self, part: Locator, answer: str) -> None:
        """From a list, by what stands there."""
        label = part.locator("option", has_text=answer).first.text_content()
        self._count()
        part.select_option(label=label)

    def give(self, part: Locator, path: str) -> None:
        self._count()
        part.set_input_files(path)

    def _count(self) -> None:
        self.actions += 1
        assert self.actions <= MOST_ACTIONS


@pytest.fixture
def visitor(app: str, new_page: Callable[..., Page]) -> Visitor:
    """Somebody on the first page, with a phone."""
    return Visitor(new_page(app, ready=FRONT, **PHONE))


def test_the_best_open_model_up_to_8b_and_whether_its_lead_is_clear(visitor: Visitor) -> None:
    page = visitor.page
    visitor.tap(page.get_by_role("link", name="See all boards"))
    visitor.tap(page.get_by_role("button", name="open, up to 8B"))
    first = page.locator("tbody:not(.qb-references) tr[data-id]").first
    expect(first).to_contain_text("VisualQuality-R1")
    visitor.tap(page.get_by_role("link", name="Compare the top 3"))
    expect(page.locator("#compare-differences")).to_contain_text("too little to tell them apart")


def test_why_a_figure_is_flagged(visitor: Visitor) -> None:
    visitor.tap(visitor.page.get_by_role("tab", name="Leaderboard").locator("visible=true"))
    flagged = visitor.page.locator("tr[data-id='gemini-3-pro'] td.qb-figure:has(.qb-flag:not(:empty))").first
    visitor.tap(flagged)
    tip = visitor.page.get_by_role("tooltip")
    expect(tip).to_be_visible()
    assert (tip.text_content() or "").strip().endswith(".")
    expect(flagged).to_have_attribute("data-tip", tip.text_content() or "")
    visitor.page.locator(".qb-frame:visible").evaluate("frame => frame.scrollBy(0, 20)")
    expect(tip).to_be_visible()  # until something else is tapped
    visitor.tap(visitor.page.locator(".qb-legend:visible"))
    expect(tip).to_be_hidden()


def test_which_models_say_that_a_photo_is_sharper_than_its_copy(new_page: Callable[..., Page], tmp_path: Path) -> None:
    with run_app(tmp_path / "results", tmp_path / "log", QBENCH_MODELS="sharpness,niqe,brightness") as address:
        visitor = Visitor(new_page(address, ready=FRONT, **PHONE))
        _ask_which_is_sharper(visitor, tmp_path / "copy.png")
        visitor.page.goto("about:blank")


def _ask_which_is_sharper(visitor: Visitor, copy: Path) -> None:
    with Image.open(EXAMPLES[0]) as photo:
        distort(photo.convert("RGB"), "lens-blur", 4).save(copy)
    visitor.tap(visitor.page.get_by_role("link", name="Compare two photos"))
    for name, path in (("a", str(EXAMPLES[0])), ("b", str(copy))):
        visitor.give(visitor.page.locator(f"#pair-{name} input[type=file]"), path)
    expect(visitor.page.locator("#pair-result .qb-verdict")).to_contain_text("sharpness scores A higher")
    table = visitor.page.locator("#pair-result table")
    expect(table.locator("tbody th")).to_have_text(["sharpness", "niqe", "brightness"])
    for model in ("sharpness", "niqe"):  # a blurred copy is also less natural; how bright it is stays as it was
        row = table.locator("tbody tr", has=visitor.page.get_by_role("rowheader", name=model, exact=True))
        expect(row.locator("td").first).to_have_text("A")
