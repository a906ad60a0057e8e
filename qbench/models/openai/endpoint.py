"""Models behind OpenAI-compatible servers: vLLM, SGLang, closed APIs; one server or several with the same model.

A prompt goes to the server that its first image picks, which may still have read it, unless that server has more than
its share to do; and to the others where it is down. What each server honours is found out once (`capabilities`) and
must be the same for all of them, so that an answer does not depend on who gave it.

- Logits of words are exact, through their token ids, where the server has `/tokenize` and `logprob_token_ids` (vLLM),
  without any constraint on the output, which would renormalise. Elsewhere they come from the most probable tokens: a
  word that is not among them has no logit, and the response says so.
- Losses of continuations come from `prompt_logprobs` (vLLM).
- A prompt with a prefill is asked only of a server that was seen to continue it; any other is a `UserError`, since its
  answers would belong to another question. Where the server returns the prompt, each answer is checked too.
- Arguments of the chat template are sent with every prompt, to a server that was seen to use them.
- Decoding is greedy, without the repetition penalty that a checkpoint's own settings may have. A prompt with `repeat`
  above 0 is sampled at temperature 1, with whatever else the server sets for sampling. Where the temperature cannot be
  set, both are at the server's own.
"""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from qbench.cancelling import pause
from qbench.errors import DataError, ProviderError, UserError
from qbench.models import Model, Price
from qbench.models.openai.capabilities import ChatCapabilities, find_capabilities
from qbench.models.openai.chats import ServedChat
from qbench.models.openai.protocol import TEMPLATE_FIELD, chat_messages
from qbench.models.openai.server import LOOPBACK, Server, UnreachableError
from qbench.models.retrying import with_retries
from qbench.records import Picture, Prompt, Response, Want

_FIRST_WORKERS, _MOST_WORKERS = 8, 64
"""Prompts that a server is asked at once: to begin with, and at most."""
_SHARE = 1.1
"""A server with so many times what falls to each leaves a prompt to the others."""
_AVOID_SECONDS = 30.0
"""For so long after a failure a server is the last to be asked."""

_GAIN = 1.1
"""What half as many prompts more must bring, or they only wait longer."""
_REST = 10
"""Windows until more is tried again."""
_TOO_MANY_FAULTS = 0.25
"""Share of a window's prompts that a server without congestion does not fail."""
_PUBLIC_HOSTS = (
    *("api.anthropic.com", "api.deepinfra.com", "api.deepseek.com", "api.fireworks.ai", "api.groq.com"),
    *("api.mistral.ai", "api.moonshot.ai", "api.openai.com", "api.siliconflow.cn", "api.siliconflow.com"),
    *("api.stepfun.com", "api.together.xyz", "api.x.ai", "api.z.ai", "dashscope-intl.aliyuncs.com"),
    *("dashscope.aliyuncs.com", "generativelanguage.googleapis.com", "integrate.api.nvidia.com"),
    *("open.bigmodel.cn", "openrouter.ai", "router.huggingface.co"),
)
"""Of services that anybody can ask: their names say who answered, and lead into nobody's network."""


