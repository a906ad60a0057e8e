"""Services that anybody can ask, by the names people write: `openai/gpt-5.2`, `anthropic/…`, `hf/owner/name`, `vllm/…`.

Each speaks OpenAI's protocol at its address, with the key in its own variable, which goes to no other address.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Provider:
    """A service and what its models are called."""

    address: str
    """Empty for servers of one's own."""
    key: str
    """Environment variable."""
    words: str
    """Whether its models can weigh words, in one sentence."""
    families: tuple[str, ...] = ()
    """How names of its models begin, where the Hub has checkpoints under the same owner; empty where it has none."""
    address_in: str = ""
    """Environment variable with the address of a server of one's own; where it is not set, a server is started."""

    def where(self) -> str:
        """The address to ask; empty where a server is to be started."""
        return self.address or os.environ.get(self.address_in, "")


_NONE = "no log-probabilities: words are not weighed, so ask for text (replies, descriptions, `--mode rating`)"
PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider(
        "https://api.openai.com/v1",
        "OPENAI_API_KEY",
        "the 20 likeliest words, of models that do not reason",
        ("gpt-3", "gpt-4", "gpt-5", "gpt-6", "chatgpt-", "o1", "o3", "o4"),
    ),
    "anthropic": Provider("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", _NONE),
    "google": Provider(
        "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", _NONE, ("gemini-",)
    ),
    "hf": Provider("https://router.huggingface.co/v1", "HF_TOKEN", "the 5 likeliest words at most"),
    "openrouter": Provider("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "as the service behind it does"),
    "vllm": Provider("", "VLLM_API_KEY", "every word, by its token ids", address_in="VLLM_BASE_URL"),
}


def find_provider(name: str) -> tuple[Provider, str] | None:
    """The service that a name begins with, and what the model is called there; None where it names none."""
    before, slash, model = name.partition("/")
    found = PROVIDERS.get(before)
    if not slash or not model or found is None or not model.startswith(found.families or ("",)):
        return None
    return found, model
