"""The range of an attribute that one word of it leaves in its clause: "lacks contrast", "not very sharp"."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from qbench.parsing.attribute_words import parts_of
from qbench.parsing.phrases import set_of
from qbench.parsing.subjects import VERBS, negates
from qbench.parsing.tokens import Token

Span = tuple[float, float]
"""A range of an attribute, from -2 to 2."""
ENDS: Span = (-2, 2)
"""What is open: all of it."""
THERE_OR_NOT = set_of("noise compression motion banding fog distortion yellow blue green red purple")
"""Attributes that are there or not: where "no noise" is said, nothing of it is left."""
LEVELS = {"top": 2.0, "high": 1.0, "middle": 0.0, "slight": 0.5, "low": -1.0, "none": -1.5, "excess": 2.0}
CERTAIN = set_of("sign flaw")
"""Kinds of words that say something by being there: "noise", "blur"."""
_LIMITING = set_of("too particularly especially exactly entirely fully perfectly quite")
_WRONG = set_of("off unsatisfactory compromised")
_PLACING = set_of("in through behind under for")
_MEASURES = set_of("amount level degree")
_MUCH = {"much", "far", "a lot", "way", "considerably", "significantly", "noticeably"}
_LOWERED = set_of("reduced lowered decreased darkened")
_RAISED = set_of(
    """raised increased boosted improved boost improvement improving lifted lift
    increase work missing lacking needed required"""
)
_REMEDIES = set_of("reduction removal suppression control filter filtering correction")
_MODAL = set_of(
    "could should might may ought wish hope expect expected try tries attempt aims prevent improve enhance help"
)


@dataclass(frozen=True)
class Wanted:
    """What is looked for in a reply."""

    attributes: frozenset[str]
    own: frozenset[str] = frozenset()
    """The question's nouns: what is said of them is said of what was asked about."""
    graded: frozenset[str] = frozenset()
    """Attributes with a middle, so that what is not low need not be high."""
    ideal: frozenset[str] = frozenset(["exposure"])
    """Attributes that are good in the middle."""


def span_of(attribute: str, part: str, tokens: Sequence[Token], place: int, last: int, wanted: Wanted) -> Span | None:
    """The range that a word of an attribute gives it; all of it where that is open, None where it says nothing."""
    before, after = tokens[last + 1 : place], tokens[place + 1 :]
    negations = sum(negates(token) for token in before)
    negations += any(token.words == "nor" for token in before) and not any(token.kind == "NEITHER" for token in before)
    much = any(token.words in _MUCH for token in before)
    needed = _has(before, "need") or _has(after, "need") or (_has(before, "hint") and much)
    mild = _beside(tokens, place, "mild") or _level_beside(tokens, place, attribute) == 0.5
    mild = mild or (
        part in CERTAIN and [token.kind for token in after[:2]] == ["IS", "ITEM"] and _has(after[1:2], "mild")
    )
    if part in {"up", "down", "remedy", "relief"}:
        return _moved_span(part, before, after, negations=negations, needed=needed, mild=mild)
    if part == "middle":
        return ENDS if negations or needed else (-0.4, 0.4)
    if part == "amount":
        return _amount_span(attribute, tokens, place, last, wanted, negations=negations, needed=needed, mild=mild)
    if needed:
        return ENDS if negations else _needed_span(part, before, mild=mild)
    if any(_supposes(token) for token in tokens) or (part in CERTAIN and _is_subject(before, after)):
        return ENDS
    if negations == 2 and any(token.words == "no" for token in before):
        return ENDS  # "I do not see no noise"
    placed = [token.words for token in before if token.kind not in {"THE", "DEGREE"}][-1:]
    if part in CERTAIN and negations and placed and placed[0] in _PLACING and _looks(before):
        return ENDS  # "can not make out the chair in the gloom"
    if part in CERTAIN:
        return _flaw_span(attribute, part, tokens, place, wanted, negations=negations, mild=mild)
    intense = _beside(tokens, place, "intense") or _has(after, "intense")
    limited = any(token.words in _LIMITING for token in tokens[max(place - 2, 0) : place])
    limited = limited or tokens[place].words in _LIMITING - {"too"}
    if negations % 2 and (intense or limited):
        return (-2.0, 1.4) if part == "high" else (-1.4, 2.0)  # "not very sharp"
    sign = 1 if part == "high" else -1
    return _denied(attribute, sign, wanted.graded) if negations % 2 else _there(attribute, sign, intense, mild)