class Pace:
    """How many prompts servers are asked at once: more while that brings more answers a second, fewer when they say or
    show that it is too many. Several threads may report at once."""

    def __init__(self, start: int, most: int, now: float) -> None:
        self.limit = start
        """Prompts to ask at once."""
        self._most = most
        self._proven = start
        """The largest number that was worth it."""
        self._rate = 0.0
        """Answers a second with that number."""
        self._rest = 1
        self._answers = 0
        self._faults = 0
        self._since = now
        self._lock = threading.Lock()

    def answered(self, now: float) -> None:
        """Take note of an answer; after two for each prompt at once, the number is thought over."""
        with self._lock:
            self._answers += 1
            if self._answers < 2 * self.limit or now <= self._since:
                return
            rate = self._answers / (now - self._since)
            if self.limit <= self._proven:
                self._rate = rate
                self._rest -= 1
            elif rate > _GAIN * self._rate:
                self._proven, self._rate, self._rest = self.limit, rate, 0
            else:
                self._rest = _REST
            more = min(self._most, self._proven + max(1, self._proven // 2))
            self._go_on(more if self._rest <= 0 else self._proven, now)

    def failed(self, now: float, *, busy: bool) -> None:
        """Take note of a prompt without an answer: ask less for a while where the server says that it is too busy, or
        where so many fail that it must be."""
        with self._lock:
            self._faults += 1
            if busy or self._faults > max(1, 2 * self.limit * _TOO_MANY_FAULTS):
                self._proven, self._rest = max(2, self._proven * 3 // 4), _REST
                self._go_on(self._proven, now)

    def _go_on(self, limit: int, now: float) -> None:
        self.limit, self._answers, self._faults, self._since = limit, 0, 0, now


class Endpoint(Model):
    """A model at one or more servers. How many prompts are asked at once is for the caller, see `workers`."""

    price: Price | None = None

    def __init__(
        self,
        name: str,
        servers: Sequence[Server],
        *,
        workers: int | None = None,
        template: Mapping[str, Any] | None = None,
        wait: Callable[[float], object] = pause,
    ) -> None:
        self.name = name
        self._workers = workers
        self._pace = Pace(_FIRST_WORKERS * len(servers), _MOST_WORKERS * len(servers), time.monotonic())
        self._template = dict(template or {})
        self._fields = {"model": name, **({TEMPLATE_FIELD: self._template} if self._template else {})}
        self._servers = list(servers)
        self._wait = wait
        self._capabilities: ChatCapabilities | None = None
        self._models: dict[str, ServedChat] = {}
        """URL -> the model there, once it is known what that server honours."""
        self._finding = threading.Lock()
        self._avoided_until: dict[str, float] = {}
        self._busy = Counter[str]()
        """Prompts that each server has to answer now."""
        self._lock = threading.Lock()

    @property
    def workers(self) -> int:  # type: ignore[override]
        """How many threads may sensibly call `respond` now."""
        return self._workers or self._pace.limit

    @property
    def wants(self) -> frozenset[Want]:  # type: ignore[override]
        return self.capabilities.wants

    @property
    def identity(self) -> Mapping[str, Any]:  # type: ignore[override]
        able = self.capabilities
        hosts = ", ".join(sorted({told_host(server.host) for server in self._servers}))
        return {
            "model": self.name,
            "backend": able.backend or f"OpenAI-compatible server at {hosts}",
            "weights": able.weights,
            **able.identity,
            **({"template": self._template} if self._template else {}),
        }

    @property
    def capabilities(self) -> ChatCapabilities:
        """What the servers honour, found out at first use; a server that is down is asked when it is needed.

        Raises:
            UserError: No server answers, one does not serve the model, or they differ.
        """
        faults: list[ProviderError] = []
        for server in () if self._capabilities else self._servers:
            try:
                # No runner asks these questions again.
                with_retries(partial(self._model_at, server), self._wait, self.retries, (UnreachableError,))
            except ProviderError as error:
                self._avoid(server)
                faults.append(error)
        if self._capabilities is None:
            absent = any(isinstance(fault, UnreachableError) for fault in faults)
            fix = "Start the server or correct its URL." if absent else "Try again when the server answers."
            raise UserError(f"{self.name} cannot be asked: {'; '.join(map(str, faults))}. {fix}")
        return self._capabilities

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        """Answer one prompt after another.

        Raises:
            ProviderError: No server gave a usable answer to a prompt.
            UserError: The servers do not honour what a prompt needs.
        """
        return [self._respond(prompt) for prompt in prompts]

    def _respond(self, prompt: Prompt) -> Response:
        try:
            messages = chat_messages(prompt)
        except DataError as error:
            return Response(failure=str(error))
        fault = ProviderError("transient", f"no server of {self.name} was asked")
        for server in self._in_order_to_try(prompt):
            if server.url in self._avoided_until:
                self._avoid(server)  # only this prompt finds out whether the server is back
            try:
                model = self._model_at(server)
                with self._counted(server):
                    response = model.answer(prompt, messages)
            except ProviderError as error:
                if error.kind != "permanent":
                    self._pace.failed(time.monotonic(), busy=error.kind == "rate-limit")
                fault = ProviderError(error.kind, without_address(str(error), server), error.retry_after)
                if error.kind != "transient":
                    raise fault from error
                self._avoid(server)
            else:
                self._avoided_until.pop(server.url, None)
                self._pace.answered(time.monotonic())
                failure, note = (text and without_address(text, server) for text in (response.failure, response.note))
                return replace(response, failure=failure, note=note)
        raise fault

    @contextmanager
    def _counted(self, server: Server) -> Iterator[None]:
        """Count a prompt among those that a server has to answer."""
        with self._lock:
            self._busy[server.url] += 1
        try:
            yield
        finally:
            with self._lock:
                self._busy[server.url] -= 1

    def _in_order_to_try(self, prompt: Prompt) -> list[Server]:
        """Servers in the order to try for this prompt: its own first, then those after it; the busiest and those that
        failed lately last."""
        shown = [part if isinstance(part, str) else part.sha256 for part in prompt.parts]
        image = next((part.sha256 for part in prompt.parts if isinstance(part, Picture)), None)
        digest = hashlib.sha256(repr(image or (shown, prompt.prefill, prompt.repeat)).encode()).digest()
        own = int.from_bytes(digest[:8], "big") % len(self._servers)
        now = time.monotonic()
        with self._lock:
            share = _SHARE * (self._busy.total() + 1) / len(self._servers)
            full = {url for url, count in self._busy.items() if count >= share}
        rotated = self._servers[own:] + self._servers[:own]
        return sorted(rotated, key=lambda server: (self._avoided_until.get(server.url, 0.0) > now, server.url in full))

    def _avoid(self, server: Server) -> None:
        self._avoided_until[server.url] = time.monotonic() + _AVOID_SECONDS

    def _model_at(self, server: Server) -> ServedChat:
        """The model at a server that honours what the others do, found out at first use."""
        if server.url in self._models:
            return self._models[server.url]
        with self._finding:
            if server.url not in self._models:
                self._models[server.url] = self._find(server)
        return self._models[server.url]

    def _find(self, server: Server) -> ServedChat:
        try:
            able = find_capabilities(server, self._fields)
        except ProviderError as error:
            if error.kind == "permanent":
                raise UserError(f"{self.name} cannot be asked: {error}") from None
            raise
        self._capabilities = self._capabilities or able
        if able != self._capabilities:
            raise UserError(
                f"{server.url} honours other things than the servers before it ({able} against "
                f"{self._capabilities}); run the same software with the same settings on all of them"
            )
        return ServedChat(server, self._fields, able)


def told_host(host: str) -> str:
    """The host, or a mark that tells one from another and of which the host cannot be guessed."""
    if host in _PUBLIC_HOSTS or host in LOOPBACK:
        return host
    return f"#{hashlib.sha256(host.encode()).hexdigest()[:4]}"  # too short to find the one address that it is of


def without_address(text: str, server: Server) -> str:
    """The text with the server's address left out."""
    text = text.replace(server.url, "its server").replace(server.root, "its server")
    return re.sub(rf"(?<![\w.-]){re.escape(server.host)}(?![\w-])", "its server", text)
