"""Which of two would be deleted or kept, put as which is worse or better, in question and reply."""

from __future__ import annotations

import re

_THROW = (
    r"(?:delete|discard|bin|trash|reject|remove|erase|drop|dump|ditch|lose|skip|get rid of|throw (?:away|out)"
    r"|(?:throw|toss|chuck) (?=(?:the|image|photo|picture|number) [\w ]{1,20}? (?:away|out)\b)|part with|sacrifice)"
)
_THROWN = (
    r"(?:deleted|discarded|binned|trashed|rejected|removed|erased|dropped|dumped|ditched|thrown (?:away|out)|tossed)"
)
_KEEP = r"(?:keep|retain|save|hold on to|hang on to)"
_KEPT = r"(?:kept|retained|saved)"
_I_WOULD = (
    r"(?:(?:i|you|we|one) (?:would|will|should|could|can|must|have to|had to)(?: (?:definitely|rather|probably))? )?"
)
_WOULD_NOT = (
    r"(?:(?:(?:i|you|we|one) )?(?:would|will|should|could|can|do|must) (?:not|never)(?: (?:want|like) to)? |never )"
)
_BE = (
    r"(?:(?:should|can|could|would|will|must|may|has to|have to|needs? to|ought to) (?:definitely |rather )?be|is|gets)"
)
_GOES = r"(?:(?:has to|have to|can|should|must|would|will|may|needs to) go|goes)\b(?! (?:to|with|for))"
_THE_OTHER = r"(?=\s*(?:[.,;:!]|and|but|because|since|as|while|\Z))"

_IMAGES = r"(?: (?:of|the|these|those|two|both|image|photo|picture|shot|one|photograph)s?)*"
_END = r"(?= (?:first|if|and why|away|out|from the album)\b|[,;:]|\W*(?:\?|\Z))"
_ASKS = re.compile(
    rf"(?i)\bwhich{_IMAGES} (?:(?:would|should|do|can|could|will|must) (?:you|i|we|one)"
    rf"(?: (?:rather|choose to|prefer to))? (?:(?P<throw>{_THROW})|(?P<keep>{_KEEP}))"
    rf"|{_BE} (?:(?P<thrown>{_THROWN})|(?P<kept>{_KEPT}))){_END}"
)
"""Asks for the image itself: not "Which would you remove noise from?", "In which image is noise removed better?"."""
_REWORDED = (
    (re.compile(rf"(?i)\b{_WOULD_NOT}{_THROW}\b"), "the better one is"),
    (re.compile(rf"(?i)\b{_WOULD_NOT}{_KEEP}\b"), "the worse one is"),
    (re.compile(rf"(?i)\b{_I_WOULD}(?<!to ){_THROW}\b"), "the worse one is"),
    (re.compile(rf"(?i)\b{_I_WOULD}(?<!to ){_KEEP}\b"), "the better one is"),
    (re.compile(rf"(?i)\b{_BE} (?:{_THROWN}|the one to {_THROW})\b"), "is worse"),
    (re.compile(rf"(?i)\b{_BE} (?:{_KEPT}|(?:the|a) keeper|the one to {_KEEP})\b"), "is better"),
    (re.compile(rf"(?i)\b(?:is|are) the one (?:i|we|you) would {_THROW}\b"), "is worse"),
    (re.compile(rf"(?i)\b(?:is|are) the one (?:i|we|you) would {_KEEP}\b"), "is better"),
    (re.compile(rf"(?i)\b{_GOES}"), "is worse"),
    (re.compile(rf"(?i)\b(?:can |should |must |may )?stays?{_THE_OTHER}"), "is better"),
)


def as_better_or_worse(text: str, question: str) -> tuple[str, str]:
    """A reply and its question in words of better and worse, where the question asks which to delete or to keep."""
    asked = _ASKS.search(question)
    if asked is None:
        return text, question
    for pattern, reworded in _REWORDED:
        text = pattern.sub(reworded, text)
    return text, "Which image is worse?" if asked["throw"] or asked["thrown"] else "Which image is better?"
