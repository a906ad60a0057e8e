"""One of several options, by letter or by text; and questions whose options are fixed: yes or no, quality, numbers.

Q-Bench asks with "A. High B. Medium C. Low" (Section 2.2.3, https://arxiv.org/abs/2309.14181).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, TypeVar

from qbench.parsing.cleaning import clean
from qbench.parsing.evidence import Parsed, choose
from qbench.parsing.mentions import Choices

YesNo = Literal["yes", "no"]
QualityWord = Literal["excellent", "good", "fair", "poor", "bad"]
T = TypeVar("T")

NOUNS = ("image", "picture", "photo", "photograph", "caption")
CARDINALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")

_YES_NO: tuple[YesNo, ...] = ("yes", "no")
_SAID = (("yes", "yeah", "yep", "是", "是的", "sí", "oui", "ja"), ("no", "nope", "否", "不是", "不", "non", "nein"))
_YES_NO_CHOICES = Choices(_SAID, letters=False)
_QUALITY: tuple[QualityWord, ...] = ("excellent", "good", "fair", "poor", "bad")
_QUALITY_SAID = (("excellent",), ("good", "high quality"), ("fair",), ("poor", "low quality"), ("bad",))
_QUALITY_CHOICES = Choices(
    _QUALITY_SAID, letters=False, alone=((), ("high", "fine", "very high"), (), ("low", "very low"), ())
)
_ASKS_DENIED = re.compile(r"(?i)\b(?:not|never|no|none|absent|without|lack\w*|least|miss\w*|except|free|\w+n't)\b")
_LETTER = re.compile(r"\s*\(?([A-Za-z])[).]?\s*\Z")  # and nothing else, as most replies are


def parse_option(reply: str, options: Sequence[str], question: str = "") -> Parsed[int]:
    """Read which of `options`, in the order they were lettered, a reply chooses: its index, or why there is none."""
    if (letter := _LETTER.match(reply)) and ord(letter[1].upper()) - ord("A") < len(options):
        return Parsed(ord(letter[1].upper()) - ord("A"))
    return choose(clean(reply), _offered(tuple(options), question))


@lru_cache(maxsize=4096)
def _offered(options: tuple[str, ...], question: str) -> Choices:
    return Choices(tuple((option,) for option in options), asks_denied=_ASKS_DENIED.search(question) is not None)


def parse_yes_no(reply: str) -> Parsed[YesNo]:
    """Read "yes" or "no" from a reply to a yes-or-no question; the "no" of "no blur" is not an answer."""
    return _of(_YES_NO, choose(clean(reply), _YES_NO_CHOICES))


def parse_quality_word(reply: str) -> Parsed[QualityWord]:
    """Read a word of the ITU quality scale from a rating in words.

    "high" and "fine" count as good and "low" as poor where they are said of the quality, the synonyms of Q-Bench
    Eqs. 3-4 and Table 11 (https://arxiv.org/abs/2309.14181). A denied word ("not good") is no answer.
    """
    return _of(_QUALITY, choose(clean(reply), _QUALITY_CHOICES))


def parse_numbered(reply: str, count: int, start: int = 1) -> Parsed[int]:
    """Read which of `count` images a reply names, by its letter or its number: "(C) Image 3", "the third image".

    They are lettered from A and numbered from `start`. "The second image" counts only where that is 1: of images 2 and
    3 it may be either.
    """
    if (letter := _LETTER.match(reply)) and ord(letter[1].upper()) - ord("A") < count:
        return Parsed(ord(letter[1].upper()) - ord("A"))
    return choose(clean(reply), _numbered(count, start))


@lru_cache(maxsize=64)
def _numbered(count: int, start: int) -> Choices:
    names, alone = [], []
    for number in range(start, start + count):
        words = (str(number), CARDINALS[number - 1])
        ordinal = _ORDINALS[number - 1] if start == 1 else ""
        spoken = [f"{noun} {word}" for noun in NOUNS for word in words]
        names.append((*spoken, *(f"{ordinal} {noun}" for noun in (*NOUNS, "one") if ordinal)))
        alone.append((*words, *([ordinal] if ordinal else [])))
    return Choices(tuple(names), alone=tuple(alone))


def _of(values: Sequence[T], found: Parsed[int]) -> Parsed[T]:
    return Parsed(None if found.value is None else values[found.value], found.reason)
