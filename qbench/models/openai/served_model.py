"""One model at one server: prompts as requests in the form that the server honours, its replies as responses.

Output is never constrained to the words that are weighed: that would renormalise their probabilities. Losses take one
request a continuation, in which the answer is begun with it, and the server reads all of the prompt again for each.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from qbench.errors import ProviderError, UserError
from qbench.models.openai.capabilities import Capabilities, find_capabilities
from qbench.models.openai.encoder import EncoderCapabilities, ServedEncoder
from qbench.models.openai.protocol import (
    CONTINUE_AND_SHOW,
    ChatCompletion,
    Json,
    ask_for_ids,
    ask_for_prompt,
    ends_with,
    logprobs_by_id,
    logprobs_by_text,
    logprobs_of_ending,
    prefill_of,
    request_fields,
    with_prefill,
)
from qbench.models.openai.server import AnswerError, Server
from qbench.models.openai.tokens import ServerTokenizer, WordTokens
from qbench.models.word_tokens import space_between
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

    def capabilities(self) -> Capabilities | EncoderCapabilities:
        """What the server honours, found out at first use.

        Raises:
            ProviderError: It does not answer, or not for this model.
            UserError: It has an encoder that compares no images.
        """
        return self._find().able

    def _find(self) -> ServedChat | ServedEncoder:
        with self._lock:
            if self._model is None:
                able = find_capabilities(self.server, self._fields)
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
            return self._weigh_by_id(messages, tokens)
        if not self.able.top:
            raise UserError(
                f"{self._server.url} gives no log-probabilities of {self._fields['model']}, so words cannot be weighed"
            )
        reply = self._ask_next(messages, {"top_logprobs": self.able.top})
        logits = logprobs_by_text(reply, prompt.words, prefill)
        reason = f"not among the {len(reply.tokens) - 1} most probable tokens"
        return _weighed([reply], logits, _missing([word for word in prompt.words if word not in logits], reason))

    def _tokens_of(self, prefill: str, word: str) -> WordTokens | None:
        if (prefill, word) not in self._known_tokens:
            self._known_tokens[prefill, word] = self._tokenizer.word_tokens(prefill, word)
        return self._known_tokens[prefill, word]

    def _weigh_by_id(self, messages: list[Json], tokens: Mapping[str, WordTokens | None]) -> Response:
        """Exact log-probability of every word, by those of all its tokens.

        One request gives the first tokens of all words. Each further token of a word takes a request of its own, in
        which the answer begins with the tokens before it.
        """
        known = {word: found for word, found in tokens.items() if found}
        firsts = {found.first for found in known.values()}
        replies = [self._ask_next(messages, ask_for_ids(firsts))]
        logprobs = logprobs_by_id(replies[0], firsts)
        logits = {word: logprobs[found.first] for word, found in known.items() if found.first in logprobs}
        further = [(word, *step) for word, found in known.items() for step in found.steps[1:]]
        for word, token, beginning in further:
            if word in logits:
                replies.append(self._ask_next(with_prefill(messages, beginning), ask_for_ids({token})))
                so_far = logits.pop(word)
                logprob = logprobs_by_id(replies[-1], {token}).get(token)
                if logprob is not None:
                    logits[word] = so_far + logprob
        notes = [f"{word!r} is {len(found.steps)} tokens" for word, found in known.items() if len(found.steps) > 1]
        notes += _missing([word for word in tokens if word not in known], "cannot be weighed by its tokens here")
        notes += _missing([word for word in known if word not in logits], "not reported by the server")
        return _weighed(replies, logits, notes)

    def _measure_losses(self, prompt: Prompt, messages: list[Json]) -> Response:
        """Mean negative log-likelihood of the tokens of each continuation."""
        if not self.able.gives_prompt:
            raise UserError(
                f"{self._server.url} gives no log-probabilities of the prompt's own tokens, so losses cannot be "
                "measured; vLLM does (prompt_logprobs)"
            )
        prefill = prefill_of(prompt)
        replies, losses = [], {}
        for text in prompt.words:
            own = self._ending_of(prefill, text)
            if not own:
                return Response(failure=f"the tokenizer has no tokens of their own for {text!r} here")
            begun = with_prefill(messages, prefill + space_between(prefill, text) + text)
            replies.append(self._ask_one(begun, ask_for_prompt()))
            logprobs = logprobs_of_ending(replies[-1], own)
            if logprobs is None:
                failure = f"{self._server.url} did not report the tokens of {text!r}"
                return Response(failure=failure, usage=_usage_of(replies))
            losses[text] = -sum(logprobs) / len(logprobs)
        return Response(losses=losses, usage=_usage_of(replies))

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


def _usage_of(replies: Sequence[ChatCompletion]) -> dict[str, float]:
    """Tokens and costs of several requests together."""
    return {name: sum(reply.counts.get(name, 0.0) for reply in replies) for name in replies[0].counts}


def _missing(words: Sequence[str], reason: str) -> list[str]:
    return [f"{reason}: {', '.join(words)}"] if words else []


def _weighed(replies: Sequence[ChatCompletion], logits: Mapping[str, float], notes: Sequence[str]) -> Response:
    usage = _usage_of(replies)
    if not all(reply.tokens for reply in replies):
        return Response(failure="the server returned no log-probabilities", usage=usage)
    return Response(text=replies[0].choice.message.content, logits=logits, usage=usage, note="; ".join(notes) or None)
