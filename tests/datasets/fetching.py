"""What tests of fetching share: archives, a fetch, a refusal, what was asked of the double."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from qbench.datasets.get import FetchProgress, fetch, plan_fetch
from qbench.datasets.known import DatasetFacts, find_dataset
from qbench.errors import UserError
from tests.hub_double import Hub


def tape(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def facts_of(name: str) -> DatasetFacts:
    facts = find_dataset(name)
    assert facts is not None
    return facts


def get(name: str, root: Path) -> list[FetchProgress]:
    told: list[FetchProgress] = []
    fetch(plan_fetch(facts_of(name), root), told.append)
    return told


def refused(name: str, root: Path) -> str:
    with pytest.raises(UserError) as raised:
        get(name, root)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def files_asked(hub: Hub) -> list[str]:
    return [asked for asked in hub.requests if "/resolve/" in asked or "/storage/" in asked]


def files_below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())
