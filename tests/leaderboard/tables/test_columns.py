"""What a board takes, which class a result belongs to, which level of chance a column has; what stands under a table,
and figures, sources and remarks in words."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from leaderboard.boards import all_boards
from leaderboard.look import address, board_address
from leaderboard.store import Loaded, records_of
from leaderboard.store.submission import Entry, Status, Submission
from leaderboard.tables import words
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
from leaderboard.tables.columns import EVERYTHING, Column, Metric, Part
from leaderboard.tables.models import group_by_model
from leaderboard.tables.unranked import MOST_LISTED, Unranked, find_unranked
from leaderboard.tables.words import with_consequence
from qbench.models.catalogue import ModelFacts
from qbench.records import Result
from tests.leaderboard.handed_in import submission
from tests.leaderboard.made import MODELS, board, find_model, result, snapshot
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
    assert classed_protocol(result(model.id, protocol=protocol), model)["class"] == expected


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


def test_addresses_are_encoded_and_say_nothing_of_what_is_empty() -> None:
    assert address("bias", search="a & b", chart="") == "?tab=bias&search=a+%26+b"
    assert board_address("made", "é") == "?tab=leaderboard&board=made&q=%C3%A9"


BOARD = board(protocol={"limit": (), "strategy": ("softmax",)})


def part(model: str = "Alpha (7B)", srcc: float = 0.5, at: str = "2026-01-01", **protocol: Any) -> Result:
    made = result(model, "a", srcc, kind="rescored", at=at, protocol={"limit": 12, **protocol})
    return replace(made, status={"scored": 12, "missing": 10_061})


def entry(made: Submission, status: Status = "pending") -> Entry:
    return Entry(made, made.digest, status)


def unranked(*results: Result, entry: Entry | None = None, entries: tuple[Entry, ...] = ()) -> Unranked:
    loaded = Loaded(records_of(results, entry), (), "abc1234", entries)
    return find_unranked(group_by_model(loaded.records, find_model), loaded.pending, BOARD, find_model)


def test_a_result_on_a_part_is_listed_with_its_coverage_and_never_in_the_table() -> None:
    results = (part(), result("beta", "a", 0.4))
    [one] = unranked(*results).partial
    assert (one.model, one.covers, one.figures) == ("Alpha", "12 of 10,073", {"a/srcc": 0.5})
    table = snapshot(results, BOARD).table("made")
    assert list(table.ranked) == ["beta"]


@pytest.mark.parametrize(
    ("protocol", "covers"), [({"rounds": 3}, "3 rounds"), ({"rounds": 3.67, "limit": 12}, "12 images, 3.67 rounds")]
)
def test_fewer_rounds_are_a_part_too_and_all_of_them_are_not(protocol: dict[str, Any], covers: str) -> None:
    made = board(protocol={"limit": (), "rounds": (12,)})
    few, all_of_them = (result("alpha", "a", 0.5, protocol=made) for made in (protocol, {"rounds": 12}))
    models = group_by_model(records_of((few, all_of_them)), find_model)
    [one] = find_unranked(models, (), made, find_model).partial
    assert (one.record.result, one.covers) == (few, covers)


def test_the_newest_part_stands_first_and_what_no_board_takes_even_when_whole_is_left_out() -> None:
    days = ("2026-02-01", "2026-03-01", "2026-01-01")
    parts = [part(srcc=0.5 + place / 10, at=day) for place, day in enumerate(days)]
    elsewhere = (part(strategy="argmax"), replace(part(), dataset="nowhere"), replace(part(), model="people"))
    told = unranked(*parts, *elsewhere).partial
    assert [found.origin["at"] for found in told] == ["2026-03-01", "2026-02-01", "2026-01-01"]


def test_what_waits_is_listed_where_it_would_stand_whole_or_part() -> None:
    whole, some = entry(submission("whole")), entry(submission("some", results=(part("some"),)))
    other = entry(submission("other", results=(replace(part("other"), task="perception"),)))
    decided = [entry(submission(name), name) for name in ("accepted", "withdrawn", "superseded")]  # type: ignore[arg-type]
    assert unranked(entries=(whole, some, other, *decided)).pending == (whole, some)


def test_of_what_waits_only_the_count_is_told() -> None:
    waiting = tuple(entry(submission(f"m{number}", value=number / 100)) for number in range(MOST_LISTED + 5))
    told = json.loads(json.dumps(unranked(part(), entries=waiting).to_json()))
    assert told["pending"] == 25
    assert told["partial"] == {
        "count": 1,
        "newest": [
            {
                "model": "Alpha",
                "covers": "12 of 10,073",
                "figures": {"a/srcc": 0.5},
                "origin": {
                    "kind": "rescored",
                    "reference": "Table 1",
                    "url": "https://example.org/paper",
                    "at": "2026-01-01",
                    "protocol": ["limit: 12"],
                },
            }
        ],
    }


SHARE = Metric("accuracy", "Accuracy", "", unit="%", scale=100, decimals=2)


SRCC = Metric("srcc", "SRCC", "")


def test_figures_gaps_and_times_are_in_their_units() -> None:
    """With true minus signs and no negative zero."""
    figures = {0.7336: "73.36", -0.05: "−5.00", -0.00001: "0.00", 1: "100.00"}
    assert {value: words.figure(value, SHARE) for value in figures} == figures
    assert (words.gap_text(0.0111, SHARE), words.gap_text(0.02, SRCC)) == ("1.11 points", "0.020")
    assert [words.duration(seconds) for seconds in (119.4, 120, 3600)] == ["119\xa0s", "2\xa0min", "60\xa0min"]
    assert words.shorten_name("Wide name", 6) == "Wide…"
    assert words.shorten_name("Wide name", 9) == "Wide name"
    remark = "weighted they give 0.7408, below 0.852 and 0.7; version 1.0.25"
    told = "weighted they give 74.08\u00a0%, below 85.2\u00a0% and 0.7; version 1.0.25"
    assert (words.in_unit(remark, SHARE), words.in_unit(remark, SRCC)) == (told, remark)


def test_half_an_interval_is_written_alike_on_every_page() -> None:
    """GPT-4V's 73.36 % of A1, Wilson's interval of 1494 questions: half of 71.07 to 75.54 is 2.235; (.62 - .58) / 2."""
    assert words.half_interval(0.71067, 0.75540, SHARE) == "±2.2"
    assert words.half_interval(0.58, 0.62, SRCC) == "±0.020"
    assert words.half_interval(None, 0.62, SHARE) == ""
    columns = json.loads(published().payload("perception-test"))["columns"]
    assert {column["half_decimals"] for column in columns} == {1}  # by which the board in the browser writes it


@pytest.mark.parametrize(
    ("remark", "follows"),
    [
        ("35.01 % of 594 questions is no whole count.", "cannot come from 594 questions: it is misprinted"),
        ("69.09 % is impossible with 548 questions; the overall implies 379.", "cannot come from 548 questions"),
        ("46.15 % of 521 questions is no whole count; of 520, by an older version of the labels, it is 240.", "older"),
        ("not the mean of the printed cells; rounded cells can explain the difference", "nothing is known to be wrong"),
        ("The cells by type average 1 %, those by concern 2 %; printed is 3 %.", "cannot both be right"),
        ("The logits the authors released give 0.246.", "files disagree"),
        ("undefined, printed as 0.000: no pair was answered consistently", "no measured correlation"),
        ("something that nobody foresaw", "The figure is shown and ranked as printed."),
    ],
)
def test_what_follows(remark: str, follows: str) -> None:
    told = with_consequence(remark)
    assert told.startswith(f"{remark.rstrip('.')}. ")
    assert follows in told.removeprefix(remark.rstrip("."))


def test_every_mark_on_a_board_says_what_follows() -> None:
    snapshot = published()
    flags = {
        cell.note.text
        for board in snapshot.boards
        for row in snapshot.table(board.key, "all").rows.values()
        for cell in row.cells.values()
        if cell.note and cell.note.kind == "flag"
    }
    assert len(flags) > 300
    assert [text for text in flags if not ("So " in text or text.endswith("shown and ranked as printed."))] == []
