"""An upload becomes a report: problems by place, figures computed here, private answers kept, files of other tools."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from leaderboard.analysis.findings import find_habits
from leaderboard.boards import all_boards
from leaderboard.html.habits import findings_json
from leaderboard.submissions.check import check
from leaderboard.submissions.report import Report
from leaderboard.submissions.scoring import AnswerKeys, ScoringOptions
from qbench.models import catalogue
from tests.commands.asking import pack, write
from tests.leaderboard import made

EXAMPLES = Path(__file__).resolve().parents[3] / "assets" / "examples"
QUESTIONS = [
    {"id": str(k), "question": f"Question {k}?", "options": ["No", "Yes"], "answer": "AB"[k % 2]} for k in range(4)
]


def look(path: Path, dataset: str = "", model: str = "my-model", root: Path = Path("/nonexistent")) -> Report:
    return check(path, model, ScoringOptions(AnswerKeys(root), dataset))


def test_the_2afc_example_is_a_whole_set_and_its_own_flags_say_what_is_right() -> None:
    """30 images: 12 rounds of 15 pairs, of which 20 came again in the same order and left one file."""
    with zipfile.ZipFile(EXAMPLES / "twoafc-results.zip") as archive:
        rows = [json.loads(archive.read(name)) for name in archive.namelist() if "_VS_" in name]
    report = look(EXAMPLES / "twoafc-results.zip")
    [result], [coverage] = report.results, report.coverage
    assert (result.dataset, result.split, result.protocol["rounds"], len(rows)) == ("csiq", "coarse", 12, 160)
    assert (coverage.scored, coverage.part) == (320, "")
    for metric, flag in (("consistency", "consistency"), ("accuracy_joint", "correction")):
        assert result.metrics[metric].value == pytest.approx(sum(row.get(flag, False) for row in rows) / len(rows))


VERDICT = json.dumps({"answer1": "first", "answer2": "second", "img1_mos": 0.2, "img2_mos": 0.4})


def test_the_lists_held_here_name_the_images_of_result_folders(tmp_path: Path) -> None:
    """CSIQ's scores are DMOS; the list says that the other image is better than the folder claims."""
    rows = [{"img_path": f"CSIQ/dst_imgs/a.BLUR.{k}.png", "gt_score": 1 - k / 10} for k in (1, 2)]
    folder = tmp_path / "2afc-coarse"
    folder.mkdir()
    (folder / "Coarse_grained_mixed.json").write_text(json.dumps({"CSIQ": rows}), encoding="utf-8")
    name = "me/Coarse_grained_mixed/textual_results/CSIQ_dst_imgs_a.BLUR.1_VS_CSIQ_dst_imgs_a.BLUR.2.json"
    [result] = look(pack(tmp_path, {name: VERDICT}), root=tmp_path).results
    assert (result.source.kind, result.protocol["truth"]) == ("rescored", "Coarse_grained_mixed.json")
    assert result.metrics["accuracy_joint"].value == 0


@pytest.mark.parametrize(
    ("stage", "chosen", "found"),
    [
        ("mine", "csiq", ("csiq", "coarse")),
        ("mine", "2afc-fine-levels", ("csiq", "fine-levels")),
        ("Fine_grained_CSIQ_levels", "", ("csiq", "fine-levels")),
        ("Fine_grained_CSIQ_levels", "csiq", ("csiq", "fine-levels")),
        ("mine", "cgiqa-6k", ("cgiqa-6k", None)),  # no published list samples it
    ],
)
def test_folder_and_author_say_which_list_it_is(
    tmp_path: Path, stage: str, chosen: str, found: tuple[str, str | None]
) -> None:
    name = f"me/{stage}/textual_results/a.BLUR.1_VS_a.BLUR.2.json"
    [result] = look(pack(tmp_path, {name: VERDICT}), chosen).results
    assert (result.dataset, result.split) == found
    assert result.metrics["accuracy_joint"].value == (0 if stage == "mine" and chosen == "cgiqa-6k" else 1)


def test_the_servers_truth_goes_before_the_files(tmp_path: Path) -> None:
    """The file claims scores that agree with it; people's, held here, run the other way."""
    write(tmp_path / "koniq-10k", [{"img_path": f"{k}.jpg", "gt_score": 5 - k} for k in range(5)], "koniq.json")
    mine = [{"img_path": f"{k}.jpg", "score": k, "gt_score": k} for k in range(4)]
    report = look(write(tmp_path, mine, "koniq.json"), root=tmp_path)
    [result] = report.results
    assert result.metrics["srcc"].value == pytest.approx(-1)
    assert (result.source.kind, result.protocol["limit"]) == ("rescored", 4)
    assert [(part.scored, part.missing, part.part) for part in report.coverage] == [(4, 1, "4 of 5")]
    assert [part["part"] for part in report.to_json()["coverage"]] == ["4 of 5"]


