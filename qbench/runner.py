"""Drive a task's plan: answers from the cache or the model, in batches, with finite retries and progress.

Concurrency lives here alone: with one worker everything is a plain loop. Failures of single prompts are recorded and
never stop a run; too many of them do, with the reason most of them share.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

from qbench.cache import Cache, response_key
from qbench.cancelling import Cancelled, cancelled_by, pause
from qbench.errors import DataError, ProviderError, UserError
from qbench.models import Model
from qbench.models.retrying import with_retries
from qbench.records import Ask, Prompt, Response

_MOST_THREADS = 1024
"""No more are started than a model has workers."""
_JUDGED_AFTER = 20
_MOST_FAILED = 0.5
"""A run with more than this share of failures, once 20 prompts are through, is not worth going on with."""


OutcomeT = TypeVar("OutcomeT")


@dataclass(frozen=True)
class Progress:
    """How far the present step of a run is."""

    step: int
    """Rounds of comparisons, or the grading after the answers, come one after the other."""
    done: int
    total: int
    cached: int
    failed: int
    seconds: float

    @property
    def rate(self) -> float | None:
        """Fresh answers per second."""
        fresh = self.done - self.cached
        return fresh / self.seconds if fresh and self.seconds > 0 else None

    @property
    def seconds_left(self) -> float | None:
        return None if self.rate is None else (self.total - self.done) / self.rate


Watch = Callable[[Progress, Sequence[tuple[Ask, Response]]], None]
"""Called after every batch with the progress and the answers that just came."""


class Runner:
    """Answers asks for one run."""

    def __init__(
        self,
        model: Model,
        cache: Cache,
        *,
        judge: Model | None = None,
        watch: Watch = lambda _progress, _answers: None,
        cancel: threading.Event | None = None,
        wait: Callable[[float], object] = pause,
    ) -> None:
        self._models = {"model": model, "judge": judge}
        self._cache = cache
        self._watch = watch
        self._cancel = cancel or threading.Event()
        self._wait = wait
        self._failures: Counter[str] = Counter()
        self._answered = 0
        self._step = 0
        self._at_once = sys.maxsize
        """Most prompts to ask at once, half of what memory did not hold."""

    def run(self, plan: Generator[Sequence[Ask], Sequence[Response], OutcomeT]) -> OutcomeT:
        """Drive a plan to its outcome.

        Raises:
            Cancelled: On request; what was answered is in the cache.
            UserError: Most prompts fail, or the plan asks a judge that was not given.
        """
        try:
            asks = next(plan)
            while True:
                asks = plan.send(self._answer(asks))
        except StopIteration as stop:
            outcome: OutcomeT = stop.value
            return outcome
        finally:
            self._cache.sync()

    def _answer(self, asks: Sequence[Ask]) -> list[Response]:
        """Responses in the order of the asks; the same prompt is asked once."""
        keys = [response_key(self._model_of(ask).identity, ask.prompt) for ask in asks]
        known = {key: found for key in keys if (found := self._cache.get(key)) is not None}
        fresh = {key: ask for key, ask in zip(keys, asks, strict=True) if key not in known}
        cached, done, started = len(asks) - len(fresh), len(asks) - len(fresh), time.monotonic()
        by_key: dict[str, list[Ask]] = {}
        for key, ask in zip(keys, asks, strict=True):
            by_key.setdefault(key, []).append(ask)
        answered = [(ask, known[key]) for key in known for ask in by_key[key]]
        self._step += 1
        self._watch(Progress(self._step, done, len(asks), cached, self._failures.total(), 0.0), answered)
        for batch in self._batches_done(fresh):
            known.update(batch)
            done += len(batch)
            news = [(ask, response) for key, response in batch.items() for ask in by_key[key]]
            elapsed = time.monotonic() - started
            self._watch(Progress(self._step, done, len(asks), cached, self._failures.total(), elapsed), news)
        return [replace(known[key], sample=ask.sample) for key, ask in zip(keys, asks, strict=True)]

    def _batches_done(self, fresh: Mapping[str, Ask]) -> Iterator[dict[str, Response]]:
        """Ask batch by batch and yield each as it comes back."""
        for model, asks in self._by_model_and_want(fresh):
            waiting = list(asks.items())
            if model.workers == 1:
                while waiting:
                    size = max(1, min(model.batch_size, self._at_once))
                    yield self._count(self._ask_and_keep(model, dict(waiting[:size])))
                    del waiting[:size]
                continue
            size = max(1, model.batch_size)
            batches = iter([dict(waiting[start : start + size]) for start in range(0, len(waiting), size)])
            with ThreadPoolExecutor(_MOST_THREADS) as pool:
                asked: set[Future[dict[str, Response]]] = set()
                try:
                    while True:
                        room = max(0, model.workers - len(asked))  # the model may change its mind
                        asked |= {pool.submit(self._ask_and_keep, model, batch) for batch in islice(batches, room)}
                        if not asked:
                            break
                        done, asked = wait(asked, return_when=FIRST_COMPLETED)
                        for answered in done:
                            yield self._count(answered.result())
                except BaseException:
                    self._cancel.set()  # batches still waiting must not be asked
                    raise

    def _by_model_and_want(self, fresh: Mapping[str, Ask]) -> list[tuple[Model, dict[str, Ask]]]:
        groups: dict[tuple[str, str], dict[str, Ask]] = {}
        for key, ask in fresh.items():
            groups.setdefault((ask.of, ask.prompt.want), {})[key] = ask
        return [(self._model_of(next(iter(asks.values()))), asks) for asks in groups.values()]

    def _model_of(self, ask: Ask) -> Model:
        model = self._models[ask.of]
        if model is None:
            raise UserError("this way of grading asks a judge model; name one with --judge")
        return model

    def _ask_and_keep(self, model: Model, batch: Mapping[str, Ask]) -> dict[str, Response]:
        """Answers of one batch, in the cache before anybody sees them."""
        responses = map(_with_numbers, self._ask(model, [ask.prompt for ask in batch.values()]))
        answers = dict(zip(batch, responses, strict=True))
        self._cache.put(answers)
        return {key: self._cache.get(key) or response for key, response in answers.items()}

    def _count(self, answers: dict[str, Response]) -> dict[str, Response]:
        """Count failures, and stop a run that mostly fails."""
        self._answered += len(answers)
        self._failures.update(answer.failure for answer in answers.values() if answer.failure is not None)
        failed = self._failures.total()
        if self._answered >= _JUDGED_AFTER and failed > _MOST_FAILED * self._answered:
            reason, count = self._failures.most_common(1)[0]
            raise UserError(
                f"{failed} of {self._answered} prompts failed, {count} of them with: {reason}. "
                "What was answered is kept; mend the cause and run the same command again."
            )
        return answers

    def _ask(self, model: Model, prompts: Sequence[Prompt]) -> list[Response]:
        """Ask a batch; halve it when memory runs out, and go one by one when something in it breaks."""
        if self._cancel.is_set():
            raise Cancelled
        try:
            with cancelled_by(self._cancel):
                return with_retries(lambda: model.respond(prompts), self._wait, model.retries)
        except MemoryError:
            if len(prompts) == 1:
                return [Response(failure="out of memory on a single prompt")]
            middle = len(prompts) // 2
            halves = self._ask(model, prompts[:middle]) + self._ask(model, prompts[middle:])
            self._at_once = middle  # after the halves, which may have been halved because of one large prompt
            return halves
        except (Cancelled, UserError) as error:
            # A damaged image is this prompt's own failure; any other mistake of the user's would fail every prompt.
            if not isinstance(error, DataError):
                raise
            return self._one_by_one(model, prompts, error)
        # The border where one sample's trouble is kept from the others; a model that ends its process would end ours.
        except (Exception, SystemExit) as error:  # noqa: BLE001
            return self._one_by_one(model, prompts, error)

    def _one_by_one(self, model: Model, prompts: Sequence[Prompt], error: BaseException) -> list[Response]:
        if len(prompts) == 1:
            kind = "" if isinstance(error, (DataError, ProviderError)) else f"{type(error).__name__}: "
            return [Response(failure=f"{kind}{error}")]
        return [response for prompt in prompts for response in self._ask(model, [prompt])]


def _with_numbers(response: Response) -> Response:
    """The response, or its failure: what is no number compares with nothing, and would be taken for the smaller."""
    weights = (*response.logits.values(), *response.losses.values(), *response.embedding)
    score = () if response.score is None else (response.score,)
    if all(map(math.isfinite, (*weights, *score))):
        return response
    said = "the model gave what is no finite number; in half precision it may leave the range"
    return Response(failure=said, usage=response.usage)
