"""One model at one server: prompts become requests in the form the server honours, and replies become responses."""

from __future__ import annotations

import threading

from qbench.errors import ProviderError, UserError
from qbench.models.openai_http import AnswerError, Server
from qbench.models.openai_probe import Capabilities, probe
from qbench.models.openai_protocol import CONTINUE, Json, Reply, addressed, begun, ends_with
from qbench.models.openai_tokens import Place, PlaceFinder
from qbench.models.openai_words import weigh_by_id, weigh_by_text
from qbench.records import Prompt, Response

_FILTERED = ("content_filter", "content_policy_violation")
"""What servers call it when their filter, rather than the model, declines to answer."""


class Site:
    """What is known about one server, and how to ask it. Several threads may ask at once."""

    def __init__(self, server: Server, model: str, template: Json) -> None:
        self.server = server
        self._to = addressed(model, template)
        self._able: Capabilities | None = None
        self._finder = PlaceFinder(server, self._to)
        self._places: dict[tuple[str, str], Place | None] = {}
        self._lock = threading.Lock()

    @property
    def able(self) -> Capabilities:
        """What the server honours, asked at first use.

        Raises:
            ProviderError: It does not answer, or not for this model.
        """
        with self._lock:
            if self._able is None:
                self._able = probe(self.server, self._to)
            return self._able

    def answer(self, prompt: Prompt, messages: list[Json]) -> Response:
        """Text or word logits for one prompt, whose messages were made before.

        Raises:
            ProviderError: There is no usable answer.
            UserError: The server does not honour what the prompt needs.
        """
        if begun(prompt) and not self.able.prefill:
            raise UserError(
                f"{self.server.url} was not seen to continue the beginning of an answer ({begun(prompt)!r}), so this "
                "prompt would be another question there; use a server with continue_final_message, such as vLLM or "
                "SGLang, or a prompt that does not begin the answer"
            )
        try:
            if prompt.want == "words":
                return self._weigh(prompt, messages)
            return self._write(prompt, messages)
        except AnswerError as error:
            if error.code in _FILTERED:
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

    def _weigh(self, prompt: Prompt, messages: list[Json]) -> Response:
        prefill = begun(prompt)
        places = {word: self._place(prefill, word) for word in prompt.words} if self.able.by_id else {}
        if any(places.values()):
            return weigh_by_id(self._ask_next, messages, places)
        if self.able.top:
            return weigh_by_text(self._ask_next, messages, prompt.words, prefill, self.able.top)
        raise UserError(
            f"{self.server.url} gives no log-probabilities of {self._to['model']}, so words cannot be weighed"
        )

    def _place(self, prefill: str, word: str) -> Place | None:
        if (prefill, word) not in self._places:
            self._places[prefill, word] = self._finder.place(prefill, word)
        return self._places[prefill, word]

    def _ask_next(self, messages: list[Json], wanted: Json) -> Reply:
        return self._ask(messages, {**self.able.dialect.settings(1), "logprobs": True, **wanted})

    def _ask(self, messages: list[Json], settings: Json) -> Reply:
        beginning = messages[-1]["content"] if messages[-1]["role"] == "assistant" else ""
        payload = {**self._to, "messages": messages, **settings, **(CONTINUE if beginning else {})}
        reply = self.server.ask(f"{self.server.url}/chat/completions", Reply, payload)
        if beginning and reply.prompt_text is not None and not ends_with(reply.prompt_text, beginning):
            raise ProviderError("permanent", f"{self.server.url} did not continue the beginning of the answer")
        return reply
