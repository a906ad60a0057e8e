"""Measure what visitors wait for: `python -m bench.visitors [--seconds 3] [--rounds 3]`.

The app and a bare Gradio page run beside each other on this machine and are asked in turn, by 16 clients that ask again
as soon as they are answered. What is counted are answers a second of the server's own processor time, and for the start
processor time too, which other programs disturb less; ratios are of what ran side by side. A browser opens both in
turn, until it paints their first text. Then 200 readers open the app over and over: the page, the list of boards, a
board and an overview; every second one has been here before and sends what it holds. They pause a second in between,
while a model runs on a demo set in the same process.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from gradio_client import Client

from bench.figure import Figure, machine, print_table
from bench.http_client import Connection, ask
from tests.browser.chromium import open_browser

ROOT = Path(__file__).resolve().parents[1]
BARE = 'import gradio as gr\nwith gr.Blocks(analytics_enabled=False) as demo:\n    gr.Markdown("Hello")\ndemo.launch()'
VISIT = ("/", "/board-data/index", "/board-data/perception-dev", "/board-data/overview-perception-dev")
READERS, PAUSE = 200, 1.0
REQUESTS = 10_000


@contextmanager
def serve(*command: str, **more: str) -> Iterator[tuple[str, int]]:
    """Address and process of a server that has answered once."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    variables = {**os.environ, "GRADIO_SERVER_PORT": str(port), "GRADIO_ANALYTICS_ENABLED": "False", **more}
    process = subprocess.Popen(
        [sys.executable, *command], cwd=ROOT, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT
    )
    address = f"http://127.0.0.1:{port}/"
    try:
        while process.poll() is None:
            try:
                urllib.request.urlopen(address).read()
                break
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.02)
        yield address, process.pid
    finally:
        process.terminate()
        process.wait(30)


def memory(process: int) -> float:
    """Megabytes that a process holds."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def busy(process: int) -> float:
    """Seconds of the processor that a process has had."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rates(app: tuple[str, int], bare: tuple[str, int], seconds: float, rounds: int) -> list[Figure]:
    """How often each is answered, in turn."""
    etag = asyncio.run(_etag(app[0], VISIT[2]))
    kinds = {
        "bare": (bare, "/", "", 200),
        "page": (app, "/", "", 200),
        "data": (app, VISIT[2], "", 200),
        "held": (app, VISIT[2], f"If-None-Match: {etag}\r\n", 304),
    }
    found: dict[str, list[float]] = {kind: [] for kind in kinds}
    for _ in range(rounds):
        for kind, ((address, process), path, more, status) in kinds.items():
            before = busy(process)
            answered = asyncio.run(ask(address, path, seconds, more=more, status=status))
            found[kind].append(answered / (busy(process) - before))
    median = {kind: float(np.median(values)) for kind, values in found.items()}

    def ratio(kind: str) -> tuple[float, str]:
        side_by_side = np.array(found[kind]) / found["bare"]
        told = f"{median[kind]:.0f}/s, {side_by_side.min():.2f} to {side_by_side.max():.2f}"
        return float(np.median(side_by_side)), told

    page, data, held = ratio("page"), ratio("data"), ratio("held")
    return [
        Figure(
            "GET / as a share of a bare page's rate", page[0], 0.5, True, note=f"{page[1]}; bare {median['bare']:.0f}/s"
        ),
        Figure(
            "a board's data, answers a second of the processor",
            median["data"],
            2000,
            True,
            note=f"{data[0]:.2f} of the bare page",
        ),
        Figure("the same for who holds it (304)", median["held"], 2000, True, note=f"{held[0]:.2f} of the bare page"),
    ]


FIRST_PAINT = """new Promise((told) => new PerformanceObserver((list) => {
  for (const { name, startTime } of list.getEntries()) if (name === "first-contentful-paint") told(startTime);
}).observe({ type: "paint", buffered: true }))"""


def first_text(app: str, bare: str, visits: int = 9) -> Figure:
    """Milliseconds until a browser without a cache has painted the first text of each, in turn."""
    seen: dict[str, list[float]] = {app: [], bare: []}
    with open_browser() as browser:
        for address in [app, bare] * visits:
            page = browser.new_page()
            page.goto(address)
            seen[address].append(page.evaluate(FIRST_PAINT))
            page.close()
    ours, gradios = float(np.median(seen[app])), float(np.median(seen[bare]))
    return Figure("first text, times a bare page's", ours / gradios, 1.2, note=f"{ours:.0f} ms; bare {gradios:.0f} ms")


