"""What may be chosen and how it may be called; and replies that are nothing but such a name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from qbench.parsing.mentions import Phrases, phrase_of, phrase_of_wording, spoken
from qbench.parsing.outcome import Parsed, agree

_QUESTION = re.compile(r"(?:\A|(?<=[.!?\n]))[^.!?\n]*\?")


@dataclass(frozen=True)
class Choices:
    """The wordings of each choice, and whether letters stand for them."""

    letters: int
    """How many option letters there are, from A; 0 where letters mean nothing."""
    spoken: Phrases
    """Wordings that count wherever they stand."""
    alone: Mapping[str, frozenset[int]]
    """Wordings, their words run together, that count where nothing else is said."""


def choices_of(wordings: Sequence[Iterable[str]], *, letters: int = 0, alone: Sequence[Iterable[str]] = ()) -> Choices:
    """Index every wording of each choice; `alone` adds wordings too common to count in running text."""
    keys: dict[str, frozenset[int]] = {}
    for group in (wordings, alone):
        for index, names in enumerate(group):
            for key in ("".join(phrase_of_wording(name)) for name in names):
                keys[key] = keys.get(key, frozenset()) | {index}
    return Choices(letters, spoken(wordings), {key: indices for key, indices in keys.items() if key})


def whole(text: str, choices: Choices) -> Parsed[int] | None:
    """`text` is the wording of a choice and nothing else, but for case, punctuation, spacing and an article."""
    indices = choices.alone.get("".join(phrase_of(text)))
    return agree(Parsed(index, how="text") for index in indices or ())


def without_questions(text: str) -> str:
    """A question asserts nothing, above all one the model only repeats."""
    return _QUESTION.sub("", text)
