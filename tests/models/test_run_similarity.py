"""UniSim-Bench's tasks from the command line, with a real encoder on disk, and over real HTTP."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from qbench.__main__ import main
from qbench.records import Picture, Result
from qbench.tasks.similarity.choices import ATTRIBUTES
from tests.models.openai.server import VLLM, OpenAIServer

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def run(tmp_path: Path, pictures: list[Picture], capsys: pytest.CaptureFixture[str]) -> Run:
    """The one record of a run on six images of different sizes, whose every prompt is answered."""
    for picture in pictures:
        shutil.copy(picture.path, tmp_path)
    images = [f"{number}.png" for number in range(len(pictures))]
    pairs = [{"images": images[place : place + 2], "label": place % 2} for place in range(5)]
    rows: dict[str, list[dict[str, Any]]] = {
        "img-2afc": [{**pair, "reference": "5.png"} for pair in pairs[:4]],
        "it-2afc": [*({**pair, "texts": ["noise"]} for pair in pairs), {"images": images, "texts": ["x"], "label": 0}],
        "attributes": [{**pair, "attribute": name} for name in ATTRIBUTES for pair in pairs],
        "odd-one-out": [{"images": images[place : place + 3], "label": place % 3} for place in range(4)],
        "retrieval": [{"query": "0.png", "easy": ["1.png"], "hard": ["2.png"], "junk": ["0.png"]}]
        + [{"img_path": image} for image in images],
    }

    def run(task: str, model: object, *more: object) -> dict[str, Any]:
        (tmp_path / f"{task}.json").write_text(json.dumps(rows[task]))
        told = ["--task", task, "--dataset", tmp_path / f"{task}.json", "--model", model, *more]
        assert main(["run", *map(str, told), "--out", str(tmp_path / "out"), "--json"]) == 0
        [record] = json.loads(capsys.readouterr().out)
        assert Result.from_json(record).task == task
        assert record["status"]["asked"] > 0 == record["status"]["failed"]
        return record

    return run


@pytest.mark.parametrize("task", ["img-2afc", "it-2afc", "attributes", "odd-one-out", "retrieval"])
def test_encoders_do_every_task(task: str, run: Run, folder_of: Callable[[str], Path]) -> None:
    record = run(task, folder_of("clip"))
    assert record["unscored"] == {}
    main_one = "retrieval_map" if task == "retrieval" else "accuracy"
    assert 0 <= record["metrics"][main_one]["value"] <= 1
    assert record["protocol"]["answer"] == "embeddings"
    assert "vectors" not in record["protocol"]
    assert set(record["groups"].get("approach", {})) == ({"naive", "clip-iqa"} if task == "attributes" else set())
    texts = {"it-2afc": 2, "attributes": 12}.get(task, 0)
    assert record["status"]["asked"] == 6 + texts  # every image and text once, whatever they are compared with


def test_a_server_is_asked_in_both_orders(run: Run) -> None:
    with OpenAIServer(VLLM, says=lambda _question: "(B) Image 2") as server:
        record = run("it-2afc", server.model, "--endpoint", server.url)
    got = {name: record["metrics"][name]["value"] for name in ("accuracy", "second_rate", "consistency")}
    assert got == {"accuracy": pytest.approx(2 / 6), "second_rate": 1.0, "consistency": 0.0}
    assert record["groups"]["alternatives"]["6"]["accuracy_balanced"]["value"] == pytest.approx(1 / 6)
