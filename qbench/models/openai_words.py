"""Words weighed by a server's log-probabilities of the next token.

Output is never constrained to the words: that would renormalise their probabilities.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from qbench.models.openai_protocol import (
    Json,
    Reply,
    chosen_ids,
    weights_by_id,
    weights_by_text,
    with_beginning,
)
from qbench.models.openai_tokens import Place
from qbench.records import Response

AskNext = Callable[[list[Json], Json], Reply]
"""Ask for one token after the messages, with fields that say which log-probabilities to report."""


def weigh_by_id(ask: AskNext, messages: list[Json], places: Mapping[str, Place | None]) -> Response:
    """Every word exactly, by the log-probabilities of all its tokens.

    One request tells the first tokens of all words. Each further token of a word takes a request of its own, in which
    the answer begins with the tokens before it.
    """
    known = {word: place for word, place in places.items() if place}
    firsts = {place.first for place in known.values()}
    replies = [ask(messages, chosen_ids(firsts))]
    weights = weights_by_id(replies[0], firsts)
    logits = {word: weights[place.first] for word, place in known.items() if place.first in weights}
    further = [(word, *step) for word, place in known.items() for step in place.steps[1:]]
    for word, token, beginning in further:
        if word in logits:
            replies.append(ask(with_beginning(messages, beginning), chosen_ids({token})))
            first_ones = logits.pop(word)
            weight = weights_by_id(replies[-1], {token}).get(token)
            if weight is not None:
                logits[word] = first_ones + weight
    notes = [f"{word!r} is {len(place.steps)} tokens" for word, place in known.items() if len(place.steps) > 1]
    notes += _missing([word for word in places if word not in known], "cannot be weighed by its tokens here")
    notes += _missing([word for word in known if word not in logits], "not reported by the server")
    return _response(replies, logits, notes)


def weigh_by_text(ask: AskNext, messages: list[Json], words: Sequence[str], prefill: str, top: int) -> Response:
    """The words that are among the most probable tokens; the others have no logit and are named."""
    reply = ask(messages, {"top_logprobs": top})
    logits = weights_by_text(reply, words, prefill)
    reason = f"not among the {len(reply.tokens) - 1} most probable tokens"
    return _response([reply], logits, _missing([word for word in words if word not in logits], reason))


def _missing(words: Sequence[str], reason: str) -> list[str]:
    return [f"{reason}: {', '.join(words)}"] if words else []


def _response(replies: Sequence[Reply], logits: Mapping[str, float], notes: Sequence[str]) -> Response:
    usage = {name: sum(reply.counts.get(name, 0.0) for reply in replies) for name in replies[0].counts}
    if not all(reply.tokens for reply in replies):
        return Response(failure="the server returned no log-probabilities", usage=usage)
    return Response(text=replies[0].choice.message.content, logits=logits, usage=usage, note="; ".join(notes) or None)
