"""One of several options, by letter or by text.

Q-Bench asks with "A. High B. Medium C. Low" (Section 2.2.3, https://arxiv.org/abs/2309.14181) and models reply "A.",
"High", "The clarity of the image is high." and much else. The paper lets GPT judge (Section A.2.1); this decides by the
rules of `qbench.parsing`, or says why it cannot.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from qbench.parsing.answers import by_phrase
from qbench.parsing.choices import Choices, choices_of, whole, without_questions
from qbench.parsing.cleaning import clean
from qbench.parsing.letters import by_label, letter_alone
from qbench.parsing.mentions import by_mention, uncontradicted
from qbench.parsing.outcome import Parsed, agree
from qbench.parsing.refusals import is_refusal

_SENTENCE_BREAK = re.compile(r"[.!;](?=\s|\Z)|\n")
_CAPITAL = re.compile(r"[^\w+-]*[A-Z]\W*\Z")


def parse_option(reply: str, options: Sequence[str]) -> Parsed[int]:
    """Read which of `options` a reply chooses.

    Args:
        reply: What the model wrote, raw.
        options: The option texts in the order they were lettered, 1 to 26 of them.

    Returns:
        The index into `options`, or the reason there is none.
    """
    if not 0 < len(options) <= 26:
        raise ValueError(f"{len(options)} options cannot be lettered; expected 1 to 26")
    return choose(clean(reply), choices_of([[option] for option in options], letters=len(options)))


def choose(text: str, choices: Choices) -> Parsed[int]:
    """Apply every rule to a cleaned reply, strongest evidence first."""
    if not text:
        return Parsed(reason="empty")
    if found := said_outright(text, choices):
        return found
    if is_refusal(text):
        return Parsed(reason="refused")
    return by_mention(text, choices.spoken) or Parsed(reason="unparseable")


def said_outright(text: str, choices: Choices) -> Parsed[int] | None:
    """The rules that need no weighing of words: whole reply, explicit answer, label, whole first or last sentence."""
    alone = agree([whole(text, choices), letter_alone(text, choices)])
    return alone or by_phrase(text, choices) or by_label(text, choices) or _by_sentence(text, choices)


def _by_sentence(text: str, choices: Choices) -> Parsed[int] | None:
    """The first or last sentence is a choice and nothing else ("Motion blur. The lights have trails."; "Sure! B").

    Another sentence that opens with another choice ("No, it is sharp. Yes.") makes that ambiguous.
    """
    sentences = [part for part in _SENTENCE_BREAK.split(without_questions(text)) if part.strip()]
    ends = sentences[:1] + sentences[-1:]
    letter = letter_alone(ends[-1], choices) if ends and _CAPITAL.match(ends[-1]) else None
    if letter:
        return uncontradicted(letter, text, choices.spoken)
    found = agree(whole(part, choices) for part in ends)
    return found and agree([found, *(whole(part.split(",")[0], choices) for part in sentences)])
