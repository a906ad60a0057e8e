"""What a clause says of one image, by its words of quality: good, bad, slightly bad, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from qbench.parsing.phrases import set_of
from qbench.parsing.reversed import AS_A_WHOLE, OTHERWISE, THERE
from qbench.parsing.tokens import END, Token

SIGNS = {
    "GOOD": 1,
    "SHARPER": 1,
    "BETTER": 1,
    "BEATS": 1,
    "GOES_TO": 1,
    "BAD": -1,
    "DEFECT": -1,
    "WORSE": -1,
    "LOSES": -1,
}
DENYING = set_of("NOT NEITHER NEED WOULD")
_TURNING = set_of("GOOD BAD DEFECT")
"""What "less" turns into its opposite."""
_AMOUNTS = {"low": -1, "little": -1, "high": 1}
_NOUNS = set_of("ASPECT ATTRIBUTE QUALITY")
_SLIGHT = set_of("slight slightly minor mild mildly only faint faintly minimal subtle barely bit little touch somewhat")
_TRACES = set_of("sign signs trace traces")
_FAULTLESS = set_of("perfect flawless faultless spotless")
_WORK = set_of("work repair repairs fix fixes retouch reshoot change changes")
_LIGHTNESS = set_of("darker brighter darkest brightest lighter dimmer")
"""What is better only where it is asked for."""
_SHOWING = set_of("shows show depicts showing features displays captures presents contains")
_SIGHTED = set_of("visible distinct strong prominent recognizable")
_MIDDLING = set_of("fair acceptable average mediocre moderate passable adequate okay")
_LUKEWARM = set_of("fine decent okay ok good nice")
_SUPERB = set_of("superb outstanding stunning exceptional magnificent exquisite gorgeous excellent perfect flawless")
_KEPT = set_of(
    """retains retain retaining preserves preserve preserved retained keeps keep kept holds resolves resolve resolved
    captures reveals intact visible discernible legible readable distinguishable recognizable recognisable counted"""
)
_LOST = set_of(
    """lose loses losing lost gone destroyed destroys obscures obscured missing crushed swallowed ruined ruins drowned
    burnt unrecognizable unrecognisable merge merges smear smears hides hidden spoils spoiled marred"""
)
_COLORS = set_of("color colors colour colours")
"""Nouns of which more is not better."""


def of_remedy(tokens: Sequence[Token]) -> list[float]:
    """What "needs sharpening" and "needs no correction" say."""
    need = next((place for place, token in enumerate(tokens) if token.kind == "NEED"), len(tokens))
    if [token.kind for token in tokens[need + 1 :]] in (["NOT"], ["SPARED"]):
        return [1.0]  # "needs nothing"
    remedy = any(
        token.kind == "WORD" and (token.words.endswith(("ing", "tion")) or token.words in _WORK)
        for token in tokens[need:]
    )
    return [1.0 if any(token.kind in {"NOT", "SPARED"} for token in tokens) else -1.0] if remedy else []


def is_superb(tokens: Sequence[Token]) -> bool:
    """Whether a clause praises something so much that "fine" beside it is no praise."""
    return any(token.words in _SUPERB for token in tokens) and not any(token.kind in DENYING for token in tokens)


def values_of(tokens: Sequence[Token], *, outdone: bool = False) -> list[float]:
    """How good what a clause says is; nothing where it says nothing of that, two values where it says both."""
    signs = signs_of(tokens)
    words = {word for token in tokens for word in token.words.split() if word != "little" or token.kind == "DEGREE"}
    if any(token.words in _FAULTLESS for token in tokens) and any(token.kind == "NOT" for token in tokens):
        return [-0.5]  # "not perfect"
    if any(token.words in _SUPERB for token in tokens) and not is_superb(tokens):
        return [-0.5, 1.0]  # "not exceptional" leaves open how good it is
    if not signs:
        return [0.0] if words & _MIDDLING and not any(token.kind in DENYING for token in tokens) else []
    if outdone and tokens[-1].words in _LUKEWARM and any(token.kind == "IS" for token in tokens) and signs == {1}:
        return [0.0]
    if not words & _SLIGHT:
        return sorted(signs)
    mild = signs == {1} and _is_mildly_so(tokens)
    return [sign / 2 if sign < 0 or mild else sign for sign in sorted(signs)]


def _is_mildly_so(tokens: Sequence[Token]) -> bool:
    """Whether what an image is it is slightly, as it may be what was asked for: "a little soft"."""
    return any(set(token.words.split()) & _SLIGHT and after.kind == "GOOD" for token, after in pairwise(tokens))


def signs_of(tokens: Sequence[Token]) -> set[int]:
    """1 where something is good, -1 where something is bad."""
    signs: set[int] = set()
    denied = needed = False
    amount = 0
    kept = any(set(token.words.split()) & _KEPT for token in tokens)
    lost = False
    tokens = _amount_first(tokens)
    for place, token in enumerate(tokens):
        sign = 0
        lost = lost or bool(set(token.words.split()) & _LOST)
        if lost and (token.kind == "GOOD" or token.kind in _NOUNS):
            continue  # "lost all fine detail"
        if token.words == AS_A_WHOLE and any(each.words == OTHERWISE for each in tokens[place + 1 : place + 2]):
            continue  # "better colors" where the sharper one was asked for
        if token.kind in {"NOT", "NEITHER", "SPARED"}:
            denied = not denied
        elif token.kind == "NEED":
            needed = True
            signs |= {1} if denied else set()
        elif token.kind in {"HIGHER", "MORE", "LESS"} or token.words in _AMOUNTS:
            amount = -1 if token.kind == "LESS" else _AMOUNTS.get(token.words, 1)
        elif needed and (token.kind in SIGNS or token.kind in _NOUNS):
            signs |= set() if denied else {1 if amount > 0 and token.kind == "DEFECT" else -1}
        elif token.kind == "RIGHT" and any(other.kind in _NOUNS for other in tokens):
            sign = 1  # "accurate colors"
        elif token.kind in SIGNS and not _is_of_other(tokens, place):
            sign = -SIGNS[token.kind] if amount < 0 and token.kind in _TURNING else SIGNS[token.kind]
            amount = 0
        elif token.kind in _NOUNS:
            amount = 0 if token.words in _COLORS else amount
            sign = amount or int(token.words == THERE or kept or denied)
            amount = 0
        else:
            sign = _sign_of_verb(token, liking=tokens[0].kind == "I")
        if sign:
            signs.add(-sign if denied else sign)
    return signs


def _amount_first(tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens with an amount that ends a clause before what it is of: "noise: low" is "low noise"."""
    judged = [place for place, token in enumerate(tokens) if token.kind in _NOUNS or token.kind == "DEFECT"]
    amounts = [
        place
        for place, (token, after) in enumerate(pairwise([*tokens, END]))
        if token.words in _AMOUNTS or (token.kind == "LESS" and after.kind not in SIGNS)
    ]
    if not judged or not amounts or amounts[-1] < judged[-1]:
        return tokens
    amount = tokens[amounts[-1]]
    rest = [token for place, token in enumerate(tokens) if place != amounts[-1]]
    return [*rest[: judged[-1]], amount, *rest[judged[-1] :]]


