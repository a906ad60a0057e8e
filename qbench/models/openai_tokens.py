"""The tokens of a word where a model behind a server would say it, by the server's own tokenizer and chat template."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from qbench.models.openai_http import Server
from qbench.models.openai_protocol import OPENED, Json
from qbench.models.words import space_between

_QUESTION: Json = {"role": "user", "content": "?"}
"""What was asked does not change how the answer is cut into tokens."""


class _Tokens(BaseModel):
    tokens: list[int]


class _Text(BaseModel):
    prompt: str


@dataclass(frozen=True)
class Place:
    """Where a word stands."""

    steps: tuple[tuple[int, str], ...]
    """Its tokens, each with the beginning of the answer that it follows."""

    @property
    def first(self) -> int:
        return self.steps[0][0]


class PlaceFinder:
    """Asks a server with vLLM's `/tokenize` and `/detokenize` where words would stand."""

    def __init__(self, server: Server, to: Json) -> None:
        self._server = server
        self._to = to

    def place(self, prefill: str, word: str) -> Place | None:
        """Where a word stands after `prefill`, or at the start of the answer.

        None where it has no tokens of its own there: it would change those before it, or its pieces, said alone, would
        be cut differently.

        Raises:
            ProviderError: The server does not tokenize chats.
        """
        before = self._tokenize(prefill)
        tokens = self._added(before, prefill + space_between(prefill, word) + word)
        beginnings = [prefill]
        for said in range(1, len(tokens)):
            piece = self._detokenize(tokens[:said])
            beginning = prefill + space_between(prefill, piece or word) + piece  # the space may be a token of its own
            if self._added(before, beginning) != tokens[:said]:
                return None
            beginnings.append(beginning)
        return Place(tuple(zip(tokens, beginnings, strict=True))) if tokens else None

    def _added(self, before: list[int], answer: str) -> list[int]:
        whole = self._tokenize(answer)
        return whole[len(before) :] if whole[: len(before)] == before else []

    def _tokenize(self, answer: str) -> list[int]:
        """The whole chat up to where the model goes on."""
        if answer:
            chat: Json = {"messages": [_QUESTION, {"role": "assistant", "content": answer}], **OPENED}
        else:
            chat = {"messages": [_QUESTION], "add_generation_prompt": True}
        return self._server.ask(f"{self._server.root}/tokenize", _Tokens, {**self._to, **chat}).tokens

    def _detokenize(self, tokens: list[int]) -> str:
        payload = {"model": self._to["model"], "tokens": tokens}
        return self._server.ask(f"{self._server.root}/detokenize", _Text, payload).prompt
