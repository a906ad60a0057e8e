"""Answers that are one word of a fixed list: yes or no, and the quality words of the ITU scale."""

from __future__ import annotations

import re
from typing import Literal

from qbench.parsing.choices import choices_of, whole
from qbench.parsing.cleaning import clean
from qbench.parsing.mentions import by_mention
from qbench.parsing.options import choose
from qbench.parsing.outcome import Parsed, agree

YesNo = Literal["yes", "no"]
QualityWord = Literal["excellent", "good", "fair", "poor", "bad"]

_YES_NO: tuple[YesNo, ...] = ("yes", "no")
_YES_NO_CHOICES = choices_of([["yes", "yeah", "yep"], ["no", "nope"]])

_QUALITY: tuple[QualityWord, ...] = ("excellent", "good", "fair", "poor", "bad")
_DEGREES = ("", "very ", "quite ", "relatively ", "rather ", "extremely ", "generally ", "really ")
_QUALITY_CHOICES = choices_of(
    [["excellent"], ["good", "high quality"], ["fair"], ["poor", "low quality"], ["bad"]],
    alone=[[], [degree + "high" for degree in _DEGREES] + ["fine"], [], [degree + "low" for degree in _DEGREES], []],
)
_QUALITY_IS = re.compile(
    r"(?i)\bquality(?: of (?:the|this) \w+)?(?: (?:is|as|was|appears|looks|seems)|:) ([^.,;:!?\n]{1,80})"
)


def parse_yes_no(reply: str) -> Parsed[YesNo]:
    """Read "yes" or "no" from a reply to a yes-or-no question; the "no" of "no blur" is not an answer."""
    found = choose(clean(reply), _YES_NO_CHOICES)
    return Parsed(None if found.value is None else _YES_NO[found.value], found.reason, found.how)


def parse_quality_word(reply: str) -> Parsed[QualityWord]:
    """Read a word of the ITU quality scale from a rating in words.

    "high" and "fine" count as good and "low" as poor, the synonyms of Q-Bench Eqs. 3-4 and Table 11
    (https://arxiv.org/abs/2309.14181), where they say something of the quality: "low light" does not.
    A denied word ("not good") is no answer: its opposite would be a guess.
    """
    text = clean(reply)
    stated = agree(
        whole(m[1], _QUALITY_CHOICES) or by_mention(m[1], _QUALITY_CHOICES.spoken) for m in _QUALITY_IS.finditer(text)
    )
    found = (stated and Parsed(stated.value, stated.reason, how="phrase")) or choose(text, _QUALITY_CHOICES)
    return Parsed(None if found.value is None else _QUALITY[found.value], found.reason, found.how)
