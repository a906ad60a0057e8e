"""Small files of results, and short ways to score them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from qbench.commands.score import score_file
from qbench.errors import UserError
from qbench.records import Metrics, Result


def one(path: Path, **options: Any) -> Result:
    [result] = score_file(path, **options)
    return result


def value(metrics: Metrics, name: str) -> float:
    number = metrics[name].value
    assert number is not None, metrics[name].note
    return number


def words(result: Result) -> str:
    asked = result.protocol["words"]
    return f"{'+'.join(asked['positive'])}/{'+'.join(asked['negative'])}"


def complaint(path: Path, **options: Any) -> str:
    with pytest.raises(UserError) as caught:
        score_file(path, **options)
    told = str(caught.value)
    assert len(told) < 400
    return told


HAND = [  # image, human score, logit of good, logit of poor
    ("a", 1.0, 1.0, 4.0),
    ("b", 2.0, 3.0, 3.0),
    ("c", 3.0, 5.0, 4.0),
    ("d", 4.0, 5.0, 4.5),
    ("e", 5.0, 9.0, 2.0),
]
HUMAN = [human for _, human, _, _ in HAND]


def logits(rows: Sequence[tuple[str, float, float, float]] = HAND, pair: str = "good poor") -> list[dict[str, object]]:
    good, poor = (f"logit_{word}" for word in pair.split())
    return [{"img_path": image, "gt_score": human, good: high, poor: low} for image, human, high, low in rows]


def judged(human: dict[str, float], *, reverse: bool = False, **more: object) -> list[dict[str, object]]:
    sign = -1 if reverse else 1
    return [
        {"first": a, "second": b, "choice": "first" if sign * human[a] > sign * human[b] else "second", **more}
        for a in human
        for b in human
        if a != b
    ]


QUALITY = {f"images/{i}.png": float(i * i) for i in range(1, 9)}


def rated(human: dict[str, float]) -> list[dict[str, object]]:
    return [{"img_path": name, "gt_score": score} for name, score in human.items()]


OPTIONS = ["Soft", "Sharp", "Medium"]


def llava(number: int, reply: str | None, answer: str | None = "Sharp", **more: object) -> dict[str, object]:
    row = {"type": 2, "concern": 0, "question": "How sharp is this photo?", "img_path": f"{number}.jpg"}
    return {**row, "candidates": OPTIONS, **({"correct_ans": answer} if answer else {}), "response": reply, **more}
