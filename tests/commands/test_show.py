"""`show` prints every answer as the figures were made from it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.asking import ROOT, document, refused, text, write
from tests.commands.score.made_files import llava

RELEASED = str(ROOT / "assets" / "recomputed" / "results" / "released_perception.json")
DEMO = str(next((ROOT / "assets" / "demo").glob("perception--demo-perception--nano-vlm--*.json")))


def test_answers_of_a_file_with_what_was_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [llava(1, "B. Sharp"), llava(2, "It is soft."), llava(3, "A photo of a dog.")]
    path = write(tmp_path, rows, "mine.json")
    [found] = document(capsys, "show", str(path))
    first, second, third = found["answers"]
    assert first == {
        "sample": first["sample"],
        "images": ["1.jpg"],
        "question": "How sharp is this photo?",
        "options": ["Soft", "Sharp", "Medium"],
        "groups": {"question_type": "how", "concern": "distortion"},
        "right": "B. Sharp",
        "said": "B. Sharp",
        "read": "B. Sharp",
        "verdict": "right",
    }
    assert (second["read"], second["verdict"]) == ("A. Soft", "wrong")
    assert (third["verdict"], third["reason"], "read" in third) == ("unread", "unparseable", False)
    printed = text(capsys, "show", path, "--unread")
    assert "mine.json: 1 of 3 answers" in printed
    assert "said: A photo of a dog.\n  not read: unparseable; unread; right is B. Sharp" in printed


def test_the_right_one_of_a_pair_is_rated_higher(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truth = write(tmp_path, [{"img_path": name, "gt_score": int(name == "a")} for name in "abc"], "truth.json")
    choices = [("a", "b", "first"), ("b", "a", "first"), ("c", "b", "second"), ("c", "a", None)]
    path = write(tmp_path, [{"first": one, "second": two, "choice": choice} for one, two, choice in choices])
    [found] = document(capsys, "show", path, "--truth", truth)
    told = [(each.get("right"), each.get("said"), each.get("verdict")) for each in found["answers"]]
    assert told == [
        ("first", "first", "right"),
        ("second", "first", "wrong"),
        (None, "second", None),  # both are rated alike
        ("second", None, "unread"),
    ]


def test_a_run_shows_its_raw_replies(capsys: pytest.CaptureFixture[str]) -> None:
    [found] = document(capsys, "show", DEMO)
    verdicts = [answer["verdict"] for answer in found["answers"]]
    assert [verdicts.count(each) for each in ("right", "wrong", "unread")] == [99, 50, 11]  # 0.61875 of 160
    [named] = document(capsys, "show", DEMO, "--search", "colour-blocks--4", "--group", "question_type=yes-or-no")
    assert all("colour-blocks--4" in answer["sample"] and answer["said"] for answer in named["answers"])
    assert named["answers"]


def test_a_record_whose_replies_are_not_there_shows_its_items(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record, items = Path(DEMO), Path("items", Path(DEMO).stem).with_suffix(".jsonl")
    (tmp_path / "items").mkdir()
    for path in (record.name, items):
        (tmp_path / path).write_bytes((record.parent / path).read_bytes())
    [found] = document(capsys, "show", tmp_path / record.name)
    assert [answer["verdict"] for answer in found["answers"]].count("wrong") == 50 + 11
    stored, name = json.loads(record.read_bytes()), found["answers"][0]["sample"]
    rows = [{"sample": name, "text": "Sharp."}, {"sample": name, "text": "B", "of": "judge"}]
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / f"{stored['raw']}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    write(tmp_path, {**stored, "dataset": "without-a-known-list"}, record.name)
    [found] = document(capsys, "show", tmp_path / record.name)
    assert [answer["said"] for answer in found["answers"] if "said" in answer] == ["Sharp."]


def test_of_the_weights_of_words_the_largest_is_first(capsys: pytest.CaptureFixture[str]) -> None:
    [found] = document(
        capsys, "show", ROOT / "assets" / "examples" / "word-logits.koniq.json", "--dataset", "koniq-10k"
    )
    said = [[float(word.split()[1]) for word in answer["said"].split(", ")] for answer in found["answers"]]
    assert said and all(weights == sorted(weights, reverse=True) for weights in said)


def test_released_letters_are_shown_without_their_texts(capsys: pytest.CaptureFixture[str]) -> None:
    documents = document(capsys, "show", RELEASED, "--model", "gpt-4o-undated", "--wrong", "--unread")
    by_name = {each["result"].rsplit("/", 1)[-1]: each for each in documents}
    assert len(by_name["gpt4o.json)"]["answers"]) == 1495 - 1166  # of which Compare counts as many right
    [one, *_] = document(capsys, "show", RELEASED, "--model", "gpt-4o-undated", "--wrong", "--group", "topic=noise")
    assert all("noise" in answer["groups"]["topic"] and "said" not in answer for answer in one["answers"])
    [claude] = document(capsys, "show", RELEASED, "--model", "claude-3.5-sonnet-2024-10")
    assert claude["of"] == 1379  # 116 questions have no reply


def test_a_record_alone_says_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "show", ROOT / "assets" / "examples" / "result.json")
    assert "neither raw replies nor items lie beside it" in said
