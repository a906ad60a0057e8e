"""The metric beside the progress bar, against hand-worked values, and the line it stands in."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from qbench.__main__ import main
from qbench.commands.preview import Preview, running_metric
from qbench.records import Prompt, Response, Sample, Want
from qbench.tasks import TASKS, Ask, RunOptions
from qbench.tasks.perception import shuffle_options
from tests.tasks.drive import photos


def previewed(task: str, samples: Sequence[Sample], seed: int) -> Preview:
    """The running metric of a model that writes, weighs words and scores."""
    wants: frozenset[Want] = frozenset({"text"} if task in ("perception", "description") else {"score"})
    return running_metric(TASKS[task], samples, TASKS[task].choose(wants, RunOptions(seed=seed)))


def reply(pair: str, text: str) -> tuple[Ask, Response]:
    return Ask.of_pair(*pair, Prompt("text", ("?",))), Response(text=text)


def test_consistency_counts_pairs_seen_in_both_orders() -> None:
    preview = previewed("comparison", [], seed=0)
    assert preview([reply("ab", "The first image.")]) is None
    one = preview([reply("ba", "The second image.")])  # a both times
    assert one is not None and (one.value, one.n) == (1.0, 2)  # of two images
    three = preview(
        [
            reply("cd", "The second image."),
            reply("dc", "The second image."),
            reply("ef", "Both look the same."),
            reply("fe", "Both look the same."),
            reply("ag", "no idea"),
            reply("ga", "The first image."),
        ]
    )
    assert three is not None and (three.value, three.n) == (pytest.approx(1 / 3), 6)


def test_accuracy_counts_what_cannot_be_read_as_not_correct() -> None:
    samples = [Sample(str(at), (f"{at}.png",), "Is it sharp?", ("Yes", "No"), answer=0) for at in range(4)]
    preview = previewed("perception", samples, seed=3)
    right = shuffle_options(samples[0], 3).options.index("Yes")
    prompt = Prompt("text", ("?",))
    replies = ("AB"[right] + ".", "Yes", "No", "Hm")
    found = preview([(Ask(str(at), prompt), Response(text=text)) for at, text in enumerate(replies)])
    assert found is not None and (found.value, found.n) == (0.5, 4)
    graded = preview([(Ask("1", prompt, of="judge"), Response(text="Result: 1"))])
    assert graded is not None and graded.n == 4


def test_one_line_tells_how_far_the_run_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"img_path": f"{sample.id}.png"} for sample in photos(tmp_path, [10, 20, 30, 40])]
    (tmp_path / "mine.json").write_text(json.dumps(rows))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    told = ["--dataset", str(tmp_path / "mine.json"), "--out", str(tmp_path / "out")]
    assert main(["run", "--task", "comparison", "--model", "scripted:second", "--rounds", "2", *told]) == 0
    shown = capsys.readouterr().err
    first, *_, last, cleared = [line.removesuffix("\033[K") for line in shown.split("\r")[1:]]
    assert cleared == "" and "\n" not in shown
    assert first == "0/4"
    assert last.startswith("4/4") and "consistency 0.000 [0.000, " in last
    assert main(["run", "--task", "assessment", "--model", "scripted", *told]) == 2
    assert capsys.readouterr().err.startswith("qbench: 4 samples lack a human score")
