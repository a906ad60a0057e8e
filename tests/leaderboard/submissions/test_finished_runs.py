"""A run of the Run page handed in: scored again from its raw answers, by whoever is logged in."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from leaderboard.boards import all_boards
from leaderboard.live.run import run_job
from leaderboard.live.run_files import bundle
from leaderboard.live.run_request import RunRequest
from leaderboard.live.service.limits import Work
from leaderboard.snapshot import Snapshot
from leaderboard.store.local import Store
from leaderboard.submissions.scoring import AnswerKeys
from leaderboard.submissions.service import SubmissionService
from qbench.errors import UserError
from qbench.models import open_model
from qbench.models.catalogue import find_model
from qbench.tasks import RunOptions

IMAGES = 8


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Eight photos that get sharper, rated so, under the name of a known dataset."""
    folder, rng = tmp_path / "data" / "live-itw", np.random.default_rng(0)
    folder.mkdir(parents=True)
    rows = []
    for number in range(IMAGES):
        noise = rng.normal(128, 2 + 4 * number, (32, 32, 3)).clip(0, 255).astype(np.uint8)
        Image.fromarray(noise).save(folder / f"{number}.png")
        rows.append({"img_path": f"{number}.png", "gt_score": number})
    (folder / "livec.json").write_text(json.dumps(rows))
    monkeypatch.setenv("QBENCH_DATA", str(tmp_path / "data"))
    return tmp_path


def test_a_run_is_scored_again_and_on_the_board_under_its_account(root: Path) -> None:
    request = RunRequest("assessment", "live-itw", model="scripted", options=RunOptions(mode="levels"))
    records = run_job(request, lambda name, _: open_model(name), root / "run")(Work(), lambda **_: None).records
    store = Store(root / "store")

    def current() -> Snapshot:
        return Snapshot(store.load(), all_boards(), find_model)

    submissions = SubmissionService(store, AnswerKeys(root / "data"), current)
    archive = bundle(records, root / "run.zip")
    receipt = submissions.submit_run(archive, "scripted", "ada", ("a", "b"))
    assert (receipt.entry.status, receipt.entry.submission.identity) == ("accepted", "ada")
    [stored], [ours] = receipt.entry.submission.results, records.results.values()
    assert (stored.source.kind, stored.protocol["scoring"]) == ("rescored", "five levels")
    assert stored.metrics["srcc"].value == ours.metrics["srcc"].value
    assert submissions.submit_run(archive, "scripted", "ada", ("a", "b")).duplicate
    records.raw.write_bytes(records.raw.read_bytes().replace(b'"text"', b'"t3xt"') + b"{}\n")
    with pytest.raises(UserError, match="the file has problems"):
        submissions.submit_run(bundle(records, root / "changed.zip"), "scripted", "ada", ("a", "b"))
