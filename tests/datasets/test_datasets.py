"""Datasets by name, by manifest, and from a folder, an archive or shards; what is missing is named, or left out."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from pathlib import Path

import pytest
from PIL import Image

from qbench.__main__ import main
from qbench.datasets import coverage_sentence, open_dataset
from qbench.errors import DataError, UserError
from qbench.records import Result
from tests.datasets.fetching import packed, question
from tests.datasets.fetching import picture as drawn


def picture(path: Path, colour: str | int = "red") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB" if isinstance(colour, str) else "L", (4, 4), colour).save(path)
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


# --- places of one's own


def scores(name: str) -> list[tuple[str, float | None]]:
    return [(Path(sample.images[0]).name, sample.human) for sample in open_dataset(name).samples]


def test_a_folder_an_archive_and_its_list_are_one_dataset(root: Path, tmp_path: Path) -> None:
    photos = tmp_path / "photos"
    for number in range(4):
        picture(photos / "images" / f"{number}.png", 60 * number)
    rows = [{"img_path": f"images/{n}.png", "gt_score": n} for n in range(4)]
    (photos / "ratings.json").write_text(json.dumps(rows))
    expected = [(f"{n}.png", float(n)) for n in range(4)]
    assert scores(str(photos)) == scores(str(photos / "ratings.json")) == expected
    archive = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", photos.parent, photos.name))
    assert scores(str(archive)) == expected
    assert open_dataset(str(archive)).name == "packed"
    taped = shutil.make_archive(str(tmp_path / "taped"), "gztar", photos)
    assert scores(taped) == expected
    revisions = {open_dataset(str(place)).revision for place in (photos, archive, taped, photos / "ratings.json")}
    assert len(revisions) == 1


def test_shards_with_images_in_the_layout_of_a_manifest(root: Path, tmp_path: Path) -> None:
    asked = {"question": "Which is darker?", "options": ["The first", "The second"], "answer": "The first"}
    questions = [{**asked, "images": [{"bytes": drawn(0)}, {"bytes": drawn(9)}], "concern": "other"}]
    rated = [{"image": drawn(n), "img_path": f"cat {n}.png", "gt_score": n / 2} for n in range(3)]
    compared = [{"reference": drawn(1), "images": [drawn(2), drawn(3)], "label": 1}]
    folder = tmp_path / "shards"
    folder.mkdir()
    (folder / "dev-00000-of-00001.parquet").write_bytes(packed(rated))
    [first, *_] = open_dataset(str(folder)).samples
    assert (first.id, first.human, Path(first.images[0]).read_bytes()) == ("cat 0.png", 0.0, drawn(0))
    (folder / "test-00000-of-00001.parquet").write_bytes(packed(compared))
    with pytest.raises(UserError, match=r"shards holds the splits dev, test; name one of them, such as .*shards:dev"):
        open_dataset(str(folder))
    dataset = open_dataset(f"{folder}:test")
    [pair] = dataset.samples
    assert (dataset.split, pair.answer) == ("test", 1)
    assert [Path(image).read_bytes() for image in pair.images] == [drawn(n) for n in (1, 2, 3)]
    (folder / "alone.parquet").write_bytes(packed(questions))
    [question] = open_dataset(str(folder / "alone.parquet")).samples
    assert (question.answer, question.groups, len(question.images)) == (0, {"concern": "other"}, 2)


def test_archives_that_would_write_elsewhere_are_refused(root: Path, tmp_path: Path) -> None:
    for name in ("../out.png", "/out.png", "a/../../out.png", "C:/out.png"):
        path = tmp_path / "hostile.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(name, "x")
        with pytest.raises(DataError, match="a name that leads out of its folder"):
            open_dataset(str(path))
    assert not list(tmp_path.rglob("out.png"))
    path.write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(DataError, match=r"hostile\.zip is damaged or encrypted"):
        open_dataset(str(path))


# --- the sets of the 2AFC study


@pytest.fixture
def study(root: Path) -> Path:
    """Of three sets one whole, one without an image, one not here; LIVE-itw's images lie with its own dataset."""
    listed = {
        "kadis700k": [{"img_path": f"kadis700k/{n}.bmp", "gt_score": n} for n in range(4)],
        "SQAD": [{"img_path": f"SQAD/{n}.png", "gt_score": n} for n in range(3)],
        "CSIQ": [{"img_path": "CSIQ/dst_imgs/a.AWGN.1.png", "gt_score": "0.1"}],
        "LIVEC": [{"img_path": f"LIVEC/{n}.bmp", "gt_score": n} for n in range(2)],
    }
    for number in range(4):
        picture(root / "kadis-700k" / f"{number}.bmp", 40 * number)
    for number in range(2):
        picture(root / "sqad" / f"{number}.png", 50 * number)
        picture(root / "live-itw" / "Images" / f"{number}.bmp", 90 * number)
    path = root / "2afc-coarse" / "Coarse_grained_mixed.json"
    path.parent.mkdir()
    path.write_text(json.dumps(listed))
    return path


def test_a_set_of_the_study_opens_by_its_own_name(study: Path) -> None:
    whole = open_dataset("kadis-700k")
    assert (whole.name, whole.split, len(whole.samples), whole.coverage) == ("kadis-700k", "coarse", 4, None)
    compared = open_dataset("live-itw", task="comparison")
    assert (compared.name, [sample.human for sample in compared.samples]) == ("live-itw", [0, 1])
    with pytest.raises(UserError, match=r"LIVE-itw is not at .*; get it"):
        open_dataset("live-itw", task="assessment")
    with pytest.raises(UserError, match=r"1 of 3 images of .* are not below .*sqad, the first of them 'SQAD/2\.png'"):
        open_dataset("sqad")
    part = open_dataset("sqad", allow_missing=True)
    assert (len(part.samples), part.coverage) == (2, {"used": 2, "of": 3, "missing": {"SQAD": 1}})
    assert (part.limit, whole.limit) == (2, 4)  # of 100 each, as published
    assert coverage_sentence(part) == (
        "2 of 3 samples of sqad have their images here (missing: 1 of SQAD); a part has no rank"
    )


def test_the_study_runs_on_the_sets_that_are_here(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = ["run", "--task", "comparison", "--dataset", "2afc-coarse", "--model", "brightness", "--rounds", "2"]
    assert main([*run, "--out", str(tmp_path), "--json"]) == 2
    assert "are not below" in capsys.readouterr().err
    assert main([*run, "--out", str(tmp_path), "--json", "--allow-missing"]) == 0
    said = capsys.readouterr()
    records = {row["dataset"]: Result.from_json(row) for row in json.loads(said.out)}
    assert set(records) == {"kadis-700k", "sqad", "live-itw"}
    assert "8 of 10 samples of 2afc-coarse have their images here (missing: 1 of SQAD, 1 of CSIQ)" in said.err
    # As published the sets are larger: every record is of a part, and says of how many.
    sets = {name: (record.protocol["limit"], record.protocol["coverage"]) for name, record in records.items()}
    assert sets == {
        "kadis-700k": (4, {"used": 4, "of": 100}),
        "sqad": (2, {"used": 2, "of": 100}),
        "live-itw": (2, {"used": 2, "of": 100}),
    }
