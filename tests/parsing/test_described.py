"""Replies of two without a verdict: by what is said of each, by columns, by rank and in the question's own words."""

from __future__ import annotations

import pytest

from qbench.parsing import parse_preference
from qbench.parsing.tables import by_columns


@pytest.mark.parametrize(
    ("reply", "preferred"),
    [
        ("Image 1: soft, heavy grain.\nImage 2: crisp, natural colors.", "second"),
        ("In the first photo the highlights are blown out. In the second, every detail is preserved.", "second"),
        ("Image 1 is a bit noisy. Image 2 is unusable.", "first"),
        ("Both are noisy, the first one less so.", "first"),
        ("The second looks like a compressed version of the first.", "first"),
        ("Both have noise, but the first is blurred as well.", "second"),
        ("The first is blurry, but so is the second.", None),
        ("### Image 1\n- Sharpness: high\n- Noise: low\n\n### Image 2\n- Sharpness: low\n- Noise: high", "first"),
        ("Composition: the first is a little better.\nOn balance, the second would be preferred.", "second"),
        ("Image 1 is sharp. Image 2 is sharp, too.", None),
        ("Image 1 is sharp but noisy. Image 2 is clean but soft.", None),
        ("Image 1 is no sharper than image 2, which is blurry.", None),
        ("The first shows a foggy morning, the second a clear sky.", None),
        ("If image 1 is blurry, image 2 is sharp.", None),
        ("Image 1 is blurry; image 2 is sharp. Wait, I swapped them.", None),
        ("Which is better? It is a matter of taste: image 1 is sharp, image 2 is noisy.", None),
    ],
)
def test_what_is_said_of_each(reply: str, preferred: str | None) -> None:
    assert parse_preference(reply).value == preferred


@pytest.mark.parametrize(
    ("question", "reply", "preferred"),
    [
        ("Which image has more accurate focus?", "Image one has the more accurate focus.", "first"),
        ("Which image has more accurate focus?", "The first does not have the more accurate focus.", None),
        ("Which image has more accurate focus?", "The first seems to have less accurate focus.", "second"),
        ("Which image shows heavier compression?", "The second image shows heavier compression.", "second"),
        ("Which image has less noise?", "The second has more noise.", "first"),
        ("Which image has less noise?", "The second has richer colors.", None),
        ("Which image is brighter?", "The second one has better quality.", None),
        ("Which has stronger compression artifacts?", "Blocks are visible in image 1 but not in image 2.", "first"),
        ("Which is better?", "The first is realistic, whereas the skin in the second is orange.", "first"),
        ("Which is sharper?", "In the second, one can count every hair; in the first, they melt together.", "second"),
        ("Which shows more vignetting?", "The first is clean.", None),
        ("Which is noisier, and which is cleaner? Choose the cleaner one.", "The cleaner one is the first.", "first"),
        ("Which is sharper?", "The left photo is soft, and the right one is even blurrier.", "first"),
        ("Which is better? A. The first B. The second C. Similar", "C", "tie"),
    ],
)
def test_what_was_asked_in_the_words_of_the_question(question: str, reply: str, preferred: str | None) -> None:
    assert parse_preference(reply, question).value == preferred


TABLE = "| Aspect | {} | {} |\n|---|---|---|\n| Noise | high | low |\n| Sharpness | low | high |"


@pytest.mark.parametrize(
    ("heads", "preferred"), [(("Image 1", "Image 2"), "second"), (("Image 2", "Image 1"), "first"), (("x", "y"), None)]
)
def test_columns_of_a_table_are_read_item_by_item(heads: tuple[str, str], preferred: str | None) -> None:
    assert parse_preference(TABLE.format(*heads)).value == preferred


def test_tables_of_another_shape_stay_as_they_are() -> None:
    ragged = "| Aspect | Image 1 | Image 2 |\n|---|---|---|\n| Noise | high |"
    assert by_columns(ragged) == ragged
    assert by_columns("Image 1 | Image 2") == "Image 1 | Image 2"


@pytest.mark.parametrize(
    ("reply", "preferred"),
    [
        ("Rank: 1. first image 2. second image", "first"),
        ("Ranking (best to worst):\n1. Image 2\n2. Image 1", "second"),
        ("Ranked as follows:\n2. Image 1\n1. Image 2", "second"),
        ("Ranking from worst to best: image 1, image 2", "second"),
        ("Order: image 1, image 2", None),
    ],
)
def test_a_ranking_of_two_names_its_first(reply: str, preferred: str | None) -> None:
    assert parse_preference(reply).value == preferred


def test_a_ranking_leaves_open_which_is_worse() -> None:
    assert parse_preference("Ranking: image 1, image 2", "Which image is worse?").reason == "ambiguous"
