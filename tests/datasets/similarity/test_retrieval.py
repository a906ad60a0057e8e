"""Revisited Oxford and Paris in the layout their publishers ship."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.datasets.similarity import image_layouts as layouts
from tests.datasets.similarity.reading import opened


@pytest.mark.parametrize(
    ("name", "folder", "alias"),
    [
        ("r-oxford", "roxford5k", "roxford5k"),
        ("r-oxford", "retrieval/revisitop/roxford5k", "roxford5k"),  # the benchmark's bundle
        ("r-paris", "data/datasets/rparis6k", "rparis6k"),  # the publisher's program
        ("rparis6k", "r-paris", "rparis6k"),
    ],
)
def test_queries_and_what_is_relevant_to_them(root: Path, name: str, folder: str, alias: str) -> None:
    layouts.revisited(root / folder, alias)
    dataset = opened(name)
    queries = [sample for sample in dataset.samples if sample.relevance]
    assert [Path(query.images[0]).name for query in queries] == [
        "hall_000001.jpg",
        "tower_000001.jpg",
        "tower_000002.jpg",
    ]
    found = [{level: [name[-5] for name in ids] for level, ids in query.relevance.items()} for query in queries]
    assert found == [
        {"easy": ["5", "0"], "hard": ["2"], "junk": []},
        {"easy": ["3"], "hard": ["4"], "junk": ["0"]},
        {"easy": [], "hard": ["4", "6"], "junk": ["7"]},
    ]
    searched = [sample for sample in dataset.samples if not sample.relevance]
    assert sorted(sample.id for sample in searched) == [f"jpg/view_{number:06d}.jpg" for number in range(8)]
    assert [query.cluster for query in queries] == ["landmark 0", "landmark 1", "landmark 1"]
