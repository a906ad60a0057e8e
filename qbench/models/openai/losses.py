"""Losses of continuations by a server's log-probabilities of its prompt's tokens (`prompt_logprobs` of vLLM).

Each continuation takes one request, in which the answer is begun with it. The server reads all of the prompt again for
each, since it keeps no keys and values of prompts whose tokens it weighs.
"""

from __future__ import annotations

from collections.abc import Mapping

from qbench.models.openai.protocol import Json, ask_for_prompt, logprobs_of_ending, with_prefill
from qbench.models.openai.words import AskNext, add_usage
from qbench.models.word_tokens import space_between
from qbench.records import Response


def losses_of(
    ask: AskNext, messages: list[Json], prefill: str, tokens: Mapping[str, tuple[int, ...]], server: str
) -> Response:
    """Mean negative log-likelihood of the tokens of each continuation.

    Args:
        ask: Asks the server.
        messages: The prompt.
        prefill: The beginning of the answer, before each continuation.
        tokens: Continuation -> its tokens there.
        server: Its address, for a failure.
    """
    replies, losses = [], {}
    for text, own in tokens.items():
        if not own:
            return Response(failure=f"the tokenizer has no tokens of their own for {text!r} here")
        reply = ask(with_prefill(messages, prefill + space_between(prefill, text) + text), ask_for_prompt())
        replies.append(reply)
        logprobs = logprobs_of_ending(reply, own)
        if logprobs is None:
            return Response(failure=f"{server} did not report the tokens of {text!r}", usage=add_usage(replies))
        losses[text] = -sum(logprobs) / len(logprobs)
    return Response(losses=losses, usage=add_usage(replies))
