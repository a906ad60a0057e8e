"""The model's own first turn of a raw reply: no thoughts, no echoed prompt, no dialogue that it goes on to invent.

Chat templates mark thoughts and turns in many ways; the tables here name them. Every pattern is a single pass, so time
grows linearly with the reply.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_THOUGHTS = (
    "think|thinking|thoughts?|reasoning|reason|analysis|scratchpad|reflection|summary|caption|seed:think|rationale"
)
_THOUGHT = re.compile(
    rf"(?i)[<◁](?P<close>/?)(?:{_THOUGHTS})[>▷]|\[(?P<shut>/?)(?:think|thinking|thought)\]"
    r"|<\|(?P<edge>begin|start|end)_?(?:of_)?(?:thought|thinking|think|reasoning)\|>"
)
_CHANNEL = re.compile(r"(?i)<\|channel\|>\s?(\w{1,20})[^<]{0,80}<\|message\|>")
_BARE_CHANNELS = re.compile(r"\A\s*analysis(?=[A-Z\"'\s])")
_BARE_FINAL = "assistantfinal"

_USERS = r"example[ ]\d{1,2}|user|human|instruction|input|question|query|q|system|tool|用户|人类|问题|问"
_MODELS = "assistant|ai|bot|gpt|chatgpt|model|response|llava|output|助手|模型"
_ROLE = re.compile(
    rf"""(?im)
      ^[ \t]{{0,4}}(?:\#{{1,4}}[ \t]?|\*\*)?(?P<line>{_USERS}|{_MODELS})(?:\*\*)?[ \t]?:
    | ^[ \t]{{0,4}}\#{{1,4}}[ \t]?(?P<heading>user|human|assistant|instruction|response|question)[ \t]*$
    | ^(?P<alone>user|human|assistant|model)[ \t]*$
    | (?<=[\s\#>])(?P<inline>(?-i:USER|HUMAN|ASSISTANT|User|Human|Assistant)):
    | (?:<\|im_start\|>|<start_of_turn>|<\|start_header_id\|>|<\|start\|>)\s?
      (?P<token>user|assistant|model|system|tool)\b(?:<\|end_header_id\|>)?
    | ^[ \t]{{0,4}}\W{{0,4}}(?P<next>next[ ](?:question|pair)|(?:question|q)[ ]?[2-9])\b[^\n]{{0,3}}
      (?=[:.\n?]|[ ]\w)
    | <(?P<tag>user|human|assistant|model|system)>
    | <\|(?P<bare>user|assistant|system)\|>
    | ^[ \t]{{0,4}}\[(?P<square>user|human|assistant|system|model)\]
    | (?P<asks>\[INST\]) | (?P<answers>\[/INST\])""",
    re.VERBOSE,
)
_END = re.compile(
    r"(?i)</s>|<eos>|<end_of_(?:utterance|turn)>"
    r"|<\|(?:im_end|end|eot_id|eom_id|return|end[^|<>]{0,30}(?:text|sentence|turn))\|>"
)
_LEADING = re.compile(r"(?i)\s*(?:</?(?:s|pad|unk|bos|eos)>|<\|(?!begin_of_box)[^|<>]{1,40}\|>)")
_ECHO = re.compile(r"(?i)\?|\boptions\b|\bchoose between\b")


@dataclass(frozen=True)
class _Mark:
    start: int
    end: int
    asks: bool
    """Whether a turn of the user begins here, and not one of the model."""


_DIALOGUE = re.compile(r"(?is)\A\W{0,4}q(?:uestion)?\W{1,4}[^\n]{1,400}\n\s*\W{0,4}a(?:nswer)?\*{0,2}:\*{0,2}\s")
"""A question that the model repeats, with "A:" before its answer."""


def first_turn(reply: str) -> str:
    """The reply's first turn that is the model's own; nothing where it only thinks."""
    return _own_turn(_DIALOGUE.sub("", _without_thoughts(_without_channels(reply))))


def _without_channels(reply: str) -> str:
    """The final channel of a Harmony reply, also with its special tokens stripped ("analysis…assistantfinal…")."""
    channels = list(_CHANNEL.finditer(reply))
    for channel in channels:
        if channel[1].casefold() == "final":
            return reply[channel.end() :]
    if channels:
        return reply[: channels[0].start()]
    if _BARE_CHANNELS.match(reply) and _BARE_FINAL in reply:
        return reply.split(_BARE_FINAL, 1)[1]
    return reply


def _without_thoughts(reply: str) -> str:
    """Drop reasoning blocks, also one whose opening mark was in the prompt or whose end was cut off."""
    kept: list[str] = []
    inside, start = False, 0
    for mark in _THOUGHT.finditer(reply):
        closes = mark["close"] == "/" or mark["shut"] == "/" or (mark["edge"] or "").casefold() == "end"
        if closes and not inside:
            kept.clear()
        elif not closes and not inside:
            kept.append(reply[start : mark.start()])
        inside, start = not closes, mark.end()
    return " ".join([*kept, "" if inside else reply[start:]])


def _own_turn(text: str) -> str:
    start = _skip_leading(text, 0)
    if text.strip().casefold() in {"user", "human", "assistant", "model"}:
        return text  # an option may be "Human"
    marks = [_Mark(mark.start(), mark.end(), _asks(mark)) for mark in _ROLE.finditer(text, start)]
    if marks and not text[start : marks[0].start].strip():
        replying = [mark for mark in marks if not mark.asks]
        start = replying[0].end if replying else marks[0].end
    elif marks and not marks[0].asks and _ECHO.search(text, start, _end_of_turn(text, start, marks[0].start)):
        start = marks[0].end
    start = _skip_leading(text, start)
    ends = [mark.start for mark in marks if mark.start >= start and text[start : mark.start].strip()]
    return text[start : _end_of_turn(text, start, min(ends, default=len(text)))]


def _end_of_turn(text: str, start: int, latest: int) -> int:
    """Where a token ends the turn that begins at `start`, at the latest where the next one begins."""
    end = _END.search(text, start, latest)
    return end.start() if end else latest


def _asks(mark: re.Match[str]) -> bool:
    role = next(role for role in mark.groupdict().values() if role).casefold()
    return role == "[inst]" or role.startswith(("example", "next", "question", "q")) or role in _USERS.split("|")


def _skip_leading(text: str, start: int) -> int:
    while token := _LEADING.match(text, start):
        if _ROLE.match(text, start + len(token[0]) - len(token[0].lstrip())):
            break
        start = token.end()
    return start
