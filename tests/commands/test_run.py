"""Runs from end to end: records, raw responses, resume, a measure as a judge of photos, the line beside a run."""

from __future__ import annotations

import hashlib
import io
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from scipy.stats import pearsonr

from leaderboard.boards import all_boards
from leaderboard.tables.columns import find_board
from qbench.__main__ import main
from qbench.commands.evaluate import evaluate
from qbench.datasets import open_dataset
from qbench.errors import UserError
from qbench.images import open_picture
from qbench.models import open_model
from qbench.models.catalogue import ModelFacts
from qbench.records import Estimate, Prompt, Result
from qbench.tasks import RunOptions
from tests.commands.asking import refused
from tests.tasks.drive import photos


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    """Twelve photos that get sharper, each with a score."""
    rng = np.random.default_rng(0)
    rows = []
    for number in range(12):
        noise = rng.normal(128, 2 + 4 * number, (32, 32, 3))
        Image.fromarray(np.clip(noise, 0, 255).astype(np.uint8)).save(tmp_path / f"{number}.png")
        rows.append({"img_path": f"{number}.png", "gt_score": number})
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(rows))
    return path


def run(*arguments: object) -> list[dict]:
    with redirect_stdout(io.StringIO()) as said:
        assert main(["run", *map(str, arguments), "--json"]) == 0
    return json.loads(said.getvalue())