def test_every_problem_is_told_with_its_line_and_the_rest_counted(tmp_path: Path) -> None:
    rows = [{"img_path": f"{k}.jpg", "score": "x" if k % 2 else 1, "gt_score": k} for k in range(300)]
    [problem] = look(write(tmp_path, rows, "koniq.jsonl")).problems
    assert problem.places[0] == "record 2 (line 2): score is 'x', not a finite number"
    assert (len(problem.places), problem.more) == (100, 50)
    assert problem.sentence.startswith("150 of its records cannot be used")


def test_an_upload_keeps_what_is_good_of_it_and_says_what_is_not(tmp_path: Path) -> None:
    rows = [{"img_path": f"{k}.jpg", "score": k, "gt_score": k} for k in range(40)]
    rows += [{"img_path": "x.jpg", "score": None, "gt_score": 1}]
    report = look(write(tmp_path, rows, "koniq.jsonl"))
    said = (
        "1 of 41 records cannot be used and were left out: 1 × score is …, not a finite number "
        "(first: record 41 (line 41): score is None, not a finite number)"
    )
    assert f"koniq.jsonl: {said}." in report.remarks
    [result] = report.results
    assert (report.accepted, result.metrics["srcc"].n, result.protocol["left_out"]) == (True, 40, said)


def test_an_upload_of_faults_alone_is_read_to_the_hundredth(tmp_path: Path) -> None:
    assert len(look(pack(tmp_path, {f"{k}.jsonl": "{" for k in range(102)})).problems) == 100


def private_keys(folder: Path, count: int) -> AnswerKeys:
    questions = [{**QUESTIONS[k % 4], "id": str(k)} for k in range(count)]
    write(folder / "private", questions, "llvisionqa_test.json")
    return AnswerKeys(folder / "none", folder / "private")


def private_replies(folder: Path, right: int, count: int) -> Path:
    """Replies of which so many are right."""
    replies = [{"id": str(k), "reply": "AB"[(k % 2) ^ (k >= right)]} for k in range(count)]
    return write(folder, replies, "llvisionqa-test.jsonl")


def test_private_answers_score_as_a_whole_and_do_not_speak(tmp_path: Path) -> None:
    report = check(private_replies(tmp_path, 63, 100), "m", ScoringOptions(private_keys(tmp_path, 100)))
    assert report.results[0].metrics["accuracy"].value == 0.65  # to 5 %, since a step has at least 5 questions
    assert report.private
    assert report.to_json()["results"] == []
    assert "0.6" not in json.dumps(report.to_json())
    part = check(private_replies(tmp_path, 1, 97), "m", ScoringOptions(private_keys(tmp_path, 100)))
    assert "leaves out 3 samples" in part.problems[0].sentence
    assert part.results == ()  # or the share of right answers among one question would be that question's answer


@pytest.mark.parametrize(
    ("rows", "dataset", "said"),
    [
        ([{"img_path": "a", "score": 1}], "", "does not say which dataset"),
        ([{"img_path": "a", "score": 1}], "koniq-10k", "those of KonIQ-10k are not on this server"),
        ([{"sample": "1", "prompt": "0", "of": "model", "text": "A"}], "", "cannot be used"),
        ([{"schema": 1, "metrics": {}}], "", "task: Field required"),
    ],
)
def test_one_sentence_for_each_mistake(tmp_path: Path, rows: list[object], dataset: str, said: str) -> None:
    [problem] = look(write(tmp_path, rows, "x.json"), dataset).problems
    assert said in problem.sentence


def claim(folder: Path, **changes: Any) -> Path:
    """The example of a record of figures, changed."""
    return write(folder, json.loads((EXAMPLES / "result.json").read_text(encoding="utf-8")) | changes, "r.json")


@pytest.mark.parametrize(
    ("name", "claimed", "said"),
    [
        ("first_rate", {"value": 45}, "first_rate is 45, outside 0 to 1; write 45 % as 0.45"),
        ("accuracy_balanced", {"value": 61.5, "n": 10}, "write 61.5 % as 0.615"),
        ("position_bias", {"value": -2}, "position_bias is -2, outside -1 to 1"),
        ("completeness", {"value": 2.5}, "completeness is 2.5, outside 0 to 2"),
        ("sum", {"value": 7}, "sum is 7, outside 0 to 6"),
        ("accuracy", {"value": 0.9, "low": 0.37, "high": 0.55}, "accuracy is 0.9, outside its own interval"),
        ("accuracy", {"value": 0.6, "n": 1496}, "rests on 1,496 items, and llvisionqa-dev has 1,495"),
        ("accuracy", {"value": 0.6, "note": "and so on " * 7000}, "a record of figures has 64 kB at most"),
    ],
)
def test_a_claim_that_contradicts_itself_or_tells_a_novel_is_refused(
    tmp_path: Path, name: str, claimed: dict, said: str
) -> None:
    [problem] = look(claim(tmp_path, metrics={name: claimed})).problems
    assert said in problem.sentence


