"""Whether visitors of an installation may write what they ran to its results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leaderboard.app import make_app
from leaderboard.settings import Settings
from qbench.assets import assets_folder


def put_on_board(folder: Path, **more: str) -> list[Callable[..., list[Any]]]:
    """What the button "Put on my local board" does, where it does anything."""
    places = {"submissions": folder / "submissions", "runs": folder / "runs"}
    settings = Settings(assets_folder(), folder / "results", models=("sharpness",), **places, **more)  # type: ignore[arg-type]
    events = make_app(settings).demo.fns.values()
    return [event.fn for event in events if getattr(event.fn, "__name__", "") == "put_on_board"]


def test_pressed_without_a_run_it_says_so(tmp_path: Path) -> None:
    (pressed,) = put_on_board(tmp_path, author="ada")
    (said,) = pressed(None).values()
    assert "Not done: there is no finished run to put on the board; run a model first." in said
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("more", [{}, {"author": "ada", "space": "lab/board"}])
def test_only_an_author_s_own_machine_takes_it(tmp_path: Path, more: dict[str, str]) -> None:
    assert put_on_board(tmp_path, **more) == []
