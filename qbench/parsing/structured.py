"""Answers that are wrapped in JSON or LaTeX, put in plain words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from qbench.parsing.phrases import class_table, set_of

_ANSWER_KEYS = set_of("""answer final_answer finalanswer choice option selected selection selected_option prediction
    predicted result response verdict preferred preference chosen choice_letter decision letter label output
    conclusion judgment judgement 答案""")
_SCORE_KEYS = set_of("score rating quality quality_score overall overall_score overall_rating grade mos 评分 分数")
_ITEM_WORDS = set_of("the image picture photo one option overall")
_TURNED = set_of("least less weakest weaker not wrong incorrect rejected eliminated excluded")
"""Words of keys whose value is not the answer: {"least_visible": "Noise"}."""
_ITEM = re.compile(r"(?i)(?:the )?(?:image|picture|photo|first|second|left|right|option|[ab12])\b")
_LONGEST = 20_000
_FENCE = re.compile(r"```[a-zA-Z]{0,10}\s?|```")
_BRACED = r"((?:[^{}]|\{[^{}]{0,200}\}){0,200})"
_TEX_TEXT = re.compile(r"\\(?:text|textbf|textit|mathrm|mathbf|mathsf|mathit|bold|textsf|rm)\s?\{([^{}]{0,200})\}")
_TEX_BOX = re.compile(r"\\f?boxed\s?\{([^{}]{0,200})\}|\\boxed\s([A-Z0-9])\b")
_ELEMENT = re.compile(r"<([a-z_]{3,20})>\s*([^<>]{1,200}?)\s*</\1>")
_OUTSIDE = re.compile(r"</?[a-z_]{3,20}>")
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


def plain_xml(text: str) -> str:
    """The text where it is nothing but elements with an answer as "Final answer: ..."; else as it was."""
    record = dict(_ELEMENT.findall(text))
    said = _said(record) if record and not _OUTSIDE.sub("", _ELEMENT.sub("", text)).strip() else None
    return text if said is None else said


def _said(record: Mapping[str, Any]) -> str | None:
    chosen = {key: value for key, value in record.items() if isinstance(value, bool)}
    if len(chosen) > 1 and list(chosen.values()).count(True) == 1:
        return f"Final answer: {next(key for key, value in chosen.items() if value)}"
    if len(chosen) == 1 and len(record) <= 2 and not set(chosen) & _ANSWER_KEYS:
        return "Final answer: " + ("yes" if next(iter(chosen.values())) else "no")
    if likeliest := _likeliest(record):
        return f"Final answer: {likeliest}"
    plain = {key.casefold().replace(" ", "_").replace("-", "_"): value for key, value in record.items()}
    told = {
        key: value
        for key, value in plain.items()
        if isinstance(value, str | int | float) and not isinstance(value, bool)
    }
    answers = [f"Final answer: {value}" for key, value in told.items() if key in _ANSWER_KEYS]
    denied = {
        key: f"not {told[key]}" for key in told if set(key.split("_")) & _TURNED and not _ITEM.match(str(told[key]))
    }
    judged = [
        f"The {compared} image is: {told[key]}" for key in told if key not in denied and (compared := _comparative(key))
    ]
    scores = [f"Final score: {value}" for key, value in told.items() if key in _SCORE_KEYS]
    return "\n".join(answers + judged or scores or denied.values()) or None


def _comparative(key: str) -> str:
    """What a key says of which item it is: "worse" of {"worse_image": "Image 1"}."""
    words = [word for word in key.split("_") if word not in _ITEM_WORDS]
    judging = len(words) == 1 and class_table().meanings.get((words[0],)) in {"BETTER", "SHARPER", "WORSE"}
    amount = len(words) == 2 and words[0] in {"more", "most", "less", "least", "higher", "lower"}
    return "better" if words == ["winner"] else " ".join(words) if judging or amount else ""


def _likeliest(record: Mapping[str, Any]) -> str | None:
    """The letter with the highest of some probabilities; two may be those of two among more options."""
    numbers = {key: value for key, value in record.items() if type(value) in {int, float} and len(key) == 1}
    best = max(numbers.values(), default=0)
    spread = len(numbers) == len(record) > 2 and 0.98 < sum(numbers.values()) < 1.02
    return max(numbers, key=numbers.__getitem__) if spread and list(numbers.values()).count(best) == 1 else None
