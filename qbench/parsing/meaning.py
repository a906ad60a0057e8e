"""Replies that give an option in words of their own, read by meaning: "lacks contrast" is Low, "crisp" is not blurry.

Options and question are put as claims, the reply's clauses as statements of the same kind. An option is read where its
claim alone agrees with everything stated. A statement of a part of the image decides nothing, and what words leave
open stays open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from qbench.parsing.attribute_words import attribute_choices
from qbench.parsing.claims import Claim, claims_of
from qbench.parsing.east_asian import in_english
from qbench.parsing.european import from_european
from qbench.parsing.mending import mended
from qbench.parsing.outcome import Parsed
from qbench.parsing.statements import Statement, statements, statements_of_main

_BETWEEN = re.compile(
    r"(?i)\b(could|can|would|should|is|are|benefit|profit|stands?) (?:really|also|still|certainly|definitely|probably"
    r"|badly|greatly|urgently|clearly|desperately|a lot|much) (?=use|do|benefit|profit|be|need|from|have|in)"
)
"""An adverb inside a phrase of need: "could really use"."""
_QUITE = re.compile(r"(?i)\bquite a (?:bit|lot)\b|\ba good deal\b")
_REDUCED_TO = re.compile(r"(?i)\breduced to (?=an? (?:\w+ ){0,2}(?:blur|smear|smudge|mess|mush|blob|haze)\b)")
"""Is said of what became a fault, and not of a fault that became less: "reduced to a blur"."""
_LOOKED = re.compile(
    r"(?i)\bcould not (?:find|see|detect|spot|notice|make out)\b|\b(?:that )?i (?:can|could) (?:see|find|detect|spot)\b"
)
_A_LITTLE = re.compile(r"(?i)\ba (?:little|bit|touch|tad|trace|hint)(?: of)?\b")


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
    if None in stated:
        return None
    found = _agreeing(claims, [statement for statement in stated if statement])
    return None if found is None else Parsed(found, how="meaning")


def plain(text: str) -> str:
    """A cleaned reply in English words, its slips put right and phrases of need in one piece."""
    text = _REDUCED_TO.sub("", text)
    text = _LOOKED.sub(lambda found: "can not see" if " not " in found[0] else "", text)
    text = _QUITE.sub("much", text)
    text = _BETWEEN.sub(r"\1 ", from_european(in_english(text, {})))
    return mended(_A_LITTLE.sub("slightly", text), attribute_choices())


def _agreeing(claims: Sequence[Claim], stated: Sequence[Statement]) -> int | None:
    naming = len({claim.attribute for claim in claims}) > 1
    left, sure = set(range(len(claims))), False
    decisive = [each for each in stated if not each.partial or each.there]
    for statement in stated:
        own = {place for place, claim in enumerate(claims) if claim.attribute == statement.attribute}
        meeting = {place for place in own if claims[place].meets(statement.span)}
        said = naming and any(claims[place].holds(statement.span) for place in own)
        kept = meeting if said or not naming else meeting | (set(range(len(claims))) - own)
        if statement in decisive:
            left &= kept
            sure = sure or said or not naming
        elif not naming and not kept & left:
            return None
    return next(iter(left)) if sure and len(left) == 1 else None
