"""How fast is a long board? Payload size, first rows, sort and filter for 5,000 models x 25 columns, in Chromium.

Run from the repository root: `python -m bench.table [MODELS]`. "Busy" is the page's own processor time, which
other programs on the machine do not lengthen.
"""

from __future__ import annotations

import gzip
import http.server
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import gradio as gr
import numpy as np
from playwright.sync_api import Browser, Page

from leaderboard.app import page_routes
from leaderboard.export.site import export_site
from leaderboard.pages import boards
from leaderboard.pages.shell import make_head
from leaderboard.settings import read_settings
from leaderboard.snapshot import Snapshot, SnapshotWatch
from leaderboard.store import Loaded, records_of
from leaderboard.tables.columns import Address, Board, Column, Metric, MetricView, Part
from qbench.models.catalogue import ModelFacts
from qbench.records import Estimate, Result, Source
from tests.browser.chromium import open_browser

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = 25
REPEATS = 20
SRCC = Metric("srcc", "SRCC", "Rank correlation with human scores.")


def main(models: int = 5000) -> None:
    board = make_board()
    results = make_results(models, np.random.default_rng(0))
    snapshot = Snapshot(Loaded(records_of(results), (), "bench"), (board,), make_model)
    start = time.perf_counter()
    payload = snapshot.payload("long").encode()
    print(f"{models:,} models x {COLUMNS} columns, intervals everywhere, a tenth of the figures missing")
    print(f"table and payload made in {time.perf_counter() - start:.2f} s")
    print(f"payload {len(payload) / 1e6:.2f} MB, gzip {len(gzip.compress(payload)) / 1e6:.2f} MB")
    with tempfile.TemporaryDirectory() as folder:
        export_site(snapshot, ROOT / "assets", Path(folder))
        with serve_site(folder) as site, serve_app(snapshot) as app, open_browser() as browser:
            for label, address in (("static site", f"{site}?tab=leaderboard"), ("Gradio app", app)):
                print(f"{label}:")
                measure(browser, address)


def make_board() -> Board:
    """A board of made-up datasets."""
    return Board(
        key="long",
        title="Long board",
        sentence="Made up to measure speed.",
        columns=tuple(
            Column(f"set-{i}", f"Set {i}", (f"set-{i}",), SRCC, Address("assessment", f"set-{i}", None, "srcc"))
            for i in range(COLUMNS)
        ),
        parts=tuple(Part(f"set-{i}", f"Set {i}") for i in range(COLUMNS)),
        views=(MetricView("srcc", "SRCC", ("srcc",)),),
        method="Assessment (A3)",
        primary="set-0",
    )


def make_results(models: int, rng: np.random.Generator) -> tuple[Result, ...]:
    """One record per model and dataset, each submission from a file of its own."""
    values = rng.uniform(-0.2, 0.95, (models, COLUMNS))
    half = rng.uniform(0.005, 0.03, (models, COLUMNS))
    present = rng.random((models, COLUMNS)) > 0.1
    return tuple(
        Result(
            task="assessment",
            dataset=f"set-{j}",
            model=f"organisation-{i % 97}/model-{i}",
            metrics={
                "srcc": Estimate(
                    float(values[i, j]), float(values[i, j] - half[i, j]), float(values[i, j] + half[i, j])
                )
                if present[i, j]
                else Estimate(None, note="the submission leaves this dataset out")
            },
            source=Source("rescored", f"submission-{i}.json", by=f"user-{i % 997}", at="2026-01-01"),
        )
        for i in range(models)
        for j in range(COLUMNS)
    )


def make_model(name: str) -> ModelFacts:
    number = int(name.rsplit("-", 1)[1])
    return ModelFacts(
        id=name,
        name=f"model-{number}",
        kind="model",
        organisation=f"organisation-{number % 97}",
        parameters=float(1 + number % 72),
        released=f"20{20 + number % 6}-{1 + number % 12:02d}",
        open=number % 3 > 0,
    )


@contextmanager
def serve_site(folder: str) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


class Unchanging(SnapshotWatch):
    """Watches nothing."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def __call__(self) -> Snapshot:
        return self._snapshot


@contextmanager
def serve_app(snapshot: Snapshot) -> Iterator[str]:
    settings = read_settings({}, ROOT)
    with gr.Blocks(analytics_enabled=False) as demo:
        boards.build_leaderboard(lambda: snapshot)
    _, address, _ = demo.launch(
        prevent_thread_lock=True,
        quiet=True,
        head=make_head(),
        app_kwargs={"routes": page_routes(settings, Unchanging(snapshot))},
    )
    yield address
    demo.close()


def measure(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(address, wait_until="commit")
    page.wait_for_selector("tbody tr[data-id]")
    print(f"  first rows {page.evaluate('performance.now()') / 1000:.2f} s after navigation began")
    report(page, "sort, click to layout", SORT, [f'th[data-key="set-{i % COLUMNS}"] button' for i in range(REPEATS)])
    report(page, "filter, keystroke to layout", FILTER, [f"model-{i}" if i % 2 else str(i) for i in range(REPEATS)])
    page.close()


def report(page: Page, label: str, act: str, steps: list[str]) -> None:
    """Time one action on each step, by the clock and by the page's processor time."""
    protocol = page.context.new_cdp_session(page)
    protocol.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy() -> float:
        metrics = {metric["name"]: metric["value"] for metric in protocol.send("Performance.getMetrics")["metrics"]}
        return float(metrics["ScriptDuration"] + metrics["LayoutDuration"] + metrics["RecalcStyleDuration"])

    page.evaluate(act, steps[:3])  # once unmeasured, to compile
    before = busy()
    times = page.evaluate(act, steps)
    spent = 1000 * (busy() - before) / len(steps)
    print(f"  {label}: median {np.median(times):.0f} ms, worst {max(times):.0f} ms; busy {spent:.0f} ms on average")


TIMED = """(steps) => steps.map((step) => {
  const start = performance.now();
  ACT;
  document.querySelector(".qb-frame").getBoundingClientRect();
  return performance.now() - start;
})"""
SORT = TIMED.replace("ACT", "document.querySelector(step).click()")
FILTER = TIMED.replace(
    "ACT",
    """const search = document.querySelector(".qb-search");
  search.value = step;
  search.dispatchEvent(new Event("input"))""",
)


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Keep the figures alone on the screen."""


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:2]))
