"""Two items with a score each or in an order: "Image 1: 7/10, Image 2: 4/10", "Ranking: image 1, image 2"."""

from __future__ import annotations

import re

_ITEM = (
    r"(?:(?:the )?(?P<ordinal>first|left|former|second|right|latter)(?: (?:image|picture|photo|one))?"
    r"|(?:image|picture|photo) ?(?P<numeral>[12ab]|one|two))"
)
_BETWEEN = (
    r"(?:[\s:=(]|- |\b(?:is|gets|deserves|earns|receives|has (?=a\b)|would|be|get|scores?|scored|rating|rated|quality"
    r"|overall|visual|a|an|of|at|about|around|it|its|the|final|total)\b|'s\b)*"
)
_SCORE = r"(?<![\w.,/-])(?P<score>\d{1,3}(?:\.\d{1,4})?)(?:\s?(?:/|out of)\s?(?P<of>\d{1,3}))?"
_END = (
    r"(?=[ ]?points\b|[ ]?%|\s*(?:[,;)\n]|\.(?!\d)|\Z|and\b|because\b|since\b|due to\b|while\b|whereas\b"
    r"|but\b|vs\b|versus\b))"
    r"(?![^\w\n]{0,2} ?(?:for|in|on)\b)"
)
_SCORED = re.compile(rf"(?i)\b{_ITEM}\b{_BETWEEN}{_SCORE}{_END}")
_FIRST = frozenset(["first", "left", "former", "1", "a", "one"])
_OTHER_SCALE = re.compile(
    r"(?i)\b(?:rank(?:s|ed|ing)?|lower is|lower scores?|distortion|noise|blur|defects?|errors?)\b"
)
"""A rank is best at 1, and a score of defects at 0."""
_EXPLAINED = re.compile(r"(?i)\b(?:due to|because|since)\b[^.,;\n]*?(?=,| (?:and|while|whereas|but)\b|[.;\n]|\Z)")
"""Why a score is what it is, which says nothing of the scale."""
_RANKING = re.compile(
    rf"(?i)\b(?:rank(?:ing|ed|s)?|best (?:to|->) worst|worst (?:to|->) best)\b[^:\n]{{0,60}}[:\n]"
    rf"[\s.)(#]*(?P<rank>[12]?)[\s.)(#:]*{_ITEM}"
    r"(?:[\s\d.,;)(>#]|- |\b(?:and|then|followed|by|best|worst|better|worse)\b){1,20}"
    rf"{_ITEM.replace('?P<ordinal>', '?:').replace('?P<numeral>', '?P<last>')}[\s.)]*(?:\Z|\n)"
)
_PLACE = re.compile(rf"(?i)\b(?P<place>first|second) place(?: goes to| is)?[\s:-]+{_ITEM}")
_STARS = re.compile("[★☆]{2,10}")
_WORST_FIRST = re.compile(r"(?i)\bworst (?:to|->|first)|\bfrom (?:the )?worst\b|\bascending\b")


def ranked_first(text: str) -> int | None:
    """The item that a ranking of the two has as the best; None where there is none."""
    found = _RANKING.search(text)
    if found is None:
        return _placed_first(text)
    first = (found["ordinal"] or found["numeral"]).casefold() in _FIRST
    return int(first == (bool(_WORST_FIRST.search(found[0])) or found["rank"] == "2"))


def _placed_first(text: str) -> int | None:
    """The item that is given the first place, where the other is given the second."""
    places = {
        found["place"].casefold(): (found["ordinal"] or found["numeral"]).casefold() not in _FIRST
        for found in _PLACE.finditer(text)
    }
    return int(places["first"]) if set(places.values()) == {True, False} else None


def scored_better(text: str) -> int | None:
    """Which of two items has the higher score, -1 for equal ones; None where not just one score of each is given."""
    text = _STARS.sub(lambda stars: f"{stars[0].count('★')}/{len(stars[0]) if '☆' in stars[0] else 5}", text)
    scores: dict[bool, set[tuple[float, str | None]]] = {True: set(), False: set()}
    for found in _SCORED.finditer(text):
        is_first = (found["ordinal"] or found["numeral"]).casefold() in _FIRST
        scores[is_first].add((float(found["score"]), found["of"]))
    if _OTHER_SCALE.search(_EXPLAINED.sub("", text)) or any(len(of_item) != 1 for of_item in scores.values()):
        return None
    ((first, scale_of_first),), ((second, scale_of_second),) = scores[True], scores[False]
    scales = {scale_of_first, scale_of_second} - {None}
    if len(scales) > 1 or (not scales and {first, second} <= {0, 1, 2}):  # without a scale these may be ranks or counts
        return None
    return -1 if first == second else int(second > first)
