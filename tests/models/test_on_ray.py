"""A model in actors of a Ray cluster answers as it does here, also when a machine with actors on it dies meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from qbench.commands.evaluate import evaluate
from qbench.datasets import open_dataset
from qbench.errors import UserError
from qbench.models import ModelOptions, RayOptions, open_model
from qbench.models.on_ray import ModelOnRay
from qbench.models.own import open_any
from qbench.tasks import RunOptions
from tests.models.openai.vllm_program import assert_gone, noted, program

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'qbench[cluster]'")
pytestmark = pytest.mark.slow(reason="a cluster of two nodes starts, and loses one")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a program `vllm`."""
    folder = tmp_path_factory.mktemp("vllm")
    program(folder)
    return folder


@pytest.fixture(scope="module")
def cluster(place: Path) -> Iterator[Any]:
    from ray.cluster_utils import Cluster

    patient = {"health_check_timeout_ms": 120_000}  # a busy machine is not a dead node, which refuses at once
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "num_gpus": 0, "_system_config": patient})
    root = str(Path(__file__).resolve().parents[2])
    there = {"PYTHONPATH": root, "PATH": f"{place}:{os.environ['PATH']}", "NOTES": str(place / "notes")}
    knows = {"worker_process_setup_hook": "tests.scripted.add_scripted", "env_vars": there}
    ray.init(address=made.address, log_to_driver=False, configure_logging=False, runtime_env=knows)
    yield made
    ray.shutdown()
    made.shutdown()


def open_in(actors: int, model: str = "scripted:noise=0.3") -> Any:
    return open_model(model, ModelOptions(ray=RayOptions("auto", actors, 0)))


def test_each_actor_starts_a_vllm_of_its_own(cluster: Any, place: Path, tmp_path: Path) -> None:
    (tmp_path / "tiny").mkdir()
    model = open_any(f"vllm/{tmp_path / 'tiny'}", ModelOptions(ray=RayOptions("auto", 2, 0), workers=3))
    assert model.workers == 6
    [record] = evaluate("assessment", open_dataset("demo-assessment", limit=8), model, tmp_path / "out")
    assert (record.status["asked"], record.status["failed"]) == (8, 0)
    assert record.protocol["model"]["served"].startswith("vllm serve")
    places = [model._free.get() for _ in range(model.workers)]
    actors = {actor._actor_id: actor for actor in places}
    assert len(actors) == 2
    assert all(ray.get(actor.properties.remote()).name == "tiny" for actor in places)
    assert len({note["port"] for note in noted(place / "notes")}) == 2
    for actor in actors.values():
        ray.kill(actor)
    assert_gone(place / "notes")


def test_a_node_that_dies_loses_and_doubles_nothing(cluster: Any, tmp_path: Path) -> None:
    dataset, options = open_dataset("demo-comparison", limit=24), RunOptions(rounds=4)
    here = evaluate("comparison", dataset, open_model("scripted:noise=0.3"), tmp_path / "here", options=options)
    node = cluster.add_node(num_cpus=2, num_gpus=0)
    model = open_in(4)
    died: list[bool] = []

    def kill(progress: Any, _metric: Any) -> None:
        if progress.done and not died:
            cluster.remove_node(node, allow_graceful=False)
            died.append(True)

    there = evaluate("comparison", dataset, model, tmp_path / "there", options=options, watch=kill)
    assert died == [True]
    assert [result.metrics["consistency"] for result in there] == [result.metrics["consistency"] for result in here]
    assert answers(tmp_path / "there") == answers(tmp_path / "here")  # all else is computed from them


def test_an_actor_that_dies_before_it_is_ready_is_replaced(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ask, killed = ModelOnRay._ask_properties, []

    def ask_and_kill_the_first(model: ModelOnRay, actor: Any) -> Any:
        asked = ask(model, actor)
        if not killed:
            ray.kill(actor, no_restart=False)
            killed.append(actor)
        return asked

    monkeypatch.setattr(ModelOnRay, "_ask_properties", ask_and_kill_the_first)
    assert open_in(1).identity == open_model("scripted:noise=0.3").identity
    assert len(killed) == 1


def answers(folder: Path) -> list[str]:
    """The lines of a run's log, in the order of their keys: each answer once."""
    return sorted((folder / "responses.jsonl").read_text().splitlines())


def test_what_cannot_be_is_said_in_one_sentence(cluster: Any) -> None:
    with pytest.raises(UserError, match="do not fit the cluster, which has 0 GPUs"):
        open_model("scripted", ModelOptions(ray=RayOptions("auto", 2, 1)))
    with pytest.raises(UserError, match="no model is called 'nobody'"):
        open_in(1, "nobody")
    with pytest.raises(UserError, match="leave out --ray"):
        open_model("m", ModelOptions(endpoints=("http://h",), ray=RayOptions()))
