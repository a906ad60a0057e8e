"""Ratings on a scale and the marks of a judge, read in what is asserted: no question, supposition or earlier draft."""

from __future__ import annotations

import re
from collections.abc import Collection

from qbench.parsing.cleaning import clean
from qbench.parsing.east_asian import in_english
from qbench.parsing.outcome import Parsed, agree
from qbench.parsing.phrases import class_table
from qbench.parsing.refusals import is_refusal

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*|\d+(?:[.,]\d+)*|[^\w\s]")
_SENTENCE = re.compile(r"[^\n.!?;]*(?:[.](?=\d)[^\n.!?;]*)*(?:[.!?;]|\n|\Z)")
_CLAUSE = re.compile(r",(?=\s)|\s-\s|[()]|\b(?:but|however|yet|although|though|while|whereas)\b", re.IGNORECASE)
_SUPPOSING = frozenset(["IF", "DOUBT", "OTHERS", "CONFIDENCE"])
_WISHING = re.compile(r"(?i)\b(?:would|could|should)\b.{0,40}\b(?:without|with (?:better|more|less|improved))\b")
_OTHER_NUMBER = re.compile(
    r"(?i)\b(?:not|never|no|rather than|instead of|over|than|below|above|under|at least|at most|up to|beyond|from)"
    r"(?: \w{1,12}){0,2}? \d+(?:\.\d+)?(?: ?(?:/|out of) ?\d+)?"
)
_CONCLUDING = re.compile(
    r"(?i)\b(?:final(?:ly)?|overall|therefore|thus|hence|so|conclusion|summary)\b\W{0,3}"
    r"(?:(?:the|my|our|i|i'd|would|correct|best|right|most|appropriate) ){0,4}\Z"
)
_NUMBER = (
    r"(?<![\w.,/])([-+]?\d{1,9}(?:\.\d{1,9})?)(?:\s?(?:/|out of)\s?(\d{1,9})(?:\.0)?)?"
    r"(?![\w/%]|-[a-z]|[.,]\d|\s?%| (?:\d|point\b|and a half))"
)
_DIGITS = "zero one two three four five six seven eight nine ten"
_WORDS = {word: str(n) for n, word in enumerate(_DIGITS.split())}
_NUMBER_WORD = re.compile(rf"(?i)\b(?:{'|'.join(word for word in _WORDS if word != 'one')})\b")
_ONE = re.compile(r"(?i)\A\W*one(?=\W*\Z)|\bone(?= out of)")
_SEVERAL = re.compile(r"(?<![\w.])\d{1,9}(?:\.\d{1,9})?(?:\s?(?:-|~|,|to|or|and)\s?\d{1,9}(?:\.\d{1,9})?)+")
"""Ranges and lists: "3-4", "3 or 4", "5, 4, 3"."""

_STARS = re.compile("(★+)(☆*)")
_UNIT = re.compile(r"(?<=\d)\s?(?:分|点|颗星|星)")
_ALONE = re.compile(rf"[^\w+-]*{_NUMBER}(?: (?:points?|stars?))?\W*\Z")
_LEADING = re.compile(rf"(?m)^[^\w+-]*{_NUMBER}(?=\s?[.:,;!)]| -|\n|\Z)")
_FRACTION = re.compile(_NUMBER)
_FILLER = (
    r"(?:(?:the|this) (?:image|picture|photo)|image quality|it|its|this|that|the|a|an|as|at|of|is|was|be|would|to|for"
    r"|give|quality|visual|perceptual|overall|final|solid|strong|weak|full|decent|respectable|good|score|rating|around|about|approximately|roughly)"
)
_GAP = r"(?:[\s:=\"']|-\s){0,9}"  # never the sign of a number
_CUES = (
    r"(?:overall|total|rating|rated?|scored?|grade|answer|say|give|assign|quality|mos|leaves|leaving|makes it|more like"
    r"|deserves|earns|image is|打|给)"
)
_RATED = re.compile(
    rf"(?i)(?<!not )\b{_CUES}\b{_GAP}"
    rf"(?:{_FILLER}\b{_GAP}){{0,10}}{_NUMBER}"
)
_MARK = re.compile(rf"(?i)\b(?:score|result)\b[^\w+-]{{0,4}}(?:(?:is|of|would be)\b[^\w+-]{{0,3}})?{_NUMBER}")


def parse_rating(reply: str, low: float = 1, high: float = 5) -> Parsed[float]:
    """Read a rating such as "4", "4/5", "four out of five" or "I'd rate it 3.5".

    Q-Bench's numerical instruction asks for 1 to 5 (Section 2.4.1, https://arxiv.org/abs/2309.14181).

    Args:
        reply: What the model wrote, raw.
        low: The lowest rating of the scale.
        high: The highest; "8/10" on a scale that ends at 5 is out of range, not rescaled.
    """
    text = clean(reply)
    if not text:
        return Parsed(reason="empty")
    digits = _ONE.sub("1", _NUMBER_WORD.sub(lambda m: _WORDS[m[0].lower()], _STARS.sub(_count_stars, text)))
    plain = _asserted(_without_scale(in_english(_UNIT.sub(" ", digits), {}), low, high))
    single = _SEVERAL.sub("several", plain)
    found = _rating(single, low, high)
    if found:
        return found
    if single != plain:
        return Parsed(reason="ambiguous", how="number")
    return Parsed(reason="refused" if is_refusal(text) else "unparseable")


