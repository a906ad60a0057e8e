"""Rows of turns as tokens: turns share their pictures and are masked from one another."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from qbench.models.checkpoint.inputs import render
from tools.nano import eye
from tools.nano.conversations import Turn

IMAGE = "<image>"


@dataclasses.dataclass(frozen=True)
class TokenRow:
    """A row as tokens."""

    tokens: list[int]
    places: list[int]
    turns: list[int]
    """Which turn a token belongs to; -1 is the pictures, which every turn sees."""
    targets: list[tuple[int, int | list[tuple[int, float]]]]
    """Index of a token, and what comes next: a token, or several with their shares."""


def image_tokens(side: int) -> int:
    """Tokens of a picture of this many pixels a side."""
    return (side // eye.PATCH) ** 2


def tokenise_row(
    pictures: Sequence[int | str], turns: Sequence[Turn], processor: Any, tokens_each: int = image_tokens(eye.SIDE)
) -> TokenRow:
    """A row of turns on the same pictures, shown or described; the positions of each go on where the pictures end."""

    def ids(text: str) -> list[int]:
        tokens: list[int] = processor.tokenizer(text, add_special_tokens=False)["input_ids"]
        return tokens

    texts = [render(turn.prompt, processor, "fast_vlm").text for turn in turns]
    shown = texts[0][: texts[0].rindex(IMAGE) + len(IMAGE)]
    before = shown.split(IMAGE)[:-1]
    written = [picture if isinstance(picture, str) else IMAGE * tokens_each for picture in pictures]
    start = ids("".join(part for both in zip(before, written, strict=True) for part in both))
    row = TokenRow([*start], [*range(len(start))], [-1] * len(start), [])
    for number, (turn, text) in enumerate(zip(turns, texts, strict=True)):
        question = ids(text.removeprefix(shown))
        answer = [] if turn.words else [*ids(f" {turn.answer}"), processor.tokenizer.eos_token_id]
        last = len(row.tokens) + len(question) - 1
        if turn.words:
            row.targets.append((last, [(ids(f" {word}")[0], share) for word, share in turn.words]))
        row.targets.extend((last + place, token) for place, token in enumerate(answer))
        added = question + answer[:-1]
        row.tokens.extend(added)
        row.places.extend(range(len(start), len(start) + len(added)))
        row.turns.extend([number] * len(added))
    return row


def pad_rows(rows: Sequence[TokenRow], filler: int) -> tuple[Any, Any, Any]:
    """Tokens, their places, and which tokens each sees: those before it of the pictures and of its own turn."""
    import torch

    longest = max(len(row.tokens) for row in rows)
    tokens = torch.full((len(rows), longest), filler)
    places = torch.zeros((len(rows), longest), dtype=torch.long)
    sees = torch.eye(longest, dtype=torch.bool).repeat(len(rows), 1, 1)
    for number, row in enumerate(rows):
        length, turn = len(row.tokens), torch.tensor(row.turns)
        tokens[number, :length], places[number, :length] = torch.tensor(row.tokens), torch.tensor(row.places)
        sees[number, :length, :length] = ((turn[None] == turn[:, None]) | (turn[None] < 0)).tril()
    return tokens, places, sees
