from __future__ import annotations

import re

from leaderboard.html import probe as probe_text
from leaderboard.html.pair import pair_results
from leaderboard.live.pair import PairResult, PairScores
from leaderboard.live.probe import ProbeResult, WrittenDescription
from leaderboard.live.quality import Placement, Quality
from leaderboard.live.questions import ATTRIBUTE_QUESTIONS, OrderedAnswer, PhotoQuestion, QuestionAnswer
from qbench.records import Picture

PICTURE = Picture("a.png", "0" * 64)
QUESTION = PhotoQuestion("Is it <b>sharp</b>?", ("Yes", "No"))


def text(html: str) -> str:
    return " ".join(re.sub("<[^>]+>", " ", html).split())


def found(*orders: OrderedAnswer, chosen: str | None, reason: str = "") -> str:
    answer = QuestionAnswer(QUESTION, orders, chosen, reason)
    return probe_text.probe_results(ProbeResult("m", PICTURE, answers=(answer,)))


def test_a_bar_is_the_mean_and_its_line_the_spread_between_orders() -> None:
    html = found(
        OrderedAnswer(("Yes", "No"), "Yes", (0.75, 0.25)), OrderedAnswer(("No", "Yes"), "No", (0.5, 0.5)), chosen="Yes"
    )
    assert "--share:0.6250;--low:0.5000;--high:0.7500" in html
    assert "--share:0.3750;--low:0.2500;--high:0.5000" in html
    hint = "0.50 to 0.75 in both orders of the options; without a position habit the two ends are alike"
    assert f'<li class="chosen" title="{hint}"><span>Yes</span>' in html
    assert "Is it &lt;b&gt;sharp&lt;/b&gt;? Yes 0.62 0.50 to 0.75 No 0.38 0.25 to 0.50" in text(html)
    assert "asked in every cyclic order of its options" in text(html)


def test_what_was_written_says_how_many_orders_agree() -> None:
    written = [OrderedAnswer(order, "No", text="No.") for order in (("Yes", "No"), ("No", "Yes"))]
    assert "No, in 2 of 2 orders of the options" in text(found(*written, chosen="No"))
    assert "cyclic" not in found(*written, chosen="No")
    refused = OrderedAnswer(("Yes", "No"), None, reason="refused")
    assert "no answer: refused" in text(found(refused, refused, chosen=None, reason="refused"))


def rated(value: float, error: float, **faults: float) -> Quality:
    """What a model that knows its errors says of a photo, among four others."""
    scores = (10.0, 20.0, 60.0, 90.0)
    counts = [sum(score < bound for score in scores) for bound in (value, value - error, value + error)]
    return Quality(value, value, "score", error=error, faults=faults, placement=Placement("others", scores, *counts))


def test_a_score_among_others_leads_and_the_score_itself_is_folded() -> None:
    picture = Picture("photo.png", "0" * 64)
    html = probe_text.probe_results(ProbeResult("mine", picture, rated(50.0, 35.0, blur=0.75, noise=0.5, haze=0.25)))
    shown, folded = html.split("<details>")
    said = "Fair likely blur (75 %) and noise (50 %); low certainty: anything from poor to good"
    assert text(shown).startswith(said)  # in fifths of four scores
    assert "Better than 2 of 4 others, 1 to 3 within one standard error" in text(shown)  # 15 and 85
    assert "50.00" not in shown.replace('x1="50.00"', "").replace('x2="50.00"', "")
    assert "mine gives it 50.00, with a standard error of 35.0" in text(folded)
    assert "haze 0.25" in text(folded)
    assert 'class="own" x1="50.00"' in shown  # 50 lies half-way from 10 to 90
    assert '<rect class="error" x="6.25" y="0" width="87.50"' in shown
    html = probe_text.probe_results(ProbeResult("mine", picture, rated(95.0, 1.0, blur=0.1)))
    assert "Excellent no damage that it knows is likely; high certainty" in text(html)


def test_a_description_that_says_other_than_what_was_chosen_is_told() -> None:
    chosen = {"brightness": "Just fine", "colourfulness": "Faded", "contrast": "Too high", "sharpness": "Clear"}
    answers = [QuestionAnswer(ATTRIBUTE_QUESTIONS[name], (), option) for name, option in chosen.items()]

    def told(description: str, *given: QuestionAnswer) -> str:
        known = ProbeResult("m", PICTURE, answers=given, described=WrittenDescription(description))
        return text(probe_text.probe_results(known))

    blurred = "The photo is severely blurred. Otherwise the colors are natural and the contrast is low."
    assert "It chose otherwise when asked about colourfulness and sharpness: rely on neither." in told(
        blurred, *answers
    )
    assert "It chose otherwise" not in told("The photo is clear and the lighting is adequate.", *answers)
    unsure = QuestionAnswer(ATTRIBUTE_QUESTIONS["sharpness"], (), "Clear", doubt="It is not known to be right")
    assert "It chose otherwise" not in told(blurred, unsure)


def test_two_scores_say_how_sure_their_order_is() -> None:
    pictures = (Picture("a.png", "0" * 64), Picture("b.png", "1" * 64))

    def told(first: Quality, second: Quality) -> str:
        return text(pair_results(PairResult("mine", pictures, scores=PairScores((first, second)))))

    sure = told(rated(50.0, 3.0), rated(45.0, 4.0))
    assert "A 50.0 ± 3.0, B 45.0 ± 4.0" in sure
    assert "mine leans to A over B (probability 0.84)." in sure  # one standard deviation of a normal variable
    # 0.15 of one is .5596 by tables of the normal distribution.
    assert "mine finds B and A too close to call (0.56 for B)." in told(rated(50.0, 3.0), rated(50.75, 4.0))
    without = told(Quality(2.0, 2.0, "score"), Quality(1.0, 1.0, "score"))
    assert "mine scores A higher, and does not tell how sure it is." in without
    assert "probability" not in without
    assert "mine leans to B over A (probability 0.84)." in told(rated(45.0, 4.0), rated(50.0, 3.0))
