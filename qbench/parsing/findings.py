"""What the clauses of a reply say of the choices, one finding after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, takewhile

from qbench.parsing.clauses import Clause, Sentence
from qbench.parsing.finding import DECISIONS, INTRODUCING, SAID_FIRST, Finding, FindingKind, settle
from qbench.parsing.grammar import Match, match_clause
from qbench.parsing.phrases import set_of
from qbench.parsing.reversed import OTHERWISE
from qbench.parsing.tokens import END, Token

_SEVERAL = frozenset(["GROUP", "CLASH", "LISTING"])
_SPOKEN_OF_FIRST = frozenset(["less detail than", "loses to in"])
"""Patterns that decide for what their subject is compared with."""
_WORSE = set_of("worse worst poorer poorest inferior loser")
_BLAMING = set_of("WORSE BAD DEFECT")
_PRAISING = set_of("BETTER SHARPER HIGHER MORE GOOD ASPECT ATTRIBUTE QUALITY WINS BEATS CHOOSE PICK ANSWER")
_DOUBTING = set_of("NEED LESS NOT WRONG")
_OF_ASPECTS = set_of("ASPECT ATTRIBUTE DEFECT AND DASH THE")
_NEEDING = set_of("needs need requires require")
_LACKING = set_of("lack lacks lacking lacked")
_SPARING = frozenset(["except for", "apart from", "aside from", "other than", "besides"])
_EVERYTHING = frozenset(["all but", "everything but", "all except", "everything except"])
_RULED_OUT = set_of("eliminated excluded dismissed discarded rejected disqualified") | {
    "ruled out",
    "crossed out",
    "crossed off",
    "out of the question",
    "off the table",
}
_LACKED = set_of("ASPECT ATTRIBUTE QUALITY")
_BLOCKING = frozenset(["DOUBT", "OTHERS", "CONFIDENCE"])
_DENYING = set_of("WRONG WORSE CROSS NEED LESS TOO")
"""Classes before a colon that turn what follows it into its opposite: "Worse: image 1"."""
_OTHER_THINGS = set_of("WORD ASPECT ATTRIBUTE GOOD DEFECT")
_NEITHER_IS = set_of("IT IS NEITHER GROUP CONCLUDE DEGREE THE")
_NAMING = frozenset(["ITEM", "OTHER", *_SEVERAL])
_PREDICATES = set_of(
    "IS HAS WITH SHARPER MORE LESS BETTER HIGHER DEGREE IT WHICH BOTH WINS BEATS LOSES NOT MAKES DO GOOD BAD WORSE "
    "WRONG RIGHT REMAINS FITS NEED THE WOULD DEFECT ASPECT ATTRIBUTE CONCLUDE OPENER"
)
_CARRYING = set_of(
    "IS HAS WITH WHICH IT NOT BAD WORSE DEFECT LESS MORE HIGHER DO NEED WOULD DEGREE WRONG TOO CAN ASPECT ATTRIBUTE"
)


@dataclass
class FindingReader:
    """Goes through the sentences of a reply in order."""

    count: int
    """How many choices there are."""
    comparing: bool
    """Whether clauses are about the choices themselves, so that "it" is the choice spoken of last."""
    loose: bool = False
    """Whether verdicts are also read after words that are not known."""
    subject: Token | None = None
    announced: bool = False
    """The clause before only announced an answer: "Conclusion:"."""
    last: FindingKind | None = field(default=None, init=False)
    """What the clause before said."""
    needed: bool = field(default=False, init=False)
    """Whether the clause before says what is missed."""
    blocked: bool = field(default=False, init=False)
    conceded: bool = field(default=False, init=False)
    contrasted: bool = field(default=False, init=False)
    closed: bool = field(default=False, init=False)
    faulty: bool = field(default=False, init=False)
    """Whether the last clause spoke of a fault, so that "the other does" may have it."""
    corrected: bool = field(default=False, init=False)
    eliminated: bool = field(default=False, init=False)
    """Whether the last clause that is no reason eliminates: "We rule out A, since ..., and C"."""

    def read(self, sentences: Sequence[Sentence]) -> list[Finding]:
        """Everything that the reply says of the choices."""
        findings: list[Finding] = []
        for number, sentence in enumerate(sentences):
            found = self._sentence(sentence)
            decided = [each.choices for each in findings if each.kind in DECISIONS]
            if decided and _confirms(sentence) and any(len(each.choices) == 1 for each in found):
                others = [each for each in found if each.choices and each.kind not in {"blamed", "rejected"}]
                if others and others[0].choices != decided[-1]:
                    found.append(Finding("answer", conclusive=True))  # "B. Let me check: yes, C"
            findings += [replace(finding, sentence=number) for finding in found] if number else found
        return findings

    def _sentence(self, sentence: Sentence) -> list[Finding]:
        if sentence.asked or any(clause.supposes for clause in sentence.clauses):
            return _of_open_sentence(sentence)
        self.closed = sentence.closed
        self.blocked = self.conceded = self.contrasted = self.corrected = self.eliminated = False
        said: list[tuple[Clause, list[Finding]]] = []
        findings: list[Finding] = []
        for place, clause in enumerate(sentence.clauses):
            self._follow_link(clause, place)
            if clause.link == "RETRACT" or _is_no(clause):
                findings += settle(said, self.count)
                findings.append(Finding("retracted"))
                said = []
            found = self._clause(clause, place)
            alone = [token.kind for token in clause.tokens] == ["ITEM"] and clause.link in {"COMMA", "AND"}
            if self.eliminated and alone and found:
                found = [replace(found[0], kind="rejected", letter=True)]
            elif clause.link != "BECAUSE":
                eliminating = any(token.kind == "ELIMINATE" for token in clause.tokens)
                self.eliminated = eliminating and [each.kind for each in found] == ["rejected"]
                found = [replace(found[0], letter=True)] if self.eliminated else found
            said.append((clause, found))
        return findings + settle(said, self.count)

    def _follow_link(self, clause: Clause, place: int) -> None:
        """Keep track of how far "although", "but" and doubts reach."""
        if clause.link in {"CONTRAST", "RETRACT"}:
            self.blocked = self.conceded = False
        self.corrected = self.corrected or clause.link == "RETRACT"
        if clause.link == "CONTRAST":
            self.contrasted = True
        if clause.link == "CONCEDE" or (clause.link == "WHILE" and place == 0):
            self.conceded = True
        elif self.conceded and clause.link == "COMMA" and clause.tokens[0].kind in {"ITEM", "I", "CONCLUDE", "OTHER"}:
            self.conceded = False
            self.contrasted = True

    def _clause(self, clause: Clause, place: int) -> list[Finding]:
        tokens = [self._resolve(token) for token in clause.tokens]
        if self.loose:  # what most would prefer is preferred
            most = [token.kind == "OTHERS" and token.words.startswith("most ") for token in tokens]
            tokens = [replace(token, kind="I") if many else token for token, many in zip(tokens, most, strict=True)]
        revised = tokens[1:] if tokens and tokens[0].kind == "IT" else tokens
        if clause.link == "RETRACT" and revised and revised[0].kind == "TO":
            tokens = revised[1:]  # "I change my answer to B", "I have to revise it to B"
        if not tokens:
            return []
        if any(token.kind in _BLOCKING for token in tokens):
            leads = clause.link == "BECAUSE" and place == 0  # "Since the question is about quality, ..."
            self.blocked = self.blocked or (not leads and any(token.kind == "DOUBT" for token in tokens))
            return []
        self.blocked = self.blocked or (
            tokens[0].kind == "PREP" and tokens[0].words != "for" and tokens[-1].words == OTHERWISE
        )
        if self.blocked:
            reason = match_clause(tokens) if clause.link == "BECAUSE" else None
            return [Finding("tie")] if reason and reason.statement == "tie" else []
        kinds = {token.kind for token in tokens}
        announced = self.announced
        self.announced = _announces(tokens) or (announced and place > 0)
        needed = self.needed and clause.link in {"AND", "COMMA"} and not kinds & {"ITEM", "IT", "OTHER", "IS", "HAS"}
        self.needed = needed or "NEED" in kinds
        if needed:
            return []  # "could use better light and more detail"
        finding = self._match(tokens)
        if finding is None and {"WOULD", "CHOOSE"} <= kinds and "I" not in kinds:
            self.blocked = True  # "most editors would take B, as ..."
            return []
        finding = finding or self._carried(tokens, place)
        found = [finding] if finding else self._parts(tokens, place)
        if announced and found and found[0].kind in {"bare", "answer", "verdict", "tie"}:
            kind: FindingKind = "answer" if found[0].kind == "bare" else found[0].kind
            found[0] = replace(found[0], kind=kind, conclusive=True)
        in_something = tokens[0].kind == "PREP" and tokens[1:2] and tokens[1].kind in {"ASPECT", "ATTRIBUTE"}
        if in_something and found and len(found[0].choices) == 1 and ("CHOOSE" in kinds or self.last == "aspect"):
            found[0] = replace(found[0], kind="aspect")  # "In terms of detail I'd go with the second"
        self.last = found[-1].kind if found else self.last
        self.faulty = bool(kinds & _BLAMING)
        if not (self.conceded or self.contrasted):
            return found
        contrasted = self.contrasted and clause.link != "BECAUSE"
        return [replace(finding, conceded=self.conceded, contrasted=contrasted) for finding in found]

    def _carried(self, tokens: Sequence[Token], place: int) -> Finding | None:
        """What is said of the choice spoken of last; that it is named again says nothing."""
        if not self.comparing and self.last in DECISIONS and _denies_another(tokens):
            return None
        finding = self._match(self._with_subject(tokens, place))
        return finding if finding and finding.kind not in {"bare", "unclear"} else None

    def _parts(self, tokens: Sequence[Token], place: int) -> list[Finding]:
        """What is said before and after a colon, where the clause is not understood as a whole."""
        kinds = [token.kind for token in tokens]
        colon = kinds.index("COLON") if "COLON" in kinds else 0
        if not 0 < colon < len(tokens) - 1:
            unmatched = self._unmatched(tokens, place)
            return [unmatched] if unmatched else []
        head, tail = tokens[:colon], tokens[colon + 1 :]
        found = self._match(head) or (self.comparing and self._carried(head, place)) or self._unmatched(head, place)
        if found and found.kind == "bare":
            found = replace(found, kind="answer" if self.corrected else "unclear" if self.comparing else "lead")
        told = (
            self._match(tail)
            or self._match(self._with_subject(tail, max(place, 1)))
            or self._unmatched(tail, max(place, 1))
        )
        told = told and _under(told, set(kinds[:colon]))
        denied = found is not None and found.kind == "rejected"  # "Not low, not medium: high"
        if told and told.kind == "bare" and (tokens[colon].words == "->" or self.corrected or denied):
            told = replace(told, kind="answer")
        if told and (told.kind == "bare" or set(kinds[:colon]) & _DENYING):
            told = replace(told, kind="unclear")
        return [finding for finding in (found, told) if finding]

    def _resolve(self, token: Token) -> Token:
        """ "The other one" of two is the one that was not spoken of last."""
        if token.kind == "OTHER" and self.count == 2 and self.subject and len(self.subject.choices) == 1:
            return Token("ITEM", token.words, frozenset([0, 1]) - self.subject.choices, "text")
        return token

    def _match(self, tokens: Sequence[Token]) -> Finding | None:
        several = [token for token in tokens if token.kind in _SEVERAL]
        match = match_clause(tokens)
        kinds = {token.kind for token in tokens}
        if match is None and self.loose and not ({"WOULD", "CHOOSE"} <= kinds and "I" not in kinds):
            match = match_clause(tokens, loose=True)
        unmatched = match is None or (match.statement == "tie" and not self.comparing)  # "neither night nor indoor"
        if unmatched and len(several) == 1 and not (several[0].kind == "LISTING" and len(tokens) == 1):
            named = [replace(token, kind="ITEM", words="") if token is several[0] else token for token in tokens]
            match = match_clause(named)
            if match is None or match.statement not in {"verdict", "answer", "bare", "rejected"} or match.item is None:
                return None
        if match is None:
            return None
        conclusive = any(token.kind == "CONCLUDE" or "final" in token.words for token in tokens)
        if match.item is None:
            overall = any(token.words.startswith("overall") for token in tokens)
            return Finding(match.statement, conclusive=conclusive or overall)
        if match.item.source and len(match.item.choices) == 1:
            first = next(token for token in tokens if token.kind == "ITEM")
            subject = first if match.pattern in _SPOKEN_OF_FIRST else match.item
            self.subject = None if match.item.words in SAID_FIRST else subject
        if match.statement == "worse" and not self._compares_plainly(tokens):
            return None
        kind = self._kind_of(match, tokens)
        if kind == "worse":
            return Finding("aspect", frozenset([0, 1]) - match.item.choices)
        both = bool(several) and kinds <= _NEITHER_IS and "NEITHER" in kinds
        return Finding(kind, match.item.choices, match.item.source == "letter" or both, conclusive)

    def _kind_of(self, match: Match, tokens: Sequence[Token]) -> FindingKind:
        """What a clause with the form of a statement comes to."""
        if match.statement == "answer":
            return self._of_answer(match, tokens)
        if match.statement == "elliptic":
            has_fault = self.comparing and self.faulty  # "A is not noisy, B is"
            return "bare" if self.closed and not has_fault else "unclear"
        return self._of_rejection(match, tokens) if match.statement == "rejected" else match.statement

    def _of_rejection(self, match: Match, tokens: Sequence[Token]) -> FindingKind:
        """What turns nothing down, though it has the form: "A is not wrong", or one of two that is only blamed."""
        denials = sum(token.kind in {"NOT", "WRONG", "NEITHER", "ELIMINATE"} for token in tokens)
        if denials > 1 and tokens[0].words not in _EVERYTHING:
            return "unclear"
        if self.comparing and _is_ruled_out(tokens):
            return "worse"
        return _blame(tokens) or "doubted" if self.comparing and match.pattern == "this is wrong" else "rejected"

    def _of_answer(self, match: Match, tokens: Sequence[Token]) -> FindingKind:
        """What is no answer, though it has the form of one."""
        after = tokens[tokens.index(match.item) + 1 :] if match.item in tokens else []
        described = bool(after) and after[0].kind in {"IS", "HAS"} and match.pattern == "the answer is"
        if self.comparing and (match.pattern == "it is this that" or described) and _blame(after):
            return "blamed"  # "it is the first that suffers from noise", "Verdict: image 1 is noisy"
        if any(token.words == "not only" for token in tokens):
            return "unclear"
        if match.pattern == "I rate it as" and not (match.item and match.item.source == "letter"):
            return "unclear"  # "I'd rate the sharpness as good", where the quality may be asked for
        relative = tokens[0].kind == "WHICH" and match.pattern == "it is" and match.item and match.item.source == "text"
        return "unclear" if relative else "answer"  # "..., which is good"

    def _compares_plainly(self, tokens: Sequence[Token]) -> bool:
        """Whether one of two is called worse as a whole, and not only darker or softer."""
        worse = {token.words for token in tokens if token.kind == "WORSE"}
        return self.comparing and worse <= _WORSE

    def _with_subject(self, tokens: Sequence[Token], place: int) -> Sequence[Token]:
        """The clause with the subject of the one before it, where it has none of its own."""
        if self.subject is None or tokens[0].kind not in _PREDICATES or (place == 0 and tokens[0].kind != "IT"):
            return ()
        if tokens[0].kind == "IT" and not self.comparing:
            return ()
        start = 0
        while start < len(tokens) and tokens[start].kind in {"IT", "WHICH", "OPENER", "CONCLUDE"}:
            start += 1
        return [self.subject, *tokens[start:]]

    def _unmatched(self, tokens: Sequence[Token], place: int) -> Finding | None:
        """Blame where one choice and something bad are named; else only that choices are named."""
        named = [token for token in tokens if token.kind in _NAMING]
        choices = frozenset[int]().union(*(token.choices for token in named))
        blame = _blame(tokens)
        if not named:
            own = tokens[0].kind not in _CARRYING or (tokens[0].kind == "IT" and not self.comparing)
            carried = self.subject if not own and (place > 0 or tokens[0].kind == "IT") else None
            return Finding(blame, carried.choices) if carried and blame else None
        if len(named) == 1 and named[0].kind == "ITEM":
            self.subject = named[0]
            praising = any(token.kind in _PRAISING for token in tokens)
            if self.last == "aspect" and [token.kind for token in tokens[:2]] == ["ITEM", "PREP"]:
                return Finding("aspect", choices)  # "I'd take the first for printing and the second for the web"
            return Finding(blame or "unclear", choices, named[0].source == "letter", praising=praising)
        compared = tokens[0] is named[0] and named[0].kind == "ITEM" and any(token.kind == "THAN" for token in tokens)
        self.subject = named[0] if compared else None  # "The first is not better than the second; it is worse"
        return Finding("unclear", choices, any(token.source == "letter" for token in named))


def _under(told: Finding, head: set[str]) -> Finding:
    """What is said under a head: "Noise: image 1 is better" is of one aspect, "Overall: image 1" concludes."""
    if head & {"CONCLUDE", "ANSWER"}:
        return replace(told, conclusive=True)
    return replace(told, kind="aspect") if told.kind == "verdict" and head <= _OF_ASPECTS else told


def _of_open_sentence(sentence: Sentence) -> list[Finding]:
    """A question or a condition only names choices, or takes back what was said before."""
    retracted = [Finding("retracted")] if any(clause.link == "RETRACT" for clause in sentence.clauses) else []
    named = [token for token in sentence.tokens if token.kind == "ITEM"]
    return [*retracted, *(Finding("unclear", token.choices, token.source == "letter") for token in named)]


def _is_ruled_out(tokens: Sequence[Token]) -> bool:
    """Whether one of two is out of the choice, and not only called wrong in something: "not the second"."""
    kinds = [token.kind for token in tokens]
    out = any(token.kind == "ELIMINATE" and token.words not in _SPARING for token in tokens) or any(
        token.words in _RULED_OUT for token in tokens
    )
    out = out or kinds == ["NOT", "ITEM"] or ("NOT" in kinds and kinds[-2:] in (["CHOOSE", "ITEM"], ["IS", "ITEM"]))
    return out and sum(kind in {"NOT", "WRONG", "NEED", "ELIMINATE"} for kind in kinds) == 1


def _blame(tokens: Sequence[Token]) -> FindingKind | None:
    """Whether a clause about one choice has something bad to say of it, or only denies something good."""
    kinds = {token.kind for token in tokens}
    needing = any(each.words in _NEEDING and after.kind != "NOT" for each, after in pairwise([*tokens, END]))
    blaming = kinds & _BLAMING or needing
    lacking = kinds & _LACKED and any(token.words in _LACKING for token in tokens)
    if (blaming or lacking) and not kinds & {"SPARED", "WINS"}:  # "image 2 wins on noise"
        return "blamed"
    return "doubted" if kinds & _DOUBTING else None


def _denies_another(tokens: Sequence[Token]) -> bool:
    """Whether a clause denies, or misses, something else than what was spoken of: "no texture survives"."""
    kinds = [token.kind for token in tokens[:2]]
    return kinds == ["WHICH", "NEED"] or (kinds[0] == "NOT" and bool(kinds[1:]) and kinds[1] in _OTHER_THINGS)


def _confirms(sentence: Sentence) -> bool:
    """Whether a sentence says yes to what was said before, and then names something: "To confirm: yes, ..."."""
    before = list(takewhile(lambda token: token.kind not in _NAMING, sentence.tokens))
    checked = any(token.kind == "COLON" for token in before) and any(token.words == "indeed" for token in before)
    return checked or any(token.words == "yes" for token in before)


def _is_no(clause: Clause) -> bool:
    return len(clause.tokens) == 1 and clause.tokens[0].words == "no" and clause.tokens[0].kind == "NOT"


def _announces(tokens: Sequence[Token]) -> bool:
    kinds = {token.kind for token in tokens}
    return kinds <= INTRODUCING and bool(kinds & {"CONCLUDE", "ANSWER"})
