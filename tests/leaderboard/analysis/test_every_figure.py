"""Every figure that Compare, its charts, Bias and the exports show, against the board that it stands on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from html import unescape

import pytest
import yaml

from leaderboard.analysis.compare import MOST_MODELS, Profile, compare_models, comparison_json
from leaderboard.analysis.findings import find_habits
from leaderboard.boards import all_boards
from leaderboard.charts.comparison import draw
from leaderboard.export import find_metric_on
from leaderboard.export.every_eval import every_eval_ever
from leaderboard.export.hub_results import eval_results, name_tasks
from leaderboard.html.compare import figures_table
from leaderboard.store import records_of
from leaderboard.tables.columns import EVERYTHING, Address, Column
from leaderboard.tables.payload import answer
from leaderboard.tables.table import Table
from leaderboard.tables.words import figure
from qbench.records import Result
from tests.leaderboard.published import published

KEYS = [board.key for board in all_boards()]


@cache
def table(board: str) -> Table:
    return published().table(board, EVERYTHING)


def home(board: str, column: Column) -> Table:
    """The board that a column of a comparison stands on: the one compared, else the one other that has it."""
    if column in table(board).columns:
        return table(board)
    [other] = [table(key) for key in KEYS if column in table(key).columns]
    return other


def on_board(board: Table, model: str, key: str) -> tuple[float | None, float | None, float | None]:
    """Value and interval as the board has them."""
    cell = board.rows[model].cells.get(key) if model in board.rows else None
    return (cell.value, cell.low, cell.high) if cell else (None, None, None)


@cache
def profiles() -> list[Profile]:
    """Every model of every board by every kind of figure, six at a time."""
    found = []
    for board in KEYS:
        models = list(table(board).ranked)
        for choice in [metric.key for metric in compare_models(published(), board, []).choices] or [""]:
            for start in range(0, len(models), MOST_MODELS):
                chosen = models[start : start + MOST_MODELS]
                found.append(compare_models(published(), board, chosen, choice))
    return found


def expected(profile: Profile, model: str, column: Column) -> tuple[float | None, float | None, float | None]:
    return on_board(home(profile.board.key, column), model, column.key)


def test_every_model_of_every_board_is_compared_by_the_figures_of_the_boards() -> None:
    found: set[tuple[str, str]] = set()
    for profile in profiles():
        found |= {(profile.board.key, model.id) for model in (*profile.models, *profile.without_figures)}
        assert not profile.absent
        data = comparison_json(profile, "abc1234")["figures"]
        for model in profile.everyone:
            for column in profile.columns:
                shown = data[model.id].get(column.key)
                value = None if shown is None else (shown["value"], shown["low"], shown["high"])
                board_has = expected(profile, model.id, column)
                assert value == (None if board_has[0] is None else board_has), (profile.board.key, model.id, column.key)
        columns = {column.key: column for column in profile.columns}
        for pair in profile.differences:
            leader, other = (expected(profile, model, columns[pair.column])[0] for model in (pair.leader, pair.other))
            assert leader is not None and other is not None
            sign = -1 if columns[pair.column].metric.direction == "lower" else 1
            assert pair.value == pytest.approx(abs(leader - other))
            assert sign * (leader - other) >= 0, (profile.board.key, pair)
    assert found == {(key, model) for key in KEYS for model in table(key).ranked}


def test_the_table_below_the_chart_prints_them() -> None:
    for profile in profiles():
        rows = re.findall(r"<tr>(.*?)</tr>", figures_table(profile), flags=re.DOTALL)[1:]
        for column, row in zip(profile.columns, rows, strict=True):
            texts = [unescape(text) for text in re.findall(r"<td[^>]*><bdi>(.*?)</bdi>", row)]
            for model, text in zip(profile.everyone, texts, strict=False):  # chance comes last
                value = expected(profile, model.id, column)[0]
                assert text == ("–" if value is None else figure(value, column.metric)), (profile.board.key, row)


@pytest.mark.parametrize("above_chance", [False, True])
def test_the_charts_draw_them(above_chance: bool) -> None:
    for profile in {(profile.board.key, profile.metric.key): profile for profile in profiles()}.values():
        if above_chance and profile.bounds_above_chance is None:
            continue
        for drawn in draw(profile, above_chance).figure["data"]:
            if not drawn["meta"]:
                continue
            if profile.form == "curve":
                assert dict(zip(drawn["x"], drawn["y"], strict=True)) == {
                    column.alternatives: pytest.approx(value * profile.metric.scale)
                    for column in profile.axes
                    if (value := expected(profile, drawn["meta"], column)[0]) is not None
                }
                continue
            if drawn["type"] == "scatterpolar":
                values = drawn["r"][:-1]
            else:
                by_row = dict(zip(map(round, drawn["y"]), drawn["x"], strict=True))
                values = map(by_row.get, range(len(profile.axes)))
            for column, value in zip(profile.axes, values, strict=True):
                chance = profile.chance[column.key] if above_chance else 0.0
                board_has = expected(profile, drawn["meta"], column)[0]
                assert value == pytest.approx(
                    None if board_has is None else (board_has - chance) * profile.metric.scale
                ), (profile.board.key, drawn["meta"], column.key)


def test_the_sources_are_those_behind_the_figures() -> None:
    for profile in profiles():
        allowed = set()
        for column in profile.columns:
            board = home(profile.board.key, column)
            averaged = {column.key, *column.mean_of}
            averaged |= {key for column in board.columns if column.key in averaged for key in column.mean_of}
            for model in profile.everyone:
                origins = board.rows[model.id].origins if model.id in board.rows else ()
                allowed |= {origin.record.result.source for origin in origins if averaged & set(origin.shown)}
        assert set(profile.sources) <= allowed, profile.board.key


def test_bias_shows_the_figures_of_the_boards() -> None:
    found = find_habits(published())
    checked = 0
    for finding in found.position.values():
        board = table(finding.board.key)
        for cell in finding.cells:
            names = ("consistency", "accuracy_joint", "correlation")
            kept, right, correlation = (on_board(board, cell.model.id, f"{cell.key}/{name}")[0] for name in names)
            assert cell.consistency.value == kept
            assert (cell.correlation and cell.correlation.value) == correlation
            if cell.right_of_consistent is not None:
                assert kept is not None
                assert cell.right_of_consistent.value * kept == pytest.approx(right)
            checked += 1
    assert checked > 100


def shown_records(board: str) -> Iterator[tuple[str, Column, Result, float]]:
    """(model, column, record, figure) of every cell that one record fills with a figure of its own."""
    for model, row in table(board).rows.items():
        for origin in row.origins:
            for column in table(board).columns:
                if column.key in origin.shown and column.find and not (column.find.grouping or column.metric.counted):
                    value = on_board(table(board), model, column.key)[0]
                    assert value is not None
                    yield model, column, origin.record.result, value


@pytest.mark.parametrize("board", KEYS)
def test_every_eval_ever_says_them_as_the_board_does(board: str) -> None:
    shown = list(shown_records(board))
    find_metric, find = find_metric_on(published().boards), published().find_model
    told = {
        id(result): every_eval_ever(records_of([result]), find_metric, find, "Lab", 0, lambda _: ())
        for result in {id(result): result for _, _, result, _ in shown}.values()
    }
    for model, column, result, value in shown:
        documents = told[id(result)]
        if table(board).rows[model].model.kind in ("human", "reference"):
            assert documents == {}
            continue
        [document] = [json.loads(text) for text in documents.values()]
        rows = {entry["metric_config"]["metric_id"]: entry for entry in document["evaluation_results"]}
        assert rows[column.metric.key]["score_details"]["score"] == value
        config = rows[column.metric.key]["metric_config"]
        assert config["evaluation_description"] == column.metric.description
        assert config["metric_name"] == column.metric.label
        assert (config.get("metric_unit") == "proportion") == column.metric.proportion
        assert config["lower_is_better"] == (column.metric.direction == "lower")


@pytest.mark.parametrize("board", KEYS)
def test_the_hub_gets_them_as_the_board_shows_them(board: str) -> None:
    ids = name_tasks([table(board).board])
    shown = [cell for cell in shown_records(board) if table(board).rows[cell[0]].model.hub and not cell[1].borrowed]
    wanted: dict[tuple[str, str], tuple[Column, float]] = {}
    for model, column, _, value in shown:  # of several models of one repository the first on the board
        wanted.setdefault((table(board).rows[model].model.hub or "", ids[board, column.key]), (column, value))
    rows = {
        (path.removesuffix("/.eval_results/board.yaml"), row["dataset"]["task_id"]): row
        for path, text in eval_results([table(board)], "lab/board").items()
        for row in yaml.load(text, yaml.CSafeLoader)
    }
    assert rows.keys() == wanted.keys()
    for key, (column, value) in wanted.items():
        assert rows[key]["value"] == round(value * column.metric.scale, 6)
        assert rows[key]["notes"].startswith(column.metric.label)


@pytest.mark.parametrize("board", KEYS)
def test_site_and_endpoint_hold_them(board: str) -> None:
    payload = json.loads(published().payload(board))
    told = answer(table(board), "abc1234")
    rows = {row["model"]: row["figures"] for row in (*told["rows"], *told["references"])}
    assert list(rows) and set(rows) == set(payload["ids"]) if payload["ids"] else not rows
    for place, column in enumerate(table(board).columns):
        values = payload["values"][place] or [None] * len(payload["ids"])
        for model, value in zip(payload["ids"], values, strict=True):
            board_has = on_board(table(board), model, column.key)
            assert value == (None if board_has[0] is None else round(board_has[0], 6))
            assert tuple(rows[model][column.key][name] for name in ("value", "low", "high")) == board_has


def test_one_place_in_the_records_has_one_description() -> None:
    """What is exported is described by the board that shows it, so two boards must not describe it differently."""
    described: dict[Address, set[str]] = {}
    for board in all_boards():
        for column in board.columns:
            if column.find:
                described.setdefault(column.find, set()).add(column.metric.description)
    assert {place: texts for place, texts in described.items() if len(texts) > 1} == {}
