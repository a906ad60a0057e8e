"""Replies to a question of two that answer in its own words: "The first image shows heavier compression.".

Whatever is asked for, the item that is put in the place of "which image" is the answer. Nothing has to be known of the
words themselves, so this reads what no table has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from qbench.parsing.choices import choices_of
from qbench.parsing.clauses import Clause, Sentence, split_sentences
from qbench.parsing.cleaning import clean
from qbench.parsing.east_asian import in_english
from qbench.parsing.european import from_european
from qbench.parsing.mending import stem
from qbench.parsing.phrases import set_of
from qbench.parsing.subjects import negates
from qbench.parsing.tokens import Token, tokenise

_ASKING = set_of("WHICH THE THING BOTH IS DO HAS WOULD CAN TO OF OR I IT DEGREE SAY SEE WITH AND PREP COLON COMMA")
"""Classes of words that a question and its answer need not share."""
_OPEN = set_of(
    "NOT NEITHER IF DOUBT OTHERS OTHER GROUP CLASH LISTING BOTH EACH NEED WOULD WRONG ELIMINATE CONFIDENCE LESS"
)
_AUXILIARIES = set_of("IS DO HAS CAN")
_NEVER = _OPEN - {"NOT", "NEITHER"} | set_of("THAN OVER OR AS MORE ITEM POSSESSIVE LOSES WORSE")
_VERBS = _AUXILIARIES | {"SEE"}
_LIGHT = _ASKING | {"NOT", "NEITHER", "THERE", "CONCLUDE"}
_ALMOST = set_of("almost nearly partly partially only supposedly")
_INSTEAD = frozenset(["instead of", "rather than", "as opposed to"])
_ALL = set_of("all every each both entire whole everything everyone")
_SEEN = set_of("visible present noticeable evident apparent obvious seen found detected observed noticed")
_EMPTY = set_of("there you your any taken shot captured photographed")
_NO_CHOICES = choices_of([])
_FEWEST = 2
"""Words that a question's predicate has at least: "sharper" alone is read elsewhere."""


def echoed(sentences: Sequence[Sentence], question: str) -> int | None:
    """The choice that a reply puts in the place of "which"; None where it is none, or more than one."""
    asked = _predicate(question)
    found = set[int]()
    for sentence in sentences if len(asked) >= _FEWEST else ():
        if any(clause.link == "RETRACT" for clause in sentence.clauses):
            found.clear()
        if sentence.asked or any(clause.supposes for clause in sentence.clauses):
            continue
        for place, clause in enumerate(sentence.clauses):
            choice = _answering(clause, asked, granted=place == 0 and clause.link == "WHILE")
            found |= set() if choice is None else {choice}
    return found.pop() if len(found) == 1 else None


@lru_cache(maxsize=1024)
def _predicate(question: str) -> frozenset[str]:
    """The words that say what is asked of one of several: "blurred" of "Which part of the photo is blurred?"."""
    tokens = tokenise(from_european(in_english(clean(question), {})), _NO_CHOICES)
    sentences = [sentence for sentence in split_sentences(tokens) if sentence.asked]
    if len(sentences) != 1 or not any(token.kind == "WHICH" for token in sentences[0].tokens):
        return frozenset()
    if {token.kind for token in sentences[0].tokens} & (_OPEN - {"BOTH", "WOULD", "LESS", "NEED"}):
        return frozenset()
    asked = sentences[0].clauses[0].tokens
    return frozenset(_stems(asked))


@lru_cache(maxsize=1024)
def question_words(question: str) -> frozenset[str]:
    """The words that say what is asked about, without their endings."""
    return frozenset(_stems(tokenise(from_european(in_english(clean(question), {})), _NO_CHOICES)))


def _answering(clause: Clause, asked: frozenset[str], *, granted: bool) -> int | None:
    tokens = clause.tokens
    end = next((place for place, token in enumerate(tokens) if token.kind in {"THAN", "OVER"}), len(tokens))
    open_ = any(token.kind in _OPEN and not set(token.words.split()) & asked for token in tokens[:end])
    named = {choice for token in tokens[:end] if token.kind == "ITEM" for choice in token.choices}
    if granted or open_ or clause.link == "CONCEDE" or len(named) != 1:
        return None
    return named.pop() if asked <= set(_stems(tokens[:end])) else None


def affirmed(text: str, question: str) -> bool | None:
    """Whether a reply says of itself what a question of Yes or No asks ("It is not in focus"); None where neither."""
    found = _affirmations(text, question)
    return found.pop() if len(found) == 1 else None


def contradicted(text: str, question: str) -> bool:
    """Whether a reply says what was asked to be so, and in another sentence not to be so."""
    return len(_affirmations(text, question)) > 1


def _affirmations(text: str, question: str) -> set[bool]:
    found, asked = set[bool](), _asked(question)
    if asked is None:
        return found
    for sentence in split_sentences(tokenise(text, _NO_CHOICES)):
        if any(clause.link == "RETRACT" for clause in sentence.clauses):
            found.clear()
        if sentence.asked or any(clause.supposes for clause in sentence.clauses):
            continue
        for place, clause in enumerate(sentence.clauses):
            granted = clause.link == "CONCEDE" or (clause.link == "WHILE" and place == 0)
            said = None if granted else _said_again(clause, asked)
            limited = any(each.link == "CONTRAST" for each in sentence.clauses[place + 1 :])
            if said is not None and not (limited and said):
                found.add(said)
    return found


