"""Demo sets by name, offline: the same lists and pixels everywhere, and marked in every record."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from qbench.__main__ import main
from qbench.datasets import open_dataset
from qbench.datasets.demo import LISTS, PHOTOS, make_picture, read_demo_set
from qbench.datasets.known import known_datasets
from qbench.tasks import TASKS

ROOT = Path(__file__).resolve().parents[2]


pytestmark = pytest.mark.usefixtures("root")


def test_known_demo_sets_are_the_ones_there_are_and_the_same_for_ever() -> None:
    """Figures on a list that changes are not comparable: this is the digest that records of version 0.1 name."""
    known = {facts.name: facts for facts in known_datasets() if facts.truth == "construction"}
    assert sorted(known) == sorted(path.stem for path in LISTS.iterdir())
    revisions = []
    for name, facts in known.items():
        samples, revision = read_demo_set(name)
        revisions.append(revision)
        assert facts.items == len(samples) == len({sample.id for sample in samples})
        assert name.startswith(f"demo-{facts.task}")
        if TASKS[facts.task].choice or facts.task == "retrieval":
            TASKS[facts.task].check(samples)
    assert hashlib.sha256(" ".join(revisions).encode()).hexdigest()[:16] == "e0278abcb690868e"


def test_the_records_on_the_board_are_of_these_sets() -> None:
    records = [json.loads(path.read_text(encoding="utf-8")) for path in (ROOT / "assets" / "demo").glob("*.json")]
    assert {record["dataset"].split("/")[0] for record in records} == {path.stem for path in LISTS.iterdir()}
    for items in (ROOT / "assets" / "demo" / "items").iterdir():
        assert '"/' not in items.read_text(encoding="utf-8"), "what belongs together is named by no path of a machine"
    for record in records:
        assert record["protocol"]["list"] == read_demo_set(record["dataset"].split("/")[0])[1][:12]


def test_every_photo_is_shipped_small_and_its_licence_is_named() -> None:
    files = sorted(PHOTOS.iterdir())
    assert sum(file.stat().st_size for file in files) <= 2_500_000
    licences = (PHOTOS.parent / "LICENCES.md").read_text(encoding="utf-8")
    assert all(f"| {file.stem} |" in licences for file in files)


@pytest.mark.parametrize(
    ("name", "digest"),
    [
        ("coffee.png", "00631c0faa7cd1ab"),
        ("pagoda--view-top-left.png", "bda2da727afb4ec8"),
        ("raccoon--mean-shift-down--3.png", "ecb8e438dd1b2378"),
        ("house--colour-blocks--4.png", "3b7792bc91066d1c"),
        ("dahlia--displaced-patches--2.png", "67b47ec90b8d9918"),
    ],
)
def test_pixels_are_the_same_everywhere(name: str, digest: str) -> None:
    assert hashlib.sha256(make_picture(name).tobytes()).hexdigest()[:16] == digest


@pytest.mark.parametrize("rule", ["types", "intervals"])
def test_fine_sets_are_paired_by_their_rule_unasked(
    rule: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("run", "--model", "scripted", "--task", "comparison", "--dataset", f"demo-comparison-{rule}")
    assert main([*arguments, "--rounds", "2", "--out", str(tmp_path / "out"), "--json"]) == 0
    (record,) = json.loads(capsys.readouterr().out)
    assert record["protocol"]["pairing"] == rule
    assert record["status"]["presented"] == 4 * 2 * 2 * 2  # sets, pairs, rounds, orders
    assert record["metrics"]["consistency"]["value"] == 1
    assert ("accuracy" in record["metrics"]) == (rule != "types")


def test_a_set_is_made_at_first_use_and_found_at_the_second(root: Path) -> None:
    first = open_dataset("demo-comparison-types", limit=2)
    assert [Path(sample.images[0]).is_file() for sample in first.samples] == [True, True]
    assert first.limit == 2
    made = {path: path.stat().st_mtime_ns for path in root.rglob("*.png")}
    assert len(made) == 2  # only what is used
    again = open_dataset("demo-comparison-types", limit=2)
    assert again == first
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*.png")} == made
