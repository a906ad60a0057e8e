from __future__ import annotations

import pytest

from leaderboard.live_text import refusal


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("there is <b>no</b> such model", "There is &lt;b&gt;no&lt;/b&gt; such model."),
        ("did you mean niqe?", "Did you mean niqe?"),
        ("Done.", "Done."),
    ],
)
def test_a_refusal_is_one_sentence(reason: str, said: str) -> None:
    assert f'role="alert">{said}</p>' in refusal(reason)
