"""Figures in the forms that other places read: the Hub, Every Eval Ever, a feed, a site of files."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import yaml

from leaderboard.__main__ import main
from leaderboard.analysis.model import model_report
from leaderboard.boards import all_boards
from leaderboard.export import find_metric_on, slug, write_texts
from leaderboard.export.every_eval import every_eval_ever
from leaderboard.export.feed import ATOM, atom_feed, day_of
from leaderboard.export.hub_results import eval_results, hub_files, name_tasks, to_yaml
from leaderboard.export.site import export_site
from leaderboard.html.model import model_json
from leaderboard.snapshot import Snapshot
from leaderboard.store import Recorded, records_of
from leaderboard.tables.models import group_by_model
from leaderboard.tables.table import Table, build_table
from qbench.formats.reported import RANGES
from qbench.models.catalogue import ModelFacts
from qbench.records import Estimate, Result, Sample
from qbench.results.answers import Answer
from tests.hub_double import TOKEN, Hub, serve
from tests.leaderboard.made import board, find_model, result, snapshot
from tests.leaderboard.published import published


def on_the_hub(name: str) -> ModelFacts | None:
    facts = find_model(name)
    return replace(facts, hub="lab/Alpha-7B") if facts and facts.id == "alpha" else facts


def table(*results: Result) -> Table:
    return build_table(group_by_model(records_of(results), on_the_hub), board(), board().columns)


def test_each_figure_of_a_model_on_the_hub_is_a_row_of_its_file() -> None:
    results = [result("alpha", srcc=0.8125, plcc=0.75, rmse=3.0, at="2026-05-31"), result("beta"), result("stranger")]
    files = eval_results([table(*results)], "lab/low-level")
    assert list(files) == ["lab/Alpha-7B/.eval_results/low-level.yaml"]
    source = {"url": "https://example.org/paper", "name": "Table 1"}
    assert yaml.safe_load(next(iter(files.values()))) == [
        {
            "dataset": {"id": "lab/low-level", "task_id": f"assessment_a_{key}"},
            "value": value,
            "date": "2026-05-31",
            "source": source,
            "notes": f"{key.upper()}; paper: Table 1",
        }
        for key, value in (("srcc", 0.8125), ("plcc", 0.75))
    ]


def test_what_the_page_of_a_model_says_opens_a_pull_request_with_its_figures(tmp_path: Path) -> None:
    """The file and the command that it has to copy, on a double of the Hub."""
    found = model_report(published(), "internlm-xcomposer-vl")
    files = hub_files(published(), "lab/low-level")
    page = model_json(found, "abc1234", hub_files=files)["rest"]
    copied = re.findall('data-copy="([^"]*)"', page.partition("to its page")[2])
    text, command = map(unescape, copied)
    repo, path = "internlm/internlm-xcomposer-vl-7b", ".eval_results/low-level.yaml"
    assert text == files[f"{repo}/{path}"]
    assert "assessment_koniq-10k_srcc" in text
    (tmp_path / "low-level.yaml").write_text(text, encoding="utf-8")
    hub = Hub(repo=repo)
    with serve(hub) as address:
        own = {"HOME": str(tmp_path), "HF_ENDPOINT": address, "HF_TOKEN": TOKEN, "PATH": f"{Path(sys.prefix) / 'bin'}"}
        subprocess.run(command.split(), cwd=tmp_path, env={**os.environ, **own}, check=True, capture_output=True)
    assert (hub.tree("refs/pr/1") or {})[path].decode() == text
    assert path not in (hub.tree() or {})
    assert "to its page" not in model_json(found, "abc1234", hub_files=hub_files(published(), None))["rest"]


def test_tasks_are_told_apart_by_split_and_by_how_they_were_asked() -> None:
    """Pairs of CSIQ are drawn at random (Table II), of one distortion or of one level (Table III)."""
    ids = name_tasks(all_boards())
    assert len(set(ids.values())) == len(ids)
    assert [
        ids[board, f"{column}/consistency"]
        for board, column in (("2afc-coarse", "csiq"), ("2afc-fine", "fine-levels"), ("2afc-fine", "fine-types"))
    ] == [
        "comparison_csiq_coarse_consistency",
        "comparison_csiq_fine-levels_consistency",
        "comparison_csiq_fine-types_consistency",
    ]
    assert ids["perception-dev", "overall"] == "perception_llvisionqa-dev_accuracy"
    assert ids["assessment", "spaq/srcc"] == "assessment_spaq_srcc"
    assert ids["assessment-trained", "spaq/seen/srcc"] == "assessment_spaq_srcc_assessment-trained_spaq-seen-srcc"
    assert ("unisim-n-way", "2-way") not in ids  # a column of the core board


@pytest.mark.parametrize(
    "text", ["yes", "1e3", "2026-01-01", "a: b # c", "- x", '"', "\\", "line\nend", "ä🔬", "", "~"]
)
def test_every_text_reads_back_as_itself(text: str) -> None:
    data = {"one": text, "many": [{"a": text, "b": {"c": 1.5}}, {"a": None, "b": {"c": True}}], "none": []}
    assert yaml.safe_load(to_yaml(data)) == data


@pytest.mark.parametrize("name", ["../../etc", "..", "", "/", "a\\b", "C:", "ü"])
def test_names_never_leave_the_folder(name: str, tmp_path: Path) -> None:
    assert "/" not in slug(name)
    assert slug(name).strip(".")
    write_texts({f"{slug(name)}/x.txt": "x"}, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


FIND_METRIC = find_metric_on([board()])
INTERVAL = Estimate(0.5, 0.4, 0.6, level=0.9, n=120, method="bootstrap-1000", note="few")


def export(*results: Any) -> dict[str, Any]:
    files = every_eval_ever(records_of(results), FIND_METRIC, find_model, "Lab", 1_780_000_000)
    return {path: json.loads(text) for path, text in files.items()}


def test_a_record_is_a_document_with_its_interval_and_source() -> None:
    ((path, document),) = export(result("Alpha (7B)", srcc=INTERVAL, kind="rescored")).items()
    assert path.rsplit("/", 1)[0] == "data/a/One/Alpha-7B"
    assert document["schema_version"] == "0.3.0"
    assert document["evaluation_id"] == "a/One/Alpha-7B/1780000000"
    assert document["retrieved_timestamp"] == "1780000000"
    assert document["model_info"]["name"] == "Alpha"
    assert document["model_info"]["additional_details"]["model_availability"] == "open_weights"
    assert document["eval_library"]["name"] == "qbench"
    assert document["source_metadata"]["source_type"] == "evaluation_run"
    (row,) = document["evaluation_results"]
    assert row["metric_config"]["metric_id"] == "srcc"
    assert row["metric_config"]["lower_is_better"] is False
    assert row["score_details"] == {
        "score": 0.5,
        "uncertainty": {
            "confidence_interval": {
                "lower": 0.4,
                "upper": 0.6,
                "confidence_level": 0.9,
                "method": "bootstrap-1000",
            },
            "num_samples": 120,
        },
        "details": {"note": "few"},
    }


REQUIRED = {
    *("schema_version", "evaluation_id", "model_id", "evaluation_name", "sample_id", "interaction_type", "input"),
    *("output", "answer_attribution", "evaluation"),
}
"""What `instance_level_eval.schema.json` (0.2.1) asks of a single turn; beyond it only `error` is written here."""


def test_answers_stand_beside_their_document_as_the_schema_asks() -> None:
    asked = Sample("q1", question="Is it sharp?", options=("Yes", "No"))
    given = [
        Answer(asked, "A. Yes", "Yes", "Yes", "right"),
        Answer(replace(asked, id="q2"), "Hard to say", "", "No", "unread", "no option named"),
        Answer(replace(asked, id="q3"), value=0.5),  # a score is neither right nor wrong
    ]
    texts = every_eval_ever(
        records_of([result("alpha")]), FIND_METRIC, find_model, "Lab", 1_780_000_000, lambda _: given
    )
    (samples,) = (path for path in texts if path.endswith("_samples.jsonl"))
    document = json.loads(texts[samples.replace("_samples.jsonl", ".json")])
    assert document["detailed_evaluation_results"] == {
        "format": "jsonl",
        "file_path": samples,
        "hash_algorithm": "sha256",
        "checksum": hashlib.sha256(texts[samples].encode()).hexdigest(),
        "total_rows": 2,
    }
    right, unread = map(json.loads, texts[samples].splitlines())
    assert (right.keys(), unread.keys()) == (REQUIRED, REQUIRED | {"error"})
    assert right["evaluation_id"] == document["evaluation_id"]
    assert right["input"] == {"raw": "Is it sharp?", "reference": ["Yes"], "choices": ["Yes", "No"]}
    assert right["output"] == {"raw": ["A. Yes"]}
    [attribution] = right["answer_attribution"]
    assert attribution.keys() == {"turn_idx", "source", "extracted_value", "extraction_method", "is_terminal"}
    assert (attribution["extracted_value"], right["evaluation"]) == ("Yes", {"score": 1.0, "is_correct": True})
    assert (unread["answer_attribution"], unread["error"]) == ([], "no option named")
    assert unread["evaluation"] == {"score": 0.0, "is_correct": False}


def test_what_others_reported_is_not_called_ours_and_the_owner_is_the_source_of_what_was_computed_here_alone() -> None:
    made = {kind: result("beta", kind=kind) for kind in ("paper", "self-reported", "rescored", "live")}
    made["of ada"] = replace(made["self-reported"], source=replace(made["self-reported"].source, by="ada"))
    told = {}
    for name, one in made.items():
        [document] = export(one).values()
        source, library = document["source_metadata"], document["eval_library"]["name"]
        told[name] = (source["evaluator_relationship"], source["source_organization_name"], library)
    assert told == {
        "paper": ("other", "unknown", "unknown"),
        "self-reported": ("first_party", "unknown", "unknown"),
        "of ada": ("first_party", "ada", "unknown"),
        "rescored": ("third_party", "Lab", "qbench"),
        "live": ("third_party", "Lab", "qbench"),
    }


def test_every_metric_of_the_boards_has_its_range_and_every_published_value_lies_in_it() -> None:
    find_metric = find_metric_on(all_boards())
    assert {
        column.metric.key for board in all_boards() for column in board.columns if not column.metric.counted
    } <= RANGES.keys()
    for known in published().loaded.results:
        for key, estimate in known.metrics.items():
            if find_metric(known, key) and estimate.value is not None:
                low, high = RANGES[key]
                assert low <= estimate.value <= high, (result.model, result.dataset, key)


def from_paper(model: str, reference: str, at: str | None, url: str | None = None, dataset: str = "a") -> Result:
    made = result(model, dataset, reference=reference, at=at)
    return replace(made, source=replace(made.source, url=url))


def entries(*results: Result) -> list[dict[str, str]]:
    feed = ET.fromstring(atom_feed(snapshot(results)))
    return [
        {child.tag.removeprefix(f"{{{ATOM}}}"): child.text or child.get("href", "") for child in entry}
        for entry in feed.iter(f"{{{ATOM}}}entry")
    ]


def test_one_entry_for_each_source_and_day_newest_first() -> None:
    told = entries(
        from_paper("alpha", "Old paper", "2024-02-01"),
        from_paper("alpha", "Old paper", "2024-02-01", dataset="b"),
        from_paper("beta", "Old paper", "2024-02-01"),
        from_paper("gamma", "New paper", "2025-05-04T10:00:00Z", "https://example.org/new"),
    )
    assert [(entry["title"], entry["updated"]) for entry in told] == [
        ("New paper: 1 model", "2025-05-04T00:00:00Z"),
        ("Old paper: 2 models", "2024-02-01T00:00:00Z"),
    ]
    assert told[0]["link"] == "https://example.org/new"
    assert told[1]["content"] == "Alpha and Beta on Made up."


def test_a_paper_without_a_day_has_its_month_on_arxiv_and_others_are_left_out() -> None:
    dated = Recorded(from_paper("alpha", "Paper", None, "https://arxiv.org/abs/2412.10594"), None)
    assert day_of(dated) == "2024-12-01"
    assert day_of(Recorded(from_paper("alpha", "Paper", None, "https://example.org"), None)) is None
    assert entries(from_paper("alpha", "Paper", None)) == []


def test_names_are_text_no_address_that_runs_code_is_a_link_and_ids_stay_whatever_else_is_there() -> None:
    hostile = from_paper("<b>\x00&", "Paper", "2024-02-01", "javascript:alert(1)")
    [alone] = entries(hostile)
    assert alone["content"] == "<b>\ufffd& on Made up."
    assert "link" not in alone
    other, again = entries(hostile, from_paper("beta", "Other", "2024-03-01"))
    assert alone["id"].startswith("urn:uuid:")
    assert alone["id"] == again["id"] != other["id"]


ASSETS = Path(__file__).resolve().parents[3] / "assets"


def read_data(site: Path, name: str) -> Any:
    begins, text = (site / "data" / f"{name}.js").read_text(encoding="utf-8").split("\n", 1)
    assert begins == f"qbData[{json.dumps(name)}] ="
    return json.loads(text)


BOARDS = tuple(one for one in all_boards() if one.key in ("description", "2afc-coarse"))
"""Some of each kind; the command writes all of them in tests/browser/test_from_nothing.py."""


def test_the_site_holds_every_board_a_page_of_every_model_and_all_it_needs(tmp_path: Path) -> None:
    """Of the published figures of two tasks."""
    site, whole = tmp_path / "site", published()
    records = tuple(one for one in whole.loaded.records if one.result.task in ("description", "comparison"))
    some = Snapshot(replace(whole.loaded, records=records), BOARDS, whole.find_model, whole.papers)
    export_site(some, ASSETS, site)
    index = read_data(site, "index")
    assert [listed["key"] for listed in index["boards"]] == [known.key for known in BOARDS]
    for known in BOARDS:
        payload = read_data(site, known.key)
        assert (payload["board"], payload["empty"]) == (known.key, known.empty)
        overview = read_data(site, f"overview-{known.key}")
        assert bool(overview["charts"]) != bool(overview["empty"])
    between = read_data(site, "overview")
    assert between["charts"][0]["key"] == "map"
    for needed in re.findall(r'(?:src|href)="(board/[^"]+)"', (site / "index.html").read_text(encoding="utf-8")):
        assert (site / needed).is_file(), f"index.html needs {needed}"
    script = (site / "board" / "modules.js").read_text(encoding="utf-8")
    texts = json.loads(script.removeprefix("const qbModules = ").removesuffix(";\n"))
    named = {name for text in texts.values() for name in re.findall(r'from "([^"]+)"', text)}
    assert named <= {f"qb/{name}" for name in texts}
    listed = read_data(site, "models")
    assert {"gpt-4v", "shikra"} <= {model["id"] for model in listed}
    assert len({model["file"] for model in listed}) == len(listed)
    for model in listed:
        page = read_data(site, model["file"])
        assert (page["id"], page["name"]) == (model["id"], model["name"])


def test_a_place_that_cannot_be_written_is_said_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    assert main(["export", str(tmp_path / "file")]) == 1
    assert capsys.readouterr().err.startswith("The files could not be written: ")
