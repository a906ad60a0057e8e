"""An owner gets a dataset from the page, by the real client from a double of the Hub, then runs a model on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gradio_client import Client
from playwright.sync_api import Page, expect

from tests.browser.conftest import run_app
from tests.browser.slow_model import choose
from tests.datasets.made_shards import shard
from tests.hub_double import Hub, serve

PATIENCE = 60_000


def test_a_dataset_is_got_by_its_button_and_run(new_page: Callable[..., Page], tmp_path: Path) -> None:
    hub = Hub(repo="q-future/Q-Bench-HF", large=1000)
    hub.write("main", {f"data/dev-0000{n}-of-00003.parquet": shard(100 * n, 100) for n in range(3)})
    settings = {
        "QBENCH_DATA": str(tmp_path / "data"),
        "QBENCH_RUNS": str(tmp_path / "runs"),
        "QBENCH_MODELS": "scripted",
    }
    with serve(hub) as address, run_app(tmp_path / "r", tmp_path / "log", HF_ENDPOINT=address, **settings) as app:
        page = new_page(app + "?tab=run", ready="#run-start")
        page.get_by_role("button", name="Get datasets").click()
        choose(page, "get-name", "LLVisionQA (dev)")
        expect(page.locator("#get-start")).to_have_text("Get it: 1.08 GB")
        expect(page.locator("#get-about")).to_contain_text("Licence: CC BY-NC-SA 4.0")
        page.locator("#get-start").click()
        expect(page.locator("#get-status")).to_contain_text("here in part: 300 of 1,495 questions", timeout=PATIENCE)
        asked = ("scripted", "perception", "llvisionqa-dev", 0)
        said = Client(app, verbose=False).predict(*asked, api_name="/run")
        [result] = said["results"]
        assert (result["dataset"], result["protocol"]["limit"]) == ("llvisionqa-dev", 300)
        page.goto("about:blank")
