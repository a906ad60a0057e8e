"""One of several options, by letter or by text.

Q-Bench asks with "A. High B. Medium C. Low" (Section 2.2.3, https://arxiv.org/abs/2309.14181) and models reply "A.",
"High", "The clarity of the image is high." and much else. The paper lets GPT judge (Section A.2.1); this decides by the
rules of `qbench.parsing`, or says why it cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from qbench.parsing.choices import Choices, choices_of, whole
from qbench.parsing.clauses import Sentence, split_sentences
from qbench.parsing.cleaning import clean
from qbench.parsing.deciding import after_corrections, decide_option
from qbench.parsing.east_asian import in_english
from qbench.parsing.european import from_european
from qbench.parsing.finding import Finding
from qbench.parsing.findings import FindingReader
from qbench.parsing.joining import join_namings
from qbench.parsing.mending import mended
from qbench.parsing.mentions import by_mention
from qbench.parsing.outcome import Parsed, agree
from qbench.parsing.questions import answer_by_sentence
from qbench.parsing.refusals import is_refusal
from qbench.parsing.tokens import tokenise

T = TypeVar("T")
YES_OR_NO = {
    "yes": (
        "absolutely",
        "certainly",
        "definitely",
        "indeed",
        "indeed it is",
        "of course",
        "yes it is",
        "it is",
        "i believe so",
        "i think so",
    ),
    "no": (
        "not at all",
        "certainly not",
        "definitely not",
        "absolutely not",
        "of course not",
        "i do not think so",
        "no it is not",
    ),
}
"""What says yes or no where it is all of a reply."""


def parse_option(reply: str, options: Sequence[str], question: str = "") -> Parsed[int]:
    """Read which of `options` a reply chooses.

    Args:
        reply: What the model wrote, raw.
        options: The option texts in the order they were lettered, 1 to 26 of them.
        question: What was asked, where it is known: "It isn't blurry" answers No only if blur was asked about.

    Returns:
        The index into `options`, or the reason there is none.
    """
    if not 0 < len(options) <= 26:
        raise ValueError(f"{len(options)} options cannot be lettered; expected 1 to 26")
    named = [option.strip().casefold() for option in options]
    alone = [YES_OR_NO[name] for name in named] if set(named) == set(YES_OR_NO) else ()
    choices = choices_of([[option] for option in options], letters=len(options), alone=alone, texts=True)
    found = choose(clean(reply), choices)
    if found.reason != "unparseable" or not question:
        return found
    return answer_by_sentence(reply, options, question) or found


def choose(text: str, choices: Choices, subject: str = "") -> Parsed[int]:
    """The choice that a cleaned reply names, strongest evidence first.

    Where a `subject` is given, a class of words, mentions in clauses about it count before all others.
    """
    if not text:
        return Parsed(reason="empty")
    return reread(lambda words: _choose(words, choices, subject), text, choices)


def reread(read: Callable[[str], Parsed[T]], text: str, choices: Choices) -> Parsed[T]:
    """What a text says; where that is nothing, what it says in English, and then with its slips put right."""
    found = read(text)
    if found.reason not in {"ambiguous", "unparseable"}:
        return found
    for translate in (from_european, lambda words: mended(words, choices)):
        if (meant := translate(text)) != text and (again := read(meant)).value is not None:
            return again
    return found


def _choose(text: str, choices: Choices, subject: str) -> Parsed[int]:
    if found := whole(text, choices):
        return found
    sentences = split_sentences(join_namings(tokenise(in_english(text, choices.foreign), choices)))
    findings = after_corrections(FindingReader(choices.count, comparing=False).read(sentences))
    if found := decide_option(findings):
        mentioned = by_mention(sentences) if found.how == "letter" and _comes_last(findings) else None
        return found if mentioned is None or mentioned.value is None else agree([found, mentioned]) or found
    if is_refusal(text):
        return Parsed(reason="refused")
    if found := _about(sentences, subject) or by_mention(sentences):
        return found
    return _by_letters(findings)


def _about(sentences: Sequence[Sentence], subject: str) -> Parsed[int] | None:
    about = [sentence for sentence in sentences if any(token.kind == subject for token in sentence.tokens)]
    found = by_mention(about)
    return found if found and found.value is not None else None


def _comes_last(findings: Sequence[Finding]) -> bool:
    """Whether a bare letter stands at the end of a reply that says something before it."""
    return all(finding.kind != "bare" or finding.sentence > 0 for finding in findings)


def _by_letters(findings: Sequence[Finding]) -> Parsed[int]:
    """The one letter of which something fitting is said, where no other letter is left unread."""
    fitting = frozenset[int]().union(*(finding.choices for finding in findings if finding.kind == "praise"))
    unread = frozenset[int]().union(
        *(finding.choices for finding in findings if finding.kind in {"unclear", "lead"} and finding.letter)
    )
    named = frozenset[int]().union(*(finding.choices for finding in findings if finding.letter))
    if len(fitting) == 1 and not unread - fitting:
        return Parsed(next(iter(fitting)), how="letter")
    return Parsed(reason="ambiguous" if unread and len(named) > 1 else "unparseable")
