"""The app as its callers see it: public endpoints, and nothing else."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError

from leaderboard.app import App
from leaderboard.http.request_json import FILE_ARGUMENTS
from leaderboard.live.service.uploads import EXAMPLES
from qbench.assets import assets_folder

REQUIRED = {
    "/leaderboard": [],
    "/compare": ["board", "models"],
    "/bias": [],
    "/probe": ["photo"],
    "/pair": ["first", "second"],
    "/tournament": ["pictures"],
    "/run": ["model", "task", "dataset"],
    "/check": ["file"],
    "/submit": ["file", "model"],
    "/receipt": ["submission"],
}
"""Public endpoint -> the parameters that have to be given; every other has a default."""


@pytest.fixture(scope="module")
def client(served: str) -> Client:
    return Client(served, verbose=False)


def test_these_endpoints_are_public_and_no_others(client: Client, served_app: App) -> None:
    listed = client.view_api(return_format="dict", print_info=False)
    assert listed["unnamed_endpoints"] == {}
    required = {
        endpoint: [given["parameter_name"] for given in told["parameters"] if not given["parameter_has_default"]]
        for endpoint, told in listed["named_endpoints"].items()
    }
    assert required == REQUIRED
    parameters = [given for told in listed["named_endpoints"].values() for given in told["parameters"]]
    usual = {given["parameter_name"]: given.get("parameter_default") for given in parameters}
    assert (usual["samples"], usual["judge"], usual["others"]) == (0, "", ["sharpness", "niqe"])
    assert (usual["part"], usual["relation"], usual["rounds"]) == ("all", "reproduction", 12)
    names = {given["parameter_name"] for given in parameters}
    assert not [name for name in names if re.fullmatch(r"[a-z]+_\d+", name)]  # as Gradio calls those without a name
    files = {given["parameter_name"] for given in parameters if given["component"] in ("File", "Image")}
    assert files == set(FILE_ARGUMENTS)  # which may be no address that Gradio would fetch
    public = [known for known in served_app.demo.fns.values() if known.api_visibility == "public"]
    assert [f"/{known.fn.__name__}" for known in public if known.fn] == list(REQUIRED)  # so MCP calls tools


def test_the_scripts_of_the_documents_run_as_written(served: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(assets_folder().parent)
    found: dict[str, Any] = {}
    for name in ("visitor.md", "authors.md"):
        [script] = re.findall(r"```python\n(.*?)```", Path("docs", name).read_text(encoding="utf-8"), re.DOTALL)
        exec(script.replace("http://127.0.0.1:7860", served.rstrip("/")), found)
    assert found["probe"]["model"] == "sharpness"
    assert found["rows"][0]["rank"] == 1
    assert found["found"]["results"][0]["metrics"]["srcc"]["value"] == pytest.approx(0.9720, abs=1e-4)  # of 12 photos
    assert found["state"] == "waiting"


PHOTOS = [handle_file(str(path)) for path in EXAMPLES[:3]]


@pytest.mark.parametrize(
    ("endpoint", "asked", "told"),
    [
        ("/bias", (), "yes_no"),
        ("/pair", (*PHOTOS[:2], "sharpness", []), "prefers"),
        ("/tournament", (PHOTOS, "sharpness"), "ranking"),
        ("/run", ("sharpness", "assessment", "demo-assessment", 4), "results"),
    ],
)
def test_every_other_endpoint_answers(client: Client, endpoint: str, asked: tuple[Any, ...], told: str) -> None:
    assert client.predict(*asked, api_name=endpoint)[told]


def test_a_board_can_be_asked_for(client: Client) -> None:
    said = client.predict(board="assessment", metric="srcc", part="spaq", api_name="/leaderboard")
    assert [column["key"] for column in said["columns"]] == ["spaq/srcc"]
    assert (said["rows"][0]["name"], said["rows"][0]["figures"]["spaq/srcc"]["value"]) == (
        "Q-Instruct (InternLM-XComposer-VL)",
        0.909,
    )
    assert said["rows"][0]["rank"] == 1
    for wrong in ({"board": "nope"}, {"metric": "nope"}, {"part": "nope"}):
        with pytest.raises(AppError, match=r"'nope' is no .*; choose one of "):
            client.predict(**wrong, api_name="/leaderboard")


def test_models_can_be_compared_by_any_name_they_go_by(client: Client) -> None:
    said = client.predict("perception-test", ["GPT-4V", "Qwen-VL (QwenLM)"], api_name="/compare")
    assert [model["id"] for model in said["models"]] == ["gpt-4v", "qwen-vl"]
    assert said["differences"][0]["leader"] == "gpt-4v"
    with pytest.raises(AppError, match="no model goes by the name 'nobody'"):
        client.predict("perception-test", ["nobody"], api_name="/compare")
    assert client.predict("perception-test", None, api_name="/compare")["models"] == []


def test_a_receipt_says_what_became_of_a_submission_and_whether_a_code_is_its_own(client: Client) -> None:
    own, file = "5a" * 16, handle_file(assets_folder() / "examples" / "result.json")
    for duplicate in (False, True):  # the second is as after a lost answer
        handed = client.predict(file, model="Receipt model", own_code=own, api_name="/submit")
        assert (handed["code"], handed["duplicate"]) == (own, duplicate)
    told = client.predict(handed["receipt"], api_name="/receipt")
    assert (told["submission"], told["state"], told["own"]) == (handed["submission"], "waiting", False)
    assert client.predict(handed["submission"], code=own, api_name="/receipt")["own"] is True
    for wrong in ({"submission": "0" * 64}, {"submission": handed["submission"], "code": "6b" * 16}):
        with pytest.raises(AppError, match=r"no submission|not the code"):
            client.predict(**wrong, api_name="/receipt")


def test_no_number_of_scripts_is_rounded(client: Client) -> None:
    with pytest.raises(AppError, match="samples is a whole number"):
        client.predict("sharpness", "assessment", "demo-assessment", samples=2.7, api_name="/run")
    with pytest.raises(AppError, match="rounds is a whole number"):
        client.predict(PHOTOS, rounds=2.7, api_name="/tournament")


def test_a_run_is_asked_for_with_its_judge(client: Client) -> None:
    with pytest.raises(AppError, match="judge"):
        client.predict("sharpness", "assessment", "demo-assessment", judge="sharpness", api_name="/run")


@pytest.mark.parametrize("names", ["GPT-4V", 3, [None]])
def test_what_is_no_list_of_names_is_refused(client: Client, names: object) -> None:
    with pytest.raises(AppError, match="models is a list of names"):
        client.predict("perception-test", names, api_name="/compare")
    with pytest.raises(AppError, match=r"others is a list of names|not in the list of choices"):
        client.predict(*PHOTOS[:2], "sharpness", names, api_name="/pair")


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
