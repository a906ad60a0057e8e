"""Does a reply decline to answer? Asked only where no answer was given outright."""

from __future__ import annotations

import re

_ABLE = r"(?:(?:actually|directly|really)\ )?"
_ANSWERING = (
    r"(?:assist|help|answer|determine|tell|say(?!\ (?:that|it|this|the)\b)|provide|"
    r"judge|assess|evaluate|rate|compare|choose|identify|process|"
    r"analy[sz]e|comply|decide|make\ (?:a|an|any|the)\ (?:decision|judg|assess|compar|determin)|give|access|view)"
)
_IMAGE = r"(?:(?:any|an|the|this|your|these)\ )?(?:actual\ )?(?:image|picture|photo|visual|attach)"
_REFUSAL = re.compile(
    rf"""\bas\ an?\ (?:\w+\ )?(?:ai|language\ model|text-based|virtual\ assistant)\b
    | \A\W*(?:i\ am\ |i'm\ )?(?:so\ |very\ |really\ )?sorry\b | \bi\ apologi[sz]e\b | \A\W*(?:my\ )?apologies\b
    | \bi(?:\ am|'m)\ (?:unable|not\ able|not\ allowed|an\ ai)\b | \b(?:i|we)\ (?:refuse|decline)\b
    | \b(?:i|we)\ (?:can|could|do|will|would)\ not\ {_ABLE}{_ANSWERING}\b
      (?!\ (?:the\ )?(?:first|second|left|right)\b(?![^.]{{0,20}}\bover\b))
    | \b(?:i|we)\ (?:can|could|do)\ not\ {_ABLE}see\ {_IMAGE}
    | \bi\ do\ not\ (?:know|have\ (?:the\ |an?\ |enough\ |access|any\ |sufficient\ ))
    | \b(?:unable|impossible|not\ possible)\ to\ (?:\w+\ )?{_ANSWERING}\b
    | \b(?:difficult|hard)\ to\ (?:determine|tell|say|judge|assess)\W*
      (?:\Z|[.;\n]|from\b|with(?:out)?\b|based\b|whether\b|if\b|for\ (?:sure|certain)\b)
    | \bcan\ not\ be\ (?:determined|answered|assessed|judged)\b
    | \b(?:have|see)\ no\ (?:way|means|basis)\ (?:of|to|for)\b
    | \b(?:image|picture|photo|attachment|file|upload)s?\ (?:
      (?:failed\ to|(?:did|does|will|would)\ not)\ (?:load|open|display|render|arrive|attach)
      |could\ not\ be\ (?:loaded|opened|displayed|read))\b
    | \bno\ (?:image|picture|photo)s?\ (?:(?:was|were|is|are|has\ been)\ )?(?:provided|attached|uploaded|given)\b
    | \bplease\ (?:provide|upload|share|attach)\b
    | 抱歉 | 对不起 | 无法(?!辨认|辨别|看清|看出|识别|分辨|阅读|读) | 不能(?:回答|判断|确定|看到)""",
    re.IGNORECASE | re.VERBOSE,
)


_REST = r"\b[^.!?\n]{0,200}"
_UNDECIDED = re.compile(
    r"(?i)\b(?:i (?:(?:really|honestly|just|still|simply) )*(?:(?:can|could) not (?:\w+ly )?(?:decide|choose|settle"
    rf"|make up my mind|tell|say)(?: (?:which|whether|between|on){_REST})?|do not know|give up"
    rf"|keep (?:going|changing|switching|flip){_REST})|i (?:am|remain) (?:\w+ )?(?:torn|undecided|on the fence){_REST}"
    r"|(?:not so|not|no longer) sure (?:now|any ?more)|(?:it is )?impossible to (?:say|tell|decide)"
    rf"|could (?:just as (?:well|easily)|equally(?: well)?) (?:pick|choose|be|say|take|go){_REST})\W*\Z"
)
"""An end that takes back what was said before; "I can't decide, but ..." goes on."""


def is_undecided(text: str) -> bool:
    """Whether a cleaned reply ends by leaving the answer open."""
    found = _UNDECIDED.search(text)
    return found is not None and re.search(r"(?i)\b(?:but|so(?! sure)|overall)\b", found[0]) is None


def is_refusal(text: str) -> bool:
    """Whether a cleaned reply declines: it cannot see, cannot judge, or asks for the image."""
    return _REFUSAL.search(text) is not None
