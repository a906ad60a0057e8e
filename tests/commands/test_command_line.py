"""`python -m qbench` as a person or a script meets it: exit codes, one sentence on stderr, one document on stdout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import norm

import qbench
from qbench.__main__ import RANKING_METHODS, main
from qbench.records import Result

ROOT = Path(qbench.__file__).parents[1]
SCORES = [{"img_path": f"{i}.png", "score": score, "gt_score": i} for i, score in enumerate([1, 0, 2, 4, 3, 5])]
COMPARISONS: list[dict[str, Any]] = [
    {"first": "a", "second": "b", "choice": "first"},
    {"first": "b", "second": "a", "choice": "second"},
    {"first": "b", "second": "c", "choice": "first"},
    {"first": "c", "second": "b", "choice": "first"},
]
"""a beats b in both orders; b and c are answered by position."""


def write(folder: Path, records: list[Any] | str, name: str = "file.jsonl") -> Path:
    path = folder / name
    text = records if isinstance(records, str) else "\n".join(map(json.dumps, records))
    path.write_text(text, encoding="utf-8")
    return path


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The one sentence a mistake gets."""
    assert main([str(argument) for argument in arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("qbench: ")
    assert printed.err.count("\n") == 1
    assert printed.err.rstrip("\n").isprintable()
    return printed.err.rstrip("\n").removeprefix("qbench: ")


def document(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    """What --json prints, read as strict JSON."""

    def refuse(constant: str) -> float:
        raise AssertionError(f"{constant} is not JSON")

    assert main([*(str(argument) for argument in arguments), "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    return json.loads(printed.out, parse_constant=refuse)


def text(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main([str(argument) for argument in arguments]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    return printed.out


def python_m_qbench(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "qbench", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
        env={**os.environ, **environment},
    )


# --- the program as a process


def test_a_good_file_exits_0_and_prints_only_json(tmp_path: Path) -> None:
    child = python_m_qbench("score", write(tmp_path, SCORES), "--json")
    assert (child.returncode, child.stderr) == (0, "")
    assert [Result.from_json(row).dataset for row in json.loads(child.stdout)] == ["unnamed"]


def test_a_bad_file_exits_2_with_one_sentence(tmp_path: Path) -> None:
    child = python_m_qbench("score", write(tmp_path, '{"img_path": "a", "sco'), "--json")
    assert (child.returncode, child.stdout) == (2, "")
    assert child.stderr == "qbench: file.jsonl: record 1 (line 1) is cut off; 0 complete records precede it\n"


def test_junk_exits_2(tmp_path: Path) -> None:
    path = tmp_path / "junk.bin"
    with path.open("wb") as file:
        file.truncate(200 << 20)
    child = python_m_qbench("score", path)
    assert (child.returncode, child.stdout, child.stderr.count("\n")) == (2, "", 1)


def test_names_that_no_encoding_holds_are_escaped(tmp_path: Path) -> None:
    path = write(tmp_path, '{"first": "\\ud800", "second": "質\\u001b[31m\\n", "choice": "first"}')
    for arguments in (["rank", path], ["score", path], ["rank", path, "--json"]):
        child = python_m_qbench(*arguments)
        assert (child.returncode, child.stderr) == (0, "")
        assert "\x1b" not in child.stdout
    assert r"\ud800" in python_m_qbench("rank", path).stdout


def test_what_the_terminal_cannot_show_is_escaped(tmp_path: Path) -> None:
    path = write(tmp_path, [{"first": "質.jpg", "second": "b.jpg", "choice": "first"}])
    for arguments, shown in ((["rank", path], r"\u8cea.jpg"), (["run", "--help"], r"\u2026 (by task)")):
        child = python_m_qbench(*arguments, PYTHONIOENCODING="latin-1")
        assert (child.returncode, child.stderr) == (0, "")
        assert shown in " ".join(child.stdout.split())


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    path = write(
        tmp_path, [{"first": f"image {i}", "second": f"image {i + 1}", "choice": "tie"} for i in range(20_000)]
    )
    piped = f"{sys.executable} -m qbench rank {path} --json | head -n 1"
    child = subprocess.run(["bash", "-o", "pipefail", "-c", piped], capture_output=True, text=True, cwd=ROOT)
    assert (child.returncode, child.stdout, child.stderr) == (0, "{\n", "")


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    taken = tmp_path / "taken"
    taken.touch()
    run = ["run", "--task", "comparison", "--dataset", "demo-comparison", "--limit", "2", "--model", "sharpness"]
    for out, why in ((taken, "File exists"), (taken / "below", "Not a directory")):
        assert f"cannot write {out}: {why}; what was written" in refused(capsys, *run, "--out", out)


def test_a_full_disk_is_one_sentence_and_the_run_goes_on_later(tmp_path: Path) -> None:
    run = f"{sys.executable} -m qbench run --task assessment --dataset demo-assessment --limit 40 --model sharpness"
    full = ["bash", "-c", f"ulimit -f 4; {run} --out {tmp_path}"]  # files of 4 KiB at most
    child = subprocess.run(full, capture_output=True, text=True, cwd=ROOT)
    assert (child.returncode, child.stdout) == (2, "")
    assert child.stderr == "qbench: cannot write to the disk: File too large; what was written so far is kept\n"
    assert subprocess.run([*run.split(), "--out", tmp_path], capture_output=True, cwd=ROOT).returncode == 0


# --- help


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ([], ("score", "rank", "run", "train", "models", "datasets", "tasks")),
        (["score"], ("FILE", "--task", "--dataset", "--model", "--truth", "--json")),
        (
            ["rank"],
            (
                "FILE",
                "--method",
                "{map,mle,mle-bounded,perron,trueskill,bt,bt-bounded}",
                "--dataset",
                "--pairs",
                "--json",
            ),
        ),
        (
            ["run"],
            ("--task", "--dataset", "--images", "--model", "--endpoint", "--rounds", "--limit", "--out", "--json"),
        ),
        (["train"], ("niqe",)),
        (["train", "niqe"], ("--photos", "--out", "--json")),
        (["models"], ("--json",)),
        (["datasets"], ("--json",)),
        (["tasks"], ("--json",)),
    ],
    ids=lambda one: one[0] if isinstance(one, list) and one else "",
)
def test_help(capsys: pytest.CaptureFixture[str], command: list[str], names: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as done:
        main([*command, "--help"])
    assert done.value.code == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert all(name in printed.out for name in names)


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


@pytest.mark.parametrize("command", ["models", "datasets", "tasks"])
def test_lists(capsys: pytest.CaptureFixture[str], command: str) -> None:
    names = [row["name"] for row in document(capsys, command)]
    assert len(names) == len(set(names)) > 0
    assert [line.split()[0] for line in text(capsys, command).splitlines()] == names


# --- score


def test_score_prints_results_that_can_be_stored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [row] = document(capsys, "score", write(tmp_path, SCORES), "--dataset", "mine", "--model", "my model")
    result = Result.from_json(row)
    assert (result.dataset, result.model, result.source.kind) == ("mine", "my model", "self-reported")
    assert row["metrics"]["srcc"]["n"] == 6


def test_an_interval_that_cannot_be_computed_is_null(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [row] = document(capsys, "score", write(tmp_path, SCORES[:2]))
    for metric in row["metrics"].values():
        assert (metric["value"], metric["low"], metric["high"]) == (None, None, None)
        assert metric["note"].startswith("only 2 scored item(s)")


def test_score_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    constant = [{**row, "score": 1} for row in SCORES]
    path, other = write(tmp_path, [*SCORES, SCORES[0]]), write(tmp_path, constant, "constant.jsonl")
    first, second = text(capsys, "score", path, other, "--model", "shikra").strip().split("\n\n")
    head, counts, srcc, *rest = first.splitlines()
    assert head == "shikra on unnamed (assessment, self-reported)"
    assert counts == "  7 read, 1 repeated, 6 scored"
    assert srcc.split()[:2] == ["srcc", "0.8857"]  # two swapped neighbours: 1 - 6 * 4 / (6 * 35)
    assert [line.split()[0] for line in rest] == ["plcc", "plcc_fitted", "krcc", "rmse"]
    assert "–        all 6 model scores are equal" in second


def test_several_files_make_one_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [write(tmp_path, SCORES, name) for name in ("koniq.json", "spaq.json")]
    assert [row["dataset"] for row in document(capsys, "score", *paths)] == ["koniq-10k", "spaq"]


def test_one_bad_file_among_several_stops_them_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "score", write(tmp_path, SCORES), tmp_path / "absent.json").endswith(
        "No such file or directory"
    )


@pytest.mark.parametrize(
    ("content", "options", "says"),
    [
        ("", [], "is empty"),
        ('{"img_path": "a", "score": NaN}', [], "score is nan, not a finite number"),
        ('{"img_path": "<b>\\u001b[31m\\n", "score": "x"}', [], "score is 'x'"),
        ('{"img_path": "a", "score": 1}{"img_path": "a", "score": 2}', [], "'a' was given before with other values"),
        ('{"img_path": "<b>\\u001b[31m\\n", "score": 1}' * 2 + '{"id": 1}', [], "has the fields ['id']"),
        (json.dumps(SCORES), ["--task", "comparison"], "are scored as assessment, not as comparison"),
        ('{"size": 3}', [], "none of the known kinds"),
        ('{"first": "a", "second": "a", "choice": "tie"}', [], "'a' is compared with itself"),
        ('{"first": "a", "second": "b", "choice": "both"}', [], "choice is 'both'"),
    ],
)
def test_score_refuses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, options: list[str], says: str
) -> None:
    assert says in refused(capsys, "score", write(tmp_path, content), *options)


def test_hostile_names_in_files_and_of_files_stay_on_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "<img src=x>\x1b[31m\n" * 20
    path = write(tmp_path, [{"img_path": name, "score": 1}, {"img_path": name, "score": 2}], "a\nb\x1b[2J.json")
    told = refused(capsys, "score", path, "--json")
    assert told.startswith(r"a\nb\x1b[2J.json: record 2 (line 2): '<img src=x>\x1b[31m\n")
    assert len(told) < 250


def test_groups_with_hostile_names_cannot_draw_on_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"question": "q", "options": ["a", "b"], "answer": "a", "response": "a", "concern": "\x1b[2J\nfake: 1.0"}
    printed = text(capsys, "score", write(tmp_path, [row]), "--model", "m\x07", "--dataset", "d\x1b")
    assert printed.replace("\n", "").isprintable()
    assert r"concern: \x1b[2J\nfake: 1.0" in printed


@pytest.mark.parametrize("truth", ["", "[]", '[{"img_path": "0.png"', '{"img_path": "0.png", "gt_score": null}'])
def test_score_refuses_a_malformed_truth(tmp_path: Path, capsys: pytest.CaptureFixture[str], truth: str) -> None:
    other = write(tmp_path, truth, "truth.json")
    assert "truth.json" in refused(capsys, "score", write(tmp_path, SCORES), "--truth", other)


# --- rank


def test_rank_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ranking = document(capsys, "rank", write(tmp_path, COMPARISONS))
    # One win of a over b: log Phi(2t) - t² is largest where phi(2t) / Phi(2t) = t.
    t = ranking["scores"]["a"]
    assert norm.pdf(2 * t) / norm.cdf(2 * t) == pytest.approx(t, abs=1e-8)
    assert ranking["scores"] == pytest.approx({"a": 0.382638, "c": 0.0, "b": -0.382638}, abs=1e-6)
    assert list(ranking["scores"]) == ["a", "c", "b"]
    assert ranking["scores_0_100"] == pytest.approx({"a": 100, "c": 50, "b": 0})
    counts = {"comparisons": 4, "pairs_in_both_orders": 2, "consistent_pairs": 1, "unscored": 0}
    assert {name: ranking[name] for name in counts} == counts
    assert (ranking["method"], ranking["pairs"], ranking["level"]) == ("map", "consistent", 0.95)
    # c was never counted, so it keeps the prior's width on the zero-sum plane of three items.
    half = norm.ppf(0.975) * (2 / 3) ** 0.5
    assert ranking["intervals"]["c"] == pytest.approx([-half, half], abs=1e-6)


def test_rank_of_a_file_asked_in_one_order_counts_every_presentation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, [row for row in COMPARISONS if row["first"] < row["second"]])
    ranking = document(capsys, "rank", path)
    assert (ranking["pairs"], list(ranking["scores"])) == ("all", ["a", "b", "c"])
    assert "nothing to rank" in refused(capsys, "rank", path, "--pairs", "consistent")


@pytest.mark.parametrize("method", RANKING_METHODS)
def test_every_method_finds_the_better_of_two(tmp_path: Path, capsys: pytest.CaptureFixture[str], method: str) -> None:
    rows = [{"first": "a", "second": "b", "choice": "first"}] * 3 + [{"first": "b", "second": "a", "choice": "first"}]
    ranking = document(capsys, "rank", write(tmp_path, rows), "--method", method, "--pairs", "all")
    assert (ranking["method"], list(ranking["scores"])) == (method, ["a", "b"])
    expected = {"mle": norm.ppf(0.75), "bt": 1.0986123}  # a won 3 of 4: a probit, and the logarithm of odds of 3
    assert ranking["at_bound"] == []
    if (plain := method.removesuffix("-bounded")) in expected:
        assert ranking["scores"]["a"] - ranking["scores"]["b"] == pytest.approx(expected[plain], abs=1e-6)


def test_items_at_the_bound_are_marked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # a always beats b, and c is level with b: from a to both the bound, Phi(4.753424) = 1 - 1e-6.
    rows = [("a", "b", "first"), ("b", "a", "second"), ("b", "c", "first"), ("c", "b", "first")]
    path = write(tmp_path, [dict(zip(("first", "second", "choice"), row, strict=True)) for row in rows])
    ranking = document(capsys, "rank", path, "--method", "mle-bounded", "--pairs", "all")
    assert ranking["at_bound"] == ["a", "b", "c"]
    assert ranking["scores"] == pytest.approx({"a": 2 * 4.753424 / 3, "b": -4.753424 / 3, "c": -4.753424 / 3}, abs=1e-6)
    assert (ranking["intervals"], ranking["note"]) == (None, "the bound holds some scores, so there are no intervals")
    assert "a (at the bound)" in text(capsys, "rank", path, "--method", "mle-bounded", "--pairs", "all")


def test_rank_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head, first, _, last, *notes = text(capsys, "rank", write(tmp_path, COMPARISONS)).rstrip("\n").split("\n")
    assert head.split() == ["rank", "score", "95", "%", "interval", "item"]
    assert (first.split()[:2], first.split()[-1]) == (["1", "0.383"], "a")
    assert (last.split()[:2], last.split()[-1]) == (["3", "-0.383"], "b")
    assert notes == [
        "note: 2 of 4 presentations are left out: 2 not answered alike in both orders",
        "note: the comparisons fall into 2 unconnected groups, and scores of different groups cannot be compared: "
        "'a', 'b'; 'c'",
    ]


def test_equal_scores_share_a_rank_in_the_order_of_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [("c", "b", "tie"), ("b", "a", "tie"), ("a", "c", "tie"), ("d", "e", "tie")]
    path = write(tmp_path, [dict(zip(("first", "second", "choice"), row, strict=True)) for row in rows])
    ranking = document(capsys, "rank", path)
    assert list(ranking["scores"]) == ["c", "b", "a", "d", "e"]
    assert ranking["ranks"] == dict.fromkeys("cbade", 1)
    assert ranking["groups"] == [["c", "b", "a"], ["d", "e"]]
    printed = text(capsys, "rank", path).split("\n")
    assert [line.split()[0] for line in printed[1:6]] == ["1"] * 5
    assert "2 unconnected groups" in printed[6]


def test_several_datasets_need_a_choice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{**row, "dataset": name} for name in ("koniq-10k", "spaq") for row in COMPARISONS]
    path = write(tmp_path, rows)
    told = refused(capsys, "rank", path)
    assert told == "file.jsonl compares images of 2 datasets ('koniq-10k', 'spaq'); choose one with --dataset"
    assert document(capsys, "rank", path, "--dataset", "spaq")["comparisons"] == 4
    assert refused(capsys, "rank", path, "--dataset", "csiq") == "file.jsonl holds no comparisons of 'csiq'"


@pytest.mark.parametrize(
    ("rows", "options", "says"),
    [
        (SCORES, [], "holds scores; rank needs comparisons"),
        ([{**row, "choice": None} for row in COMPARISONS], ["--pairs", "all"], "no comparison prefers or ties any"),
        ([{**row, "choice": "tie"} for row in COMPARISONS], [], "in none of its 2 pairs shown in both orders was one"),
        (
            [{**row, "choice": "first"} for row in COMPARISONS],
            [],
            "preferred twice, so there is nothing to rank; --pairs",
        ),
        (COMPARISONS[:2], ["--method", "mle"], "has no mle ranking: maximum likelihood needs a chain of wins"),
        ([{**COMPARISONS[0], "dataset": "\x1b" * 999}, COMPARISONS[1]], [], "compares images of 2 datasets"),
    ],
)
def test_rank_refuses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rows: list[Any], options: list[str], says: str
) -> None:
    told = refused(capsys, "rank", write(tmp_path, rows), *options)
    assert says in told
    assert len(told) < 300


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full here")
def test_help_that_cannot_be_written_says_so() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "qbench", "score", "--help"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (2, "qbench: cannot write the output: No space left on device\n")
