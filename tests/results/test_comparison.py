"""Runs on lists in the 2AFC study's layout fill the cells of its tables; parts of them, and other ways, fill none."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from leaderboard.boards import all_boards
from leaderboard.store import records_of
from leaderboard.tables.columns import find_board
from leaderboard.tables.models import group_by_model
from leaderboard.tables.table import build_table
from qbench.__main__ import main
from qbench.datasets.known import find_dataset
from qbench.formats.reading import Reading
from qbench.models.catalogue import find_model
from qbench.pairing import coarse_rounds
from qbench.parsing import Preference
from qbench.records import Presented, Result, Sample
from qbench.results import pair_figures
from qbench.results.scored_files import score_reading
from tests.estimates import values, width

QUICKLY = pytest.mark.usefixtures("few_resamples", "no_curve_is_searched")

SCENES = ("butter_flower", "native_american", "redwood", "woman")
TYPES = ("AWGN", "JPEG", "jpeg2000", "fnoise", "BLUR")
WRONG = [("woman", "fnoise")]
"""The scripted judge takes what is sharper; here people take what is less sharp."""

Rows = dict[str, list[dict[str, object]]]


def photo(folder: Path, name: str, sharpness: float) -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    stripes = np.tile([0, 30 + 2 * sharpness], (8, 4)).T
    Image.fromarray(np.dstack([stripes] * 3).astype(np.uint8)).save(path)
    return name


def csiq(folder: Path, set_of: Callable[[str, str, int], str]) -> Rows:
    """Four scenes, five distortions, five levels, with DMOS that rise with the level and a little by type."""
    rows: Rows = {}
    for scene in SCENES:
        for place, kind in enumerate(TYPES):
            for level in range(1, 6):
                dmos = 10 * level + place
                sharpness = dmos if (scene, kind) in WRONG else 100 - dmos
                name = photo(folder, f"CSIQ/dst_imgs/{scene}.{kind}.{level}.png", sharpness)
                rows.setdefault(set_of(scene, kind, level), []).append({"img_path": name, "gt_score": f"{dmos}"})
    return rows


def write(folder: Path, name: str, rows: Rows) -> Path:
    path = folder / name
    path.write_text(json.dumps(rows))
    return path


def run(path: Path, *more: str) -> list[Result]:
    out = path.parent / f"out{''.join(more)}"
    assert (
        main(["run", "--task", "comparison", "--dataset", str(path), "--model", "scripted", "--out", str(out), *more])
        == 0
    )
    return [Result.from_json(json.loads(path.read_text())) for path in sorted(out.glob("*.json"))]


def shown(results: Iterable[Result], board: str) -> dict[str, float]:
    """Column -> what the board shows for the scripted model."""
    of_board = find_board(all_boards(), board)
    table = build_table(group_by_model(records_of(results), find_model), of_board, of_board.columns)
    return {key: cell.value for row in table.ranked.values() for key, cell in row.cells.items()}


@QUICKLY
def test_sampled_datasets_fill_their_cells_if_they_are_whole(tmp_path: Path) -> None:
    rows: Rows = {
        "CSIQ": [{"img_path": photo(tmp_path, f"CSIQ/{n}.png", n), "gt_score": f"{30 - n}"} for n in range(30)],
        "LIVEC": [{"img_path": photo(tmp_path, f"LIVEC/{n}.png", n), "gt_score": n} for n in range(10)],
    }
    path = write(tmp_path, "Coarse_grained_mixed.json", rows)
    whole, part = run(path)
    assert [(result.dataset, result.split, result.protocol.get("limit")) for result in (whole, part)] == [
        ("csiq", "coarse", None),
        ("live-itw", "coarse", 10),
    ]
    assert "coverage" not in part.protocol  # no image of the list that was run is missing
    cells = shown([whole, part], "2afc-coarse")
    assert cells == {
        f"csiq/{name}": whole.metrics[name].value for name in ("accuracy_joint", "consistency", "correlation")
    }
    assert (cells["csiq/consistency"], cells["csiq/accuracy_joint"]) == (1.0, 1.0)
    for other in (["--schedule", "active"], ["--limit", "29"], ["--pairing", "intervals"], ["--rounds", "2"]):
        assert shown(run(path, "--mode", "scores", *other), "2afc-coarse") == {}, other


@QUICKLY
def test_levels_are_pooled_by_distortion_as_in_table_iii(tmp_path: Path) -> None:
    path = write(tmp_path, "Fine_grained_CSIQ_levels.json", csiq(tmp_path, lambda scene, kind, _: f"{scene}.{kind}"))
    [record] = run(path)
    assert (record.dataset, record.split, record.protocol["pairing"]) == ("csiq", "fine-levels", "levels")
    assert record.status["presented"] == 20 * 12 * 4
    cells = shown([record], "2afc-fine")
    assert {key: value for key, value in cells.items() if key.endswith("accuracy_joint")} == {
        "fine-levels/accuracy_joint": pytest.approx(19 / 20),
        "fine-levels/awgn/accuracy_joint": 1.0,
        "fine-levels/jpeg/accuracy_joint": 1.0,
        "fine-levels/jp2k/accuracy_joint": 1.0,
        "fine-levels/pink/accuracy_joint": pytest.approx(3 / 4),
        "fine-levels/blur/accuracy_joint": 1.0,
    }
    assert {value for key, value in cells.items() if key.endswith("consistency")} == {1.0}
    # Rankings are averaged: of four for pink one runs backwards, of all twenty one.
    by_type = record.groups["distortion"]
    assert by_type["jpeg"]["srcc"].value >= 0.9
    assert by_type["pink"]["srcc"].value == pytest.approx(by_type["jpeg"]["srcc"].value * (3 - 1) / 4)
    assert record.metrics["srcc"].value == pytest.approx(by_type["jpeg"]["srcc"].value * (19 - 1) / 20)


@QUICKLY
def test_types_are_pooled_by_level(tmp_path: Path) -> None:
    path = write(tmp_path, "Fine_grained_CSIQ_types.json", csiq(tmp_path, lambda scene, _, level: f"{scene}.{level}"))
    [record] = run(path)
    assert (record.dataset, record.split) == ("csiq", "fine-types")
    cells = shown([record], "2afc-fine")
    metrics = ("accuracy_joint", "consistency", "correlation")
    levels = [f"/level-{level}" for level in range(1, 6)]
    assert cells.keys() == {f"fine-types{group}/{name}" for group in ("", *levels) for name in metrics}
    assert cells["fine-types/level-5/consistency"] == 1.0
    assert cells["fine-types/level-5/accuracy_joint"] == record.groups["level"]["level-5"]["accuracy_joint"].value < 1


@QUICKLY
def test_intervals_keep_their_bounds(tmp_path: Path) -> None:
    rows: Rows = {
        f"interval_{low}_{low + 25}": [
            {"img_path": photo(tmp_path, f"spaq/{low + n}.png", low + n), "gt_score": low + n} for n in range(25)
        ]
        for low in (0, 25, 50, 75)
    }
    [record] = run(write(tmp_path, "Fine_grain_SPAQ.json", rows))
    cells = shown([record], "2afc-fine")
    assert {key: value for key, value in cells.items() if key.endswith("accuracy_joint")} == {
        f"fine-intervals/{group}accuracy_joint": 1.0 for group in ("", "0-25/", "25-50/", "50-75/", "75-100/")
    }
    assert cells["fine-intervals/75-100/correlation"] > 0.9


@QUICKLY
def test_the_published_lists_are_paired_as_published(shared_data: Path) -> None:
    from qbench.datasets.known import find_dataset
    from qbench.datasets.manifest import read_manifest

    facts = find_dataset("2afc-coarse")
    assert facts is not None
    sets = [
        find_dataset(sample.groups["set"]).name for sample in read_manifest(shared_data / "twoafc" / facts.sample_list)
    ]
    assert {name: sets.count(name) for name in sets} == facts.sets
    assert sum(facts.sets.values()) == facts.items


# --- from files: by list, by set, by the rule that made the pairs


DMOS = {f"CSIQ_dst_imgs_{scene}.{kind}.{level}": level + 0.1 * place
        for scene in ("redwood", "woman") for place, kind in enumerate(TYPES[:2]) for level in range(1, 6)}  # fmt: skip


def better(first: str, second: str) -> Preference:
    """A judge that is right, but takes more AWGN of the woman for less."""
    upside_down = "woman.AWGN" in first and "woman.AWGN" in second
    return "first" if (DMOS[first] < DMOS[second]) != upside_down else "second"


def reading(pairs: Iterable[tuple[str, str]], judge: Callable[[str, str], Preference] = better) -> Reading:
    """Every pair in both orders."""
    both = [shown for first, second in pairs for shown in ((first, second), (second, first))]
    presented = tuple(Presented(first, second, judge(first, second), "csiq") for first, second in both)
    samples = {name: Sample(name, (name,), human=DMOS[name]) for pair in both for name in pair}
    status = {"read": 0, "repeated": 0}
    return Reading(Path("x.zip"), "comparisons", "comparison", status, "0" * 64, samples, presented=presented)


def scored(made: Reading, listed: str, *, chance: bool = False) -> Result:
    facts = find_dataset(listed)
    assert facts is not None
    [result] = score_reading(made, facts, "me", None, chance=chance)
    return result


def rounds_of(images: list[str]) -> list[tuple[str, str]]:
    return [(images[i], images[j]) for i, j in coarse_rounds(len(images)).reshape(-1, 2)]


LEVELS = [[name for name in DMOS if f"{scene}.{kind}." in name] for scene in ("redwood", "woman") for kind in TYPES[:2]]


@pytest.mark.usefixtures("few_resamples")
def test_fine_sets_are_ranked_apart_and_pooled_by_what_they_share_like_coin_flips(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Three of four rankings agree with people and one is upside down; by type, one of two. The fitted correlation of
    five images a set is far from 0 by chance, the signed one is not."""
    monkeypatch.setattr(pair_figures, "_MOST_JUDGES", 6)
    monkeypatch.setattr(pair_figures, "_FEWEST_JUDGES", 6)
    result = scored(reading(pair for images in LEVELS for pair in rounds_of(images)), "2afc-fine-levels", chance=True)
    assert (result.dataset, result.split) == ("csiq", "fine-levels")
    assert (result.protocol["rounds"], result.protocol["limit"]) == (12, len(DMOS))
    assert result.metrics["accuracy_joint"].value == pytest.approx(3 / 4)
    by_type = result.groups["distortion"]
    assert {name: metric["accuracy_joint"].value for name, metric in by_type.items()} == {"awgn": 0.5, "jpeg": 1.0}
    right = by_type["jpeg"]["srcc"].value  # of two sets that were asked the same and answered the same
    assert right >= 0.9
    assert by_type["awgn"]["srcc"].value == pytest.approx(0)
    assert result.metrics["srcc"].value == pytest.approx(right * (3 - 1) / 4)
    chance = result.groups["chance"]
    assert set(chance) == {"coin-flip judge", "coin-flip judge, awgn", "coin-flip judge, jpeg"}
    every = values(chance["coin-flip judge"])
    assert abs(every["srcc"]) < 0.2 and every["correlation"] > 0.5
    # A mean over four sets, and over two.
    assert width(chance["coin-flip judge"]["srcc"]) < width(chance["coin-flip judge, awgn"]["srcc"])


@QUICKLY
def test_what_the_released_schedule_leaves_where_repeated_pairs_overwrite_is_all_of_it() -> None:
    images = LEVELS[0][:4]
    every = rounds_of(images)
    once = list(dict.fromkeys(every))
    assert len(every) > len(once)
    whole = scored(reading(every), "2afc-coarse").protocol
    assert (whole["rounds"], "repeated_pairs" in whole) == (12, False)
    left = scored(reading(once), "2afc-coarse").protocol
    assert (left["rounds"], left["repeated_pairs"]) == (12, "counted once")
    lost = scored(reading(once[1:]), "2afc-coarse").protocol
    assert lost["rounds"] == round(2 * (len(once) - 1) / 4, 2) < 12
    assert "repeated_pairs" not in lost
