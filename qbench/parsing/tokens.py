"""A cleaned reply as tokens: a choice that is named, a word of a known class, a mark, or an unknown word.

Inside running text only capitals are letters, and "A" before a word is the article.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from qbench.parsing.choices import Choices, Indices
from qbench.parsing.phrases import class_table, set_of
from qbench.parsing.qualities import QUALITIES

BEYOND = -1
"""Stands for a letter that no option has."""
NamingSource = Literal["letter", "text", "short", ""]

_RAW = re.compile(
    r"[\ue000-\uf8ff]|\d+(?:[.,/]\d+)*|'s\b|[^\W\d_]+(?:'(?!s\b)[^\W\d_]+)*|->|(?<=\s)[-~]+(?=\s)|[.,;:!?()\[\]{}\n/&+=<>|✓✗]"
)
_MARKS = {
    **dict.fromkeys([".", "!", ";", "\n", "|"], "STOP"),
    **dict.fromkeys(["(", "[", "{"], "OPEN"),
    **dict.fromkeys([")", "]", "}"], "CLOSE"),
    **dict.fromkeys([":", "=", "->"], "COLON"),
    **dict.fromkeys(["&", "+"], "AND"),
    "?": "ASK",
    ",": "COMMA",
    "/": "OR",
    ">": "BEATS",
    "<": "LOSES",
    "'s": "POSSESSIVE",
    "✓": "TICK",
    "✗": "CROSS",
}
_SOFT = frozenset([",", "/", "&", "+", "="])
"""Marks that may stand inside the wording of a choice: "N/A", "Faded, not yet black and white"."""
_ENDS = frozenset(["", "STOP", "ASK", "COMMA", "CLOSE", "COLON", "DASH", "OPEN"])
_VERBS = set_of(
    "IS HAS WINS BEATS LOSES WOULD DO CAN SUFFERS COMES FITS REMAINS NOT NEED POSSESSIVE WRONG RIGHT OTHERS AND OR "
    "OVER THAN BECAUSE CONTRAST WHILE CONCEDE CONCLUDE IF NEITHER CHOOSE"
)
"""Classes that no noun begins with: before them "A" is a letter, and "the first" needs no noun."""
_AFTER_ORDINAL = (
    _ENDS | _VERBS | set_of("THE MORE LESS DEGREE MAKES RETRACT OF PREP OPENER WORSE AS TO WITH GOES_TO BETTER WHICH")
)
_AFTER_NOUNS = set_of("IS DO HAS CAN WOULD OF")
_BEFORE_SHORT = frozenset(
    [
        "",
        *set_of("STOP ASK COLON DASH OPEN CHOOSE PICK OVER THAN BEATS LOSES CONCLUDE OPENER RETRACT AND OR NOT COMMA"),
        *("TICK", "CROSS"),
    ]
)
_ARTICLES = frozenset(["a", "an", "the"])
_ORDINALS = set_of("first second left right former latter")
_DIRECTIONS = frozenset(["left", "right"])
_AFTER_BARE_NO = set_of("the it this that there they he she i you we these those and or")


@dataclass(frozen=True)
class Token:
    """One token, its class, and the choices it names where it names any."""

    kind: str
    words: str
    choices: Indices = frozenset()
    source: NamingSource = ""
    label: bool = field(default=False, compare=False)
    """A letter set off as a label: "(B)", "B.", "B:"."""


END = Token("STOP", "")
"""Stands behind the last token of a clause, so that each has one after it."""


class _Reader:
    """Goes through a reply once, from left to right."""

    def __init__(self, text: str, choices: Choices) -> None:
        found = list(_RAW.finditer(text))
        self.raw = [match[0] for match in found]
        self.words = [match[0].casefold() for match in found]
        self.glued = [place > 0 and found[place - 1].end() == match.start() for place, match in enumerate(found)]
        self.choices = choices
        self.tokens: list[Token] = []
        self._looked_up: dict[int, tuple[int, str] | None] = {}
        self._plain: Sequence[int] = range(len(self.words))
        self._plain_words = self.words
        self._plain_index: Mapping[int, int] | None = None
        """Where each word stands once marks are left out; None where there are none."""
        if not _SOFT.isdisjoint(self.words):
            self._plain = [place for place, word in enumerate(self.words) if word not in _SOFT]
            self._plain_words = [self.words[place] for place in self._plain]
            self._plain_index = {place: index for index, place in enumerate(self._plain)}

    def read(self) -> Iterator[Token]:
        place = 0
        while place < len(self.raw):
            token, place = self._next(place)
            self.tokens.append(token)
            yield token

    def _next(self, place: int) -> tuple[Token, int]:
        word = self.words[place]
        if letter := self._bracketed(place):
            return letter, place + 3
        if word in _MARKS or word[0] in "-~":
            return Token(_MARKS.get(word, "DASH"), word), place + 1
        name = self._name(place)
        if (letter := self._letter(place)) and not (name and name[0] > place + 1):
            return letter, place + 1 + (self._at(place + 1) == ")")
        known = self._known(place)
        if name and (not known or name[0] >= place + known[0] or known[1] in QUALITIES):
            return Token("ITEM", word, name[1], "text"), name[0]
        if self._names_short(place):
            return Token("ITEM", word, frozenset([self.choices.short[word]]), "short"), place + 1
        if (
            known
            and known[1] == "BECAUSE"
            and word == "as"
            and any(token.words.endswith("as") for token in self.tokens[-4:])
        ):
            return Token("AS", word), place + 1  # "not as sharp as the other"
        if known and known[1] == "RETRACT" and word == "not" and self.tokens and self.tokens[-1].kind not in _ENDS:
            return Token("NOT", word), place + 1  # "it is not quite sharp"
        if word == "even" and self._kind(place + 1) in {"WORSE", "SHARPER", "BETTER", "MORE", "LESS", "HIGHER"}:
            return Token("DEGREE", word), place + 1  # "even softer"
        if known and known[1] == "MAKES" and self.tokens and self.tokens[-1].kind == "THE":
            return Token("WORD", word), place + 1  # "the leaves"
        if known:
            return Token(known[1], " ".join(self.words[place : place + known[0]])), place + known[0]
        return Token(_unknown(word), word), place + 1

    def _name(self, place: int) -> tuple[int, Indices] | None:
        """The place after the longest wording that begins here, and whose it is; an article before it is part of it."""
        index = place if self._plain_index is None else self._plain_index.get(place)
        if index is None:
            return None
        if self.words[place] in _ARTICLES and place + 1 < len(self.words) and not self._before_capital(place):
            return self._name(place + 1) if self._kind(place + 1) != "ANSWER" else None
        found = self.choices.names.longest(self._plain_words, index)
        if not found or (found[0] == 1 and self.words[place] == "no" and not self._answers_no(place)):
            return None
        return self._plain[index + found[0] - 1] + 1, found[1]

    def _before_capital(self, place: int) -> bool:
        """Whether "A" stands before a capital, as no article in running text does: "A Low" is a letter."""
        return self.raw[place] == "A" and self.raw[place + 1][0].isupper()

    def _answers_no(self, place: int) -> bool:
        """Tell "No, it isn't" from the determiner in "no blur"."""
        following = self._kind(place + 1)
        before = self.tokens[-1].kind if self.tokens else ""
        return following in _ENDS or (before in _ENDS and self.words[place + 1] in _AFTER_BARE_NO) or before == "COLON"

    def _known(self, place: int) -> tuple[int, str] | None:
        """The longest phrase of the word tables that begins at a place, looked up once."""
        if place not in self._looked_up:
            self._looked_up[place] = class_table().longest(self.words, place)
        return self._looked_up[place]

    def _kind(self, place: int) -> str:
        """The class of what begins at a place, choices apart; nothing at the end."""
        if place >= len(self.words):
            return ""
        word = self.words[place]
        if word in _MARKS or word[0] in "-~":
            return _MARKS.get(word, "DASH")
        known = self._known(place)
        return known[1] if known else _unknown(word)

    def _at(self, place: int) -> str:
        return self.words[place] if 0 <= place < len(self.words) else ""

    def _bracketed(self, place: int) -> Token | None:
        """A letter in brackets that do not belong to the word before them, as in "image(s)"."""
        if self.words[place] not in {"(", "[", "{"} or self._at(place + 2) not in {")", "]", "}"}:
            return None
        token = self._as_letter(place + 1)
        in_word = self.glued[place] and self._at(place - 1).isalpha()
        return replace(token, label=True) if token and not in_word else None

    def _as_letter(self, place: int) -> Token | None:
        raw = self.raw[place]
        if not self.choices.letters or len(raw) > 1 or not (raw.isascii() and raw.isalpha()):
            return None
        index = ord(raw.upper()) - ord("A")
        return Token("ITEM", raw, frozenset([index if index < self.choices.letters else BEYOND]), "letter")

    def _letter(self, place: int) -> Token | None:
        token = self._as_letter(place)
        raw, before = self.raw[place], self._at(place - 1)
        if not token:
            return None
        label = self._at(place + 1) in {".", ")", ":"} and self.glued[place + 1]
        if raw in "iI" and not (label and self.choices.letters > 8):
            return None
        if raw.islower() and not self._lower_letter(place, before, label):
            return None
        if raw == "A" and not self._capital_a(place):
            return None
        return replace(token, label=label)

    def _lower_letter(self, place: int, before: str, label: bool) -> bool:
        """A small letter alone on its line, as a label that leads it, or after "option" or "answer:"."""
        kind = self._kind(place + 1)
        leads = before in {"", "\n", "."} or (before in {"is", ":"} and self.raw[place] != "a")
        return leads and (label or kind in _ENDS | {"BECAUSE"})

    def _capital_a(self, place: int) -> bool:
        kind = self._kind(place + 1)
        if kind in _ENDS or kind in _VERBS:
            return True
        if kind == "DEGREE" and self.tokens and self.tokens[-1].kind == "CHOOSE":
            return True  # "I'd go with A here"
        return self._before_capital(place) and (len(self.raw[place + 1]) == 1 or self._name(place + 1) is not None)

    def _names_short(self, place: int) -> bool:
        """Whether a word such as "first" or "2" can mean nothing but its choice here."""
        word = self.words[place]
        if word not in self.choices.short:
            return False
        before = self.tokens[-1] if self.tokens else Token("", "")
        after = self._kind(place + 1)
        if before.words == "the" and word in _ORDINALS:
            if word in _DIRECTIONS and len(self.tokens) > 1 and self.tokens[-2].words in {"to", "from"}:
                return False  # "slopes to the right"
            return after in _AFTER_ORDINAL or (after == "WORD" and self._is_verb(place + 1))
        answers = before.kind == "IS" and len(self.tokens) > 1 and self.tokens[-2].kind in {"ANSWER", "BETTER", "IT"}
        if before.kind not in _BEFORE_SHORT and not answers:
            return False
        ends = {"", "STOP", "CLOSE", "COMMA", "BECAUSE", "CONTRAST", "DASH"}
        if word in {"one", "two"}:
            return after in ends
        heads = after == "COLON" and before.kind in {"", "STOP"}
        return heads or after in ends | {"IS", "WINS", "BEATS", "LOSES", "OVER", "HAS", "AND", "OR", "THAN"}

    def _is_verb(self, place: int) -> bool:
        """Whether an unknown word after "the first" is what that one does, as far as its ending tells."""
        word, following = self.words[place], self._at(place + 1)
        noun = word.endswith(("ss", "us", "is", "lens", "series")) or self._kind(place + 1) in _AFTER_NOUNS
        return word.endswith("s") and not noun and following.isalpha()


def _unknown(word: str) -> str:
    """The class of a word that no table has."""
    return "NUMBER" if word[0].isdigit() else "DEGREE" if len(word) > 4 and word.endswith("ly") else "WORD"


def tokenise(text: str, choices: Choices) -> list[Token]:
    """The tokens of a cleaned reply in order."""
    return list(_Reader(text, choices).read())
