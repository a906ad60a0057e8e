"""A dataset by its button from a double of the Hub, a run on it that a kill cuts off, and its result on the board."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from qbench.tasks import TASKS
from tests.browser.conftest import free_port, start_app
from tests.browser.slow_model import NAME, Gate, choose
from tests.datasets.fetching import shard
from tests.hub_double import Hub, serve
from tests.models.openai.server import OpenAIServer

IMAGES = int(os.environ.get("QBENCH_TEST_IMAGES", "45"))
"""In three shards; `QBENCH_TEST_IMAGES=300` takes minutes."""
LET = 20
"""So many are answered before the kill."""
STATUS = "#run-status"


def test_a_slice_of_q_bench_gets_from_the_hub_to_the_board_though_the_app_is_killed(
    new_page: Callable[..., Page], tmp_path: Path
) -> None:
    hub, gate, port = Hub(repo="q-future/Q-Bench-HF", large=1000), Gate(), free_port()
    hub.write("main", {f"data/dev-0000{n}-of-00003.parquet": shard(IMAGES // 3 * n, IMAGES // 3) for n in range(3)})

    with serve(hub) as address, OpenAIServer(says=gate.says) as model:
        settings = {
            "HF_ENDPOINT": address,
            "QBENCH_DATA": str(tmp_path / "data"),
            "QBENCH_RUNS": str(tmp_path / "runs"),
            "QBENCH_ENDPOINT": model.url,
            "QBENCH_ENDPOINT_MODEL": NAME,
            "QBENCH_AUTHOR": "ada",
        }
        process, app = start_app(tmp_path / "results", tmp_path / "log", port, **settings)
        try:
            gate.let(LET)
            link = get_and_run(new_page(app + "?tab=run", ready="#run-start"))
            watched = new_page(link, ready="#run-start")
            expect(watched.locator(STATUS)).to_contain_text(f"{LET} of {IMAGES} answers")
            watched.close()
            process.kill()
            process.wait()
            asked, kept = pictures(model), answers(tmp_path / "runs")
            assert len(kept) == LET <= len(asked) < IMAGES

            gate.let(10 * IMAGES)
            process, _ = start_app(tmp_path / "results", tmp_path / "log", port, **settings)
            page = new_page(link, ready="#run-start")
            expect(page.locator(STATUS)).to_contain_text(f"Interrupted: {NAME} on LLVisionQA")
            page.locator("#run-go-on").click()
            expect(page.locator(STATUS)).to_contain_text(f"Done: {NAME} on LLVisionQA")
            # As many questions as have no answer were asked, and all have one in the end: none was asked in vain.
            after = pictures(model)[len(asked) :]
            assert len(after) == len(set(after)) == IMAGES - LET
            assert set(asked) | set(after) == set(range(IMAGES))
            assert kept < answers(tmp_path / "runs")
            assert len(answers(tmp_path / "runs")) == IMAGES

            page.locator("#run-hand-in").click()
            expect(page.locator("#run-on-board")).to_contain_text("On the board")
            page.goto(app + "?tab=leaderboard")
            expect(page.locator(".qb-unranked")).to_contain_text(NAME)
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
    choose(page, "run-model", NAME)
    expect(page.locator("#run-command")).to_contain_text(f"--model {NAME}")  # the tasks are then those it can do
    choose(page, "run-task", TASKS["perception"].title)
    choose(page, "run-dataset", "LLVisionQA (dev)")
    choose(page, "run-size", "All")
    expect(page.locator("#run-command")).to_contain_text("--dataset llvisionqa-dev")
    page.locator("#run-start").click()
    expect(page.locator(STATUS)).to_contain_text("This run continues when you close the page")
    link = page.url
    page.close()
    return link


def pictures(model: OpenAIServer) -> list[int]:
    """Numbers of the pictures that the model was asked about, in that order."""
    colours = [request.images[0][1].getpixel((0, 0)) for request in model.chats if "A. " in json.dumps(request.payload)]
    return [red + 256 * green for red, green, _ in colours]


def answers(runs: Path) -> set[str]:
    """Keys of the answers that the run has kept whole."""
    [path] = runs.glob("kept/*/responses.jsonl")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return {json.loads(line)["key"] for line in lines if line.endswith("\n")}
