"""The Pair page: both orders, one verdict, and two photos to look at closely."""

from __future__ import annotations

from pathlib import Path

import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError
from PIL import Image
from playwright.sync_api import Page, expect

from leaderboard.html.pair import EMPTY
from leaderboard.live.pair import compare_photos
from leaderboard.live.service.uploads import EXAMPLES
from qbench.distortions import distort
from qbench.images import open_picture
from tests.browser.conftest import NewPage
from tests.browser.drawn import fits
from tests.browser.slow_model import choose
from tests.leaderboard.live.places import run_with

PAIR = "#pair-result"
COFFEE, DAHLIA = (path for path in EXAMPLES if path.stem in ("coffee", "dahlia"))


@pytest.fixture
def pair_page(studio: str, new_page: NewPage) -> NewPage:
    return lambda **options: new_page(studio + "?tab=pair", ready="#pair-a", **options)


@pytest.fixture
def blurred(tmp_path: Path) -> Path:
    """A copy of the coffee."""
    with Image.open(COFFEE) as photo:
        distort(photo.convert("RGB"), "lens-blur", 4).save(tmp_path / "copy.png")
    return tmp_path / "copy.png"


def upload_both(page: Page, one: Path, two: Path) -> None:
    for name, path in (("a", one), ("b", two)):
        page.locator(f"#pair-{name} input[type=file]").set_input_files(path)
    expect(page.locator(PAIR)).to_contain_text("Answered in")


def test_both_orders_and_the_verdict(pair_page: NewPage) -> None:
    page = pair_page()
    upload_both(page, COFFEE, DAHLIA)
    verdict = page.locator(f"{PAIR} .qb-verdict")
    *_, known = compare_photos(run_with("scripted"), "scripted", (open_picture(COFFEE), open_picture(DAHLIA)))
    expect(page.locator("#pair-stop")).to_be_hidden()
    first = known.answers[0].choices[0]
    sure = known.probability or 0
    said = f"scripted slightly prefers A over B (probability {sure:.2f}), whichever comes first."
    assert first.prefers == "A" and 0.6 <= sure < 0.9
    expect(verdict).to_have_text(said)
    expect(page.locator(f"{PAIR} .qb-turns li").first).to_contain_text(f"{first.probability:.2f}")
    page.locator("#pair-swap").click()
    expect(verdict).to_have_text(said.replace("A over B", "B over A"))
    page.locator("#pair-swap").dblclick()  # there and back, which the next answer is about
    choose(page, "pair-model", "scripted:second")
    expect(verdict).to_have_text("Inconsistent: scripted:second prefers the photo that comes second.")
    expect(page.locator(PAIR)).to_contain_text("named the first photo 0 times, the second 10 times")
    choose(page, "pair-model", "sharpness")
    expect(page.locator(PAIR)).to_contain_text("dahlia.jpg and coffee.jpg, judged by sharpness. Answered in")
    expect(page.locator(PAIR)).to_contain_text("the order cannot matter")
    page.locator("#pair-a").get_by_label("Remove Image").click()
    expect(page.locator(PAIR)).to_have_text(EMPTY)


def test_ways_of_looking(pair_page: NewPage) -> None:
    page = pair_page()
    upload_both(page, COFFEE, DAHLIA)
    viewer = page.locator("#pair-viewer")
    expect(viewer.locator("figure")).to_have_count(2)
    one, two = viewer.locator("figure").first, viewer.locator("figure").last
    expect(two).to_be_visible()
    assert (one.bounding_box() or {})["x"] != (two.bounding_box() or {})["x"]
    viewer.get_by_label("Slider", exact=True).check()
    [first, second] = viewer.locator("figure").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().toJSON())"
    )
    assert first == second
    choose(page, "pair-model", "sharpness")
    expect(page.locator(PAIR)).to_contain_text("judged by sharpness. Answered in")
    expect(viewer.get_by_label("Slider", exact=True)).to_be_checked()  # another model, the same photos
    viewer.get_by_label("Where photo B begins").fill("25")
    assert two.evaluate("one => getComputedStyle(one).clipPath") == "inset(0px 0px 0px 25%)"
    viewer.get_by_label("Blink", exact=True).check()
    assert two.evaluate("one => getComputedStyle(one).animationName") == "qb-blink"
    viewer.get_by_label("Full size", exact=True).check()
    assert one.locator("img").evaluate("one => [one.width, one.naturalWidth]") == [512, 512]
    page.set_viewport_size({"width": 640, "height": 500})
    one.evaluate("one => { one.scrollLeft = 100; one.scrollTop = 20; }")
    page.wait_for_function("document.querySelectorAll('#pair-viewer figure')[1].scrollLeft === 100")


def test_the_endpoint_asks_several_models(studio: str, blurred: Path) -> None:
    client = Client(studio, verbose=False)
    photos = (handle_file(COFFEE), handle_file(blurred))
    said = client.predict(*photos, "scripted", api_name="/pair")
    asked = {other["model"]: other["prefers"] for other in said["others"]}  # as on the page
    assert (list(asked), asked["sharpness"]) == (["sharpness", "brightness", "niqe"], "A")
    said = client.predict(*photos, "sharpness", ["scripted", "sharpness", "scripted:second"], api_name="/pair")
    assert said["prefers"] == "A"
    assert [other["model"] for other in said["others"]] == ["scripted", "scripted:second"]
    assert said["others"][1]["prefers"] is None  # it does not keep its answer
    assert client.predict(*photos, "scripted", [], api_name="/pair")["others"] == []
    with pytest.raises(AppError, match="compares photos on the page"):
        client.predict(*photos, "scripted", ["you"], api_name="/pair")


def test_several_models_and_you_say_which_photo_is_sharper(pair_page: NewPage, blurred: Path) -> None:
    """Two photos are enough to ask several models; with "you" among them nothing is shown before the own answer."""
    page = pair_page(width=390, is_mobile=True, has_touch=True)
    upload_both(page, COFFEE, blurred)
    table, result = page.locator(f"{PAIR} table").first, page.locator(PAIR)
    expect(table.locator("tbody tr", has_text="sharpness")).to_contain_text("A")
    expect(table.locator("tbody tr", has_text="scripted")).to_have_count(1)
    assert fits(page)
    page.locator("#pair-others input").click()
    page.get_by_role("option", name="you", exact=True).click()
    page.keyboard.press("Escape")
    expect(result).to_have_text("Which photo looks better to you? You see the models' answers after yours.")
    page.get_by_role("button", name="A is better").click()
    expect(table.locator("tbody tr").first).to_contain_text("you")
    expect(result).to_contain_text("You agree with")
    page.locator("#pair-swap").click()  # the answer is about the photo, wherever it stands
    expect(table.locator("tbody tr").first).to_contain_text("B")
