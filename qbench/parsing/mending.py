"""Unread replies in the words that they mean: slips of the pen, and options in another form of their words.

"teh frist image is beter" is "the first image is better", and "motion blurring" or "over-exposed" are the options
"Motion blur" and "Overexposure". Asked only where a reply says nothing as it stands, for a rare word may be no slip.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from qbench.parsing.choices import Choices
from qbench.parsing.phrases import Phrase, class_table, set_of
from qbench.parsing.rewording import reword

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_DOUBLED = re.compile(r"(.)\1")
_SUFFIXES = ("iness", "ness", "ing", "ion", "ure", "ed", "es", "s", "y", "e")
_SHORTEST = 5
"""Letters of a word that may be a slip; among shorter ones almost all are words themselves."""
_LONG = 8
"""Letters of a word that one wrong letter hardly makes another."""
_SHORTEST_SWAPPED = 4
"""The same where two letters are swapped, which seldom makes another word."""
_SLIPS = dict(
    pair.replace("_", " ").split(":")
    for pair in set_of("""
    nto:not teh:the hte:the adn:and yess:yes noo:no imge:image imag:image frst:first thnk:think thikn:think
    wich:which betr:better secnd:second firs:first righ:right gren:green nois:noise vivd:vivid dul:dull kep:keep
    prefere:prefer lwo:low dosent:does_not dosnt:does_not mor:more worce:worse noize:noise tooo:too r:are u:you
    n:and mcuh:much loks:looks beter:better rly:really realy:really abit:a_bit
    """)
)
_TOO = re.compile(r"(?i)(\A|\b(?:is|its|looks|way|far) )to (?=(?:dark|bright|blurry|noisy|soft|much|low|dim)\b)")
_SAME = {
    "lower": "bottom",
    "upper": "top",
    "middle": "center",
    "centre": "center",
    "dim": "dark",
    **dict.fromkeys(["grain", "graininess", "grainy"], "noise"),
}
"""What options are called, where they are called otherwise."""
_LETTERS = re.compile(r"[^\W\d_]+")
_SHORTEST_STEM = 3
_LONGEST = 4
"""Words of an option whose other forms are looked for."""


def mended(text: str, choices: Choices) -> str:
    """The text with its slips put right, and options in the words that they were given in."""
    spelt = reword(_TOO.sub(r"\1too ", _WORD.sub(lambda word: _spelt(word[0], choices.names.words), text)))
    return _with_options(spelt, choices) if choices.texts else spelt


def _spelt(word: str, own: frozenset[str]) -> str:
    plain = word.casefold()
    if plain in _SLIPS:
        return _SLIPS[plain]
    known = class_table().words
    if plain in own or plain in known or len(plain) < _SHORTEST_SWAPPED or "-" in plain:
        return word
    meant = _meant(plain, known, wrong=len(plain) >= _LONG and not plain.endswith("ly")) | _meant(
        plain, own, wrong=True
    )
    if len(meant) > 1:
        meant = frozenset(other for other in meant if _DOUBLED.sub(r"\1", other) == _DOUBLED.sub(r"\1", plain))
    return next(iter(meant)) if len(meant) == 1 else word


@lru_cache(maxsize=2**16)
def _meant(word: str, words: frozenset[str], *, wrong: bool = False) -> frozenset[str]:
    """The words that are one slip away; of options also those that are one wrong letter away."""
    return frozenset(
        other
        for initial in word[:2]
        for other in _by_initial(words).get(initial, ())
        if _one_slip(word, other) or (wrong and _one_wrong(word, other))
    )


def _one_slip(word: str, other: str) -> bool:
    """Whether one letter too many or too few, or two in the wrong order, make `word` of `other`.

    A wrong letter more often makes another word ("white", "while"), and so does another ending.
    """
    if len(word) == len(other) >= _SHORTEST_SWAPPED:
        places = [place for place, (a, b) in enumerate(zip(word, other, strict=True)) if a != b]
        return len(places) == 2 and sum(places) == 2 * places[0] + 1 and sorted(word) == sorted(other)
    doubled = len(word) > len(other) and _DOUBLED.sub(r"\1", word) == _DOUBLED.sub(r"\1", other)
    if word[0] != other[0] or len(word) < _SHORTEST or (len(other) < _SHORTEST and not doubled):
        return False
    longer, shorter = sorted((word, other), key=len, reverse=True)
    if len(longer) > len(shorter) + 1:
        return False
    place = next((place for place, (a, b) in enumerate(zip(longer, shorter, strict=False)) if a != b), None)
    return place is not None and longer[place + 1 :] == shorter[place:]


def _one_wrong(word: str, other: str) -> bool:
    """Whether one wrong letter, not the first or the last, makes `word` of the word of an option."""
    wrong = [place for place, (a, b) in enumerate(zip(word, other, strict=False)) if a != b]
    return (
        word[0] == other[0] and len(word) == len(other) > _SHORTEST and len(wrong) == 1 and 0 < wrong[0] < len(word) - 1
    )


@lru_cache(maxsize=256)
def _by_initial(words: frozenset[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for word in words:
        found.setdefault(word[0], []).append(word)
    return found


def _with_options(text: str, choices: Choices) -> str:
    forms = _forms(tuple(choices.names.meanings))
    begun = {form[:2] for form in forms}
    found = [(match[0].casefold(), match.start(), match.end()) for match in _LETTERS.finditer(text)]
    stems = [stem(_SAME.get(word, word)) for word, _, _ in found]
    place, done, out = 0, 0, []
    while place < len(found):
        for length in range(min(_LONGEST, len(found) - place) if stems[place][:2] in begun else 0, 0, -1):
            run = found[place : place + length]
            if any(text[left[2] : right[1]] not in {" ", "-"} for left, right in pairwise(run)):
                continue
            words = [word for word, _, _ in run]
            phrase = forms.get("".join(stems[place : place + length])) or forms.get(stem("".join(words)))
            enough = [word for word, _, _ in found[place + length : place + length + 1]] == ["enough"]
            if phrase and list(phrase) != words and not enough:  # "bright enough" names no "Brightness"
                out += [text[done : run[0][1]], " ".join(phrase)]
                done = run[-1][2]
                place += length - 1
                break
        place += 1
    return "".join([*out, text[done:]])


@lru_cache(maxsize=1024)
def _forms(phrases: tuple[Phrase, ...]) -> dict[str, Phrase]:
    """The stems of options, as far as they tell them apart."""
    forms: dict[str, Phrase | None] = {}
    for phrase in phrases:
        parts = [phrase, *_parts(phrase)]
        for key in {"".join(map(stem, part)) for part in parts} | {stem("".join(phrase))}:
            forms[key] = None if forms.get(key, phrase) != phrase else phrase
    return {key: phrase for key, phrase in forms.items() if phrase}


def _parts(phrase: Phrase) -> Iterator[Phrase]:
    """Two or more words of a long option that say what it is: "game screenshot" of "A computer game screenshot"."""
    for start in range(len(phrase)):
        for end in range(start + 2, len(phrase) + 1):
            if end - start < len(phrase) and not class_table().words & set(phrase[start:end]):
                yield phrase[start:end]


@lru_cache(maxsize=2**16)
def stem(word: str) -> str:
    """What "blurry", "blurred" and "blurring" share; no more than endings come off."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= (_SHORTEST if suffix == "s" else _SHORTEST_STEM):
            root = word[: -len(suffix)]
            return root[:-1] if root[-1] == root[-2] and suffix in {"ing", "ed", "y"} else root
    return word
