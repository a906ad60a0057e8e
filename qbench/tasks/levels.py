"""Five-level scoring: the mean of five levels, weighted by how likely the model finds the word of each.

Q-Align, Sec. 3.3, https://arxiv.org/abs/2312.17090, and Q-ReAlign. Their released code weighs the levels 1 to 0 in
steps of a quarter, which is this score less 1, over 4.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.special import softmax

LEVELS = ("excellent", "good", "fair", "poor", "bad")
WEIGHTS = (5, 4, 3, 2, 1)


def expected_level(logits: Mapping[str, float]) -> float:
    """The mean of the weights under the softmax of the five words' logits, from 1 to 5."""
    return float(softmax([logits[level] for level in LEVELS]) @ np.array(WEIGHTS, dtype=float))
