"""Explicit answers: "The answer is ...", "Final answer: ...", "I choose ...", "B is correct", 答案是 ..."""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import itemgetter

from qbench.parsing.choices import Choices, whole
from qbench.parsing.letters import denied_before, letter_at_head
from qbench.parsing.mentions import by_mention
from qbench.parsing.outcome import Parsed, agree

_CUE = re.compile(
    r"""\b(?:answer|option|choice|select(?:ion|ed)|response|verdict|conclusion|odd[-\ ]one(?:[-\ ]out)?)
        (?:\ to\ the\ question)?
        (?:\ (?:is|was|would\ be|should\ be|must\ be|will\ be)\b(?:\ that\b)?\ ?:? | "?\ ?[:=]+>? | \ ?-+> )
    | 答案\s?(?:应该|应)?(?:是|为)?\s?:? | 选(?:择|项)?(?:是|为)?\s?:?""",
    re.IGNORECASE | re.VERBOSE,
)
_SAYING = re.compile(
    r"""(?:\bi(?:'d|'ll)?(?:\ would|\ will|\ must|\ should)?(?:\ have\ to)?\ (?:say|answer|think|believe|guess)
        |\b(?:choose|chose|select|pick|go\ with|opt\ for|vote\ for))(?:\ that)?(?:\ (?:it\ is|it's))?\b:?
    | \b(?:it's|it\ (?:is|should\ be|must\ be|would\ be))\b
    | \b(?:so|therefore|thus|hence)\b,?(?=\ \W?[A-Z]\W{0,3}$)""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_PRAISE = re.compile(
    r"(?<![\w'])(?=([A-Z])\)? (?:is|has|looks|seems|would be) (?:the |a |my )?(?:most |slightly |clearly |much )?"
    r"(?:correct|right|best|better|accurate|appropriate|answer|superior|higher|sharper)\b)"
)
_CONCLUDING = re.compile(
    r"(?i)\b(?:final(?:ly)?|overall|therefore|thus|hence|so|conclusion|summary)\b\W{0,3}"
    r"(?:(?:the|my|our|i|i'd|would|correct|best|right|most|appropriate) ){0,4}\Z"
)
_SENTENCE_END = re.compile(r"[.!?;](?=\s|\Z)|\n")
_REACH = 300
"""Characters after a phrase in which its answer must begin."""


def concludes(text: str, at: int) -> bool:
    """Whether what begins at `at` is announced as final: "Final ...", "Therefore, the ..."."""
    return _CONCLUDING.search(text[max(at - 40, 0) : at]) is not None


def by_phrase(text: str, choices: Choices) -> Parsed[int] | None:
    """The one explicit answer; where several differ, the last one announced as final, else ambiguous."""
    answers = sorted(_answers(text, choices), key=itemgetter(0))
    final = [answer for at, answer in answers if concludes(text, at)]
    found = agree(final[-1:] or [answer for _, answer in answers])
    return found and Parsed(found.value, found.reason, how="phrase")


def _answers(text: str, choices: Choices) -> Iterator[tuple[int, Parsed[int]]]:
    for pattern in (_CUE, _SAYING, _PRAISE):
        for phrase in pattern.finditer(text):
            after = text[phrase.end() : phrase.end() + _REACH].lstrip(' \n"')
            answer = letter_at_head(after, choices, capital=pattern is not _CUE)
            if pattern is _CUE and not answer:
                sentence = _SENTENCE_END.split(after, maxsplit=1)[0]
                answer = whole(sentence, choices) or by_mention(sentence, choices.spoken)
            if answer and not denied_before(text, phrase.start()):
                yield phrase.start(), answer
