"""A reply as its author meant it: one turn of plain text, without what its writer's software put on.

Every pattern here is bounded or a single pass, so time grows linearly with the reply. Case and line breaks are kept.
"""

from __future__ import annotations

import re

from qbench.parsing.rewording import reword
from qbench.parsing.structured import plain_json, plain_tex, plain_xml
from qbench.parsing.turns import first_turn

_FULL_WIDTH = {0xFF01 + i: chr(0x21 + i) for i in range(94)}
_PUNCTUATION = str.maketrans("、،؛؟“”「」『』‘’【】〔〕《》−–\u3000\u00a0\t\r\f\v", ',,;?""""""\'\'[][]""--' + " " * 6)
_LONGER = str.maketrans(
    {
        "。": ". ",
        "½": ".5",
        "—": " - ",
        "―": " - ",
        "→": " -> ",
        "⇒": " -> ",
        "➡": " -> ",
        "…": "... ",
        "»": ">",
        "•": "\n",
        "·": "\n",
        "⭐": "★",
        "🌟": "★",
    }
)
_TICKS = str.maketrans({**dict.fromkeys("✅✔☑✓🗸👍", " ✓ "), **dict.fromkeys("❌✗✘❎✖🚫👎", " ✗ ")})
_CHARACTERS: dict[int, str | int] = {**_FULL_WIDTH, **_PUNCTUATION, **_LONGER, **_TICKS}
_DROPPED = str.maketrans(
    "", "", '*`#$"\u200b\u200d\u200e\u2060\ufe0f\ufeff'
)  # markdown, TeX, quotes, invisible characters
_ENTITIES = {"nbsp": " ", "amp": "&", "quot": '"', "lt": "<", "gt": ">", "#39": "'", "apos": "'"}
_ENTITY = re.compile(rf"&({'|'.join(_ENTITIES)});")

_BOX = re.compile(r"(?i)<answer>|<\|begin_of_(?:box|solution)\|>|<conclusion>|<final_?answer>|<output>")
_IMAGE_TAG = re.compile(r"(?i)<(image|picture|img)[ _]?(\d)>")
_BREAK_TAG = re.compile(r"(?i)</?(?:br|p|div|li|ul|ol|tr|td|answer|h[1-6])\b[^<>]{0,200}>")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>|<\|[^|<>]{1,40}\|>")
_BOXES = (
    (re.compile(r"(?m)^[ \t]*[-*]?[ \t]*\[[xX✓]\][ \t]*"), "✓ "),
    (re.compile(r"(?m)^[ \t]*[-*]?[ \t]*\[ ?\][ \t]*"), "✗ "),
    (re.compile(r"~~[^~\n]{1,200}~~"), ""),
)
"""Check boxes and what is struck out."""
_ESCAPED_BREAK = re.compile(r"\\n(?![a-z])")
_EMOJI = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u2604\u2607-\u26ff\u2700-\u2712\u2719-\u27bf\u2b00-\u2bff\ue000-\uf8ff]"
)
_NUMBERING = re.compile(r"(?m)^[ \t]*\d{1,2}[.)][ \t]+(?=\S)")
_BRACKETED = re.compile(r"(?:^|(?<=[.!?;\n]))[ \t]*\(\d\)[ \t]+(?=[A-Z]\w+ )")
"""The number of an item that is a sentence, "(1) In the first image we see ..."; "(1) is sharper" names an image."""
_TABLE_PAIR = re.compile(r"(?m)^[ \t]*\|([^|\n]{1,200})\|([^|\n]{1,200})\|[ \t]*$")
_TABLE_ROW = re.compile(r"(?m)^[ \t]*\|.*\|[ \t]*$")
_TABLE_RULE = re.compile(r"(?m)^[ \t]*\|?[ \t:|-]{3,}$")
_CLOSING = re.compile(
    r"(?i)(?<=[.!?\n])\s*(?:i hope (?:this|that|it)[^.!?\n]{0,40} helps?|(?:please )?(?:let me know|feel free to)"
    r"|if you (?:have|need|would like) (?:any|more|further|additional))[^\n]{0,160}\s*\Z"
)
"""What a helper says last."""
_ABBREVIATION = re.compile(r"(?i)\b(i\.e|e\.g|vs|etc|no(?=\. ?\d)|approx|resp)\.")
_LOOP = re.compile(r"(?:\A|(?<=[.!?\n]\s))(?P<said>[^.!?\n]{4,300}[.!?])(?:\s+(?P=said))+\s*(?P<cut>[^.!?\n]+)\Z")
"""A sentence said again and again until the reply is cut off."""


def clean(reply: str) -> str:
    """Plain text, one space between words, no blank lines and contractions spelt out."""
    text = reply.strip().translate(_CHARACTERS)
    if "&" in text:
        text = _ENTITY.sub(lambda entity: _ENTITIES[entity[1]], text)
    text = plain_json(first_turn(text))
    if "\\" in text:
        text = plain_tex(_ESCAPED_BREAK.sub("\n", text))
    if "<" in text:
        text = plain_xml(text)
        text = _IMAGE_TAG.sub(r"\1 \2", text)
        text = _TAG.sub("", _BREAK_TAG.sub("\n", _BOX.sub("\nFinal answer: ", text)))
    if "[" in text or "~" in text:
        for pattern, mark in _BOXES:
            text = pattern.sub(mark, text)
    text = text.translate(_DROPPED).replace("\\", "").replace("_", " ")
    if "|" in text or "--" in text:
        text = _TABLE_ROW.sub("", _TABLE_PAIR.sub(r"\1: \2", _TABLE_RULE.sub("", text)))
    if not text.isascii():
        text = _EMOJI.sub(" ", text)
    text = _CLOSING.sub("", re.sub(r"(?m)^ *->", "Therefore,", text))
    text = _ABBREVIATION.sub(r"\1", text) if "." in text else text
    text = _LOOP.sub(_without_loop, reword(text))
    return "\n".join(line for line in (" ".join(part.split()) for part in text.split("\n")) if line)


def _without_loop(found: re.Match[str]) -> str:
    """A sentence that a reply repeats until it is cut off, once; other repetitions as they are."""
    said, cut = found["said"], found["cut"]
    return said if said.startswith(cut) else found[0]


def without_numbering(text: str) -> str:
    """The text without the numbers that lead the items of a list."""
    return _BRACKETED.sub("", _NUMBERING.sub("", text))
