"""The model's own answer as plain text: no thoughts, echoed prompt, invented turns, stop tokens or wrappers."""

from __future__ import annotations

import re
import unicodedata

_CHARACTERS = str.maketrans(
    {**dict.fromkeys("“”„«»", '"'), **dict.fromkeys("‘’", "'"), **dict.fromkeys("–—−", "-"), "。": ". ", "、": ", "}
    | dict.fromkeys("*`#$\u200b\u200d\u2060\ufe0f\ufeff")
)
_THOUGHT_ENDS = re.compile(
    r"(?i)</(?:think|thinking|thought|reasoning|scratchpad)>|\[/THINK\]|◁/think▷|<\|?(?:end_of_thought|/think)\|?>"
    r"|<\|channel\|>\s*final\s*(?:<\|message\|>)?"
)
_THOUGHT_BEGINS = re.compile(
    r"(?i)<(?:think|thinking|thought|reasoning|scratchpad)>|\[THINK\]|◁think▷|<\|channel\|>\s*analysis"
    r"|<\|begin_of_thought\|>"
)
_OWN_TURN = re.compile(
    r"(?im)(?:^\s*|#{2,} *)(?:assistant|gpt|model)\s*:|(?-i:\bASSISTANT:)|\[/INST\]|<\|im_start\|>\s*assistant"
    r"|<\|assistant\|>|<start_of_turn>\s*model|<\|start_header_id\|>\s*assistant\s*<\|end_header_id\|>"
)
_OTHER_TURN = re.compile(
    r"(?im)(?:^\s*|#{2,} *)(?:user|human|(?:next )?question(?: \d)?|q|instruction)\s*:|(?-i:\bUSER:)|\[INST\]"
    r"|<\|im_(?:start|end)\|>|<\|user\|>|<start_of_turn>|<end_of_turn>|<\|start_header_id\|>|<\|e(?:o|n)[a-z_]*\|>|</s>|<eos>|<\|end\|>"
)
_MARKS_OF_TURNS = ("user:", "human:", "question", "instruction:", "q:", "[inst]", "<|", "_of_turn>", "</s>", "<eos>")
"""Without one of these, no other turn is looked for."""
_ANSWER = re.compile(r"(?im)^\s*answer\s*:")
_ANSWER_TAG = re.compile(r"(?i)<(?:answer|final_?answer|conclusion|output)>|<\|begin_of_(?:box|solution)\|>")
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,60}>|<\|[^|<>\n]{1,40}\|>")
_BOX = re.compile(r"\\(?:boxed|fbox)\s*\{")
_TEX = re.compile(r"\\(?:text|mathrm|mathbf|textbf|rm|bf)\b|[\\{}]")
_JSON_ANSWER = re.compile(
    r"(?i)[{,]\s*\"(?:final[ _]?answer|answer|choice|option|prediction|result|score|rating)\"\s*:\s*\"?([^\",}\n]+)"
)
LONGEST = 20_000
"""Characters of an answer that are read, the last ones; no answer needs more."""


def clean(reply: str) -> str:
    """Plain text of what the model itself answered; what it boxes or tags as its answer follows "Final answer:"."""
    text = _own_turn(_after_thoughts(reply)[-LONGEST:].strip())
    if "{" in text and (answer := _JSON_ANSWER.search(text)):
        text = f"Final answer: {answer[1]}"
    if "\\" in text:
        text = _TEX.sub(" ", _BOX.sub("\nFinal answer: ", text.replace("\\n", "\n")))
    if "<" in text:
        text = _TAG.sub(" ", _ANSWER_TAG.sub("\nFinal answer: ", text))
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return text.translate(_CHARACTERS).strip()


def _after_thoughts(reply: str) -> str:
    """What follows the last thought; of a thought that does not end, the answer that is tagged."""
    ends = 0
    for end in _THOUGHT_ENDS.finditer(reply):
        ends = end.end()
    begins = _THOUGHT_BEGINS.search(reply, ends)
    answer = _ANSWER_TAG.search(reply, begins.end()) if begins else None
    if begins and not answer:
        return reply[ends : begins.start()]
    return reply[answer.start() if answer else ends :]


def _own_turn(text: str) -> str:
    """The first turn of the model: after the prompt where it is repeated, before a turn that the model invents."""
    if (_OTHER_TURN.match(text) or _OWN_TURN.match(text)) and (own := _OWN_TURN.search(text) or _ANSWER.search(text)):
        text = text[own.end() :].strip()
    lower = text.lower()
    other = _OTHER_TURN.search(text, 1) if any(mark in lower for mark in _MARKS_OF_TURNS) else None
    return text[: other.start()] if other else text
