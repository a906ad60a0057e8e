"""What an OpenAI-compatible server honours, found out by asking it once.

Servers ignore fields they do not know, so nothing counts as honoured because it was accepted:

- chosen token ids (`logprob_token_ids`): every id asked for must be in the answer;
- arguments of the chat template: the prompt, or its number of tokens, must be another one with them;
- top log-probabilities: more than one must come back;
- log-probabilities of the prompt (`prompt_logprobs`): those of the tokens that it ends with must come back;
- the repetition penalty, at servers that follow a checkpoint's own (vLLM, SGLang): -1 must be refused, and 1 taken;
- continuing the assistant's message (`continue_final_message`): the prompt that the server shows must end with it; a
  server that shows none must count more tokens for the same messages without the flag, which closes the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from typing import Any, TypeVar

from pydantic import BaseModel

from qbench.errors import ProviderError
from qbench.models.openai import protocol
from qbench.models.openai.protocol import ChatCompletion, Json
from qbench.models.openai.server import AnswerError, Server, ServerTokenizer
from qbench.records import Want

FoundT = TypeVar("FoundT")

_QUESTION: Json = {"role": "user", "content": "What colour is a clear sky at noon?"}
_PREFILL = "The colour is"
_WORDS = ("blue", "red")
_LIST_LENGTHS = (1000, 20, 5)
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


SAMPLING_TEMPERATURE = 1
"""Of answers with `repeat` above 0: the default of OpenAI's interface, and so that of the papers' judges."""


@dataclass(frozen=True)
class Dialect:
    """The fields by which a server takes the length of an answer and its temperature."""

    limit: str
    """Name of the field with the most tokens of an answer."""
    temperature: bool
    """Whether the temperature can be set."""

    def settings(self, tokens: int, *, sample: bool = False) -> Json:
        """Fields for an answer of so many tokens at most: greedy, unless it is to be sampled."""
        temperature = {"temperature": SAMPLING_TEMPERATURE if sample else 0} if self.temperature else {}
        return {self.limit: tokens, **temperature}


_DIALECTS = (
    Dialect("max_tokens", temperature=True),
    Dialect("max_completion_tokens", temperature=True),
    Dialect("max_completion_tokens", temperature=False),
)
"""The usual one, and what OpenAI's reasoning models take."""


@dataclass(frozen=True)
class ChatCapabilities:
    """What a server was seen to do for one model."""

    backend: str
    """Software and version, e.g. `vllm 0.33.0`; empty where the server does not say."""
    weights: str | None
    """What the model's name stands for on the server, where it tells."""
    dialect: Dialect
    prefill: bool
    """Whether it goes on with the beginning of an answer."""
    gives_chosen_ids: bool
    """Whether it gives log-probabilities of chosen token ids."""
    gives_prompt: bool
    """Whether it gives log-probabilities of the prompt's own tokens."""
    top: int
    """How many of the most probable tokens can be asked for; 0 where log-probabilities are refused or left out."""
    takes_penalty: bool = False
    """Whether the repetition penalty can be set."""

    @property
    def wants(self) -> frozenset[Want]:
        """What the model can be asked for there."""
        offered: dict[Want, bool] = {
            "text": True,
            "words": self.gives_chosen_ids or self.top > 0,
            "losses": self.gives_prompt,
        }
        return frozenset(want for want, given in offered.items() if given)

    @property
    def identity(self) -> Mapping[str, Any]:
        """What of it can change an answer."""
        words = "exact, by token id" if self.gives_chosen_ids else f"among the {self.top} most probable tokens, by text"
        return {
            "words": words if "words" in self.wants else None,
            "prefill": "continued" if self.prefill else None,
            "temperature": 0 if self.dialect.temperature else "the server's own",
            "temperature_of_draws": SAMPLING_TEMPERATURE if self.dialect.temperature else "the server's own",
            "images": protocol.IMAGE_POLICY,
            **(protocol.NO_PENALTY if self.takes_penalty else {}),
        }


