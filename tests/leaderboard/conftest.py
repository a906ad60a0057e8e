"""The app, served once for all tests of what its server answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from leaderboard.pages import import_gradio
from leaderboard.settings import Settings
from qbench.assets import assets_folder

if TYPE_CHECKING:
    from leaderboard.app import App

import_gradio()  # before the tests do, which would take twice as long


@pytest.fixture(scope="session")
def served_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The app, served as `serve` does it."""
    from leaderboard.app import QUEUE, launch_options, make_app

    folder = tmp_path_factory.mktemp("served")
    kept = {name: folder / name for name in ("submissions", "runs", "studies")}
    kept["studies"].mkdir()
    app = make_app(Settings(assets_folder(), folder / "results", models=("sharpness", "niqe"), **kept))  # type: ignore[arg-type]
    app.demo.queue(**QUEUE)
    app.demo.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", **launch_options(app))
    yield app
    app.demo.close()


@pytest.fixture(scope="session")
def served(served_app: App) -> str:
    """Its address."""
    return str(served_app.demo.local_url)
