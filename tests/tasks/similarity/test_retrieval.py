"""Retrieval: average precision by hand, with junk, levels, ties and images that cannot be searched."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from qbench.commands.evaluate import evaluate
from qbench.datasets import open_dataset
from qbench.errors import UserError
from qbench.records import Result
from qbench.tasks.similarity.retrieval import average_precision
from tests.tasks.similarity.made import HandMade, dataset


def at(degrees: float) -> tuple[float, float]:
    return math.cos(math.radians(degrees)), math.sin(math.radians(degrees))


def protocols_own_code(ranks: list[int], to_find: int) -> float:
    """compute_ap of the protocol's evaluation script, whose trapezoids begin at precision 1 for a first hit."""
    area = 0.0
    for number, rank in enumerate(ranks):
        before = 1.0 if rank == 0 else number / rank
        area += (before + (number + 1) / (rank + 1)) / (2 * to_find)
    return area


@pytest.mark.parametrize(
    ("positive", "to_find", "value"),
    [
        ([1, 1, 0, 0], 2, 1.0),
        # Found second: precision goes from 0/1 to 1/2.
        ([0, 1, 0], 1, 0.25),
        # First and third: 1 to 1 over the first half of recall, 1/2 to 2/3 over the second.
        ([1, 0, 1], 2, (1 + (1 / 2 + 2 / 3) / 2) / 2),
        # One of two was never found.
        ([1, 0], 2, 0.5),
        ([0, 0], 1, 0.0),
    ],
)
def test_average_precision_by_hand(positive: list[int], to_find: int, value: float) -> None:
    cosines = np.linspace(0.9, 0.1, len(positive))
    assert average_precision(cosines, positive, to_find) == pytest.approx(value)


def test_average_precision_is_the_protocols_own() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        cosines, positive = rng.normal(size=40), rng.random(40) < 0.3
        ranks = np.flatnonzero(positive[np.argsort(-cosines)]).tolist()
        to_find = int(positive.sum()) + int(rng.integers(0, 3))
        assert average_precision(cosines, positive, to_find) == pytest.approx(protocols_own_code(ranks, to_find))


def test_of_images_equally_near_irrelevant_ones_come_first() -> None:
    assert average_precision([0.5, 0.5, 0.5], [True, False, False], 1) == pytest.approx((0 + 1 / 3) / 2)
    assert average_precision([0.5 + 1e-15, 0.5], [True, False], 1) == pytest.approx((0 + 1 / 2) / 2)


QUERY = {"query": "q.png", "easy": ["e1.png", "e2.png"], "hard": ["h.png"], "junk": ["j.png"]}
# By distance from the query at 0: j, e1, x, h, e2, y.
ANGLES = {"q": 0, "j": 1, "e1": 10, "x": 20, "h": 30, "e2": 40, "y": 50}


def run(folder: Path, queries: list, angles: dict[str, float], spoil: str = "") -> Result:
    rows = [*queries, *({"img_path": f"{name}.png"} for name in angles if not name.startswith("q"))]
    data = dataset(folder, rows, " ".join(angles))
    if spoil:
        (folder / f"{spoil}.png").write_bytes(b"no image")
    [result] = evaluate("retrieval", data, HandMade({name: at(angle) for name, angle in angles.items()}), folder)
    return result


def test_one_query_at_every_level(tmp_path: Path) -> None:
    result = run(tmp_path, [QUERY], ANGLES)
    # Easy, without j and h: e1 x e2 y. Medium, without j: e1 x h e2 y. Hard, without j, e1 and e2: x h y.
    easy = (1 + (1 / 2 + 2 / 3) / 2) / 2
    medium = (1 + (1 / 2 + 2 / 3) / 2 + (2 / 3 + 3 / 4) / 2) / 3
    hard = (0 / 1 + 1 / 2) / 2
    got = {name: metric.value for name, metric in result.metrics.items()}
    assert got == pytest.approx(
        {"map_easy": easy, "map_medium": medium, "map_hard": hard, "retrieval_map": (medium + hard) / 2}
    )
    assert "one query has no spread" in str(result.metrics["retrieval_map"].note)
    assert result.status["asked"] == 7
    assert result.unscored == {}


# Less mid-grey, the cosines with red are 0.89, 1/3, -1/3 and -1: by mean colour the four are found in this order.


