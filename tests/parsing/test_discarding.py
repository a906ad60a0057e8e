"""Questions of which image to delete or keep are told from those of what is removed from one."""

from __future__ import annotations

import pytest

from qbench.parsing.discarding import as_better_or_worse


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Which of these two photos would you delete?", "Which image is worse?"),
        ("Which image should be discarded?", "Which image is worse?"),
        ("Which would you rather keep, and why?", "Which image is better?"),
        ("Which image would you remove noise from?", None),
        ("In which image is noise removed better?", None),
        ("Which image would lose detail when compressed?", None),
    ],
)
def test_the_image_itself_is_to_be_deleted_or_kept(question: str, asked: str | None) -> None:
    text = "I would delete the first."
    reworded = "the worse one is the first."
    assert as_better_or_worse(text, question) == ((reworded, asked) if asked else (text, question))