def _moved_span(
    part: str, before: Sequence[Token], after: Sequence[Token], *, negations: int, needed: bool, mild: bool
) -> Span | None:
    """What "brighter than it should be", "could use sharpening" and "should be brighter" say."""
    if part in {"up", "down"} and any(token.kind == "THAN" for token in after):
        return ENDS if negations else _range(1 if part == "up" else -1, intense=False, mild=mild)
    if not needed:
        return ENDS if part in {"up", "down"} else None
    if negations and part in {"remedy", "relief"}:
        return None  # "No sharpening is needed" tells less than what is said beside it
    mild = mild and not any(token.words == "some" for token in before)
    urgent = _has(before, "intense") or _has(after, "intense")
    return ENDS if negations or mild else _range(-1 if part in {"up", "remedy"} else 1, intense=urgent, mild=False)


def _needed_span(part: str, before: Sequence[Token], *, mild: bool) -> Span:
    """What "the noise needs reducing" and "needs to be less blurry" say."""
    less = any(token.kind == "LESS" for token in before)
    sign = 1 if part in {"high", "sign"} else -1
    more = any(token.kind in {"MORE", "BETTER", "HIGHER"} for token in before)
    return ENDS if mild or more == less else _range(sign if less else -sign, intense=False, mild=False)


def _flaw_span(
    attribute: str, part: str, tokens: Sequence[Token], place: int, wanted: Wanted, *, negations: int, mild: bool
) -> Span:
    """What is said by "heavy noise", "little noise", "noise is not visible" and "the noise was removed"."""
    after = tokens[place + 1 :]
    if after and after[0].words in _REMEDIES:
        return ENDS  # "noise reduction"
    level = _level_of(tokens, place, "")  # a soft blur is no small one
    intense = level == 2.0 or _beside(tokens, place, "intense") or _has(after, "intense")
    before, denied = tokens[:place], _is_denied(after)
    low = level is not None and level < 0
    negations += denied + (low or _has(after, "ended") or _has(before, "ended"))
    sign = 1 if part == "sign" else -1
    if negations % 2 == 0:
        return _there(attribute, sign, intense, mild)
    if denied or (level is not None and level > 0):
        rest = 0.4 if wanted.graded else 0.0  # "not much noise", "noise is not obvious"
        return (-2.0, rest) if sign > 0 else (-rest, 2.0)
    return ENDS if intense and not low else _denied(attribute, sign, wanted.graded)


def _there(attribute: str, sign: int, intense: bool, mild: bool) -> Span:
    if attribute in THERE_OR_NOT and sign > 0 and not intense and not mild:
        return (0.01, 2.0)  # however much
    return _range(sign, intense=intense, mild=mild)


def _is_subject(before: Sequence[Token], after: Sequence[Token]) -> bool:
    """Whether something is said of a flaw itself: "Noise is a random variation"."""
    return not before and bool(after) and after[0].kind == "IS" and not _is_seen(after[1:])


def _is_seen(after: Sequence[Token]) -> bool:
    """Whether a predicate says of a flaw that it is there, or how much: "visible", "not present", "strong"."""
    seen = [token for token in after if token.kind not in {"DEGREE", "NOT", "WORSE", "CONCLUDE", "OPENER"}]
    return bool(seen) and (_level(seen[0]) is not None or seen[0].kind in {"RIGHT", "EVIDENT", "PREP", "ITEM", "GOOD"})


def _denied(attribute: str, sign: int, graded: Collection[str]) -> Span:
    if attribute in THERE_OR_NOT and sign > 0:
        return (-2.0, -1.0)
    if attribute in graded:
        return (-2.0, 0.4) if sign > 0 else (-0.4, 2.0)
    return _range(-sign, intense=False, mild=False)


def _range(sign: int, *, intense: bool, mild: bool) -> Span:
    low, high = (0.0, 0.7) if mild else (1.5, 2.0) if intense else (0.5, 2.0)
    return (low, high) if sign > 0 else (-high, -low)


