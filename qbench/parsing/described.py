"""Which of two items is described as good and which as bad, where a reply gives no verdict.

"Image 1: heavy grain, dull colors. Image 2: crisp and natural" prefers the second. Each clause is about the one item
that it names, or about the one that was spoken of last, and says something good or bad of it by its words of quality.
Only where all that is said of one is better than all that is said of the other does anything follow. What is granted
("although sharp") counts for nothing; what is supposed, asked, corrected or said of both in one breath ends it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from qbench.parsing.clauses import Clause, Sentence
from qbench.parsing.phrases import set_of
from qbench.parsing.reversed import AS_A_WHOLE, OTHERWISE
from qbench.parsing.tokens import Token
from qbench.parsing.valued import DENYING, SIGNS, is_superb, of_remedy, signs_of, values_of

_BOTH = set_of("BOTH GROUP EACH NEITHER EQUAL")
_OPEN = set_of("IF DOUBT OTHERS CONFIDENCE CLASH LISTING")
_COMPARATIVES = set_of("MORE LESS HIGHER BETTER SHARPER WORSE")
_COMPARING = set_of("THAN BEATS LOSES")
_ABSENT = set_of("absent missing gone")
_BESIDE_SPARED = set_of("I WORD COMES")
_REACHING = set_of("reach match equal par level rival catch")
_LIGHT = set_of("IS DO HAS THERE THE PREP CAN DEGREE SEE IT ITEM OF THING WITH NOT SPARED RIGHT")


@dataclass(frozen=True)
class _Said:
    """What a clause says of one item."""

    side: int
    value: float
    """From -1, bad, to 1, good; what is slightly bad or middling lies between."""
    granted: bool = False
    denying: bool = False
    """Said by what is not there: "no noise"."""


class _OpenError(Exception):
    """Something is said that leaves open which item it speaks for."""


def described_better(sentences: Sequence[Sentence], *, asked: bool, one_sided: bool = False) -> int | None:
    """The item of two that is described as better; None where that is open.

    Args:
        sentences: The reply.
        asked: Whether a question asked for one attribute, so that "noisier" alone compares the two.
        one_sided: Whether what is said of one item tells of the other: "The second is blurry" where neither else is
            spoken of, and the sharper one was asked for.
    """
    reader = _Reader(asked, any(is_superb(clause.tokens) for sentence in sentences for clause in sentence.clauses))
    try:
        for sentence in sentences:
            reader.read(sentence)
    except _OpenError:
        return None
    standing = [each for each in reader.said if not each.granted]
    found = next((side for side in (0, 1) if _is_better(side, standing)), None)
    return _from_one(reader) if found is None and one_sided else found


def _is_better(side: int, said: Sequence[_Said]) -> bool:
    own = [each.value for each in said if each.side == side]
    other = [each.value for each in said if each.side != side]
    return bool(own and other) and min(own) > max(other)


def _from_one(reader: _Reader) -> int | None:
    """The item that follows from what is said of one alone, where nothing at all is said of the other."""
    values, sides = {each.value for each in reader.said}, {each.side for each in reader.said}
    set_apart = reader.set_apart and len(sides) == 1
    if not (len(reader.named) == 1 and not reader.unread) and not set_apart:
        return None
    if any(each.granted for each in reader.said):
        return None
    side = min(sides | (set() if sides else reader.named))
    if values <= {1}:
        return side if values else None
    return 1 - side if max(values) < 0 and (reader.asked or min(values) == -1) else None


@dataclass
class _Reader:
    """Goes through the sentences of a reply in order."""

    asked: bool
    outdone: bool
    """Whether something is superb, beside which "fine" is no praise."""
    said: list[_Said] = field(default_factory=list)
    named: set[int] = field(default_factory=set)
    """The items that are spoken of at all."""
    unread: bool = False
    """Whether something is said after "but" that is not understood."""
    set_apart: bool = False
    """Whether one is set against the other in words that are not all known: "whereas the second shows every hair"."""
    placed: bool = False
    """Whether a clause only says where, so that "they" are things there: "in the first, they melt together"."""
    needed: bool = False
    """Whether a clause goes on with what is missed: "needs better light and more detail"."""
    topic: int | None = None
    """The item spoken of last."""
    granted: bool = False
    shared: int = 0
    """What was said of both before "but": 1 good, -1 bad."""
    supposing: bool = False
    """Whether the clause before said what others think, or what one would expect."""
    against: int | None = None
    """What a sentence begins to compare with: "Compared to the first image, ..."."""

    def read(self, sentence: Sentence) -> None:
        self.named |= {choice for token in sentence.tokens if token.kind == "ITEM" for choice in token.choices}
        if sentence.asked or any(clause.supposes for clause in sentence.clauses):
            return _only_if_nothing_told(sentence.tokens)
        self.granted, self.shared, self.against, self.supposing = False, 0, None, False
        for clause in sentence.clauses:
            if clause.link == "RETRACT":
                raise _OpenError
            self.supposing = self.supposing and clause.link in {"COMMA", "AND"} and clause.tokens[0].kind != "I"
            if self.supposing or any(token.kind in _OPEN for token in clause.tokens):
                _only_if_nothing_told(clause.tokens)
                self.supposing = self.supposing or any(token.kind == "OTHERS" for token in clause.tokens)
                continue
            self.granted = (clause.link == "CONCEDE" and not self.shared) or (self.granted and clause.link == "AND")
            kinds = {token.kind for token in clause.tokens}
            carried = (
                self.needed and clause.link in {"AND", "COMMA"} and not kinds & {"ITEM", "IT", "OTHER", "IS", "HAS"}
            )
            self.needed, before = carried, self.topic
            found = self._clause(clause)
            self.set_apart = self.set_apart or _sets_apart(clause, before, self.topic, found, self.said)
            self.needed = carried or "NEED" in kinds
            unread = (clause.link in {"CONTRAST", "WHILE"} and not found) or bool(kinds & {*_BOTH, "OTHER"})
            unread = (
                unread or clause.tokens[-1].kind == "LESS" or any(each.words == AS_A_WHOLE for each in clause.tokens)
            )
            other = any(token.kind == "WORD" and after.kind == "THING" for token, after in pairwise(clause.tokens))
            self.unread = self.unread or unread or other or bool(kinds & DENYING and any(map(_compares, clause.tokens)))
            strange = any(
                after.kind in {"TO", "WRONG"}
                or (after.kind == "WORD" and after.words != OTHERWISE and token.kind in {"GOOD", "BAD", "WORD"})
                or (token.kind == "WORD" and after.words == "that")
                for token, after in pairwise(clause.tokens)
            )
            self.unread = self.unread or bool(found and strange)
            self.unread = self.unread or any(
                token.words == "too" and after.kind == "GOOD" for token, after in pairwise(clause.tokens)
            )
            if any(token.words == "even" and _compares(after) for token, after in pairwise(clause.tokens)):
                self.said.clear()  # "the first is soft, the second even softer"
            self.said += found
        return None

    def _clause(self, clause: Clause) -> list[_Said]:
        tokens: Sequence[Token] = clause.tokens
        sides = _sides(tokens, self.topic)
        self.named |= sides
        if tokens[0].kind == "THAN" and len(sides) == 1 and not _is_told(tokens):
            (self.against,) = sides
            last = self.said[-1] if clause.link and self.said else None  # "sharp, unlike the second"
            return [_Said(self.against, -last.value)] if last and last.side != self.against else []
        if not sides and any(token.kind == "THING" and before.kind in SIGNS for before, token in pairwise(tokens)):
            return []  # "the harbor at dusk is the worse image"
        placed, self.placed = (
            self.placed,
            bool(sides) and all(token.kind in {"PREP", "ITEM", "THE"} for token in tokens),
        )
        if not sides and any(token.kind in _BOTH and not (placed and token.kind == "BOTH") for token in tokens):
            self.topic, self.shared = None, _shared_sign(tokens)
            return []
        compared = self.against is not None or (self.asked and _is_comparative(tokens))
        if len(sides) == 2 and _is_short_of(tokens):
            self.topic = next(token for token in tokens if token.kind == "ITEM").choices.__iter__().__next__()
            return [_Said(self.topic, -1, self.granted), _Said(1 - self.topic, 1, self.granted)]
        if (end := _comparator(tokens)) is not None or len(sides) > 1:
            self.topic, tokens = _compared(tokens, end, self.topic)
            compared = True
        elif sides:
            (self.topic,) = sides
        return [] if self.topic is None else self._of_topic(clause, tokens, self.topic, compared=compared)

    def _of_topic(self, clause: Clause, tokens: Sequence[Token], topic: int, *, compared: bool) -> list[_Said]:
        denied = _denied(tokens, topic, self.said)
        values = [denied] if denied else [] if self.needed else values_of(tokens, outdone=self.outdone)
        if not values and not self.asked:
            values = of_remedy(tokens)
        degrees = {token.kind for token in tokens} & {"LESS", "MORE"}
        if not values and self.shared and degrees:  # "both are blurry, the second less so"
            values = [-self.shared if "LESS" in degrees else self.shared]
        compared = compared or (
            bool(self.shared) and set(values) <= {1, -1} and clause.link in {"CONTRAST", "CONCEDE", "COMMA"}
        )
        denying = any(token.kind in {"NOT", "SPARED"} for token in tokens)
        found = [_Said(topic, value, self.granted, denying) for value in values]
        if compared and self.against != topic:
            found += [_Said(1 - topic, -value, self.granted) for value in values]
        return found


def _sets_apart(clause: Clause, before: int | None, topic: int | None, found: list[_Said], said: list[_Said]) -> bool:
    """Whether a clause sets one item against the other, of which alone something is said that is understood."""
    other = before is not None and topic is not None and before != topic
    told = bool(found) != any(each.side == before for each in said)
    open_ = DENYING | set_of("GOOD BAD DEFECT CONCLUDE EQUAL")
    plain = not any(token.kind in open_ or token.words in {"also", "both"} for token in clause.tokens)
    plain = plain and clause.tokens[-1].words != "too"
    return clause.link in {"WHILE", "CONTRAST"} and other and told and (bool(found) or plain)


def concluded_better(sentences: Sequence[Sentence]) -> int | None:
    """The item that is called better in the last sentence that concludes: "Considering everything, ..."."""
    concluding = [place for place, sentence in enumerate(sentences) if _concludes(sentence)]
    if not concluding or any(_is_told(sentence.tokens) for sentence in sentences[concluding[-1] + 1 :]):
        return None
    return described_better(sentences[concluding[-1] :][:1], asked=True)


def _concludes(sentence: Sentence) -> bool:
    return any(token.kind == "CONCLUDE" for token in sentence.clauses[0].tokens)


def _is_told(tokens: Iterable[Token]) -> bool:
    return any(token.kind in SIGNS for token in tokens)


def _only_if_nothing_told(tokens: Iterable[Token]) -> None:
    if _is_told(tokens):
        raise _OpenError


def _sides(tokens: Sequence[Token], topic: int | None) -> set[int]:
    """The items that a clause names; "the other" is the one that was not spoken of last."""
    sides = {choice for token in tokens if token.kind == "ITEM" for choice in token.choices}
    other = any(token.kind == "OTHER" for token in tokens) and not sides and topic is not None
    return {1 - (topic or 0)} if other else sides


def _compares(token: Token) -> bool:
    return token.kind in _COMPARATIVES or token.words.startswith("more ")


def _is_comparative(tokens: Sequence[Token]) -> bool:
    """Whether one is called more or less what was asked for; "better" alone may be so in something else."""
    if any(token.kind in DENYING for token in tokens):
        return False
    followed = [*tokens[1:], Token("", "")]
    return any(
        token.kind in _COMPARATIVES and not (token.words == AS_A_WHOLE and after.words == OTHERWISE)
        for token, after in zip(tokens, followed, strict=True)
    )


def _is_short_of(tokens: Sequence[Token]) -> bool:
    """Whether one has to be mended to come up to the other: "needs sharpening to reach the level of the second"."""
    needs = next((place for place, token in enumerate(tokens) if token.kind == "NEED"), len(tokens))
    return any(set(token.words.split()) & _REACHING for token in tokens[needs:])


def _comparator(tokens: Sequence[Token]) -> int | None:
    """The place of the word before what something is compared with: "than", "superior to", "beats"."""
    unlike = next((place for place, token in enumerate(tokens) if token.kind == "NOT"), len(tokens))
    for before, (place, token) in pairwise(enumerate(tokens)):
        if token.kind == "AS" and any(each.kind == "AS" for each in tokens[unlike:place]):
            return place  # "not as good as"
        superior = token.kind == "TO" and before[1].kind in {"BETTER", "WORSE"}
        copied = token.kind == "OF" and before[1].words in {"version", "copy"}  # "a degraded version of the first"
        if token.kind in _COMPARING or superior or copied:
            return place
    return None


def _compared(tokens: Sequence[Token], end: int | None, topic: int | None) -> tuple[int, Sequence[Token]]:
    """The item that is compared with the other and what is said of it: "image 2 looks noisier than image 1"."""
    if end is None:
        _only_if_nothing_told(tokens)
        raise _OpenError
    subject = _sides(tokens[:end], None) or ({topic} if topic is not None else set())
    against = _sides(tokens[end:], None)
    # "No sharper than" says little of either, and so does "must be improved to beat".
    likened = tokens[end].kind == "AS"
    denied = (
        any(
            token.kind in DENYING - ({"NOT"} if likened else set()) and not token.words.startswith("lack")
            for token in tokens
        )
        or tokens[end - 1].kind == "TO"
    )
    if len(subject) != 1 or len(against) != 1 or subject == against or denied or _is_told(tokens[end + 1 :]):
        raise _OpenError
    return subject.pop(), tokens[: end + 1]


def _denied(tokens: Sequence[Token], topic: int, before: Sequence[_Said]) -> float:
    """What a clause says that only denies what was said of the other item: "the second has none of this"."""
    kinds = {"SPARED" if token.words in _ABSENT else token.kind for token in tokens}
    spared = "SPARED" in kinds
    if (
        before
        and before[-1].side != topic
        and before[-1].denying
        and kinds <= {"DEGREE", "OF", "IT", "PREP", "ITEM", "HAS", "THERE", "IS"}
    ):
        return -before[-1].value  # "no noise in the first, but much of it in the second"
    if before and before[-1].denying and any(token.words.startswith("none of") for token in tokens):
        return 0
    kinds -= {"NEED"} if tokens[-1].words in {"none", "nothing"} else set()  # "the right one needs none"
    if not before or before[-1].side == topic or kinds - _LIGHT - (_BESIDE_SPARED if spared else set()):
        return 0
    elliptic = kinds <= {"NOT", "PREP", "ITEM", "THE", "IS", "DO", "HAS"}  # "but not in image 2"
    return -before[-1].value if spared or ("NOT" in kinds and (elliptic or before[-1].value < 0)) else 0


def _shared_sign(tokens: Sequence[Token]) -> int:
    signs = signs_of(tokens)
    return signs.pop() if len(signs) == 1 and not any(token.kind == "WOULD" for token in tokens) else 0
