"""Records by model: what was added to is looked at alone, unless a name means something else by now."""

from __future__ import annotations

from leaderboard.store import records_of
from leaderboard.tables.models import group_by_model
from qbench.models.catalogue import ModelFacts
from tests.leaderboard.made import result


def named(name: str) -> ModelFacts:
    return ModelFacts(name, name, "model")


def test_added_records_join_those_of_their_model_and_the_others_stay_the_same() -> None:
    earlier = records_of([result("alpha", "a", 0.1), result("beta", "a", 0.2)])
    before = group_by_model(earlier, named)
    now = earlier + records_of([result("gamma", "a", 0.3), result("alpha", "b", 0.4)])
    found = group_by_model(now, named, before, earlier)
    assert list(found) == ["alpha", "beta", "gamma"]
    assert found["beta"] is before["beta"]
    assert found["alpha"].records == (now[0], now[3])
    afresh = group_by_model(now, named)
    assert {name: of.records for name, of in found.items()} == {name: of.records for name, of in afresh.items()}


def test_a_name_that_means_something_else_by_now_is_looked_up_again() -> None:
    earlier = records_of([result("alpha", "a", 0.1), result("beta", "a", 0.2)])
    before = group_by_model(earlier, named)
    now = earlier + records_of([result("gamma", "a", 0.3)])
    one = group_by_model(now, lambda _: named("alpha"), before, earlier)
    assert list(one) == ["alpha"]
    assert one["alpha"].records == now
    renamed = group_by_model(now, lambda name: ModelFacts(name, name.upper(), "model"), before, earlier)
    assert [of.model.name for of in renamed.values()] == ["ALPHA", "BETA", "GAMMA"]


def test_records_that_are_gone_are_gone() -> None:
    earlier = records_of([result("alpha", "a", 0.1), result("beta", "a", 0.2)])
    before = group_by_model(earlier, named)
    found = group_by_model(earlier[1:], named, before, earlier)
    assert list(found) == ["beta"]
    assert found["beta"] is before["beta"]
