"""What a board takes, which class a result belongs to, and which level of chance a column has."""

from __future__ import annotations

from dataclasses import replace

import pytest

from leaderboard.boards import all_boards
from leaderboard.store import records_of
from leaderboard.tables.chance import chance_level
from leaderboard.tables.classes import (
    FIVE_LEVELS,
    NO_REFERENCE,
    NUMBER_IN_TEXT,
    OTHERWISE,
    TRAINED,
    TWO_WORDS,
    classed_protocol,
)
from leaderboard.tables.columns import EVERYTHING, Column, Part
from leaderboard.tables.models import group_by_model
from qbench.models.catalogue import ModelFacts
from tests.leaderboard.made import MODELS, board, find_model, result
from tests.leaderboard.published import published, simulated


def test_a_protocol_has_admitted_values_and_the_models_own_words() -> None:
    made = board(protocol={"strategy": ("softmax",), "subset": ()})
    assert made.admits({"strategy": "softmax", "temperature": 100}, MODELS["alpha"])
    assert not made.admits({"strategy": "argmax"}, MODELS["alpha"])
    assert not made.admits({"subset": "yes-or-no"}, MODELS["alpha"])
    words = {"positive": ["high"], "negative": ["low"]}
    own = ModelFacts("t5", "T5", "model", words={"positive": ("high",), "negative": ("low",)})
    strict = board(own_words=True)
    assert strict.admits({"words": words}, own)
    assert not strict.admits({"words": words}, MODELS["alpha"])
    assert strict.admits({}, MODELS["alpha"])


def test_a_board_has_each_key_and_each_figure_once() -> None:
    [first, *others] = board().columns
    with pytest.raises(ValueError, match="made has the key 'mean/srcc' twice"):
        board(columns=(first, replace(others[0], key=first.key), *others[1:]))
    with pytest.raises(ValueError, match=r"made has the figure .*'average-of-2'.* twice"):
        board(columns=(first, replace(others[0], find=first.find), *others[1:]))
    with pytest.raises(ValueError, match="made has the part 'a' twice"):
        board(parts=(*board().parts, Part("a", "Another A")))


MODEL, HAND_MADE = MODELS["alpha"], ModelFacts("sharp", "Sharp", "classical")


@pytest.mark.parametrize(
    ("model", "protocol", "expected"),
    [
        (MODEL, {"class": OTHERWISE}, OTHERWISE),  # what a record says stands
        (MODEL, {"prompt": "words", "strategy": "softmax"}, TWO_WORDS),
        (MODEL, {"strategy": "softmax"}, TWO_WORDS),
        (MODEL, {"prompt": "rating"}, NUMBER_IN_TEXT),
        (MODEL, {"prompt": "levels"}, FIVE_LEVELS),
        (MODEL, {"class": OTHERWISE, "scoring": "five levels"}, FIVE_LEVELS),
        (MODEL, {"class": OTHERWISE, "scoring": "number in text"}, NUMBER_IN_TEXT),
        (MODEL, {"prompt": "score"}, TRAINED),
        (HAND_MADE, {"prompt": "score"}, NO_REFERENCE),
        (HAND_MADE, {}, NO_REFERENCE),
        (MODEL, {"class": NO_REFERENCE}, TRAINED),  # a toolbox of metrics lists a multimodal scorer
    ],
)
def test_the_class_of_a_score(model: ModelFacts, protocol: dict[str, str], expected: str) -> None:
    found = classed_protocol(result(model.id, protocol=protocol), model)
    assert found["class"] == expected
    unseen = model is HAND_MADE and "prompt" in protocol  # nobody's ratings made it
    assert found.get("trained_on") == (False if unseen else None)


