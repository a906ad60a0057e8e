"""A sentence that answers a question of Yes or No without either word: "The picture isn't blurry."

The question's predicate ("blurry", "noise", "in focus") is looked for in the reply: Yes where it is asserted of what
was asked about, No where it is denied. Anything else in the clause that could turn its meaning leaves the answer open,
and so does a subject that the question does not have: "The background is blurry" says nothing of the image.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qbench.parsing.choices import choices_of
from qbench.parsing.clauses import Clause, split_sentences
from qbench.parsing.cleaning import clean
from qbench.parsing.east_asian import in_english
from qbench.parsing.mending import mended
from qbench.parsing.outcome import Parsed
from qbench.parsing.phrases import class_table, set_of
from qbench.parsing.tokens import Token, tokenise

_YES = frozenset(["yes", "是", "是的", "有", "はい", "예", "네", "ja", "oui", "sí", "sì", "sim", "да"])
_NO = frozenset(["no", "否", "不是", "没有", "いいえ", "아니요", "nein", "non", "não", "нет"])
_PREDICATES = set_of("GOOD BAD DEFECT")
_NOUNS = set_of("DEFECT ASPECT ATTRIBUTE")
_BEFORE = set_of(
    "THE THING IT THERE IS HAS DO NOT DEGREE I SEE SAY WHICH QUALITY ASPECT ATTRIBUTE GOOD PREP OF BOTH CAN CONCLUDE "
    "OPENER EVIDENT PLACE DEFECT COMES YES"
)
"""Classes of what may stand before the predicate; other words are the question's own, or the clause says nothing."""
_TURNING = set_of(
    "NOT NEITHER IF NEED DOUBT OTHERS WRONG ELIMINATE OTHER LESS WORSE LIMITED BETTER TOO CAN WOULD IS HAS DO"
)
"""Classes that may turn what was said, behind the predicate."""
_NOBODY = choices_of([])


def answer_by_sentence(reply: str, options: Sequence[str], question: str) -> Parsed[int] | None:
    """Yes, No or an option such as "No blur", by what a reply asserts or denies; None where that is open."""
    named = [option.strip().casefold() for option in options]
    asked = [token for token in tokenise(in_english(clean(question), {}), _NOBODY) if token.kind not in {"ASK", "STOP"}]
    yes, no = (next((place for place, name in enumerate(named) if name in words), None) for words in (_YES, _NO))
    predicate = _predicate(asked)
    if yes is None or no is None or len(options) > 2:
        yes, no, predicate = None, *_denying_option(named)
    if no is None or predicate is None:
        return None
    said = set(_readings(reply, predicate, {word for token in asked for word in token.words.split()}))
    place = yes if said == {True} else no if said == {False} else None
    return None if place is None else Parsed(place, how="mention")


def _denying_option(named: Sequence[str]) -> tuple[int | None, str | None]:
    """The option that only denies something, and what: 3 and "color cast" of "No color cast"."""
    found = [(place, name[3:].strip()) for place, name in enumerate(named) if name.startswith("no ")]
    return found[0] if len(found) == 1 else (None, None)


def _predicate(asked: Sequence[Token]) -> str | None:
    """What the question asks to be so; None where it holds several such words, or none."""
    kinds = [token.kind for token in asked]
    if set(kinds) & {"NOT", "OR", "THAN", "BETTER", "IF"}:
        return None
    wanted = _NOUNS if "THERE" in kinds[:2] or "HAS" in kinds else _PREDICATES
    found = [token.words for token in asked if token.kind in wanted]
    if not found and kinds[-1:] == ["WORD"] and kinds[0] == "IS":
        return asked[-1].words  # "Is the lighting sufficient?"
    return found[0] if len(found) == 1 else None


def _readings(reply: str, predicate: str, own: set[str]) -> Iterator[bool | None]:
    """For each clause that holds the predicate whether it is asserted there; None where that is open."""
    choices = choices_of([[predicate]], texts=True)
    text = mended(in_english(clean(reply), {}), choices)
    for sentence in split_sentences(tokenise(text, choices)):
        for clause in sentence.clauses:
            places = [place for place, token in enumerate(clause.tokens) if token.kind == "ITEM"]
            if places:
                whole = len(places) == 1 and not sentence.asked and clause.link not in {"CONCEDE", "OR"}
                yield _asserts(clause, places[0], own) if whole else None


def _is_turned(predicate: Token, after: Sequence[Token]) -> bool:
    """Whether what follows may turn it: "noise free", "the noise has been removed", "a blurry image would be ..."."""
    kinds = [token.kind for token in after if token.kind != "DEGREE"]
    if kinds[:1] == ["IS"] and kinds[1:2] in (["GOOD"], ["RIGHT"], ["EVIDENT"]):
        kinds = kinds[2:]  # "noise is visible"
    noun = class_table().longest(predicate.words.split(), 0) or (0, "")
    return bool(set(kinds) & _TURNING) or (noun[1] in _NOUNS and kinds[:1] == ["WORD"])


def _asserts(clause: Clause, place: int, own: set[str]) -> bool | None:
    before, after = clause.tokens[:place], clause.tokens[place + 1 :]
    negations = sum(token.kind == "NOT" for token in before)
    strange = any(token.kind not in _BEFORE and not set(token.words.split()) <= own for token in before)
    if strange or negations > 1 or _is_turned(clause.tokens[place], after):
        return None
    return negations == 0
