"""The inputs of what is asked next are prepared by another thread, and the answers are the same."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from qbench.images import open_picture
from qbench.models import Model, ModelOptions, SpeedUps, open_model
from qbench.models.checkpoint import network
from qbench.models.checkpoint.image_cache import ImageFeatureCache
from qbench.models.checkpoint.vlm import Vlm
from qbench.records import Picture, Prompt, Want
from tests.models.checkpoint.prompts import PREFILL


def opened(folder: Path, *, prefetch: bool = True) -> Vlm:
    model = open_model(str(folder), ModelOptions(speed_ups=SpeedUps(prefetch=prefetch)))
    assert isinstance(model, Vlm)
    return model


def watch_threads(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> list[bool]:
    """Whether it was the main thread, for each call to come of a function that prepares inputs."""
    by_main: list[bool] = []
    prepare = getattr(owner, name)

    def watched(*arguments: Any) -> Any:
        by_main.append(threading.current_thread() is threading.main_thread())
        return prepare(*arguments)

    monkeypatch.setattr(owner, name, watched)
    return by_main


@pytest.mark.parametrize("want", ["words", "text"])
@pytest.mark.parametrize("kind", ["llava", "instructblip-t5"])
def test_what_is_asked_next_is_prepared_by_another_thread(
    kind: str, want: Want, folder_of: Callable[[str], Path], pictures: list[Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = opened(folder_of(kind), prefetch=False)
    words = () if want == "text" else ("good", "poor")
    asked = [Prompt(want, (picture, "Rate."), words, PREFILL, max_tokens=3) for picture in pictures]
    expected = [plain.respond(asked[:2]), plain.respond(asked[2:4]), plain.respond(asked[4:])]
    owner: Any = ImageFeatureCache if kind == "llava" else network
    by_main = watch_threads(monkeypatch, owner, "prepare" if kind == "llava" else "to_inputs")
    model = opened(folder_of(kind))
    model.expect(asked[2:4])
    assert model.respond(asked[:2]) == expected[0]
    model.expect(asked[:2])  # which is not what comes
    assert model.respond(asked[2:4]) == expected[1]
    assert model.respond(asked[4:]) == expected[2]
    assert by_main == [True, False, False, True]


def test_switched_off_everything_is_prepared_when_it_is_asked(
    folder_of: Callable[[str], Path], pictures: list[Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    by_main = watch_threads(monkeypatch, ImageFeatureCache, "prepare")
    model = opened(folder_of("llava"), prefetch=False)
    asked = [Prompt("words", (picture, "Rate."), ("good", "poor")) for picture in pictures[:2]]
    model.expect(asked[1:])
    model.respond(asked[:1])
    model.respond(asked[1:])
    assert by_main == [True, True]


def test_a_damaged_image_that_was_expected_fails_alone(
    opened: Callable[[str], Model], pictures: list[Picture], tmp_path: Path
) -> None:
    model = opened("llava")
    assert isinstance(model, Vlm)
    path = tmp_path / "cut.png"
    Image.new("RGB", (50, 50), "red").save(path)
    whole = path.read_bytes()
    broken = open_picture(path)
    path.write_bytes(whole[: len(whole) // 2])
    asked = [Prompt("words", (picture, "Rate."), ("good", "poor")) for picture in (pictures[0], broken, pictures[1])]
    model.expect(asked[1:])
    assert model.respond(asked[:1])[0].failure is None
    damaged, fine = model.respond(asked[1:])
    assert "cut.png is damaged" in (damaged.failure or "")
    assert fine.failure is None
