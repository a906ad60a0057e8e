"""One model at one server: prompts as requests in the form that the server honours, its replies as responses."""

from __future__ import annotations

import threading

from qbench.errors import ProviderError, UserError
from qbench.models.openai.capabilities import Capabilities, find_capabilities
from qbench.models.openai.http import AnswerError, Server
from qbench.models.openai.protocol import CONTINUE_AND_SHOW, ChatCompletion, Json, ends_with, prefill_of, request_fields
from qbench.models.openai.tokens import ServerTokenizer, WordTokens
from qbench.models.openai.words import logits_by_id, logits_by_text
from qbench.records import Prompt, Response

_FILTER_CODES = ("content_filter", "content_policy_violation")
"""Error codes of a server whose filter, rather than the model, declines to answer."""


class ServedModel:
    """A model at one server, and what that server honours. Several threads may ask at once."""

    def __init__(self, server: Server, model: str, template: Json) -> None:
        self.server = server
        self._fields = request_fields(model, template)
        self._capabilities: Capabilities | None = None
        self._tokenizer = ServerTokenizer(server, self._fields)
        self._known_tokens: dict[tuple[str, str], WordTokens | None] = {}
        self._lock = threading.Lock()

    @property
    def capabilities(self) -> Capabilities:
        """What the server honours, found out at first use.

        Raises:
            ProviderError: It does not answer, or not for this model.
        """
        with self._lock:
            if self._capabilities is None:
                self._capabilities = find_capabilities(self.server, self._fields)
            return self._capabilities

    def answer(self, prompt: Prompt, messages: list[Json]) -> Response:
        """Text or word logits for one prompt, whose messages were made before.

        Raises:
            ProviderError: There is no usable answer.
            UserError: The server does not honour what the prompt needs.
        """
        if (prefill := prefill_of(prompt)) and not self.capabilities.prefill:
            raise UserError(
                f"{self.server.url} was not seen to continue the beginning of an answer ({prefill!r}), so this prompt "
                "would be another question there; use a server with continue_final_message, such as vLLM or "
                "SGLang, or a prompt that does not begin the answer"
            )
        try:
            if prompt.want == "words":
                return self._score_words(prompt, messages)
            return self._write(prompt, messages)
        except AnswerError as error:
            if error.code in _FILTER_CODES:
                return Response(failure="refused", note=str(error))
            raise

    def _write(self, prompt: Prompt, messages: list[Json]) -> Response:
        reply = self._ask(messages, self.capabilities.dialect.settings(prompt.max_tokens, sample=prompt.repeat > 0))
        choice, usage = reply.choice, reply.counts
        if choice.message.refusal or choice.finish_reason == "content_filter":
            return Response(text=choice.message.refusal or choice.message.content, failure="refused", usage=usage)
        if not choice.message.content and choice.finish_reason == "length":
            return Response(failure=f"no answer within {prompt.max_tokens} tokens", usage=usage)
        return Response(text=choice.message.content or "", usage=usage)

    def _score_words(self, prompt: Prompt, messages: list[Json]) -> Response:
        prefill = prefill_of(prompt)
        able = self.capabilities
        tokens = {word: self._tokens_of(prefill, word) for word in prompt.words} if able.gives_chosen_ids else {}
        if any(tokens.values()):
            return logits_by_id(self._ask_next, messages, tokens)
        if able.top:
            return logits_by_text(self._ask_next, messages, prompt.words, prefill, able.top)
        raise UserError(
            f"{self.server.url} gives no log-probabilities of {self._fields['model']}, so words cannot be weighed"
        )

    def _tokens_of(self, prefill: str, word: str) -> WordTokens | None:
        if (prefill, word) not in self._known_tokens:
            self._known_tokens[prefill, word] = self._tokenizer.word_tokens(prefill, word)
        return self._known_tokens[prefill, word]

    def _ask_next(self, messages: list[Json], wanted: Json) -> ChatCompletion:
        return self._ask(messages, {**self.capabilities.dialect.settings(1), "logprobs": True, **wanted})

    def _ask(self, messages: list[Json], settings: Json) -> ChatCompletion:
        beginning = messages[-1]["content"] if messages[-1]["role"] == "assistant" else ""
        payload = {**self._fields, "messages": messages, **settings, **(CONTINUE_AND_SHOW if beginning else {})}
        reply = self.server.ask(f"{self.server.url}/chat/completions", ChatCompletion, payload)
        if beginning and reply.prompt_text is not None and not ends_with(reply.prompt_text, beginning):
            raise ProviderError("permanent", f"{self.server.url} did not continue the beginning of the answer")
        return reply
