"""Where a reply names the choices: by letter ("B", "(b)"), by text, or by both ("B. Blurry")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

OUT_OF_RANGE, AMBIGUOUS = -1, -2
"""Instead of a choice: a letter beyond those offered; and a letter with another option's text, "A. Low" of High."""
ANSWERS = frozenset(["yes", "no", "none", "both"])
_ANSWER_ENDS = re.compile(r"\s*(?:[.,;:!?)\]\"'-]|\Z)")
"""What follows Yes and No where they answer; "no noise" does not."""
_LETTER = re.compile(r"[A-Z](?![\w'+]|-\w)")
_SMALL_LETTER = re.compile(r"\([a-z]\)")
_ARTICLE = re.compile(
    r" (?!(?:is|has|was|appears?|seems?|looks?|shows?|and|or|because|since|as|with|for|does|would|in|on) )[a-z]"
)
"""What follows "A" or "I" where it is no letter of an option: "A sharp photo"."""
_BETWEEN = re.compile(r"[\s.):\]\"'-]{1,5}(?:(?i:the|an?) )?")
"""What stands between a letter and the text of its option."""


@dataclass(frozen=True)
class Mention:
    """One naming of a choice, and where it stands in the text."""

    choice: int
    start: int
    end: int
    letter: bool
    """Whether the letter is given, with the text or without."""
    both: bool = False


@dataclass(frozen=True)
class Choices:
    """How the choices of one question are named."""

    names: tuple[tuple[str, ...], ...]
    """Wordings of each choice."""
    letters: bool = True
    """Whether the choices are lettered from A."""
    asks_denied: bool = False
    """Whether the question asks for what is not so: "Which distortion does not exist?"."""
    alone: tuple[tuple[str, ...], ...] = ()
    """Further wordings that count where they are all of a reply, or of an announced answer: "2" of image 2."""

    def named(self, words: str) -> frozenset[int]:
        """The choices with this wording and nothing else, but for case, punctuation and an article."""
        said = (_joined(words), _joined(_without_article(words)))
        indices = (_index(self.names), _index(self.alone))
        return next((index[key] for index in indices for key in said if key in index), frozenset())

    def mentions(self, text: str) -> list[Mention]:
        """All namings of choices in a text, in their order."""
        found = [*self._texts(text), *(self._letters(text) if self.letters else ())]
        found.sort(key=lambda mention: (mention.start, -mention.end))
        kept: list[Mention] = []
        for mention in found:
            if not kept or mention.start >= kept[-1].end:
                kept.append(mention)
        return _put_together(kept, text)

    def _texts(self, text: str) -> list[Mention]:
        lower = text.lower() if len(text.lower()) == len(text) else text
        index, found = _index(self.names), []
        for match in _finder(self.names).finditer(lower):
            choices = index.get(_joined(match[0]), frozenset())
            inside = lower[max(match.start() - 1, 0) : match.start()].isalnum()
            answers = match[0] not in ANSWERS or _ANSWER_ENDS.match(text, match.end())
            if answers and not inside and len(choices) == 1:
                found.append(Mention(min(choices), match.start(), match.end(), letter=False))
        return found

    def _letters(self, text: str) -> list[Mention]:
        found = []
        for match in _LETTER.finditer(_SMALL_LETTER.sub(lambda small: small[0].upper(), text)):
            start, end = match.span()
            before = text[start - 1 : start]
            bracketed = before + text[end : end + 1] in {"()", "[]"}
            article = match[0] in "AI" and not bracketed and _ARTICLE.match(text, end)
            if article or before.isalnum() or before in {"_", "'", "/"}:
                continue
            choice = ord(match[0]) - ord("A")
            if choice < max(len(self.names), 8):
                offered = choice if choice < len(self.names) else OUT_OF_RANGE
                found.append(Mention(offered, start - bracketed, end + bracketed, letter=True))
        return found


def _without_article(words: str) -> str:
    return re.sub(r"\A\W*(?:[Tt]he|[Aa]n|a)\s+(?=\w)", "", words)


def _joined(words: str) -> str:
    """Words run together in lower case; what parts the digits of a number stays."""
    return re.sub(r"(?<!\d)[\W_]+|[\W_]+(?!\d)", "", words).casefold()


@lru_cache(maxsize=4096)
def _index(names: tuple[tuple[str, ...], ...]) -> dict[str, frozenset[int]]:
    """Words run together -> the choices that they name."""
    index: dict[str, frozenset[int]] = {}
    for choice, wordings in enumerate(names):
        for wording in wordings:
            for key in {_joined(wording), _joined(_without_article(wording))} - {""}:
                index[key] = index.get(key, frozenset()) | {choice}
    return index


@lru_cache(maxsize=4096)
def _finder(names: tuple[tuple[str, ...], ...]) -> re.Pattern[str]:
    """A pattern of all wordings in lower case, longest first."""
    words = (re.findall(r"[^\W_]+", _without_article(wording).lower()) for group in names for wording in group)
    patterns = {r"[\W_]{0,3}".join(map(re.escape, each)) for each in words if len("".join(each)) > 1}
    longest_first = sorted(patterns, key=lambda pattern: (-len(pattern), pattern))
    return re.compile(rf"(?:{'|'.join(longest_first) or '(?!)'})(?![^\W])")


def _put_together(mentions: Sequence[Mention], text: str) -> list[Mention]:
    """Mentions with "B. Blurry" as one of B; with a letter and another option's text as ambiguous."""
    joined: list[Mention] = []
    for mention in mentions:
        before = joined[-1] if joined else None
        beside = before and not before.both and _BETWEEN.fullmatch(text, before.end, mention.start)
        if before and beside and before.letter != mention.letter and (before.letter or text[mention.start] in "(["):
            choice = mention.choice if before.choice == mention.choice else AMBIGUOUS
            joined[-1] = Mention(choice, before.start, mention.end, letter=True, both=True)
        else:
            joined.append(mention)
    return joined
