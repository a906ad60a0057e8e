"""Contractions in full, and turns of speech in the words that the tables of the parser have.

Each row is a pattern and what stands for it, in the order in which they are tried. Patterns are bounded, so that time
grows linearly with the reply.
"""

from __future__ import annotations

import re

from qbench.parsing.phrases import set_of

_INTRODUCED = re.compile(
    r"(?i)\bthis is (?:the )?(?:first|1st) (image|picture|photo)[.,;]?\s+(?:and )?"
    r"this is (?:the )?(?:second|2nd) \1[.,;\n]"
)
"""What a prompt says before each of two images, where a reply repeats it."""
_REWORDED = (
    (re.compile(r"(?i)\bcan(?:'?t|not)\b"), "can not"),
    (re.compile(r"(?i)\bwon'?t\b"), "will not"),
    (re.compile(r"(?i)(?<=\w)n't\b"), " not"),
    (re.compile(r"(?i)\b(is|are|was|were|do|does|did|would|could|should|has|have|had)nt\b"), r"\1 not"),
    (re.compile(r"(?i)\blet's\b"), "let us"),
    (re.compile(r"(?i)\b(it|that|this|there|here|what|which|who|he|she)'s\b"), r"\1 is"),
    (re.compile(r"(?i)(?<=\w)'d\b"), " would"),
    (re.compile(r"(?i)(?<=\w)'ll\b"), " will"),
    (re.compile(r"(?i)(?<=\w)'re\b"), " are"),
    (re.compile(r"(?i)(?<=\w)'ve\b"), " have"),
    (re.compile(r"(?i)\b(that|there|here|what)s\b"), r"\1 is"),
    (re.compile(r"(?i)\bi'm\b"), "I am"),
    (re.compile(r"(?i)\bits (?=(?:not|got|very|too|so|quite|really|just|a|the)\b)"), "it is "),
    (re.compile(r">{2,3}"), ">"),
    (re.compile(r"(?m)^> (?=\S)"), ""),
    (re.compile(r"(?i)\bmoiré"), "moire"),
    (re.compile(r"\b(?i:only )(\(?[A-Z]\)?)(?i: is left)\b"), r"only \1 remains"),
    (re.compile(r"(?i)\banswer with the option'?s letter[^:\n]{0,60}:"), "Answer:"),
    (re.compile(r"(?i)\b(that|this|it) was an? (?:mistake|error|slip|typo)\b"), r"\1 was wrong"),
    (
        re.compile(
            r"(?i)\bi should have (?:written|said|put|chosen|answered|picked|selected|gone with)\b"
            r"|\b(?:the above|it|that|this|my answer) should (?:have )?read\b"
        ),
        "correction, the answer is",
    ),
    (re.compile(r"(?i)\b(answer|choice|option) should (?:really )?be\b"), r"\1 is"),
    (
        re.compile(r"(?i)\b(?:replace|swap|exchange) (?:my |the )?(?:answer |choice )?([\w()]+) (?:with|for|by) "),
        "correction, the answer is ",
    ),
    (
        re.compile(
            r"(?i)\b(?:(?:it|that|one|you|i|we) (?:can|could|would|will|do) (?:not|hardly|scarcely)"
            r"|(?:no ?(?:one|body)) (?:can|could|would|will)) (?:be )?"
            r"(?:den(?:y|ied)|disputed?|contest(?:ed)?|refuted?|argued? (?:against|with)|doubt(?:ed)?)"
            r"(?: the fact)?\b"
        ),
        "it is clear",
    ),
    (
        re.compile(
            r"(?im)(\A|[.,;:!?-] |\b(?:but|and|yet|so) )(?!not\b|nor\b|yes\b|but\b)([a-z-]{3,20}) "
            r"(it|this|they|that|there) ((?:certainly |really )?(?:is|are|was|were))( not)?(?= ?(?:[.,;!]|$))"
        ),
        r"\1\3 \4\5 \2",
    ),
    (
        re.compile(
            r"(?im)(\A|[.;!?] )(?!such|just|so|same|much)([a-z-]{3,20}) (?:as|though) ([^,.;!?\n]{2,50}?) "
            r"(?:may be|might be|is|are|may seem)(?=,)"
        ),
        r"\1although \3 is \2",
    ),
    (
        re.compile(
            r"(?i)\b(?:you|one|we) (?:can|could|may|should) (?:safely |already |clearly )?"
            r"(?=(?:cross|rule|exclude|eliminate|dismiss|discard|reject)\b)"
        ),
        "I ",
    ),
    (re.compile(r"(?i)\b(?:fails?|failed) to be\b"), "is not"),
    (
        re.compile(r"(?i)\b([\w ]{5,20}?) is no (\w+)( in \w+)? than ([\w ]{5,20}?), nor is \4 any \2\3? than \1\b"),
        "both are equally good",
    ),
    (
        re.compile(
            r"(?i)(?<!and )\bit is not ((?:(?! and )[^,.;]){3,30}) that ([^,.;]{3,40}), (?:but|it is) ([^,.;]{3,30})"
        ),
        r"\3 \2",
    ),
    (
        re.compile(r"(?i)\b(?:there is )?nothing (\w+) (?:or|nor) (?:merely |just |even )?(\w+) about (?=the|this|it)"),
        r"it is not \1 and not \2, as for ",
    ),
    (
        re.compile(r"(?i)\b(\w+) is (?:hardly|scarcely|barely|not) the (?:right )?word (?=for|to|I would)"),
        r"it is not \1, as a word ",
    ),
    (re.compile(r"(?i)\bit is (?:untrue|false) (?:to \w+ )?that\b"), "I doubt whether"),
    (re.compile(r"(?i)\bneither (?:\w+ ){1,4}as (?:much|badly|strongly) as\b"), "the main problem is"),
    (
        re.compile(
            r"(?i)\bcan (?:both )?(?:be left (?:alone|untouched|as (?:it is|they are|is))|stay as (?:it is|they are))"
        ),
        "are not the problem",
    ),
    (re.compile(r"(?i)\b(?:do|does) not apply\b"), "are wrong"),
    (re.compile(r"(?i)\bcall it even\b"), "call it a tie"),
    (re.compile(r"(?i), for which (?=[A-H] (?:is|fits|applies)\b)"), ". "),
    (
        re.compile(
            r"(?i)\bto (?:match|reach|equal|rival) (?:the (?:overall )?quality of )?"
            r"((?:the )?(?:first|second|left|right)(?: \w+)?|(?:image|picture|photo) \w), "
            r"((?:the )?(?:first|second|left|right)(?: \w+)?|(?:image|picture|photo) \w) (?:would|needs|has to|must)\b"
        ),
        r"\1 is better than \2, which would",
    ),
    (
        re.compile(r"(?i)\b((?:image|picture|photo) [12ab]) ?= ?((?:image|picture|photo) [12ab])(?: in quality)?\b"),
        r"\1 is as good as \2",
    ),
    (
        re.compile(
            r"(?i)\b([\w-]+) is the (?:very )?last (?:thing|word|adjective) (?:that )?"
            r"(?:i|you|we|(?:any)?one) (?:would|could)\b[^.,;:!?\n]*"
        ),
        r"it is not \1",
    ),
    (
        re.compile(
            r"(?i)\bit (?:would|is) (?:be )?(?:wrong|incorrect|a mistake|not(?: be)? (?:correct|right|accurate)) "
            r"to (?:call|consider|describe) ((?:it|this|these|the)(?: \w+){0,3}?) (?:as )?(\w+)(?= ?(?:[.,;:]|\Z))"
        ),
        r"\1 is not \2",
    ),
    (re.compile(r"(?i)\b(?:those|that) (?=of (?:the|image|photo|picture|[AB12]\b))"), ""),
    (re.compile(r"(?i)(?<!not )\b(?:nearly|almost|not quite) as (?=[\w-]+ as\b)"), "not as "),
    (re.compile(r"(?i)\bso ((?:(?!i |we |would )\w+ ){1,2})that (?!one\b)(?=\w)"), r"very \1, so "),
    (
        re.compile(
            r"(?i)(?!\b[^,.;:!?\n]{0,120}\b(?:worse|worst|weaker)\b)"
            r"\b(?:if|assuming (?:that )?)(?: i| you) (?:were|was|had|have|must|am|need|want|absolutely|really)\b"
            r"[^,.;:!?\n]{0,60}?"
            r"\b(?:choose|pick|decide|select|choice|winner|name|recommend)\b[^,.;:!?\n]{0,60}[,:]"
        ),
        "in my opinion,",
    ),
    (re.compile(r"(?i)\bsuffers?( \w+)? (more|less)( \w+)? from\b"), r"has\1 \2\3"),
    (re.compile(r"(?i)\b(?:to the same (?:extent|degree)|by the same amount|in equal measure)\b"), "equally"),
    (
        re.compile(
            r"(?i)\b(?:(?:every|each|individual|even (?:the )?(?:finest|smallest|tiniest))(?: \w+){1,6}? "
            r"(?:can be|are|is) (?:\w+ly |still )?"
            r"(?:seen|visible|counted|read|made out|distinguished|resolved|recognizable)"
            r"|(?:you|one|i|we) can (?:clearly |easily |even |still )*(?:see|count|make out|read|distinguish) "
            r"(?:every|each|individual|all(?: of)? the)(?: single)? \w+)\b"
        ),
        "fine detail is crisp",
    ),
    (re.compile(r"(?i)\bas good as each other\b"), "equally good"),
    (
        re.compile(
            r"(?i)\bas an? (?:\w+ )?(?:ai|language model)\b[^.\n]{0,80}"
            r"\b(?:personal|taste|preferences|opinions?|feelings)\b[^.,\n]{0,40}, but\b"
        ),
        "",
    ),
    (
        re.compile(
            r"(?i)\b(?:(?:hmm|wait|but|now),? )?let (?:me|us) (?:re-?check|double[- ]check|verify|"
            r"(?:check|look) again)\b(?:(?!\bno\b|\bactually\b)[^\n?]){0,120}?[.:,;-] *(?=yes\b)"
        ),
        " ",
    ),
    (
        re.compile(
            r"(?i)\bnothing (?:in|about|of) ([\w ]{5,20}?) (?:comes|gets|matches|reaches|rivals|equals)"
            r"(?: (?:even )?(?:close|near) to)?\b(?: the quality of)?|\b(?:comes|gets|is) nowhere near(?! as\b)"
        ),
        r"\1 loses to",
    ),
    (
        re.compile(
            r"(?i)\bi (?:do|would|can) not (?:find|consider|call|think|say)(?: that)? "
            r"([\w ]{5,20}?)(?: is)? as (\w+) as\b"
        ),
        r"\1 is not as \2 as",
    ),
    (re.compile(r"\b(?i:(all|every|each|any)((?: \w+){0,3}) but) (?=\(?[A-Z]\b)"), r"\1\2 except "),
    (re.compile(r"(?i)\bat the same (?:low |high )?level\b"), "equal"),
    (re.compile(r"(?i)\bhas (?:the|a) higher (?:(?:total|overall) )?(?:score|total)\b"), "wins"),
    (re.compile(r"(?i)\b(is|are) out(?=[.,;:!]|\Z)"), r"\1 wrong"),
    (re.compile(r"(?i)\b(under|over)- ?(and|or|nor) (under|over)(\w+)"), r"\1\4 \2 \3\4"),
    (_INTRODUCED, ""),
    (re.compile(r"(?i)\b1st\b"), "first"),
    (re.compile(r"(?i)\b2nd\b"), "second"),
    (re.compile(r"(?i)\bl'(?=\w)"), "la "),
    (re.compile(r"(?i)\b(better|worse|sharper|clearer|superior|quality|(?:more|less) \w+) then\b"), r"\1 than"),
)

_HINTS = set_of(
    """' cannot cant wont isnt arent wasnt werent dont doesnt didnt wouldnt couldnt shouldnt hasnt havent hadnt nto
    thats theres heres whats its > that left nobody 1st 2nd 3rd then should answer if
    assuming suffer same missing under over this out measure every each individual even all total score each two
    not nowhere find deny denied dispute contest refute argue doubt replace swap exchange though
    nearly almost quite fail call last those cross rule exclude eliminate dismiss discard reject
    consider think say let ai language
    mistake error slip typo match reach equal rival =
    nor neither nothing untrue false left apply even word which stay"""
)
"""What a text that has any of them holds; most have none, and a look for these takes no time."""


def reword(text: str) -> str:
    """The text with contractions in full, and some turns of speech in the words that the tables have."""
    folded = text.casefold()
    if any(hint in folded for hint in _HINTS):
        for pattern, spelt_out in _REWORDED:
            text = pattern.sub(spelt_out, text)
    return text