def _amount_span(
    attribute: str,
    tokens: Sequence[Token],
    place: int,
    last: int,
    wanted: Wanted,
    *,
    negations: int,
    needed: bool,
    mild: bool,
) -> Span | None:
    before, after = tokens[last + 1 : place], tokens[place + 1 :]
    less = any(token.kind == "LESS" for token in before) or any(token.words in _LOWERED for token in after)
    level = _level_of(tokens, place, attribute)
    if needed:
        more = _has(before, "need") or any(token.kind in {"MORE", "BETTER", "HIGHER"} for token in before)
        negations += any(map(negates, after))  # "the saturation needs no boost"
        raised = more or any(token.words in _RAISED for token in after)
        if mild or negations or not (less or raised):
            return ENDS
        return _range(1 if less else -1, intense=False, mild=False)
    if any(_supposes(token) for token in tokens):
        return ENDS
    negations += _is_denied(after)
    if level is None:
        if negations == 1 and not (before and before[-1].words == "the"):  # "It is not the exposure"
            return _range(-1, intense=False, mild=mild)
        return None
    mild = mild or (level != 2.0 and any(("", "mild") in parts_of(token) for token in after[:2]))
    if level == 2.0 and any(part == "excess" for token in before for _, part in parts_of(token)):
        return _range(1, intense=False, mild=False) if attribute in {"light", "exposure", "saturation"} else ENDS
    if negations == 1 and level < 0:
        return (-0.4, 2.0)
    if negations:
        return _range(-1, intense=False, mild=False) if negations == 1 and 0 < level < 2 else ENDS
    praised = any(("quality", "high") in parts_of(token) for token in tokens)
    blamed = any(("quality", "low") in parts_of(token) or token.words in _WRONG for token in tokens)
    if blamed and attribute in wanted.ideal and wanted.graded == {attribute}:
        return ENDS  # "the exposure is poor", of too dark, right and too bright
    if level == 0 or (attribute in wanted.ideal and (0 < level < 2 or praised)):
        return (-0.4, 0.4)
    if abs(level) == 0.5:
        return ENDS
    intense = abs(level) >= 1.5 or _beside(tokens, place, "intense")
    return _range(1 if level > 0 else -1, intense=intense, mild=mild)


def _level_of(tokens: Sequence[Token], place: int, attribute: str) -> float | None:
    """The level that is said of an amount: just before it, or after "is"."""
    if (level := _level_beside(tokens, place, attribute)) is not None:
        return level
    said = tokens[0].kind in VERBS - {"HAS"}
    for step, token in enumerate(tokens[place + 1 :]):
        said = said or token.kind in VERBS - {"HAS"}
        following = tokens[place + step + 2 : place + step + 3]
        if ("", "mild") in parts_of(token) and any(_level(each, attribute) is not None for each in following):
            continue  # "slightly too high"
        if (level := _level(token, attribute)) is not None:
            if any(each.kind in {"WORD", "PLACE"} for each in following):
                return None  # "the lighting has its good sides"
            return level if said or step == 0 or tokens[place + step].kind in {"DEGREE", "NOT"} else None
    return None


def _level_beside(tokens: Sequence[Token], place: int, attribute: str) -> float | None:
    for token in reversed(tokens[:place]):
        if (level := _level(token, attribute)) is not None:
            return level
        attributed = any(attribute for attribute, _ in parts_of(token))
        if (
            not attributed
            and token.words not in _MEASURES
            and token.kind not in {"DEGREE", "OF", "THE", "ITEM", "MORE", "HAS"}
        ):
            return None
    return None


def _level(token: Token, attribute: str = "") -> float | None:
    """The amount that a word tells; a word for an end of the attribute tells it of that attribute alone."""
    for about, part in parts_of(token):
        if not about and part in LEVELS:
            return LEVELS[part]
        if about == attribute and part in {"high", "low"}:
            return 1.0 if part == "high" else -1.0
    return -1.0 if token.kind in {"BAD", "LESS"} and token.words not in {"lower", "harsh"} else None


def _has(tokens: Sequence[Token], part: str) -> bool:
    return any(("", part) in parts_of(token) for token in tokens)


def _beside(tokens: Sequence[Token], place: int, part: str) -> bool:
    """Whether a word of degree stands right before a word."""
    for token in reversed(tokens[:place]):
        if ("", part) in parts_of(token):
            return True
        if token.kind not in {"DEGREE", "THE", "OF"} and not any(attribute for attribute, _ in parts_of(token)):
            return False
    return False


def _looks(before: Sequence[Token]) -> bool:
    return any(token.kind in {"CAN", "SEE"} for token in before)


def _supposes(token: Token) -> bool:
    return token.kind == "WOULD" or token.words in _MODAL or ("", "hint") in parts_of(token)


def _is_denied(after: Sequence[Token]) -> bool:
    """Whether a noun is denied by what follows: "noise is not visible", "the colors lack ..."."""
    following = next((token for token in after if token.kind not in {"IS", "DO", "CAN", "HAS", "DEGREE"}), None)
    return following is not None and following.kind in {"NOT", "NEITHER"}
