"""A published list is told by what it holds, whatever its file is called; copies that are not whole are not it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from qbench.__main__ import main
from qbench.datasets import known as known_module
from qbench.datasets import open_dataset
from qbench.datasets.known import content_digest, find_published_list, known_datasets
from qbench.datasets.manifest import read_manifest
from qbench.errors import DataError
from tests.datasets.fetching import facts_of

MADE = {"koniq10k": [{"img_path": "koniq10k/a.png", "gt_score": "1.8"}, {"img_path": "koniq10k/b.png", "gt_score": 3}]}
LEVELS = [{"img_path": f"CSIQ/redwood.BLUR.{level}.png", "gt_score": level / 10} for level in (1, 2, 3)]


def write(path: Path, rows: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is the published list of the coarse sets, as far as anybody here knows."""
    path = write(tmp_path / "mine" / "list.json", MADE)
    same = replace(facts_of("2afc-coarse"), items=2, contents=content_digest(read_manifest(path)))
    known = tuple(same if facts.name == same.name else facts for facts in known_datasets())
    monkeypatch.setattr(known_module, "known_datasets", lambda: known)
    (path.parent / "koniq10k").mkdir()
    for name, colour in {"a": "red", "b": "blue", "c": "black"}.items():
        Image.new("RGB", (8, 8), colour).save(path.parent / "koniq10k" / f"{name}.png")
    return path


def test_a_list_under_another_name_is_the_published_one(published: Path) -> None:
    dataset = open_dataset(str(published))
    assert (dataset.name, dataset.split, dataset.limit, dataset.note) == ("2afc-coarse", "coarse", None, "")


@pytest.mark.parametrize(
    "rows",
    [
        {"KonIQ-10k": [{"img_path": "elsewhere/b.png", "gt_score": "3.0"}, {"img_path": "a.png", "gt_score": 1.8}]},
        {"koniq10k": [{**row, "ref_path": "r.png"} for row in MADE["koniq10k"]]},
    ],
)
def test_order_folders_spelling_and_further_fields_do_not_matter(published: Path, tmp_path: Path, rows: object) -> None:
    facts = find_published_list(read_manifest(write(tmp_path / "copy.json", rows)))
    assert facts is not None
    assert facts.name == "2afc-coarse"


def test_what_differs_from_it_says_that_it_is_on_no_board(published: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By an image that is not there, or a score."""
    members = [{"img_path": "a.png", "gt_score": 1.8}, {"img_path": "b.png", "gt_score": 3.5}]
    for some in (members[:1], members):
        write(published, {"koniq10k": some})
        dataset = open_dataset(str(published))
        assert (dataset.name, dataset.split) == ("list", None)
        assert dataset.note.startswith("its sets are those of 2AFC coarse lists (8 sets), but its images or scores are")
    command = ["run", "--task", "comparison", "--model", "scripted", "--dataset", str(published), "--json", "--rounds"]
    assert main([*command, "1", "--out", str(published.parent / "out")]) == 0
    out, err = capsys.readouterr()
    [record] = json.loads(out)
    assert (record["split"], record["protocol"]["note"]) == (None, dataset.note)
    assert err == f"qbench: {dataset.note}\n"


def test_scores_that_may_be_dmos_are_asked_about(tmp_path: Path) -> None:
    path = write(tmp_path / "truth.json", LEVELS)
    with pytest.raises(DataError) as raised:
        read_manifest(path)
    assert str(raised.value) == (
        "truth.json, record 1 (line 1): 'CSIQ/redwood.BLUR.1.png' is named as CSIQ's images are, whose published "
        "scores are DMOS (lower is better), and nothing says whether its gt_score is one: add "
        '"lower_is_better": true or false to every row, or with --truth name the dataset, --dataset csiq'
    )


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("twoafc/Coarse_grained_mixed.json", "2afc-coarse"),
        ("twoafc/Fine_grained_CSIQ_levels.json", "2afc-fine-levels"),
        ("twoafc/Fine_grained_CSIQ_types.json", "2afc-fine-types"),
        ("twoafc/Fine_grain_SPAQ.json", "2afc-fine-intervals"),
        ("qbench_mos/koniq.json", "koniq-10k"),
        ("qbench_mos/spaq.json", "spaq"),
        ("qbench_mos/livec.json", "live-itw"),
        ("qbench_mos/cgi.json", "cgiqa-6k"),
        ("qbench_mos/agi.json", "agiqa-3k"),
        ("qbench_mos/kadid.json", "kadid-10k"),
        ("llvisionqa/llvisionqa_dev.json", "llvisionqa-dev"),
        ("llvisionqa/llvisionqa_test.json", "llvisionqa-test"),
    ],
)
def test_the_published_lists_are_recognised(shared_data: Path, tmp_path: Path, file: str, name: str) -> None:
    copy = tmp_path / "copy.json"
    copy.write_bytes((shared_data / file).read_bytes())
    samples = read_manifest(copy)
    facts = find_published_list(samples)
    assert facts is not None
    assert facts.name == name
    assert find_published_list(samples[1:]) is None
    assert all(sample.lower_is_better for sample in samples) is facts.lower_is_better
