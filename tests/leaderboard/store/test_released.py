"""Models whose released answers are here are compared on the same items."""

from __future__ import annotations

import pytest

from leaderboard.analysis.compare import compare_models
from qbench.records import Result
from tests.leaderboard.published import published, simulated


def record(task: str, model: str) -> Result:
    found = (one.result for one in published().loaded.records)
    return next(one for one in found if (one.task, one.model, one.source.kind) == (task, model, "rescored"))


@pytest.mark.parametrize(
    ("task", "model"),
    [("perception", "gpt-4o-undated"), ("perception", "glm-4v-plus"), ("description", "depictqa")],
)
def test_items_come_to_the_figures_of_their_record(task: str, model: str) -> None:
    result = record(task, model)
    for metric in set(result.items) - {"debiased_accuracy"}:  # the mean of the rates of Yes and of No
        items, figure = result.items[metric], result.metrics[metric]
        assert sum(items.values) / len(items.values) == pytest.approx(figure.value, abs=1e-12)
        assert len(items.values) == figure.n
    assert {"accuracy", "yes_accuracy", "no_accuracy", "debiased_accuracy"} <= set(result.items) or task != "perception"


def test_two_models_are_compared_question_by_question() -> None:
    profile = compare_models(published(), "perception-dev", ("gpt-4o-undated", "qwen2-vl-7b"), "", simulated())
    overall = next(one for one in profile.differences if one.column == "overall")
    assert overall.paired
    assert overall.value == pytest.approx((1166 - 1154) / 1495)  # right answers of the two
    assert not overall.apart
