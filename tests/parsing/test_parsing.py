"""Replies against what they mean, then laws that hold for every reply."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


@pytest.mark.parametrize("count", [0, 27])
def test_options_that_cannot_be_lettered_are_refused(count: int) -> None:
    with pytest.raises(ValueError, match="cannot be lettered"):
        parse_option("A", [f"text {i}" for i in range(count)])


@pytest.mark.parametrize(("value", "reason"), [(None, None), (0, "empty")])
def test_parsed_holds_exactly_one_of_value_and_reason(value: int | None, reason: Reason | None) -> None:
    with pytest.raises(ValueError, match="a value or a reason"):
        Parsed(value, reason)


def test_rating_scale_is_the_callers() -> None:
    assert parse_rating("85", 0, 100) == Parsed(85.0)
    assert parse_rating("85/100", 0, 100).value == 85
    assert parse_rating("On a scale from 0 to 10: 7", 0, 10).value == 7
    assert parse_rating("4/5", 0, 10).reason == "out of range"


@pytest.mark.parametrize(
    "unit",
    [
        "the answer is A ",
        "A ",
        "(A) ",
        "B. ",
        "not ",
        "1",
        "1.",
        "1-",
        "<think>",
        "<",
        "\\boxed{",
        "?",
        ". ",
        "high, ",
        "A中",
    ],
)
@pytest.mark.parametrize("kind", PARSERS)
def test_ten_thousand_repeated_characters_are_read(kind: str, unit: str) -> None:
    """A backtracking pattern would not return; whatever is read is a value of the kind or a reason."""
    assert_valid(kind, PARSERS[kind](unit * (10_000 // len(unit))))


FRAGMENTS = (
    *(
        "A",
        "B",
        "C",
        "D",
        "a",
        "b",
        "I",
        " ",
        " ",
        "\n",
        ".",
        ",",
        ":",
        "?",
        "(",
        ")",
        "-",
        "/",
        "*",
        '"',
        "'",
        "_",
        "$",
    ),
    *(
        "High",
        "low",
        "medium",
        "not ",
        "no ",
        "yes",
        "or",
        "and",
        "but",
        "neither",
        "than",
        "if",
        "the ",
        "is ",
        "answer",
    ),
    *(
        "The answer is ",
        "Final answer: ",
        "so ",
        "I choose ",
        "option ",
        "first image",
        "second image",
        "image 1",
        "better",
    ),
    *("same", "both", "1", "3.5", "5", "out of", "score", "rate", "quality is ", "good", "<think>", "</think>", "</s>"),
    *(
        "<answer>",
        "\\boxed{",
        "}",
        "答案是",
        "。",
        "（",
        "sorry",
        "I can't",
        "\nUser:",
        "Assistant:",
        "<|im_end|>",
        "&nbsp;",
    ),
)
replies = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(FRAGMENTS), max_size=15).map("".join))
steady = settings(deadline=None, derandomize=True)
kinds = st.sampled_from(sorted(PARSERS))


def assert_valid(kind: str, parsed: Parsed[Any]) -> None:
    if parsed.value is None:
        assert parsed.reason in get_args(Reason)
    elif kind == "rating":
        assert 1 <= parsed.value <= 5
    else:
        assert parsed.value in VALUES[kind]


@steady
@given(kinds, replies)
def test_any_text_gives_a_valid_value_or_a_reason(kind: str, reply: str) -> None:
    assert_valid(kind, PARSERS[kind](reply))


@steady
@given(kinds, replies, st.text(alphabet=" \t\r\n", max_size=4), st.text(alphabet=" \t\r\n", max_size=4))
def test_surrounding_white_space_changes_nothing(kind: str, reply: str, before: str, after: str) -> None:
    assert PARSERS[kind](before + reply + after) == PARSERS[kind](reply)


@steady
@given(
    st.permutations(range(3)),
    st.sampled_from(LEVELS),
    st.sampled_from(["{}", "{}.", "The clarity is {}.", "Answer: {}"]),
)
def test_a_text_answer_does_not_depend_on_the_order_of_options(order: list[int], level: str, reply: str) -> None:
    options = [LEVELS[i] for i in order]
    assert parse_option(reply.format(level.lower()), options).value == options.index(level)


FORMATS = ("{letter}", "{letter}.", "({letter})", "{letter}. {text}", "{text}", "{text}.", "The answer is {letter}.")


@pytest.mark.parametrize(
    "options",
    [
        ("Clear", "Not clear"),
        ("Black and white", "White", "Colorless", "Black"),
        ("None", "Blur", "Motion blur", "N/A"),
        ("The man", "Manhole cover", "A little blurry", "18"),
        ("No", "Yes"),
    ],
)
@pytest.mark.parametrize("form", FORMATS)
def test_plain_forms_of_every_option_are_read(options: tuple[str, ...], form: str) -> None:
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
        ("3", 3, 1, 2),
        ("The third image is the odd one out.", 3, 1, 2),
        ("The odd-one-out is image 2.", 3, 1, 1),
        ("Image 3 is the odd one out because images 1 and 2 show dogs.", 3, 1, 2),
        ("A", 2, 2, 0),
        ("Image 3", 2, 2, 1),
        ("2.", 2, 2, 0),
        ("Image 2 is more similar to the reference image than image 3.", 2, 2, 0),
        ("Image 3 is more similar to image 1.", 2, 2, 1),
        ("Image nine.", 9, 1, 8),
        ("D", 3, 1, "out of range"),
        ("Image 4", 3, 1, "unparseable"),
        ("A or B", 3, 1, "ambiguous"),
        ("I can't tell.", 3, 1, "refused"),
        ("Image 1", 2, 2, "unparseable"),
        ("The second image.", 2, 2, "unparseable"),  # of three, or of the two to choose from?
        ("(B) Image 2", 2, 2, "ambiguous"),
        ("", 2, 2, "empty"),
    ],
)
def test_numbered_images(reply: str, count: int, start: int, value: int | str) -> None:
    read = parse_numbered(reply, count, start)
    assert (read.reason if read.value is None else read.value) == value


def test_images_beyond_the_ninth_have_no_numbers() -> None:
    assert parse_numbered("Image 9", 8, 2).value == 7
    with pytest.raises(ValueError, match="9 is the last"):
        parse_numbered("Image 10", 9, 2)
