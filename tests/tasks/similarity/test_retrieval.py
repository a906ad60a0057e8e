"""Retrieval: average precision by hand, with junk, levels, ties and images that cannot be searched."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from qbench.records import Result
from qbench.tasks.similarity.retrieval import average_precision
from tests.tasks.similarity.made import at, run


def protocols_own_code(ranks: list[int], to_find: int) -> float:
    """compute_ap of the protocol's evaluation script, whose trapezoids begin at precision 1 for a first hit."""
    area = 0.0
    for number, rank in enumerate(ranks):
        before = 1.0 if rank == 0 else number / rank
        area += (before + (number + 1) / (rank + 1)) / (2 * to_find)
    return area


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


def searched(folder: Path, queries: list, angles: dict[str, float], unseen: str = "") -> Result:
    rows = [*queries, *({"img_path": f"{name}.png"} for name in angles if not name.startswith("q"))]
    return run(
        "retrieval", folder, rows, " ".join(angles), {name: at(angles[name]) for name in angles if name != unseen}
    )


def test_one_query_at_every_level(tmp_path: Path) -> None:
    result = searched(tmp_path, [QUERY], ANGLES)
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


def test_queries_without_anything_to_find_are_left_out_of_that_level(tmp_path: Path) -> None:
    other = {"query": "q2.png", "easy": ["y.png"]}
    result = searched(tmp_path, [QUERY, other], {**ANGLES, "q2": 50})
    assert result.metrics["map_hard"].value == pytest.approx(0.25)
    assert (result.metrics["map_hard"].n, result.metrics["map_easy"].n) == (1, 2)
    medium = (1 + (1 / 2 + 2 / 3) / 2 + (2 / 3 + 3 / 4) / 2) / 3
    assert result.metrics["map_medium"].value == pytest.approx((medium + 1) / 2)
    assert result.metrics["retrieval_map"].value == pytest.approx(((medium + 1) / 2 + 0.25) / 2)
    # Half of the resamples lack the only query of the hard level half of the time: no interval is claimed.
    assert result.metrics["retrieval_map"].low is None
    assert "resamples leave it undefined" in str(result.metrics["retrieval_map"].note)


def test_an_image_that_cannot_be_searched_is_never_found(tmp_path: Path) -> None:
    result = searched(tmp_path, [QUERY], ANGLES, unseen="h")
    assert result.metrics["map_hard"].value == 0.0
    medium = (1 + (1 / 2 + 2 / 3) / 2) / 3
    assert result.metrics["map_medium"].value == pytest.approx(medium)
    assert result.unscored == {"failed: no vector": 1}
