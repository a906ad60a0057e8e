"""Run, Tournament, Probe and Pair in words, bars and colours, worked out by hand."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np

from leaderboard.html import probe as probe_text
from leaderboard.html import run as run_text
from leaderboard.html import run_figures as figures
from leaderboard.html import tournament
from leaderboard.html.pair import agreement_table, pair_results
from leaderboard.html.person import habits
from leaderboard.html.quality_map import map_sentence, overlay
from leaderboard.live.pair import PREFERENCE_PROMPTS, BothOrders, OrderedChoice, PairResult, PairScores
from leaderboard.live.probe import ProbeResult
from leaderboard.live.quality import Placement, Quality, QualityMap
from leaderboard.live.questions import OrderedAnswer, PhotoQuestion, QuestionAnswer
from leaderboard.live.run import Disagreement, FinishedRun, Misplaced, RunState, Wrong
from leaderboard.live.run_files import KeptRun, RunRecords
from leaderboard.live.run_request import RunRequest
from leaderboard.live.service.jobs import JobState
from leaderboard.live.tournament import Tournament, TournamentState, to_json
from qbench.datasets import Dataset
from qbench.parsing import Preference
from qbench.records import Estimate, Picture, Presented, Result, Sample, Score, Source
from qbench.runner import Progress
from qbench.stats.ranking import Ranking
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
    return text(run_text.run_status(state, CHOSEN))


def test_the_status_says_how_far_how_fast_and_how_long() -> None:
    assert said(RunState(doing="opening the model", seconds=3.0)) == "Opening the model, 3 s so far."
    running = RunState(progress=Progress(1, 8, 20, 2, 1, 3.0))
    assert said(running) == "8 of 20 answers, 2 known before, 1 failed, 2.0 a second, about 6 s left"
    assert "--share:0.4000" in run_text.run_status(running, CHOSEN)
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
    rates = {"first_rate": 0.6, "second_rate": 0.3, "tie_rate": 0.1, "consistency": 0.4}
    rates |= {"yes_accuracy": 0.9, "no_accuracy": 0.2, "criterion": -0.8}
    asked = result(**{name: Estimate(value) for name, value in rates.items()})
    shown = text(figures.run_habits(done(asked)))
    assert "named the first in 60 % of its answers, the second in 30 % and neither in 10 %." in shown
    assert "kept its answer for 40 % of the pairs; two coin flips would agree in 50 %." in shown
    assert "right in 90 % of the questions, where it is No in 20 % (criterion −0.800: it leans to Yes)." in shown
    scores = [Score(str(number), 0.5, order=order) for number, order in enumerate((1.0, 2.0, -1.0, 3.0))]
    leaning = text(figures.run_habits(done(result(), outcome=Outcome(scores={"quality": scores}))))
    assert "likelier one for 75 % of the pictures" in leaning
    assert figures.run_habits(done(result())) == ""


def test_disagreements_show_their_pictures() -> None:
    misplaced = Disagreement(("a.png",), Misplaced(3, 1, 9, "<far>"), 0.5)
    html = run_text.worst([(misplaced, [Path("/tmp/x y.png")])], True)
    assert "gradio_api/file=/tmp/x%20y.png" in html
    assert "Of the 9 pictures of the part “&lt;far&gt;”, the model puts this one 3rd" in html
    assert "<h3>The widest disagreement</h3>" in html
    wrong = Disagreement(("a.png",), Wrong(Sample("q", ("a.png",), "Sharp?", ("Yes", "No")), 0, 1))
    assert "<h3>The first 2 of the wrong answers</h3>" in run_text.worst([(wrong, []), (wrong, [])], True)
    assert "asked for in another way" in run_text.worst([], False)
    damaged = Disagreement(("a.png", "b.png"), None, 9.0, damage=("Lens blur, level 4", "none"))
    assert "Damage from the left: Lens blur, level 4; none." in run_text.worst([(damaged, [])], True)
    assert run_text.worst([], True) == ""


NAMES = ("a.png", "<b>.png", "c.png")
COMPARED = {name: Picture(f"/tmp/{name}", str(number) * 64) for number, name in enumerate(NAMES)}
SHOWN = (Presented("a.png", "c.png", "second"), Presented("c.png", "a.png", None))


def ranking(*scores: float) -> Ranking:
    return Ranking(NAMES, np.array(scores), "map", lambda: np.full(len(scores), 0.5))


def known(found: Ranking | str, **figures: Estimate) -> Tournament:
    """A tournament that comes to this."""
    made = Tournament(COMPARED, 12, SHOWN)
    vars(made).update(_ranked=found, figures=figures)
    return made


RANKED = known(ranking(0.5, -1.5, 1.0))


def test_pictures_stand_in_order_with_their_intervals() -> None:
    html = tournament.ranked(RANKED)
    assert re.findall(r"<bdi title=\"([^\"]+)\"", html) == ["c.png", "a.png", "&lt;b&gt;.png"]
    assert "<b>.png" not in html
    assert re.findall("<strong[^>]*>([^<]+)</strong>", html) == ["1.00", "0.50", "−1.50"]
    # Ends of all intervals: -1.5 - 0.98 to 1.0 + 0.98, so the best one's score is 3.48 of 4.46 from the left.
    assert re.findall(r'<u style="left: ([\d.]+)', html)[0] == "78.03"
    assert "95 % interval 0.02 to 1.98" in html
    without = tournament.ranked(known("nothing yet"))
    assert "No ranking yet: nothing yet." in without
    assert "qb-range" not in without


def test_how_sure_the_first_place_is() -> None:
    """Scores 1 and 0.5 with errors of 0.5: the gap is .5774 of the spread, root of 0.5 times 3 / 2, and gives .7181."""
    assert "c.png leads, and is probably better than a.png (probability 0.72)." in tournament.ranked(RANKED)
    tied = tournament.ranked(known(ranking(0.5, -1.0, 0.5)))
    assert "a.png leads; a.png and c.png are too close to call (probability that a.png is better: 0.50)." in tied
    apart = replace(ranking(0.5, -1.0, 0.5), groups=(("a.png", "c.png"), ("<b>.png",)))
    assert "probab" not in tournament.ranked(known(apart))


def test_habits_in_sentences() -> None:
    share = Estimate(0.75, 0.5, 0.9, n=4)
    rates = {"first_rate": Estimate(0.6), "second_rate": Estimate(0.3), "tie_rate": Estimate(0.1)}
    said = text(tournament.tournament_habits(known("", consistency=share, **rates)))
    assert "it kept its answer for 75 % (95 % interval 50 to 90 %) of the pairs" in said
    assert "named the first picture in 60 % of its answers, the second in 30 % and neither in 10 %." in said
    assert "1 answer could not be used" in said
    assert tournament.tournament_habits(Tournament(COMPARED, 12)) == ""
    none = known("", consistency=Estimate(None, n=0, note="no usable answers"))
    assert text(tournament.tournament_habits(none)) == "Habits 1 answer could not be used and did not count."
    assert "order cannot matter" in tournament.tournament_habits(Tournament(COMPARED, 12, by_scores=True))


def test_scripts_are_told_how_it_ended() -> None:
    state: TournamentState = JobState(known=RANKED, seconds=4.0)
    assert to_json(state, "mine")["ended"] is None
    assert to_json(replace(state, cancelled=True), "mine")["ended"] == "stopped"
    assert to_json(replace(state, failure="the server is away"), "mine")["ended"] == "the server is away"
    # Two answers took four seconds, so the ten that are left take twenty.
    assert "2 of 12 comparisons, 0.5 a second, about 20 s left." in text(tournament.tournament_status(state, "mine"))


LETTERED = {name: Picture(f"/tmp/{name}", name * 64) for name in "abcdef"}


def said_of(choose: Callable[[str, str], Preference]) -> str:
    """About all pairs of six photos in both orders."""
    shown = tuple(Presented(one, two, choose(one, two)) for one, two in permutations(LETTERED, 2))
    return habits(Tournament(LETTERED, 30, shown))


def test_a_habit_of_one_place_is_told_of_that_place() -> None:
    left, right = said_of(lambda *_: "first"), said_of(lambda *_: "second")
    assert "lean to the left" in left and "+100 points" in left
    assert "lean to the right" in right and "−100 points" in right
    assert "lean to" not in said_of(lambda *pair: "first" if pair[0] < pair[1] else "second")


PICTURES = PICTURE, _ = (Picture("a.png", "a" * 64), Picture("b.png", "b" * 64))


def test_a_bar_is_the_mean_and_its_line_the_spread_between_orders() -> None:
    question = PhotoQuestion("Is it <b>sharp</b>?", ("Yes", "No"))
    orders = OrderedAnswer(("Yes", "No"), "Yes", (0.75, 0.25)), OrderedAnswer(("No", "Yes"), "No", (0.5, 0.5))
    answers = (QuestionAnswer(question, orders, "Yes"),)
    html = probe_text.probe_results(ProbeResult("m", PICTURE, answers=answers))
    assert "--share:0.6250;--low:0.5000;--high:0.7500" in html
    assert "--share:0.3750;--low:0.2500;--high:0.5000" in html
    hint = "0.50 to 0.75 in both orders of the options; a model without a position habit gives the same in all"
    assert f'<li class="chosen" title="{hint}"><span>Yes</span>' in html
    assert "Is it &lt;b&gt;sharp&lt;/b&gt;? Yes 0.62 0.50 to 0.75 No 0.38 0.25 to 0.50" in text(html)
    assert "with the options in another order each time" in text(html)


def rated(value: float, error: float, **faults: float) -> Quality:
    """What a model that knows its errors says of a photo, among four others."""
    scores = (10.0, 20.0, 60.0, 90.0)
    counts = [sum(score < bound for score in scores) for bound in (value, value - error, value + error)]
    return Quality(value, value, "score", error=error, faults=faults, placement=Placement("others", scores, *counts))


def test_a_score_among_others_leads_and_the_score_itself_is_folded() -> None:
    html = probe_text.probe_results(ProbeResult("mine", PICTURE, rated(50.0, 35.0, blur=0.75, noise=0.5, haze=0.25)))
    shown, folded = html.split("<details>")
    said = "Fair likely blur (75 %) and noise (50 %); low certainty: anything from poor to good"
    assert text(shown).startswith(said)  # in fifths of four scores
    assert "The photo scores higher than 2 of 4 others (1 to 3 within one standard error" in text(shown)  # 15 and 85
    assert "50.00" not in text(shown)
    assert "mine gives it 50.00, with a standard error of 35.0" in text(folded)
    assert "haze 0.25" in text(folded)
    assert '<u style="left: 50.00%">' in shown  # 50 lies half-way from 10 to 90
    assert '<s style="left: 6.25%; width: 87.50%">' in shown
    html = probe_text.probe_results(ProbeResult("mine", PICTURE, rated(95.0, 1.0, blur=0.1)))
    assert "Excellent no likely damage found; high certainty" in text(html)


def test_two_scores_say_how_sure_their_order_is() -> None:
    def told(first: Quality, second: Quality) -> str:
        return text(pair_results(PairResult("mine", PICTURES, scores=PairScores((first, second)))))

    sure = told(rated(50.0, 3.0), rated(45.0, 4.0))
    assert "A 50.0 ± 3.0, B 45.0 ± 4.0" in sure
    assert "mine slightly prefers A over B (probability 0.84)." in sure  # one standard deviation of a normal variable
    # 0.15 of one is .5596 by tables of the normal distribution.
    assert "mine finds B and A too close to call (0.56 for B)." in told(rated(50.0, 3.0), rated(50.75, 4.0))
    without = told(Quality(2.0, 2.0, "score"), Quality(1.0, 1.0, "score"))
    assert "mine scores A higher; it gives no probability." in without
    assert "(probability" not in without
    assert "mine slightly prefers B over A (probability 0.84)." in told(rated(45.0, 4.0), rated(50.0, 3.0))


EVEN = tuple((50.0,) * 6 for _ in range(4))


def made(row: int, column: int, score: float, margin: float = 10.0) -> QualityMap:
    """Parts of 50, but for one."""
    scores = [list(each) for each in EVEN]
    scores[row][column] = score
    return QualityMap(tuple(map(tuple, scores)), margin)


def test_the_worst_part_is_named() -> None:
    places = {"upper left": (0, 0), "top": (0, 3), "lower right": (3, 5), "bottom": (3, 2), "left side": (2, 1)}
    for place, (row, column) in {**places, "middle": (1, 2)}.items():
        said = f"The {place} looks worst: it scores 30 points below the median part of this photo."
        assert map_sentence(made(row, column, 20.0)) == said


def test_only_what_is_worse_than_the_rest_is_coloured() -> None:
    assert not np.asarray(overlay(QualityMap(EVEN, 10.0)))[..., 3].any()
    assert not np.asarray(overlay(made(1, 1, 90.0)))[..., 3].any()  # better than the rest
    colours = np.asarray(overlay(made(1, 4, 35.0)))  # one and a half margins below: the strongest
    cell = colours.shape[0] // 4
    assert colours.shape == (4 * cell, 6 * cell, 4)
    middle = colours[int(1.5 * cell), int(4.5 * cell)]
    assert middle[3] > 0.9 * 0.85 * 255
    assert not colours[3 * cell :, : 2 * cell, 3].any()


def letters(model: str, one: tuple[Preference, float], two: tuple[Preference, float]) -> PairResult:
    choices = OrderedChoice(("A", "B"), *one), OrderedChoice(("B", "A"), *two)
    return PairResult(model, PICTURES, (BothOrders(PREFERENCE_PROMPTS[0], choices),))


def test_each_model_has_its_preference_its_margin_and_whether_the_order_mattered() -> None:
    keeps = letters("keeps", ("first", 0.9), ("second", 0.7))  # photo A in both orders: 0.9 and 0.7, 0.8 on average
    habit = letters("habit", ("first", 0.6), ("first", 0.8))
    scores = PairScores((Quality(-1.5, -1.5, "score"), Quality(2.25, 2.25, "score")))
    measure, large = PairResult("measure", PICTURES, scores=scores), PairResult("large", PICTURES, fault="it is busy")
    said = text(agreement_table([keeps, habit, measure, large], None))
    assert "1 of 4 models chooses A and 1 of 4 models chooses B." in said
    assert "keeps slightly prefers A the same 0.80 probability of A" in said
    assert "habit neither always the first" in said
    assert "measure B scored alone 3.75 A −1.5, B 2.25" in said
    assert "large not asked it is busy" in said
