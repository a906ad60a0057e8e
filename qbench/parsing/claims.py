"""What options say, as claims: ranges of one attribute, told from their words and the question's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from qbench.parsing import attributes
from qbench.parsing.attribute_words import all_parts, all_words, tokens_of, whole_words
from qbench.parsing.clauses import Clause, split_sentences
from qbench.parsing.cleaning import clean
from qbench.parsing.east_asian import in_english
from qbench.parsing.european import from_european
from qbench.parsing.phrases import set_of
from qbench.parsing.spans import ENDS, LEVELS, THERE_OR_NOT, Span, Wanted
from qbench.parsing.statements import of_clause
from qbench.parsing.subjects import AMOUNTS, ELSEWHERE, with_parts
from qbench.parsing.tokens import Token

YES_NO_WORDS = {
    "yes": set_of("yes present 存在 能 可以 是 是的 有 会 はい ある 예 네 있다 ja oui sí si sì sim да نعم"),
    "no": set_of(
        "no absent 不存在 不能 不可以 不是的 否 不是 没有 不会 いいえ ない 아니요 아니오 없다 nein non não нет لا"
    ),
}
"""What options call yes and no."""
_GRADED = set_of("exposure light contrast saturation quality warmth composition")
"""Attributes with a middle, so that what is not low need not be high."""
_BALANCED = set_of("contrast saturation warmth light")
_FITTING = set_of(
    "appropriate proper right acceptable suitable reasonable ideal normal balanced optimal tolerable correct decent"
    " fair"
)
"""Words of questions to which too much is No as well: "Is the contrast appropriate?"."""
_LACKING = frozenset(["free of", "free from", "without", "lack", "lacks", "lacking"])
_SEVERE = set_of(
    "severe strong heavy serious excessive extreme distracting disturbing annoying bothersome objectionable"
)
_VALUES = set_of("good bad poor fair excellent acceptable average fine unacceptable")
"""Options that say how good something is, and not how much of it there is."""
_AMOUNTS = {"none": -1.5, "no": -1.5, "not at all": -1.5, "a little": 0.5, "a bit": 0.5, "some": 0.5, "a lot": 2.0}
_FOCUS = {
    **dict.fromkeys(["accurate", "precise", "correct"], "in focus"),
    **dict.fromkeys(["inaccurate", "imprecise", "incorrect", "missed"], "out of focus"),
}
"""What options call a focus."""
_DEGREES = {"not": -1.5, "slightly": -0.5, "moderately": 0.0, "fairly": 0.5, "very": 2.0, "extremely": 2.0}
_ADDRESSED = re.compile(r"(?i)\b(?:would|do|could|can) you (?:say|think|believe|call|describe|consider)(?: that)? ")
_FOCUSED = re.compile(r"(?i)\bis the (?:focus|camera focused) on ([\w ]+)(?=\?)")
_WELL_EXPOSED = re.compile(
    r"(?i)\b(?:is|was|does|do you find) (?:the |this |its )?(?:overall )?"
    r"(?:exposure|brightness|(?:lighting|illumination)"
    r"(?=[\w ']* (?:appropriate|proper|correct|right|suitable|ideal)\b))"
    r"(?: level)?(?: (?:of|in) [\w ']+?)? (?:to be |look |seem |appear )?"
    r"(?:appropriate|proper|correct|right|accurate|suitable|adequate|good|fine|ideal|balanced|well balanced|normal"
    r"|reasonable|acceptable|optimal|just right)(?=\W*\Z)"
)
"""A question to which both too little and too much are No."""
_TEMPERATURE = re.compile(r"(?i)\bcolou?r temperature\b")
_EVEN = re.compile(r"(?i)\beven(?= *\?)")
_TOO = re.compile(r"(?i)\A(?:way |far )?too\b ?")


@dataclass(frozen=True)
class Claim:
    """What an option says: ranges of one attribute."""

    attribute: str
    spans: tuple[Span, ...]

    def holds(self, span: Span) -> bool:
        return any(low <= span[0] and span[1] <= high for low, high in self.spans)

    def meets(self, span: Span) -> bool:
        return any(min(high, span[1]) > max(low, span[0]) for low, high in self.spans)


@lru_cache(maxsize=1024)
def claims_of(options: tuple[str, ...], question: str) -> tuple[tuple[Claim, ...], Wanted] | None:
    """The claims of the options, and what is to be looked for; None where they are not of what the table has."""
    asked = [
        token
        for token in tokens_of(_plainly(from_european(in_english(clean(question), {}))))
        if token.kind not in {"ASK", "STOP"}
    ]
    own = with_parts(
        word for token in asked for word in token.words.split() if token.kind in {"WORD", "PLACE"} or word in ELSEWHERE
    )
    named = [option.strip().casefold() for option in options]
    if len(options) == 2 and all(set(named) & words for words in YES_NO_WORDS.values()):
        claim = _asked_claim(asked)
        if claim is None:
            return None
        ideal = frozenset(["exposure"])
        if all_words(asked) & _FITTING and claim.attribute != "exposure":
            claim = Claim(claim.attribute, (_fitting_span(claim.attribute),))
            ideal |= {claim.attribute} & _BALANCED
        other = Claim(claim.attribute, _complement(claim.spans[0]))
        claims = tuple(claim if name in YES_NO_WORDS["yes"] else other for name in named)
        return claims, Wanted(frozenset([claim.attribute]), own, _GRADED, ideal)
    if "focus" in question.casefold():
        named = [_FOCUS.get(option, option) for option in named]
    extreme = [bool(_TOO.match(in_english(option, {}))) or option.startswith(("over", "under")) for option in named]
    read = _read_options(named, extreme, flawed=_flaws_asked(asked))
    scales = _scales(read, asked, valued=set(named) <= _VALUES)
    if scales:
        attribute = _most_specific(scales, all_words(asked) | frozenset(" ".join(named).split()))
        graded = frozenset([attribute]) if len(options) > 2 or attribute == "exposure" else frozenset[str]()
        cells = tuple(Claim(attribute, (cell,)) for cell in _cells(scales[attribute]))
        ideal = frozenset([attribute, "exposure"] if any(extreme) else ["exposure"])
        return cells, Wanted(frozenset([attribute]), own, graded, ideal)
    if absent_asked(question):
        return None
    naming = _naming_claims(read, named)
    return None if naming is None else (naming, Wanted(frozenset(claim.attribute for claim in naming), own, _GRADED))


def _fitting_span(attribute: str) -> Span:
    """What is right of an attribute: a middle, little of a flaw, or at least a middle of what can't be too good."""
    if attribute in _BALANCED:
        return (-0.5, 1.0)
    return (-2.0, 0.5) if attribute in THERE_OR_NOT else (-0.5, 2.0)


