"""What a description states of low-level attributes, by word lists: each attribute with its two poles.

It knows only these words and a few ways of putting them together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

AttributeStatement = tuple[str, bool]
"""An attribute, and whether its good pole is stated."""

SAID_OUTRIGHT: Mapping[str, tuple[str, str]] = {
    "clarity": (
        "clear|sharp|crisp|detailed|in focus|well focused|high resolution|distinct",
        "blurry|blurred|blur|unclear|unsharp|out of focus|hazy|fuzzy|low resolution|indistinct",
    ),
    "noise": ("clean|noise free|noiseless", "noisy|noise|grainy|grain|speckled"),
    "exposure": ("well exposed", "overexposed|underexposed|overexposure|underexposure|washed out|blown out"),
    "brightness": ("bright|well lit|brightly lit", "dark|dim|dimly lit|low light|gloomy|backlit"),
    "colour": (
        "colorful|vivid|vibrant|saturated",
        "monotonous|monotone|dull|faded|muted|pale|subdued|color cast|desaturated",
    ),
    "artifacts": (
        "artifact free",
        "artifact|artefact|compressed|blocky|pixelated|banding|distorted|distortion",
    ),
    "composition": (
        "well composed|centered|symmetrical",
        "unbalanced|cluttered|tilted|cropped|incomplete",
    ),
}
"""Attribute -> words that state its good and its bad pole by themselves."""

ATTRIBUTE_PATTERNS: Mapping[str, str] = {
    "clarity": "clarity|sharpness|detail|texture|focus|focusing|resolution",
    "exposure": "exposure",
    "brightness": "lighting|brightness|light|illumination",
    "colour": "color|saturation",
    "contrast": "contrast",
    "composition": "composition|framing",
    "quality": "quality",
}
"""Attribute -> nouns that a degree states one pole of: "low clarity", "the lighting is adequate"."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_HIGH = _words(
    "high good great excellent rich abundant strong adequate sufficient balanced natural pleasing decent exquisite "
    "ample perfect beautiful clear sharp vivid vibrant bright even well"
)
_LOW = _words("low poor bad weak insufficient inadequate limited lacking unbalanced dull dim uneven harsh")
_DENIALS = _words("not no without lack lacks lacking never hardly neither nor free loss absence")
_LITTLE = _words("low little minimal less few fewer negligible reduced")
_COPULAS = _words("is are was were looks look appears appear seems seem remains")
_TROUBLE = _words("issue problem defect flaw")
_REACH = 3
"""Words between a degree and the noun after it: "low overall image clarity"."""

_CLAUSE_END = re.compile(r"[.,;:!?\n()]|\b(?:but|however|although|though|while|whereas|yet|making)\b")


def statements(text: str) -> set[AttributeStatement]:
    """Everything a text says of the attributes; what is denied says the opposite."""
    plain = re.sub(r"n['’]t\b", " not", text.casefold()).replace("colour", "color").replace("-", " ")
    clauses = (re.findall(r"\w+", clause) for clause in _CLAUSE_END.split(plain))
    return {found for clause in clauses for found in _stated([_singular(word) for word in clause])}


def _stated(words: Sequence[str]) -> Iterator[AttributeStatement]:
    at = 0
    while at < len(words):
        for length in (3, 2, 1):
            outright = _OUTRIGHT.get(" ".join(words[at : at + length]))
            if outright:
                attribute, good = outright
                little = not good and bool(_LITTLE & set(words[max(at - 2, 0) : at]))
                yield attribute, good != (_denied(words, at) or little)
                at += length
                break
        else:
            rated = _NOUNS.get(words[at])
            degree = _degree(words, at) if rated else None
            if rated and degree is not None:
                yield rated, degree
            at += 1


def _degree(words: Sequence[str], noun: int) -> bool | None:
    """Which pole is said of the noun: by the nearest word before it, by one after its verb, or by denying it."""
    if _TROUBLE & set(words[noun + 1 : noun + 2]):
        return _denied(words, noun)
    for place in range(noun - 1, max(noun - 1 - _REACH, -1), -1):
        if words[place] in _HIGH | _LOW:
            return (words[place] in _HIGH) != _denied(words, place)
    verb = next((place for place in range(noun + 1, len(words)) if words[place] in _COPULAS), len(words))
    for place in range(verb + 1, len(words)):
        if words[place] in _HIGH | _LOW:
            return (words[place] in _HIGH) != _denied(words, place)
    return False if verb == len(words) and _denied(words, noun) else None


def _denied(words: Sequence[str], at: int) -> bool:
    """Whether a denial reaches the word: anywhere before it, back to an "and"."""
    for place in range(at - 1, -1, -1):
        if words[place] == "and":
            return False
        if words[place] in _DENIALS:
            return words[place + 1] != "only"
    return False


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and word[:-1] in _KNOWN else word


_OUTRIGHT: Mapping[str, AttributeStatement] = {
    phrase: (attribute, good)
    for attribute, poles in SAID_OUTRIGHT.items()
    for good, pole in zip((True, False), poles, strict=True)
    for phrase in pole.split("|")
}
_NOUNS: Mapping[str, str] = {
    noun: attribute for attribute, nouns in ATTRIBUTE_PATTERNS.items() for noun in nouns.split("|")
}
_KNOWN = _OUTRIGHT.keys() | _NOUNS.keys() | _TROUBLE
