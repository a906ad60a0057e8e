"""Probe and Pair in words, bars and colours, worked out by hand."""

from __future__ import annotations

import re

import numpy as np

from leaderboard.html import probe as probe_text
from leaderboard.html.pair import agreement_table, pair_results
from leaderboard.html.quality_map import map_sentence, overlay
from leaderboard.live.pair import PREFERENCE_PROMPTS, BothOrders, OrderedChoice, PairResult, PairScores
from leaderboard.live.probe import ProbeResult
from leaderboard.live.quality import Placement, Quality, QualityMap
from leaderboard.live.questions import OrderedAnswer, PhotoQuestion, QuestionAnswer
from qbench.parsing import Preference
from qbench.records import Picture

PICTURES = PICTURE, _ = (Picture("a.png", "a" * 64), Picture("b.png", "b" * 64))


def text(html: str) -> str:
    return " ".join(re.sub("<[^>]+>", " ", html).split())


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
