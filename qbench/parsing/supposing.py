"""What of a text is asserted: without questions, suppositions, what others say, and what a correction takes back.

For readings of numbers; choices are read clause by clause in `qbench.parsing.findings`.
"""

from __future__ import annotations

import re

from qbench.parsing.phrases import class_table

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*|\d+(?:[.,]\d+)*|[^\w\s]")
_SENTENCE = re.compile(r"[^\n.!?;]*(?:[.](?=\d)[^\n.!?;]*)*(?:[.!?;]|\n|\Z)")
_CLAUSE = re.compile(r",(?=\s)|\s-\s|[()]|\b(?:but|however|yet|although|though|while|whereas)\b", re.IGNORECASE)
_SUPPOSING = frozenset(["IF", "DOUBT", "OTHERS", "CONFIDENCE"])
_WISHING = re.compile(r"(?i)\b(?:would|could|should)\b.{0,40}\b(?:without|with (?:better|more|less|improved))\b")
_OTHER_NUMBER = re.compile(
    r"(?i)\b(?:not|never|no|rather than|instead of|over|than|below|above|under|at least|at most|up to|beyond|from)"
    r"(?: \w{1,12}){0,2}? \d+(?:\.\d+)?(?: ?(?:/|out of) ?\d+)?"
)


def asserted(text: str) -> str:
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
