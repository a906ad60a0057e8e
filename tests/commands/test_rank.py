"""`rank` at a terminal: rankings by hand, what it prints and how it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scipy.stats import norm

from tests.commands.asking import COMPARISONS, SCORES, document, pack, refused, text, write


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


def test_rank_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head, first, _, last, *notes = text(capsys, "rank", write(tmp_path, COMPARISONS)).rstrip("\n").split("\n")
    assert head.split() == ["rank", "score", "95", "%", "interval", "item"]
    assert (first.split()[:2], first.split()[-1]) == (["1", "0.383"], "a")
    assert (last.split()[:2], last.split()[-1]) == (["3", "-0.383"], "b")
    assert notes == [
        "note: 2 of 4 presentations do not count: 2 not answered alike in both orders",
        "note: the comparisons fall into 2 unconnected groups, and scores of different groups cannot be compared: "
        "'a', 'b'; 'c'",
    ]


def test_a_zip_of_one_file_is_ranked_and_of_several_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, COMPARISONS)
    alone = pack(tmp_path, {"one.jsonl": path.read_bytes()})
    assert document(capsys, "rank", alone) == document(capsys, "rank", path)
    several = pack(tmp_path, dict.fromkeys(("one.jsonl", "two.jsonl"), path.read_bytes()), "packed.zip")
    assert refused(capsys, "rank", several) == "packed.zip holds 2 files; rank ranks one"


def test_several_datasets_need_a_choice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{**row, "dataset": name} for name in ("koniq-10k", "spaq") for row in COMPARISONS]
    path = write(tmp_path, rows)
    told = refused(capsys, "rank", path)
    assert told == "file.json compares images of 2 datasets ('koniq-10k', 'spaq'); choose one with --dataset"
    assert document(capsys, "rank", path, "--dataset", "spaq")["comparisons"] == 4
    assert refused(capsys, "rank", path, "--dataset", "csiq") == "file.json holds no comparisons of 'csiq'"


@pytest.mark.parametrize(
    ("rows", "options", "says"),
    [
        (SCORES, [], "holds scores; rank needs comparisons"),
        ([{**row, "choice": None} for row in COMPARISONS], [], "none of its 4 presentations has a usable answer, so"),
        ([{**row, "choice": "first"} for row in COMPARISONS], [], "preferred twice, so there is nothing to rank"),
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