def _plainly(question: str) -> str:
    """A question without whom it asks, "Is the focus on the person?" as "Is the person in focus?"."""
    question = _TEMPERATURE.sub("warmth", question)
    question = _WELL_EXPOSED.sub("is the image properly exposed", question)
    return _FOCUSED.sub(r"is \1 in focus", _EVEN.sub("uniform", _ADDRESSED.sub("", question)))


def _read_options(named: Sequence[str], extreme: Sequence[bool], *, flawed: bool) -> list[dict[str, float]]:
    """The attributes and levels of each option; beside "too bright", plain praise is the middle."""
    read = [_option_parts(option) for option in named]
    read = [{each: -level if not each and flawed else level for each, level in parts.items()} for parts in read]
    if not any(extreme):
        return read
    return [
        {each: 0.0 if not each and level > 0 and not beyond else level for each, level in parts.items()}
        for parts, beyond in zip(read, extreme, strict=True)
    ]


def _scales(read: Sequence[Mapping[str, float]], asked: Sequence[Token], *, valued: bool) -> dict[str, list[float]]:
    """Attributes on which each option has a level of its own; of several those that the question is about."""
    about = {attribute for attribute, _ in all_parts(asked)}
    told = {each for parts in read for each in parts}
    scales: dict[str, list[float]] = {}
    for attribute in (each for each in attributes.ATTRIBUTES if each in about | told):
        levels = [parts.get(attribute, parts.get("")) for parts in read]
        known = [level for level in levels if level is not None]
        if len(set(known)) == len(levels):
            scales[attribute] = known
    for attribute, graded in scales.items():
        if attribute in THERE_OR_NOT and valued:
            scales[attribute] = [-level for level in graded]  # "good" is little noise
        elif attribute in THERE_OR_NOT and {0.0, 0.5} <= set(graded):  # "moderate" noise is more than "slight"
            scales[attribute] = [{0.0: 1.0, 1.0: 2.0}.get(level, level) for level in graded]
    measured = {attribute for attribute, part in all_parts(asked) if part in AMOUNTS}
    if "light" in measured and "source" in scales:
        return {"source": scales["source"]}  # "natural or artificial"
    for kept in (measured, about, told):
        scales = {each: levels for each, levels in scales.items() if each in kept} or scales
    return scales


def _flaws_asked(asked: Sequence[Token]) -> bool:
    """Whether a question asks how much of a flaw there is ("How severe is the blur?"), so that high is the low end."""
    parts = {part for attribute, part in all_parts(asked) if attribute}
    return bool(parts & {"flaw", "low"}) and not parts & {"amount", "high", "sign"}


@lru_cache(maxsize=1024)
def absent_asked(question: str) -> set[str]:
    """The classes of words by which a question asks which of several things is not there, or least so."""
    kinds = [token.kind for token in tokens_of(from_european(in_english(clean(question), {})))]
    return {"NOT", "LESS", "NEITHER"} & set(kinds) if kinds[:1] == ["WHICH"] else set()


def _most_specific(found: Iterable[str], words: frozenset[str]) -> str:
    """The attribute that stands first in the table; light and exposure are told apart by their own words."""
    exposing = any("expos" in word for word in words)
    left = [each for each in attributes.ATTRIBUTES if each in found]
    return next((each for each in left if each != ("light" if exposing else "exposure")), left[0])


