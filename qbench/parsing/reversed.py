"""Replies to "which is noisier?" in the words of "which is better?", so that one grammar reads both.

What is asked for becomes what is better, its opposite what is worse, and what is said of other attributes says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache

from qbench.parsing import attributes
from qbench.parsing.attribute_words import attribute_choices, named_parts
from qbench.parsing.choices import choices_of
from qbench.parsing.cleaning import clean
from qbench.parsing.east_asian import in_english
from qbench.parsing.european import from_european
from qbench.parsing.meaning import plain
from qbench.parsing.phrases import class_table, expand, set_of
from qbench.parsing.tokens import END, Token, tokenise
from qbench.parsing.vocabulary import ANSWERING

_AMOUNTS = set_of("HIGHER LESS")
"""Classes of words of amounts, which say "stronger" of noise as of contrast."""
_VALUING = set_of("BETTER WORSE QUALITY CHOOSE PICK LIKE GOOD SHARPER BAD EQUAL")
_COMPARING = set_of("better nicer superior preferable")
_NO_CHOICES = choices_of([])
_LIKING = set_of("keep prefer favor favour like love recommend")
_DISCARDING = frozenset(["delete", "discard", "throw away", "drop", "reject"])
"""What is done to the worse one, and so chooses it where that is asked for."""
_NEEDING = (
    r"(?i)\b(?:needs?|requires?|calls? for|(?:is|are)(?: \w+ly)? (?:in need of|crying out for)"
    r"|(?:would|could) (?:benefit from|profit from|use|do with))(?: far| much| a lot| clearly)?"
)
_ASKED, _NOT_ASKED = "\x01", "\x02"
"""Stand for what something is by what it needs, while its other words are put."""
_OPPOSITES = {
    "BETTER": "WORSE",
    "WORSE": "BETTER",
    "SHARPER": "WORSE",
    "GOOD": "BAD",
    "BAD": "GOOD",
    "SPARED": "BAD",
    "DEFECT": "ASPECT",
    "ASPECT": "DEFECT",
    "ATTRIBUTE": "DEFECT",
    "BEATS": "LOSES",
    "LOSES": "BEATS",
    "WINS": "WORSE",
    "NEED": "DOUBT",
}
"""Word classes for their opposites; "less" and "more" stay beside nouns that turn."""
_OF_QUALITY = {"LESS": "HIGHER", "HIGHER": "LESS"}
_ENDS = set_of("STOP ASK COMMA AND BECAUSE CONTRAST WHILE CONCEDE")
_TURNED = {"BETTER": "WORSE", "SHARPER": "WORSE", "WORSE": "BETTER"}
_SPOKEN = {"BETTER": "better", "WORSE": "worse"}
_PARTS = set_of("up down high low amount sign flaw")

THERE = "crispness"
"""The word for what is asked for, where a reply says that it is there."""
OTHERWISE = "otherwise"
"""The word for what is said of other attributes."""
AS_A_WHOLE = "nicer"
"""The word for what is better, where it may be so in something else than was asked."""
_WORDS = {
    ("up", True): "better",
    ("up", False): "worse",
    ("high", True): "sharp",
    ("high", False): "blurry",
    ("amount", True): "sharpness",
    ("sign", True): THERE,
    ("sign", False): "noise",
    ("amount", False): "noise",
}
"""Words of quality for a comparative, for what something is, and for what it has, where that is asked for or not."""


_AMOUNT_IN = re.compile(
    r"""(?ix) \b(?:the\ )?(?P<noun>sharpness|crispness|noise|otherwise)\ (?:is|looks|appears|seems)[ ]
    (?:(?:much|far|slightly|clearly|noticeably|visibly|significantly|a\ bit|a\ little|a\ lot|somewhat|considerably)\ )?
    (?:(?P<up>stronger|higher|greater|heavier
    |more\ (?:visible|pronounced|noticeable|obvious|apparent|evident|severe)|more)
    |lower|weaker|fainter|milder|less\ (?:visible|pronounced|noticeable|obvious|apparent|evident|severe)|less)[ ]
    (?:in|on|for)\ (?P<item>[\w\ ]{3,20}?)(?:\ (?:than\ (?:in|on|for)|compared\ (?:to|with))\ (?P<other>[\w\ ]{3,20}))?
    (?=\s*(?:[.,;!\n]|\Z))"""
)
"""An amount that is compared: "the noise is much stronger in image 2 than in image 1"."""
_ELLIPTIC = re.compile(
    r"(?i)\b(has|have|shows|contains) ((?:much |far |a lot )?(?:less|more)|none|the (?:most|least))"
    r"(?=\s*(?:[.,;!\n]|\Z))"
)
"""What is left out after an amount: "The second has less"."""
_SAME_AMOUNT = re.compile(
    r"(?i)\b(?:the same|(?:an? )?(?:similar|comparable|equal)) (?:level|amount|degree)s? of "
    r"(?:sharpness|crispness|noise)\b"
)
_ASKED_WORDS = frozenset([*_WORDS.values(), AS_A_WHOLE])
_JUDGING = set_of("GOOD SHARPER BAD DEFECT WORSE ASPECT ATTRIBUTE QUALITY")


@lru_cache(maxsize=1024)
def asks_for_worse(question: str) -> bool:
    """Whether a question asks which is worse as a whole: "worse", "of lower quality", "more degraded"."""
    tokens = tokenise(from_european(in_english(clean(question), {})), _NO_CHOICES)
    kinds = {token.kind for token in tokens}
    last = next((token.kind for token in reversed(tokens) if token.kind in {"WORSE", "BETTER", "SHARPER"}), "")
    return last == "WORSE" or ("LESS" in kinds and kinds & {"QUALITY", "GOOD"} != set()) or {"MORE", "BAD"} <= kinds


@lru_cache(maxsize=1024)
def asks_for_quality(question: str) -> bool:
    """Whether a question, where there is one, asks which is better or worse, so that praise and blame answer it."""
    kinds = {token.kind for token in tokenise(from_european(in_english(clean(question), {})), _NO_CHOICES)}
    return "WHICH" not in kinds or bool(kinds & _VALUING)


def opposites(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens of a reply with praise for blame and blame for praise; what is only preferred decides nothing."""
    ends = [place for place, token in enumerate(tokens) if token.kind in _ENDS]
    for start, end in zip([0, *ends], [*ends, len(tokens)], strict=True):
        of_quality = any(token.kind == "QUALITY" for token in tokens[start:end])
        ranks = any(token.kind == "OVER" for token in tokens[start:end])
        turned = _OPPOSITES | (_OF_QUALITY if of_quality else {})
        for token in tokens[start:end]:
            is_liking = token.words in _LIKING or (ranks and token.kind == "CALL")  # "rank image 1 above image 2"
            kind = "DOUBT" if is_liking else turned.get(token.kind)
            kind = "CHOOSE" if token.words in _DISCARDING else kind
            yield token if kind is None else replace(token, kind=kind, words=_SPOKEN.get(kind, token.words))


