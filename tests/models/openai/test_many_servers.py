"""Eight servers at once: each answer once under faults, prompts about one image at one server, nobody idle."""

from __future__ import annotations

import json
import random
from collections.abc import Generator, Sequence
from contextlib import ExitStack
from pathlib import Path

from qbench.cache import Cache
from qbench.models.openai.endpoint import Endpoint
from qbench.models.openai.server import Server
from qbench.records import Picture, Prompt, Response
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


def test_prompts_about_one_image_go_to_one_server_while_it_has_no_more_than_its_share() -> None:
    model = Endpoint("tiny/vlm", [Server(f"http://127.0.0.1:{port}/v1") for port in (1, 2, 3, 4)])
    first = Picture("first.png", "1" * 64)
    others = [Picture(f"{number}.png", f"{number}" * 64) for number in range(2, 8)]
    prompts = [Prompt("text", (first, "and", other)) for other in others]
    asked = {model._in_order_to_try(prompt)[0].url for prompt in prompts}
    assert len(asked) == 1
    with ExitStack() as busy:
        counts: dict[str, int] = {}
        for number in range(8):
            server = model._in_order_to_try(prompts[number % 6])[0]
            busy.enter_context(model._counted(server))
            counts[server.url] = counts.get(server.url, 0) + 1
    # Eight prompts about one image: its own takes the 1st, 4th and 8th, while it has less than 1.1 quarters.
    assert sorted(counts.values()) == [1, 2, 2, 3]
