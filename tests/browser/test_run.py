"""Run: progress, choices and links; and a dataset by its button from a double of the Hub, a run on it that a kill cuts
off, and its result on the board."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from qbench.tasks import TASKS
from tests.browser.conftest import NewPage, free_port, start_app
from tests.browser.drawn import fits
from tests.browser.seen import busy
from tests.browser.slow_model import NAME, Gate, app_with_slow_model, choose
from tests.datasets.fetching import shard
from tests.hub_double import Hub, serve
from tests.models.openai.server import OpenAIServer

NAMES = {"niqe": "NIQE", "sharpness": "Sharpness"}
READY = "#run-start"
STATUS = "#run-status"


@pytest.fixture(scope="module")
def slow(folder: Path) -> Iterator[tuple[str, Gate]]:
    with app_with_slow_model(folder, QBENCH_AUTHOR="ada") as made:
        yield made


def start(page: Page, model: str, task: str, dataset: str) -> None:
    """Run the first twenty samples."""
    choose(page, "run-model", NAMES.get(model, model))
    expect(page.locator("#run-command")).to_contain_text(f"--model {model}")  # the tasks are then those it can do
    choose(page, "run-task", TASKS[task].title)
    expect(page.locator("#run-dataset input")).to_have_value(dataset)
    choose(page, "run-size", "The first 20")
    page.locator("#run-start").click()


def test_a_run_is_shown_found_again_and_put_on_the_board(slow: tuple[str, Gate], new_page: NewPage) -> None:
    page = new_page(slow[0] + "?tab=run", ready=READY)
    start(page, "scripted", "perception", "Demo questions")
    expect(page.locator(STATUS)).to_contain_text("Done: scripted on Demo questions")
    expect(page.locator("#run-results")).to_contain_text("Synthetic truth")
    expect(page.locator("#run-results")).to_contain_text("Right where the answer is Yes")
    expect(page.locator("#run-standing")).to_contain_text("There are no published results on the demo sets")
    expect(page.locator("#run-worst")).to_contain_text("It said")
    page.wait_for_function("[...document.querySelectorAll('#run-worst img')].some((one) => one.naturalWidth === 512)")
    with page.expect_download() as download:
        page.locator("#run-archive").click()
    assert download.value.suggested_filename.endswith(".zip")
    page.locator("#run-hand-in").click()
    expect(page.locator("#run-on-board")).to_contain_text("On the board")
    page.locator("#run-start").click()
    expect(page.locator(STATUS)).to_contain_text("Already done: scripted on Demo questions. Every answer was known")
    page.locator("#run-again").click()
    expect(page.locator(STATUS)).to_contain_text("Done: scripted on Demo questions")
    page.locator("#run-hand-in").click()
    expect(page.locator("#run-on-board")).not_to_have_text("")
    page.locator("#run-again").click()
    expect(page.locator("#run-on-board")).to_have_text("")


def test_progress_moves_and_stopping_keeps_the_answers(slow: tuple[str, Gate], new_page: NewPage) -> None:
    address, gate = slow
    page = new_page(address + "?tab=run", ready=READY)
    start(page, NAME, "perception", "Demo questions")
    gate.let(3)
    expect(page.locator(STATUS)).to_contain_text("3 of 20 answers")
    gate.let(2)
    expect(page.locator(STATUS)).to_contain_text("5 of 20 answers")
    expect(page.locator(STATUS)).to_contain_text("accuracy so far 95 % interval")
    page.locator("#run-stop").click()
    expect(page.locator(STATUS)).to_contain_text("Stopped: 5 of 20 answers")
    gate.let(100)
    page.locator("#run-go-on").click()
    expect(page.locator(STATUS)).to_contain_text("Done: tiny/vlm on Demo questions")
    wrong = new_page(address + "?tab=run&run=nothing", ready=READY)
    expect(wrong.locator(STATUS)).to_contain_text("this link names no run")


def test_five_levels_an_active_schedule_and_a_judge_are_chosen_and_the_command_is_shown(
    slow: tuple[str, Gate], new_page: NewPage
) -> None:
    """And of a model that scores pictures only the tasks that it can do are offered."""
    page = new_page(slow[0] + "?tab=run", ready=READY)
    page.get_by_role("button", name="More choices").click()
    command = page.locator("#run-command code")
    choose(page, "run-model", "scripted")
    expect(page.get_by_role("option")).to_have_count(0)  # the list of models has closed
    choose(page, "run-judge", "scripted")
    expect(command).to_contain_text("--model scripted --judge scripted")
    choose(page, "run-task", TASKS["description"].title)
    expect(command).to_contain_text("--task description --dataset demo-description --model scripted --judge scripted")
    choose(page, "run-task", TASKS["assessment"].title)
    choose(page, "run-mode", "The odds of five levels")
    expect(command).to_have_text(
        "python -m qbench run --task assessment --dataset demo-assessment --model scripted --mode levels"
    )
    choose(page, "run-task", TASKS["comparison"].title)
    choose(page, "run-schedule", "Active")
    page.locator("#run-rounds input").fill("2")
    expect(command).to_contain_text("--rounds 2 --schedule active")
    choose(page, "run-size", "The first 20")
    page.locator("#run-start").click()
    expect(page.locator("#run-results")).to_contain_text("schedule active")
    choose(page, "run-task", TASKS["perception"].title)
    choose(page, "run-model", "NIQE")
    expect(page.locator("#run-unable")).to_contain_text("NIQE scores pictures, and does nothing else")
    expect(page.locator("#run-task input")).to_have_value(TASKS["assessment"].title)
    expect(page.get_by_role("option")).to_have_count(0)  # the list of models has closed
    page.locator("#run-task input").click()
    offered = page.get_by_role("option").all_inner_texts()
    assert [name.strip(" ✓\n") for name in offered] == [
        TASKS[task].title for task in ("assessment", "comparison", "iqa-2afc", "attributes")
    ]


def test_figures_stand_beside_their_own_model_and_dataset_alone(slow: tuple[str, Gate], new_page: NewPage) -> None:
    page = new_page(slow[0] + "?tab=run", ready=READY)
    start(page, "scripted", "perception", "Demo questions")
    done = page.get_by_text(" scripted on Demo questions")
    figures = page.locator("#run-results table").first
    expect(done).to_be_visible()
    subject = f"“{TASKS['perception'].title}” on the first 20 samples of Demo questions, run with scripted."
    expect(page.locator(STATUS)).to_contain_text(f"Shown: {subject}")
    expect(figures).to_be_visible()
    expect(page.locator("#run-worst")).to_contain_text("It said")
    page.set_viewport_size({"width": 390, "height": 900})
    assert fits(page)
    page.set_viewport_size({"width": 1280, "height": 900})
    choices = (
        ("run-model", "Sharpness", "scripted"),
        ("run-size", "The first 50", "The first 20"),
        ("run-task", TASKS["assessment"].title, TASKS["perception"].title),
    )
    with busy(page):
        for field, other, own in choices:
            choose(page, field, other)
            for shown in (done, figures, page.locator("#run-worst img").first, page.locator("#run-archive")):
                expect(shown).to_be_hidden()
            expect(page.get_by_text(f"Your choice has changed, so these results are hidden: {subject}")).to_be_visible()
            choose(page, field, own)
            expect(figures).to_be_visible()


IMAGES = int(os.environ.get("QBENCH_TEST_IMAGES", "45"))
"""In three shards; `QBENCH_TEST_IMAGES=300` takes minutes."""
LET = 20
"""So many are answered before the kill."""


def test_a_slice_of_q_bench_gets_from_the_hub_to_the_board_though_the_app_is_killed(
    new_page: NewPage, tmp_path: Path
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
            expect(page.locator("#run-results")).to_contain_text("Accuracy")
            expect(page.locator("#run-size input")).to_have_value("All")
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
