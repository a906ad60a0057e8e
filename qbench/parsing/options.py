"""One of several options, by letter or by text.

Q-Bench asks with "A. High B. Medium C. Low" (Section 2.2.3, https://arxiv.org/abs/2309.14181) and models reply "A.",
"High", "The clarity of the image is high." and much else. The paper lets GPT judge (Section A.2.1); this decides by the
rules of `qbench.parsing`, or says why it cannot.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeVar

from qbench.parsing.choices import LONGEST_KEPT, Choices, choices_of, named_plainly, whole
from qbench.parsing.claims import YES_NO_WORDS, asks_for_absent, claims_of
from qbench.parsing.clauses import Sentence, split_sentences
from qbench.parsing.cleaning import clean
from qbench.parsing.east_asian import in_english
from qbench.parsing.european import from_european
from qbench.parsing.finding import Finding, after_corrections, decide_option
from qbench.parsing.findings import FindingReader
from qbench.parsing.joining import join_namings
from qbench.parsing.meaning import answer_by_meaning, plain
from qbench.parsing.mending import mended
from qbench.parsing.mentions import by_mention
from qbench.parsing.outcome import Parsed, agree
from qbench.parsing.refusals import is_refusal
from qbench.parsing.standouts import answer_by_standout, asked_end, is_ruled_out
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
        "they are",
        "there is",
        "there are",
        "it does",
        "they do",
    ),
    "no": (
        "not really",
        "unfortunately not",
        "sadly not",
        "i am afraid not",
        "apparently not",
        "probably not",
        "i do not believe so",
        "nope",
        "not at all",
        "certainly not",
        "definitely not",
        "absolutely not",
        "of course not",
        "i do not think so",
        "no it is not",
        "it is not",
        "they are not",
        "there is not",
        "there are not",
        "it does not",
        "they do not",
    ),
}
"""What says yes or no where it is all of a reply."""
_LETTER = re.compile(r"\s*\(?([A-HJ-Z])[).]?\s*\Z")
"""A reply that is a letter and nothing else, which most are."""
_LEADING = re.compile(r"[^,.;:!?\n]*")
"""What a reply says first: "Absolutely. Every brick can be made out."."""
_LEFT_OPEN = re.compile(r"(?i)\b(?:is|are|was|were|does|do) not\s*(?:[.,;!\n]|\Z)")
"""A denial of something said before: "the man's face is not"."""
_DEPENDS = re.compile(
    r"(?i)\b(?:it|that|this) (?:all |really |just )?depends\b|\bmatter of (?:personal )?(?:taste|preference)\b"
)
_CONCLUDING = re.compile(r"(?i)\b(?:overall|therefore|thus|hence|so|final|finally|answer|choose|but|still|since)\b")
_COMPARES = re.compile(r"(?i)(?<!rather) than\b")
_SHORT = 12
"""Characters of a reply that holds no more than Yes or No."""
_SIDES = frozenset(["left", "right", "top", "bottom", "upper", "lower", "center", "centre", "middle"])
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


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
    if (letter := _LETTER.match(reply)) and ord(letter[1]) - ord("A") < len(options):
        return Parsed(ord(letter[1]) - ord("A"), how="letter")
    kept = all(len(option) <= LONGEST_KEPT for option in options)
    choices = (_choices_of_options if kept else _choices_of_options.__wrapped__)(tuple(options))
    if named := named_plainly(reply, choices):
        return named
    text = clean(reply)
    found = choose(text, choices)
    unsaid = found.reason == "unparseable" or (found.reason == "ambiguous" and found.how in {"mention", "mentions"})
    if found.how == "mention" and found.value is not None:
        if asks_for_absent(question) or _LEFT_OPEN.search(text):
            return Parsed(reason="ambiguous", how="mention")
        meant = plain(text) if asked_end(question) else ""
        if meant and (_COMPARES.search(text) or is_ruled_out(meant, options, question, found.value)):
            return answer_by_standout(meant, options, question) or Parsed(reason="ambiguous", how="mention")
    yes_or_no = set(YES_NO_WORDS) <= choices.joined.keys()
    if yes_or_no and found.value is not None and found.how == "text" and len(text) > _SHORT:
        meant_answer = _by_meaning(text, options, question, found)
        if meant_answer and meant_answer.value not in {None, found.value}:
            return Parsed(reason="ambiguous", how="text")  # "Yes, it does not look natural"
    if not unsaid:
        return found
    readings = [_by_meaning(text, options, question, found)]
    if yes_or_no and (led := _LEADING.match(text)):
        readings.append(whole(led[0], choices))
    return agree(Parsed(reading.value, how="meaning") for reading in readings if reading) or found


def _by_meaning(text: str, options: Sequence[str], question: str, found: Parsed[int]) -> Parsed[int] | None:
    """What a reply says in words of its own; where it names several of more than two options, what stands out."""
    several = found.how == "mentions" or (found.reason == "ambiguous" and len(options) > 2)
    if not several and claims_of(tuple(options), question):
        return answer_by_meaning(plain(text), options, question)
    main = answer_by_meaning(plain(text), options, question, main_only=True)
    if main or not asked_end(question):
        return main
    return answer_by_standout(plain(text), options, question)


@lru_cache(maxsize=1024)
def _choices_of_options(options: tuple[str, ...]) -> Choices:
    """The options with what else they may be called; the same ones come again with reply after reply."""
    meant = [
        next((word for word, others in YES_NO_WORDS.items() if option.strip().casefold() in others), "")
        for option in options
    ]
    alone = [YES_OR_NO[word] for word in meant] if set(meant) == set(YES_OR_NO) else ()
    wordings = [[option, *([word] if alone else [])] for option, word in zip(options, meant, strict=True)]
    for names, ordinal in zip(wordings, _ORDINALS, strict=False):
        names.append(f"{ordinal} option")
        if names[0].strip().casefold() in _SIDES:
            names += [f"{names[0]} {part}" for part in ("side", "part", "half", "area", "region")]
    wordings[-1].append("last option")
    return choices_of(wordings, letters=len(options), alone=alone, texts=True)


def choose(text: str, choices: Choices, subject: str = "") -> Parsed[int]:
    """The choice that a cleaned reply names, strongest evidence first.

    Where a `subject` is given, a class of words, mentions in clauses about it count before all others.
    """
    if not text:
        return Parsed(reason="empty")
    if depends(text):
        return Parsed(reason="ambiguous")
    return reread(lambda words: _choose(words, choices, subject), text, choices)


def depends(text: str) -> bool:
    """Whether a reply leaves the answer to what it depends on, and does not conclude."""
    found = _DEPENDS.search(text)
    return found is not None and _CONCLUDING.search(text, found.end()) is None


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
    found = _about(sentences, subject) or by_mention(sentences)
    if (left := _left_over(findings, choices.count)) is not None and not (found and found.value not in {None, left}):
        return Parsed(left, how="elimination")
    return found or _by_letters(findings)


def _about(sentences: Sequence[Sentence], subject: str) -> Parsed[int] | None:
    about = [sentence for sentence in sentences if any(token.kind == subject for token in sentence.tokens)]
    found = by_mention(about)
    return found if found and found.value is not None else None


def _left_over(findings: Sequence[Finding], count: int) -> int | None:
    """The one choice that is not turned down, where all others are and nothing is said against it."""
    rejected = frozenset[int]().union(
        *(finding.choices for finding in findings if finding.kind == "rejected" and finding.letter)
    )
    spoken = frozenset[int]().union(
        *(finding.choices for finding in findings if finding.kind != "rejected" or not finding.letter)
    )
    left = set(range(count)) - rejected
    return left.pop() if count > 2 and len(left) == 1 and not left & spoken else None


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
