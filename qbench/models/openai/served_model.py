"""One model at one server: prompts as requests in the form that the server honours, its replies as responses."""

from __future__ import annotations

import threading

from qbench.errors import ProviderError, UserError
from qbench.models.openai.capabilities import Capabilities, find_capabilities
from qbench.models.openai.encoder import EncoderCapabilities, ServedEncoder
from qbench.models.openai.http import AnswerError, Server
from qbench.models.openai.losses import losses_of
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
        self._model: ServedChat | ServedEncoder | None = None
        self._lock = threading.Lock()

    def capabilities(self, *, patient: bool = False) -> Capabilities | EncoderCapabilities:
        """What the server honours, found out at first use.

        Args:
            patient: Whether a question that meets a passing fault is asked again here.

        Raises:
            ProviderError: It does not answer, or not for this model.
            UserError: It has an encoder that compares no images.
        """
        return self._find(patient=patient).able

    def _find(self, *, patient: bool = False) -> ServedChat | ServedEncoder:
        with self._lock:
            if self._model is None:
                able = find_capabilities(self.server.patient() if patient else self.server, self._fields)
                self._model = (
                    ServedEncoder(self.server, self._fields["model"], able)
                    if isinstance(able, EncoderCapabilities)
                    else ServedChat(self.server, self._fields, able)
                )
            return self._model

    def answer(self, prompt: Prompt, messages: list[Json]) -> Response:
        """Whatever one prompt wants, whose messages were made before.

        Raises:
            ProviderError: There is no usable answer.
            UserError: The server does not honour what the prompt needs.
        """
        return self._find().answer(prompt, messages)


class ServedChat:
    """A model that takes chats, at one server."""

    def __init__(self, server: Server, fields: Json, able: Capabilities) -> None:
        self.able = able
        self._server = server
        self._fields = fields
        self._tokenizer = ServerTokenizer(server, fields)
        self._known_tokens: dict[tuple[str, str], WordTokens | None] = {}
        self._known_endings: dict[tuple[str, str], tuple[int, ...]] = {}

    def answer(self, prompt: Prompt, messages: list[Json]) -> Response:
        """Text, logits of words or losses for one prompt; see `ServedModel.answer`."""
        if (prefill := prefill_of(prompt)) and not self.able.prefill:
            raise UserError(
                f"{self._server.url} was not seen to continue the beginning of an answer ({prefill!r}), so this prompt "
                "would be another question there; use a server with continue_final_message, such as vLLM or "
                "SGLang, or a prompt that does not begin the answer"
            )
        try:
            if prompt.want == "words":
                return self._score_words(prompt, messages)
            if prompt.want == "losses":
                return self._measure_losses(prompt, messages)
            return self._write(prompt, messages)
        except AnswerError as error:
            if error.code in _FILTER_CODES:
                return Response(failure="refused", note=str(error))
            raise

    def _write(self, prompt: Prompt, messages: list[Json]) -> Response:
        reply = self._ask(messages, self.able.dialect.settings(prompt.max_tokens, sample=prompt.repeat > 0))
        choice, usage = reply.choice, reply.counts
        if choice.message.refusal or choice.finish_reason == "content_filter":
            return Response(text=choice.message.refusal or choice.message.content, failure="refused", usage=usage)
        if not choice.message.content and choice.finish_reason == "length":
            return Response(failure=f"no answer within {prompt.max_tokens} tokens", usage=usage)
        return Response(text=choice.message.content or "", usage=usage)

    def _score_words(self, prompt: Prompt, messages: list[Json]) -> Response:
        prefill = prefill_of(prompt)
        exact = self.able.gives_chosen_ids
        tokens = {word: self._tokens_of(prefill, word) for word in prompt.words} if exact else {}
        if any(tokens.values()):
            return logits_by_id(self._ask_next, messages, tokens)
        if self.able.top:
            return logits_by_text(self._ask_next, messages, prompt.words, prefill, self.able.top)
        raise UserError(
            f"{self._server.url} gives no log-probabilities of {self._fields['model']}, so words cannot be weighed"
        )

    def _tokens_of(self, prefill: str, word: str) -> WordTokens | None:
        if (prefill, word) not in self._known_tokens:
            self._known_tokens[prefill, word] = self._tokenizer.word_tokens(prefill, word)
        return self._known_tokens[prefill, word]

    def _measure_losses(self, prompt: Prompt, messages: list[Json]) -> Response:
        if not self.able.gives_prompt:
            raise UserError(
                f"{self._server.url} gives no log-probabilities of the prompt's own tokens, so losses cannot be "
                "measured; vLLM does (prompt_logprobs)"
            )
        prefill = prefill_of(prompt)
        tokens = {text: self._ending_of(prefill, text) for text in prompt.words}
        return losses_of(self._ask_one, messages, prefill, tokens, self._server.url)

    def _ending_of(self, prefill: str, text: str) -> tuple[int, ...]:
        if (prefill, text) not in self._known_endings:
            self._known_endings[prefill, text] = self._tokenizer.ending(prefill, text)
        return self._known_endings[prefill, text]

    def _ask_one(self, messages: list[Json], wanted: Json) -> ChatCompletion:
        """One token, with fields that say what else to report."""
        return self._ask(messages, {**self.able.dialect.settings(1), **wanted})

    def _ask_next(self, messages: list[Json], wanted: Json) -> ChatCompletion:
        return self._ask_one(messages, {"logprobs": True, **wanted})

    def _ask(self, messages: list[Json], settings: Json) -> ChatCompletion:
        beginning = messages[-1]["content"] if messages[-1]["role"] == "assistant" else ""
        payload = {**self._fields, "messages": messages, **settings, **(CONTINUE_AND_SHOW if beginning else {})}
        reply = self._server.ask(f"{self._server.url}/chat/completions", ChatCompletion, payload)
        if beginning and reply.prompt_text is not None and not ends_with(reply.prompt_text, beginning):
            raise ProviderError("permanent", f"{self._server.url} did not continue the beginning of the answer")
        return reply
