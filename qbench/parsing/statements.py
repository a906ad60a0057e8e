"""The clauses of a reply as statements: an attribute and the range of it that they leave.

Negations, needs ("could use more light"), levels ("low"), degrees and comparisons with what ought to be move the range;
questions, suppositions, what is conceded and what others think state nothing, and what cannot be told leaves it open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from qbench.parsing.attribute_words import parts_of, tokens_of
from qbench.parsing.clauses import Clause, Sentence, split_sentences
from qbench.parsing.phrases import set_of
from qbench.parsing.spans import CERTAIN, ENDS, THERE_OR_NOT, Span, Wanted, span_of
from qbench.parsing.subjects import AMOUNTS, VERBS, asks_generally, is_partial, is_typical, negates
from qbench.parsing.tokens import Token

_UNSAID = set_of("IF DOUBT OTHERS CONFIDENCE WRONG ELIMINATE CROSS LISTING")
_NEEDING = set_of("need needed require required")
_CALLING = set_of("I IT WOULD SAY CALL IS AS THE DEGREE CONCLUDE TO")
_INSTEAD = frozenset(["instead of", "rather than", "as opposed to"])
_KINDS = set_of("image picture photo photograph")
_OVERALL = frozenset(["overall", "on the whole", "as a whole", "all in all", "on balance"])
_NOT_OF = {
    "light": frozenset(["sharpness", "detail"]),
    "composition": frozenset(["exposure", "light", "quality"]),
}
"""Attributes with words that say something else of a subject: soft light, a balanced composition."""
_IDEAL = set_of(
    "ought should ideal like desirable desired necessary needed expected wanted normal proper optimal usual"
)


@dataclass(frozen=True)
class Statement:
    """What a clause says of an attribute."""

    attribute: str
    span: Span
    partial: bool
    """Said of a part of the image only."""
    typical: bool
    """Said of a part that stands for the whole where nothing else is said: "Every feather is crisp"."""
    there: bool
    """That something is there, which is true of an image where it is true of a part."""
    denying: bool = False
    """Said by what is not so: "not blurred"."""


def statements(text: str, wanted: Wanted) -> list[Statement | None]:
    """What a reply states of the attributes wanted, after its last correction; None for what is open."""
    found: list[Statement | None] = []
    sentences = split_sentences(tokens_of(text))
    for number, sentence in enumerate(sentences):
        if sentence.asked or any(clause.supposes for clause in sentence.clauses) or _is_general(sentence, wanted.own):
            continue
        said = list(_of_sentence(sentence, wanted))
        if said and (place := _overall_at(sentence, last=0 < number == len(sentences) - 1)) is not None:
            found, said = [], said[-1:] if place else said  # "soft at the edges, but overall sharp"
        found += said
    return found


def _is_general(sentence: Sentence, own: frozenset[str]) -> bool:
    """Whether a sentence is about a kind of thing: "Evenly lit rinks are used ..." of a rink, "Blurry photos ..."."""
    for token in takewhile(lambda each: each.kind not in VERBS | {"THE", "IT", "PREP", "NOT"}, sentence.tokens):
        many = token.words.removesuffix("s")
        if (
            many != token.words
            and (many in own or (token.kind == "THING" and many in _KINDS))
            and token.words not in own
        ):
            return True
    return False


def statements_of_main(text: str, wanted: Wanted) -> list[Statement | None]:
    """What a reply says to be the main problem: "There is noise, but the main issue is the blur"."""
    return [
        said
        for sentence in split_sentences(tokens_of(text))
        if not sentence.asked and not any(clause.supposes for clause in sentence.clauses)
        for clause in sentence.clauses
        for place, token in enumerate(clause.tokens)
        if token.kind == "MAIN"
        for said in of_clause(Clause(clause.tokens[place + 1 :], clause.link, clause.aside), wanted)
    ]


def _overall_at(sentence: Sentence, *, last: bool) -> int | None:
    """The place of the clause that sums up what was said of parts, where it is the first or the last."""
    for place in (0, len(sentence.clauses) - 1):
        concluding = [token for token in sentence.clauses[place].tokens if token.kind == "CONCLUDE"]
        if any(token.words in _OVERALL or last for token in concluding):
            return place
    return None


def _of_sentence(sentence: Sentence, wanted: Wanted) -> Iterator[Statement | None]:
    granted = denied = stated = False
    if sum(token.kind == "NEITHER" or token.words == "nor" for token in sentence.tokens) > 1:
        between = _between(sentence, wanted)
        if between is not None:
            yield between
            return
    for place, clause in enumerate(sentence.clauses):
        if clause.link == "RETRACT" and stated:
            yield None
        granted = (
            clause.link == "CONCEDE" or (clause.link == "WHILE" and place == 0) or (granted and clause.link == "AND")
        )
        if granted or _is_own_need(clause.tokens):
            continue
        middling = _called_middling(clause.tokens, wanted)
        found: list[Statement | None] = (
            [middling] if middling else [said for part in _at_colons(clause) for said in of_clause(part, wanted)]
        )
        stating = any(token.kind in VERBS for token in clause.tokens)
        listed = (
            denied
            and clause.link in {"COMMA", "AND"}
            and bool(found)
            and any(about for about, _ in parts_of(clause.tokens[0]))
        )
        if clause.link in {"WHILE", "CONTRAST"} and not asks_generally(wanted.own):
            found = [said for said in found if said is None or said.there or not said.partial]  # of another thing
        not_this = any(token.kind == "NOT" for token in clause.tokens[:1])
        if not_this and not found and any(each.words in wanted.own for each in clause.tokens):
            found = [None]  # "it is the car behind, not the front one"
        yield from ([None] if listed and not stating else found)
        stated = stated or bool(found)
        denied = any(token.kind in {"NOT", "NEITHER"} for token in clause.tokens)


def _between(sentence: Sentence, wanted: Wanted) -> Statement | None:
    """What "neither very clear nor very blurry" states: the middle of the attribute whose ends are denied."""
    for attribute in sorted(wanted.attributes & wanted.graded):
        named = any(about == attribute for token in sentence.tokens for about, _ in parts_of(token))
        ends = {part for token in sentence.tokens for about, part in parts_of(token) if about in {attribute, ""}}
        if named and ends & {"high", "excess"} and "low" in ends:
            return Statement(attribute, (-0.4, 0.4), partial=False, typical=True, there=False)
    return None


def _at_colons(clause: Clause) -> Iterator[Clause]:
    """The parts of a clause before and after colons, each of which says something of its own."""
    start = 0
    for place, token in enumerate([*clause.tokens, Token("COLON", "")]):
        if token.kind == "COLON":
            if place > start:
                yield Clause(clause.tokens[start:place], clause.link, clause.aside)
            start = place + 1


def of_clause(clause: Clause, wanted: Wanted) -> Iterator[Statement | None]:
    """What a clause states of the attributes wanted, word by word; None for what is open."""
    tokens = clause.tokens
    if len(tokens) > 1 and tokens[0].words in {"no", "yes"} and tokens[1].kind in {"I", "IT", "THERE", "THE"}:
        tokens = tokens[1:]  # "no i dont see any noise"
    kinds = {token.kind for token in tokens}
    about = {attribute for token in tokens for attribute, part in parts_of(token) if part == "amount"}
    looked_for = wanted.attributes - ({"source"} if about - {"light", "exposure"} else set())  # "natural colors"
    looked_for -= _not_of_subject(tokens)
    last = -1
    for place, token in enumerate(tokens):
        for attribute, part in parts_of(token):
            if attribute not in looked_for or any(each.words in _INSTEAD for each in tokens[:place]):
                continue
            if part in {"high", "low"} and any(
                other == attribute and kind in AMOUNTS
                for each in tokens[place + 1 : place + 2]
                for other, kind in parts_of(each)
            ):
                break  # "crisp edges" is read at the edges
            if part in {"high", "low"} and place and tokens[place - 1].words == "as" and not negates(tokens[0]):
                yield None  # "not as sharp as", "as natural as a plastic flower"
                break
            beyond = part in {"up", "down"} and any(
                token.words in _IDEAL or ("", "middle") in parts_of(token) for token in tokens[place:]
            )
            unsaid = tokens[:place] if beyond else tokens
            if any(each.kind in _UNSAID and not negates(each) for each in unsaid) or ("THAN" in kinds and not beyond):
                if not is_partial(tokens, place, wanted.own):
                    yield None
                continue
            span = span_of(attribute, part, tokens, place, last, wanted)
            if span is not None:
                there = (part in CERTAIN and span[0] >= 0 and attribute in THERE_OR_NOT) or attribute == "source"
                partial = is_partial(tokens, place, wanted.own)
                if span != ENDS:
                    typical, denying = is_typical(tokens, wanted.own, attribute), any(map(negates, tokens[:place]))
                    yield Statement(attribute, span, partial, typical, there, denying)
                elif not partial:
                    yield None
                between = list(takewhile(lambda each: not parts_of(each), tokens[place + 1 :]))
                shared = any(each.kind == "OR" for each in between) and not any(each.kind in VERBS for each in between)
                last = last if shared else place
            break


def _not_of_subject(tokens: Sequence[Token]) -> frozenset[str]:
    """Attributes of which a clause says nothing, whose words mean another thing of its subject: "the light is soft"."""
    said = [token for token in tokens if token.kind not in {"THE", "DEGREE", "CONCLUDE", "OPENER"}]
    if len(said) < 2 or said[1].kind != "IS":
        return frozenset()
    named = {attribute for attribute, part in parts_of(said[0]) if part == "amount"}
    return frozenset().union(*(_NOT_OF.get(attribute, ()) for attribute in named))


def _is_own_need(tokens: Sequence[Token]) -> bool:
    """Whether a clause says what the answerer needs, and not the image: "I would need a sharper version"."""
    said = [token for token in tokens if token.kind not in {"WOULD", "DEGREE", "DO"}]
    return any(who.kind == "I" and each.words in _NEEDING for who, each in pairwise(said))


def _called_middling(tokens: Sequence[Token], wanted: Wanted) -> Statement | None:
    """What a clause states that calls what was asked about middling ("I would describe it as average") or not good."""
    if len(tokens) > 1 and tokens[0].kind == "NOT" and len(wanted.attributes) == 1 and not wanted.graded:
        levels = [part for token in tokens for about, part in parts_of(token) if not about]
        others = [token for token in tokens[1:] if not parts_of(token) and token.words not in {"at", "all"}]
        if levels in (["high"], ["low"]) and not others:
            attribute = next(iter(wanted.attributes))
            span = (-2.0, 0.0) if levels == ["high"] else (0.0, 2.0)
            return Statement(attribute, span, partial=False, typical=True, there=False)
    middling = [token for token in tokens if ("", "middle") in parts_of(token)]
    graded = wanted.attributes & wanted.graded
    plainly = len(tokens) > 1 and all(token in middling or token.kind in _CALLING for token in tokens)
    if len(middling) != 1 or len(graded) != 1 or not plainly:
        return None
    return Statement(next(iter(graded)), (-0.4, 0.4), partial=False, typical=True, there=False)