def _sign_of_verb(token: Token, *, liking: bool) -> int:
    """What a verb says: "I like", "loses"."""
    return 1 if liking and token.kind in {"CHOOSE", "LIKE"} else -1 if set(token.words.split()) & _LOST else 0


def _is_of_other(tokens: Sequence[Token], place: int) -> bool:
    """Whether a word is no praise or blame: "strong noise", "noise is visible", "shows a foggy morning"."""
    token = tokens[place]
    if place + 1 < len(tokens) and tokens[place + 1].kind == "COLON":
        return token.kind == "DEFECT"  # the head of a list: "Weaknesses: none"
    if token.words in _TRACES and (place + 1 == len(tokens) or tokens[place + 1].kind != "OF"):
        return True  # a sign in the street
    following = [each for each in tokens[place + 1 :] if each.kind not in {"DEGREE", "GOOD", "BAD"}]
    scene = bool(following) and following[0].kind == "WORD" and any(each.words in _SHOWING for each in tokens[:place])
    if token.words in _LIGHTNESS or (token.kind in {"GOOD", "BAD"} and scene):
        return True
    measured = any(each.kind == "DEFECT" for each in tokens[:place]) and token.words in _SIGHTED
    noun = next((each for each in following if each.kind != "WORD"), None)
    return token.kind in {"GOOD", "SHARPER"} and (measured or (noun is not None and noun.kind == "DEFECT"))
