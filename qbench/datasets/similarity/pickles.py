"""Pickled lists that publishers ship, read without running what a pickle may hold: only plain values and arrays."""

from __future__ import annotations

import codecs
import io
import pickle
import pickletools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from qbench.errors import DataError

_PLAIN: Mapping[tuple[str, str], Any] = {
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    # How an array and a number of an array are made anew; their module has had two names.
    ("multiarray", "_reconstruct"): np.zeros(1).__reduce__()[0],
    ("multiarray", "scalar"): np.float64(0).__reduce__()[0],
    ("_codecs", "encode"): codecs.encode,
    ("__builtin__", "bytes"): bytes,
}


def read_pickle(path: Path) -> dict[str, Any]:
    """A dictionary of plain values and arrays; those of Python 2 too.

    Raises:
        DataError: Not a pickle, or one that asks for more than that.
    """
    try:
        written = path.read_bytes()
        _check_places(written)
        content = _Plain(io.BytesIO(written), encoding="latin1").load()
    except Exception as error:  # noqa: BLE001  # whatever stumbles over bytes that are no pickle
        raise DataError(f"{path.name} is not the pickled list that its publisher ships ({error})") from None
    if not isinstance(content, dict):
        raise DataError(f"{path.name} holds a {type(content).__name__}, not the dictionary that its publisher ships")
    return content


def _check_places(written: bytes) -> None:
    """Refuse a pickle that keeps a value at a place far beyond its own length: the reader takes memory up to there."""
    for operation, place, _ in pickletools.genops(written):
        if operation.name.endswith("PUT") and place is not None and place > len(written):
            raise pickle.UnpicklingError(f"it keeps a value at place {place}")


class _Plain(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        parts = module.split(".")
        found = _PLAIN.get((parts[-1], name)) if parts[0] in ("numpy", "_codecs", "__builtin__") else None
        if found is None:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}")
        return found
