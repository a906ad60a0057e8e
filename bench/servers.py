"""How many times quicker are eight servers than one? Answers a second through the client, and its share of linear.

    python -m bench.servers [--servers 1,2,4,8]

Each double takes 8 prompts at a time and 1 to 3 seconds for each, in a process of its own; the others wait in it, as in
vLLM. A prompt shows a pair of photos, in the order in which a study asks them. "Of linear" is against the places of all
servers, always taken.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from bench.figure import Figure, machine, print_table
from qbench.cache import Cache
from qbench.images import open_picture
from qbench.models import ModelOptions
from qbench.models.openai import open_endpoint
from qbench.prompts import COMPARISONS
from qbench.records import Prompt
from qbench.runner import Runner
from qbench.tasks import Ask
from tests.models.openai.server import OpenAIServer

TARGET = 0.85
PLACES = 8
FASTEST, SLOWEST = 1.0, 3.0
SECONDS = 40
"""That a run takes at least."""


class BusyServer(OpenAIServer):
    """A server of which each answer takes a while, and only so many at once are worked on."""

    def __enter__(self) -> BusyServer:
        self._places = threading.Semaphore(PLACES)
        self._rng = random.Random(0)
        super().__enter__()
        return self

    def chat(self, payload: Mapping[str, Any]) -> Any:
        if payload.get("max_tokens", 0) > 16:
            with self._places:
                time.sleep(self._rng.uniform(FASTEST, SLOWEST))
        return super().chat(payload)


def figures(counts: Sequence[int] = (1, 8)) -> Iterator[Figure]:
    for count in counts:
        rate = answers_a_second(count)
        linear = count * PLACES / ((FASTEST + SLOWEST) / 2)
        yield Figure(
            f"{count} servers, share of linear", rate / linear, TARGET, at_least=True, note=f"{rate:.1f} answers/s"
        )


def answers_a_second(count: int) -> float:
    """Of a run at so many servers."""
    prompts = int(count * PLACES * SECONDS / ((FASTEST + SLOWEST) / 2))
    with tempfile.TemporaryDirectory() as name, ExitStack() as running:
        folder = Path(name)
        urls = [running.enter_context(served()) for _ in range(count)]
        asks = list(pairs(folder, prompts))
        model = open_endpoint("tiny/vlm", ModelOptions(endpoints=tuple(urls)))
        assert model.capabilities
        started = time.monotonic()
        Runner(model, Cache(folder / "responses.jsonl")).run(in_one_step(asks))
        return prompts / (time.monotonic() - started)


def in_one_step(asks: Sequence[Ask]) -> Any:
    return (yield asks)


def pairs(folder: Path, count: int) -> Iterator[Ask]:
    """Comparisons of small photos, ordered by the first of each pair."""
    rng = np.random.default_rng(0)
    pictures = []
    for number in range(2 + count // 12):
        path = folder / f"{number}.jpg"
        Image.fromarray(rng.integers(0, 256, (96, 128, 3), dtype=np.uint8)).save(path)
        pictures.append(open_picture(path))
    for number in range(count):
        first = number // 12
        second = (first + 1 + number % 12) % len(pictures)
        prompt = Prompt("text", COMPARISONS["paper"](pictures[first], pictures[second]), max_tokens=250)
        yield Ask(str(number), prompt)


@contextmanager
def served(kind: type[OpenAIServer] = BusyServer) -> Iterator[str]:
    """The address of a server in another process."""
    here, there = get_context("spawn").Pipe()
    process = get_context("spawn").Process(target=_serve, args=(there, kind), daemon=True)
    process.start()
    yield here.recv()
    here.send("stop")
    process.join()


def _serve(told: Connection, kind: type[OpenAIServer]) -> None:
    with kind() as server:
        told.send(server.url)
        told.recv()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--servers", default="1,2,4,8")
    counts = [int(count) for count in parser.parse_args().servers.split(",")]
    print(machine())
    print_table(figures(counts))


if __name__ == "__main__":
    main()
