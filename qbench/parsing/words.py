"""Answers that are one word of a fixed list: yes or no, and the quality words of the ITU scale."""

from __future__ import annotations

import re
from typing import Literal

from qbench.parsing.choices import choices_of
from qbench.parsing.cleaning import clean
from qbench.parsing.option_names import YES_OR_NO
from qbench.parsing.options import choose
from qbench.parsing.outcome import Parsed

YesNo = Literal["yes", "no"]
QualityWord = Literal["excellent", "good", "fair", "poor", "bad"]

_YES_NO: tuple[YesNo, ...] = ("yes", "no")
_YES_NO_CHOICES = choices_of([["yes", "yeah", "yep"], ["no", "nope"]], alone=[YES_OR_NO["yes"], YES_OR_NO["no"]])

_QUALITY: tuple[QualityWord, ...] = ("excellent", "good", "fair", "poor", "bad")
_DEGREES = ("", "very ", "quite ", "relatively ", "rather ", "extremely ", "generally ", "really ")
_QUALITY_CHOICES = choices_of(
    [["excellent"], ["good", "high quality"], ["fair"], ["poor", "low quality"], ["bad"]],
    short=[[], [degree + "high" for degree in _DEGREES] + ["fine"], [], [degree + "low" for degree in _DEGREES], []],
)
_LEVEL = re.compile(
    r"(?i)\b(quality(?: of (?:the|this) \w{1,20})?(?: (?:is|as|was|appears|looks|seems)|:)"
    r"(?: \w{1,20}ly| very| quite| rather)?) (high|low)\b"
)
_SYNONYMS = {"high": "good", "low": "poor"}


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
    text = _LEVEL.sub(lambda level: f"{level[1]} {_SYNONYMS[level[2].casefold()]}", clean(reply))
    found = choose(text, _QUALITY_CHOICES, subject="QUALITY")
    return Parsed(None if found.value is None else _QUALITY[found.value], found.reason, found.how)
