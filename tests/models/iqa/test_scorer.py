"""nano-iqa as a model: what it sees, what its heads weigh, what it says of photos and their parts, what it refuses."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from safetensors.numpy import load_file, save_file

from qbench.datasets.demo import ensure_file, make_picture
from qbench.distortions import distort
from qbench.errors import UserError
from qbench.images import open_picture
from qbench.models import Model, open_model
from qbench.models.builtin import WEIGHTS_FOLDER
from qbench.models.iqa.features import look, open_backbone
from qbench.models.iqa.scorer import FAULTS, FILE, Basis, Floats, Heads, PartsHead
from qbench.records import Prompt, Response
from tools.demo.damage import DEMO_PHOTOS, Damage, DemoPicture


@pytest.fixture(scope="module")
def scorer() -> Model:
    return open_model("nano-iqa")


def rated(scorer: Model, folder: Path, photo: str, damage: Damage | None = None) -> Response:
    picture = open_picture(ensure_file(DemoPicture(photo, damage).name, folder))
    [response] = scorer.respond([Prompt("score", (picture,))])
    return response


class TwoNumbers(Basis):
    """A basis that hands on the first two features."""

    def of(self, features: Floats) -> Floats:
        return features[:, :2]


def test_the_rating_by_hand() -> None:
    count = len(FAULTS)
    heads = Heads(
        TwoNumbers(*[np.zeros(0, np.float32)] * 8),  # type: ignore[list-item]
        quality=np.array([[1, 0], [3, 0]], np.float32),
        quality_bias=np.array([10, 20], np.float32),
        spread=np.array([[0, 1]], np.float32),
        spread_bias=np.array([0], np.float32),
        faults=np.zeros((count, 2), np.float32),
        fault_bias=np.full(count, np.log(3), np.float32),
        parts=PartsHead(*[np.zeros(0, np.float32)] * 7),  # type: ignore[arg-type]
    )
    rating = heads.rate(np.array([[5, np.log(7)]], np.float32))
    assert rating.score == pytest.approx(((5 + 10) + (15 + 20)) / 2)
    assert heads.scores(np.array([[5, 0], [1, 0]], np.float32)).tolist() == [25, (11 + 23) / 2]
    assert rating.score_error == pytest.approx(7, rel=1e-5)
    assert list(rating.faults) == list(FAULTS)
    assert list(rating.faults.values()) == pytest.approx([0.75] * count)


DAMAGES = {"lens-blur": "blur", "white-noise": "noise", "jpeg": "compression artefacts", "pixelate": ""}
"""Kind -> what it is called; the last has no name of its own."""


def test_a_ruined_photo_scores_lower_by_more_than_the_error_and_damage_that_is_plain_to_see_is_named(
    scorer: Model, tmp_path: Path
) -> None:
    right = []
    for photo in DEMO_PHOTOS[::8]:
        fine = rated(scorer, tmp_path, photo)
        for kind, name in DAMAGES.items():
            ruined = rated(scorer, tmp_path, photo, Damage(kind, 5))
            assert ruined.score < fine.score - max(fine.score_error, ruined.score_error), (photo, kind)
            if name:
                right.append(max(ruined.faults, key=ruined.faults.__getitem__) == name)
        faded = rated(scorer, tmp_path, photo, Damage("undersaturation", 4))
        right.append(max(faded.faults, key=faded.faults.__getitem__) == "faded colours")
    assert np.mean(right) > 0.8


def test_its_identity_follows_its_weights_and_a_copy_opens_by_folder(scorer: Model, tmp_path: Path) -> None:
    shutil.copytree(WEIGHTS_FOLDER / "nano-iqa", tmp_path / "mine")
    copy = open_model(f"nano-iqa:{tmp_path / 'mine'}")
    assert copy.name == "nano-iqa:mine"
    assert copy.identity["weights"] == scorer.identity["weights"]
    weights = tmp_path / "mine" / FILE
    save_file({**load_file(weights), "fault_bias": np.zeros(len(FAULTS), np.float32)}, weights)
    assert open_model(f"nano-iqa:{tmp_path / 'mine'}").identity["weights"] != scorer.identity["weights"]


def test_what_cannot_be_scored_or_opened_is_said(scorer: Model, tmp_path: Path) -> None:
    Image.new("RGB", (9, 9)).save(tmp_path / "dot.png")
    [response] = scorer.respond([Prompt("score", (open_picture(tmp_path / "dot.png"),))])
    assert response.failure == "nano-iqa needs 16 pixels a side, not 9 × 9"
    Image.new("RGB", (64, 60)).save(tmp_path / "small.png")
    small = open_picture(tmp_path / "small.png")
    [response, flat] = scorer.respond([Prompt("map", (small,)), Prompt("score", (small,))])
    assert (response.failure, response.score_map) == ("this photo is too small to tell its parts apart", ())
    assert np.isfinite(flat.score), "though no texture can be fitted to"
    with pytest.raises(UserError, match=r"holds no nano-iqa: heads\.safetensors is missing"):
        open_model(f"nano-iqa:{tmp_path}")


def test_a_map_is_the_same_whether_or_not_the_photo_was_scored_before(tmp_path: Path) -> None:
    """The network looks once at a photo for both; another photo in between makes it look again."""
    for name in ("coffee", "house"):
        make_picture(DemoPicture(name).name).resize((256, 192)).save(tmp_path / f"{name}.png")
    coffee, house = (Prompt("map", (open_picture(tmp_path / f"{name}.png"),)) for name in ("coffee", "house"))
    fresh, used = open_model("nano-iqa"), open_model("nano-iqa")
    looks: list[object] = []
    used.backbone.register_forward_hook(lambda *_: looks.append(None))  # type: ignore[attr-defined]
    score = Prompt("score", coffee.parts)
    scored, mapped, other, again = used.respond([score, coffee, house, coffee])
    assert len(looks) == 6  # full and half size, of coffee, house and coffee
    assert mapped == again == fresh.respond([coffee])[0]
    assert other == fresh.respond([house])[0]
    assert scored == fresh.respond([score])[0]


# --- its parts

CORNERS = {(0, 0): (0, 0, 0.5, 0.5), (0, 1): (0.5, 0, 1, 0.5), (1, 0): (0, 0.5, 0.5, 1), (1, 1): (0.5, 0.5, 1, 1)}
"""Lower and right, as 0 or 1 -> the quarter."""


def test_a_window_is_looked_at_as_if_it_stood_alone(scorer: Model) -> None:
    """Statistics and colours of a window are those of the photo cut to it; the network sees beyond the edges."""
    photo = make_picture(DemoPicture("house").name).resize((512, 384))
    windows = look(scorer.backbone, photo).features(windows=True).reshape(9, 13, -1)
    alone = look(scorer.backbone, photo.crop((160, 64, 160 + 128, 64 + 128))).features()[0, -64:]
    found = windows[2, 5][-64:]
    assert found[:10] == pytest.approx(alone[:10], abs=1e-5)  # luminance and colour
    assert found[10:] == pytest.approx(alone[10:], abs=0.08)


def test_the_map_is_lowest_in_a_damaged_corner(scorer: Model, tmp_path: Path) -> None:
    """Of four photos with one damage each it must find three; `python -m bench.quality_map` tries all damages."""
    kinds = ("lens-blur", "white-noise", "jpeg", "impulse-noise")
    found = []
    for photo, kind, corner in zip(DEMO_PHOTOS[::3], kinds, CORNERS, strict=False):
        path = tmp_path / f"{photo}.png"
        distort(make_picture(DemoPicture(photo).name), kind, 4, seed=1, region=CORNERS[corner]).save(path)
        [response] = scorer.respond([Prompt("map", (open_picture(path),))])
        scores = np.array(response.score_map)
        row, column = np.unravel_index(scores.argmin(), scores.shape)
        found.append((row >= scores.shape[0] / 2, column >= scores.shape[1] / 2) == corner)
    assert sum(found) >= 3


# --- its heads, by hand


def test_a_part_is_as_much_worse_as_it_differs_from_the_median_part() -> None:
    head = PartsHead(
        directions=np.zeros((0, 2), np.float16),
        scale=np.array([2, 1], np.float32),
        hidden=np.array([[1, 0], [0, -3]], np.float16),
        hidden_bias=np.array([0, 1], np.float32),
        out=np.array([10, 5], np.float32),
        out_bias=np.array([7], np.float32),
        margin=np.array([20], np.float32),
    )
    parts = np.array([[4, 1], [4, 1], [4, 1], [8, 1], [4, 0]], np.float32)
    # Differences over the scale: (0, 0) three times, (2, 0) and (0, -1); hidden (0, 1), (2, 1) and (0, 4).
    assert head.drops(parts).tolist() == pytest.approx([0, 0, 0, 20, 15])


def picture(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(3).integers(0, 256, (height, width, 3), dtype=np.uint8)


def test_a_large_photo_is_looked_at_in_1024_pixels_and_a_small_one_as_it_is() -> None:
    network = open_backbone(WEIGHTS_FOLDER / "nano-iqa")
    large, middle, small = (Image.fromarray(picture(*size)) for size in ((90, 1800), (80, 70), (40, 30)))
    assert look(network, large).pixels.shape == (64, 1024, 3)  # 51 rows, and 13 mirrored
    assert large.size == (1800, 90)
    assert (look(network, middle).pixels == np.asarray(middle)).all()
    seen = look(network, small)
    assert seen.pixels.shape == (64, 64, 3)
    assert (seen.pixels[:40, :30] == np.asarray(small)).all()
    assert (seen.pixels[40:, :30] == np.asarray(small)[:15:-1]).all()
    assert np.isfinite(seen.features()).all()
