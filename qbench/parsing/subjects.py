"""What a word of an attribute is said of: the image, what was asked about, or only a part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from qbench.parsing.attribute_words import parts_of, whole_words
from qbench.parsing.phrases import set_of
from qbench.parsing.tokens import Token

AMOUNTS = set_of("amount sign flaw")
"""Kinds of words that name what an image has, and not how it is."""
_FAILING = set_of("fail fails failed failing")
_SUBJECTS = set_of("THING I IT THERE BOTH")
VERBS = set_of("IS HAS DO WOULD CAN NEED COMES MAKES SEE FITS WINS")
_LOCATING = set_of("in at on around near behind toward towards along within inside under")
_SOME = set_of("region regions area areas spot spots patch patches part parts zone zones portion portions")

ELSEWHERE = set_of(
    """half third quarter background backdrop foreground corner corners edge edges side sides left right top bottom
        upper lower distance
    highlights shadows midtones behind far periphery rest part parts area areas region regions spot spots patch
        patches zone zones surroundings"""
)
"""Places in an image."""
_SOURCES = set_of("sun moon sky lamp lamps light lights window windows screen fire bulb neon candle flame")
"""A bright lamp makes no bright photo."""
_GENERAL = set_of(
    """how you rate main subject object overall picture photo image scene visual technical would describe level primary
    major say feel does appear shot frame general current photograph"""
)


_PARTS = {
    "text": "letter letters lettering character characters word words writing inscription digit digits number numbers",
    "sign": "letter letters lettering character characters word words writing text",
    "plate": "characters digits numbers letters",
    "face": "eyes eye skin features expression",
    "sky": "clouds cloud",
    "wall": "bricks brick plaster",
    "subject": "person man woman child girl boy people face eyes",
}
"""What is said of these is said of what they are part of, or examples of."""


def with_parts(words: Iterable[str]) -> frozenset[str]:
    """Nouns with their parts."""
    kept = frozenset(words)
    return kept.union(*(_PARTS.get(word, "").split() for word in kept))


def is_typical(tokens: Sequence[Token], own: frozenset[str], attribute: str) -> bool:
    """Whether what is said of a part may stand for the whole: nothing apart from it is named or was asked about."""
    apart = any(set(token.words.split()) & ELSEWHERE or token.words.startswith("lack") for token in tokens)
    if attribute in {"light", "exposure"}:
        shining = (set(token.words.split()) & _SOURCES or "source" in dict(parts_of(token)) for token in tokens[:2])
        apart = apart or any(shining)
    both = any(token.words == "both" for token in tokens)
    return attribute != "warmth" and asks_generally(own) and (both or not apart)


def asks_generally(own: frozenset[str]) -> bool:
    """Whether a question, by its nouns, is about the whole image or its subject, and about no other thing."""
    return own <= with_parts(_GENERAL & own)


def is_partial(tokens: Sequence[Token], place: int, own: frozenset[str]) -> bool:
    """Whether a word is said of a part of the image: its subject, or a place after it, is none that was asked about."""
    if [token.kind for token in tokens[:2]] == ["IT", "IS"] and any(token.kind == "WHICH" for token in tokens[:place]):
        tokens, place = tokens[2:], place - 2  # "it is the subject that is blurred"
    for step, token in enumerate(() if _is_of_none(tokens[:place], own) else tokens[:place]):
        known = any(part in AMOUNTS for _, part in parts_of(token)) or set(token.words.split()) & (own | whole_words())
        if token.kind in VERBS or ((token.kind in _SUBJECTS or known) and not _is_governed(tokens, step)):
            if negates(tokens[0]) and _is_located(tokens[step:place], own):
                return True  # "nothing in the background is sharp"
            break
        thing = token.kind in {"WORD", "PLACE", "OTHER"} or {about for about, _ in parts_of(token)} == {"source"}
        if thing and not known and not _is_governed(tokens, step):
            if any(set(each.words.split()) & own for each in _whole_after(tokens[step + 1 :])):
                break  # "the eyes of the subject"
            if any(each.kind == "POSSESSIVE" for each in tokens[:step]) and set(tokens[step - 2].words.split()) & own:
                break  # "the parrot's feathers"
            the = step > 0 and tokens[step - 1].kind == "THE"
            if the or not token.words.endswith(("ed", "ing")):
                return True
    denied = any(negates(token) for token in tokens[:place])
    locating = False
    for step, token in enumerate(tokens[place + 1 :]):
        elsewhere = token.kind in {"WORD", "PLACE", "OTHER"} or set(token.words.split()) & ELSEWHERE
        strange = elsewhere and not set(token.words.split()) & (own | whole_words())
        beside = step == 0
        if strange and (locating or beside) and not (denied and token.words in _SOME):
            return True
        locating = token.words in _LOCATING or (locating and token.kind in {"THE", "DEGREE"})
    return False


def _is_of_none(tokens: Sequence[Token], own: frozenset[str]) -> bool:
    """Whether a subject is denied altogether: "not a single region"; "nothing in the background" is of a part."""
    return bool(tokens) and negates(tokens[0]) and (tokens[0].words == "no" or not _is_located(tokens, own))


def _is_located(tokens: Sequence[Token], own: frozenset[str]) -> bool:
    return any(set(token.words.split()) & (ELSEWHERE - _SOME - own) for token in tokens)


def _is_governed(tokens: Sequence[Token], place: int) -> bool:
    """Whether a noun stands after a preposition, and so is no subject: "in this photo"."""
    while place > 0:
        place -= 1
        if tokens[place].kind in {"PREP", "OF", "WITH", "AS"}:
            return True
        if tokens[place].kind == "THE":
            return place > 0 and tokens[place - 1].kind in {"PREP", "OF", "WITH", "AS"}
        if tokens[place].kind in _SUBJECTS or tokens[place].kind in VERBS:
            return False
    return False


def negates(token: Token) -> bool:
    """Whether a token denies what follows: "not", "fails to", "I would not call it"."""
    if token.kind == "DOUBT":
        return token.words.split()[0] in {"would", "do", "can", "could"} and "not" in token.words
    return token.kind in {"NOT", "NEITHER"} or token.words in _FAILING


def _whole_after(tokens: Sequence[Token]) -> Sequence[Token]:
    """What a noun is a part of: "of the subject"."""
    return tokens[1:3] if tokens[:1] and tokens[0].kind == "OF" else ()
