"""Option letters: alone, as labels, at the head of an answer. The article "A" and the pronoun "I" are not letters."""

from __future__ import annotations

import re

from qbench.parsing.choices import Choices, whole
from qbench.parsing.mentions import opening, uncontradicted
from qbench.parsing.outcome import Parsed, agree

_LETTER = r"([A-Za-z])(?![\w']|-\w)"
_REASON = r"(?:because|since|as|due|for|is|but|not|and|or|based|rather|instead|over|given)\b"
_HEDGE = r"(?:option|choice|letter|either|both|definitely|clearly|probably|likely|most likely)\b\W*"
_HEAD = re.compile(rf"\W*(?:{_HEDGE}){{0,2}}{_LETTER}", re.IGNORECASE)
_LEAD = re.compile(
    rf"""\W*(?:(?:option|choice|letter|answer)\s+\W*)?{_LETTER}
    (?=["')\]}}]*(?:[.:,;!?)\]}}](?-i:(?![a-z0-9]))|\s*\n|\s*\Z) | \ [-=]+>?\  | \ (?:because|since|as|due)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_JOINED = re.compile(r"\W*([A-Z])(?=[ .:)-]\w)")
"""A letter only where an option's text follows, as in "B Blurry" or "B-Blurry"."""
_LABEL = re.compile(
    r"(?<![\w'.])(?:[(\[]([A-Z])[)\]]|(?:[Oo]ption|[Cc]hoice) \(?([A-Z])\)?(?!\w)|([A-Z])[\"']?[.):](?=\s|\Z))"
)
_SECOND = re.compile(
    r"""["')\]]*(?:\s?[/&+-]\s?|\s(?:or|and|to)\s|,\s?(?:or\s|and\s)?)["'(\[]*(?:[Oo]ption\s)?([A-Z])(?![\w'-]|\s[a-z])"""
)
_WORD_FOLLOWS = re.compile(rf" (?!{_REASON})[a-z]")
_NOTHING_FOLLOWS = re.compile(rf"\W*\Z|\n|[^\w\s]| {_REASON}")
_CLAUSE_START = re.compile(
    r"(?i)[.,;:!?\n]|\b(?:but|however|so|therefore|thus|hence|and|because|although|though|while|whereas|yet)\b"
)
_DENIAL = re.compile(
    r"(?i)\b(?:not|never|neither|nor|if|whether|unless|unlikely|than|instead of|unlike|exclude|eliminate|rule out)\b"
)
_DENIED_AFTER = re.compile(r"(?i)\W{0,2}(?: (?:is|was|are|would be))? (?:not|wrong|incorrect|false|ruled|excluded)\b")
_AROUND_LETTERS = frozenset(["or", "and", "both", "either", "option", "options", "choice", "letter", "answer"])
_REACH = 200
"""How many characters around a letter are looked at."""


def letter_alone(text: str, choices: Choices) -> Parsed[int] | None:
    """Nothing but letters: "B", "(b)", "B B B"; "A or B" is ambiguous."""
    words = set(re.findall(r"\w+", text.casefold())) - _AROUND_LETTERS
    indices = [ord(word) - ord("a") for word in words if "a" <= word <= "z" and len(word) == 1]
    if not choices.letters or len(indices) < len(words):
        return None
    if len(indices) > 1 and max(indices) >= choices.letters:
        return None
    return agree(_indexed(index, choices) for index in indices)


def letter_at_head(text: str, choices: Choices, *, capital: bool = False) -> Parsed[int] | None:
    """The letter an answer begins with, as after "The answer is"."""
    head = _HEAD.match(text)
    if not head or not choices.letters:
        return None
    after = text[head.end() : head.end() + _REACH]
    if re.match(r"[\"')\]]*\s?\?", after) or (capital and head[1].islower()):
        return None
    if head[1].islower() and not _NOTHING_FOLLOWS.match(after):
        return None
    return _read(head[1], after, choices)


def by_label(text: str, choices: Choices) -> Parsed[int] | None:
    """A letter that leads the first or the last line, or is set off as "(B)" or "option B", and no other beside it."""
    if not choices.letters:
        return None
    lines = text.split("\n")
    leads = [_leading(text, choices)] + [_leading(line, choices) for line in lines[-1:] if len(lines) > 1]
    labels = [m for m in _LABEL.finditer(text) if not _denied(text, m.start(), m.end())]
    if led := agree(leads):
        others = [_indexed(_index(m[1] or m[2] or m[3]), choices) for m in labels]
        return led if led.reason else agree([led, *(other for other in others if other.reason is None)])
    marked = agree(_indexed(_index(m[1] or m[2]), choices) for m in labels if m[1] or m[2])
    return uncontradicted(marked, text, choices.spoken) if marked and marked.reason != "out of range" else None


def _leading(text: str, choices: Choices) -> Parsed[int] | None:
    lead = _LEAD.match(text) or _JOINED.match(text)
    if lead is None:
        return None
    after = text[lead.end() : lead.end() + _REACH]
    return None if lead.re is _JOINED and not opening(after, choices.spoken) else _read(lead[1], after, choices)


def _read(letter: str, after: str, choices: Choices) -> Parsed[int] | None:
    """The choice `letter` stands for, unless it is a word, one of several, or at odds with the text right after it."""
    index = _index(letter)
    if letter in "aAiI" and _WORD_FOLLOWS.match(after):
        return None
    if letter in "iI" and index >= choices.letters:
        return None
    second = _SECOND.match(after)
    one_of_two = second and index != _index(second[1]) < choices.letters
    opened = opening(after, choices.spoken)
    contradicted = opened and index not in opened
    if one_of_two or contradicted or _lists_on(index, after, choices):
        return Parsed(reason="ambiguous", how="letter")
    return _indexed(index, choices)


def _lists_on(index: int, after: str, choices: Choices) -> bool:
    """Whether nothing but the letter's own text stands before the next letter: the options repeated, not an answer."""
    label = _LABEL.search(after)
    if not label or _index(label[1] or label[2] or label[3]) != index + 1:
        return False
    own = whole(after[: label.start()], choices)
    return own is not None and own.value == index


def _index(letter: str) -> int:
    return ord(letter.upper()) - ord("A")


def _indexed(index: int, choices: Choices) -> Parsed[int]:
    if index < choices.letters:
        return Parsed(index, how="letter")
    return Parsed(reason="out of range", how="letter")


def denied_before(text: str, at: int) -> bool:
    """Whether the clause up to `at` denies or supposes what follows: "I do not think ...", "not (A)"."""
    return _DENIAL.search(_CLAUSE_START.split(text[max(at - _REACH, 0) : at])[-1]) is not None


def _denied(text: str, start: int, end: int) -> bool:
    return denied_before(text, start) or _DENIED_AFTER.match(text, end) is not None
