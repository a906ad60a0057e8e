"""What `run` writes and what the Run page ran, handed in: scored again as the model was asked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from leaderboard.live.run import run_job
from leaderboard.live.run_files import bundle
from leaderboard.live.run_request import RunRequest
from leaderboard.live.service.limits import Work
from leaderboard.store.local import Store
from leaderboard.submissions.scoring import AnswerKeys
from leaderboard.submissions.service import SubmissionService
from qbench.errors import UserError
from qbench.models import open_model
from qbench.records import Sample
from qbench.tasks import RunOptions
from qbench.tasks.perception import shuffle_options
from tests.commands.asking import pack, write
from tests.leaderboard.made import make_pictures
from tests.leaderboard.published import published
from tests.leaderboard.submissions.test_check import look

OPTIONS = ("Red", "Green", "Blue")
LIST = [{"id": str(k), "question": f"{k}?", "options": OPTIONS, "answer": OPTIONS[k % 3]} for k in range(6)]
SEED = 7


def shown(number: int) -> tuple[str, ...]:
    return shuffle_options(Sample(str(number), options=OPTIONS), SEED).options


def letter(number: int, option: str) -> str:
    return "ABC"[shown(number).index(option)]


def run(folder: Path, replies: Sequence[Mapping[str, Any]], task: str = "perception", **changes: Any) -> Path:
    """An archive as people make it of all that `--out` holds."""
    lines = [
        json.dumps({"sample": str(k), "prompt": "0" * 64, "of": "model", **reply}) for k, reply in enumerate(replies)
    ]
    raw = ("\n".join(lines) + "\n").encode()
    record = {
        "schema": 1,
        "task": task,
        "dataset": "llvisionqa-dev",
        "split": "dev",
        "model": "somebody",
        "protocol": {"prompt": "letter", "seed": SEED, "graded_by": "parser"},
        "metrics": {"accuracy": {"value": 0.99, "n": 6}},
        "source": {"kind": "live"},
        "raw": hashlib.sha256(raw).hexdigest(),
        **changes,
    }
    cache = json.dumps({"key": "0" * 64, "response": {"text": "A."}})
    name = f"raw/{hashlib.sha256(raw).hexdigest()}.jsonl"
    return pack(folder, {"perception--x.json": json.dumps(record), name: raw, "responses.jsonl": cache})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "llvisionqa-dev", LIST, "llvisionqa_dev.json")
    return tmp_path


def test_letters_are_read_in_the_order_that_was_shown(root: Path) -> None:
    assert {shown(k) for k in range(6)} != {OPTIONS}  # or this shows nothing
    right = [{"text": f"{letter(k, OPTIONS[k % 3])}."} for k in range(4)]
    path = run(root, [*right, {"text": f"{letter(4, 'Red')}."}, {"failure": "out of memory"}])
    report = look(path, root=root)
    assert not report.problems
    [result] = report.results
    assert (result.metrics["accuracy"].value, result.metrics["accuracy"].n) == (pytest.approx(4 / 6), 6)
    assert (result.model, result.source.kind, result.protocol["prompt"]) == ("my-model", "rescored", "letter")
    assert result.unscored == {"failed: out of memory": 1}


@pytest.mark.parametrize("change", [{"task": "comparison"}, {"dataset": "llvisionqa-test", "split": "test"}])
def test_without_truth_or_for_other_tasks_the_record_speaks_for_itself(root: Path, change: dict[str, str]) -> None:
    [result] = look(run(root, [{"text": "A"}], **{"task": "perception", **change}), root=root).results
    assert (result.source.kind, result.metrics["accuracy"].value) == ("self-reported", 0.99)


def test_replies_that_were_changed_are_not_the_records(root: Path) -> None:
    path = run(root, [{"text": "A"}], raw="0" * 64)
    [problem, *_] = look(path, root=root).problems
    assert "an order that only the run's record tells" in problem.places[0]


@pytest.mark.parametrize(
    ("replies", "changes", "said"),
    [
        ([{"text": "A"}], {"protocol": {}}, "does not tell the seed"),
        ([{"text": 3}], {}, "text is 3, not text"),
        ([{"logits": {"A": "x"}}], {}, "logits of 'A' is 'x', not a finite number"),
        ([{"logits": [1]}], {}, "logits is [1], not an object"),
        ([{"text": "A", "sample": ""}], {}, "has no sample"),
        ([{"text": "A"}, {"text": "A", "sample": "0"}], {}, "'0' was answered before"),
    ],
)
def test_what_a_run_never_writes_is_told(
    root: Path, replies: list[dict[str, Any]], changes: dict[str, Any], said: str
) -> None:
    [problem] = look(run(root, replies, **changes), root=root).problems
    assert any(said in text for text in (problem.sentence, *problem.places)), problem


def test_a_run_of_the_page_is_on_the_board_under_the_account_that_hands_it_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight photos that get sharper, rated so, under the name of a known dataset."""
    folder = tmp_path / "data" / "live-itw"
    folder.mkdir(parents=True)
    photos = make_pictures(folder, 8)
    write(folder, [{"img_path": photo.name, "gt_score": place} for place, photo in enumerate(photos)], "livec.json")
    monkeypatch.setenv("QBENCH_DATA", str(tmp_path / "data"))
    request = RunRequest("assessment", "live-itw", model="scripted", options=RunOptions(mode="levels"))
    records = run_job(request, lambda name, _: open_model(name), tmp_path / "run")(Work(), lambda **_: None).records
    submissions = SubmissionService(Store(tmp_path / "store"), AnswerKeys(tmp_path / "data"), published)
    archive = bundle(records, tmp_path / "run.zip")
    receipt = submissions.submit_run(archive, "scripted", "ada", ("a", "b"))
    assert (receipt.entry.status, receipt.entry.submission.identity) == ("accepted", "ada")
    [stored], [ours] = receipt.entry.submission.results, records.results.values()
    assert (stored.source.kind, stored.protocol["scoring"]) == ("rescored", "five levels")
    assert stored.metrics["srcc"].value == ours.metrics["srcc"].value
    assert submissions.submit_run(archive, "scripted", "ada", ("a", "b")).duplicate
    records.raw.write_bytes(records.raw.read_bytes().replace(b'"text"', b'"t3xt"') + b"{}\n")
    with pytest.raises(UserError, match="the file has problems"):
        submissions.submit_run(bundle(records, tmp_path / "changed.zip"), "scripted", "ada", ("a", "b"))
