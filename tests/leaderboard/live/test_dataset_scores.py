from __future__ import annotations

import json
from pathlib import Path

import pytest

from leaderboard.live.dataset_scores import rated_datasets, scores_on
from leaderboard.live.service.limits import Work
from qbench.models import open_model
from qbench.records import Picture
from qbench.runner import Cancelled, Progress


def test_scores_are_kept_and_not_asked_for_again(tmp_path: Path, photos: list[Picture]) -> None:
    rows = [{"img_path": Path(photo.path).name, "gt_score": 1} for photo in photos]
    (tmp_path / "mine.json").write_text(json.dumps(rows), encoding="utf-8")
    seen: list[Progress] = []
    work, model = Work(), open_model("brightness")
    scores = scores_on(str(tmp_path / "mine.json"), model, tmp_path / "runs", work, seen.append)
    assert scores == (90.0, 127.5)
    assert (seen[0].cached, seen[-1].done) == (0, 2)
    work.cancel.set()
    assert scores_on(str(tmp_path / "mine.json"), model, tmp_path / "runs", work, seen.append) == scores
    assert seen[-1].cached == 2
    with pytest.raises(Cancelled):
        scores_on(str(tmp_path / "mine.json"), open_model("contrast"), tmp_path / "runs", work, seen.append)


def test_the_demo_set_is_always_here_and_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("QBENCH_DATA", str(tmp_path))
    assert rated_datasets() == ["demo-assessment"]
    (tmp_path / "spaq").mkdir()
    (tmp_path / "spaq" / "spaq.json").write_text('[{"img_path": "1.jpg", "gt_score": 3}]')
    (tmp_path / "spaq" / "1.jpg").write_bytes(b"a photo")
    assert rated_datasets() == ["demo-assessment", "spaq"]