def _naming_claims(read: Sequence[Mapping[str, float]], named: Sequence[str]) -> tuple[Claim, ...] | None:
    """Options that name flaws, each its own attribute; where they do not, the one that only denies something."""
    claims = []
    for parts in read:
        found = {each: level for each, level in parts.items() if each}
        attribute = _most_specific(found, frozenset(["exposure"])) if found else ""
        claims.append(Claim(attribute, ((0.0, 2.0) if found[attribute] > 0 else (-2.0, 0.0),) if found else ()))
    told = [claim for claim in claims if claim.attribute]
    unread = {
        attribute
        for option, claim in zip(named, claims, strict=True)
        for attribute, _ in all_parts(tokens_of(option))
        if not claim.attribute
    }
    if unread & {claim.attribute for claim in told} and not any(option.startswith("no ") for option in named):
        return None  # "subject movement" beside "camera shake"
    if len(told) > 1 and len(set(told)) == len(told):
        return tuple(claims)
    denying = [place for place, option in enumerate(named) if option.startswith("no ")]
    if len(denying) == 1 and claims[denying[0]].attribute:
        return tuple(claim if place in denying else Claim("", ()) for place, claim in enumerate(claims))
    return None


def _cells(levels: Sequence[float]) -> Iterator[Span]:
    """Each level's part of the range: what is nearer to it than to any other."""
    for level in levels:
        below = max((other for other in levels if other < level), default=None)
        above = min((other for other in levels if other > level), default=None)
        yield (
            -2.0 if below is None else (below + level) / 2,
            2.0 if above is None else (above + level) / 2,
        )


def _complement(span: Span) -> tuple[Span, ...]:
    return tuple(part for part in ((ENDS[0], span[0]), (span[1], ENDS[1])) if part[0] < part[1])


def _option_parts(option: str) -> dict[str, float]:
    """The attributes that an option's words speak of, and where on them it stands; the empty one is any."""
    tokens = tokens_of(_TOO.sub("", in_english(clean(option), {})))
    if option in _AMOUNTS:
        return {"": _AMOUNTS[option]}
    degree, _, rest = option.partition(" ")
    if degree in _DEGREES and _option_parts(rest) == {"": 1.0}:
        return {"": _DEGREES[degree]}  # "moderately severe"
    levels: dict[str, float] = {}
    clause = next((clause for sentence in split_sentences(tokens) for clause in sentence.clauses), None)
    if clause is None or any(token.kind == "WORD" and token.words not in whole_words() for token in clause.tokens):
        return {}
    for attribute in {attribute for attribute, _ in all_parts(tokens) if attribute}:
        spans = [each.span for each in of_clause(clause, Wanted(frozenset([attribute]))) if each]
        if len(spans) == 1:
            levels[attribute] = _middle_of(spans[0])
    level = [LEVELS[part] for attribute, part in all_parts(tokens) if not attribute and part in LEVELS]
    if level and len(level) == len(clause.tokens):
        levels.pop("quality", None)
        levels[""] = level[0]
    return levels


def _middle_of(span: Span) -> float:
    return {
        (-2.0, -0.5): -1.0,
        (0.5, 2.0): 1.0,
        (-2.0, -1.5): -2.0,
        (1.5, 2.0): 2.0,
        (-0.7, 0.0): -0.5,
        (0.0, 0.7): 0.5,
    }.get(span, (span[0] + span[1]) / 2)


def _asked_claim(asked: Sequence[Token]) -> Claim | None:
    """What a question of Yes or No asks to be so; None where it holds several such words, or none."""
    kinds = {token.kind for token in asked if token.words not in _LACKING}
    if {"NOT", "OR", "THAN"} & kinds:
        return None
    found: dict[str, Span] = {}
    for attribute in dict.fromkeys(attribute for attribute, _ in all_parts(asked) if attribute):
        for statement in of_clause(
            Clause(tuple(asked), "", aside=False), Wanted(frozenset([attribute]), all_words(asked))
        ):
            if statement is None or found.get(attribute, statement.span) != statement.span:
                return None
            found[attribute] = statement.span
    if not found:
        return None
    measured = {attribute for attribute, part in all_parts(asked) if part in AMOUNTS}
    found = {"source": found["source"]} if "light" in measured and "source" in found else found
    attribute = _most_specific({each for each in found if each in measured} or found, all_words(asked))
    span = found[attribute]
    side = 0.5 if attribute in _GRADED else 0.0
    too_much = any(part == "excess" for _, part in all_parts(asked)) or "too" in all_words(asked)
    if (too_much and span[0] >= 0 and attribute in _BALANCED) or any(
        token.words in _SEVERE for token in asked if token.kind != "THE"
    ):
        side = 0.75  # "Is the noise severe?", "Is the contrast too high?"
    if span[0] >= 0:
        span = (side, 2.0)
    elif span[1] <= 0:
        span = (-2.0, -side)
    return Claim(attribute, (span,))
