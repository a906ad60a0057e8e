"""Which of two was preferred: the first, the second, or neither.

The 2AFC paper asks "Which image has better visual quality?" (Section III-A, https://arxiv.org/abs/2402.01162), its code
adds "A. The first image. B. The second image."; UniSim asks for "(A) Image 1 (B) Image 2" or captions (Table 6,
https://arxiv.org/abs/2412.10594). Their code looks for a capital A, "left" or a 1 anywhere in the reply; this does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from qbench.parsing.choices import choices_of, whole, without_questions
from qbench.parsing.cleaning import clean
from qbench.parsing.mentions import by_mention
from qbench.parsing.options import said_outright
from qbench.parsing.outcome import Parsed, agree
from qbench.parsing.refusals import is_refusal

Preference = Literal["first", "second", "tie"]

_NOUNS = ("image", "picture", "photo", "photograph", "one", "caption", "option")
_SIDES: tuple[Preference, ...] = ("first", "second")


def _wordings(ordinals: str, numerals: str, side: str) -> list[str]:
    named = [f"{word} {noun}" for word in ordinals.split() for noun in _NOUNS]
    numbered = [f"{noun} {word}" for word in numerals.split() for noun in _NOUNS if noun != "one"]
    return [*named, *numbered, *(f"{noun} on the {side}" for noun in _NOUNS), f"on the {side}"]


_CHOICES = choices_of(
    [_wordings("first 1st left former", "1 one a", "left"), _wordings("second 2nd right latter", "2 two b", "right")],
    alone=[["first", "1st", "1", "left", "former"], ["second", "2nd", "2", "right", "latter"]],
    letters=2,
)

_BETTER = re.compile(
    r"""\b(?:better|best|higher|highest|superior|prefer\w*|favou?r|choose|pick|select|go\ with|opt\ for|wins|winner
        | sharper|sharpest|clearer|clearest|crisper|cleaner|brighter|brightest|greater|closer|closest|closely|resembles
        | (?:more|most)\ (?:\w+ly\ )?(?:similar|alike|aligned|colou?rful|contrast|vivid|vibrant|detail(?:ed)?|natural
          | clear|appealing|pleasing|accurate|accurately|descriptive|matching))\b""",
    re.IGNORECASE | re.VERBOSE,
)
_WORSE = re.compile(
    r"(?i)\b(?:worse|worst|lower|lowest|less|least|fewer|inferior|poor\w*|bad|not|never|neither|nor|no|without|hardly"
    r"|blur\w*|nois\w*|grain\w*|dark\w*|dull\w*|distort\w*|degrad\w*|compress\w*|artifacts?|overexposed|underexposed)\b"
)
_LESS_BAD = re.compile(
    r"(?i)\b(?:less|fewer|lower|reduced|minimal|no|without) (?:visible |noticeable |\w+ion )?"
    r"(?:nois\w*|blur\w*|artifacts?|distort\w*|grain\w*|compression)\b"
)
_CLAUSE = re.compile(r"(?i)[,.;:!\n]|\b(?:because|since|due|while|whereas|but|although|though|however|with|which)\b")
_BARE_ORDINAL = re.compile(
    r"(?i)\bthe (first|second|former|latter|left|right)(?= (?:is|has|looks|appears|seems|over|to)\b|\W*\Z)"
)
_NAMED = re.compile(
    r"(?i)(?:\A|[.!\n] ?)(?:it is |it's )?([^.,!?\n]{1,40}?)(?=[.!\n]|\Z|,? (?:because|since|as|due)\b)"
)
"""A sentence, or all of it before a reason, that may be nothing but the name of one item."""

_BOTH = r"(?:both|they|these|the\stwo|images|a\sand\sb|1\sand\s(?:image\s)?2|first\s(?:image\s)?and\s(?:the\s)?second)"
_OF_BOTH = (
    r"(?:images?|pictures?|photos?|captions?|ones|of|them|is|are|looks?|have|has|appears?|seems?|to|be|an?|the|about|very"
    r"|quite|nearly|almost|roughly|equally|essentially|visually|first|second|nor|clearly|significantly|noticeably)"
)
_QUALITY = r"(?:(?:visual|image|overall|perceptual)\ )*(?:quality|contrast|\w+ness)\b"
_EVEN = rf"""(?:equally\ \w+|(?:same|similar|identical|equal|comparable|indistinguishable|alike)
    (?=\W*\Z|[.,;!\n]|\ to\ each|\ (?:in\ (?:terms\ of\ )?)?{_QUALITY}))"""
_TIE_ALONE = re.compile(
    r"(?i)\W*(?:it is |it's )?(?:(?:an?|the|about) )?(?:tie|draw|both|same|similar|identical|equal)(?: quality)?\W*\Z"
)
_TIE = re.compile(
    rf"""\b{_BOTH}\ (?:{_OF_BOTH}\ ){{0,8}}?{_EVEN}
    | \bneither(?:\ {_OF_BOTH}){{0,8}}?(?:\W*\Z|[.,;!\n]|\ (?:better|best|superior|higher|sharper))
    | \b(?:no|not\ (?:see|tell|find)\ (?:any|the|a))\ (?:(?:visible|noticeable|clear|real|quality)\ )?difference\b
    | \b(?:it\ is|it's)\ (?:an?\ )?(?:tie|draw)\b
    | \bcan\ not\ (?:distinguish|differentiate|tell)\ (?:between\ )?(?:them|the\ two|the\ images)\b(?!\ which)""",
    re.IGNORECASE | re.VERBOSE,
)


def parse_preference(reply: str) -> Parsed[Preference]:
    """Read which of two items, shown as A and B, a reply prefers.

    A statement counts where it says something better of exactly one item ("Image 2 has higher quality than image 1");
    one that says something worse, or mixes both, is no answer, for what is worse depends on the question.
    """
    text = clean(reply)
    if not text:
        return Parsed(reason="empty")
    if _TIE_ALONE.match(text):
        return Parsed("tie", how="tie")
    found = said_outright(text, _CHOICES) or _by_statement(text)
    if found:
        return Parsed(None if found.value is None else _SIDES[found.value], found.reason, found.how)
    if _TIE.search(text):
        return Parsed("tie", how="tie")
    return Parsed(reason="refused" if is_refusal(text) else "unparseable")


def _by_statement(text: str) -> Parsed[int] | None:
    told = without_questions(text)
    praised = [by_mention(clause, _CHOICES.spoken) for clause in _praising_clauses(told)]
    named = [whole(m[1], _CHOICES) for m in _NAMED.finditer(told)]
    found = agree([*praised, *named])
    return found and Parsed(found.value, found.reason, how="statement")


def _praising_clauses(text: str) -> Iterator[str]:
    for clause in _CLAUSE.split(text):
        plain = _LESS_BAD.sub("", clause)
        if _BETTER.search(plain) and not _WORSE.search(plain):
            yield _BARE_ORDINAL.sub(r"\1 one", clause)
