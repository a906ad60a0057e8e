"""What the sentences of a reply say of the choices that they name: asserted, denied, or neither.

Of a sentence its main part counts, before a reason ("because ...") or a comparison ("unlike the third, ...").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from qbench.parsing.mentions import Mention

DENIED = -3  # the choice of a sentence that denies the one it names


def words(text: str) -> frozenset[str]:
    """The words, or the phrases parted by "|", of a list in one line."""
    return frozenset(text.split("|" if "|" in text else None))


_CORRECTIONS = words(
    "wait|actually|correction|corrected|second thought|scratch that|i mean|rather,|no,|oops|edit:|erratum|double-check"
    "|hmm|double check|closer look|close look|closer inspection|close inspection|at first|i first|first thought"
    "|first guess|first impression|first glance|initial|mistak|should read|should be|tempt|changed my mind|hold on"
    "|misread|slip|swap|disregard|rephrase|make that|that is wrong|that was wrong|well,|on reflection|change that"
    "|change it|change my|typed|revis|in truth|in fact"
)
"""What may take an answer back."""
_SENTENCE = re.compile(r"[^.!?\n。]*(?:[.](?=\w)[^.!?\n。]*)*(?:[.!?。]+|\n|\Z)")
_ASIDES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(words("because since while whereas unlike than although though but however yet"), ("",)),
    "as": ("it ", "they ", "the ", "there ", "both ", "all ", "evidenced", "shown", "indicated", "opposed to"),
    "compared": ("to ", "with "),
    "in": ("comparison", "contrast"),
    "rather": ("than",),
    "instead": ("of",),
    "due": ("to",),
    "given": ("that",),
}
"""Words with which a reason or a comparison begins, and what follows them."""
_TURNS, _AFTER_COMMA = words("although though but however yet"), words("as not with")
_ASIDE_FIRST = re.compile(
    r"(?i)\s*(?:while|although|though|even though|unlike|compared|since|because|as|given|in contrast|rather|despite"
    r"|if (?:i|we) (?:had|have|must|were))\b"
)
_ASIDE = re.compile(rf"(?i)\b(?:{'|'.join(_ASIDES)}|{'|'.join(_AFTER_COMMA - _ASIDES.keys())})(?![\w'])")
_WORDS = re.compile(r"[a-z']+")
_DENIES = words(
    "not no nor neither never none nothing without cannot wrong incorrect rule ruled ruling eliminated "
    "except excluded less least lack lacks lacking free hardly barely rarely doubt false unlikely fail fails "
    "absent absence devoid slightly somewhat bit little almost nearly too different differ differs worse"
)
_SUPPOSES = words(
    "instead if whether or either could might may should only need needs needed avoid avoided wish want expected "
    "both some also were"
)
_CONCLUDES = words("therefore thus hence so overall conclusion conclude summary final answer guess best correct")
_CONCLUDING = words("based on|i would|i'd|i believe|i think|i say|most likely|must choose|因此|所以")
_ENDS = ".!?)\"'。"  # the last characters of a reply that is not cut off


class Sentence(NamedTuple):
    """The one choice that a sentence asserts, DENIED, or None where it is unsure; and its main part."""

    choice: int | None = None
    main: str = ""


def corrected(text: str, start: int = 0, end: int | None = None) -> int:
    """Where a part of a text first may take an answer back, counted from 1; 0 where it does not."""
    part = text[start:end].lower()
    return min((start + part.index(phrase) + 1 for phrase in _CORRECTIONS if phrase in part), default=0)


def sentences(text: str, mentions: Sequence[Mention]) -> list[Sentence]:
    """The sentences of a text that name a choice."""
    said, at = [], 0
    for match in _SENTENCE.finditer(text) if mentions else ():
        inside = []
        while at < len(mentions) and mentions[at].start < match.end():
            inside.append(mentions[at])
            at += 1
        if inside:
            said.append(_sentence(text, match.start(), match.end(), inside))
    return said


def named(text: str, mentions: Sequence[Mention]) -> int | None:
    """The one choice that a reply names and asserts; of several, the one that it concludes with or begins with."""
    said = sentences(text, mentions)
    told = {sentence.choice for sentence in said} - {None}
    if len({mention.choice for mention in mentions}) == 1:
        return told.pop() if len(told) == 1 and DENIED not in told else None
    first = said[0].choice if said and _is_whole(text) else None
    begun = first if first != DENIED and told <= {first, DENIED} else None
    return begun if (last := conclusion(text, said)) is None else last


def conclusion(text: str, said: Sequence[Sentence]) -> int | None:
    """What the last sentence that concludes asserts, in a reply that is not cut off and corrects nothing."""
    if not said or not _is_whole(text):
        return None
    asserting = (each for each in reversed(said) if each.choice not in {None, DENIED})
    return next((each.choice for each in asserting if _concludes(each.main.lower())), None)


def _concludes(main: str) -> bool:
    return not _CONCLUDES.isdisjoint(_WORDS.findall(main)) or any(phrase in main for phrase in _CONCLUDING)


def _is_whole(text: str) -> bool:
    return text[-1:] in _ENDS and not corrected(text)


def _sentence(text: str, start: int, end: int, mentions: Sequence[Mention]) -> Sentence:
    if text[start:end].rstrip().endswith("?"):
        return Sentence()
    if _ASIDE_FIRST.match(text, start):
        start = text.find(",", start, end) + 1 or end
    stop, turns = _aside(text, start, end, mentions)
    if turns and len({mention.choice for mention in mentions if mention.start >= start}) > 1:
        return Sentence()
    main = [mention for mention in mentions if start <= mention.start < stop]
    if len({mention.choice for mention in main}) != 1 or main[0].choice < 0:
        return Sentence(main=text[start:stop])
    rest, at = "", start
    for mention in main:
        rest, at = rest + text[at : mention.start] + " ", mention.end
    rest = (rest + text[at:stop]).lower()
    said = _WORDS.findall(rest)
    denied = not _DENIES.isdisjoint(said) or "other hand" in rest or "n't" in rest
    unsure = not _SUPPOSES.isdisjoint(said) or "would have" in rest
    return Sentence(DENIED if denied else None if unsure else main[0].choice, text[start:stop])


def _aside(text: str, start: int, end: int, mentions: Sequence[Mention]) -> tuple[int, bool]:
    """Where a reason or a comparison begins, else the end of the sentence; and whether it turns ("but")."""
    for match in _ASIDE.finditer(text, start + 4, end):
        word, at = match[0].lower(), match.start()
        begins = word in _ASIDES and text.startswith(_ASIDES[word], match.end() + 1)
        begins = begins or (word in _AFTER_COMMA and text.endswith(", ", 0, at))
        if begins and not any(mention.start <= at < mention.end for mention in mentions):
            return at, word in _TURNS
    return end, False
