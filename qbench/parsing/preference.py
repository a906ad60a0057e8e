"""Which of two images a reply prefers, or that they are alike (2AFC, Section III-A, https://arxiv.org/abs/2402.01162)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from qbench.parsing.asserting import conclusion, corrected, sentences
from qbench.parsing.cleaning import clean
from qbench.parsing.evidence import Parsed, choose, is_open
from qbench.parsing.mentions import Choices
from qbench.parsing.options import NOUNS

Preference = Literal["first", "second", "tie"]

_SIDES: tuple[Preference, Preference] = ("first", "second")
_PLACES = (("first", "1st", "left", "former", "第一张", "前者"), ("second", "2nd", "right", "latter", "第二张", "后者"))
_MARKS = (("1", "one", "A"), ("2", "two", "B"))
_CHOICES = Choices(
    tuple(
        (
            *(f"{place} {noun}" for place in places for noun in (*NOUNS, "one")),
            *(f"{noun} {mark}" for noun in (*NOUNS, "option") for mark in marks),
            f"the {places[0]}",
        )
        for places, marks in zip(_PLACES, _MARKS, strict=True)
    ),
    alone=tuple((*places, *marks[:2]) for places, marks in zip(_PLACES, _MARKS, strict=True)),
)
_QUALITY = r"(?:(?:visual|image|overall|perceptual|technical) ){0,2}(?:quality|sharpness)"
_OF_QUALITY = r"(?! (?!(?:visual|image|overall|perceptual|quality|picture|photo|one|than|in|of|due|and)\b)\w)"
"""No noun follows but one of quality: "better colors" is no verdict on the whole."""
_BETTER = (
    rf"(?:better|best|superior|higher|sharper|clearer|crisper|cleaner|nicer){_OF_QUALITY}|prefer\w*|wins?"
    r"|winner|more (?:visually )?(?:appealing|pleasing|detailed|natural|clear|attractive|balanced)"
)
_WORSE = r"wors\w+|lower|less|least|blurr\w+|nois\w+|grain\w+|\w+exposed|distort\w+|artifacts?|degrad\w+|dark"
_TIE = re.compile(
    rf"(?i)\b(?:(?:a|it's|is) (?:tie|draw)|tied|equally (?:good|sharp)|(?:same|similar|comparable|identical|equal)"
    rf"(?= (?:in )?{_QUALITY})|(?:are|look) (?:\w+ )?(?:the same|equal|identical)(?=[.,]|\Z)|indistinguishable|on par"
    r"|no (?:\w+ ){0,2}difference|neither (?:\w+ ){0,3}(?:is|has|looks) better)\b|一样|相同"
    r"|\A\W*(?:a tie|tie|(?:the )?same|equal|both|neither|draw)\W*\Z"
)
_NO_TIE = re.compile(
    rf"(?i)\b(?:not|never|nearly|almost|but|however|although|though|except|if|style|scene|subject|content|{_BETTER}|more"
    r"|less|worse|worst|lower|out of the question|ruled out)\b|n't\b"
)
_UNSURE = re.compile(
    r"(?i)\b(?:would (?!say|choose|pick|go|rate|prefer)|ought|suppos\w+|suggest\w*|(?:un)?true|false|naive|granted|had"
    r"|for better|expected|deserv\w*|requir\w*|begs?|missing|used to)\b"
)
_ASKS_QUALITY = re.compile(r"(?i)\b(?:better|best|prefer\w*|superior|good|high(?:er|est)(?: \w+)? quality)\b")
_ASKS_OPPOSITE = re.compile(r"(?i)\b(?:wors[et]|worst|low(?:er|est)|less|least|inferior|delete|discard|not)\b")
_COMPARATIVE = re.compile(r"(?i)\b((?:more|less|most|least) \w+|(?!other|either|rather|over|after)\w{3,}(?:er|est))\b")


def parse_preference(reply: str, question: str = "") -> Parsed[Preference]:
    """Read which of two images a reply prefers, "first", "second" or "tie", as the answer to the question.

    That is which is better, unless it is given: "the noisier one" counts where that was asked.
    """
    text = clean(reply)
    found = choose(text, _CHOICES, by_name=False)
    if found.value is not None:
        return Parsed(_SIDES[found.value])
    if found.reason in {"empty", "refused", "out of range"}:
        return Parsed(reason=found.reason)
    mentions, verdict = _CHOICES.mentions(text), _verdict(question)
    said = [each for each in sentences(text, mentions) if verdict.search(each.main) and not _UNSURE.search(each.main)]
    told = {each.choice for each in said if each.choice in (0, 1)}
    last = conclusion(text, said) if len(told) > 1 else None
    told = told if last is None else {last}
    doubted = is_open(text) or corrected(text) or any(re.search(_WORSE, verdict.sub(" ", each.main)) for each in said)
    alike = any(_TIE.search(sentence) for sentence in re.split(r"[.!?\n;]", text))
    if len(told) == 1 and not (doubted or alike):
        return Parsed(_SIDES[told.pop() or 0])
    if alike and not (told or doubted or _NO_TIE.search(text)):
        return Parsed("tie")
    return Parsed(reason="ambiguous" if mentions else "unparseable")


@lru_cache(maxsize=256)
def _verdict(question: str) -> re.Pattern[str]:
    """The words that answer a question of two; none where it is not of quality and compares nothing by name."""
    if question and (_ASKS_OPPOSITE.search(question) or not _ASKS_QUALITY.search(question)):
        compared = "|".join(re.escape(word) for word in _COMPARATIVE.findall(question))
        return re.compile(rf"(?i)\b(?:{compared or '(?!)'})\b")
    return re.compile(rf"(?i)\b(?:{_BETTER})\b|更好|更清晰|更高")