def test_assessment_from_the_command_line(manifest: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    [record] = run("--task", "assessment", "--dataset", manifest, "--model", "scripted", "--out", out)
    assert record["metrics"]["srcc"]["value"] == pytest.approx(1.0)
    assert record["source"]["kind"] == "live"
    [path] = out.glob("*.json")
    assert path.name.startswith("assessment--mine--scripted--")
    stored = json.loads(path.read_text())
    assert stored == record
    assert Result.from_json(stored).model == "scripted"
    raw = (out / "raw" / f"{record['raw']}.jsonl").read_bytes()
    assert hashlib.sha256(raw).hexdigest() == record["raw"]
    assert len(raw.splitlines()) == 12


def test_every_protocol_of_assessment_by_hand(manifest: Path, tmp_path: Path) -> None:
    """The fake's logit is ±q, by a word's side; the odds of five levels are e^q, e^q, 1, e^-q, e^-q."""
    arguments = ("--task", "assessment", "--dataset", manifest, "--model", "scripted")
    model, qualities = open_model("scripted"), []
    for sample in open_dataset(str(manifest)).samples:
        [response] = model.respond([Prompt("score", (open_picture(Path(sample.images[0])),))])
        qualities.append(response.score)
    up, down = np.exp(qualities), np.exp(np.negative(qualities))
    worked = {
        ("--words", "high/low"): 1 / (1 + np.exp(np.multiply(qualities, -2 / 100))),
        ("--words", "good+fine/poor+bad", "--prefill", "It is"): 1 / (1 + np.exp(np.multiply(qualities, -4 / 100))),
        ("--mode", "levels"): (9 * up + 3 + 3 * down) / (2 * up + 1 + 2 * down),
        ("--mode", "rating"): [1 + round(4 * quality) for quality in qualities],
        ("--mode", "rating", "--style", "q-insight"): [round(1 + 4 * quality, 2) for quality in qualities],
        ("--mode", "rating", "--style", "visualquality-r1-direct"): [round(1 + 4 * q, 2) for q in qualities],
    }
    for number, (options, values) in enumerate(worked.items()):
        [record] = run(*arguments, *options, "--out", tmp_path / str(number))
        assert record["metrics"]["plcc"]["value"] == pytest.approx(pearsonr(values, range(12))[0], abs=1e-9), options


def test_description_with_and_without_a_judge(manifest: Path, tmp_path: Path) -> None:
    arguments = ("--task", "description", "--dataset", manifest, "--model", "scripted", "--out", tmp_path / "out")
    [alone] = run(*arguments)
    assert alone["metrics"]["sum"]["value"] is None
    assert "--judge" in alone["metrics"]["sum"]["note"]
    manifest.write_text(manifest.read_text().replace('"gt_score"', '"reference": "sharp", "gt_score"', 1))
    [judged] = run(*arguments, "--judge", "scripted")
    assert judged["metrics"]["relevance"]["value"] == 1.0
    assert judged["unscored"] == {"no golden description": 11}  # photos, though each lacks two scores


def test_descriptions_without_a_golden_one_are_not_asked_for_where_a_judge_needs_them(
    manifest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest.write_text(manifest.read_text().replace('"gt_score"', '"description": "sharp", "gt_score"'))
    named = ("--task", "description", "--dataset", manifest, "--model", "scripted", "--judge", "scripted")
    said = refused(capsys, "run", *named, "--out", tmp_path / "out")
    assert "none of the 12 samples has a golden description, which a judge grades against; put it into the" in said
    assert not (tmp_path / "out" / "responses.jsonl").exists(), "nothing was asked"


def test_a_second_run_of_the_same_in_one_folder_stops_before_it_asks(manifest: Path, tmp_path: Path) -> None:
    dataset, out = open_dataset(str(manifest)), tmp_path / "o"
    said: list[str] = []

    def second(_progress: object, _metric: object) -> None:
        with pytest.raises(UserError) as caught:
            evaluate("assessment", dataset, open_model("sharpness"), out)
        if not said:
            evaluate("assessment", dataset, open_model("contrast"), out)
            evaluate("assessment", dataset, open_model("sharpness"), tmp_path / "elsewhere")
        said.append(str(caught.value))

    evaluate("assessment", dataset, open_model("sharpness"), out, watch=second)
    assert f"keeps the answers in {out}, so both would be paid for" in said[0]
    evaluate("assessment", dataset, open_model("sharpness"), out)


def test_a_damaged_photo_and_what_is_none_are_unscored_alone(manifest: Path, tmp_path: Path) -> None:
    whole = (manifest.parent / "3.png").read_bytes()
    (manifest.parent / "3.png").write_bytes(whole[: len(whole) // 2])
    (manifest.parent / "5.png").write_bytes(b"no image")
    [record] = run("--task", "assessment", "--dataset", manifest, "--model", "sharpness", "--out", tmp_path / "out")
    first, other = sorted(record["unscored"])
    assert "3.png is damaged" in first
    assert "5.png is not an image in a known format" in other
    assert record["metrics"]["srcc"]["n"] == 10
    assert record["status"]["failed"] == 1  # the other was not asked about


def test_another_way_of_asking_leaves_the_first_record_in_place(manifest: Path, tmp_path: Path) -> None:
    arguments = ("--task", "assessment", "--dataset", manifest, "--model", "scripted", "--out", tmp_path / "out")
    for mode in ("rating", "levels", "rating"):
        run(*arguments, "--mode", mode)
    assert len(list((tmp_path / "out").glob("*.json"))) == 2


def test_a_part_of_a_dataset_says_so_and_fills_no_board(manifest: Path, tmp_path: Path) -> None:
    arguments = ("--task", "assessment", "--model", "sharpness", "--out", tmp_path / "out")
    assert "limit" not in run(*arguments, "--dataset", manifest, "--limit", 12)[0]["protocol"]
    [part] = run(*arguments, "--dataset", manifest, "--limit", 11)
    assert part["protocol"]["limit"] == 11
    shortened = manifest.rename(manifest.with_name("koniq.json"))  # KonIQ-10k's list has 10,073 rows
    [posing] = run(*arguments, "--dataset", shortened)
    assert (posing["dataset"], posing["protocol"]["limit"]) == ("koniq-10k", 12)
    anybody = ModelFacts("sharpness", "Sharpness", "classical")
    whole = {name: value for name, value in posing["protocol"].items() if name != "limit"}
    board = find_board(all_boards(), "assessment")
    assert board.admits(whole, anybody) and not board.admits(posing["protocol"], anybody)
    assert not any(board.admits({"limit": 12}, anybody) for board in all_boards())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--task", "nonsense", "--model", "a/b"], "no task is called 'nonsense'"),
        (["--task", "perception", "--model", "scripted"], "12 samples lack options"),
        (["--task", "description", "--model", "niqe"], "description asks a model for text"),
        (["--task", "assessment", "--model", "nobody"], "no model is called 'nobody'"),
        (["--task", "assessment", "--model", "scripted", "--mode", "vibes"], "'vibes' is no mode of assessment"),
        (["--task", "comparison", "--model", "scripted", "--pairing", "levels"], "content"),
        (["--task", "assessment", "--model", "scripted", "--template", "thinking=1"], "scripted has no chat template"),
        (["--task", "assessment", "--model", "scripted", "--workers", "4"], "--workers is for servers"),
        (
            ["--task", "assessment", "--model", "scripted", "--judge", "scripted"],
            "--judge changes nothing about assessment, only about perception, description, comparison, img-2afc",
        ),
        (["--task", "comparison", "--model", "niqe", "--style", "code"], "--style changes nothing about comparison by"),
        (["--task", "assessment", "--model", "niqe", "--revision", "main"], "niqe is not from the Hub and has no rev"),
        (["--task", "assessment", "--model", "niqe", "--device", "cuda"], "--device cuda is for checkpoints on this"),
        (["--task", "description", "--model", "scripted", "--judge-endpoint", "http://h"], "name it with --judge"),
        (["--task", "assessment", "--model", "sharpness:5"], "sharpness takes nothing after its name"),
    ],
)
def test_mistakes_are_one_sentence(arguments, sentence, manifest, tmp_path, capsys) -> None:
    assert sentence in refused(capsys, "run", "--dataset", manifest, "--out", tmp_path / "out", *arguments)


@pytest.mark.parametrize(
    ("task", "how", "limit", "model", "metric"),
    [
        ("assessment", {}, None, "scripted", "srcc"),
        ("comparison", {"rounds": 1}, 6, "scripted:noise=0.9", "consistency"),
        ("perception", {"seed": 3}, 24, "scripted:letter=B", "parser_accuracy"),  # the judge's grades do not count
        ("perception", {"seed": 3}, 24, "scripted:silent", "parser_accuracy"),
    ],
)
def test_the_figure_beside_a_run_comes_to_that_of_its_record(
    task: str, how: dict[str, Any], limit: int | None, model: str, metric: str, tmp_path: Path
) -> None:
    asked = open_dataset(f"demo-{task}", limit=limit), open_model(model), tmp_path
    judge, seen = open_model("scripted") if task == "perception" else None, list[Estimate | None]()
    told = {"options": RunOptions(**how), "watch": lambda _progress, figure: seen.append(figure)}
    [record] = evaluate(task, *asked, judge=judge, **told)
    recorded = record.metrics[metric]
    assert (seen[-1].value, seen[-1].n) == (pytest.approx(recorded.value), recorded.n)
    assert 0 < recorded.value < 1 or model == "scripted:silent"


def test_one_line_tells_how_far_the_run_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"img_path": f"{sample.id}.png"} for sample in photos(tmp_path, [10, 20, 30, 40])]
    (tmp_path / "mine.json").write_text(json.dumps(rows))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    told = ["--dataset", str(tmp_path / "mine.json"), "--out", str(tmp_path / "out")]
    assert main(["run", "--task", "comparison", "--model", "scripted:second", "--rounds", "2", *told]) == 0
    shown = capsys.readouterr().err
    first, *_, last, cleared = [line.strip() for line in shown.split("\r") if line]
    assert cleared == "" and "\n" not in shown
    assert first == "0/4"
    assert last.startswith("4/4") and "consistency 0.000 [0.000, " in last
    assert main(["run", "--task", "assessment", "--model", "scripted", *told]) == 2
    assert capsys.readouterr().err.lstrip("\r").startswith("qbench: 4 samples lack a human score")


@pytest.mark.parametrize(
    ("option", "value"),
    [("--limit", "0"), ("--workers", "0"), ("--retries", "-1"), ("--timeout", "inf"), ("--gpus", "0")],
)
def test_numbers_that_cannot_be_are_refused_with_the_option(option, value, manifest, capsys) -> None:
    with pytest.raises(SystemExit) as done:
        main(["run", "--task", "assessment", "--dataset", str(manifest), "--model", "scripted", f"{option}={value}"])
    assert done.value.code == 2
    assert capsys.readouterr().err.startswith(f"qbench: argument {option}: it is {value}; it must be")
