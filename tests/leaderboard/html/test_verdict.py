from __future__ import annotations

import pytest

from leaderboard.html.verdict import verdict


@pytest.mark.parametrize(
    ("probability", "said"),
    [
        (0.5, "m finds A and B too close to call (0.50 for A)"),
        (0.44, "m finds B and A too close to call (0.56 for B)"),
        (0.594, "m finds A and B too close to call (0.59 for A)"),
        (0.596, "m leans to A over B (probability 0.60)"),
        (0.106, "m leans to B over A (probability 0.89)"),
        (0.1, "m prefers B over A (probability 0.90)"),
        (0.99, "m prefers A over B (probability 0.99)"),
        (0.9999, "m prefers A over B (probability over 0.99)"),
    ],
)
def test_a_verdict_is_as_firm_as_its_probability(probability: float, said: str) -> None:
    assert verdict("m", "A", "B", probability) == said
