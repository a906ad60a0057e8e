from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from leaderboard.html import run as words
from leaderboard.html import run_figures as figures
from leaderboard.live.run import Disagreement, FinishedRun, RunState
from leaderboard.live.run_files import KeptRun, RunRecords
from leaderboard.live.run_request import RunRequest
from qbench.datasets import Dataset
from qbench.records import Estimate, Result, Score, Source
from qbench.runner import Progress
from qbench.tasks import Outcome

CHOSEN = KeptRun("0" * 32, RunRequest("perception", "demo-perception", 20, "m"))
SHARE = Estimate(0.75, 0.5, 0.9, n=20, method="wilson")


def text(html: str) -> str:
    return " ".join(re.sub("<[^>]+>", " ", re.sub(r"</?span[^>]*>", "", html)).split())


def done(*results: Result, outcome: Outcome | None = None, cached: bool = False) -> FinishedRun:
    made = {f"{number}.json": result for number, result in enumerate(results)}
    return FinishedRun(RunRecords(Path("runs"), made), Dataset("demo-perception", (), "0"), outcome, cached)


def result(**metrics: Estimate) -> Result:
    return Result(
        "perception",
        "demo-perception",
        "mine",
        metrics,
        Source("live", at="2026-01-02"),
        protocol={"truth": "construction (synthetic)", "prompt": "paper", "limit": 20},
        groups={"concern": {"<b>": {"accuracy": SHARE}}},
    )


def said(state: RunState) -> str:
    return text(words.run_status(state, CHOSEN))


def test_the_status_says_how_far_how_fast_and_how_long() -> None:
    assert said(RunState(doing="opening the model", seconds=3.0)) == "Opening the model, 3 s so far."
    running = RunState(progress=Progress(1, 8, 20, 2, 1, 3.0))
    assert said(running) == "8 of 20 answers, 2 known before, 1 failed, 2.0 a second, about 6 s left"
    assert "--share:0.4000" in words.run_status(running, CHOSEN)
    assert said(RunState(progress=Progress(3, 8, 20, 8, 0, 0.0))).startswith("Round 3: 8 of 20 answers")
    assert said(RunState(ahead=2)).startswith("Waiting for m: 2 ahead of you.")
    at_the_end = RunState(progress=Progress(1, 20, 20, 0, 0, 3.0), seconds=9.0)
    assert said(at_the_end).endswith("working out the figures, 9 s so far")


def test_figures_are_marked_as_synthetic_and_as_those_of_a_part() -> None:
    html = figures.run_results(
        done(result(accuracy=SHARE, dprime=Estimate(None, note="only Yes was asked"))), "perception"
    )
    shown = text(html)
    assert shown.startswith("Synthetic truth: in demo sets")
    assert "Accuracy 75.0 % 50.0 to 90.0 % 20" in shown
    assert "d′ – only Yes was asked" in shown
    assert "Only 20 samples: figures of a part say little about the whole." in shown
    part = result(accuracy=SHARE)
    part = replace(part, protocol={**part.protocol, "limit": 66, "coverage": {"used": 66, "of": 1495}})
    assert "Only the 66 of 1,495 samples whose images are here:" in text(figures.run_results(done(part), "perception"))
    assert "concern: &lt;b&gt;" in html
    assert "<b>" not in html
    real = Result("perception", "llvisionqa-dev", "mine", {"accuracy": SHARE}, Source("live"))
    assert "Synthetic" not in figures.run_results(done(real), "perception")


def test_habits_are_told_where_they_are_measured() -> None:
    asked = result(
        yes_accuracy=Estimate(0.9),
        no_accuracy=Estimate(0.2),
        criterion=Estimate(-0.8),
        first_rate=Estimate(0.6),
        second_rate=Estimate(0.3),
        tie_rate=Estimate(0.1),
        consistency=Estimate(0.4),
    )
    shown = text(figures.run_habits(done(asked)))
    assert "named the first in 60 % of its answers, the second in 30 % and neither in 10 %." in shown
    assert "kept its answer for 40 % of the pairs; two coin flips would agree in 50 %." in shown
    assert "right in 90 % of the questions, where it is No in 20 % (criterion −0.800: it leans to Yes)." in shown
    scores = [Score(str(number), 0.5, order=order) for number, order in enumerate((1.0, 2.0, -1.0, 3.0))]
    leaning = text(figures.run_habits(done(result(), outcome=Outcome(scores={"quality": scores}))))
    assert "likelier one for 75 % of the pictures" in leaning
    assert figures.run_habits(done(result())) == ""


def test_disagreements_show_their_pictures() -> None:
    html = words.worst([(Disagreement(("a.png",), "3rd <of> 9", 0.5), [Path("/tmp/x y.png")])], True)
    assert "gradio_api/file=/tmp/x%20y.png" in html
    assert "3rd &lt;of&gt; 9" in html
    assert "<h3>The widest disagreement</h3>" in html
    wrong = [(Disagreement(("a.png",), "no"), []), (Disagreement(("b.png",), "no"), [])]
    assert "<h3>The first 2 of the wrong answers</h3>" in words.worst(wrong, True)
    assert "asked for in another way" in words.worst([], False)
    damaged = Disagreement(("a.png", "b.png"), "Wrong", damage=("Lens blur, level 4", "none"))
    assert "Damage from the left: Lens blur, level 4; none." in words.worst([(damaged, [])], True)
    assert words.worst([], True) == ""
