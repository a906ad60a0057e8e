"""Replies against what they mean, laws that hold for every reply, and replies that models gave to their benchmarks."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest

from bench.replies import blink, q_bench, ratings
from qbench.parsing import (
    Parsed,
    Reason,
    parse_judge_score,
    parse_numbered,
    parse_option,
    parse_preference,
    parse_quality_word,
    parse_rating,
    parse_yes_no,
)

REPLIES = [json.loads(line) for line in Path(__file__).with_name("replies.jsonl").read_text("utf-8").splitlines()]
"""Forms that occur, with what they mean; and dangers, which have a reason, or may be left unread but never misread."""
LEVELS = ("High", "Medium", "Low")
PARSERS: dict[str, Callable[[str], Parsed[Any]]] = {
    "option": lambda reply: parse_option(reply, LEVELS),
    "yes_no": parse_yes_no,
    "preference": parse_preference,
    "rating": parse_rating,
    "quality_word": parse_quality_word,
    "judge_score": lambda reply: parse_judge_score(reply, (0, 1, 2)),
}
VALUES: dict[str, set[Any]] = {
    "option": {0, 1, 2},
    "yes_no": {"yes", "no"},
    "preference": {"first", "second", "tie"},
    "quality_word": {"excellent", "good", "fair", "poor", "bad"},
    "judge_score": {0, 1, 2},
}


def read(row: dict[str, Any]) -> Parsed[Any]:
    if row["kind"] == "option":
        return parse_option(row["reply"], row["options"], row.get("question", ""))
    if row["kind"] == "judge_score":
        return parse_judge_score(row["reply"], row["allowed"])
    if row["kind"] == "preference":
        return parse_preference(row["reply"], row.get("question", ""))
    return PARSERS[row["kind"]](row["reply"])


def of_families() -> dict[str, list[dict[str, Any]]]:
    families: dict[str, list[dict[str, Any]]] = {}
    for row in REPLIES:
        families.setdefault(f"{row['kind']}: {row['family']}", []).append(row)
    return families


@pytest.mark.parametrize("rows", [pytest.param(rows, id=family) for family, rows in of_families().items()])
def test_replies(rows: list[dict[str, Any]]) -> None:
    wrong = []
    for row in rows:
        parsed = read(row)
        value = row["options"][parsed.value] if row["kind"] == "option" and parsed.value is not None else parsed.value
        reason = parsed.reason if "reason" in row else None
        if (value, reason) != (row.get("expect"), row.get("reason")):
            wrong.append((row["reply"], value, parsed.reason, row))
    assert wrong == []


def test_duplicate_options_are_told_apart_by_letter_only() -> None:
    assert parse_option("B", ["Same", "Same"]) == Parsed(1)
    assert parse_option("Same", ["Same", "Same"]).reason == "ambiguous"


def test_rating_scale_is_the_callers() -> None:
    assert parse_rating("85", 0, 100) == Parsed(85.0)
    assert parse_rating("85/100", 0, 100).value == 85
    assert parse_rating("On a scale from 0 to 10: 7", 0, 10).value == 7
    assert parse_rating("4/5", 0, 10).reason == "out of range"


UNITS = ("the answer is A ", "(A) ", "B. ", "not ", "1.", "<think>", "\\boxed{", "?", "high, ", "A中")


@pytest.mark.parametrize("kind", PARSERS)
def test_ten_thousand_repeated_characters_are_read(kind: str) -> None:
    """A backtracking pattern would not return; whatever is read is a value of the kind or a reason."""
    for unit in UNITS:
        assert_valid(kind, PARSERS[kind](unit * (10_000 // len(unit))))


FRAGMENTS = (
    "A", "B", "C", "D", "a", "b", "I", " ", " ", "\n", ".", ",", ":", "?", "(", ")", "-", "/", "*", '"', "'", "_", "$",
    "High", "low", "medium", "not ", "no ", "yes", "or", "and", "but", "neither", "than", "if", "the ", "is ", "answer",
    "The answer is ", "Final answer: ", "so ", "I choose ", "option ", "first image", "second image", "image 1",
    "better", "same", "both", "1", "3.5", "5", "out of", "score", "rate", "quality is ", "good", "<think>", "</think>",
    "</s>", "<answer>", "\\boxed{", "}", "答案是", "。", "（", "sorry", "I can't", "\nUser:", "Assistant:",
    "<|im_end|>", "&nbsp;",
)  # fmt: skip


def made_up(random: Random) -> str:
    """Any characters, or pieces of replies one after another."""
    if random.random() < 0.5:
        return "".join(random.choices(FRAGMENTS, k=random.randrange(16)))
    return "".join(chr(random.randrange(random.choice((0x80, 0x3000, 0x110000)))) for _ in range(random.randrange(60)))


def assert_valid(kind: str, parsed: Parsed[Any]) -> None:
    if parsed.value is None:
        assert parsed.reason in get_args(Reason)
    elif kind == "rating":
        assert 1 <= parsed.value <= 5
    else:
        assert parsed.value in VALUES[kind]


@pytest.mark.parametrize("kind", PARSERS)
def test_any_text_gives_a_valid_value_or_a_reason(kind: str) -> None:
    random = Random(kind)
    for _ in range(100):
        assert_valid(kind, PARSERS[kind](made_up(random)))


def test_a_text_answer_does_not_depend_on_the_order_of_options() -> None:
    for options in permutations(LEVELS):
        for reply in ("{}", "{}.", "The clarity is {}.", "Answer: {}"):
            for place, level in enumerate(options):
                assert parse_option(reply.format(level.lower()), options).value == place


FORMATS = ("{letter}", "{letter}.", "({letter})", "{letter}. {text}", "{text}", "{text}.", "The answer is {letter}.")


def test_plain_forms_of_every_option_are_read() -> None:
    for options in (("Black and white", "White", "Colorless"), ("None", "Motion blur", "N/A", "Blur"), ("No", "Yes")):
        for form in FORMATS:
            assert_read(form, options)


def test_plain_forms_of_every_llvisionqa_option_are_read(shared_data: Path) -> None:
    questions = json.loads((shared_data / "llvisionqa" / "llvisionqa_dev.json").read_text(encoding="utf-8"))
    assert len(questions) == 1495
    for question in questions:
        for form in FORMATS:
            assert_read(form, question["candidates"])


def assert_read(form: str, options: tuple[str, ...]) -> None:
    for index, text in enumerate(options):
        reply = form.format(letter=chr(ord("A") + index), text=text)
        assert parse_option(reply, options).value == index, (reply, options)


@pytest.mark.parametrize(
    ("reply", "count", "start", "value"),
    [
        ("(A)", 3, 1, 0),
        ("(C)Image 3", 3, 1, 2),
        ("The third image is the odd one out.", 3, 1, 2),
        ("Image 3 is the odd one out because images 1 and 2 show dogs.", 3, 1, 2),
        ("A", 2, 2, 0),
        ("Image 2 is more similar to the reference image than image 3.", 2, 2, 0),
        ("Image nine.", 9, 1, 8),
        ("Image 4", 3, 1, "unparseable"),
        ("A or B", 3, 1, "ambiguous"),
        ("Image 1", 2, 2, "unparseable"),
        ("The second image.", 2, 2, "unparseable"),  # of three, or of the two to choose from?
        ("(B) Image 2", 2, 2, "ambiguous"),
    ],
)
def test_numbered_images(reply: str, count: int, start: int, value: int | str) -> None:
    read = parse_numbered(reply, count, start)
    assert (read.reason if read.value is None else read.value) == value


# --- replies that models really gave; needs the real data, else skipped


@pytest.mark.slow(reason="26,000 replies are read by two readers")
def test_replies_to_blink_are_read_as_by_its_authors(shared_data: Path) -> None:
    shares = blink(shared_data)
    assert shares["same"] >= 0.965
    assert shares["otherwise"] <= 0.0025  # about half of these are slips of the authors' own reader
    assert shares["read where the reference reads none"] <= 0.10


def test_accuracies_on_q_bench_dev_are_those_of_letters_alone(shared_data: Path) -> None:
    known = json.loads((shared_data.parent / "facts/newer/doi-vllms-a1-dev-recomputed.json").read_text("utf-8"))
    overall = {row["values"]["overall"] for row in known["rows"]}
    found = q_bench(shared_data)
    for name, (replies, right, unread) in found.items():
        accuracy = 100 * right / replies
        if name == "llama3_2_qbench":  # letters alone give 64.9; its longer replies are read here
            assert 67.5 < accuracy < 68.2
        elif not name.endswith("fp16"):  # of the two precisions of a model the other is in the table
            assert min(abs(accuracy - value) for value in overall) < 0.01, name
        assert unread < 0.012 * replies
    assert sum(each[2] for each in found.values()) <= 0.003 * sum(each[0] for each in found.values())


def test_ratings_after_thoughts_are_read_as_by_their_authors(shared_data: Path) -> None:
    # Theirs take the first number, which is the 3 of "3D model" in these two.
    assert sorted(ratings(shared_data), key=str) == [(3.0, 7.6), (3.0, None)]
