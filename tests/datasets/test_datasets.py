"""Datasets by name and by manifest: what is there is found, what is missing is named with where to get it."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import pytest
from PIL import Image

from qbench.datasets import open_dataset
from qbench.errors import DataError, UserError
from tests.datasets.made_shards import packed, question
from tests.datasets.made_shards import picture as drawn


def picture(path: Path, colour: str = "red") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (4, 4), colour).save(path)
    return str(path)


def test_a_known_dataset_from_its_published_list(root: Path) -> None:
    folder = root / "cgiqa-6k"
    picture(folder / "deep" / "below" / "game_0001.jpg")
    picture(folder / "movie_0002.jpg")
    rows = [{"img_path": "game_0001.jpg", "gt_score": "2.82 "}, {"img_path": "movie_0002.jpg", "gt_score": "1.5"}]
    (folder / "cgi.json").write_text(json.dumps(rows))
    dataset = open_dataset("cgi")
    assert dataset.name == "cgiqa-6k"
    assert [sample.human for sample in dataset.samples] == [2.82, 1.5]
    assert [sample.groups["part"] for sample in dataset.samples] == ["game", "movie"]
    assert dataset.samples[0].images == (str(folder / "deep" / "below" / "game_0001.jpg"),)
    assert len(open_dataset("cgi", limit=1).samples) == 1


def test_what_is_missing_is_named_with_where_to_get_it(root: Path) -> None:
    with pytest.raises(
        UserError,
        match=r"KonIQ-10k is not at .*koniq-10k; get it: .* get koniq-10k, or put there: koniq\.json from https://",
    ):
        open_dataset("koniq-10k")
    (root / "koniq-10k").mkdir()
    (root / "koniq-10k" / "koniq.json").write_text('[{"img_path": "1.jpg", "gt_score": 3}]')
    with pytest.raises(
        UserError,
        match=r"1 of 1 images of KonIQ-10k are .*, the first of them '1\.jpg'; get it: .* koniq\.json",
    ):
        open_dataset("koniq-10k")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("konniq", "did you mean koniq-10k"),
        ("mine.jsonl", r"no manifest at mine\.jsonl"),
        ("a/b/c", "no dataset is called 'a/b/c': python -m qbench datasets lists the names"),
    ],
)
def test_unknown_names_say_what_is_known(name: str, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        open_dataset(name)


def test_image_paths_stay_below_their_folder(tmp_path: Path) -> None:
    secret = picture(tmp_path / "secret.png")
    manifest = tmp_path / "inner" / "mine.json"
    manifest.parent.mkdir()
    manifest.write_text('[{"img_path": "../secret.png", "gt_score": 1}]')
    with pytest.raises(DataError, match="leads out of"):
        open_dataset(str(manifest))
    manifest.write_text(json.dumps([{"img_path": secret, "gt_score": 1}]))
    with pytest.raises(DataError, match="leads out of"):
        open_dataset(str(manifest))
    assert open_dataset(str(manifest), images=tmp_path).samples[0].images == (secret,)


def test_one_file_name_in_two_folders_is_never_guessed(tmp_path: Path) -> None:
    manifest = tmp_path / "mine.json"
    places = ["game/1.png", "movie/1.png"]
    manifest.write_text(json.dumps([{"img_path": place, "gt_score": 1} for place in places]))
    right = picture(tmp_path / "images" / "game" / "1.png")
    with pytest.raises(DataError, match=r"'movie/1\.png' could be .*1\.png, as could 'game/1\.png'; name the folder"):
        open_dataset(str(manifest))
    other = picture(tmp_path / "images" / "movie" / "1.png", "blue")
    assert [sample.images for sample in open_dataset(str(manifest)).samples] == [(right,), (other,)]
    manifest.write_text(json.dumps([{"img_path": "1.png", "gt_score": 1}]))
    with pytest.raises(DataError, match=r"'1\.png' could be .*1\.png or .*1\.png; name the folder"):
        open_dataset(str(manifest))
    shutil.copy(right, other)
    assert [sample.images for sample in open_dataset(str(manifest)).samples] == [(right,)]


def test_parquet_shards_keep_none_as_an_answer_and_hide_test_letters(root: Path) -> None:
    row = question(["Noise", "None", "N/A", "N/A"], 1, 2, "B", id=12, image={"bytes": drawn(7)})
    for split in ("dev", "test"):
        folder = root / f"llvisionqa-{split}"
        folder.mkdir()
        (folder / f"{split}-00000-of-00001.parquet").write_bytes(packed([row]))
    [sample] = open_dataset("llvisionqa-dev").samples
    assert (sample.id, sample.options, sample.answer) == ("12", ("Noise", "None"), 1)
    assert sample.groups == {"question_type": "what", "concern": "in-context-distortion"}
    assert Path(sample.images[0]).read_bytes() == drawn(7)
    assert open_dataset("llvisionqa-test").samples[0].answer is None


def test_pair_shards_have_two_images_and_no_borrowed_concern(root: Path) -> None:
    folder = root / "q-bench2-dev"
    folder.mkdir()
    Image.new("RGB", (4, 4), "blue").save(jpeg := io.BytesIO(), "JPEG")
    images = {"image1": {"bytes": drawn(1)}, "image2": {"bytes": jpeg.getvalue()}}
    row = question(["The first image", "The second image", None, None], 2, 0, "A", id=0, **images)
    (folder / "dev-0.parquet").write_bytes(packed([row]))
    [sample] = open_dataset("q-bench2-dev").samples
    assert [Path(image).suffix for image in sample.images] == [".png", ".jpg"]
    assert sample.groups == {"question_type": "how"}
