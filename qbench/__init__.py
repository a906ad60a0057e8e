"""Evaluate the low-level vision of multimodal models; complete without the leaderboard.

    import qbench

    qbench.score(predictions, truth)        # SRCC, PLCC and their intervals
    qbench.rank(comparisons, method="map")  # one score an item
    qbench.parse_option(reply, options)     # and the other readers of replies
    qbench.evaluate(model, dataset)         # records of a run, as `python -m qbench run` makes them
    qbench.load("results")                  # records as a DataFrame

See docs/python.md. Importing it imports nothing else before something is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qbench.interface import evaluate, load, rank, score
    from qbench.parsing import (
        parse_judge_score,
        parse_numbered,
        parse_option,
        parse_preference,
        parse_quality_word,
        parse_rating,
        parse_yes_no,
    )

__version__ = "0.2.0"
__all__ = [
    "evaluate",
    "load",
    "parse_judge_score",
    "parse_numbered",
    "parse_option",
    "parse_preference",
    "parse_quality_word",
    "parse_rating",
    "parse_yes_no",
    "rank",
    "score",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'qbench' has no attribute {name!r}")
    return getattr(importlib.import_module("qbench.parsing" if name.startswith("parse_") else "qbench.interface"), name)
