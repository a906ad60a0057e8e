"""Logits of words from a server's log-probabilities of the next token.

Output is never constrained to the words: that would renormalise their probabilities.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from qbench.models.openai.protocol import (
    ChatCompletion,
    Json,
    ask_for_ids,
    logprobs_by_id,
    logprobs_by_text,
    with_prefill,
)
from qbench.models.openai.tokens import WordTokens
from qbench.records import Response

AskNext = Callable[[list[Json], Json], ChatCompletion]
"""Asks for one token after the messages, with fields that say which log-probabilities to report."""


def logits_by_id(ask: AskNext, messages: list[Json], tokens: Mapping[str, WordTokens | None]) -> Response:
    """Exact log-probability of every word, by those of all its tokens.

    One request gives the first tokens of all words. Each further token of a word takes a request of its own, in which
    the answer begins with the tokens before it.
    """
    known = {word: found for word, found in tokens.items() if found}
    firsts = {found.first for found in known.values()}
    replies = [ask(messages, ask_for_ids(firsts))]
    logprobs = logprobs_by_id(replies[0], firsts)
    logits = {word: logprobs[found.first] for word, found in known.items() if found.first in logprobs}
    further = [(word, *step) for word, found in known.items() for step in found.steps[1:]]
    for word, token, beginning in further:
        if word in logits:
            replies.append(ask(with_prefill(messages, beginning), ask_for_ids({token})))
            so_far = logits.pop(word)
            logprob = logprobs_by_id(replies[-1], {token}).get(token)
            if logprob is not None:
                logits[word] = so_far + logprob
    notes = [f"{word!r} is {len(found.steps)} tokens" for word, found in known.items() if len(found.steps) > 1]
    notes += _missing([word for word in tokens if word not in known], "cannot be weighed by its tokens here")
    notes += _missing([word for word in known if word not in logits], "not reported by the server")
    return _response(replies, logits, notes)


def logits_by_text(ask: AskNext, messages: list[Json], words: Sequence[str], prefill: str, top: int) -> Response:
    """Log-probabilities of the words among the most probable tokens; the others have none and are named in a note."""
    reply = ask(messages, {"top_logprobs": top})
    logits = logprobs_by_text(reply, words, prefill)
    reason = f"not among the {len(reply.tokens) - 1} most probable tokens"
    return _response([reply], logits, _missing([word for word in words if word not in logits], reason))


def add_usage(replies: Sequence[ChatCompletion]) -> dict[str, float]:
    """Tokens and costs of several requests together."""
    return {name: sum(reply.counts.get(name, 0.0) for reply in replies) for name in replies[0].counts}


def _missing(words: Sequence[str], reason: str) -> list[str]:
    return [f"{reason}: {', '.join(words)}"] if words else []


def _response(replies: Sequence[ChatCompletion], logits: Mapping[str, float], notes: Sequence[str]) -> Response:
    usage = add_usage(replies)
    if not all(reply.tokens for reply in replies):
        return Response(failure="the server returned no log-probabilities", usage=usage)
    return Response(text=replies[0].choice.message.content, logits=logits, usage=usage, note="; ".join(notes) or None)
