"""A1, perception: multiple-choice questions about low-level appearance.

Q-Bench, Sec. 2.2, https://arxiv.org/abs/2309.14181. A reply that names no option is unscored with its reason; the
accuracy counts it as not correct, because the model was asked and did not answer.
"""

from __future__ import annotations

from qbench.parsing import parse_option
from qbench.records import Response, Sample, Score


def score_reply(sample: Sample, response: Response) -> Score:
    """1 where the reply names the right option, 0 where it names another; None with the reason where it names none."""
    chosen = parse_option(response.text or "", sample.options)
    truth = None if sample.answer is None else float(sample.answer)
    cluster = sample.images[0] if sample.images else None
    if chosen.value is None:
        return Score(sample.id, None, truth=truth, reason=chosen.reason, cluster=cluster, groups=sample.groups)
    return Score(
        sample.id,
        float(chosen.value == sample.answer),
        truth=truth,
        order=float(chosen.value),
        cluster=cluster,
        groups=sample.groups,
    )
