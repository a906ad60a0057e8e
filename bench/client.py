"""How much longer than a plain loop of threads does a run take that asks a server?

    python -m bench.client

The double takes as many prompts at once as come and 0.4 s for each, in a process of its own. The plain loop
sends the same photos and questions from 16 threads and keeps nothing; the run has 16 workers, reads the answers and
keeps them. The other figure is what passing faults cost: a run whose server answers one prompt in twenty with 503,
beside one with fixed workers at the same server.
"""

from __future__ import annotations

import base64
import itertools
import os
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx
import numpy as np
from PIL import Image

from bench.figure import Figure, machine, print_table
from bench.servers import in_one_step, served
from qbench.cache import Cache
from qbench.images import KEPT, open_picture
from qbench.models import ModelOptions
from qbench.models.openai import open_endpoint
from qbench.prompts import COMPARISONS
from qbench.records import Picture, Prompt
from qbench.runner import Runner
from qbench.tasks import Ask
from tests.models.openai.server import OpenAIServer, RefusedError

PROMPTS, WORKERS = 160, 16
TARGET = 1.5
SECONDS = 0.4
_SYNC_SECONDS = 0.036
"""Of a slow disk, such as a network's: the run's answers are kept on one."""
ROUNDS = 3
_EVERY = 20
_PROBES = 16
"""Longest answer that only a probe asks for."""


class SteadyServer(OpenAIServer):
    """Each answer takes the same time, however many are asked at once."""

    def chat(self, payload: Mapping[str, Any]) -> Any:
        if payload.get("max_tokens", 0) > _PROBES:
            time.sleep(SECONDS)
        return super().chat(payload)


class ShakyServer(SteadyServer):
    """One prompt in twenty is answered with 503."""

    def __enter__(self) -> ShakyServer:
        self._numbers = itertools.count(1)
        super().__enter__()
        return self

    def chat(self, payload: Mapping[str, Any]) -> Any:
        if payload.get("max_tokens", 0) > _PROBES and next(self._numbers) % _EVERY == 0:
            raise RefusedError(503, "busy for a moment")
        return super().chat(payload)


def figures(rounds: int = ROUNDS) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        asks = list(_pairs(_photos(folder)))
        with served(SteadyServer) as url:
            both = [(_of_loop(url, asks), _of_run(url, asks, folder / f"{turn}", WORKERS)) for turn in range(rounds)]
        loop, run = (sorted(each)[rounds // 2] for each in zip(*both, strict=True))
        note = f"{PROMPTS} prompts of two photos, {WORKERS} at once: {run:.1f} s and {loop:.1f} s"
        yield Figure("run at a server, times a plain loop of threads", run / loop, TARGET, note=note)
        with served(ShakyServer) as url:
            fixed = _of_run(url, asks, folder / "fixed", WORKERS)
            own = _of_run(url, asks, folder / "own", None)
        note = f"one prompt in {_EVERY} fails: {own:.1f} s, with --workers {WORKERS} {fixed:.1f} s"
        yield Figure("run under passing faults, times one of fixed workers", own / fixed, TARGET, note=note)


def _photos(folder: Path) -> list[Picture]:
    """Of the size of those in the datasets, as a camera would write them: noise upon something smooth."""
    rng = np.random.default_rng(0)
    across = np.linspace(0, 200, 1024)[None, :, None]
    for number in range(PROMPTS // 4):
        pixels = across + rng.integers(0, 40, (768, 1024, 3))
        Image.fromarray(pixels.astype(np.uint8)).save(folder / f"{number}.jpg", quality=90)
    return [open_picture(folder / f"{number}.jpg") for number in range(PROMPTS // 4)]


def _pairs(pictures: Sequence[Picture]) -> Iterator[Ask]:
    for number in range(PROMPTS):
        first, second = pictures[number // 4], pictures[(number // 4 + 1 + number % 4) % len(pictures)]
        yield Ask(str(number), Prompt("text", COMPARISONS["paper"](first, second), max_tokens=250))


def _of_loop(url: str, asks: Sequence[Ask]) -> float:
    """Seconds that sending the prompts takes, and nothing else."""
    with httpx.Client(timeout=60) as client, ThreadPoolExecutor(WORKERS) as pool:

        def send(ask: Ask) -> None:
            content = [
                {"type": "text", "text": part} if isinstance(part, str) else _image(part) for part in ask.prompt.parts
            ]
            asked = {"model": "tiny/vlm", "messages": [{"role": "user", "content": content}], "max_tokens": 250}
            client.post(f"{url}/chat/completions", json=asked).raise_for_status()

        started = time.monotonic()
        list(pool.map(send, asks))
        return time.monotonic() - started


def _image(picture: Picture) -> dict[str, Any]:
    data = base64.b64encode(Path(picture.path).read_bytes()).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{data}"}}


def _of_run(url: str, asks: Sequence[Ask], out: Path, workers: int | None) -> float:
    """Seconds that a run takes which knows what the server honours; nothing is decoded yet."""
    KEPT.clear()
    model = open_endpoint("tiny/vlm", ModelOptions(endpoints=(url,), workers=workers))
    assert model.capabilities
    sync = os.fsync
    with patch("os.fsync", lambda file: (time.sleep(_SYNC_SECONDS), sync(file))):
        started = time.monotonic()
        Runner(model, Cache(out / "responses.jsonl")).run(in_one_step(asks))
        return time.monotonic() - started


def main() -> None:
    print(machine())
    print_table(figures())


if __name__ == "__main__":
    main()
