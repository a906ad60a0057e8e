"""Which dataset a file is about, from the names that tools give their output."""

from __future__ import annotations

import re

from qbench.datasets.known import find_dataset

_NAMES = (
    (r"llvisionqa[_-](dev|test)", "llvisionqa-{}"),
    (r"qbench_a1_(dev|test)", "llvisionqa-{}"),  # Q-Align
    (r"q-bench1_(val)", "llvisionqa-dev"),  # VLMEvalKit
    (r"q-bench1_(test)", "llvisionqa-test"),
    (r"q-?bench2[_-](?:a1[_-])?(dev|test)", "q-bench2-{}"),
    (r"(?<![a-z0-9])qbench_(dev|test)", "llvisionqa-{}"),  # lmms-eval
    (r"(?<![a-z0-9])abench_(dev|test)", "a-bench-{}"),
)


def dataset_in(name: str) -> str:
    """The dataset that a file name mentions: whole, between dots, or as tools write it; empty where it does not."""
    for part in (name, *name.split(".")):
        facts = find_dataset(part)
        if facts:
            return facts.name
    for pattern, dataset in _NAMES:
        found = re.search(pattern, name.casefold())
        if found:
            return dataset.format(found[1])
    return ""
