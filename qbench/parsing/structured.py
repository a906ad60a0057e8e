"""Answers that are wrapped in JSON or LaTeX, put in plain words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from qbench.parsing.phrases import set_of

_ANSWER_KEYS = set_of("""answer final_answer finalanswer choice option selected selection selected_option prediction
    predicted result response verdict winner better best preferred preference better_image best_image chosen
    choice_letter decision letter label output conclusion judgment judgement 答案""")
_SCORE_KEYS = set_of("score rating quality quality_score overall overall_score overall_rating grade mos 评分 分数")
_LONGEST = 20_000
_FENCE = re.compile(r"```[a-zA-Z]{0,10}\s?|```")
_BRACED = r"((?:[^{}]|\{[^{}]{0,200}\}){0,200})"
_TEX_TEXT = re.compile(r"\\(?:text|textbf|textit|mathrm|mathbf|mathsf|mathit|bold|textsf|rm)\s?\{([^{}]{0,200})\}")
_TEX_BOX = re.compile(r"\\f?boxed\s?\{([^{}]{0,200})\}|\\boxed\s([A-Z0-9])\b")
_TEX_SPACE = re.compile(r"\\[()\[\],;:! ]|\\(?:quad|left|right|,)(?![a-z])")


def plain_tex(text: str) -> str:
    """The text with LaTeX commands for looks taken off and boxes as "Final answer: ..."."""
    for _ in range(2):
        text = _TEX_TEXT.sub(r"\1", text)
    text = _TEX_BOX.sub(lambda box: f"\nFinal answer: {box[1] or box[2]}\n", text)
    return _TEX_SPACE.sub(" ", text)


def plain_json(text: str) -> str:
    """The text with its one JSON object as "Final answer: ..." where it has an answer; else as it was."""
    bare = _FENCE.sub("", text)
    start, end = bare.find("{"), bare.rfind("}")
    if not 0 <= start < end < start + _LONGEST:
        return text
    try:
        value = json.loads(bare[start : end + 1])
    except (ValueError, RecursionError):
        return text
    said = _said(value) if isinstance(value, dict) else None
    return text if said is None else f"{bare[:start]}\n{said}\n{bare[end + 1 :]}"


def _said(record: Mapping[str, Any]) -> str | None:
    chosen = {key: value for key, value in record.items() if isinstance(value, bool)}
    if len(chosen) > 1 and list(chosen.values()).count(True) == 1:
        return f"Final answer: {next(key for key, value in chosen.items() if value)}"
    if len(chosen) == 1 and len(record) <= 2 and not set(chosen) & _ANSWER_KEYS:
        return "Final answer: " + ("yes" if next(iter(chosen.values())) else "no")
    plain = {key.casefold().replace(" ", "_").replace("-", "_"): value for key, value in record.items()}
    for known, cue in ((_ANSWER_KEYS, "Final answer"), (_SCORE_KEYS, "Final score")):
        said = [value for key, value in plain.items() if key in known and isinstance(value, str | int | float)]
        if said and not isinstance(said[0], bool):
            return "\n".join(f"{cue}: {value}" for value in said)
    return None
