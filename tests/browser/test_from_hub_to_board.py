"""A dataset by its button from a double of the Hub, a run on it that a kill cuts off, and its result on the board."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from qbench.tasks import TASKS
from tests.browser.conftest import ROOT, free_port, start_app
from tests.browser.slow_model import choose
from tests.datasets.made_shards import shard
from tests.hub_double import Hub, serve

IMAGES = int(os.environ.get("QBENCH_TEST_IMAGES", "45"))
"""In three shards; `QBENCH_TEST_IMAGES=300` takes minutes."""
BATCH = 8
"""Prompts that nano-vlm is asked together, at most: so many may be lost by a kill."""
STATUS = "#run-status"


def test_a_slice_of_q_bench_gets_from_the_hub_to_the_board_though_the_app_is_killed(
    new_page: Callable[..., Page], tmp_path: Path
) -> None:
    hub = Hub(repo="q-future/Q-Bench-HF", large=1000)
    hub.write("main", {f"data/dev-0000{n}-of-00003.parquet": shard(IMAGES // 3 * n, IMAGES // 3) for n in range(3)})
    notes, port = tmp_path / "asked", free_port()
    program = [str(ROOT / "tests" / "browser" / "counted_app.py"), str(notes)]

    def start(address: str) -> tuple[Any, str]:
        return start_app(
            tmp_path / "results",
            tmp_path / "log",
            port,
            program,
            HF_ENDPOINT=address,
            QBENCH_DATA=str(tmp_path / "data"),
            QBENCH_RUNS=str(tmp_path / "runs"),
            QBENCH_MODELS="nano-vlm",
            QBENCH_AUTHOR="ada",
            PYTHONPATH=str(ROOT),
        )

    with serve(hub) as address:
        process, app = start(address)
        try:
            link = get_and_run(new_page(app + "?tab=run", ready="#run-start"))
            watched = new_page(link, ready="#run-start")
            expect(watched.locator(STATUS)).to_contain_text(re.compile(rf"\b[12]\d of {IMAGES} answers"))
            watched.close()
            process.kill()
            process.wait()
            asked, kept = noted(notes), answers(tmp_path / "runs")
            assert 10 <= len(kept) < IMAGES
            assert kept <= set(asked)
            assert len(asked) - len(kept) <= BATCH

            process, _ = start(address)
            page = new_page(link, ready="#run-start")
            expect(page.locator(STATUS)).to_contain_text("Interrupted: nano-vlm on LLVisionQA")
            page.locator("#run-go-on").click()
            expect(page.locator(STATUS)).to_contain_text("Done: nano-vlm on LLVisionQA")
            after = noted(notes)[len(asked) :]
            assert kept.isdisjoint(after)  # nothing asked twice
            assert len(after) == len(set(after)) == IMAGES - len(kept)
            assert answers(tmp_path / "runs") == kept | set(after)  # nothing lost

            page.locator("#run-hand-in").click()
            expect(page.locator("#run-on-board")).to_contain_text("On the board")
            page.goto(app + "?tab=leaderboard")
            expect(page.locator(".qb-unranked")).to_contain_text("nano-vlm")
            page.goto("about:blank")
        finally:
            process.kill()
            process.wait()


def get_and_run(page: Page) -> str:
    """Get the dataset by its button, begin a run on all of it and close the page; returns the run's link."""
    page.get_by_role("button", name="Datasets that are not here").click()
    choose(page, "get-name", "LLVisionQA (dev)")
    expect(page.locator("#get-start")).to_have_text("Get it: 1.08 GB")
    expect(page.locator("#get-about")).to_contain_text("Licence: CC BY-NC-SA 4.0")
    page.locator("#get-start").click()
    expect(page.locator("#get-status")).to_contain_text(f"here in part: {IMAGES} of 1,495 questions")
    page.reload()
    choose(page, "run-task", TASKS["perception"].title)
    choose(page, "run-dataset", "LLVisionQA (dev)")
    choose(page, "run-size", "All")
    expect(page.locator("#run-command")).to_contain_text("--dataset llvisionqa-dev --model nano-vlm")
    page.locator("#run-start").click()
    expect(page.locator(STATUS)).to_contain_text("This run continues when you close the page")
    link = page.url
    page.close()
    return link


def noted(notes: Path) -> list[str]:
    """Keys of what the model was asked, in that order."""
    return notes.read_text(encoding="utf-8").split()


def answers(runs: Path) -> set[str]:
    """Keys of the answers that the run has kept whole."""
    [path] = runs.glob("kept/*/responses.jsonl")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return {json.loads(line)["key"] for line in lines if line.endswith("\n")}