def test_no_published_row_is_ranked_with_another_class() -> None:
    """Q-Bench's Table 4 holds NIQE, and a toolbox of metrics holds OneAlign: each goes to the board of its class."""
    wanted = {"assessment": {TWO_WORDS}, "assessment-levels": {FIVE_LEVELS}, "assessment-trained": {TRAINED}}
    wanted |= {"assessment-metrics": {NO_REFERENCE}, "assessment-full-reference": {"metric-full-reference"}}
    wanted |= {"assessment-number": {NUMBER_IN_TEXT, OTHERWISE}}
    for key, expected in wanted.items():
        table = published().table(key, EVERYTHING)
        classes = {
            classed_protocol(origin.record.result, table.rows[name].model).get("class")
            for name in table.ranked
            for origin in table.rows[name].origins
        }
        assert classes == expected, key
    assert "niqe" in published().table("assessment-metrics").ranked
    assert "one-align-4bit" in published().table("assessment-trained").ranked


def test_figures_in_training_rank_nobody_and_average_into_nothing() -> None:
    for key in ("assessment-trained", "assessment-metrics"):
        table = published().table(key, EVERYTHING)
        seen = [column for column in table.columns if column.in_training]
        assert seen
        assert not {column.key for column in seen} & {part for column in table.columns for part in column.mean_of}
        for column in seen:
            assert any(column.key in row.cells for row in table.ranked.values())
            assert table.ranks[column.key] == {}
        own = [column for column in table.columns if not column.in_training]
        assert not any(cell.trained == "scores" for cells in table.figures(own).values() for cell in cells.values())


def test_what_a_model_was_trained_on_is_gathered_over_its_records() -> None:
    records = records_of(
        [
            result("alpha", "a", protocol={"training_data": ["Q-Instruct-200K"]}),
            result("Alpha (7B)", "b", protocol={"trained_on": True}),
            result("alpha", "c", protocol={"training_data": ["q-instruct 200k"]}),  # the same, spelt otherwise
            result("beta", "a", protocol={"training_data": []}),
            result("gamma", "a", protocol={"trained_on": False}),
        ]
    )
    assert {name: of.training for name, of in group_by_model(records, find_model).items() if of.training} == {
        "alpha": ("Q-Instruct-200K", "b")
    }


def test_every_correlation_of_the_boards_has_a_level() -> None:
    columns = {
        column.key
        for board in all_boards()
        for column in board.columns
        if board.key not in ("demo", "2afc-rankings")  # not the paper's rounds; not MAP, for which levels are simulated
        and column.metric.key == "correlation"
        and not column.mean_of
        and "averages" not in column.parts
    }
    assert set(simulated()) == columns


def test_levels_are_printed_constructed_or_simulated() -> None:
    def level(board: str, key: str) -> float | None:
        table = published().table(board, "all")
        [column] = [column for column in table.columns if column.key == key]
        return chance_level(column, table, simulated())

    assert level("perception-dev", "question_type/how") == 0.3331  # Table 7
    assert level("2afc-coarse", "spaq/consistency") == 0.5
    assert level("2afc-coarse", "spaq/accuracy_joint") == 0.25
    assert level("2afc-coarse", "spaq/correlation") == pytest.approx(0.15, abs=0.01)
    assert level("unisim-ood", "odd-one-out/imagenet-ooo") == pytest.approx(1 / 3)
    assert level("unisim-ood", "retrieval/r-oxford") is None
    assert level("unisim-core", "it-2afc/hpdv2") == 0.5
    assert level("unisim-n-way", "9-way") == pytest.approx(1 / 9)
    assert level("demo-n-way", "4-way") == 0.25
    assert level("assessment", "spaq/srcc") is None


def test_the_chance_level_of_a_weighted_mean_is_weighted() -> None:
    table = published().table("unisim-n-way", "all")
    mean = Column("mean", "Mean", ("mean",), table.columns[0].metric, mean_of=("3-way", "9-way"), weights=(1, 3))
    assert chance_level(mean, table, simulated()) == pytest.approx((1 / 3 + 3 / 9) / 4)
