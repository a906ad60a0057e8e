"""What can be typed: help, misuse and the lists."""

from __future__ import annotations

import pytest

from qbench.__main__ import main
from tests.commands.asking import document, text


@pytest.mark.parametrize(
    "command", ["", "score", "rank", "run", "train", "train unisim", "models", "datasets", "tasks"]
)
def test_help(capsys: pytest.CaptureFixture[str], command: str) -> None:
    with pytest.raises(SystemExit) as done:
        main([*command.split(), "--help"])
    assert done.value.code == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert f"usage: python -m qbench {command}".rstrip() in printed.out


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["taste"],
        ["score"],
        ["score", "x", "--task", "tasting"],
        ["rank", "x", "--method", "elo"],
        ["rank", "x", "y"],
    ],
    ids=" ".join,
)
def test_misuse_exits_2(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as done:
        main(arguments)
    assert done.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "usage: python -m qbench" in printed.err


@pytest.mark.parametrize("command", ["models", "tasks"])
def test_lists(capsys: pytest.CaptureFixture[str], command: str) -> None:
    names = [row["name"] for row in document(capsys, command)]
    assert len(names) == len(set(names)) > 0
    assert [line.split()[0] for line in text(capsys, command).splitlines()] == names


def test_the_list_of_datasets_is_grouped_by_how_they_are_had(capsys: pytest.CaptureFixture[str]) -> None:
    rows = document(capsys, "datasets")
    lines = text(capsys, "datasets").splitlines()
    assert lines[0] == "here"
    assert sorted(line.split()[0] for line in lines if line.startswith("  ")) == sorted(row["name"] for row in rows)
    assert lines.index("put in place by hand (get NAME says how)") > lines.index(
        "fetched by: python -m qbench datasets get NAME"
    )
