"""The embedded models, made small by `python -m tools.nano`: each opens as the shipped one does and answers."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch

from qbench.errors import UserError
from qbench.images import open_picture
from qbench.models import open_model
from qbench.models.builtin import WEIGHTS_FOLDER
from qbench.prompts import CLIP_GOOD, CLIP_POOR
from qbench.records import Prompt
from qbench.training.unisim.training_sets import CORE, read_comparisons
from tools.demo.damage import Damage
from tools.nano.__main__ import main
from tools.nano.eye import patches_of, read_backbone
from tools.nano.iqa import read_ratings, what_is_left
from tools.nano.scenes import KINDS, View


def test_the_three_models(
    photo_folders: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("tools.nano.photos._SHORT_SIDES", (128, 160))
    monkeypatch.setattr("tools.nano.iqa.REFERENCE", "demo-comparison")
    ratings, out = tmp_path / "kadid.csv", tmp_path / "made"
    names = (f"I01_{kind:02}_{level:02}.png" for kind in range(1, 26) for level in range(1, 6))
    ratings.write_text("img_path,gt_score\n" + "".join(f"{name},{5 - int(name[-5]) / 2}\n" for name in names))
    steps = ("eye", "map", "reading", "looking", "clip")
    sizes = {"side": 128, "scenes": 11, "parts": 10, **{f"{name}-steps": 2 for name in steps}}
    given = ["models", "--photos", str(photo_folders[0]), "--ratings", str(ratings), "--out", str(out)]
    given += ["--device", "cpu", *(part for name, value in sizes.items() for part in (f"--{name}", str(value)))]
    assert main(given) == 0
    picture = open_picture(next(photo_folders[0].glob("*.jpg")))
    scorer = open_model(f"nano-iqa:{out / 'nano-iqa'}")
    [answer] = scorer.respond([Prompt("score", (picture,))])
    assert answer.score is not None
    assert scorer.respond([Prompt("map", (picture,))])[0].score_map
    scores = json.loads((out / "nano-iqa" / "reference.json").read_text(encoding="utf-8"))["scores"]
    assert len(scores) == 24
    assert scores == sorted(scores)
    words = Prompt("words", (picture,), words=(CLIP_GOOD, CLIP_POOR))
    [weighed] = open_model(str(out / "nano-clip")).respond([words])
    assert weighed.logits is not None
    assert weighed.logits.keys() == {CLIP_GOOD, CLIP_POOR}
    [said] = open_model(str(out / "nano-vlm")).respond([Prompt("text", (picture, "How is it?"), max_tokens=4)])
    assert said.failure is None
    # A model that is gone is made anew, of what was seen and learnt before, and is the same.
    clip = out / "nano-clip"
    clip.rename(tmp_path / "before")
    assert main(given) == 0
    assert open_model(str(clip)).respond([words]) == [weighed]
    assert main([*given, "--seed", "1"]) == 2
    assert "was made with other settings" in capsys.readouterr().err


def test_comparisons_for_unisim(photo_folders: tuple[Path, Path], tmp_path: Path) -> None:
    given = ["--photos", str(photo_folders[0]), "--out", str(tmp_path / "made"), "--device", "cpu"]
    assert main(["comparisons", *given, "--scenes", "6", "--side", "64", "--whole", "320"]) == 0
    lists = sorted(map(str, (tmp_path / "made").glob("*.jsonl")))
    assert [Path(path).stem for path in lists] == sorted(CORE)
    found = read_comparisons(lists)
    assert found.keys() == set(CORE)
    clusters = Counter(sample.cluster for sample in found["it-2afc"])
    assert clusters.keys() <= {f"photo {place}" for place in range(6)}
    for sample in found["img-2afc"]:
        assert sample.answer is not None
        right, wrong = sample.images[1 + sample.answer], sample.images[2 - sample.answer]
        assert sample.has_reference
        assert len({sample.images[0], right, wrong}) == 3


def test_a_patch_is_called_damaged_where_most_of_it_is() -> None:
    """By hand: of 4:3 the middle square begins an eighth in; the place is the square of half the height at the left."""
    pixels = np.zeros((96, 128, 3), np.uint8)
    blurred = View((Damage("lens-blur", 5, "top left"),))
    kind, none, unsaid = KINDS.index("lens-blur"), len(KINDS), -100
    patches = patches_of(blurred, pixels, 96).reshape(3, 3)
    assert patches[0].tolist() == [kind, none, none]
    assert patches[1].tolist() == [kind, none, none]
    assert patches[2].tolist() == [none] * 3
    assert set(patches_of(View(()), pixels, 96)) == {none}
    assert set(patches_of(View((*blurred.damages, Damage("jpeg", 3))), pixels, 96)) == {unsaid}


def test_the_package_has_the_same_layers_under_other_names(tmp_path: Path) -> None:
    tower = read_backbone(WEIGHTS_FOLDER / "nano-vlm")
    own = {name: value for name, value in tower.state_dict().items() if "squeeze_excite" not in name}
    stored = {f"layer {number}": value for number, value in enumerate(own.values())}
    torch.save({**stored, "_fc.weight": torch.zeros(1000, 1280)}, tmp_path / "lite0.pth")
    pixels = torch.rand(1, 3, 64, 64, generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        found, expected = (each(pixels).last_hidden_state for each in (read_backbone(tmp_path / "lite0.pth"), tower))
    assert torch.equal(found, expected)
    with pytest.raises(UserError, match=r"is neither a checkpoint's folder nor a \.pth file"):
        read_backbone(tmp_path / "none.pth")


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
    assert what_is_left(kept, ()) == 1
    assert what_is_left(kept, (Damage("gaussian-blur", 2), Damage("jpeg-2000", 5))) == pytest.approx(0.375)
    # Between 3 (0.526) and 3.85 (0.75).
    assert what_is_left(kept, (Damage("gaussian-blur", 1.5),)) == pytest.approx((2 / 3.8 + 0.75) / 2)
    (other := tmp_path / "other.csv").write_text("img_path,gt_score\nI01_01_01.png,3\n")
    with pytest.raises(UserError, match="not KADID-10k's list of scores"):
        read_ratings(other)


def test_too_few_photos_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--photos", str(tmp_path), "--out", str(tmp_path / "out")]
    for kind in (["models", "--ratings", "kadid.csv"], ["niqe"]):
        assert main([*kind, *given]) == 2
        assert "holds 0 photos of 480 pixels or more; training needs 5" in capsys.readouterr().err
