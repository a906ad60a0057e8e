"""Own images on the Run page: handed in, scored, taken away; what cannot be used is one sentence."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from leaderboard.live.service.uploads import EXAMPLES
from qbench.records import Result
from tests.browser.drawn import fits, read_chart


@pytest.fixture
def photos(tmp_path: Path) -> list[Path]:
    """Three photos under plain names."""
    return [Path(shutil.copy(path, tmp_path / f"{number}.jpg")) for number, path in enumerate(EXAMPLES[:3])]


def open_section(page: Page) -> None:
    page.get_by_role("button", name="Your own images").click()
    page.locator("#own-files").wait_for()


def hand_in(page: Page, files: list[Path]) -> None:
    page.locator("#own-files input[type=file]").set_input_files(files)
    expect(page.locator("#own-files")).to_contain_text(files[-1].stem)
    page.locator("#own-start").click()


def test_a_zip_with_scores_is_scored_and_taken_away(
    app: str, new_page: Callable[..., Page], photos: list[Path], tmp_path: Path
) -> None:
    packed = tmp_path / "photos.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for photo in photos:
            archive.write(photo, f"set/{photo.name}")
        archive.writestr("set/mos.csv", "img_path;gt_score\n0.jpg;1\n1.jpg;2\n2.jpg;3\n")
    page = new_page(app + "?tab=run", ready="#run-start", width=390)
    open_section(page)
    hand_in(page, [packed])
    expect(page.locator("#own-status")).to_contain_text("Done: sharpness scored 3 images")
    expect(page.locator("#own-results")).to_contain_text("SRCC")
    expect(page.locator("#own-results")).to_contain_text("set/0.jpg")
    page.locator("#own-plot .js-plotly-plot .trace").first.wait_for()
    assert fits(page)
    with page.expect_download() as download:
        page.locator("#own-archive").click()
    taken = tmp_path / "taken.zip"
    download.value.save_as(taken)
    with zipfile.ZipFile(taken) as archive:
        names = archive.namelist()
        assert {"scores.csv", "plot.html"} < set(names)
        [record] = [name for name in names if name.endswith(".json")]
        result = Result.from_json(json.loads(archive.read(record)))
    assert (result.dataset, result.metrics["srcc"].n) == ("own images", 3)


def test_loose_photos_then_a_file_that_is_none(app: str, new_page: Callable[..., Page], photos: list[Path]) -> None:
    page = new_page(app + "?tab=run", ready="#run-start")
    open_section(page)
    page.locator("#own-start").click()
    expect(page.locator("#own-status")).to_contain_text("Not done: there are no images yet; choose some")
    hand_in(page, photos)
    expect(page.locator("#own-status")).to_contain_text("Done: sharpness scored 3 images")
    rows = page.locator("#own-results tbody tr")
    expect(rows).to_have_count(3)
    cells = [row.locator("th, td").all_inner_texts() for row in rows.all()]
    for said, row in zip(read_chart(page, "own-plot", "Home", "ArrowRight", "ArrowRight"), cells, strict=True):
        file, value = said.rsplit(" ", 1)
        assert file in row
        assert abs(float(value) - float(row[-1])) <= 0.5  # the table rounds
    broken = photos[0].with_name("broken.jpg")
    broken.write_bytes(b"no photo")
    page.locator("#own-files").get_by_label("Clear").click()
    hand_in(page, [broken])
    expect(page.locator("#own-status")).to_contain_text("Not done: broken.jpg is not an image in a known format")
    expect(page.locator("#own-results tbody tr")).to_have_count(0)
