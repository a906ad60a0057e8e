"""Pickles that hold more than plain values and arrays, or are damaged, are refused in a sentence."""

from __future__ import annotations

import os
import pickle
import random
from pathlib import Path

import numpy as np
import pytest

from qbench.datasets.similarity.pickles import read_pickle
from qbench.errors import DataError


class Runs:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch /tmp/ran",)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (pickle.dumps({"a": Runs()}), "it asks for posix.system"),
        (b"\x80\x02}r\xff\xff\xff\x7f.", "it keeps a value at place 2147483647"),  # for which 16 GB would be taken
        (pickle.dumps([1]), "holds a list, not the dictionary"),
        (pickle.dumps({"a": 1})[:-3], "is not the pickled list"),
        (b"", "is not the pickled list"),
    ],
)
def test_what_is_no_plain_dictionary_is_refused(tmp_path: Path, written: bytes, said: str) -> None:
    (tmp_path / "list.p").write_bytes(written)
    with pytest.raises(DataError, match=said):
        read_pickle(tmp_path / "list.p")


def test_damage_is_a_sentence_whatever_it_is(tmp_path: Path) -> None:
    chance = random.Random(0)
    for number in range(600):
        written = bytearray(pickle.dumps({"a": [1, "x", (2.5, None)], "b": {"c": b"d"}}, protocol=number % 6))
        for _ in range(chance.randrange(1, 4)):
            written[chance.randrange(len(written))] = chance.randrange(256)
        (tmp_path / "list.p").write_bytes(written[: chance.randrange(1, len(written) + 20)])
        try:
            read_pickle(tmp_path / "list.p")
        except DataError as fault:
            assert str(fault).startswith("list.p ")


@pytest.mark.parametrize("protocol", range(5))
def test_arrays_are_read_as_they_were(tmp_path: Path, protocol: int) -> None:
    (tmp_path / "list.p").write_bytes(pickle.dumps({"a": np.arange(3), "b": np.float64(0.5)}, protocol))
    found = read_pickle(tmp_path / "list.p")
    assert (found["a"].tolist(), found["b"]) == ([0, 1, 2], 0.5)
