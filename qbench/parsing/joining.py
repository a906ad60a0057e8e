"""Namings that belong together: a letter with its text, the same choice twice, "A, B and D", the options repeated.

"B. Medium", "Medium (B)", "B B B"   -> one ITEM
"A. Low" where A is High             -> CLASH, which names nothing
"A and B", "A, B or D", "A, D are"   -> GROUP
"A. High B. Medium C. Low"           -> LISTING
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from qbench.parsing.phrases import set_of
from qbench.parsing.tokens import BEYOND, Token

_LETTER_NOUNS = set_of("option choice letter answer options choices letters answers")
_NOTHING = Token("", "")
_BEFORE_TEXT = frozenset(["CLOSE", "COLON", "DASH", "OPEN", "COMMA", "STOP", "DEGREE"])
_BEFORE_SAME = frozenset(["COLON", "DASH", "OPEN", "COMMA"])
_PREDICATES = set_of("IS HAS WINS BEATS LOSES WOULD DO FITS REMAINS POSSESSIVE NEED WORSE COMES NOT CAN")
_SINGULAR = set_of("is has was looks seems appears does shows offers")
_PLURAL = set_of("are were have do can")


def join_namings(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with namings that belong together made one."""
    plain = [
        replace(token, kind="WORD") if _is_confidence(tokens, place) else token
        for place, token in enumerate(tokens)
        if not _introduces(tokens, place)
    ]
    return _join_listings(_join_groups(_join_names(plain)))


def _is_confidence(tokens: Sequence[Token], place: int) -> bool:
    """Whether the text of an option only says how sure the model is: "good confidence", "confidence: high"."""
    token, before = tokens[place], _at(tokens, place - 1)
    if token.kind != "ITEM" or token.source == "letter":
        return False
    headed = before.kind in {"COLON", "IS"} and _at(tokens, place - 2).kind == "CONFIDENCE"
    return headed or _at(tokens, place + 1).kind == "CONFIDENCE"


def _introduces(tokens: Sequence[Token], place: int) -> bool:
    """Whether a token only introduces a name: an article, or "option" before a letter."""
    token, following = tokens[place], _at(tokens, place + 1)
    if following.kind != "ITEM":
        return False
    return token.kind == "THE" or (token.words in _LETTER_NOUNS and following.source == "letter")


def _at(tokens: Sequence[Token], place: int) -> Token:
    return tokens[place] if 0 <= place < len(tokens) else _NOTHING


def _join_names(tokens: Sequence[Token]) -> list[Token]:
    joined: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        place += 1
        while token.kind == "ITEM" and (found := _partner(token, tokens, place)):
            token, place = found
        joined.append(token)
    return joined


def _partner(token: Token, tokens: Sequence[Token], place: int) -> tuple[Token, int] | None:
    """`token` joined with the naming that follows it and the place after that, where they belong together."""
    end = place
    while end < min(place + 2, len(tokens)) and tokens[end].kind in _BEFORE_TEXT:
        end += 1
    other = _at(tokens, end)
    if other.kind != "ITEM":
        return None
    links = {link.kind for link in tokens[place:end]}
    after = end + 1
    if "OPEN" in links:
        if _at(tokens, after).kind != "CLOSE":
            return None
        after += 1
    same = token.choices == other.choices
    labelled = token.source == "letter" and other.source != "letter"
    apart = bool(links & {"STOP", "COMMA"})
    next_line = any(link.words == "\n" for link in tokens[place:end])
    if labelled and next_line and _at(tokens, after).kind not in {"", "STOP", "CLOSE"}:
        return None
    if labelled and not (apart and _is_subject(tokens, after)):
        if BEYOND in token.choices:
            return token, after
        return (
            replace(other, source="letter", label=True)
            if same
            else Token("CLASH", other.words, token.choices | other.choices, "letter")
        ), after
    if same and links <= _BEFORE_SAME and not ("COMMA" in links and _is_subject(tokens, after)):
        return replace(token, source="letter" if "letter" in {token.source, other.source} else token.source), after
    beside = "OPEN" in links or (not links and token.source != "letter")
    if not same and beside and "letter" in {token.source, other.source} and not labelled:
        return Token("CLASH", other.words, token.choices | other.choices, "letter"), after
    return None


def _is_subject(tokens: Sequence[Token], after: int) -> bool:
    return _at(tokens, after).kind in _PREDICATES


def _join_groups(tokens: Sequence[Token]) -> list[Token]:
    joined: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        if token.kind != "ITEM":
            joined.append(token)
            place += 1
            continue
        end, members, conjunctions = _run(tokens, place)
        if len({member.choices for member in members}) > 1 and _coordinated(tokens, place, end, members, conjunctions):
            token = Token("GROUP", " ".join(member.words for member in members), _union(members), members[0].source)
            place = end
        else:
            place += 1
        joined.append(token)
    return joined


def _union(members: Sequence[Token]) -> frozenset[int]:
    return frozenset().union(*(member.choices for member in members))


def _run(tokens: Sequence[Token], place: int) -> tuple[int, list[Token], set[str]]:
    """The namings from here on that only commas, "and" and "or" part: the place after them, they, and those words."""
    members: list[Token] = []
    conjunctions: set[str] = set()
    end = place
    links: set[str] = set()
    while _at(tokens, place).kind == "ITEM":
        members.append(tokens[place])
        conjunctions |= links
        end = place = place + 1
        links = set()
        while _at(tokens, place).kind in {"COMMA", "AND", "OR"} and len(links) < 2:
            links.add(tokens[place].kind)
            place += 1
        if not links:
            break
    return end, members, conjunctions


def _coordinated(
    tokens: Sequence[Token], place: int, end: int, members: Sequence[Token], conjunctions: set[str]
) -> bool:
    """Whether a run of namings is one subject or object, and not two clauses side by side."""
    following = _at(tokens, end)
    if "OR" in conjunctions:
        return True
    if "AND" in conjunctions:
        return not (len(members) == 2 and following.words.split(" ")[0] in _SINGULAR)
    if any(member.source != "letter" for member in members) or _at(tokens, place - 1).kind == "NOT":
        return False
    return len(members) > 2 or following.words.split(" ")[0] in _PLURAL or following.kind in {"", "STOP"}


def _join_listings(tokens: Sequence[Token]) -> list[Token]:
    """The options repeated one after another with their letters assert none of them."""
    if sum(token.label for token in tokens) < 2:
        return list(tokens)
    joined: list[Token] = []
    place = 0
    while place < len(tokens):
        end, members = place, []
        while _at(tokens, end).label and _at(tokens, end).kind == "ITEM":
            members.append(tokens[end])
            end += 1
            while members and _at(tokens, end).kind in {"STOP", "COMMA", "OR", "AND"} and _at(tokens, end + 1).label:
                end += 1
        if len({member.choices for member in members}) > 1 and not (joined and joined[-1].kind == "NOT"):
            joined.append(Token("LISTING", "", _union(members), "letter"))
            place = end
        else:
            joined.append(tokens[place])
            place += 1
    return joined
