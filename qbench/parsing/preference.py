"""Which of two was preferred: the first, the second, or neither.

The 2AFC paper asks "Which image has better visual quality?" (Section III-A, https://arxiv.org/abs/2402.01162), its code
adds "A. The first image. B. The second image."; UniSim asks for "(A) Image 1 (B) Image 2" or captions (Table 6,
https://arxiv.org/abs/2412.10594). Their code looks for a capital A, "left" or a 1 anywhere in the reply; this does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from qbench.parsing.attributes import is_fault
from qbench.parsing.choices import choices_of, named_plainly, whole
from qbench.parsing.clauses import cut_off, split_sentences
from qbench.parsing.cleaning import clean, without_numbering
from qbench.parsing.comparing import alike, alike_in_asked
from qbench.parsing.described import concluded_better, described_better
from qbench.parsing.discarding import as_better_or_worse
from qbench.parsing.east_asian import in_english
from qbench.parsing.echoed import echoed
from qbench.parsing.european import from_european
from qbench.parsing.finding import Finding, after_corrections, decide_option
from qbench.parsing.findings import FindingReader
from qbench.parsing.joining import join_namings
from qbench.parsing.options import depends, reread
from qbench.parsing.outcome import Parsed
from qbench.parsing.phrases import set_of
from qbench.parsing.refusals import is_refusal, is_undecided
from qbench.parsing.reversed import (
    as_quality,
    asks_for_quality,
    asks_for_worse,
    only_asked,
    opposites,
    without_denials,
    without_losing,
)
from qbench.parsing.scored_items import ranked_first, scored_better
from qbench.parsing.standouts import asked_end
from qbench.parsing.tables import by_columns
from qbench.parsing.tokens import Token, tokenise

Preference = Literal["first", "second", "tie"]

_NOUNS = tuple(
    sorted(
        set_of(
            "image images picture photo photograph pic shot one caption option version frame sample img candidate"
            " figure imagen imagem bild immagine изображение"
        )
    )
)
_NAMES_WORSE = re.compile(
    r"(?i)\bif i (?:had|have|were|must)\b[^,.;:!?\n]{0,60}\b(?:worse|worst|weaker|delete|discard|throw|reject|drop)\b"
)
"""What is said of the worse one is no answer to "Which is better?"."""
_THIRD = re.compile(
    r"(?i)\bC[.):]\s*(?:they are |(?:both|the two) (?:(?:images |pictures |photos )?(?:are|look) )?)?"
    r"(?:about |roughly |of )?(?:the )?(?:similar|equal|same|tie|no difference)"
)
"""A third option in the question, which calls both alike."""
_OF_OTHERS = re.compile(
    r"(?i)\b(?:would (?:an?|the|most|many) [\w ]{3,40}|(?:people|viewers|users) would )"
    r"\b(?:prefer|rate|choose|favou?r|pick|like|keep)\b"
)
_OTHERS_WOULD = re.compile(
    r"(?i)\b(?:(?:an?|the|most|many) (?!first|second|left|right|other|image)(?:\w+ ){1,3}|(?:people|viewers|users) )"
    r"would(?: most likely| probably| surely| likely)?\b"
)
"""Where a question asks whom others would choose, what they would is the answer."""
_WOULD_YOU = re.compile(
    r"(?i)\bwould you (?:rather |prefer to |most like to )?(hang|print|buy|post|frame|share|use|show|publish)\b"
)
"""What one would do with the better one."""
_IT_STILL = re.compile(
    r"(?i)\b(?:even though|although|though) ((?:the |image |photo |picture )?\w+(?: \w+)? "
    r"(?:has|is|shows|looks|contains) [^,.;:!?\n]{3,90}), it "
    r"(?=(?:is|has|looks|shows|remains)\b[^,.;\n]{0,40}\b(?:better|best|more|winner|superior|preferable)\b)"
)
"""What is granted of one that the reply goes on to speak of."""
_ORDINAL_ALONE = re.compile(r"(?i)(\A|[.!?;,] )(first|second|left|right) (for me|wins|is better)\b")
_MIGHT = re.compile(
    r"(?i)\b((?:it (?:seems|appears|looks like)|I (?:think|believe|feel|guess|suspect|would say))(?: that)? "
    r"(?:the )?[\w ]{3,20}?) (?:might|may|could) (?P<verb>be|have|show)\b(?! been)"
    r"(?![^.!?\n]*\b(?:if|but|yet|however)\b)"
)
"""A cautious verdict, which nothing else follows: "I think the second might be sharper"."""
_VERBS = {"be": "is", "have": "has", "show": "shows"}
_MIGHT_SEEM = re.compile(
    r"(?i)\b(?:might|may|could|can) be (?:considered|seen as|regarded as|judged|deemed|called)(?: as| to be)? "
    r"(?:the |slightly |a bit |a little )*(?=better\b)(?![^.!?\n]*\b(?:if|but|yet|however|although|though|while|by)\b)"
)
_LISTING_BEGINS = re.compile(
    r"(?i)(\b(?:each|following|factors|aspects|criteria|steps?|compare|comparison|differences|analysis)\b[^.!?\n]{0,60}:)"
    r"\s*\n\s*1[.)]\s*\Z"
)
"""A reply that breaks off where it begins to list."""
_SHARE = re.compile(r"\d ?%")
"""Of what both have, so that what is said of one leaves open which has more."""
_FRACTION = re.compile(
    r"(?i)\b(?:(?:only|just|barely|merely|about|roughly) )+(?:an? |one )?"
    r"(?:half|third|quarter|tenth|fraction)(?: of)? the "
)
"""Of what one of two has less: "barely half the noise of the second"."""
_CUT_IN_NAME = re.compile(
    r"(?i)\bthan the(?: (?:f|fi|fir|firs|s|se|sec|seco|secon|o|ot|oth|othe|l|le|lef|r|ri|rig|righ))?\Z"
)
"""A reply that breaks off in the name of what one is compared with."""
_SIDES: tuple[Preference, ...] = ("first", "second")


def _wordings(ordinals: str, numerals: str, side: str) -> list[str]:
    named = [f"{ordinal} {noun}" for ordinal in ordinals.split() for noun in _NOUNS]
    numbered = [f"{noun} {numeral}" for numeral in numerals.split() for noun in _NOUNS if noun != "one"]
    numbered += [
        f"{noun} {number} {numeral}"
        for numeral in numerals.split()
        for noun in ("image", "picture", "photo")
        for number in ("number", "no")
    ]
    placed = [f"{noun} {place} {side}" for noun in _NOUNS for place in ("on the", "to the", "at the", "at")]
    numbered += [f"number {numeral}" for numeral in numerals.split() if len(numeral) > 1 or numeral.isdigit()]
    numbered += [f"no {numeral}" for numeral in numerals.split() if numeral.isdigit()]
    handed = [f"{side} {hand} {noun}" for noun in [*_NOUNS, "side"] for hand in ("hand", "side")]
    end = "top" if side == "left" else "bottom"
    placed += [f"{noun} {place}" for noun in _NOUNS for place in (f"on the {side} hand side", f"at the {end}")]
    return [*named, *numbered, *placed, *handed, f"on the {side}", f"{side}most image"]


_CHOICES = choices_of(
    [
        _wordings(
            "first 1st left former top upper première premier primera primeira erste ersten prima", "1 one a i", "left"
        ),
        _wordings(
            "second 2nd right latter bottom lower deuxième seconde segunda zweite zweiten seconda",
            "2 two b ii",
            "right",
        ),
    ],
    short=[["first", "1st", "1", "left", "former", "one"], ["second", "2nd", "2", "right", "latter", "two"]],
    letters=2,
)


_DENIED = re.compile(r"(?i)\s*(?:(?:it|that) is )?not ([^.,;:!\n]{1,24})[.!]?\s*")
"""All of a reply, which leaves the other: "Not image 1."."""


def parse_preference(reply: str, question: str = "") -> Parsed[Preference]:
    """Read which of two items, shown as A and B, a reply prefers.

    A statement counts where it says something better of exactly one item ("Image 2 has higher quality than image 1");
    one that mixes both is no answer. Where the question asks for the worse, praise and blame change places; where it
    asks for one attribute ("Which is noisier?"), what is said of others says nothing.
    """
    if named := named_plainly(reply, _CHOICES):
        return _named(named)
    reply = _LISTING_BEGINS.sub(r"\1", reply)
    text = in_english(without_numbering(clean(reply)), _CHOICES.foreign)
    text = _ORDINAL_ALONE.sub(r"\1the \2 image \3", _FRACTION.sub("less ", text))
    text = _MIGHT_SEEM.sub("is ", _MIGHT.sub(lambda said: f"{said[1]} {_VERBS[said['verb'].casefold()]}", text))
    text, question = as_better_or_worse(
        _IT_STILL.sub(r"\1, but it ", _CUT_IN_NAME.sub("than the other one.", text)), question
    )
    if _OF_OTHERS.search(question):
        text = _OTHERS_WOULD.sub("I would", text)
    if doing := _WOULD_YOU.search(question):
        text = re.sub(rf"(?i)\bI would (?:rather |definitely )?{doing[1]}\b", "I would choose", text)
    if asked := asked_end(question):
        text = as_quality(text, *asked)
    if not text:
        return Parsed(reason="empty") if (spread := by_columns(reply)) == reply else parse_preference(spread, question)
    if depends(text) or (not asks_for_worse(question) and _NAMES_WORSE.search(text)):
        return Parsed(reason="ambiguous")
    worse = asked is None and asks_for_worse(question)
    if asked is None and (ranked := ranked_first(clean(reply))) is not None:
        return Parsed(reason="ambiguous", how="rank") if worse else Parsed(_SIDES[ranked], how="rank")
    said = reread(lambda words: _prefer(words, worse=worse, asked_for=asked, question=question), text, _CHOICES)
    if said.value in _SIDES and is_undecided(text):
        return Parsed(reason="ambiguous", how=said.how)
    if said.reason == "unparseable" and asked is None and (better := scored_better(text)) is not None:
        return Parsed("tie" if better < 0 else _SIDES[better != worse], how="score")
    if said.reason == "out of range" and (_THIRD.search(question) or _THIRD.match(text)):
        return Parsed("tie", how="letter")
    if said.value is None and (side := _echoed(reply, question)) is not None:
        return Parsed(_SIDES[side], how="statement")
    return said


def _prefer(text: str, *, worse: bool, asked_for: tuple[str, int] | None, question: str) -> Parsed[Preference]:
    if named := _named_briefly(text):
        return named
    tokens, asked = _tokens(text, asked_for), asked_for is not None
    cut = cut_off(tokens)
    tokens = tokens[:cut]
    findings = _without_heads(_findings(list(opposites(tokens)) if worse else tokens))
    decided = decide_option(findings)
    if decided and decided.value is not None:
        return _named(decided)
    headed = decided is not None and _are_heads(findings)
    if cut is not None or (decided is not None and not headed) or not (asked or asks_for_quality(question)):
        return _unread(text, decided)
    if not asked and alike_in_asked(split_sentences(tokens), question):
        return Parsed("tie", how="tie")
    one_sided = bool(question) and not _SHARE.search(text)
    found = None if headed else _by_description(findings, asked=asked)
    if found and found.value is not None:
        return found
    if found is None:
        verdict = decide_option(_findings(list(opposites(tokens)) if worse else tokens, loose=True))
        if verdict and verdict.value is not None:
            return _named(verdict)
    sentences = split_sentences(list(only_asked(tokens)) if asked else tokens)
    side = concluded_better(sentences)
    if side is None and found is None:
        if worse and any(token.kind in {"CHOOSE", "PICK", "LIKE"} for token in tokens):
            one_sided = False  # "I prefer the first" leaves open which is worse
        english = from_european(text) == text and (asked or text.isascii())
        side = described_better(sentences, asked=asked, one_sided=one_sided and english and not is_refusal(text))
    if side is not None:
        return Parsed(_SIDES[side != worse], how="statement")
    if found is None and alike(sentences, asked=asked):
        return Parsed("tie", how="tie")
    return found or _unread(text, decided)


def _tokens(text: str, asked_for: tuple[str, int] | None) -> Sequence[Token]:
    """The tokens of a reply; who loses says nothing of a fault that was asked for."""
    tokens = without_denials(join_namings(tokenise(text, _CHOICES)))
    return without_losing(tokens) if asked_for and is_fault(*asked_for) else tokens


def _unread(text: str, decided: Parsed[int] | None) -> Parsed[Preference]:
    if decided is not None:
        return Parsed(reason=decided.reason, how=decided.how)
    return Parsed(reason="refused" if is_refusal(text) else "unparseable")


def _are_heads(findings: Sequence[Finding]) -> bool:
    """Whether both items are only named, as the heads of what is said of each."""
    named = [finding for finding in findings if finding.kind in {"answer", "verdict", "bare"}]
    return len(named) == 2 and all(each.kind == "bare" for each in named) and named[0].choices != named[1].choices


def _without_heads(findings: list[Finding]) -> list[Finding]:
    """The findings without names that only head what is said of each, where something is decided after both."""
    decided = [finding.sentence for finding in findings if finding.kind in {"answer", "verdict"}]
    heads = [finding for finding in findings if finding.kind == "bare" and finding.sentence < max(decided, default=0)]
    return [each for each in findings if each not in heads] if len({each.choices for each in heads}) > 1 else findings


def _named_briefly(text: str) -> Parsed[Preference] | None:
    """The one that a reply only names, or is left by one that only turns the other down."""
    if alone := whole(text, _CHOICES):
        return _named(alone)
    denied = _DENIED.fullmatch(text)
    if denied and (turned_down := whole(denied[1], _CHOICES)) and turned_down.value in (0, 1):
        return Parsed(_SIDES[1 - turned_down.value], how="elimination")
    return None


def _echoed(reply: str, question: str) -> int | None:
    """The item of which a reply says what was asked, in the words of the question."""
    text = from_european(in_english(without_numbering(clean(reply)), _CHOICES.foreign))
    return echoed(split_sentences(join_namings(tokenise(text, _CHOICES))), question)


def _findings(tokens: Sequence[Token], *, loose: bool = False) -> list[Finding]:
    sentences = split_sentences(tokens)
    return after_corrections(FindingReader(2, comparing=True, loose=loose).read(sentences))


def _named(found: Parsed[int]) -> Parsed[Preference]:
    how = "statement" if found.how == "phrase" else found.how
    return Parsed(None if found.value is None else _SIDES[found.value], found.reason, how)


def _by_description(findings: Sequence[Finding], *, asked: bool) -> Parsed[Preference] | None:
    """What is said better of one, or that both are alike; contradictory descriptions are ambiguous."""
    tie = next((place for place, finding in reversed(list(enumerate(findings))) if finding.kind == "tie"), None)
    better = _favoured([finding for finding in findings if not finding.conceded], asked=asked)
    if better is None and tie is not None:
        worse = {each for finding in findings[tie:] if finding.kind == "blamed" for each in finding.choices}
        if len(worse) == 1:
            return Parsed(_SIDES[1 - worse.pop()], how="statement")  # "equally sharp, but the first has more noise"
        ahead = _named_in([finding for finding in findings[tie:] if finding.conceded], "aspect")
        if len(ahead) == 1:  # "practically the same, though the second is a bit noisier"
            return Parsed(_SIDES[min(ahead)], how="statement") if asked else Parsed(reason="ambiguous", how="tie")
        afterwards = any(
            finding.kind == "unclear" and (finding.praising or finding.contrasted) for finding in findings[tie:]
        )
        return Parsed(reason="ambiguous", how="tie") if afterwards else Parsed("tie", how="tie")
    if tie is not None and findings[tie].conclusive and _named_in(findings[tie:], "aspect") == frozenset():
        return Parsed("tie", how="tie")
    if better is None:
        return None
    return Parsed(_SIDES[better], how="statement") if better in (0, 1) else Parsed(reason="ambiguous", how="statement")


def _favoured(findings: Sequence[Finding], *, asked: bool) -> int | None:
    """The one side of which something better is said; -1 where that is contradicted, None where nothing is said."""
    better = _named_in(findings, "aspect")
    outweighed = {(each.sentence, each.choices) for each in findings if each.kind == "aspect" and each.contrasted}
    blaming = [each for each in findings if each.contrasted or (each.sentence, each.choices) not in outweighed]
    blamed = frozenset[int]() if asked else _named_in(blaming, "blamed")  # "soft, and the other is even softer"
    if better:
        (side, *others) = better
        doubted = _named_in(findings, "doubted") | _named_in(findings, "rejected")
        return -1 if others or side in blamed | doubted or _rivalled(findings, side) else side
    return None


def _rivalled(findings: Sequence[Finding], side: int) -> bool:
    """Whether something is said of the other side that is not understood and sounds like praise."""
    return any(finding.kind == "unclear" and finding.praising and side not in finding.choices for finding in findings)


def _named_in(findings: Sequence[Finding], kind: str) -> frozenset[int]:
    return frozenset[int]().union(*(finding.choices for finding in findings if finding.kind == kind))
