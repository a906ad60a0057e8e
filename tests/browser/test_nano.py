"""The live pages as a visitor finds them: the models that come with the project, on the example photos."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from leaderboard.live.service.uploads import EXAMPLES
from qbench.__main__ import main
from qbench.distortions import distort
from qbench.models.builtin import reference_scores
from tests.browser.conftest import run_app
from tests.browser.slow_model import choose

COFFEE = next(path for path in EXAMPLES if path.stem == "coffee")


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("nano")
    with run_app(folder / "results", folder / "log", QBENCH_MODELS="", QBENCH_RUNS=str(folder / "runs")) as address:
        yield address


def test_a_probe_gives_what_the_command_line_gives(
    app: str, new_page: Callable[..., Page], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = new_page(app + "?tab=probe", ready="#probe-photo")
    page.locator("#probe-photo input[type=file]").set_input_files(COFFEE)
    expect(page.locator("#probe-result")).to_contain_text("Answered in")
    found = page.locator("#probe-result")
    expect(found.locator(".qb-number strong")).to_have_text(re.compile("Bad|Poor|Fair|Good|Excellent"))
    below = int(re.search(r"scores higher than (\d+) of 126", found.inner_text())[1])
    found.locator("summary").first.click()
    score = answer("nano-iqa", tmp_path, capsys)["score"]
    assert float(re.search(r"nano-iqa gives it (\d+\.\d+)", found.inner_text())[1]) == pytest.approx(score, abs=6e-3)
    assert below == sum(other < score for other in reference_scores("nano-iqa").scores)
    expect(page.locator("#probe-model-line")).to_contain_text("Rank correlation with people on 66 phone photos")


def answer(model: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """What `run` keeps of the photo."""
    (folder / "list.json").write_text(json.dumps([{"img_path": COFFEE.name, "gt_score": 50}]), encoding="utf-8")
    command = f"run --images {COFFEE.parent} --model {model} --task assessment"
    command += f" --dataset {folder / 'list.json'} --json --out {folder / model}"
    assert main(command.split()) == 0
    capsys.readouterr()
    (raw,) = (folder / model / "raw").glob("*.jsonl")
    kept: dict[str, Any] = json.loads(raw.read_text(encoding="utf-8").splitlines()[0])
    return kept


def test_what_a_model_cannot_tell_is_in_none_of_its_sentences(app: str, new_page: Callable[..., Page]) -> None:
    """This photo's strength of distortion is in doubt, and the sentence about it said that the quality is excellent."""
    flowers = next(path for path in EXAMPLES if path.stem == "flower-bed")
    page = new_page(app + "?tab=probe", ready="#probe-photo")
    choose(page, "probe-model", "nano-vlm")
    page.locator("#probe-photo input[type=file]").set_input_files(flowers)
    found = page.locator("#probe-result")
    expect(found).to_contain_text("Answered in")
    expect(found).to_contain_text("Can’t tell: on demo photos of known damage it chose")
    expect(found.locator(".qb-said")).to_contain_text("free of noise")
    expect(found.locator(".qb-said")).not_to_contain_text("quality")
    expect(found).to_contain_text("We left out what it wrote about overall quality")


def test_a_damaged_corner_is_shown_and_the_overlay_follows_the_keyboard(
    app: str, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    with Image.open(next(path for path in EXAMPLES if path.stem == "playground")) as photo:
        distort(photo, "oversaturation", 5, region=(0, 0.5, 0.5, 1)).save(tmp_path / "corner.png")
    page = new_page(app + "?tab=probe", ready="#probe-photo", width=390)
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
