"""A model that takes chats, at one server: prompts as requests in the form that it honours, replies as responses.

Output is never constrained to the words that are weighed: that would renormalise their probabilities. Losses take one
request a continuation, in which the answer is begun with it, and the server reads all of the prompt again for each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from qbench.errors import ProviderError, UserError
from qbench.models.openai import protocol
from qbench.models.openai.capabilities import ChatCapabilities
from qbench.models.openai.protocol import ChatCompletion, Json
from qbench.models.openai.server import AnswerError, Server, ServerTokenizer, Steps
from qbench.models.word_tokens import space_between
from qbench.records import Prompt, Response

_FILTER_CODES = ("content_filter", "content_policy_violation")
"""Error codes of a server whose filter, rather than the model, declines to answer."""


class ServedChat:
    """Several threads may ask at once."""

    def __init__(self, server: Server, fields: Json, able: ChatCapabilities) -> None:
        self.able = able
        self._server = server
        self._fields = fields
        tokenizer = ServerTokenizer(server, fields)
        self._steps_of, self._ending_of = cache(tokenizer.steps), cache(tokenizer.ending)

    def answer(self, prompt: Prompt, messages: list[Json]) -> Response:
        """Text, logits of words or losses for one prompt, whose messages were made before.

        Raises:
            ProviderError: There is no usable answer.
            UserError: The server does not honour what the prompt needs.
        """
        if (prefill := protocol.prefill_of(prompt)) and not self.able.prefill:
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
        prefill = protocol.prefill_of(prompt)
        exact = self.able.gives_chosen_ids
        steps = {word: self._steps_of(prefill, word) for word in prompt.words} if exact else {}
        if any(steps.values()):
            return self._weigh_by_id(messages, steps)
        if not self.able.top:
            raise UserError(
                f"{self._server.url} gives no log-probabilities of {self._fields['model']}, so words cannot be weighed"
            )
        reply = self._ask_one(messages, {"logprobs": True, "top_logprobs": self.able.top})
        logits = protocol.logprobs_by_text(reply, prompt.words, prefill)
        reason = f"not among the {len(reply.tokens) - 1} most probable tokens"
        return _weighed([reply], logits, _missing([word for word in prompt.words if word not in logits], reason))

    def _weigh_by_id(self, messages: list[Json], steps: Mapping[str, Steps]) -> Response:
        """Exact log-probability of every word, by those of all its tokens.

        One request gives the first tokens of all words. Each further token of a word takes a request of its own, in
        which the answer begins with the tokens before it.
        """
        known = {word: own for word, own in steps.items() if own}
        firsts = {word: own[0][0] for word, own in known.items()}
        replies = [self._ask_one(messages, protocol.ask_for_ids(firsts.values()))]
        logprobs = protocol.logprobs_by_id(replies[0], firsts.values())
        logits = {word: logprobs[first] for word, first in firsts.items() if first in logprobs}
        further = [(word, *step) for word, own in known.items() for step in own[1:]]
        for word, token, beginning in further:
            if word in logits:
                replies.append(self._ask_one(protocol.with_prefill(messages, beginning), protocol.ask_for_ids({token})))
                so_far = logits.pop(word)
                logprob = protocol.logprobs_by_id(replies[-1], {token}).get(token)
                if logprob is not None:
                    logits[word] = so_far + logprob
        notes = [f"{word!r} is {len(own)} tokens" for word, own in known.items() if len(own) > 1]
        notes += _missing([word for word in steps if word not in known], "cannot be weighed by its tokens here")
        notes += _missing([word for word in known if word not in logits], "not reported by the server")
        return _weighed(replies, logits, notes)

    def _measure_losses(self, prompt: Prompt, messages: list[Json]) -> Response:
        """Mean negative log-likelihood of the tokens of each continuation."""
        if not self.able.gives_prompt:
            raise UserError(
                f"{self._server.url} gives no log-probabilities of the prompt's own tokens, so losses cannot be "
                "measured; vLLM does (prompt_logprobs)"
            )
        prefill = protocol.prefill_of(prompt)
        replies, losses = [], {}
        for text in prompt.words:
            own = self._ending_of(prefill, text)
            if not own:
                return Response(failure=f"the tokenizer has no tokens of their own for {text!r} here")
            begun = protocol.with_prefill(messages, prefill + space_between(prefill, text) + text)
            replies.append(self._ask_one(begun, protocol.PROMPT_LOGPROBS))
            logprobs = protocol.logprobs_of_ending(replies[-1], own)
            if logprobs is None:
                failure = f"{self._server.url} did not report the tokens of {text!r}"
                return Response(failure=failure, usage=_usage_of(replies))
            losses[text] = -sum(logprobs) / len(logprobs)
        return Response(losses=losses, usage=_usage_of(replies))

    def _ask_one(self, messages: list[Json], wanted: Json) -> ChatCompletion:
        """One token, with fields that say what else to report."""
        return self._ask(messages, {**self.able.dialect.settings(1), **wanted})

    def _ask(self, messages: list[Json], settings: Json) -> ChatCompletion:
        beginning = messages[-1]["content"] if messages[-1]["role"] == "assistant" else ""
        payload = {**self._fields, "messages": messages, **settings}
        payload |= protocol.NO_PENALTY if self.able.takes_penalty else {}
        payload |= protocol.CONTINUE_AND_SHOW if beginning else {}
        reply = self._server.ask(f"{self._server.url}/chat/completions", ChatCompletion, payload)
        if beginning and reply.prompt_text is not None and not protocol.ends_with(reply.prompt_text, beginning):
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