@pytest.mark.parametrize(
    "claimed",
    [
        {"protocol": {"words": {"good": 1}}, "metrics": {"positive_rate": {"value": 0.5}}},
        {"protocol": {"words": {"positive": [1], "negative": None}}, "metrics": {"positive_rate": {"value": 0.5}}},
        {"task": "comparison", "dataset": "koniq-10k", "split": "coarse", "protocol": {"rounds": 3.5, "limit": 7}},
        {"protocol": {"prompt": json.loads("[" * 30 + "]" * 30)}},
    ],
)
def test_no_claim_breaks_a_page_for_others(tmp_path: Path, claimed: dict[str, Any]) -> None:
    report = look(claim(tmp_path, **{"metrics": {"accuracy_joint": {"value": 0.5, "n": 100}}, **claimed}))
    assert report.accepted
    snapshot = made.snapshot(report.results, *all_boards(), find_model=catalogue.find_model)
    assert all(json.loads(snapshot.payload(board.key)) for board in snapshot.boards)
    assert findings_json(find_habits(snapshot))


def test_a_claim_cannot_pass_for_a_papers_figure(tmp_path: Path) -> None:
    source = {"kind": "paper", "reference": "Q-Bench, Table 2", "url": "javascript:alert(1)"}
    [result] = look(claim(tmp_path, source=source)).results
    assert (result.source.kind, result.source.reference, result.source.url) == ("self-reported", "r.json", None)


@pytest.mark.parametrize("name", ["Random guess", "\x00", "x" * 121, ""])
def test_names_that_no_model_may_have(name: str) -> None:
    assert not look(EXAMPLES / "result.json", model=name).accepted


def judged(number: int, field: str, **codes: object) -> dict[str, object]:
    """A sample as lmms-eval writes it: the reply is A, and right for even numbers."""
    asked = f"Which one of {number} is blurred?\nA. The first\nB. The second\n"
    return {
        "doc_id": number,
        "filtered_resps": "A",
        field: {"id": number, "answer": "AB"[number % 2], "parsed_pred": "A", **codes},
        "submission": {str(number): "A"},
        "input": asked,
    }


def replied(number: int, prediction: str, **more: object) -> dict[str, object]:
    """A question as VLMEvalKit writes it: the first option is right."""
    asked = {"index": number, "question": f"Question {number}?", "A": "Yes", "B": "No", "answer": "A"}
    return {**asked, "prediction": prediction, **more}


CATEGORIES = ("part1 -> bag_of_words -> attribute", "part2 -> technical -> overall", "part2 -> generative_distortion")
UPLOADS: dict[str, tuple[str, list[dict[str, object]], dict[str, float]]] = {
    "20260101_120000_samples_qbench2_dev.jsonl": (
        "perception-pairs-dev",
        [judged(number, "qbench_acc", question_type=number % 2, question_concern=2) for number in range(1000)],
        {"overall": 0.5, "question_type/yes-or-no": 1.0, "question_type/what": 0.0},
    ),
    "20260101_120000_samples_abench_dev.jsonl": (
        "a-bench-dev",
        [judged(number, "abench_acc", category=CATEGORIES[number % 3]) for number in range(6)],
        {"overall": 0.5, "part/part1": 0.5, "part/part2": 0.5}
        | {f"category/{name}": 0.5 for name in ("bag-of-words", "technical", "generative")},
    ),
    "my-model_A-Bench_VAL.json": (
        "a-bench-dev",
        [replied(number, "AB"[number % 2], category=CATEGORIES[0]) for number in range(4)],
        {"overall": 0.5, "part/part1": 0.5, "category/bag-of-words": 0.5},
    ),
    "my-model_Q-Bench1_VAL.json": (
        "perception-dev",
        [replied(number, "A") for number in range(1495)],
        {"overall": 1.0, "unread": 0.0},
    ),
}
"""Name of a file that other tools write -> its board, its records, and figures worked out by hand."""


@pytest.mark.parametrize("name", UPLOADS)
def test_files_of_other_tools_reach_their_board(name: str, tmp_path: Path) -> None:
    board, rows, figures = UPLOADS[name]
    path = tmp_path / name
    lines = [json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) if name.endswith(".jsonl") else f"[{','.join(lines)}]", encoding="utf-8")
    report = check(path, "my-model", ScoringOptions(AnswerKeys(tmp_path / "none")))
    assert report.accepted, report.problems
    snapshot = made.snapshot(report.results, *all_boards(), find_model=catalogue.find_model)
    [row] = snapshot.table(board, "all").ranked.values()
    assert {key: cell.value for key, cell in row.cells.items()} == figures


@pytest.mark.parametrize(
    "name", ["../../../../tmp/koniq.json", "/etc/koniq.json", "a/../../koniq.json", "C:\\x\\koniq.json"]
)
def test_names_in_archives_lead_nowhere(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    rows = "".join(json.dumps({"img_path": f"{k}", "score": k, "gt_score": k}) for k in range(5))
    before = sorted(tmp_path.rglob("*"))
    look(pack(inside, {name: rows}), "koniq-10k")
    assert sorted(tmp_path.rglob("*")) == sorted([*before, inside / "upload.zip"])