def test_queries_without_anything_to_find_are_left_out_of_that_level(tmp_path: Path) -> None:
    other = {"query": "q2.png", "easy": ["y.png"]}
    result = run(tmp_path, [QUERY, other], {**ANGLES, "q2": 50})
    assert result.metrics["map_hard"].value == pytest.approx(0.25)
    assert (result.metrics["map_hard"].n, result.metrics["map_easy"].n) == (1, 2)
    medium = (1 + (1 / 2 + 2 / 3) / 2 + (2 / 3 + 3 / 4) / 2) / 3
    assert result.metrics["map_medium"].value == pytest.approx((medium + 1) / 2)
    assert result.metrics["retrieval_map"].value == pytest.approx(((medium + 1) / 2 + 0.25) / 2)
    # Half of the resamples lack the only query of the hard level half of the time: no interval is claimed.
    assert result.metrics["retrieval_map"].low is None
    assert "resamples leave it undefined" in str(result.metrics["retrieval_map"].note)


def test_intervals_are_over_queries(tmp_path: Path) -> None:
    # A query that finds its image first at once, and one that finds it last of six, ten times each.
    good = [{"query": f"q{number}.png", "easy": ["x.png"], "hard": ["e1.png"]} for number in range(10)]
    poor = [{"query": f"qp{number}.png", "easy": ["j.png"], "hard": ["y.png"]} for number in range(10)]
    angles = {**{f"q{n}": 15 + n / 100 for n in range(10)}, **{f"qp{n}": -60 - n / 100 for n in range(10)}}
    estimate = run(tmp_path, [*good, *poor], {**angles, **{k: v for k, v in ANGLES.items() if k != "q"}})
    both = estimate.metrics["retrieval_map"]
    assert both.n == 20
    assert both.low < both.value < both.high
    assert estimate.metrics["map_medium"].low <= estimate.metrics["map_medium"].value


def test_an_image_that_cannot_be_searched_is_never_found(tmp_path: Path) -> None:
    result = run(tmp_path, [QUERY], ANGLES, spoil="h")
    assert result.metrics["map_hard"].value == 0.0
    medium = (1 + (1 / 2 + 2 / 3) / 2) / 3
    assert result.metrics["map_medium"].value == pytest.approx(medium)
    [(reason, count)] = result.unscored.items()
    assert (count, reason.startswith("failed: h.png is not an image")) == (1, True)


def test_a_limited_run_looks_only_for_what_it_lists(tmp_path: Path) -> None:
    rows = [QUERY, *({"img_path": f"{name}.png"} for name in ("x", "h", "e1", "e2", "j"))]
    dataset(tmp_path, rows, " ".join(ANGLES))
    data = open_dataset(str(tmp_path / "list.json"), limit=3)  # the query, x and h
    [result] = evaluate("retrieval", data, HandMade({name: at(angle) for name, angle in ANGLES.items()}), tmp_path)
    assert {name: metric.value for name, metric in result.metrics.items()} == {
        "retrieval_map": 0.25,
        "map_easy": None,
        "map_medium": 0.25,
        "map_hard": 0.25,
    }
    assert result.protocol["limit"] == 3


def test_a_query_that_cannot_be_embedded_has_no_score(tmp_path: Path) -> None:
    other = {"query": "q2.png", "easy": ["y.png"], "hard": ["x.png"]}
    result = run(tmp_path, [QUERY, other], {**ANGLES, "q2": 50}, spoil="q2")
    assert result.metrics["map_hard"].value == pytest.approx(0.25)
    assert sum(result.unscored.values()) == 1


def test_each_image_is_embedded_once_however_many_queries(tmp_path: Path) -> None:
    names = {**ANGLES, "q2": 50}
    rows = [QUERY, {"query": "q2.png", "easy": ["y.png"]}, *({"img_path": f"{x}.png"} for x in ANGLES if x != "q")]
    model = HandMade({name: at(angle) for name, angle in names.items()})
    evaluate("retrieval", dataset(tmp_path, rows, " ".join(names)), model, tmp_path)
    assert model.embedded == dict.fromkeys(names, 1)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([{"img_path": "e1.png"}], "of 1 samples 0 are queries"),
        ([{"query": "q.png", "easy": []}], "of 1 samples 1 are queries"),
    ],
)
def test_queries_and_images_to_search_are_needed(tmp_path: Path, rows: list, sentence: str) -> None:
    data = dataset(tmp_path, rows, "q e1")
    with pytest.raises(UserError, match=sentence):
        evaluate("retrieval", data, HandMade({}), tmp_path)
