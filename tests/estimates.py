"""What tests read off estimates."""

from __future__ import annotations

from qbench.records import Estimate


def width(estimate: Estimate) -> float:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.high - estimate.low


def values(metrics: dict[str, Estimate]) -> dict[str, float | None]:
    return {name: estimate.value for name, estimate in metrics.items()}
