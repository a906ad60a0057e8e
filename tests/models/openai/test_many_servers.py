"""Eight servers at once: each answer once under faults, prompts about one image at one server, nobody idle."""

from __future__ import annotations

import json
import random
from collections.abc import Generator, Sequence
from contextlib import ExitStack
from pathlib import Path

from qbench.cache import Cache
from qbench.records import Prompt, Response
from qbench.runner import Runner
from qbench.tasks import Ask
from tests.models.openai.clients import model_at
from tests.models.openai.server import OpenAIServer

FAULTS = ("503", "429", "dropped", "cut", "html")


def echo(question: str) -> str:
    return f"answer to {question}"


def one_step(asks: Sequence[Ask]) -> Generator[Sequence[Ask], Sequence[Response], Sequence[Response]]:
    return (yield asks)


def test_each_answer_comes_once_and_is_its_own_under_faults(tmp_path: Path) -> None:
    rng = random.Random(0)
    asks = [Ask(str(number), Prompt("text", (f"Question {number}",))) for number in range(300)]
    with ExitStack() as running:
        servers = [running.enter_context(OpenAIServer(says=echo)) for _ in range(8)]
        model = model_at(*servers)
        assert model.capabilities
        assert len(model._models) == 8
        for server in servers:  # so few that no prompt meets one at each of its six tries, whoever is asked first
            server.faults = [rng.choice(FAULTS) if rng.random() < 0.3 else "" for _ in range(20)]
        given: list[str] = []
        runner = Runner(
            model,
            Cache(tmp_path / "responses.jsonl"),
            watch=lambda _, answers: given.extend(ask.sample for ask, _ in answers),
            wait=lambda _: None,
        )
        responses = runner.run(one_step(asks))
    assert [response.text for response in responses] == [f"answer to Question {number}" for number in range(300)]
    assert sorted(given, key=int) == [ask.sample for ask in asks]
    kept = [json.loads(line)["key"] for line in (tmp_path / "responses.jsonl").read_text().splitlines()]
    assert len(kept) == len(set(kept)) == 300
