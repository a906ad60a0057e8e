"""Tokens of a word as the continuation of a chat, by a server's own tokenizer and chat template."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from qbench.models.openai.protocol import CONTINUE_LAST, Json
from qbench.models.openai.server import Server
from qbench.models.word_tokens import space_between

_QUESTION: Json = {"role": "user", "content": "?"}
"""Stands for any question: it does not change how the answer is split into tokens."""


class _Tokens(BaseModel):
    tokens: list[int]


class _Text(BaseModel):
    prompt: str


@dataclass(frozen=True)
class WordTokens:
    """The tokens of a word after a prefill."""

    steps: tuple[tuple[int, str], ...]
    """(token id, beginning of the answer that it follows) for each token."""

    @property
    def first(self) -> int:
        return self.steps[0][0]


class ServerTokenizer:
    """The tokenizer of a server, through vLLM's `/tokenize` and `/detokenize`."""

    def __init__(self, server: Server, fields: Json) -> None:
        self._server = server
        self._fields = fields

    def word_tokens(self, prefill: str, word: str) -> WordTokens | None:
        """The tokens of a word after `prefill`, or at the start of the answer.

        None where it has no tokens of its own there: it would change those before it, or its first tokens, written
        without the rest, would be split differently.

        Raises:
            ProviderError: The server does not tokenize chats.
        """
        before = self._tokenize(prefill)
        tokens = self._added(before, prefill + space_between(prefill, word) + word)
        beginnings = [prefill]
        for count in range(1, len(tokens)):
            piece = self._detokenize(tokens[:count])
            beginning = prefill + space_between(prefill, piece or word) + piece  # the space may be a token of its own
            if self._added(before, beginning) != tokens[:count]:
                return None
            beginnings.append(beginning)
        return WordTokens(tuple(zip(tokens, beginnings, strict=True))) if tokens else None

    def ending(self, prefill: str, text: str) -> tuple[int, ...]:
        """The tokens that a continuation adds after `prefill`, or at the start of the answer; none where it would
        change those before it.

        Raises:
            ProviderError: The server does not tokenize chats.
        """
        return tuple(self._added(self._tokenize(prefill), prefill + space_between(prefill, text) + text))

    def _added(self, before: list[int], answer: str) -> list[int]:
        """Tokens that a longer answer adds; none where it changes those before."""
        whole = self._tokenize(answer)
        return whole[len(before) :] if whole[: len(before)] == before else []

    def _tokenize(self, answer: str) -> list[int]:
        """Token ids of the whole chat up to where the model continues."""
        if answer:
            chat: Json = {"messages": [_QUESTION, {"role": "assistant", "content": answer}], **CONTINUE_LAST}
        else:
            chat = {"messages": [_QUESTION], "add_generation_prompt": True}
        return self._server.ask(f"{self._server.root}/tokenize", _Tokens, {**self._fields, **chat}).tokens

    def _detokenize(self, tokens: list[int]) -> str:
        payload = {"model": self._fields["model"], "tokens": tokens}
        return self._server.ask(f"{self._server.root}/detokenize", _Text, payload).prompt
