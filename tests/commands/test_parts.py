"""A run in parts comes to what it comes to whole, bit for bit."""

from __future__ import annotations

import json
import multiprocessing
from collections import Counter
from pathlib import Path

import pytest

from qbench.__main__ import main
from qbench.cache import Cache
from qbench.commands.parts import shard_of
from qbench.records import Picture, Prompt, Response
from qbench.tasks import TASKS
from tests.commands.asking import refused

SHARDS = 3
JUDGED = ("--judge", "scripted")


def command(task: str, model: str = "scripted:silent") -> list[str]:
    """A small run; a judge of replies that cannot be read makes a second step where a task has one."""
    has_judge = task in ("perception", "description", "comparison", "img-2afc")
    judged, model = (JUDGED, model) if has_judge else ((), model.removesuffix(":silent"))
    size = ("--limit", "4", "--rounds", "2") if task == "comparison" else ("--limit", "8")
    return ["run", "--task", task, "--dataset", f"demo-{task}", "--model", model, *size, *judged]


def run_shards(folder: Path, *arguments: str, numbers: tuple[int, ...] = (1, 2, 3)) -> list[str]:
    for number in numbers:
        assert main([*arguments, "--shard", f"{number}/{SHARDS}", "--out", str(folder / str(number))]) == 0
    return [str(folder / str(number)) for number in numbers]


def written(folder: Path) -> dict[str, bytes]:
    """Records, raw answers and items by their names."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*.json*"))
        if not path.name.startswith((".", "responses"))
    }


@pytest.mark.parametrize("task", TASKS)
def test_answers_of_all_parts_come_to_the_whole(task: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command(task), "--out", str(tmp_path / "whole")]) == 0
    shards = run_shards(tmp_path, *command(task))
    keys = [json.loads(line)["key"] for file in tmp_path.glob("[123]/responses.jsonl") for line in file.open()]
    once = max(Counter(keys).values()) == 1
    assert once or task == "description"  # there a judge is asked alike about replies that are alike
    joined = b"".join((Path(shard) / "responses.jsonl").read_bytes() for shard in shards)
    (tmp_path / "merged").mkdir()
    (tmp_path / "merged" / "responses.jsonl").write_bytes(joined)
    assert main([*command(task), "--out", str(tmp_path / "merged")]) == 0
    assert (tmp_path / "merged" / "responses.jsonl").read_bytes() == joined  # nothing was asked again
    capsys.readouterr()
    whole = written(tmp_path / "whole")
    assert len(whole) >= 2
    assert written(tmp_path / "merged") == whole


def test_parts_may_share_a_folder_and_what_is_missing_is_asked(tmp_path: Path) -> None:
    arguments = command("assessment", "brightness")
    assert main([*arguments, "--out", str(tmp_path / "whole")]) == 0
    for number in (3, 1):
        assert main([*arguments, "--shard", f"{number}/3", "--out", str(tmp_path / "parts")]) == 0
    assert main([*arguments, "--out", str(tmp_path / "parts")]) == 0
    assert written(tmp_path / "parts") == written(tmp_path / "whole")


@pytest.mark.parametrize("wrong", ["0/3", "4/3", "a/b", "1", "1/0"])
def test_a_shard_is_a_number_of_a_number(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "is no part of a run" in refused(capsys, *command("assessment"), "--shard", wrong)


def test_active_pairing_has_no_parts(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    active = [*command("comparison"), "--schedule", "active", "--shard", "1/2", "--out", str(tmp_path)]
    assert "has no parts; leave out --shard" in refused(capsys, *active)


def test_both_orders_of_a_pair_and_all_questions_about_an_image_are_in_one_part() -> None:
    a, b, c = (Picture(f"{name}.png", name * 64) for name in "abc")
    for shards in (2, 7, 64):
        assert shard_of(Prompt("text", ("first", a, b)), shards) == shard_of(Prompt("text", (b, "other", a)), shards)
        assert shard_of(Prompt("text", ("Is it sharp?", c)), shards) == shard_of(Prompt("words", ("Rate", c)), shards)
    numbers = Counter(shard_of(Prompt("text", (str(number),)), 4) for number in range(4000))
    assert sorted(numbers) == [1, 2, 3, 4]
    assert min(numbers.values()) > 900  # of 1,000; four standard deviations are 110


def add_answers(path: Path, names: list[str]) -> None:
    cache = Cache(path)
    for name in names:
        cache.put({name: Response(text=name)})


def test_two_processes_on_one_file_lose_and_double_nothing(tmp_path: Path) -> None:
    path = tmp_path / "responses.jsonl"
    shares = [[f"{kind}{number}" for number in range(40) for kind in ("both", who)] for who in ("one", "other")]
    processes = [
        multiprocessing.get_context("fork").Process(target=add_answers, args=(path, share)) for share in shares
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    lines = [json.loads(line) for line in path.open()]
    assert Counter(line["key"] for line in lines) == {name: 1 for share in shares for name in share}
    assert all(line["response"]["text"] == line["key"] for line in lines)
