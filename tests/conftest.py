"""Fixtures shared by all tests."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

os.environ.setdefault("OMP_NUM_THREADS", "1")  # tests share the cores already; set before NumPy and PyTorch count them

from tests.scripted import add_scripted

add_scripted()
ROOT = Path(__file__).resolve().parent
APART = ("browser", "training")
"""Folders whose tests are run apart from the quick default, by a marker of their name, and not even read by it."""
ABOUT_VALUES = ("commands", "datasets", "formats", "leaderboard", "models", "tasks")
"""Folders whose tests need no more than a few resamples."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    quick = config.option.markexpr == config.getini("addopts")[-1]
    return True if quick and collection_path.parent == ROOT and collection_path.name in APART else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(ROOT) and (folder := item.path.relative_to(ROOT).parts[0]) in APART:
            item.add_marker(folder)


def pytest_collection_finish() -> None:
    """What was collected stays to the end, and is more than half a million objects to search for rubbish each time."""
    gc.freeze()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real data that its licences keep out of this repository."""
    folder = Path(os.environ.get("QBENCH_TEST_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"real data is not at {folder}; set QBENCH_TEST_DATA to the folder that holds it")
    return folder


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all processes of a run, since pictures take long to make."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "demo-sets"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def demo_data(demo_folder: Path) -> Iterator[None]:
    """Demo sets, made once for all tests, and no other dataset."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QBENCH_DATA", str(demo_folder))
        yield


@pytest.fixture(autouse=True)
def _quickly(request: pytest.FixtureRequest) -> None:
    if request.path.relative_to(ROOT).parts[0] in ABOUT_VALUES:
        request.getfixturevalue("few_resamples")


@pytest.fixture
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals from 20 resamples and chance levels from 2 judges, for tests that are about values."""
    from qbench.results import pair_figures
    from qbench.stats import bootstrap, logistic

    monkeypatch.setattr(bootstrap, "bootstrap", partial(bootstrap.bootstrap, resamples=20))
    monkeypatch.setattr(logistic, "REFITS", 20)
    monkeypatch.setattr(pair_figures, "_MOST_JUDGES", 2)
    monkeypatch.setattr(pair_figures, "_FEWEST_JUDGES", 2)
