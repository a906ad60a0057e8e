"""`python -m qbench datasets check` names everything that is wrong with a dataset at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from qbench.__main__ import main
from tests.commands.asking import document


def _photos(folder: Path, *names: str) -> None:
    for place, name in enumerate(names):
        Image.new("RGB", (40, 30), (40 * place, 90, 120)).save(folder / name)


def test_a_sound_folder_has_no_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _photos(tmp_path, "a.png", "b.png")
    (tmp_path / "list.csv").write_text("filename,MOS\na.png,3.5\nb.png,2\n")
    found = document(capsys, "datasets", "check", tmp_path / "list.csv")
    assert found["samples"] == 2
    assert found["faults"] == []
    assert {"assessment", "comparison"} <= set(found["tasks"])


def test_six_mistakes_are_named_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _photos(tmp_path, "a.png", "b.png", "c.png")
    (tmp_path / "again.png").write_bytes((tmp_path / "a.png").read_bytes())
    (tmp_path / "cut.png").write_bytes((tmp_path / "b.png").read_bytes()[:60])
    rows = [{"img_path": name, "gt_score": 3} for name in ("a.png", "b.png", "cut.png", "gone.png")]
    rows += [{"img_path": "again.png", "gt_score": 4}, {"img_path": "c.png"}, {"img_path": "c.png", "gt_score": "x"}]
    (tmp_path / "list.json").write_text(json.dumps(rows))
    assert main(["datasets", "check", str(tmp_path / "list.json"), "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert found["samples"] == 5
    said = "\n".join(found["faults"])
    for fault in (
        "gt_score is 'x', not a finite number",
        "'gone.png'",
        "5 of 6 samples",
        "cut.png is",
        "a.png (3), again.png (4)",
        "1 of 5 images have no gt_score",
    ):
        assert fault in said.replace(f"{tmp_path}/", ""), fault