def parse_judge_score(reply: str, allowed: Collection[int]) -> Parsed[int]:
    """Read a judge's mark, "Result: 1" or "Score: 1".

    Q-Bench's template asks for the first for answers (Section A.2.1) and the second for descriptions (A.2.2), but its
    examples show the second for both (https://arxiv.org/abs/2309.14181).

    Args:
        reply: What the judge wrote, raw.
        allowed: The marks of the template: 0 and 1 for answers, 0 to 2 for descriptions.
    """
    text = clean(reply)
    if not text:
        return Parsed(reason="empty")
    plain = _SEVERAL.sub("several", text)
    matches = [alone] if (alone := _ALONE.match(plain)) else list(_MARK.finditer(plain))
    found = agree(_mark(m, allowed) for m in matches)
    return found or Parsed(reason="refused" if is_refusal(text) else "unparseable")


def _count_stars(stars: re.Match[str]) -> str:
    full, empty = len(stars[1]), len(stars[2])
    return f" {full}/{full + empty} " if empty else f" {full} "


def _mark(match: re.Match[str], allowed: Collection[int]) -> Parsed[int]:
    number = float(match[1])
    in_scale = number in allowed and match[2] in (None, str(max(allowed)))
    return Parsed(int(number), how="score") if in_scale else Parsed(reason="out of range", how="score")


def _without_scale(text: str, low: float, high: float) -> str:
    """Drop what only repeats the scale: "on a scale from 1 to 5", "(1-5)", "1 being the lowest and 5 the highest"."""
    lowest, highest = re.escape(f"{low:g}"), re.escape(f"{high:g}")
    scale = rf"(?<![\w.]){lowest}\s?(?:-|~|to)\s?{highest}(?!\.?\w)"
    text = re.sub(rf"(?i)\(?(?:on\s)?(?:(?:a|the)\s)?(?:(?:scale|range)\s)?(?:(?:of|from)\s)?{scale}\)?", "", text)
    extreme = r"(?:is|being|as|means|=)\s(?:the\s)?(?:lowest|worst|highest|best|bad|excellent)"
    return re.sub(rf"(?i)(?<![\w.])(?:{lowest}|{highest})\s{extreme}", "", text)


def concludes(text: str, at: int) -> bool:
    """Whether what begins at `at` is announced as final: "Final ...", "Therefore, the ..."."""
    return _CONCLUDING.search(text[max(at - 40, 0) : at]) is not None


def _rating(text: str, low: float, high: float) -> Parsed[float] | None:
    alone = _ALONE.match(text)
    rated = list(_RATED.finditer(text))
    final = [m for m in rated if concludes(text, m.start()) or m[0].casefold().startswith(("overall", "total"))]
    fractions = [m for m in _FRACTION.finditer(text) if m[2]]
    matches = ([alone] if alone else []) or final[-1:] or rated or list(_LEADING.finditer(text)) or fractions
    matches = matches or [found for line in text.split("\n") if (found := _ALONE.match(line))]
    return agree(_on_scale(float(m[1]), m[2], low, high) for m in matches)


def _on_scale(number: float, total: str | None, low: float, high: float) -> Parsed[float]:
    if low <= number <= high and (total is None or float(total) == high):
        return Parsed(number, how="number")
    return Parsed(reason="out of range", how="number")


def _asserted(text: str) -> str:
    """The sentences and clauses of a cleaned text that assert something, a line each."""
    kept: list[str] = []
    for sentence in _SENTENCE.findall(_after_correction(text)):
        if not sentence.strip() or sentence.rstrip().endswith("?") or "IF" in _classes(sentence):
            continue
        clauses = (clause.strip() for clause in _CLAUSE.split(sentence))
        kept += [clause for clause in clauses if clause and not _supposes(clause)]
    return "\n".join(_OTHER_NUMBER.sub(" ", clause) for clause in kept)


def _supposes(clause: str) -> bool:
    return bool(_classes(clause) & _SUPPOSING) or _WISHING.search(clause) is not None


def _classes(text: str) -> set[str]:
    words = [word.casefold() for word in _WORD.findall(text)]
    return {known[1] for place in range(len(words)) if (known := class_table().longest(words, place))}


def _after_correction(text: str) -> str:
    """What follows the last correction that gives another number."""
    found = list(_WORD.finditer(text))
    words = [match[0].casefold() for match in found]
    for place in reversed(range(1, len(words))):
        known = class_table().longest(words, place)
        if known and known[1] == "RETRACT":
            after = text[found[place + known[0] - 1].end() :]
            if re.search(r"\d", after):
                return after.lstrip(" :,-")
    return text
