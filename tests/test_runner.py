"""The runner: nothing asked twice, nothing lost, failures kept apart, memory and providers handled."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from qbench.cache import Cache, response_key
from qbench.errors import DataError, ProviderError, UserError
from qbench.models import Model
from qbench.models.retrying import RETRIES
from qbench.records import Picture, Prompt, Response
from qbench.runner import Cancelled, Runner
from qbench.tasks import Ask, Outcome

ROOT = Path(__file__).resolve().parents[1]


class Recorder(Model):
    """Answers as told, else with the prompt's text turned round, and remembers every prompt that it answered."""

    name, wants, identity = "recorder", frozenset({"text"}), {"id": "recorder"}

    def __init__(self, batch_size: int = 4, **told: Response | BaseException) -> None:
        self.batch_size, self.told = batch_size, told
        self.asked: Counter[str] = Counter()
        self.sizes: list[int] = []

    def respond(self, prompts):
        texts = [prompt.parts[0] for prompt in prompts]
        answers = [self.told.get(text, Response(text=text[::-1])) for text in texts]
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer
        self.sizes.append(len(prompts))
        self.asked.update(texts)
        return answers


def plan(*batches):
    seen = []
    for batch in batches:
        seen += yield batch
    return Outcome(protocol={"seen": [(shown.sample, shown.text, shown.failure) for shown in seen]})


def words(n: int) -> list[Ask]:
    return [Ask(f"sample {number}", Prompt("text", (f"word{number}",))) for number in range(n)]


def test_the_same_prompt_is_asked_once_even_for_two_samples(tmp_path: Path) -> None:
    model = Recorder()
    asks = [Ask("one", Prompt("text", ("x y",))), Ask("two", Prompt("text", ("x y",)))]
    outcome = Runner(model, Cache(tmp_path / "c.jsonl")).run(plan(asks))
    assert [row[0] for row in outcome.protocol["seen"]] == ["one", "two"]
    assert model.asked == {"x y": 1}


def test_one_prompt_that_no_memory_holds_leaves_the_others_their_batches(tmp_path: Path) -> None:
    model = Recorder(word1=MemoryError())
    outcome = Runner(model, Cache(tmp_path / "c.jsonl")).run(plan(words(12)))
    assert [row[2] for row in outcome.protocol["seen"]].count("out of memory on a single prompt") == 1
    assert model.sizes == [1, 2, 2, 2, 2, 2]


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (DataError("a.png is damaged"), "a.png is damaged"),
        (ZeroDivisionError("oops"), "ZeroDivisionError: oops"),
        (SystemExit("no weights"), "SystemExit: no weights"),
    ],
)
def test_one_bad_sample_leaves_the_others_alone_and_is_asked_again_next_time(tmp_path: Path, error, failure) -> None:
    outcome = Runner(Recorder(word2=error), Cache(tmp_path / "c.jsonl")).run(plan(words(6)))
    failures = [row[2] for row in outcome.protocol["seen"]]
    assert failures == [None, None, failure, None, None, None]
    again = Recorder()
    Runner(again, Cache(tmp_path / "c.jsonl")).run(plan(words(6)))
    assert again.asked == {"word2": 1}


def test_a_run_that_mostly_fails_ends_with_the_reason(tmp_path: Path) -> None:
    told = {ask.prompt.parts[0]: RuntimeError("weights are cursed") for ask in words(100)}
    with pytest.raises(UserError, match=r"20 of 20 prompts failed, 20 of them with: RuntimeError: weights are cursed"):
        Runner(Recorder(1, **told), Cache(tmp_path / "c.jsonl")).run(plan(words(100)))


class Failing(Recorder):
    """Fails so many times, then answers."""

    def __init__(self, error: ProviderError, times: int) -> None:
        super().__init__()
        self.error, self.times, self.calls = error, times, 0

    def respond(self, prompts):
        self.calls += 1
        if self.calls <= self.times:
            raise self.error
        return super().respond(prompts)


BUSY = ProviderError("rate-limit", "slow down", retry_after=7.0)