@lru_cache(maxsize=1024)
def _asked(question: str) -> tuple[Token, ...] | None:
    """The tokens of a question of Yes or No: "Is the child in focus?"."""
    tokens = tokenise(from_european(in_english(clean(question), {})), _NO_CHOICES)
    sentences = [sentence for sentence in split_sentences(tokens) if sentence.asked]
    if len(sentences) != 1 or len(sentences[0].clauses) != 1:
        return None
    asked = sentences[0].clauses[0].tokens
    kinds = {token.kind for token in asked}
    return asked if asked[0].kind in _AUXILIARIES and not kinds & {"OR", "THAN", "WHICH"} else None


def _said_again(clause: Clause, asked: Sequence[Token]) -> bool | None:
    tokens = [token for token in clause.tokens if token.kind not in {"YES", "CONCLUDE", "OPENER", "COLON"}]
    tokens, denied = _without_saying(tokens)
    words, own = list(_stems(asked)), set(_stems(tokens))
    kinds = {token.kind for token in tokens}
    over = next((place for place, token in enumerate(tokens) if token.words in _INSTEAD), len(tokens))
    if over < len(tokens) and set(words[-1:]) & set(_stems(tokens[over:])):
        return False if set(words[:-1]) <= own else None  # "placed on the left instead of the center"
    universal = any(token.words in _ALL for token in asked)
    if universal and tokens[:1] and tokens[0].words == "only" and set(words[-1:]) <= own and "NOT" not in kinds:
        return False  # "Only the spoon is in focus", of "Are all objects in focus?"
    open_ = kinds & _NEVER - {token.kind for token in asked}
    if not tokens or not words or open_ or any(token.words in _ALMOST for token in tokens):
        return None
    if tokens[0].kind == "IT" and _has_subject(asked) and len(words) > 1:
        owner = next((place for place, token in enumerate(asked) if token.kind == "POSSESSIVE"), 0)
        words = words[len(list(_stems(asked[: owner + 1]))) + 1 :]  # "It is in focus", of "the boy's face"
    said = [place for place, token in enumerate(tokens) if set() < set(_stems([token])) <= set(words)]
    exists = {"THERE", "HAS", "SEE"} & {token.kind for token in asked} and _is_seen(
        tokens[said[-1] + 1 :] if said else ()
    )
    if not exists and not any(token.kind in _VERBS for token in tokens[: said[-1] if said else 0]):
        return None  # "The level horizon is broken"
    if not set(words) <= own or any(token.kind not in _LIGHT for token in _unsaid(tokens[: said[-1]], words)):
        return None  # "The wall behind the child is in focus"
    if tokens[said[-1] + 1 :] and tokens[said[-1] + 1].kind == "WORD":
        return None  # "There is noise reduction"
    negated = [place for place, token in enumerate(tokens) if token.kind in {"NOT", "NEITHER"}]
    led = [token.kind for token in tokens[: said[0]] if token.kind not in {"THE", "DEGREE"}][-1:]
    if negated and led == ["PREP"] and "PREP" not in {token.kind for token in asked}:
        return None  # "I can not see through the haze"
    limited = any(token.kind == "DEGREE" for place in negated for token in tokens[place + 1 : place + 2])
    lacking = sum(token.kind == "NOT" for token in asked)
    if limited or len(negated) > 1 + lacking or any(not token.words.isascii() for token in tokens):
        return None  # "not very sharp", "don't see no noise"
    return (len(negated) + denied) % 2 == lacking % 2


def _without_saying(tokens: list[Token]) -> tuple[list[Token], bool]:
    """A clause without "I would say that", and whether it is "I would not say that"."""
    saying = next((place for place, token in enumerate(tokens[:3]) if token.kind in {"SAY", "DOUBT"}), None)
    if saying is None or tokens[0].kind != "I" or (tokens[saying].kind == "DOUBT" and not negates(tokens[saying])):
        return tokens, False
    start = saying + 1 + (tokens[saying + 1 : saying + 2] != [] and tokens[saying + 1].kind == "WHICH")
    return tokens[start:], tokens[saying].kind == "DOUBT"


def _is_seen(tokens: Sequence[Token]) -> bool:
    """Whether something is said to be there, or not: "is visible", "can not be found"."""
    said = [token for token in tokens if token.kind not in {*_AUXILIARIES, "NOT", "DEGREE"}]
    return len(said) < len(tokens) and bool(said) and said[0].words in _SEEN


def _has_subject(asked: Sequence[Token]) -> bool:
    """Whether a question names what it is about: "Is the child in focus?"."""
    return len(asked) > 2 and (asked[1].kind == "THE" or asked[1].words == "this") and asked[2].kind not in _ASKING


def _unsaid(tokens: Sequence[Token], words: Sequence[str]) -> Iterator[Token]:
    return (token for token in tokens if not set(_stems([token])) & set(words))


def _stems(tokens: Iterable[Token]) -> Iterator[str]:
    told = (token for token in tokens if token.kind not in _ASKING | {"NOT"} and token.words not in _EMPTY)
    return (stem(word) for token in told for word in token.words.split())
