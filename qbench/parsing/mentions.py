"""Which of the allowed phrases does a reply assert? Whole words, longest phrase first, denied ones left out.

"It is not high but medium" asserts medium; "black and white" is neither black nor white where it is an option itself;
"No blur is visible" does not answer No. What the words leave open stays open: no phrase is ever preferred to another.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from qbench.parsing.cleaning import clean
from qbench.parsing.outcome import Parsed, agree

Phrase = tuple[str, ...]
Phrases = Mapping[Phrase, frozenset[int]]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_TOKEN = re.compile(r"\d+(?:[.,/]\d+)*|[^\W\d_]+(?:'[^\W\d_]+)*|[.,;:!?()\n]")
_LETTER = re.compile(r"[a-z]")
_CONTRASTS = _set("but however although though while whereas yet")
_ARTICLE = re.compile(r"\A\W*(?:[Tt]he|[Aa]n|a|A(?= [a-z]))\s+(?=\w)")
_NEGATORS = _set("not no none never neither nor without less hardly barely lack lacks lacking non if whether unless")
_NEGATING_PAIRS = frozenset((("instead", "of"), ("free", "of"), ("free", "from"), ("far", "from"), ("absence", "of")))
_NOT_ONLY = _set("only just merely simply")
_YARDSTICKS = _set("than above below unlike versus vs compared")
"""What follows them is compared with, not asserted: "higher than average" is not average."""
_LONGEST_KEPT = 200
"""Characters of a wording whose words are kept in mind; few are longer."""
_NEAR = 3
"""A negator this many words before a phrase denies it; one further off in the clause leaves it in doubt."""
_AUXILIARIES = _set("is are was were does do did has have can could would should seems appears looks")
_DENIALS = _set("not never absent missing wrong incorrect false")
_AFTER_BARE_NO = _set("the it it's this that there they he she i you we these those and or")


@dataclass(frozen=True)
class Words:
    """A text as words, with what is needed to tell assertion from denial."""

    words: tuple[str, ...]
    clause: tuple[int, ...]
    """Per word, the number of the clause it is in."""
    asked: tuple[bool, ...]
    """Per word, whether it belongs to a question."""
    after_comma: tuple[bool, ...]

    def ends_clause(self, i: int) -> bool:
        return i + 1 >= len(self.words) or self.clause[i + 1] != self.clause[i]

    def starts_clause(self, i: int) -> bool:
        return i == 0 or self.clause[i - 1] != self.clause[i]


def split_words(text: str) -> Words:
    """Case-folded words of `text`, cut into clauses at punctuation and contrasts such as "but"."""
    words: list[str] = []
    clause: list[int] = []
    asked: list[bool] = []
    commas: list[bool] = []
    current = sentence = 0
    before = ""
    for mark in _TOKEN.findall(text.casefold()):
        if mark[0].isalnum():
            current += mark in _CONTRASTS
            words.append(mark)
            clause.append(current)
            asked.append(False)
            commas.append(before == ",")
        else:
            current += 1
            if mark == "?":
                asked[sentence:] = [True] * (len(words) - sentence)
            if mark in ".!?\n":
                sentence = len(words)
        before = mark
    return Words(tuple(words), tuple(clause), tuple(asked), tuple(commas))


def phrase_of(text: str) -> Phrase:
    """The words of a phrase without a leading article, which the letter in "A. Low" and "A Low" is not."""
    return split_words(_ARTICLE.sub("", text)).words


def phrase_of_wording(wording: str) -> Phrase:
    """The words of a choice as its author wrote it; the same wordings come again with question after question."""
    return _phrase_kept(wording) if len(wording) <= _LONGEST_KEPT else phrase_of(clean(wording))


@lru_cache(maxsize=4096)
def _phrase_kept(wording: str) -> Phrase:
    return phrase_of(clean(wording))


def spoken(choices: Sequence[Iterable[str]]) -> Phrases:
    """Index every wording of every choice; wordings shared by two choices point to both.

    Single letters are left out: in running text "a" and "I" are words.
    """
    found: dict[Phrase, set[int]] = defaultdict(set)
    for index, wordings in enumerate(choices):
        for wording in wordings:
            phrase = phrase_of_wording(wording)
            if phrase and not _LETTER.fullmatch("".join(phrase)):
                found[phrase].add(index)
    return {phrase: frozenset(indices) for phrase, indices in found.items()}


def by_mention(text: str, phrases: Phrases) -> Parsed[int] | None:
    """The one choice that `text` asserts; ambiguous where there are several or doubts, None where there is none."""
    words = split_words(text)
    standings = _standings(words)
    asserted: set[int] = set()
    doubtful: set[int] = set()
    for start, end, indices in _occurrences(words, phrases):
        if standings[start] != "denied" and not _beside_the_point(words, start, end):
            (asserted if standings[start] == "asserted" else doubtful).update(indices)
    if len(asserted) == 1 and doubtful <= asserted:
        return Parsed(asserted.pop(), how="mention")
    return Parsed(reason="ambiguous", how="mention") if asserted or doubtful else None


def uncontradicted(found: Parsed[int], text: str, phrases: Phrases) -> Parsed[int] | None:
    """`found`, made ambiguous where `text` asserts exactly one other choice."""
    mentioned = by_mention(text, phrases)
    return agree([found, mentioned if mentioned and mentioned.value is not None else None])


def opening(text: str, phrases: Phrases) -> frozenset[int]:
    """The choices whose wording `text` begins with."""
    words = split_words(_ARTICLE.sub("", text))
    start, _, indices = next(iter(_occurrences(words, phrases)), (1, 1, frozenset()))
    return indices if start == 0 else frozenset()


def _occurrences(words: Words, phrases: Phrases) -> Iterable[tuple[int, int, frozenset[int]]]:
    """Leftmost-longest, never overlapping."""
    longest = max(map(len, phrases), default=0)
    i = 0
    while i < len(words.words):
        for end in range(min(i + longest, len(words.words)), i, -1):
            indices = phrases.get(words.words[i:end])
            if indices and not (words.words[i:end] == ("no",) and not _answers_no(words, i)):
                yield i, end, indices
                i = end
                break
        else:
            i += 1


def _answers_no(words: Words, i: int) -> bool:
    """Tell "No, it isn't" from the determiner in "no blur"."""
    return words.ends_clause(i) or (words.starts_clause(i) and words.words[i + 1] in _AFTER_BARE_NO)


def _standings(words: Words) -> list[str]:
    """Per word, what the negators before it make of a phrase that starts there: asserted, denied or doubtful."""
    standings: list[str] = []
    last: int | None = None
    for i, word in enumerate(words.words):
        enumerated = False
        if words.starts_clause(i):
            enumerated = words.after_comma[i] and last is not None  # "not blurry, noisy": does "not" reach that far?
            last = None
        if last is not None:
            standings.append("denied" if i - last <= _NEAR else "doubtful")
        else:
            standings.append("doubtful" if enumerated else "asserted")
        following = None if words.ends_clause(i) else words.words[i + 1]
        negates = word in _NEGATORS and following is not None and following not in _NOT_ONLY
        if negates or (word, following) in _NEGATING_PAIRS:
            last = i
    return standings


def _beside_the_point(words: Words, start: int, end: int) -> bool:
    """Whether a phrase is asked about, compared with, or denied by what follows it."""
    near = (words.words[i] for i in range(max(start - _NEAR, 0), start) if words.clause[i] == words.clause[start])
    return words.asked[start] or any(word in _YARDSTICKS for word in near) or _denied_after(words, end)


def _denied_after(words: Words, end: int) -> bool:
    """As in "blur is not present" or "blur is absent"."""
    if words.ends_clause(end - 1) or words.ends_clause(end):
        return False
    return words.words[end] in _AUXILIARIES and words.words[end + 1] in _DENIALS
