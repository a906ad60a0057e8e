"""One of several options, by letter or by text.

Q-Bench asks with "A. High B. Medium C. Low" (Section 2.2.3, https://arxiv.org/abs/2309.14181) and models reply "A.",
"High", "The clarity of the image is high." and much else. The paper lets GPT judge (Section A.2.1); this decides by the
rules of `qbench.parsing`, or says why it cannot.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from qbench.parsing.attribute_words import all_parts, all_words, tokens_of
from qbench.parsing.choices import LONGEST_KEPT, Choices, named_plainly, whole
from qbench.parsing.claims import YES_NO_WORDS, absent_asked, claims_of
from qbench.parsing.clauses import Clause, Sentence, cut_off, split_sentences
from qbench.parsing.cleaning import clean
from qbench.parsing.comparing import compared_as_asked, exceeding, option_of_all
from qbench.parsing.east_asian import in_english
from qbench.parsing.echoed import affirmed, contradicted, question_words
from qbench.parsing.european import from_european
from qbench.parsing.finding import Finding, after_corrections, decide_option
from qbench.parsing.findings import FindingReader
from qbench.parsing.joining import join_namings
from qbench.parsing.meaning import answer_by_meaning, plain
from qbench.parsing.mending import mended
from qbench.parsing.mentions import by_denial, by_last, by_mention
from qbench.parsing.option_names import choices_of_options, names_of
from qbench.parsing.outcome import Parsed, agree
from qbench.parsing.phrases import set_of
from qbench.parsing.refusals import is_refusal, is_undecided
from qbench.parsing.standouts import answer_by_standout, asked_end, is_ruled_out
from qbench.parsing.subjects import ELSEWHERE
from qbench.parsing.tokens import Token, tokenise

T = TypeVar("T")
_LETTER = re.compile(r"\s*\(?([A-HJ-Z])[).]?\s*\Z")
"""A reply that is a letter and nothing else, which most are."""
_MARKS = re.compile(r"[,.;:!?\n]")
"""Part what a reply says first or last: "Absolutely. Every brick can be made out.", "..., so it is."."""
_LINE_OF_ONE = re.compile(r"(?i)\W*(?:[a-z\d][.):] *)?(?P<said>\w.*?)(?:[,;:.>-]| so| thus) *(?P<end>yes|no)\W*")
"""A line of a list that goes through the options: "2. Blur - the whole subject is soft, so yes."."""
_OPENING = re.compile(r"(?i)\A\s*(?:so|and|unfortunately|sadly|i am afraid|honestly|well|hence|thus|therefore)\s+")
_LEFT_OPEN = re.compile(r"(?i)(?<!\bothers )\b(?:is|are|was|were|does|do) not\s*(?:[.,;!\n]|\Z)")
"""A denial of something said before: "the man's face is not"."""
_DEPENDS = re.compile(
    r"(?i)\b(?:it|that|this) (?:all |really |just )?depends\b|\bmatter of (?:personal )?(?:taste|preference)\b"
)
_ASKS_FOR_WORST = re.compile(r"(?i)\b(?:worse|worst|most|main|dominant|biggest|dominating)\b")
_PRESENT = re.compile(r"(?i)\bis present\b")
"""What is no answer to a question for the worst of several."""
_MINOR = re.compile(
    r"(?i)\bis (?:only |just |merely )?(?:an? )?(?:minor|small|lesser|secondary) "
    r"(?:matter|issue|problem|concern|thing)\b"
)
_ALL_OF_THEM = re.compile(
    r"(?i)\b(?:all|each) (?:of )?(?:the )?(?:two|three|four|five|options|of (?:them|these))"
    r"\b[\w ]{0,40}\b(?:are|is|apply|exist)"
)
"""What chooses no single option."""
_CONCLUDING = re.compile(r"(?i)\b(?:overall|therefore|thus|hence|so|final|finally|answer|choose|but|still|since)\b")
_COMPARES = re.compile(r"(?i)(?<!rather) than\b")
_NOT_CLOSING = set_of("NOT NEITHER WRONG ELIMINATE NEED IF DOUBT OTHERS LESS WORSE CROSS CLASH GROUP")
"""Classes of words before a letter at the end by which it may be no answer."""
_MENTIONED = frozenset(["mention", "mentions"])


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
    choices = (choices_of_options if kept else choices_of_options.__wrapped__)(tuple(options))
    if named := named_plainly(reply, choices):
        return named
    text = clean(reply)
    if _ASKS_FOR_WORST.search(question):
        text = _MINOR.sub("is not the main problem", _PRESENT.sub("is there", text))
    if (confirmed := _confirmed(text, options)) is not None:
        return Parsed(confirmed, how="statement")
    found = choose(text, choices)
    if found.value is not None and is_undecided(text):
        return Parsed(reason="ambiguous", how=found.how)
    weak = found.how in {*_MENTIONED, "text"} and len(options) > 2
    if weak and (_ALL_OF_THEM.search(text) or _explains_each(text, options)):
        return Parsed(reason="ambiguous", how=found.how)
    if found.how in {"text", "phrase"} and _is_yes_or_no(choices) and contradicted(plain(text), question):
        return Parsed(reason="ambiguous", how="phrase")
    unsure = found.reason == "unparseable" or (found.reason == "ambiguous" and found.how == "phrase")
    if found.how in _MENTIONED or (unsure and absent_asked(question) == {"NOT"}):
        found = _checked(found, text, choices, options, question)
    unsaid = found.reason in {"unparseable", "refused"} or (found.reason == "ambiguous" and found.how in _MENTIONED)
    return (_in_own_words(found, text, choices, options, question) if unsaid else None) or found


def _explains_each(text: str, options: Sequence[str]) -> bool:
    """Whether a reply says what each option means: "A good exposure keeps both, a fair one loses a little, ..."."""
    return all(re.search(rf"(?i)\ban? {re.escape(option)}\b", text) for option in options)


def _confirmed(text: str, options: Sequence[str]) -> int | None:
    """The one option with Yes at the end of its line, where each has a line that ends with Yes or No."""
    ends: dict[str, bool] = {}
    for line in text.splitlines():
        said = _LINE_OF_ONE.fullmatch(line)
        head = said["said"].casefold() if said else ""
        for option in options:
            if said and re.match(rf"{re.escape(option.casefold())}(?!\w)", head):
                ends[option] = said["end"].casefold() == "yes"
    confirmed = [place for place, option in enumerate(options) if ends.get(option)]
    return confirmed[0] if len(ends) == len(options) and len(confirmed) == 1 else None


def _checked(found: Parsed[int], text: str, choices: Choices, options: Sequence[str], question: str) -> Parsed[int]:
    """The option that a reply mentions, as far as it is what was asked for."""
    if absent_asked(question) == {"NOT"}:
        return by_denial(_sentences(mended(text, choices), choices)) or Parsed(reason=found.reason or "ambiguous")
    asked = _about_asked(_sentences(from_european(text), choices), tuple(options), question)
    found = found if asked is None else by_mention(asked) or Parsed(reason="unparseable")
    if found.value is None:
        return found
    meant = plain(text) if asked_end(question) else ""
    if meant and (_COMPARES.search(text) or is_ruled_out(meant, options, question, found.value)):
        return answer_by_standout(meant, options, question) or Parsed(reason="ambiguous")
    meaning = _by_meaning(text, options, question, found)
    claimed = claims_of(tuple(options), question)
    told = claimed is None or claimed[0][found.value].attribute  # "jagged" is neither sharp nor blurred
    differing = told and meaning is not None and meaning.value not in {None, found.value}
    if differing or absent_asked(question) or _LEFT_OPEN.search(text):
        return Parsed(reason="ambiguous")
    return found


def _about_asked(sentences: Sequence[Sentence], options: tuple[str, ...], question: str) -> list[Sentence] | None:
    """The sentences without clauses on other attributes than the one asked about; none where all are on it."""
    claimed = claims_of(options, question)
    if not (question and claimed) or len({claim.attribute for claim in claimed[0]}) > 1:
        return None
    if set(YES_NO_WORDS["yes"]) & set(options):
        return None
    wanted = claimed[1].attributes | {""}
    places = claimed[1].own & ELSEWHERE
    kept = [
        tuple(clause for clause in each.clauses if _is_of(clause, wanted) and not _is_elsewhere(clause, places))
        for each in sentences
    ]
    if all(len(clauses) == len(each.clauses) for clauses, each in zip(kept, sentences, strict=True)):
        return None
    return [replace(each, clauses=clauses) for clauses, each in zip(kept, sentences, strict=True) if clauses]


def _is_elsewhere(clause: Clause, places: frozenset[str]) -> bool:
    """Whether a clause is about another place than the one asked about: "in the shadows", of the highlights."""
    named = all_words(clause.tokens) & ELSEWHERE
    return bool(places and named) and not named & places


def _is_of(clause: Clause, attributes: frozenset[str]) -> bool:
    named = [
        about
        for about, part in all_parts(tokens_of(" ".join(token.words for token in clause.tokens)))
        if part == "amount"
    ]
    return not named or bool(attributes & set(named))


def _in_own_words(
    found: Parsed[int], text: str, choices: Choices, options: Sequence[str], question: str
) -> Parsed[int] | None:
    """What a reply comes to that says nothing outright: by the place of an option, by meaning, or by Yes or No."""
    readings = [_by_position(text, choices, question)]
    sentences = _sentences(text, choices)
    for compared in (option_of_all(sentences, options, question), exceeding(sentences, question)):
        if compared is not None:
            return Parsed(compared, how="meaning")
    if found.reason != "refused":
        echoed = _by_yes_or_no(text, choices, question) if _is_yes_or_no(choices) else []
        readings += echoed if any(echoed) else [_by_meaning(text, options, question, found)]
    return agree(Parsed(reading.value, how="meaning") for reading in readings if reading)


def _is_yes_or_no(choices: Choices) -> bool:
    return set(YES_NO_WORDS) <= choices.joined.keys()


def _by_yes_or_no(text: str, choices: Choices, question: str) -> list[Parsed[int] | None]:
    said_plainly = plain(text)
    again = None if "out of focus is " in said_plainly else affirmed(said_plainly, question)
    again = compared_as_asked(said_plainly, question) if again is None else again
    clauses = _MARKS.split(text.strip(" .!"))
    said = [whole(_OPENING.sub("", clause), choices) for clause in (clauses[0], clauses[-1])]
    return [*said, None if again is None else whole("yes" if again else "no", choices)]


def _by_position(text: str, choices: Choices, question: str) -> Parsed[int] | None:
    """The option that the sentence that concludes asserts."""
    if asked_end(question) is not None:
        return None
    return by_last(_sentences(from_european(text), choices), question_words(question))


def _by_meaning(text: str, options: Sequence[str], question: str, found: Parsed[int]) -> Parsed[int] | None:
    """What a reply says in words of its own; where it names several of more than two options, what stands out."""
    claimed = claims_of(tuple(options), question)
    several = found.how == "mentions" or (found.reason == "ambiguous" and len(options) > 2)
    scale = len({claim.attribute for claim in (claimed or [()])[0]}) == 1
    if claimed and scale and several:
        meant = answer_by_meaning(plain(text), options, question)
        names = names_of(options[meant.value]) if meant and meant.value is not None else []
        named = any(name in text.casefold() for name in names)
        return meant if named or found.how == "mentions" else None
    if claimed and not several:
        return answer_by_meaning(plain(text), options, question)
    main = answer_by_meaning(plain(text), options, question, main_only=True)
    if main or not asked_end(question):
        return main
    return answer_by_standout(plain(text), options, question)


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
    tokens = _tokens(text, choices)
    sentences = split_sentences(tokens)
    findings = after_corrections(FindingReader(choices.count, comparing=False).read(sentences))
    if found := decide_option(findings):
        mentioned = by_mention(sentences) if found.how == "letter" and _comes_last(findings) else None
        return found if mentioned is None or mentioned.value is None else agree([found, mentioned]) or found
    if is_refusal(text):
        return Parsed(reason="refused")
    if cut_off(tokens) is not None:
        return Parsed(reason="ambiguous")
    found = _about(sentences, subject) or by_mention(sentences)
    if found and found.value is None and (closing := _closing_letter(sentences)) is not None:
        return Parsed(closing, how="letter")
    if (left := _left_over(findings, tokens, choices.count)) is not None and not (
        found and found.value not in {None, left}
    ):
        return Parsed(left, how="elimination")
    return found or _by_letters(findings)


def _tokens(text: str, choices: Choices) -> list[Token]:
    return join_namings(tokenise(in_english(text, choices.foreign), choices))


def _sentences(text: str, choices: Choices) -> list[Sentence]:
    return split_sentences(_tokens(text, choices))


def _closing_letter(sentences: Sequence[Sentence]) -> int | None:
    """The choice whose letter alone ends a reply after a colon: "That leaves a lens out of focus: option C"."""
    last = sentences[-1] if sentences else None
    if last is None or last.asked or any(clause.supposes for clause in last.clauses):
        return None
    tokens = [token for token in last.clauses[-1].tokens if token.kind not in {"STOP", "CLOSE"}]
    before = tokens[:-1]
    if not before or before[-1].kind != "COLON" or tokens[-1].kind != "ITEM" or tokens[-1].source != "letter":
        return None
    if any(token.kind in _NOT_CLOSING for token in before) or len(tokens[-1].choices) != 1:
        return None
    return next(iter(tokens[-1].choices))


def _about(sentences: Sequence[Sentence], subject: str) -> Parsed[int] | None:
    about = [sentence for sentence in sentences if any(token.kind == subject for token in sentence.tokens)]
    found = by_mention(about)
    return found if found and found.value is not None else None


def _left_over(findings: Sequence[Finding], tokens: Sequence[Token], count: int) -> int | None:
    """The one choice that is not turned down, where all others are and it is not named."""
    spoken = {choice for token in tokens if token.kind == "ITEM" for choice in token.choices}
    rejected = frozenset[int]().union(
        *(finding.choices for finding in findings if finding.kind == "rejected" and finding.letter)
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