async def _etag(address: str, path: str) -> str:
    return (await Connection(address).get(path)).headers["etag"]


async def _readers(address: str, seconds: float) -> tuple[list[float], int]:
    """Seconds that each visit took, and how many requests failed."""
    until = time.perf_counter() + seconds
    visits: list[float] = []
    faults = 0
    held = {path: await _etag(address, path) for path in VISIT}

    async def reader(number: int) -> None:
        nonlocal faults
        connection = Connection(address)
        await asyncio.sleep(PAUSE * number / READERS)
        while time.perf_counter() < until:
            begun = time.perf_counter()
            for path in VISIT:
                more = f"If-None-Match: {held[path]}\r\n" if number % 2 else ""
                reply = await connection.get(path, more)
                faults += reply.status not in (200, 304)
            visits.append(time.perf_counter() - begun)
            await asyncio.sleep(PAUSE)
        connection.close()

    await asyncio.gather(*(reader(number) for number in range(READERS)))
    return visits, faults


def readers(app: str, seconds: float) -> list[Figure]:
    """200 readers while nano-vlm runs on a demo set, and before."""
    alone, _ = asyncio.run(_readers(app, seconds / 3))
    client = Client(app, verbose=False)
    first = client.submit("nano-vlm", "img-2afc", "demo-img-2afc", 2, api_name="/run")
    first.result()  # its weights are here
    jobs = [
        client.submit("nano-vlm", task, f"demo-{task}", 0, api_name="/run") for task in ("perception", "comparison")
    ]
    while not any(job.outputs() for job in jobs):
        time.sleep(0.1)
    visits, faults = asyncio.run(_readers(app, seconds))
    went_on = not all(job.done() for job in jobs)
    for job in jobs:
        job.cancel()
    note = (
        f"{1000 * float(np.median(alone)):.0f} ms before it; {len(visits)} visits of {len(VISIT)} requests; "
        f"the run {'went on' if went_on else 'ENDED BEFORE'}"
    )
    return [
        Figure("200 readers during a run: median visit", 1000 * float(np.median(visits)), 400, unit="ms", note=note),
        Figure("the same: 99th percentile", 1000 * float(np.quantile(visits, 0.99)), 2000, unit="ms"),
        Figure("the same: failed requests", faults, 0),
    ]


def growth(app: str, process: int, requests: int) -> Figure:
    """How much more memory is held after so many requests of all kinds."""

    async def visit(requests: int) -> None:
        async def client() -> None:
            connection = Connection(app)
            for number in range(requests // 16):
                await connection.get(VISIT[number % len(VISIT)] + f"?visit={number}")
            connection.close()

        await asyncio.gather(*(client() for _ in range(16)))

    asyncio.run(visit(1600))
    before = memory(process)
    asyncio.run(visit(requests))
    return Figure(f"memory gained over {requests:,} requests", memory(process) - before, 10, unit="MB")


def starts(rounds: int, settings: dict[str, str]) -> list[Figure]:
    """Start-up beside a bare app, in turn, and memory before any model."""
    ratios, held, seconds = [], [], []
    for _ in range(rounds):
        with serve("-c", BARE) as (_, process):
            bare = busy(process)
        with serve("app.py", **settings, QBENCH_MODELS="sharpness") as (_, process):  # which needs no PyTorch
            seconds.append(busy(process))
            held.append(memory(process))
        ratios.append(seconds[-1] / bare)
    return [
        Figure(
            "start to the first page, times a bare app's",
            float(np.median(ratios)),
            1.5,
            note=f"{np.median(seconds):.1f} s",
        ),
        Figure("memory before any model", float(np.median(held)), 450, unit="MB"),
    ]


def figures(seconds: float = 3, rounds: int = 3, requests: int = REQUESTS) -> list[Figure]:
    """All of them."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {name: f"{folder}/{name}" for name in ("QBENCH_SUBMISSIONS", "QBENCH_RUNS", "QBENCH_RESULTS")}
        found = starts(rounds, settings)
        with serve("-c", BARE) as bare, serve("app.py", **settings) as app:
            found.append(first_text(app[0], bare[0]))
            found += rates(app, bare, seconds, rounds)
            found.append(growth(*app, requests))
            found += readers(app[0], 5 * seconds)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(machine())
    print_table(figures(options.seconds, options.rounds))


if __name__ == "__main__":
    main()
