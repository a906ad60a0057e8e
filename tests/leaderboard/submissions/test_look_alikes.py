"""Names that would be taken for another model's."""

from __future__ import annotations

import pytest

from leaderboard.store import records_of
from leaderboard.submissions.look_alikes import appearance, find_look_alike
from leaderboard.tables.models import group_by_model
from qbench.models.catalogue import find_model, load
from tests.leaderboard.made import result

ON_BOARD = group_by_model(records_of([result("FooNet"), result("gpt-4v")]), find_model)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("GP\u03a4-4V", "GPT-4V"),  # Greek
        ("\u0421OCO-N\u0435t", None),  # nobody is called so
        ("\u13c0\u13e2\u13a2-4\u13d9", "GPT-4V"),  # all of it Cherokee
        ("\ua4d6\ua4d1\ua4d4-4\ua4e6", "GPT-4V"),  # Lisu
        ("\u0262\u1d18\u1d1b-4\u1d20", "GPT-4V"),  # small capitals
        ("G\u0420T-4V", "GPT-4V"),
        ("GP\u0301T-4V", "GPT-4V"),
        ("NlQE", "NIQE"),
        ("N1QE", "NIQE"),
        ("F0oNet", "FooNet"),
        ("Foo Net", "FooNet"),
        ("foonet", "FooNet"),
        ("FooNet", None),
        ("FooNet2", None),
        ("GPT-4V", None),
        ("gpt 4v", None),  # the catalogue's own way of finding it: the same model
        ("\uff27\uff30\uff34-4V", None),
        ("\u901a\u7528-VL", None),
    ],
)
def test_a_name_that_looks_like_another_ones_is_found(name: str, other: str | None) -> None:
    assert find_look_alike(name, ON_BOARD, find_model) == other


def test_no_two_models_of_the_catalogue_look_alike() -> None:
    seen = [(appearance(name), facts.id) for facts in load() for name in (facts.name, facts.id, *facts.aliases)]
    assert len({look for look, _ in seen}) == len(set(seen))
