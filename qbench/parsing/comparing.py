"""Things set against each other: both alike, none of all, one more so than the other as the question has it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from qbench.parsing.attribute_words import all_parts, all_words, tokens_of
from qbench.parsing.clauses import Clause, Sentence
from qbench.parsing.echoed import question_words
from qbench.parsing.mending import stem
from qbench.parsing.phrases import set_of
from qbench.parsing.reversed import OTHERWISE
from qbench.parsing.standouts import answer_by_standout, asked_end

_NOUNS = set_of("ASPECT ATTRIBUTE")
_OPEN = set_of("IF DOUBT OTHERS CONFIDENCE CLASH LISTING")
_COMPARATIVES = set_of("MORE LESS HIGHER BETTER SHARPER WORSE")
_SAME = frozenset(
    ["equal", "equally", "the same", "about the same", "same", "similar", "no difference", "both equally"]
)
_NONE = frozenset(["none", "neither", "none of them", "neither of them", "none of these", "neither one"])
_ALL = frozenset(["both", "all", "both of them", "all of them", "all of these", "all of the above", "both equally"])
_COMPARED = re.compile(
    r"(?i)\A(?:is|are) (?P<one>the [\w ]+?) (?P<more>(?:much |far )?(?:\w+er|(?:more|less) \w+)) than "
    r"(?P<other>the [\w ]+?)"
    r"(?: in (?:this|the) (?:image|photo|picture))?\?"
)


def alike_in_asked(sentences: Sequence[Sentence], question: str) -> bool:
    """Whether both are said to be the same in what a question asks about: "The lighting is identical in both"."""
    own = question_words(question)
    for clause in _stating(sentences):
        nouns = {stem(word) for token in clause.tokens if token.kind in _NOUNS for word in token.words.split()}
        kinds = {token.kind for token in clause.tokens}
        if nouns and nouns <= own and "EQUAL" in kinds and not kinds & {"ITEM", "NOT", "NEITHER", *_OPEN}:
            return True
    return False


def alike(sentences: Sequence[Sentence], *, asked: bool) -> bool:
    """Whether both are said to be the same, and neither better: "No difference can be seen between the two"."""
    nouns = set[str]() if asked else _NOUNS | {"DEFECT"}
    found = False
    for sentence in sentences:
        if sentence.asked or any(clause.supposes or clause.link == "RETRACT" for clause in sentence.clauses):
            return False
        for clause in sentence.clauses:
            kinds = [token.kind for token in clause.tokens]
            if set(kinds) & ({"ITEM", "CROSS", "WRONG", "ELIMINATE", *_OPEN, *_COMPARATIVES} | nouns):
                return False
            same = next((place for place, kind in enumerate(kinds) if kind in {"EQUAL", "DIFFERENCE"}), None)
            if same is None or any(token.words == OTHERWISE for token in clause.tokens):
                continue
            denied = bool({"NOT", "NEITHER"} & set(kinds[:same]))
            found = found or (
                denied == (kinds[same] == "DIFFERENCE") and kinds[same + 1 : same + 2] not in (["WORD"], ["THING"])
            )
    return found


def option_of_all(sentences: Sequence[Sentence], options: Sequence[str], question: str) -> int | None:
    """The option that says that all are equal, or that it is none, where the reply says so of all other options."""
    named = [option.strip().casefold() for option in options]
    same = [place for place, option in enumerate(named) if option in _SAME]
    none = [place for place, option in enumerate(named) if option in _NONE]
    whole = [place for place, option in enumerate(named) if option in _ALL]
    clauses = [clause for clause in _stating(sentences) if not {token.kind for token in clause.tokens} & _COMPARATIVES]
    for places, says in ((same, _says_equal), (none, _says_none), (whole, _says_all)):
        if len(places) == 1 and any(says(clause, len(options) - 1, question) for clause in clauses):
            others = {
                choice
                for each in sentences
                for token in each.tokens
                if token.kind == "ITEM"
                for choice in token.choices
            }
            return None if others - set(places) or len(list(_stating(sentences))) > len(clauses) else places[0]
    return None


def _stating(sentences: Sequence[Sentence]) -> Iterator[Clause]:
    for sentence in sentences:
        if not sentence.asked and not any(clause.supposes for clause in sentence.clauses):
            yield from (clause for clause in sentence.clauses if clause.tokens)


def _says_equal(clause: Clause, _: int, question: str) -> bool:
    kinds = [token.kind for token in clause.tokens]
    at = next((place for place, kind in enumerate(kinds) if kind in {"EQUAL", "DIFFERENCE"}), None)
    nouns = " ".join(token.words for token in clause.tokens if token.kind in _NOUNS)
    asked = asked_end(question)
    about = {about for about, _ in all_parts(tokens_of(nouns))}
    of_others = (
        asked[0] not in about if asked and nouns else bool(set(map(stem, nouns.split())) - question_words(question))
    )
    if at is None or set(kinds) & {*_OPEN, "NEED", "WOULD"} or not set(kinds) & {"GROUP", "BOTH"} or of_others:
        return False
    return ("NOT" in kinds[:at]) == (kinds[at] == "DIFFERENCE")


def _says_none(clause: Clause, others: int, question: str) -> bool:
    kinds = {token.kind for token in clause.tokens}
    group = next((token for token in clause.tokens if token.kind == "GROUP"), None)
    if clause.tokens[0].kind != "NEITHER" or group is None or len(group.choices) != others or kinds & {*_OPEN, "NOT"}:
        return False
    asked = [token for token in tokens_of(question) if token.kind not in {"ASK", "STOP"}]
    return bool(asked) and set(map(stem, asked[-1].words.split())) <= set(map(stem, all_words(clause.tokens)))


def _says_all(clause: Clause, others: int, _: str) -> bool:
    """Whether all others are named with the word of the option: "both the foreground and the background"."""
    kinds = {token.kind for token in clause.tokens}
    group = next((token for token in clause.tokens if token.kind == "GROUP"), None)
    named = group is not None and len(group.choices) == others and "ITEM" in kinds
    return named and not kinds & {*_OPEN, "NOT", "NEITHER", "NEED", "WOULD"}


@lru_cache(maxsize=1024)
def _asks_for_most(question: str) -> bool:
    """Whether a question asks which of several flaws there is most of: "the most obvious distortion"."""
    tokens = tokens_of(question)
    kinds = {token.kind for token in tokens}
    return (
        bool(kinds & {"MORE", "MAIN", "WORSE"})
        and not kinds & {"LESS", "NOT", "NEITHER"}
        and asked_end(question) is None
    )


def exceeding(sentences: Sequence[Sentence], question: str) -> int | None:
    """The option that is said to be more than another, where that was asked: "far more motion blur than noise"."""
    found = set[int]()
    for clause in _stating(sentences) if _asks_for_most(question) else ():
        kinds = [token.kind for token in clause.tokens]
        than = kinds.index("THAN") if "THAN" in kinds else len(kinds)
        first, second = (
            {choice for token in part if token.kind == "ITEM" for choice in token.choices}
            for part in (clause.tokens[:than], clause.tokens[than:])
        )
        degrees = set(kinds[:than]) & {"MORE", "LESS", "HIGHER", "WORSE"}
        if than == len(kinds):
            continue
        if len(degrees) != 1 or len(first) != 1 or len(second) != 1 or first == second:
            return None
        if set(kinds) & {*_OPEN, "NOT", "NEITHER", "NEED", "WOULD", "GROUP"} or clause.link in {"CONCEDE", "RETRACT"}:
            return None
        found |= second if degrees == {"LESS"} else first
    return found.pop() if len(found) == 1 else None


def compared_as_asked(text: str, question: str) -> bool | None:
    """Whether the one is more so than the other, where a question of Yes or No asks that."""
    asked = _COMPARED.match(question.strip())
    if asked is None:
        return None
    which = f"Which is {asked['more']}?"
    found = answer_by_standout(text, [asked["one"], asked["other"]], which) if asked_end(which) else None
    return None if found is None or found.value is None else found.value == 0
