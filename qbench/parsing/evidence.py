"""Which choice a cleaned reply makes, strongest evidence first; without evidence none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, Literal, TypeVar

from qbench.parsing.asserting import conclusion, corrected, named, sentences, words
from qbench.parsing.mentions import AMBIGUOUS, ANSWERS, OUT_OF_RANGE, Choices, Mention

T = TypeVar("T")
Reason = Literal["empty", "refused", "ambiguous", "unparseable", "out of range"]


@dataclass(frozen=True)
class Parsed(Generic[T]):
    """What reading a reply gives: a value or the reason why none, never both and never neither."""

    value: T | None = None
    reason: Reason | None = None


_REFUSES = re.compile(
    r"\b(?:sorry|unable to|(?:can(?:no|')t|can not|could not|couldn't|do not|don't|not able to) (?:\w+ ){0,2}"
    r"(?:see|view|access|determine|identify|tell|say|judge|provide|answer|assist|select|choose|decide|know|make|assess"
    r"|evaluate|compare|have)|(?:not |im)possible to|difficult to (?:\w+ )?(?:determine|say|tell|identify|judge)"
    r"|please provide|as an ai)\b|无法|不能|抱歉"
)
_OPEN = words(
    "yes and no|it depends|it really depends|give up|can't decide|cannot decide|can't choose|cannot choose|can't commit"
    "|back and forth|matter of taste|take it back|take that back|just kidding|not sure any more|not so sure any more"
)
_GOES_ON = re.compile(r"(?i)\b(?:however|but|nevertheless|still|therefore|if i (?:had|have) to|based on|that said)\b")
"""What follows a reservation: "It is difficult to say. However, ..."."""
_JOINS = re.compile(r"(?i)\b(?:or|and|option)\b")
_NOUN = r"(?:answers?|choice|option|selection|pick|verdict|conclusion|response|prediction|letter|rating|result|答案)"
_IS = (
    r"(?:\s+(?:to|for)\s+(?:this|the|your)\s+\w+)?\s*"
    r"(?:\bis\b|\bwould be\b|\bshould be\b|\bmust be\b|\bwill be\b|[:=]|->|是|为|选)"
)
_LEAD = r"(?:\s*(?:therefore|thus|clearly|(?:most )?likely|probably|that|indeed|option|choice|answer|the|[:,\"'-]))*\s*"
_ANNOUNCES = re.compile(
    rf"(?<![a-z])(?:{_NOUN}{_IS}{_LEAD}"
    r"|(?:i|we)\b(?:\s*'d|\s*'ll|\s+would|\s+will|\s+have to|\s+must|\s+should|\s+therefore)*"
    r"\s+(?:choose|chose|pick|select|go with|going with|say|opt for|answer|vote for|settle on|prefer|believe it is"
    rf"|think it is)\b{_LEAD}|选择?\s*)"
)
_FIRST_WORD = re.compile(rf"(?:{_NOUN[3:-1]}|i|we)(?![a-z])|选")
_IN_WORDS = re.compile(rf"(?i)\b{_NOUN}{_IS}{_LEAD}([\w ]{{1,40}})[.!\"')]*\s*\Z")
"""A last sentence that says the answer in a few words, "The answer is 2."."""
_IS_BEFORE = re.compile(r"(?i)(?:\b(?:is|be|are)\b:?|:\s*\n)\s*(?:likely|most likely|indeed|option|probably)?\s*\Z")
"""Before a letter with its text, "The image quality is B. High.", or in brackets."""
_REACH = 40
_UNDONE = re.compile(
    r"(?i)\b(?:not|never|cannot|if|would have|unless|neither|nor|\w+n't|might|could|some|others?|tempted)\b[^.,;\n]*\Z"
)
_OTHER_ONE = re.compile(r"(?:\s*(?:or|and|/|&|,|或)\s*)+")
"""What stands between two choices that are both named: "B or C"."""
_PREDICATE = re.compile(r" (?:is|was|has|shows?|looks?|suffers|appears|seems)\b")
"""What makes a choice the subject of a sentence, "Verdict: image 1 is noisy"."""
_LEADS_ON = re.compile(r"(?i)(?::|\bsay\b.*)\s*\Z")
_LETTER_ENDS = re.compile(r"[.:)\n,-]| -|\Z")
_DOUBTED = re.compile(r"[^.!\n?]{0,40}\?|[^.!\n?]{0,60} if ")


def choose(text: str, choices: Choices, *, by_name: bool = True) -> Parsed[int]:
    """The choice that a cleaned reply makes; a choice that is merely named and asserted counts only `by_name`."""
    if not text:
        return Parsed(reason="empty")
    for said in (text, *_IN_WORDS.findall(text[-100:])) if len(text) < 400 else ():
        if whole := choices.named(said):
            return Parsed(min(whole)) if len(whole) == 1 else Parsed(reason="ambiguous")
    if is_open(text):
        return Parsed(reason="ambiguous")
    mentions = _without_lists(choices.mentions(text), text, len(choices.names))
    told = _announced(text, mentions, asks_denied=choices.asks_denied)
    led = _leading(text, mentions)
    chosen = led if told is None else told
    if chosen is not None:
        rest = mentions[1:] if led is not None else mentions
        bare = told is None and not mentions[0].both
        last = named(text, rest) if bare else conclusion(text, sentences(text, rest))
        contradicted = chosen >= 0 and not choices.asks_denied and last not in {None, chosen}
        if contradicted or chosen < 0:
            return Parsed(reason="out of range" if chosen == OUT_OF_RANGE else "ambiguous")
        return Parsed(chosen)
    concluded = named(text, mentions) if by_name and not choices.asks_denied else None
    refusal = refuses(text)
    if concluded is not None and (refusal is None or _GOES_ON.search(text, refusal.end())):
        return Parsed(concluded)
    if refusal or not mentions:
        return Parsed(reason="refused" if refusal else "unparseable")
    outside = all(mention.choice == OUT_OF_RANGE for mention in mentions)
    return Parsed(reason="out of range" if outside else "ambiguous" if by_name else "unparseable")


def refuses(text: str) -> re.Match[str] | None:
    """Where a cleaned reply declines: it cannot see, cannot judge, or asks for the image."""
    return _REFUSES.search(text.lower())


def is_open(text: str) -> bool:
    """Whether a cleaned reply leaves the answer open or takes it back."""
    return any(map(text.lower().__contains__, _OPEN))


def _without_lists(mentions: Sequence[Mention], text: str, count: int) -> list[Mention]:
    """Mentions without a list of all options, "A. High B. Medium C. Low", which repeats the question."""
    listed: set[int] = set()
    for start in range(len(mentions) - count + 1 if count > 1 else 0):
        run = mentions[start : start + count]
        if run[0].choice == 0 and [mention.choice for mention in run] == list(range(count)):
            gaps = (text[one.end : other.start] for one, other in pairwise(run))
            if all(len(gap) < 12 and not re.search(r"\w", _JOINS.sub("", gap)) for gap in gaps):
                listed |= set(range(start, start + count))
    return [mention for place, mention in enumerate(mentions) if place not in listed]


def _announced(text: str, mentions: Sequence[Mention], *, asks_denied: bool) -> int | None:
    """The last choice that is announced as the answer; ambiguous where another was, and nothing is corrected."""
    lower = text.lower()
    said = (_ANNOUNCES.match(lower, word.start()) for word in _FIRST_WORD.finditer(lower))
    begins = {match.end(): match.start() for match in said if match}
    found, last = None, 0
    for place, mention in enumerate(mentions):
        article = lower.endswith((" a ", " an "), 0, mention.start) and not mention.letter
        start = begins.get(lower.rfind(" a", 0, mention.start) + 1 if article else mention.start)
        start = _shown(text, mentions, place) if start is None else start
        if start is None or _heads_list(text, mentions[place:], start):
            continue
        subject = _LEADS_ON.search(text, start, mention.start) and _PREDICATE.match(text, mention.end)
        if subject or _DOUBTED.match(text, mention.end):
            continue
        if not asks_denied and _UNDONE.search(text, max(start - _REACH, 0), mention.start):
            continue
        differs = found not in {None, mention.choice} and not corrected(text, last, mention.start)
        found = AMBIGUOUS if differs or _with_another(text, mentions, place) else mention.choice
        last = mention.end
    return AMBIGUOUS if found is not None and _taken_back(text, mentions, last, found) else found


def _leading(text: str, mentions: Sequence[Mention]) -> int | None:
    """The letter, letter and text, or Yes or No that a reply begins with."""
    if not mentions or re.search(r"\w", text[: mentions[0].start]):
        return None
    first = mentions[0]
    if not first.letter:
        return _yes_or_no(text, mentions)
    if any(each.letter and each.choice != first.choice and _begins_item(text, each) for each in mentions):
        return None  # the head of a list: "A: not visible. B: visible."
    bare = first.end - first.start == 1 and not _LETTER_ENDS.match(text, first.end)
    if bare or _DOUBTED.match(text, first.end):
        return None
    unsure = text.startswith("..", first.end) or _with_another(text, mentions, 0)
    return AMBIGUOUS if unsure or _taken_back(text, mentions, first.end, first.choice) else first.choice


def _shown(text: str, mentions: Sequence[Mention], place: int) -> int | None:
    """Where the announcement begins of a letter with its text, or in brackets: after "is", or as the last line."""
    mention = mentions[place]
    if not (mention.both or (mention.letter and text[mention.start] == "(")):
        return None
    if before := _IS_BEFORE.search(text, max(mention.start - _REACH, 0), mention.start):
        return before.start()
    between = text[mentions[place - 1].end if place else 0 : mention.start]
    line, new_line, rest = between.rpartition("\n")
    closes = place == len(mentions) - 1 and not text[mention.end :].strip(" .\n") and new_line and not rest.strip()
    return mention.start if closes and (re.search(r"\w", line) or not place) else None


def _heads_list(text: str, mentions: Sequence[Mention], start: int) -> bool:
    """Whether a choice on a line of its own heads a list: "I would say:\\n(A) The first ...\\n(B) The second ..."."""
    first = mentions[0]
    follows = (each.letter and each.choice == first.choice + 1 and _begins_item(text, each) for each in mentions[:12])
    return "\n" in text[start : first.start] and any(follows)


def _begins_item(text: str, mention: Mention) -> bool:
    """Whether a letter begins a line, or is followed by a colon."""
    before = text[max(mention.start - _REACH, 0) : mention.start]
    return text.startswith(":", mention.end) or ("\n" in before and not before.rpartition("\n")[2].strip(" -"))


def _with_another(text: str, mentions: Sequence[Mention], place: int) -> bool:
    """Whether another choice is named beside one: "B or C"."""
    mention, *after = mentions[place : place + 2]
    others = (each for each in after if each.choice != mention.choice)
    return any(_OTHER_ONE.fullmatch(text, mention.end, each.start) for each in others)


def _taken_back(text: str, mentions: Sequence[Mention], end: int, choice: int) -> bool:
    """Whether a correction after a choice names another one."""
    at = corrected(text, end)
    return bool(at) and any(mention.start >= at and mention.choice != choice for mention in mentions)


def _yes_or_no(text: str, mentions: Sequence[Mention]) -> int | None:
    """The Yes or No that a reply begins with, where no later sentence begins with the other."""
    first = mentions[0]
    if text[first.start : first.end].casefold() not in ANSWERS:
        return None
    begins = {each.choice for each in mentions if re.search(r"(?:\A|[.!?\n])\s*\Z", text[: each.start][-3:])}
    return first.choice if begins == {first.choice} and not corrected(text, first.end) else AMBIGUOUS
