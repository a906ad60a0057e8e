"""Takes off a reply what its writer's software put on: thoughts, stop tokens, roles, tags, markdown, full-width forms.

Every pattern here is bounded or a single pass, so time grows linearly with the reply. Case and line breaks are kept.
"""

from __future__ import annotations

import re

_FULL_WIDTH = {0xFF01 + i: chr(0x21 + i) for i in range(94)}
_PUNCTUATION = str.maketrans("、“”「」‘’【】〔〕−–—\u3000\u00a0\t\r\f\v", ',""""\'\'[][]---' + " " * 6)
_LONGER = str.maketrans({"。": ". ", "½": ".5"})
_DROPPED = str.maketrans("", "", "*`#$\u200b\u200e\u2060\ufeff")  # markdown and TeX marks, invisible characters
_CHARACTERS = {**_FULL_WIDTH, **_PUNCTUATION, **_LONGER, **_DROPPED}
_ENTITIES = {"nbsp": " ", "amp": "&", "quot": '"', "lt": "<", "gt": ">", "#39": "'", "apos": "'"}
_ENTITY = re.compile(rf"&({'|'.join(_ENTITIES)});")

_THOUGHT = re.compile(r"(?i)[<◁](/?)(?:think|thinking|thought|reasoning)[>▷]")
_ROLE = re.compile(r"(?i:(?:^|\n)\W{0,4}assistant\s*:)|\bASSISTANT\s*:")
_NEXT_TURN = re.compile(r"(?i)\n\W{0,4}(?:user|human)\s*:")
_BOX = re.compile(r"(?i)<answer>|<\|begin_of_box\|>")
_LEADING_TOKEN = re.compile(r"(?i)\s*(?:</?(?:s|pad|unk|bos|eos)>|<\|[^|<>]{1,40}\|>)")
_STOP_TOKEN = re.compile(
    r"(?i)</s>|<eos>|<end_of_(?:utterance|turn)>|<\|(?:im_end|end|eot_id|return|end[^|<>]{0,30}(?:text|sentence))\|>"
)
_BREAK_TAG = re.compile(r"(?i)</?(?:br|p|div|li|ul|ol|tr|td|answer|h[1-6])\b[^<>]{0,200}>")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>|<\|[^|<>]{1,40}\|>")
_TEX_TEXT = re.compile(r"\\(?:text|textbf|mathrm|mathbf|mathsf)\s?\{([^{}]{0,200})\}")
_TEX_BOX = re.compile(r"\\f?boxed\s?\{([^{}]{0,200})\}")
_ESCAPED_BREAK = re.compile(r"\\n(?![a-z])")
_CJK = "\u3040-\u30ff\u3400-\u9fff"
_CJK_BORDER = re.compile(rf"(?<=[{_CJK}])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[{_CJK}])")


def clean(reply: str) -> str:
    """The reply as its author meant it: plain text, one space between words, no blank lines, contractions spelt out."""
    text = _ENTITY.sub(lambda m: _ENTITIES[m[1]], _without_thoughts(reply.strip()))
    text = _TEX_BOX.sub(r"\nFinal answer: \1\n", _TEX_TEXT.sub(r"\1", _ESCAPED_BREAK.sub("\n", text)))
    text = _one_turn(text.translate(_CHARACTERS))
    text = _TAG.sub("", _BREAK_TAG.sub("\n", _BOX.sub("\nFinal answer: ", text)))
    text = text.replace("\\", "").replace("_", " ")
    text = re.sub(r"(?i)\bcan(?:'t|not)\b", "can not", text)
    text = re.sub(r"(?i)\bwon't\b", "will not", text)
    text = re.sub(r"(?i)(?<=\w)n't\b", " not", text)
    text = _CJK_BORDER.sub(" ", text)
    return "\n".join(line for line in (" ".join(part.split()) for part in text.split("\n")) if line)


def _without_thoughts(reply: str) -> str:
    """Drop reasoning blocks, also one whose opening tag was in the prompt or whose end was cut off."""
    marks = list(_THOUGHT.finditer(reply))
    if not marks:
        return reply
    opened, closed = marks[0], marks[-1]
    before = "" if opened[1] else reply[: opened.start()]
    after = reply[closed.end() :] if closed[1] else ""
    return f"{before} {after}"


def _one_turn(text: str) -> str:
    """The model's own turn, where the prompt is echoed before it or an invented dialogue runs on after it."""
    roles = list(_ROLE.finditer(text))
    if roles:
        text = text[roles[-1].end() :]
    start = 0
    while token := _LEADING_TOKEN.match(text, start):
        start = token.end()
    ends = [m.start() for m in (_STOP_TOKEN.search(text, start), _NEXT_TURN.search(text, start)) if m]
    return text[start : min(ends, default=len(text))]
