"""What an OpenAI-compatible server honours, found out by asking it once.

Servers ignore fields they do not know, so nothing counts as honoured because it was accepted:

- chosen token ids (`logprob_token_ids`): every id asked for must be in the answer;
- arguments of the chat template: the prompt, or its number of tokens, must be another one with them;
- top log-probabilities: more than one must come back;
- continuing the assistant's message (`continue_final_message`): the prompt that the server shows must end with it; a
  server that shows none must count more tokens for the same messages without the flag, which closes the last one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from typing import TypeVar

from pydantic import BaseModel

from qbench.errors import ProviderError
from qbench.models.openai_http import AnswerError, Server
from qbench.models.openai_protocol import CONTINUE, OPENED, TEMPLATE, Json, Reply, chosen_ids, ends_with, weights_by_id
from qbench.models.openai_tokens import PlaceFinder

Found = TypeVar("Found")

_QUESTION: Json = {"role": "user", "content": "What colour is a clear sky at noon?"}
_BEGUN = "The colour is"
_WORDS = ("blue", "red")
_TOP = (1000, 20, 5)
"""Most log-probabilities that servers give: SGLang any number; OpenAI, and vLLM unless told otherwise, 20; some hosts
5."""
_VERSION_ADDRESS = {"vllm": "/version", "sglang": "/server_info"}


class _Card(BaseModel):
    id: str
    owned_by: str | None = None
    root: str | None = None


class _Cards(BaseModel):
    data: list[_Card]


class _Version(BaseModel):
    version: str


DRAWN = 1
"""Temperature of further draws: what OpenAI's interface uses unless told otherwise, and so the papers' judges."""


@dataclass(frozen=True)
class Dialect:
    """How a server wants to be told the length of an answer, and whether it lets a temperature be set."""

    limit: str
    temperature: bool

    def settings(self, tokens: int, *, sample: bool = False) -> Json:
        """Greedy, except where another draw of the same question is wanted."""
        return {self.limit: tokens} | ({"temperature": DRAWN if sample else 0} if self.temperature else {})


_DIALECTS = (
    Dialect("max_tokens", temperature=True),
    Dialect("max_completion_tokens", temperature=True),
    Dialect("max_completion_tokens", temperature=False),
)
"""The usual one, and what OpenAI's reasoning models take."""


@dataclass(frozen=True)
class Capabilities:
    """What a server was seen to do for one model."""

    backend: str
    """Software and version, e.g. `vllm 0.33.0`; empty where the server does not say."""
    weights: str | None
    """What the model's name stands for on the server, where it tells."""
    dialect: Dialect
    prefill: bool
    """Whether it goes on with the beginning of an answer."""
    by_id: bool
    """Whether it gives log-probabilities of chosen token ids."""
    top: int
    """How many of the most probable tokens can be asked for; 0 where log-probabilities are refused or left out."""


def probe(server: Server, to: Json) -> Capabilities:
    """Ask a server a few short questions to see what it honours.

    Args:
        server: The server.
        to: Fields that every request has, from `addressed`.

    Raises:
        ProviderError: It does not answer, or not for this model, or does nothing with the chat template's arguments.
    """
    model = to["model"]
    listed = _if_offered(partial(server.ask, f"{server.url}/models", _Cards))
    cards = listed.data if listed else []
    dialect = _find_dialect(server, model, [card.id for card in cards])
    ask = {**to, "messages": [_QUESTION], **dialect.settings(1)}
    if TEMPLATE in to and not _if_offered(partial(_heeds_template, server, ask)):
        told = ", ".join(to[TEMPLATE])
        raise ProviderError("permanent", f"{server.url}, or the model's chat template, does nothing with {told}")
    prefill = bool(_if_offered(partial(_continues, server, ask)))
    card = next((card for card in cards if card.id == model), None)
    return Capabilities(
        backend=_backend(server, card),
        weights=PurePath(card.root).name if card and card.root and card.root != model else None,
        dialect=dialect,
        prefill=prefill,
        by_id=bool(_if_offered(partial(_gives_chosen_ids, server, ask, _BEGUN if prefill else ""))),
        top=next((top for top in _TOP if _if_offered(partial(_gives_top, server, ask, top))), 0),
    )


def _if_offered(ask: Callable[[], Found]) -> Found | None:
    """What was asked for, or None where the server refuses it or has another page there; trouble still raises."""
    try:
        return ask()
    except AnswerError as error:
        if error.kind == "permanent" or error.status == 200:
            return None
        raise


def _chat(server: Server, payload: Json) -> Reply:
    try:
        return server.ask(f"{server.url}/chat/completions", Reply, payload)
    except AnswerError as error:
        if error.status == 200:  # nonsense where an answer belongs is no way of saying that something is not offered
            raise ProviderError(error.kind, str(error)) from None
        raise


def _find_dialect(server: Server, model: str, served: list[str]) -> Dialect:
    refusals: list[AnswerError] = []
    for dialect in _DIALECTS:
        try:
            # Reasoning models refuse a limit too small to think in.
            _chat(server, {"model": model, "messages": [_QUESTION], **dialect.settings(16)})
        except AnswerError as error:
            if error.status == 404:
                known = (
                    f"it serves {', '.join(served[:5])}" if served else "is the base URL right? It ends in /v1 mostly"
                )
                raise AnswerError("permanent", f"{error}; {known}", 404) from None
            if error.status not in (400, 422):
                raise
            refusals.append(error)
        else:
            return dialect
    raise refusals[0]


def _backend(server: Server, card: _Card | None) -> str:
    software = card.owned_by if card else None
    if software not in _VERSION_ADDRESS:
        return ""
    found = _if_offered(partial(server.ask, server.root + _VERSION_ADDRESS[software], _Version))
    return f"{software} {found.version}" if found else software


def _continues(server: Server, ask: Json) -> bool:
    begun = {**ask, "messages": [_QUESTION, {"role": "assistant", "content": _BEGUN}]}
    opened = _chat(server, begun | CONTINUE)
    if opened.prompt_text is not None:
        return ends_with(opened.prompt_text, _BEGUN)
    closed = _chat(server, {**begun, **OPENED, "continue_final_message": False})
    return 0 < opened.counts.get("prompt_tokens", 0) < closed.counts.get("prompt_tokens", 0)


def _heeds_template(server: Server, ask: Json) -> bool:
    asked = {**ask, "return_prompt_text": True}
    told = _chat(server, asked)
    untold = _chat(server, {name: value for name, value in asked.items() if name != TEMPLATE})
    if told.prompt_text is not None:
        return told.prompt_text != untold.prompt_text
    return told.counts.get("prompt_tokens") != untold.counts.get("prompt_tokens")


def _gives_chosen_ids(server: Server, ask: Json, prefill: str) -> bool:
    finder = PlaceFinder(server, {name: ask[name] for name in ("model", TEMPLATE) if name in ask})
    places = [finder.place(prefill, word) for word in _WORDS]
    ids = {place.first for place in places if place}
    if not ids:
        return False
    reply = _chat(server, {**ask, "logprobs": True, **chosen_ids(ids)})
    return weights_by_id(reply, ids).keys() == ids


def _gives_top(server: Server, ask: Json, top: int) -> bool:
    """Whether so many come back, or of the shortest list more than the written token alone; some give fewer."""
    reply = _chat(server, {**ask, "logprobs": True, "top_logprobs": top})
    listed = len(reply.tokens) - 1  # the written token stands beside the list too
    return listed >= top or (top == _TOP[-1] and listed > 1)