@pytest.mark.parametrize(
    ("error", "times", "calls"),
    [
        (BUSY, 2, 3),
        (ProviderError("transient", "no such model"), 99, 1 + RETRIES),
        (ProviderError("permanent", "no such model"), 99, 1),
    ],
)
def test_a_provider_is_asked_again_a_few_times_for_what_can_pass(tmp_path: Path, error, times, calls) -> None:
    waits: list[float] = []
    model = Failing(error, times)
    [seen] = Runner(model, Cache(tmp_path / "c.jsonl"), wait=waits.append).run(plan(words(1))).protocol["seen"]
    assert (model.calls, len(waits)) == (calls, calls - 1)
    assert seen[1:] == (("0drow", None) if error is BUSY else (None, "no such model"))
    assert error is not BUSY or waits == [7.0, 7.0], "as long as it says"


def test_cancel_keeps_what_is_done(tmp_path: Path) -> None:
    cancel = threading.Event()
    model = Recorder(batch_size=2)
    runner = Runner(
        model,
        Cache(tmp_path / "c.jsonl"),
        cancel=cancel,
        watch=lambda progress, _answers: cancel.set() if progress.done == 4 else None,
    )
    with pytest.raises(Cancelled):
        runner.run(plan(words(10)))
    assert len(Cache(tmp_path / "c.jsonl")) == 4


def test_the_key_is_all_that_can_change_the_answer_and_nothing_else() -> None:
    photo = Picture("a.jpg", "f00")
    prompt = Prompt("words", ("Rate", photo), words=("good", "poor"), prefill="It is")
    same = replace(prompt, parts=("Rate", Picture("elsewhere/b.jpg", "f00")))
    assert response_key({"id": "m"}, same) == response_key({"id": "m"}, prompt)
    others = [
        prompt,
        *(replace(prompt, parts=parts) for parts in (("Rate ", photo), (photo, "Rate"), ("Rate", "f00"))),
        replace(prompt, parts=("Rate", Picture("a.jpg", "f01"))),
        replace(prompt, words=("good", "bad")),
        replace(prompt, prefill=""),
        replace(prompt, want="text"),
    ]
    keys = {response_key({"id": "n"}, prompt), *(response_key({"id": "m"}, other) for other in others)}
    assert len(keys) == 9


def test_a_line_cut_short_is_dropped_and_the_next_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    cache = Cache(path)
    cache.put({"a": Response(text="first")})
    with path.open("ab") as file:
        file.write(b'{"key": "b", "resp')
    cut = Cache(path)
    assert len(cut) == 1
    cut.put({"c": Response(logits={"good": 1.5})})
    found = Cache(path)
    assert found.get("c") == Response(logits={"good": 1.5})
    assert found.get("a") == Response(text="first")
    assert found.get("b") is None


def test_answers_are_kept_on_systems_without_fcntl(tmp_path: Path) -> None:
    """Windows: the module is missing there, and nothing of the tool could be imported."""
    script = """
    import sys
    sys.modules["fcntl"] = None
    from pathlib import Path
    import qbench.__main__
    from qbench.cache import Cache
    from qbench.records import Response
    cache = Cache(Path(sys.argv[1]))
    cache.put({"a": Response(text="first")})
    cache.put({"b": Response(text="second")})
    """
    path = tmp_path / "c.jsonl"
    command = [sys.executable, "-c", textwrap.dedent(script), str(path)]
    child = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert child.returncode == 0, child.stderr
    assert len(Cache(path)) == 2


@pytest.mark.parametrize(
    "response",
    [
        Response(score=float("nan")),
        Response(logits={"A": float("nan"), "B": 1.0}),
        Response(losses={"#Answer: Low": float("inf")}),
        Response(embedding=(0.5, float("-inf"))),
    ],
)
def test_what_is_no_number_is_a_failure_and_not_kept(tmp_path: Path, response: Response) -> None:
    outcome = Runner(Recorder(word1=response), Cache(tmp_path / "c.jsonl")).run(plan(words(3)))
    assert [failure is None for *_, failure in outcome.protocol["seen"]] == [True, False, True]
    assert "no finite number" in outcome.protocol["seen"][1][2]
    assert len(Cache(tmp_path / "c.jsonl")) == 2
