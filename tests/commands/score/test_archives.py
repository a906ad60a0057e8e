"""`score` reads the zips that authors hand in, and gives the figures that their own records state."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import pytest

from qbench.commands.evaluate import evaluate
from qbench.commands.score import score_file
from qbench.datasets import open_dataset
from qbench.models import ModelOptions, open_model
from qbench.models.own import open_any
from qbench.records import Prompt, Result
from qbench.tasks import RunOptions
from tests.commands.asking import pack
from tests.commands.score.made_files import complaint
from tests.estimates import values

EXAMPLES = Path(__file__).resolve().parents[3] / "assets" / "examples"


def test_what_the_advice_about_raw_replies_asks_for_is_scored(tmp_path: Path) -> None:
    """The record of the run says what its answers took, of 160 prompts; what is no count is left out."""
    with zipfile.ZipFile(EXAMPLES / "run.zip") as archive:
        files: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
        [raw] = [name for name in files if name.startswith("raw/")]
        assert "zip both files together" in complaint(Path(archive.extract(raw, tmp_path)))
    [name] = [name for name in files if name.startswith("perception--")]
    record = json.loads(files[name])
    own = Result.from_json(record)
    record["protocol"]["usage"] = {"prompt_tokens": 46616, "completion_tokens": "many", "cost": 0.25, "joules": 3}
    [result] = score_file(pack(tmp_path, {**files, name: json.dumps(record)}))
    assert result.protocol["usage"] == {"asked": 160, "prompt_tokens": 46616, "cost": 0.25}
    assert (result.dataset, result.model, result.raw) == ("demo-perception", own.model, own.raw)
    assert (result.source.kind, result.protocol["options"]) == ("rescored", "shuffled with seed 0")
    assert values(result.metrics) == values(own.metrics)
    assert values(result.groups["concern"]["other"]) == values(own.groups["concern"]["other"])


def test_what_a_judge_read_is_kept_as_such_and_used_when_scored_again(tmp_path: Path) -> None:
    def muddled(prompt: Prompt) -> str:
        """Answers some questions by a letter, and the others with what no parser can read."""
        return "A" if len(prompt.text) % 3 == 0 else "Hm, the edges."

    model, options = open_any(muddled, ModelOptions()), RunOptions(unread=True)
    judge = open_model("scripted:letter=B")
    dataset = open_dataset("demo-perception", limit=40, task="perception")
    answers = tmp_path / "responses.jsonl"
    [own] = evaluate("perception", dataset, model, tmp_path, judge=judge, options=options)
    asked = answers.read_bytes()
    assert evaluate("perception", dataset, model, tmp_path, judge=judge, options=options) == [own]
    assert answers.read_bytes() == asked  # of neither
    replies = own.protocol["read_by_judge"]["replies"]
    assert 0 < replies < own.protocol["read_by_judge"]["of"]
    assert own.protocol["judge"]["scripted"] == "letter=B"
    raw = (tmp_path / "raw" / f"{own.raw}.jsonl").read_text(encoding="utf-8").splitlines()
    assert sum('"of": "judge"' in line for line in raw) == replies
    files = {str(path.relative_to(tmp_path)): path.read_bytes() for path in tmp_path.rglob("*.json*")}
    [result] = score_file(pack(tmp_path, files))
    assert result.protocol["read_by_judge"] == own.protocol["read_by_judge"]
    assert values(result.metrics) == values(own.metrics)
    alone = [values(each.groups["read_by"]["parser alone"]) for each in (result, own)]
    assert alone[0] == alone[1] != values(own.metrics)


def test_every_file_of_an_archive_is_scored_under_its_own_name(tmp_path: Path) -> None:
    results = score_file(EXAMPLES / "word-logits.zip", model="my-model")
    assert sorted(result.dataset for result in results) == [
        "agiqa-3k", "cgiqa-6k", "kadid-10k", "koniq-10k", "live-fb", "live-itw", "spaq",
    ]  # fmt: skip
    with zipfile.ZipFile(EXAMPLES / "word-logits.zip") as archive:
        one = next(name for name in archive.namelist() if "koniq" in name.lower())
        [alone] = score_file(Path(archive.extract(one, tmp_path)), model="my-model")
    assert alone.to_json() in [result.to_json() for result in results]


SCORES = '{"img_path": "a", "score": 1, "gt_score": 1}'


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"koniq.json": os.urandom(33 * 2**20)}, "x.zip has 33 MB; at most 32 MB are taken"),
        ({}, "x.zip holds no files; pack the result files themselves"),
        ({"a.zip": b"PK\x03\x04"}, "x.zip holds another archive, 'a.zip'; pack the files themselves"),
        ({"koniq.json": "{"}, "koniq.json: record 1 (line 1) is cut off; 0 complete records precede it"),
    ],
)
def test_archives_keep_to_the_limits_of_uploads(tmp_path: Path, files: dict[str, str | bytes], said: str) -> None:
    assert complaint(pack(tmp_path, files, "x.zip")) == said


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(path, "w") as archive:
        archive.writestr("koniq.json", SCORES)
        archive.writestr("koniq.json", SCORES.replace("1", "2"))
    assert complaint(path) == "x.zip holds 2 files called 'koniq.json'; keep one of them"