def find_capabilities(server: Server, fields: Json) -> ChatCapabilities:
    """Ask a server a few short questions to see what it honours; `fields` are those that every request has.

    Raises:
        ProviderError: It does not answer, or not for this model, or does nothing with the chat template's arguments.
    """
    model = fields["model"]
    listed = _if_offered(partial(server.ask, f"{server.url}/models", _Cards))
    cards = listed.data if listed else []
    card = next((card for card in cards if card.id == model), None)
    dialect = _find_dialect(server, model, [card.id for card in cards])
    ask = {**fields, "messages": [_QUESTION], **dialect.settings(1)}
    tokenizer = ServerTokenizer(server, fields)
    if protocol.TEMPLATE_FIELD in fields and not _if_offered(partial(_uses_template_arguments, server, ask)):
        arguments = ", ".join(fields[protocol.TEMPLATE_FIELD])
        raise ProviderError("permanent", f"{server.url}, or the model's chat template, does nothing with {arguments}")
    prefill = bool(_if_offered(partial(_continues, server, ask)))
    return ChatCapabilities(
        backend=_backend(server, card),
        weights=PurePath(card.root).name if card and card.root and card.root != model else None,
        dialect=dialect,
        prefill=prefill,
        gives_chosen_ids=bool(_if_offered(partial(_gives_chosen_ids, server, ask, tokenizer, _PREFILL * prefill))),
        gives_prompt=prefill and bool(_if_offered(partial(_gives_prompt, server, ask, tokenizer))),
        top=next((top for top in _LIST_LENGTHS if _if_offered(partial(_gives_top, server, ask, top))), 0),
        takes_penalty=bool(card and card.owned_by in _VERSION_ADDRESS and _takes_penalty(server, ask)),
    )


def _if_offered(ask: Callable[[], FoundT]) -> FoundT | None:
    """What was asked for, or None where the server refuses it or has another page there; trouble still raises."""
    try:
        return ask()
    except AnswerError as error:
        if error.kind == "permanent" or error.status == 200:
            return None
        raise


def _chat(server: Server, payload: Json) -> ChatCompletion:
    try:
        return server.ask(f"{server.url}/chat/completions", ChatCompletion, payload)
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
    begun = {**ask, "messages": [_QUESTION, {"role": "assistant", "content": _PREFILL}]}
    opened = _chat(server, begun | protocol.CONTINUE_AND_SHOW)
    if opened.prompt_text is not None:
        return protocol.ends_with(opened.prompt_text, _PREFILL)
    closed = _chat(server, {**begun, **protocol.CONTINUE_LAST, "continue_final_message": False})
    return 0 < opened.counts.get("prompt_tokens", 0) < closed.counts.get("prompt_tokens", 0)


def _uses_template_arguments(server: Server, ask: Json) -> bool:
    asked = {**ask, "return_prompt_text": True}
    with_arguments = _chat(server, asked)
    without = _chat(server, {name: value for name, value in asked.items() if name != protocol.TEMPLATE_FIELD})
    if with_arguments.prompt_text is not None:
        return with_arguments.prompt_text != without.prompt_text
    return with_arguments.counts.get("prompt_tokens") != without.counts.get("prompt_tokens")


def _gives_chosen_ids(server: Server, ask: Json, tokenizer: ServerTokenizer, prefill: str) -> bool:
    ids = {steps[0][0] for word in _WORDS if (steps := tokenizer.steps(prefill, word))}
    if not ids:
        return False
    reply = _chat(server, {**ask, **protocol.ask_for_ids(ids)})
    return protocol.logprobs_by_id(reply, ids).keys() == ids


def _gives_prompt(server: Server, ask: Json, tokenizer: ServerTokenizer) -> bool:
    own = tokenizer.ending(_PREFILL, _WORDS[0])
    begun = [_QUESTION, {"role": "assistant", "content": f"{_PREFILL} {_WORDS[0]}"}]
    reply = _chat(server, {**ask, "messages": begun, **protocol.CONTINUE_LAST, **protocol.PROMPT_LOGPROBS})
    return protocol.logprobs_of_ending(reply, own) is not None


def _takes_penalty(server: Server, ask: Json) -> bool:
    nonsense = dict.fromkeys(protocol.NO_PENALTY, -1)
    if _if_offered(partial(_chat, server, ask | nonsense)):
        return False
    return _if_offered(partial(_chat, server, ask | protocol.NO_PENALTY)) is not None


def _gives_top(server: Server, ask: Json, top: int) -> bool:
    """Whether so many come back; of the shortest list, whether more than the written token does."""
    reply = _chat(server, {**ask, "logprobs": True, "top_logprobs": top})
    listed = len(reply.tokens) - 1  # the written token stands beside the list too
    return listed >= top or (top == _LIST_LENGTHS[-1] and listed > 1)
