"""Which of several things stands out, by what is said of each: "The left side is dimmer" where the darker is asked for.

The question's attribute and end ("sharpest", "darker") come from the same table as in `qbench.parsing.meaning`. A
thing that is said to be there answers; one that is said to be at the other end, or less so than another, does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from qbench.parsing import attributes
from qbench.parsing.attribute_words import TABLE_SIZE, attribute_choices, parts_of
from qbench.parsing.choices import Choices, choices_of
from qbench.parsing.clauses import Clause, Sentence, split_sentences
from qbench.parsing.cleaning import clean
from qbench.parsing.east_asian import in_english
from qbench.parsing.european import from_european
from qbench.parsing.outcome import Parsed
from qbench.parsing.phrases import PhraseTable, set_of
from qbench.parsing.tokens import Token, tokenise

_UP = {"up": 1, "high": 1, "sign": 1, "down": -1, "low": -1, "flaw": -1}
_MORE = set_of("MORE HIGHER BETTER LESS")
_OPEN = set_of("IF DOUBT OTHERS WOULD NEED WRONG RETRACT CONCEDE OR")
_FINE = set_of("fine okay ok good normal alright unaffected acceptable")
_GENERIC = set_of("detail fog distortion oversharpening source")
"""Attributes whose words say something of others as well, which are meant."""
_SHARED = set_of("equally alike similarly")
_ABOUT_ONE = re.compile(r"(?is)\s*(?:is|are|was|were|do|does|did|has|have|can|how)\b(?!.*\b(?:or|which)\b)")
"""Begins questions that compare nothing: "Is the noise acceptable?", "How is the light?"."""


def answer_by_standout(text: str, options: Sequence[str], question: str) -> Parsed[int] | None:
    """The one option that is said to be what is asked for; None where that is open."""
    standing = _standing(text, tuple(options), question)
    if standing is None:
        return None
    named, excluded = standing
    left = named or (set(range(len(options))) - excluded if excluded else set[int]())
    return Parsed(left.pop(), how="meaning") if len(left) == 1 and not left & excluded else None


def is_ruled_out(text: str, options: Sequence[str], question: str, place: int) -> bool:
    """Whether an option is said to be at the other end: "The left side is bright" where the darker is asked for."""
    standing = _standing(text, tuple(options), question)
    return standing is not None and place in standing[1]


def _standing(text: str, options: tuple[str, ...], question: str) -> tuple[set[int], set[int]] | None:
    """The options that are said to be what is asked for, and those said not to be; None where that is open."""
    asked = asked_end(question)
    if asked is None:
        return None
    sentences = split_sentences(tokenise(text, _choices(options)))
    if len(sentences) > 1 and any(token.kind == "CONCLUDE" for token in sentences[-1].tokens):
        concluded = _of_sentences(sentences[-1:], *asked)
        only = {place for token in sentences[-1].tokens for place in _options(token)}
        kinds = {token.kind for token in sentences[-1].tokens}
        if concluded[0] or (
            not concluded[1] and len(only) == 1 and not kinds & {*_OPEN, "NOT", "NEITHER", "THAN", "LESS"}
        ):
            return concluded if concluded[0] else (only, set())
    return _of_sentences(sentences, *asked)


def _of_sentences(sentences: Sequence[Sentence], attribute: str, end: int) -> tuple[set[int], set[int]]:
    named, excluded = set[int](), set[int]()
    for sentence in sentences:
        for clause in () if sentence.asked else _with_subjects(sentence.clauses):
            found = _spared(clause, attribute, end) or _said(clause, attribute, end)
            if found is None and clause.tokens[0].kind == "THAN" and (excluded or named):
                others = set[int]().union(*(_options(token) for token in clause.tokens))
                found = (others, set[int]()) if excluded and not named else (set[int](), others)  # "unlike the car"
            if found is None:
                continue
            named |= found[0]
            excluded |= found[1]
    return named, excluded


def _with_subjects(clauses: Sequence[Clause]) -> Iterator[Clause]:
    """The clauses, each with the things before it that it is said of as well: "the ground and the face are fine"."""
    subjects: tuple[Token, ...] = ()
    predicate: tuple[Token, ...] = ()
    for place, clause in enumerate(clauses):
        start = next((step for step, token in enumerate(clause.tokens) if token.kind == "IS"), len(clause.tokens))
        named = tuple(token for token in clause.tokens if _options(token))
        kinds = {token.kind for token in clause.tokens} - {"ITEM", "THE"}
        if predicate and named and kinds in ({"CONCLUDE", "IS"}, {"NOT"}):  # "and so is the car, but not the tree"
            denial = tuple(token for token in clause.tokens if token.kind == "NOT")
            yield replace(clause, tokens=named + denial + predicate)
            continue
        predicate = tuple(token for token in clause.tokens[start:] if not _options(token)) or predicate
        names = all(_options(token) or token.kind in {"THE", "BOTH"} for token in clause.tokens)
        if names and place + 1 < len(clauses):
            subjects = (subjects if clause.link in {"COMMA", "AND"} else ()) + clause.tokens
            continue
        shared = clause.link == "AND" or clause.tokens[0].kind in {"IS", "HAS"}
        yield replace(clause, tokens=subjects + clause.tokens) if subjects and shared else clause
        subjects = ()


@lru_cache(maxsize=1024)
def asked_end(question: str) -> tuple[str, int] | None:
    """The attribute that a question compares things by, and the end that it asks for."""
    text = from_european(in_english(clean(question), {}))
    tokens = tokenise(text, attribute_choices())
    kinds = {token.kind for token in tokens}
    if kinds & {"NOT", "NEITHER"} or _ABOUT_ONE.match(text):
        return None
    turn = -1 if "LESS" in kinds else 1
    named = [(attribute, part) for token in tokens for attribute, part in parts_of(token)]
    ends = {(attribute, turn * _UP[part]) for attribute, part in named if part in _UP and attribute}
    if not ends and kinds & {"MORE", "HIGHER", "LESS"}:
        ends = {(attribute, turn) for attribute, part in named if part == "amount" and attribute != "quality"}
    if not ends and "WHICH" in kinds and not kinds & {*_MORE, "SHARPER"} and "focus" in question.casefold():
        ends = {("sharpness", 1)}  # "What is the subject of focus?"
    named_too = {attribute for attribute, part in named if part in {"amount", "sign", "flaw"}}
    ends = {each for each in ends if each[0] in named_too} or ends  # "richer texture"
    meant = [each for each in ends if each[0] not in _GENERIC] or list(ends)
    if {each[0] for each in meant} >= {"light", "exposure"}:
        unmeant = "light" if "expos" in question.casefold() else "exposure"
        meant = [each for each in meant if each[0] != unmeant]
    if {each[0] for each in meant} == {"motion", "sharpness"}:  # "motion blur"
        meant = [each for each in meant if each[0] == "motion"]
    return meant[0] if len(meant) == 1 else None


@lru_cache(maxsize=256)
def _choices(options: tuple[str, ...]) -> Choices:
    """The words of the table and the options, whose numbers follow those of the table."""
    things = choices_of([[option] for option in options], texts=True)
    own = things.names.meanings.keys()
    table = attribute_choices().names.meanings.items()
    names = {phrase: places for phrase, places in table if not any(phrase[: len(each)] == each for each in own)}
    for phrase, places in things.names.meanings.items():
        names[phrase] = frozenset(TABLE_SIZE + place for place in places)
    return replace(attribute_choices(), names=PhraseTable(names))


def _options(token: Token) -> set[int]:
    return {place - TABLE_SIZE for place in token.choices if place >= TABLE_SIZE}


def _said(clause: Clause, attribute: str, end: int) -> tuple[set[int], set[int]] | None:
    """The things that a clause says to be what is asked for, and those that it says not to be."""
    tokens = clause.tokens
    ends = list(_ends(tokens, attribute))
    is_open = any(token.kind in _OPEN or token.words in _SHARED for token in tokens)
    if len(ends) != 1 or is_open or clause.link in {"CONCEDE", "RETRACT"}:
        return None
    (place, sign) = ends[0]
    before, after = tokens[:place], tokens[place + 1 :]
    if any(token.words.endswith("as") for token in before[-1:]) and not any(token.kind == "NOT" for token in before):
        return None  # "as noisy as the water"
    subjects = set[int]().union(*(_options(token) for token in before))
    than = next((step for step, token in enumerate(after) if token.kind == "THAN"), None)
    others = set[int]() if than is None else set[int]().union(*(_options(token) for token in after[than:]))
    if not subjects or any(_options(token) for token in after[:than]):
        return None
    negated = sum(token.kind in {"NOT", "NEITHER"} for token in before)
    less = sum(token.kind == "LESS" for token in before)
    if negated > 1 or (negated and less):
        return None
    holds = (sign == end) != bool(negated or less)
    if negated:
        return set(), subjects if holds is False and sign == end else set()
    return (subjects, others) if holds else (others, subjects)


def _spared(clause: Clause, attribute: str, end: int) -> tuple[set[int], set[int]] | None:
    """The things that are said to be fine, where a question asks for a fault."""
    tokens = clause.tokens
    faulty = attribute == "exposure" or attributes.is_fault(attribute, end)
    if (
        not faulty
        or tokens[-1].words not in _FINE
        or any(token.kind in _OPEN or token.kind == "NOT" for token in tokens)
    ):
        return None
    subjects = set[int]().union(*(_options(token) for token in tokens))
    return (set(), subjects) if subjects else None


def _ends(tokens: Sequence[Token], attribute: str) -> Iterator[tuple[int, int]]:
    for place, token in enumerate(tokens):
        for about, part in parts_of(token):
            if about == attribute and part in _UP:
                yield place, _UP[part]
                break
            finer = place > 0 and any(part == "up" for _, part in parts_of(tokens[place - 1]))  # "finer detail"
            if (
                about == attribute
                and part == "amount"
                and (finer or any(each.kind in _MORE for each in tokens[:place]))
            ):
                yield place, 1
                break