def without_denials(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with "not the sharper one" of two as the other: "is the worse one", "it is the second that ..."."""
    told: list[Token] = []
    padded, place = [*tokens, *[END] * 5], 0
    while place < len(tokens):
        told.append(padded[place])
        denial, named, after, *following = padded[place + 1 : place + 6]
        place += 1
        if told[-1].kind != "IS" or denial.words != "not":
            continue
        if named.kind == "ITEM" and after.kind == "WHICH" and len(told) > 1 and told[-2].kind == "IT":
            told.append(replace(named, choices=frozenset([0, 1]) - named.choices))
            place += 2
        kinds = [token.kind for token in following]
        ends = kinds[0] in _ENDS or kinds[0] == "OF" or (kinds[0] == "THING" and kinds[1] in {*_ENDS, "OF"})
        if named.words == "the" and (turned := _TURNED.get(after.kind)) and ends:
            told += [named, replace(after, kind=turned, words=_SPOKEN[turned])]
            place += 3
    return told


def without_losing(tokens: Iterable[Token]) -> list[Token]:
    """The tokens of a reply to "which is blurrier?": "does not hold up next to image 1" says nothing of blur."""
    return [replace(token, kind="WORD") if token.kind == "LOSES" else token for token in tokens]


def only_asked(tokens: Iterable[Token]) -> Iterator[Token]:
    """The tokens of a reply as `as_quality` gives it, in which praise and blame of anything else is none."""
    for token in tokens:
        other = token.kind in _JUDGING and token.words not in _ASKED_WORDS
        yield replace(token, kind="WORD") if other else token


def as_quality(reply: str, attribute: str, end: int) -> str:
    """A reply with what is asked for as praise and its opposite as blame."""
    for_worse = attributes.is_fault(attribute, end)

    def put(phrase: re.Match[str]) -> str:
        speaking = _phrases()[phrase[0].casefold()]
        if speaking is None:
            return phrase[0]
        if not speaking and not for_worse:
            return AS_A_WHOLE
        part = speaking.get(attribute)
        if part is None:
            return phrase[0] if class_table().meanings.get((phrase[0].casefold(),)) in _AMOUNTS else OTHERWISE
        kind = "up" if part in {"up", "down"} else "high" if part in {"high", "low"} else "amount"
        kind = "sign" if part in {"sign", "flaw"} else kind
        return _WORDS[kind, (part not in {"down", "low", "flaw"}) == (end > 0)]

    amount = _WORDS["amount", end > 0]
    needed = _as_needed(plain(reply), attribute, end)
    text = _pattern().sub(put, needed).replace(_ASKED, _WORDS["high", True]).replace(_NOT_ASKED, _WORDS["high", False])
    text = _SAME_AMOUNT.sub("the same quality", text)
    text = _ELLIPTIC.sub(lambda found: f"{found[1]} {found[2].replace('none', 'no')} {amount}", text)
    return _AMOUNT_IN.sub(_said_of_item, text)


def _as_needed(text: str, attribute: str, end: int) -> str:
    """ "Needs denoising" as what it says of an image, put as praise where that is what was asked for."""
    for part, sign in (("remedy", -1), ("relief", 1)):
        said = _ASKED if sign == end else _NOT_ASKED
        if needing := _needing(attribute, part):
            text = needing.sub(rf"is\g<more> {said}", text)
    return text


@cache
def _needing(attribute: str, part: str) -> re.Pattern[str] | None:
    """What says that an image needs one of the remedies, where the attribute has any."""
    row = re.sub(r"/\s+", "/", attributes.ATTRIBUTES[attribute].get(part, ""))
    remedies = "|".join(" ".join(phrase) for pattern in row.split(",") for phrase in expand(pattern) if phrase)
    return re.compile(rf"{_NEEDING}(?P<more> more)?(?: some| much| an?)? (?:{remedies})\b") if remedies else None


def _said_of_item(found: re.Match[str]) -> str:
    """ "Sharpness is lower in the second image" as "the second image is worse"; of other attributes nothing."""
    if found["noun"] == OTHERWISE:
        return OTHERWISE
    is_good = (found["noun"] != "noise") == (found["up"] is not None)
    than = f" than {found['other']}" if found["other"] else ""
    return f"{found['item']} is {'better' if is_good else 'worse'}{than}"


@cache
def _phrases() -> Mapping[str, Mapping[str, str] | None]:
    """Phrases, each with the attributes that it speaks of; None for those of answering, as "give the edge to"."""
    phrases: dict[str, Mapping[str, str] | None] = {word: {} for word in _COMPARING}
    for phrase, places in attribute_choices().names.meanings.items():
        speaking = {about: part for about, part in named_parts(places) if about and part in _PARTS}
        if speaking:
            phrases[" ".join(phrase)] = speaking
    for phrase, name in class_table().meanings.items():
        if name in ANSWERING and len(phrase) > 1 and not phrases.keys().isdisjoint(phrase):
            phrases[" ".join(phrase)] = None
    return phrases


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(map(re.escape, _phrases()), key=len, reverse=True)
    return re.compile(rf"(?i)(?<![^\W_])(?:{'|'.join(longest_first)})(?![^\W_])")
