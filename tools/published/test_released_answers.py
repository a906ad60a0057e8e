"""Records made anew from released answers: every figure follows from the letters, logits and grades kept beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from tools import released_answers

pytestmark = pytest.mark.slow(reason="the released answers seldom change")

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "assets" / "recomputed"
TYPES = ("yes-or-no", "what", "how")  # by LLVisionQA's numbers
CONCERNS = ("distortion", "other", "in-context-distortion", "in-context-other")
Record = dict[str, Any]


def answers(task: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "answers" / f"released_{task}.json").read_text("utf-8"))
    return found


def records(task: str) -> list[Record]:
    found: list[Record] = json.loads((FOLDER / "results" / f"released_{task}.json").read_text("utf-8"))
    return found


def share_right(letters: str, right: str, where: list[bool]) -> float:
    pairs = [(one, other) for one, other, here in zip(letters, right, where, strict=True) if here and one != "-"]
    return sum(one == other for one, other in pairs) / len(pairs)


@pytest.mark.parametrize("record", records("perception"), ids=lambda record: Path(record["source"]["row"]).stem)
def test_letters_give_the_accuracies(record: Record) -> None:
    asked = answers("perception")
    letters, right = asked["answers"][Path(record["source"]["row"]).stem], asked["right"]
    assert len(letters) == len(asked["names"]) == 1495
    assert record["metrics"]["accuracy"]["n"] == 1495 - letters.count("-")
    assert sum(record["unscored"].values()) == letters.count("?")
    assert record["metrics"]["accuracy"]["value"] == pytest.approx(
        share_right(letters, right, [True] * 1495), abs=1e-12
    )
    for grouping, names in {"question_type": TYPES, "concern": CONCERNS}.items():
        for number, name in enumerate(names):
            where = [int(kind) == number for kind in asked[grouping]]
            figure = record["groups"][grouping][name]["accuracy"]["value"]
            assert figure == pytest.approx(share_right(letters, right, where), abs=1e-12), (grouping, name)


def test_a_model_with_many_replies_missing_is_not_ranked_with_the_others() -> None:
    limits = {record["model"]: record["protocol"].get("limit") for record in records("perception")}
    assert {model: limit for model, limit in limits.items() if limit} == {"claude-3.5-sonnet-2024-10": 1379}


def test_grades_give_the_ratings_of_descriptions() -> None:
    graded = answers("description")
    for record in records("description"):
        means = {
            name: np.mean([int(grade) for given in grades.split() for grade in given])
            for name, grades in graded[record["model"]].items()
        }
        assert {name: record["metrics"][name]["value"] for name in means} == pytest.approx(means, abs=1e-12)
        assert record["metrics"]["sum"]["value"] == pytest.approx(sum(means.values()), abs=1e-12)
        assert record["metrics"]["sum"]["n"] == 100


def test_logits_and_human_scores_give_the_correlations(shared_data: Path) -> None:
    kept, files = answers("assessment"), {data: short for short, (data, _) in released_answers.DATABASES.items()}
    for record in records("assessment"):
        rows = json.loads((shared_data / "qbench_mos" / f"{files[record['dataset']]}.json").read_text("utf-8"))
        truth = {row["img_path"]: float(row["gt_score"]) for row in rows}
        human = [truth[name] for name in kept[record["dataset"]]["names"]]
        logits = np.array(kept[record["dataset"]]["logits"][record["model"]]).reshape(-1, 5) / 256
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        if record["protocol"]["prompt"] == "levels":
            order = plain = odds @ [5, 4, 3, 2, 1] / odds.sum(axis=1)
        else:
            order = logits[:, 1] - logits[:, 3]
            plain = 1 / (1 + np.exp(-order / 100))
        found = {name: record["metrics"][name]["value"] for name in ("srcc", "plcc")}
        assert found == pytest.approx({"srcc": spearmanr(order, human)[0], "plcc": pearsonr(plain, human)[0]}, abs=1e-9)


def test_correlations_are_those_that_others_computed_from_the_same_logits(shared_data: Path) -> None:
    known = json.loads((shared_data.parent / "facts/newer/doi-vllms-a3-recomputed.json").read_text("utf-8"))
    ways = {"five levels": "levels", "good against poor": "words"}
    names = {model.replace("-instruct", ""): model for model in released_answers.SCORED.values()}
    compared = 0
    for row in known["rows"]:
        model, way = row["model"].split(", ", 1)
        if way not in ways:
            continue
        for record in records("assessment"):
            if record["model"] == names[model.lower()] and record["protocol"]["prompt"] == ways[way]:
                for metric in ("srcc", "plcc"):
                    printed = row["values"][f"{record['dataset']}:{metric}"]
                    assert record["metrics"][metric]["value"] == pytest.approx(printed, abs=6e-4)
                    compared += 1
    assert compared == 2 * len(records("assessment")) == 80


def test_letters_are_those_of_the_released_replies(shared_data: Path) -> None:
    made, _ = released_answers.answers_to_questions(shared_data / "doi_vllms" / "q_bench")
    assert made == answers("perception")
