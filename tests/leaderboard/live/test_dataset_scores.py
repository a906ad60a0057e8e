from __future__ import annotations

import json
from pathlib import Path

import pytest

from leaderboard.live.photo_scores import KeptAnswers, open_answers, rated_datasets, scores_on
from leaderboard.live.service.limits import Work
from leaderboard.settings import read_settings
from qbench.models import open_model
from qbench.records import Picture
from qbench.runner import Cancelled, Progress


def test_scores_are_kept_and_not_asked_for_again(tmp_path: Path, photos: list[Picture]) -> None:
    rows = [{"img_path": Path(photo.path).name, "gt_score": 1} for photo in photos]
    (tmp_path / "mine.json").write_text(json.dumps(rows), encoding="utf-8")
    seen: list[Progress] = []
    work, model = Work(), open_model("brightness")
    mine, kept = str(tmp_path / "mine.json"), KeptAnswers(tmp_path / "kept", 10**6)
    scores = scores_on(mine, model, kept, work, seen.append)
    assert scores == (90.0, 127.5)
    assert (seen[0].cached, seen[-1].done) == (0, 2)
    work.cancel.set()
    assert scores_on(mine, model, kept, work, seen.append) == scores
    assert seen[-1].cached == 2
    with pytest.raises(Cancelled):
        scores_on(mine, open_model("contrast"), kept, work, seen.append)


def test_the_oldest_answers_go_first_and_those_of_now_stay(tmp_path: Path, photos: list[Picture]) -> None:
    mine = tmp_path / "mine.json"
    rows = [{"img_path": Path(photo.path).name, "gt_score": 1} for photo in photos]
    mine.write_text(json.dumps([*rows, {"img_path": "not-here.png", "gt_score": 1}]), encoding="utf-8")

    def ask(model: str, most: int) -> int:
        """How many answers were known before."""
        seen: list[Progress] = []
        assert (
            len(scores_on(str(mine), open_model(model), KeptAnswers(tmp_path / "kept", most), Work(), seen.append)) == 2
        )
        return seen[-1].cached

    assert [ask(model, 10**6) for model in ("brightness", "contrast", "sharpness", "contrast")] == [0, 0, 0, 2]
    size = sum(path.stat().st_size for path in (tmp_path / "kept").glob("*.jsonl"))
    assert ask("contrast", size - 1) == 2  # too much by a byte: the file of brightness goes
    assert len(list((tmp_path / "kept").iterdir())) == 4  # two files and their locks
    assert [ask(model, 10**6) for model in ("contrast", "sharpness", "brightness")] == [2, 2, 0]
    assert ask("contrast", 0) == 2
    assert [path.suffix for path in (tmp_path / "kept").glob("*.jsonl")] == [".jsonl"]


def test_an_installation_keeps_a_tenth_of_what_runs_may_take(tmp_path: Path) -> None:
    settings = read_settings({"QBENCH_RUNS": str(tmp_path), "QBENCH_RUNS_MEGABYTES": "30"}, tmp_path)
    assert open_answers(settings) == KeptAnswers(tmp_path / "datasets", 3 * 2**20)


def test_the_demo_set_is_always_here_and_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("QBENCH_DATA", str(tmp_path))
    assert rated_datasets() == ["demo-assessment"]
    (tmp_path / "spaq").mkdir()
    (tmp_path / "spaq" / "spaq.json").write_text('[{"img_path": "1.jpg", "gt_score": 3}]')
    (tmp_path / "spaq" / "1.jpg").write_bytes(b"a photo")
    assert rated_datasets() == ["demo-assessment", "spaq"]
