"""Ratings on a scale and the marks of a judge: a number alone, after a word such as "rating", or as "4/5"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from qbench.parsing.asserting import corrected
from qbench.parsing.cleaning import clean
from qbench.parsing.evidence import Parsed, refuses
from qbench.parsing.options import CARDINALS

_NUMBER = (
    r"(?<![\w.,/])([-+]?\d{1,9}(?:\.\d{1,9})?)(?:\s?(?:/|out of)\s?(\d{1,9})(?:\.0)?)?"
    r"(?![\w/%]|[.,]\d|\s?%|-\w| (?:\d|point\b|and a half))"
)
_SEVERAL = re.compile(r"(?<![\w.])\d{1,9}(?:\.\d{1,9})?(?:\s?(?:-|~|,|to|or|and|或)\s?\d{1,9}(?:\.\d{1,9})?)+(?!\.?\d)")
"""Ranges and lists: "3-4", "3 or 4"."""
_WORDS = {word: str(n) for n, word in enumerate(("zero", *CARDINALS, "ten"))}
_WORD = re.compile(rf"(?i)\b(?:{'|'.join(word for word in _WORDS if word != 'one')}|one(?=\W*\Z| out of))\b")
_ALONE = re.compile(rf"[^\w+-]*{_NUMBER}(?: ?(?:points?|stars?|分|星))?\W*\Z")
_LEADING = re.compile(rf"(?m)^[^\w+-]*{_NUMBER}(?=\s?[.:,;!)]| -|\n|\Z)")
_FRACTION = re.compile(_NUMBER)
_CUE = re.compile(
    r"(?i)(?:\b(?:rating|rated?|scored?|grade|answer|give|assign|mos|打|给)\b|quality(?: of \w+ \w+)? (?:is|as)|评分)"
    r"(?:[\s:=\"'(]|-\s|\b(?:the|this|image|picture|photo|slide|it|its|that|a|an|as|at|of|is|was|be|would|to|for|quality"
    rf"|visual|overall|final|solid|score|rating|around|about|approximately)\b|是|为){{0,16}}{_NUMBER}"
)
_MARK = re.compile(rf"(?i)\b(?:score|result)\b[^\w+-]{{0,4}}(?:(?:is|of|would be)\b[^\w+-]{{0,3}})?{_NUMBER}")
_NOT_SAID = re.compile(r"(?i)\b(?:if|not|never|would have|could|others?|some|unless|wait|no|without|instead)\b|n't\b")
_FINAL = re.compile(r"(?i)\b(?:final|overall|therefore|so|total)\b[^.\n]{0,40}\Z")
_CONDITION = re.compile(r"[^.\n?]*?(?:\bif\b|\?)")


def parse_rating(reply: str, low: float = 1, high: float = 5) -> Parsed[float]:
    """Read a rating such as "4", "4/5", "four out of five" or "I'd rate it 3.5"; beyond the scale it is not rescaled.

    Q-Bench's numerical instruction asks for 1 to 5 (Section 2.4.1, https://arxiv.org/abs/2309.14181).
    """
    text = _WORD.sub(lambda word: _WORDS[word[0].casefold()], clean(reply))
    if not text:
        return Parsed(reason="empty")
    ends = rf"(?<![\w.]){re.escape(f'{low:g}')}\s?(?:-|~|to)\s?{re.escape(f'{high:g}')}(?!\.?\w)"
    plain = _SEVERAL.sub("several", re.sub(rf"(?i)\(?(?:on a )?(?:scale |range )?(?:of |from )?{ends}\)?", " ", text))
    alone = _ALONE.match(plain)
    said = [alone] if alone else _asserted(plain, _CUE)
    if not said:
        leading = list(_LEADING.finditer(plain))
        leads = leading and not plain[: leading[0].start()].strip()
        said = leading if leads else [each for each in _asserted(plain, _FRACTION) if each[2]]
        if said and corrected(plain):
            return Parsed(reason="ambiguous")
    found = _agree(_valid(each, low, high) for each in said)
    if found is None and "several" in plain:
        return Parsed(reason="ambiguous")
    return found or Parsed(reason="refused" if refuses(text) else "unparseable")


def parse_judge_score(reply: str, allowed: Collection[int]) -> Parsed[int]:
    """Read a judge's mark, "Result: 1" or "Score: 1": 0 or 1 for answers, 0 to 2 for descriptions.

    Q-Bench's template asks for the first for answers (Section A.2.1) and the second for descriptions (A.2.2), but its
    examples show the second for both (https://arxiv.org/abs/2309.14181).
    """
    text = clean(reply)
    if not text:
        return Parsed(reason="empty")
    plain = _SEVERAL.sub("several", text)
    alone = _ALONE.match(plain)
    said = [alone] if alone else _MARK.finditer(plain)
    found = _agree(_valid(each, min(allowed), max(allowed)) for each in said)
    if found is None or found.value is None:
        return Parsed(reason=found.reason if found else "refused" if refuses(text) else "unparseable")
    return Parsed(int(found.value)) if found.value in allowed else Parsed(reason="out of range")


def _asserted(text: str, pattern: re.Pattern[str]) -> list[re.Match[str]]:
    """The numbers that a text asserts; the last alone where it is announced as final."""
    found = []
    for match in pattern.finditer(text):
        begins = max(text.rfind(". ", 0, match.start()), text.rfind("\n", 0, match.start()), match.start() - 60, 0)
        if not _NOT_SAID.search(text, begins, match.start()) and not _CONDITION.match(text, match.end()):
            found.append(match)
    final = [each for each in found if _FINAL.search(text, max(each.start() - 40, 0), each.start())]
    return final[-1:] or found


def _valid(match: re.Match[str], low: float, high: float) -> Parsed[float]:
    number = float(match[1])
    on_scale = low <= number <= high and (match[2] is None or float(match[2]) == high)
    return Parsed(number) if on_scale else Parsed(reason="out of range")


def _agree(found: Iterable[Parsed[float]]) -> Parsed[float] | None:
    """What several readings come to: the same, ambiguous, or None where there is none."""
    readings = list(found)
    if len({(reading.value, reading.reason) for reading in readings}) > 1:
        return Parsed(reason="ambiguous")
    return readings[0] if readings else None
