"""What somebody who has only the screen comes for, each in at most three actions, on a phone too."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from leaderboard.live.service.uploads import EXAMPLES
from qbench.distortions import distort
from tests.browser.conftest import ROOT, run_app

PHONE = {"width": 390, "has_touch": True, "is_mobile": True}
MOST_ACTIONS = 3
FRONT = ".qb-lists"
NAMED = "run.zip"
"""A file that says which model it is about."""


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

    def give(self, part: Locator, path: str | list[str]) -> None:
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


def test_where_gpt_5_stands(visitor: Visitor) -> None:
    visitor.tap(visitor.page.get_by_role("link", name="GPT-5", exact=True))
    expect(visitor.page.locator("#model h1")).to_have_text("GPT-5")
    expect(visitor.page.locator("#model .qb-data", has_text="A1 Perception, dev").first).to_contain_text("3 of 61")


def test_what_a_board_measures_with_an_example(visitor: Visitor) -> None:
    visitor.tap(visitor.page.get_by_role("link", name="See all boards"))
    visitor.tap(visitor.page.get_by_role("link", name="How it is measured"))
    expect(visitor.page.get_by_text("Overexposure, B. Pixel jitter")).to_be_in_viewport()


def test_why_a_figure_is_flagged(visitor: Visitor) -> None:
    visitor.tap(visitor.page.get_by_role("tab", name="Leaderboard").locator("visible=true"))
    flagged = visitor.page.locator("tr[data-id='gemini-3-pro'] td.qb-figure:has(.qb-flag:not(:empty))").first
    visitor.tap(flagged)
    tip = visitor.page.get_by_role("tooltip")
    expect(tip).to_be_visible()
    assert (tip.text_content() or "").strip().endswith(".")
    assert (flagged.get_attribute("data-tip") or "").split() == (tip.text_content() or "").split()
    visitor.page.locator(".qb-frame:visible").evaluate("frame => frame.scrollBy(0, 20)")
    expect(tip).to_be_visible()  # until something else is tapped
    visitor.tap(visitor.page.locator(".qb-legend:visible"))
    expect(tip).to_be_hidden()


@pytest.fixture(scope="module")
def judges(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of an app whose first model says how sure it is and what is wrong."""
    folder = tmp_path_factory.mktemp("judges")
    with run_app(folder / "results", folder / "log", QBENCH_MODELS="nano-iqa,sharpness,niqe,brightness") as address:
        yield address


@pytest.fixture
def photographer(judges: str, new_page: Callable[..., Page]) -> Visitor:
    return Visitor(new_page(judges, ready=FRONT, **PHONE))


@pytest.fixture
def blurred(tmp_path: Path) -> str:
    """A photo of the demo, out of focus."""
    with Image.open(EXAMPLES[0]) as photo:
        distort(photo.convert("RGB"), "lens-blur", 4).save(tmp_path / "copy.png")
    return str(tmp_path / "copy.png")


def test_is_my_photo_good_and_what_is_wrong(photographer: Visitor, blurred: str) -> None:
    photographer.tap(photographer.page.get_by_role("link", name="Score one photo"))
    photographer.give(photographer.page.locator("#probe-photo input[type=file]"), blurred)
    verdict = photographer.page.locator("#probe-result .qb-number")
    expect(verdict.locator("strong")).to_have_text(re.compile("^(Bad|Poor)$"))
    expect(verdict).to_contain_text(re.compile("likely .*blur.*certainty"))


def test_which_of_two_is_better_and_how_sure_the_models_are(photographer: Visitor, blurred: str) -> None:
    page = photographer.page
    photographer.tap(page.get_by_role("link", name="Compare two photos"))
    for name, path in (("a", str(EXAMPLES[0])), ("b", blurred)):
        photographer.give(page.locator(f"#pair-{name} input[type=file]"), path)
    expect(page.locator("#pair-result .qb-verdict")).to_contain_text(
        re.compile("(leans to|prefers) A over B .probability")
    )
    table = page.locator("#pair-result table")
    expect(table.locator("tbody th")).to_have_text(["nano-iqa", "sharpness", "niqe", "brightness"])
    for model in ("sharpness", "niqe"):  # a blurred copy is also less natural; how bright it is stays as it was
        row = table.locator("tbody tr", has=page.get_by_role("rowheader", name=model, exact=True))
        expect(row.locator("td").first).to_have_text("A")


def test_rank_ten_photos_and_take_the_result(photographer: Visitor) -> None:
    page = photographer.page
    photographer.tap(page.get_by_role("link", name="Rank many"))
    photographer.give(page.locator("#tournament-files input[type=file]"), [str(path) for path in EXAMPLES[:10]])
    expect(page.locator("#tournament-files")).to_contain_text(EXAMPLES[9].stem)
    photographer.tap(page.locator("#tournament-start"))
    expect(page.locator("#tournament-ranked li")).to_have_count(10)
    expect(page.locator("#tournament-status")).to_contain_text("All rounds are done")
    with page.expect_download() as taken:
        page.locator("#tournament-ranking").click()
    ranking = json.loads(Path(taken.value.path()).read_text(encoding="utf-8"))["ranking"]
    assert [row["rank"] for row in ranking] == list(range(1, 11))


def test_a_model_on_my_own_photos_with_my_own_scores(photographer: Visitor, tmp_path: Path) -> None:
    page = photographer.page
    with zipfile.ZipFile(tmp_path / "mine.zip", "w") as archive:
        for path in EXAMPLES[:3]:
            archive.write(path, path.name)
        archive.writestr(
            "mos.csv", "img_path;gt_score\n" + "".join(f"{p.name};{n}\n" for n, p in enumerate(EXAMPLES[:3]))
        )
    photographer.tap(page.get_by_role("link", name="test a model on your own photos and scores"))
    photographer.give(page.locator("#own-files input[type=file]"), str(tmp_path / "mine.zip"))
    expect(page.locator("#own-files")).to_contain_text("mine")
    photographer.tap(page.locator("#own-start"))
    expect(page.locator("#own-status")).to_contain_text("scored 3 images")
    expect(page.locator("#own-results")).to_contain_text("SRCC")


def test_hand_in(photographer: Visitor) -> None:
    """How a submission is corrected and withdrawn, from its receipt and in as few actions, is in test_authors.py."""
    page = photographer.page
    photographer.tap(page.get_by_role("link", name="hand in results"))
    photographer.give(page.locator("#submit-file input[type=file]"), str(ROOT / "assets" / "examples" / NAMED))
    expect(page.locator("#submit-report")).to_contain_text("is a new model here")
    photographer.tap(page.locator("#submit-send"))
    expect(page.locator("#submit-receipt h3")).to_have_text("Handed in")
