"""The Probe page: what the model gets is what was uploaded, and what is shown is what the engine says."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import numpy as np
import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError
from PIL import Image
from playwright.sync_api import Page, expect

from leaderboard.live.quality import judge_quality
from leaderboard.live.service.uploads import EXAMPLES
from qbench.distortions import distort
from qbench.images import load_pixels, open_picture
from tests.browser.conftest import NewPage
from tests.browser.drawn import fits, read_chart
from tests.browser.seen import busy
from tests.browser.slow_model import choose
from tests.leaderboard.live.places import run_with

READY = "#probe-photo"
FILE = f"{READY} input[type=file]"
COFFEE = next(path for path in EXAMPLES if path.stem == "coffee")
RESULT = "#probe-result"


@pytest.fixture
def probe_page(studio: str, new_page: NewPage) -> NewPage:
    return lambda **options: new_page(studio + "?tab=probe", ready=READY, **options)


def upload(page: Page, path: Path) -> None:
    page.locator(FILE).set_input_files(path)


def score(name: str, path: Path) -> float:
    """As the engine has it."""
    value = judge_quality(run_with(name), open_picture(path)).value
    assert value is not None
    return value


def test_a_photo_is_probed_with_the_engine_s_numbers_and_an_own_question_comes_first(
    probe_page: NewPage,
) -> None:
    page = probe_page(width=390)
    upload(page, COFFEE)
    expect(page.locator(RESULT)).to_contain_text("Answered in")
    assert fits(page)
    by_own_words = page.locator(f"{RESULT} [aria-label='Word pairs'] tbody td").nth(1).text_content()
    assert float(by_own_words or "") == pytest.approx(score("scripted", COFFEE), abs=1e-4)
    expect(page.locator("#probe-file code")).to_have_attribute("title", hashlib.sha256(COFFEE.read_bytes()).hexdigest())
    expect(page.locator(RESULT)).to_contain_text("The image is blurry.")
    expect(page.locator(f"{RESULT} .qb-options li")).to_have_count(7 + 12)
    page.get_by_text("Ask a question of your own").click()
    page.locator("#probe-question textarea, #probe-question input").fill("Is it <b>hot</b>?")
    page.locator("#probe-options textarea").fill("Yes")
    page.locator("#probe-ask").click()
    expect(page.locator("#probe-asked")).to_contain_text("2 to 10 different options")
    expect(page.locator(f"{RESULT} .qb-number")).to_be_visible()
    page.locator("#probe-options textarea").fill("Yes\nNo")
    page.locator("#probe-ask").click()
    expect(page.locator(f"{RESULT} .qb-asked").locator("visible=true").first).to_have_text("Is it <b>hot</b>?")
    expect(page.locator(f"{RESULT} .qb-number")).to_be_visible()
    choose(page, "probe-model", "sharpness")
    cannot = "sharpness cannot answer questions; of the models here scripted and scripted:second can."
    expect(page.locator("#probe-asked")).to_have_text(cannot)
    expect(page.locator("#probe-ask")).to_be_hidden()
    expect(page.locator(RESULT)).to_contain_text("sharpness, on its own scale")
    shown = page.locator(f"{RESULT} .qb-number strong").inner_text()
    assert float(shown) == pytest.approx(score("sharpness", COFFEE), rel=5e-3)
    choose(page, "probe-model", "scripted")
    expect(page.locator("#probe-ask")).to_be_visible()
    expect(page.locator(f"{RESULT} .qb-asked").locator("visible=true").first).to_have_text("Is it <b>hot</b>?")


def test_what_is_no_photo_gets_one_sentence(studio: str, tmp_path: Path) -> None:
    """Through the endpoint, since a browser's file dialog offers images alone; the app stays up."""
    client = Client(studio, verbose=False)
    for name, content in (("page.jpg", b"<!doctype html>"), ("nothing.png", b""), ("drawing.png", b"<svg></svg>")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(AppError, match=f"Not done: {name} is (not an image|empty)"):
            client.predict(handle_file(tmp_path / name), "scripted", "", "", api_name="/probe")
    with pytest.raises(AppError, match="there is no photo"):
        client.predict(None, "scripted", "", "", api_name="/probe")
    with pytest.raises(AppError, match="gpt2 is not in the list of choices"):
        client.predict(handle_file(COFFEE), "gpt2", "", "", api_name="/probe")
    with pytest.raises(AppError, match="Not done: sharpness cannot answer questions; of the models here scripted and"):
        client.predict(handle_file(COFFEE), "sharpness", "Is it hot?", "Yes\nNo", api_name="/probe")
    said = client.predict(handle_file(COFFEE), "scripted", "Is it hot?", "Yes\nNo", api_name="/probe")
    assert said["sha256"] == hashlib.sha256(COFFEE.read_bytes()).hexdigest()
    assert said["quality"]["value"] == pytest.approx(score("scripted", COFFEE), abs=1e-9)
    assert said["questions"][0]["options"] == ["Yes", "No"]


def test_a_degraded_photo_is_shown_without_loss_and_scored(studio: str, probe_page: NewPage, tmp_path: Path) -> None:
    page = probe_page()
    upload(page, COFFEE)
    expect(page.locator(RESULT)).to_contain_text("Answered in")
    page.locator("#probe-degrade").click()
    expect(page.locator("#probe-noticed")).to_contain_text("brightness’s score")
    expect(page.locator("#probe-curves .js-plotly-plot .scatterlayer .trace")).to_have_count(3)
    images = page.locator("#probe-strip img")
    expect(images).to_have_count(6)
    content = page.request.get(studio + str(images.nth(4).get_attribute("src"))).body()
    (tmp_path / "shown.png").write_bytes(content)
    made = distort(load_pixels(open_picture(COFFEE)), "white-noise", 4, seed=0)
    assert np.array_equal(np.asarray(Image.open(tmp_path / "shown.png")), np.asarray(made))
    said = read_chart(page, "probe-curves", "Home", *["ArrowRight"] * 5)
    assert [text.split(", ")[1].split(":")[0] for text in said] == [f"level {level}" for level in range(6)]
    page.locator("#probe-under summary").click()
    cells = page.locator("#probe-under tr", has_text="scripted").locator("td").all_inner_texts()
    assert float(cells[4]) == pytest.approx(score("scripted", tmp_path / "shown.png"), abs=1e-4)


def test_what_was_found_stands_beside_its_own_photo_and_model_alone(probe_page: NewPage) -> None:
    page = probe_page()
    standing, strip, curves = (page.locator(f"#probe-{part}") for part in ("standing", "strip", "curves"))
    upload(page, COFFEE)
    expect(page.locator(RESULT)).to_contain_text("Answered in")
    page.locator("#probe-place").click()
    expect(standing).to_contain_text("scores higher than")
    expect(standing).to_contain_text("Source: coffee.jpg and")
    first, second = read_chart(page, "probe-standing-plot", "Home", "ArrowRight")
    assert float(first) <= float(second)
    page.locator("#probe-degrade").click()
    expect(curves.locator(".scatterlayer .trace")).to_have_count(3)
    with busy(page):
        choose(page, "probe-model", "sharpness")
        expect(standing).to_be_hidden()
        expect(page.locator("#probe-standing-plot")).to_be_hidden()
        expect(strip).to_be_visible()  # is about the photo, and says which models it asked
        figure, photo_facts = page.locator(f"{RESULT} .qb-number"), page.locator("#probe-file code")
        expect(figure).to_be_hidden()
        expect(page.locator(RESULT)).to_contain_text("Asking again, about your new choice …")
        expect(photo_facts).to_be_visible()
        choose(page, "probe-model", "scripted")
        for panel in (standing, figure):
            expect(panel).to_be_visible()
        expect(page.locator(RESULT)).to_contain_text("coffee.jpg, judged by scripted.")
        page.locator("#probe-models").get_by_role("button", name="Remove").first.click()
        for panel in (strip, curves):
            expect(panel).to_be_hidden()
    page.locator("#probe-examples button").first.click()
    for panel in (standing, strip, curves):
        expect(panel).to_be_hidden()
    page.locator("#probe-place").click()
    expect(standing).to_contain_text("scores higher than")
    expect(standing).to_be_visible()
    expect(strip).to_be_hidden()


def test_a_long_piece_of_work_shows_how_far_it_is_and_stops(studio: str, new_page: NewPage) -> None:
    page = new_page(studio + "?tab=probe&model=niqe", ready=READY)
    upload(page, COFFEE)
    expect(page.locator(RESULT)).to_contain_text("niqe, on its own scale")
    page.locator("#probe-place").click()
    standing = page.locator("#probe-standing")
    for done in (r"[1-9] of 126 pictures", r"[1-9]\d of 126 pictures, about \d+\ss left"):
        expect(standing).to_contain_text(re.compile(done))
    page.locator("#probe-stop-placing").click()
    expect(standing).to_have_text("Stopped.")
    choose(page, "probe-model", "scripted")
    page.locator("#probe-place").click()
    expect(standing).to_contain_text("scores higher than")
