"""Two files of answers to the same items."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qbench.__main__ import main
from tests.commands.score.made_files import write


def scores(name: str, shift: int, images: range) -> list[dict[str, object]]:
    """Scores in the order of the truth, but for those moved on by some places."""
    return [
        {
            "id": f"{image}.jpg",
            "img_path": f"{image}.jpg",
            "gt_score": image,
            "score": (image + shift * (image % 3)) % 40,
        }
        for image in images
    ]


def test_paired_differences_on_the_items_in_common(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = write(tmp_path, scores("good", 1, range(40)), "good.json")
    bad = write(tmp_path, scores("bad", 9, range(5, 40)), "bad.json")
    assert main(["score", str(good), str(bad), "--against", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    srcc = {row["metric"]: row for row in document["differences"]}["srcc"]
    assert len(document["results"]) == 2
    assert srcc["items"] == {"shared": 35, "first_only": 5, "second_only": 0}
    assert srcc["difference"]["value"] > 0
    assert srcc["p"] == pytest.approx(2 / 1001)  # no resample of 1,000 favours the worse
    assert (srcc["test"], srcc["paired"]) == ("paired bootstrap", True)
    assert {row["metric"]: row["paired"] for row in document["differences"]} == {
        "srcc": True,
        "plcc": True,
        "plcc_fitted": False,  # a curve is fitted to each model, so that items add nothing of their own
        "krcc": True,
        "rmse": False,
    }
    assert main(["score", str(good), str(bad), "--against"]) == 0
    text = capsys.readouterr().out
    assert "(paired: paired bootstrap; 35 items in common)" in text
    assert text.count("(unpaired)") == 2
    assert "left out: 5 only in the first, 0 in the second" in text


def test_what_cannot_be_compared_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = write(tmp_path, scores("good", 1, range(40)), "one.json")
    assert main(["score", str(one), "--against"]) == 2
    assert "--against compares two files, and 1 are named" in capsys.readouterr().err
    rows = [{"first": "a", "second": "b", "choice": "first"}]
    other = write(tmp_path, rows, "other.jsonl")
    assert main(["score", str(one), str(other), "--against"]) == 2
    assert "nothing in common to compare" in capsys.readouterr().err


def test_other_images_are_compared_unpaired(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two halves of a dataset have no item in common, and their own intervals are all there is."""
    one = write(tmp_path, scores("good", 1, range(40)), "one.json")
    other = write(tmp_path, scores("bad", 9, range(40, 80)), "other.json")
    assert main(["score", str(one), str(other), "--against", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    srcc = {row["metric"]: row for row in document["differences"]}["srcc"]
    assert (srcc["paired"], srcc["items"]["shared"]) == (False, 0)
    first, second = (result["metrics"]["srcc"] for result in document["results"])
    down = ((first["value"] - first["low"]) ** 2 + (second["high"] - second["value"]) ** 2) ** 0.5
    assert srcc["difference"]["low"] == pytest.approx(first["value"] - second["value"] - down)
