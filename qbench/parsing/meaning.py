"""Replies that give an option in words of their own, read by meaning: "lacks contrast" is Low, "crisp" is not blurry.

Options and question are put as claims, the reply's clauses as statements of the same kind. An option is read where its
claim alone agrees with everything stated. A statement of a part of the image decides nothing, and what words leave
open stays open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from qbench.parsing.attribute_words import attribute_choices
from qbench.parsing.attributes import ATTRIBUTES, BAD_AT
from qbench.parsing.claims import Claim, claims_of
from qbench.parsing.east_asian import in_english
from qbench.parsing.european import from_european
from qbench.parsing.mending import mended
from qbench.parsing.outcome import Parsed
from qbench.parsing.phrases import set_of
from qbench.parsing.spans import Span, Wanted
from qbench.parsing.statements import Statement, statements, statements_of_main

_JUDGED = set_of(
    "sharpness detail noise exposure saturation compression distortion naturalness contrast banding motion"
)
_BETWEEN = re.compile(
    r"(?i)\b(could|can|would|should|is|are|benefit|profit|stands?) (?:really|also|still|certainly|definitely|probably"
    r"|badly|greatly|urgently|clearly|desperately|a lot|much) (?=use|do|benefit|profit|be|need|from|have|in)"
)
"""An adverb inside a phrase of need: "could really use"."""
_FOCUS_IS = (
    r"(?i)\b(?:the |its )?(?:camera|lens|auto ?focus|focus)(?: point| plane)? (?:(?:has|have|is|was|been|seems to"
    r"|appears to|be|focuse[sd]|lies?|falls?|fell|fallen|rests?|sits?|landed|placed|locked|set|\w+ly) )+"
)
_REWORDED = (
    (re.compile(r"(?i)\breduced to (?=an? (?:\w+ ){0,2}(?:blur|smear|smudge|mess|mush|blob|haze)\b)"), ""),
    (re.compile(r"(?i)\bcould not (?:find|see|detect|spot|notice|make out)\b"), "can not see"),
    (re.compile(r"(?i)\b(?:that )?i (?:can|could) (?:see|find|detect|spot)\b"), ""),
    (re.compile(r"(?i)\b(is|are) not (?:an?|much of an?) (?:issue|problem|concern)\b"), r"\1 absent"),
    (
        re.compile(r"(?i)\bi would (?:rather )?(?:describe|call|rate|consider|class) (it|this|the \w+)(?: as)?\b"),
        r"\1 is",
    ),
    (re.compile(r"(?i)\bcan (?:hardly|barely|scarcely) "), "can not "),
    (
        re.compile(
            r"(?i)\b((?:is|are|was|looks?|seems?|appears?|not|fairly|quite|very|mostly|soft and) )"
            r"even(?= ?(?:[.,;!]|and|across|throughout|over|\Z))"
        ),
        r"\1uniform",
    ),
    (re.compile(r"(?i)\bquite a (?:bit|lot)\b|\ba good deal\b"), "much"),
    (re.compile(r"(?i)\b(?:a|just|only) ?(?:a )?(?:little|bit|touch|tad|trace|hint)(?: of)?\b"), "slightly"),
    (re.compile(r"(?i)\btoo (\w+)(?: for \w+)? to (?:be )?(?=\w)"), r"very \1, so it can not be "),
    (
        re.compile(
            rf"{_FOCUS_IS}(?:on (?:\w+ ){{1,6}}?(?:rather than|instead of|and not|not) (?:on )?"
            r"|(?:on [\w ]{3,30}? )?(?:behind|in front of|off) (?=the |its |her |his ))"
        ),
        "out of focus is ",
    ),
    (
        re.compile(
            rf"{_FOCUS_IS}on ((?:the|an?|his|her|its) (?:\w+ ?){{1,4}}?)(?= ?[,.;]| (?:with|and|but|which|that) |\Z)"
        ),
        r"\1 is in focus",
    ),
)
"""Turns of speech that several words make, in words that the tables have."""


def answer_by_meaning(
    text: str, options: Sequence[str], question: str, *, main_only: bool = False
) -> Parsed[int] | None:
    """The option whose claim alone agrees with what a reply states; None where that is open.

    Where it says what the main problem is, only that counts; `main_only` reads nothing else.
    """
    asked = claims_of(tuple(options), question)
    if not asked:
        return None
    claims, wanted = asked
    stated = statements_of_main(text, wanted) or ([] if main_only else statements(text, wanted))
    if not stated and wanted.attributes == {"quality"}:
        stated = _of_quality(text)
    if None in stated:
        return None
    found = _agreeing(claims, [statement for statement in stated if statement])
    return None if found is None else Parsed(found, how="meaning")


def _of_quality(text: str) -> list[Statement | None]:
    """What a reply that says nothing of quality says of it by what it says of at least two other attributes."""
    stated = statements(text, Wanted(frozenset(ATTRIBUTES) - {"quality"}, graded=frozenset(["exposure"])))
    told = [each for each in stated if each and each.attribute in _JUDGED]
    values = {_value(each) for each in told}
    several = len({each.attribute for each in told}) > 1 and None not in stated and len(values) == 1
    spans: dict[int, Span] = {1: (0.5, 2.0), -1: (-2.0, -0.5)}
    return [Statement("quality", spans[value], False, True, False) for value in values if several and value in spans]


def _value(statement: Statement) -> int:
    """Whether what is said of an attribute is good (1), bad (-1) or neither."""
    low, high = statement.span
    if statement.attribute == "exposure":
        return 1 if low > -1 and high < 1 else -1
    sign = -1 if high <= 0 else int(low >= 0)
    return sign * -BAD_AT.get(statement.attribute, 1)


def plain(text: str) -> str:
    """A cleaned reply in English words, its slips put right and phrases of need in one piece."""
    text = in_english(text, {})
    for pattern, reworded in _REWORDED:
        text = pattern.sub(reworded, text)
    return mended(_BETWEEN.sub(r"\1 ", from_european(text)), attribute_choices())


def _agreeing(claims: Sequence[Claim], stated: Sequence[Statement]) -> int | None:
    naming = len({claim.attribute for claim in claims}) > 1
    left, sure = set(range(len(claims))), False
    decisive = [each for each in stated if not each.partial or each.there] or [each for each in stated if each.typical]
    for statement in sorted(stated, key=lambda each: each not in decisive):
        own = {place for place, claim in enumerate(claims) if claim.attribute == statement.attribute}
        meeting = {place for place in own if claims[place].meets(statement.span)}
        said = naming and any(claims[place].holds(statement.span) for place in own)
        if statement.denying and len(own) > 1 and any(not claim.attribute for claim in claims):
            said = False  # what is not blurred may be haloed, and need not be sharp
        kept = meeting if said or not naming else meeting | (set(range(len(claims))) - own)
        if statement in decisive:
            left &= kept
            sure = sure or said or not naming
        elif not naming and not kept & left:
            return None
    return next(iter(left)) if sure and len(left) == 1 else None
