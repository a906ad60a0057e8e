"""Thousands of paraphrases with known meaning: none read wrongly, few of those that answer left unread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from qbench.parsing import parse_option, parse_preference
from tests.parsing.paraphrases import Paraphrase, choices, preferences

EACH = 40
"""Replies per template."""


def value(paraphrase: Paraphrase) -> int | str | None:
    if paraphrase.options:
        return parse_option(paraphrase.reply, paraphrase.options).value
    return parse_preference(paraphrase.reply).value


@pytest.mark.parametrize("paraphrases", [list(preferences(EACH)), list(choices(EACH))], ids=["preferences", "choices"])
def test_paraphrases(paraphrases: Iterable[Paraphrase]) -> None:
    wrong, unread, answering = [], Counter[str](), 0
    for paraphrase in paraphrases:
        found = value(paraphrase)
        answering += paraphrase.meaning is not None
        if found is None:
            unread[paraphrase.template] += paraphrase.meaning is not None
        elif found != paraphrase.meaning:
            wrong.append((paraphrase.reply, paraphrase.options, found))
    assert not wrong, wrong[:20]
    assert unread.total() < 0.08 * answering, unread.most_common(20)
