from __future__ import annotations

from dataclasses import replace

import pytest

from leaderboard.boards import unisim
from leaderboard.tables.columns import EVERYTHING, ColumnChoice, Part, join_boards
from qbench.models.catalogue import ModelFacts
from tests.leaderboard.made import MODELS, board


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
    assert made.choose() == ColumnChoice("both", EVERYTHING)


def test_the_primary_part_ranks_as_long_as_it_is_shown() -> None:
    made = board()
    assert made.ranks_by(made.choose()).key == "mean/srcc"
    assert made.ranks_by(made.choose("both", "b")).key == "b/srcc"


def test_a_board_has_each_key_and_each_figure_once() -> None:
    [first, *others] = board().columns
    with pytest.raises(ValueError, match="made has the key 'mean/srcc' twice"):
        board(columns=(first, replace(others[0], key=first.key), *others[1:]))
    with pytest.raises(ValueError, match=r"made has the figure .*'average-of-2'.* twice"):
        board(columns=(first, replace(others[0], find=first.find), *others[1:]))
    with pytest.raises(ValueError, match="made has the part 'a' twice"):
        board(parts=(*board().parts, Part("a", "Another A")))


def test_joined_boards_take_what_sums_up_from_the_first_alone() -> None:
    first, second = unisim.core_board(), unisim.other_tasks_board()
    joined = join_boards(first, [second], without=("overall",))
    assert [column.find.dataset for column in joined.columns if column.key == "overall"] == ["mean-of-4-tasks"]  # type: ignore[union-attr]
    assert len(joined.columns) == len(first.columns) + len(second.columns) - 1
    assert (joined.key, joined.primary) == ("unisim-core+unisim-ood", "overall")
    with pytest.raises(ValueError, match="has the key 'overall' twice"):
        join_boards(first, [second], without=())
