from __future__ import annotations

import pytest

from leaderboard.columns import EVERYTHING, Choice, find_board
from qbench.errors import UserError
from qbench.models.catalogue import ModelFacts
from tests.leaderboard.made import MODELS, board


def test_a_protocol_that_says_nothing_is_admitted() -> None:
    assert board(protocol={"strategy": ("softmax",)}).admits({}, MODELS["alpha"])


def test_a_protocol_must_have_an_admitted_value() -> None:
    softmax = board(protocol={"strategy": ("softmax",)})
    assert softmax.admits({"strategy": "softmax", "temperature": 100}, MODELS["alpha"])
    assert not softmax.admits({"strategy": "argmax"}, MODELS["alpha"])


def test_a_field_with_no_admitted_value_must_be_absent() -> None:
    assert not board(protocol={"subset": ()}).admits({"subset": "yes-or-no"}, MODELS["alpha"])


def test_score_words_must_be_the_models_own() -> None:
    words = {"positive": ["high"], "negative": ["low"]}
    own = ModelFacts("t5", "T5", "model", words={"positive": ("high",), "negative": ("low",)})
    strict = board(own_words=True)
    assert strict.admits({"words": words}, own)
    assert not strict.admits({"words": words}, MODELS["alpha"])
    assert strict.admits({}, MODELS["alpha"])


def test_a_choice_narrows_the_columns_and_keeps_their_order() -> None:
    made = board()
    assert [column.key for column in made.shown(made.choose())] == [column.key for column in made.columns]
    assert [column.key for column in made.shown(made.choose("srcc"))] == ["mean/srcc", "a/srcc", "b/srcc"]
    assert [column.key for column in made.shown(made.choose("srcc", "b"))] == ["b/srcc"]
    assert made.choose() == Choice("both", EVERYTHING)


def test_the_primary_part_ranks_as_long_as_it_is_shown() -> None:
    made = board()
    assert made.ranks_by(made.choose()).key == "mean/srcc"
    assert made.ranks_by(made.choose("both", "b")).key == "b/srcc"


@pytest.mark.parametrize(("metric", "part"), [("krcc", "all"), ("srcc", "c")])
def test_an_unknown_choice_names_the_known_ones(metric: str, part: str) -> None:
    with pytest.raises(UserError, match="choose one of all, "):
        board().choose(metric, part)


def test_an_unknown_board_names_the_known_ones() -> None:
    with pytest.raises(UserError, match="'nope' is no board; choose one of made"):
        find_board((board(),), "nope")
