"""Which choices does a reply assert by naming their texts in its sentences? Denied ones are left out.

"It is not high but medium" asserts medium; "No blur is visible" does not answer No. A text is asserted where it is
said to be so ("the clarity is high"), to be there ("shows motion blur") or to be it ("the man is the clearest part");
after a verb that is not known ("avoids overexposure") or before a noun that is not ("a good idea") it is left in
doubt. What the words leave open stays open: no text is ever preferred to another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, get_args

from qbench.parsing.choices import Indices
from qbench.parsing.clauses import Clause, Sentence
from qbench.parsing.mending import stem
from qbench.parsing.outcome import Parsed
from qbench.parsing.phrases import set_of
from qbench.parsing.tokens import Token

Certainty = Literal["asserted", "denied", "doubtful", "supposed", "granted"]

_NEAR = 3
"""A negator this many words before a name denies it; one further off in the clause leaves it in doubt."""
_NEGATORS = set_of("NOT NEITHER ELIMINATE OVER")
_DOUBTS = set_of("NEED DOUBT OTHERS WOULD CONFIDENCE IF WISH")
_DENIED_AFTER = set_of("NOT WRONG ELIMINATE TOO")
_LINKING = set_of("IS DO HAS DEGREE WOULD CAN BOTH COLON")
_NOT_ONLY = set_of("only just merely simply")
_HEADS = set_of(
    "IS HAS PREP OF WITH COLON SAY SEE WHICH THERE COMES FITS MAKES AND OR AS I IT LIKE MAIN BECAUSE CALL ANSWER YES "
    "CONCLUDE GOES_TO CHOOSE"
)
"""What a text may stand after, as its complement."""
_QUALIFIERS = set_of(
    "THE DEGREE GOOD BAD SHARPER BETTER MORE HIGHER OPENER QUALITY ASPECT ATTRIBUTE DEFECT THING NUMBER ITEM GROUP "
    "SIMILAR EQUAL BOTH RIGHT DONE LESS"
)
_SORTED_BY = set_of("level levels tint tone cast hue category range grade amount degree")
"""Nouns that a text may stand before: "a medium level"."""
_DETERMINING = set_of("THE HAS IS PREP WITH OF DEGREE")
_MOST_UNKNOWN = 2
"""Unknown words before a text with nothing known before them: "Considerable motion blur" has one, a sentence more."""
_ADDING = set_of("also additionally besides furthermore moreover")
_BESIDE = set_of("also slight slightly minor some mild little too besides additionally bit there")
"""Words of a last sentence that only adds something: "There is also some blur"."""
_RESULTING = set_of("gives creates makes lends results")
"""Verbs of a last sentence that says what all before it comes to: "This gives the image a warm feel"."""
_POSED = set_of("standing sitting lying located shown placed walking running seen")
_BESIDE_IT = set_of("front behind beside near under above against around")
"""Words of place after which a text only says where the one named before it is: "the horse in front of the fence"."""
_OUTDOING = set_of("MAIN WORSE WINS BEATS MORE HIGHER")
_NOUNS = set_of("ASPECT ATTRIBUTE QUALITY")


def by_mention(sentences: Iterable[Sentence]) -> Parsed[int] | None:
    """The one choice that is asserted; ambiguous where there are several or doubts, None where there is none."""
    found, concluded = _by_certainty(sentences)
    asserted, doubtful = found["asserted"], found["doubtful"]
    if not asserted:
        doubtful |= found["granted"] | found["supposed"]
    if len(concluded) == 1 and not doubtful:
        asserted = set(concluded)
    if len(asserted) == 1 and doubtful <= asserted and not found["denied"] & asserted:
        return Parsed(asserted.pop(), how="mention")
    named = set[int]().union(*found.values())
    how = "mentions" if len(named) > 1 else "mention"
    return Parsed(reason="ambiguous", how=how) if asserted or doubtful else None


def by_denial(sentences: Sequence[Sentence]) -> Parsed[int] | None:
    """The one choice that is denied, which answers "Which of these is not there?"."""
    found, _ = _by_certainty(sentences)
    twice = any(
        sum(token.kind == "NOT" for token in clause.tokens) > 1 for each in sentences for clause in each.clauses
    )
    denied, named = found["denied"], [choice for choices in found.values() for choice in choices]
    if twice or found["doubtful"] or len(denied) != 1 or named.count(next(iter(denied))) > 1:
        return None
    return Parsed(denied.pop(), how="mention")


def by_last(sentences: Sequence[Sentence], asked: frozenset[str]) -> Parsed[int] | None:
    """The one choice that the last sentence asserts, where that concludes or no other is named."""
    tokens = list(sentences[-1].tokens) if len(sentences) > 1 else []
    if not tokens:
        return None
    kinds, words = {token.kind for token in tokens}, {word for token in tokens for word in token.words.split()}
    found, _ = _by_certainty(sentences[-1:])
    anywhere, _ = _by_certainty(sentences)
    echoes = bool(asked) and asked <= {stem(word) for word in words}
    concludes = (
        echoes
        or kinds & {"CONCLUDE", "MAIN", "RETRACT"}
        or (tokens[0].kind == "IT" and tokens[1:2] and tokens[1].words in _RESULTING)
        or set[int]().union(*anywhere.values()) == found["asserted"]
    )
    alone = len(found["asserted"]) == 1 and not set[int]().union(*found.values()) - found["asserted"]
    of_others = any(
        token.kind in _NOUNS | {"DEFECT"} and not set(map(stem, token.words.split())) & asked for token in tokens
    )
    if not concludes or not alone or words & _BESIDE or (of_others and not echoes):
        return None
    return Parsed(found["asserted"].pop(), how="mention")


def _by_certainty(sentences: Iterable[Sentence]) -> tuple[dict[Certainty, set[int]], frozenset[int]]:
    """The choices of each certainty, and those that the last clause to assert any concludes with."""
    found: dict[Certainty, set[int]] = {standing: set() for standing in get_args(Certainty)}
    concluded: frozenset[int] = frozenset()
    sentences = _corrected(list(sentences))
    for choices, standing, concluding in _mentions(sentences):
        found[standing] |= choices
        if standing == "asserted":
            concluded = choices if concluding else frozenset()
    return found, concluded


def _corrected(sentences: list[Sentence]) -> list[Sentence]:
    """What follows the last sentence that begins with a correction and asserts something; all where there is none."""
    for place in reversed(range(1, len(sentences))):
        corrects = sentences[place].clauses[0].link == "RETRACT" and not sentences[place].asked
        if corrects and any(standing == "asserted" for _, standing, _ in _mentions(sentences[place:])):
            return sentences[place:]
    return sentences


def _mentions(sentences: Iterable[Sentence]) -> Iterator[tuple[Indices, Certainty, bool]]:
    """Choices that are named by their texts, how certain each is, and whether its clause concludes."""
    for sentence in sentences:
        if sentence.asked:
            continue
        supposing = any(clause.supposes for clause in sentence.clauses)
        denied_before = granted = eliminated = False
        for place, clause in enumerate(sentence.clauses):
            granted = (
                clause.link == "CONCEDE"
                or (clause.link == "WHILE" and place == 0)
                or (granted and clause.link == "AND")
            )
            concluding = any(token.kind == "CONCLUDE" for token in clause.tokens)
            outdone = _is_outdone(sentence.clauses[place + 1 :])
            revised = clause.link == "RETRACT" and any(token.kind == "TO" for token in clause.tokens)
            for name, standing in _names(clause):
                if revised and standing == "doubtful":
                    standing = "asserted"  # "I have to revise this to fair"
                enumerated = denied_before and clause.link in {"COMMA", "AND"} and clause.tokens[0] is name
                if enumerated and eliminated and len(clause.tokens) == 1:
                    standing = "denied"  # "Rule out A because of the noise, and B because ..."
                added = any(token.words in _ADDING for token in clause.tokens)
                if (granted or outdone or added) and standing in {"asserted", "doubtful"}:
                    standing = "granted"
                elif supposing and standing != "denied":
                    standing = "supposed"
                elif standing == "asserted" and enumerated:
                    standing = "doubtful"
                yield name.choices, standing, concluding
            if clause.link != "BECAUSE" or not eliminated:
                denied_before = any(token.kind in _NEGATORS for token in clause.tokens)
                eliminated = any(token.kind == "ELIMINATE" for token in clause.tokens)


def _is_outdone(following: Sequence[Clause]) -> bool:
    """Whether something that is not named outdoes what a clause says: "There is noise, but the smear dominates"."""
    return any(
        clause.link == "CONTRAST"
        and not any(token.kind in {"ITEM", "GROUP"} for token in clause.tokens)
        and any(token.kind in _OUTDOING for token in clause.tokens)
        for clause in following
    )


def _names(clause: Clause) -> Iterable[tuple[Token, Certainty]]:
    """Every text of a choice in a clause, and whether it is asserted there."""
    negated: int | None = None
    kinds = [token.kind for token in clause.tokens]
    doubted = any(
        kind in _DOUBTS and not (kind == "WOULD" and "I" in kinds[max(place - 1, 0) : place])
        for place, kind in enumerate(kinds)
    )
    compared = -_NEAR - 1
    for place, token in enumerate(clause.tokens):
        following = clause.tokens[place + 1].words if place + 1 < len(clause.tokens) else ""
        if (token.kind in _NEGATORS or token.words == "nor") and following not in _NOT_ONLY:
            negated = place
        if token.kind == "THAN":
            compared = -_NEAR - 1 if negated == place - 1 else place
        by_text = token.source == "text" or (token.source == "letter" and len(token.words) > 1)  # "is high (A)"
        if token.kind in {"ITEM", "GROUP"} and by_text and place - compared > _NEAR:
            standing = _standing(clause.tokens, place, negated, doubted=doubted)
            if standing == "denied" and "THAN" in kinds[:place]:
                standing = "doubtful"  # "nothing next to the blur"
            located = set(_BESIDE_IT) & {each.words for each in clause.tokens[max(place - 2, 0) : place]}
            if located and standing in {"asserted", "doubtful"} and {"IS", "ITEM"} <= set(kinds[:place]):
                standing = "granted"
            yield token, "supposed" if standing == "doubtful" and _supposes(kinds) else standing
        elif token.kind == "ITEM" and by_text and "WRONG" in kinds[:place]:
            yield token, "doubtful"  # "it is negligible compared to the blur"


def _supposes(kinds: Sequence[str]) -> bool:
    """Whether a clause says what others think, or what would be: "With better light this would be good"."""
    return "OTHERS" in kinds or ("WITH" in kinds and "WOULD" in kinds)


def _standing(tokens: Sequence[Token], place: int, negated: int | None, *, doubted: bool) -> Certainty:
    after = place + 1
    while after < len(tokens) and tokens[after].kind in _LINKING:
        after += 1
    if after > place + 1 and after < len(tokens) and tokens[after].kind in _DENIED_AFTER:
        return "denied"
    if negated is not None:
        between = sum(len(token.words.split()) for token in tokens[negated + 1 : place])
        return "denied" if between < _NEAR else "doubtful"
    denied_later = any(token.kind in {"NOT", "NEITHER"} for token in tokens[place:])
    return "doubtful" if doubted or denied_later or not _is_said(tokens, place) else "asserted"


def _is_said(tokens: Sequence[Token], place: int) -> bool:
    """Whether a text stands where something is said of the image, or says something of itself."""
    following = tokens[place + 1].kind if place + 1 < len(tokens) else ""
    done = tokens[place].words.endswith("ly") and following == "WORD" and tokens[place + 1].words.endswith("ed")
    if following in {"WORD", "NEED"} and tokens[place + 1].words not in _SORTED_BY | _POSED and not done:
        return False
    blamed = any(token.kind in {"BAD", "WORSE", "LESS"} for token in tokens[place:])
    if blamed and (following in {"IS", "HAS"} or any(token.kind == "THAN" for token in tokens[place:])):
        return False
    before = place - 1
    unknown = 0
    while before >= 0 and (tokens[before].kind in _QUALIFIERS or _is_adjective(tokens, before)):
        if tokens[before].kind == "LESS" and tokens[before - 1 : before] and tokens[before - 1].kind != "OR":
            return False  # "and there is even less blur"
        unknown += tokens[before].kind == "WORD"
        before -= 1
    if before < 0:
        return unknown < _MOST_UNKNOWN
    head = tokens[before].kind
    return head in _HEADS and not (head == "PREP" and following in _NOUNS)


def _is_adjective(tokens: Sequence[Token], place: int) -> bool:
    """Whether an unknown word is no verb, as far as its ending and the word before it tell."""
    word = tokens[place].words
    if tokens[place].kind != "WORD" or word.endswith("ing") or (word.endswith("s") and not word.endswith("ss")):
        return False
    return not word.endswith("ed") or (place > 0 and tokens[place - 1].kind in _DETERMINING)
