"""What the app does without weights works while its other thread is importing PyTorch.

A module that is being imported can be found by others and holds next to nothing yet. `scipy.stats` fails on such a one
when it is itself imported, which the first check after a start once met.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from qbench.assets import assets_folder

PROGRAM = """
import importlib.util, sys
from pathlib import Path

half = importlib.util.module_from_spec(importlib.util.find_spec("torch"))  # nothing of it has run
sys.modules["torch"] = half

from gradio_client import Client, handle_file
from leaderboard.app import launch_options, make_app
from leaderboard.live.service.uploads import EXAMPLES
from leaderboard.settings import read_settings
from qbench.assets import assets_folder

app = make_app(read_settings({"QBENCH_MODELS": "niqe", "QBENCH_RUNS": "runs"}, Path.cwd(), assets_folder()))
app.demo.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", **launch_options(app))
examples = assets_folder() / "examples"
client, photos = Client(app.demo.local_url, verbose=False), [handle_file(str(path)) for path in EXAMPLES[:2]]
assert client.predict("perception-test", ["GPT-4V", "Qwen-VL"], api_name="/compare")
assert client.predict(photos[0], "niqe", api_name="/probe")
assert client.predict(*photos, "niqe", api_name="/pair")
assert client.predict("niqe", "assessment", "demo-assessment", api_name="/run")
for name in ("scores.koniq.csv", "comparisons.jsonl", "run.zip"):
    assert client.predict(handle_file(str(examples / name)), api_name="/check")["accepted"], name
assert sys.modules["torch"] is half and not hasattr(half, "Tensor")
print("all were answered", flush=True)
"""


@pytest.mark.slow(reason="an app is started in a process of its own, and asked from each page")
def test_pages_and_endpoints_answer_while_pytorch_is_half_imported(tmp_path: Path) -> None:
    root = assets_folder().parent
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
    )
    assert "all were answered" in done.stdout.splitlines(), done.stdout + done.stderr
