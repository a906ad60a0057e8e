"""The embedded models, made small by `python -m tools.nano`: each opens as the shipped one does and answers."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from qbench.errors import UserError
from qbench.images import open_picture
from qbench.models import open_model
from qbench.prompts import CLIP_GOOD, CLIP_POOR
from qbench.records import Picture, Prompt
from qbench.training.unisim.training_sets import CORE, read_comparisons
from tools.nano import iqa, iqa_rows, iqa_windows
from tools.nano.__main__ import main
from tools.nano.iqa_rows import KINDS
from tools.nano.people import read_ratings, what_is_left


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures of 160 pixels a side instead of 512, parts of 96."""
    monkeypatch.setattr("tools.nano.scenes.CALIBRATION_DAMAGES", 12)
    monkeypatch.setattr("tools.nano.eye.SIDE", 160)
    monkeypatch.setattr("tools.nano.eye.CROP", 96)
    monkeypatch.setattr(iqa, "CHUNK", 20)
    monkeypatch.setattr(iqa, "_REFERENCE", "demo-comparison")
    monkeypatch.setattr(iqa_rows, "SIZES", ((160, 120), (176, 132), (192, 144), (208, 156)))
    monkeypatch.setattr(iqa_windows, "SIZES", ((160, 120), (128, 96)))


def made(kind: str, photos: Path, out: Path, *more: object) -> Path:
    """The folder that the command fills."""
    given = ["--photos", str(photos), "--out", str(out), *map(str, more)]
    assert main([kind, *given, "--device", "cpu"]) == 0
    return out


@pytest.fixture
def picture(photo_folders: tuple[Path, Path]) -> Picture:
    return open_picture(next(photo_folders[0].glob("*.jpg")))


def test_nano_iqa(photo_folders: tuple[Path, Path], tmp_path: Path, picture: Picture) -> None:
    ratings = tmp_path / "kadid.csv"
    names = (f"I01_{kind:02}_{level:02}.png" for kind in range(1, 26) for level in range(1, 6))
    ratings.write_text("img_path,gt_score\n" + "".join(f"{name},{5 - int(name[-5]) / 2}\n" for name in names))
    folder = made("iqa", photo_folders[0], tmp_path / "iqa", "--ratings", ratings, "--rows", 40, "--parts", 10)
    model = open_model(f"nano-iqa:{folder}")
    assert model.wants == {"score", "map"}
    [answer] = model.respond([Prompt("score", (picture,))])
    assert answer.score is not None
    scores = json.loads((folder / "reference.json").read_text(encoding="utf-8"))["scores"]
    assert len(scores) == 24
    assert scores == sorted(scores)


def test_nano_clip_and_nano_vlm(photo_folders: tuple[Path, Path], tmp_path: Path, picture: Picture) -> None:
    few = ("--workers", 0, "--steps", 2, "--scenes", 8)
    eye = made("eye", photo_folders[0], tmp_path / "eye", *few)
    clip = made("clip", photo_folders[0], tmp_path / "clip", "--eye", eye, *few)
    [weighed] = open_model(str(clip)).respond([Prompt("words", (picture,), words=(CLIP_GOOD, CLIP_POOR))])
    assert weighed.logits is not None
    assert weighed.logits.keys() == {CLIP_GOOD, CLIP_POOR}
    steps = ("--reading", 2, "--glances", 2, "--questions", 2, "--taught", 2)
    counts = ("--question-scenes", 4, "--taught-views", 10, "--rows", 4)
    vlm = made("vlm", photo_folders[0], tmp_path / "vlm", "--eye", eye, *few, *steps, *counts)
    [said] = open_model(str(vlm)).respond([Prompt("text", (picture, "How is it?"), max_tokens=4)])
    assert said.failure is None
    onward = made("vlm", photo_folders[0], tmp_path / "onward", "--eye", vlm, "--onward", vlm, *few, *steps, *counts)
    assert (onward / "model.safetensors").stat().st_size == (vlm / "model.safetensors").stat().st_size


def test_comparisons_for_unisim(photo_folders: tuple[Path, Path], tmp_path: Path) -> None:
    few = ("--scenes", 6, "--side", 64, "--whole", 320, "--workers", 0)
    folder = made("comparisons", photo_folders[1], tmp_path / "made", *few)
    lists = sorted(map(str, folder.glob("*.jsonl")))
    assert [Path(path).stem for path in lists] == sorted(CORE)
    found = read_comparisons(lists)
    assert found.keys() == set(CORE)
    clusters = Counter(sample.cluster for sample in found["it-2afc"])
    assert clusters.keys() <= {f"photo {place}" for place in range(4)}
    for sample in found["img-2afc"]:
        assert sample.answer is not None
        right, wrong = sample.images[1 + sample.answer], sample.images[2 - sample.answer]
        assert sample.has_reference
        assert len({sample.images[0], right, wrong}) == 3


def test_what_people_leave_of_a_photo(tmp_path: Path) -> None:
    """By hand: mean ratings of 3.85 and 2.9 of what runs from 1 to 4.8 leave 0.75 and 0.5, together 0.375."""
    rated = {(kind, level): 3.0 for kind in range(1, 26) for level in range(1, 6)}
    rated |= {(1, 2): 3.85, (9, 5): 2.9}
    rows = "".join(
        f"I0{photo}_{kind:02}_{level:02}.png,{score + photo - 2}\n"
        for (kind, level), score in rated.items()
        for photo in (1, 2, 3)
    )
    (tmp_path / "kadid.csv").write_text(f"img_path,gt_score\n{rows}")
    kept = read_ratings(tmp_path / "kadid.csv")
    levels = np.zeros(len(KINDS))
    assert what_is_left(kept, levels) == 1
    levels[[KINDS.index("gaussian-blur"), KINDS.index("jpeg-2000")]] = 2, 5
    assert what_is_left(kept, levels) == pytest.approx(0.375)
    levels[:] = 0
    levels[KINDS.index("gaussian-blur")] = 1.5  # between 3 (0.526) and 3.85 (0.75)
    assert what_is_left(kept, levels) == pytest.approx((2 / 3.8 + 0.75) / 2)
    (other := tmp_path / "other.csv").write_text("img_path,gt_score\nI01_01_01.png,3\n")
    with pytest.raises(UserError, match="not KADID-10k's list of scores"):
        read_ratings(other)


def test_too_few_photos_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eye", "--photos", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert "holds 0 photos of 480 pixels or more; training needs 4" in capsys.readouterr().err
    assert main(["niqe", "--photos", str(tmp_path), "--out", str(tmp_path / "out.json")]) == 2
    assert "holds 0 photos of 192 pixels or more; NIQE needs 10" in capsys.readouterr().err
