from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from leaderboard.html import tournament as words
from leaderboard.live.tournament import TournamentAnswers, TournamentState, to_json
from qbench.records import Estimate, Picture, Presented
from qbench.stats.ranking import Ranking
from tests.leaderboard.html.test_run import text

NAMES = ("a.png", "<b>.png", "c.png")


PICTURES = {name: Picture(f"/tmp/{name}", str(number) * 64) for number, name in enumerate(NAMES)}
SHOWN = (Presented("a.png", "c.png", "second"), Presented("c.png", "a.png", None))


def ranking(*scores: float) -> Ranking:
    return Ranking(NAMES, np.array(scores), "map", lambda: np.full(len(scores), 0.5))


STATE = TournamentState(
    known=TournamentAnswers(PICTURES, 12, SHOWN), ranking=ranking(0.5, -1.5, 1.0), note="", seconds=4.0
)


def test_pictures_stand_in_order_with_their_intervals() -> None:
    html = words.ranked(STATE)
    assert re.findall(r"<bdi title=\"([^\"]+)\"", html) == ["c.png", "a.png", "&lt;b&gt;.png"]
    assert "<b>.png" not in html
    assert re.findall("<strong[^>]*>([^<]+)</strong>", html) == ["1.00", "0.50", "−1.50"]
    # Ends of all intervals: -1.5 - 0.98 to 1.0 + 0.98, so the best one's score is 3.48 of 4.46 from the left.
    assert re.findall(r'<u style="left: ([\d.]+)', html)[0] == "78.03"
    assert "95 % interval 0.02 to 1.98" in html
    without = words.ranked(replace(STATE, ranking=None, note="nothing yet"))
    assert "No ranking yet: nothing yet." in without
    assert "qb-range" not in without


def test_how_sure_the_first_place_is() -> None:
    """Scores 1 and 0.5 with errors of 0.5: the gap is .5774 of the spread, root of 0.5 times 3 / 2, and gives .7181."""
    assert "c.png leads, and is probably better than a.png (probability 0.72)." in words.ranked(STATE)
    tied = words.ranked(replace(STATE, ranking=ranking(0.5, -1.0, 0.5)))
    assert "a.png leads; a.png and c.png are too close to call (probability that a.png is better: 0.50)." in tied
    apart = replace(ranking(0.5, -1.0, 0.5), groups=(("a.png", "c.png"), ("<b>.png",)))
    assert "probab" not in words.ranked(replace(STATE, ranking=apart))


def test_habits_in_sentences() -> None:
    share = Estimate(0.75, 0.5, 0.9, n=4)
    rates = {"first_rate": Estimate(0.6), "second_rate": Estimate(0.3), "tie_rate": Estimate(0.1)}
    said = text(words.tournament_habits(replace(STATE, figures={"consistency": share, **rates})))
    assert "it kept its answer for 75 % (95 % interval 50 to 90 %) of the pairs" in said
    assert "named the first picture in 60 % of its answers, the second in 30 % and neither in 10 %." in said
    assert "1 answer could not be used" in said
    assert words.tournament_habits(TournamentState(known=TournamentAnswers(PICTURES, 12))) == ""
    none = replace(STATE, figures={"consistency": Estimate(None, n=0, note="no usable answers")})
    assert text(words.tournament_habits(none)) == "Habits 1 answer could not be used and did not count."
    by_scores = replace(STATE, known=TournamentAnswers(PICTURES, 12, by_scores=True))
    assert "order cannot matter" in words.tournament_habits(by_scores)


def test_scripts_are_told_how_it_ended() -> None:
    assert to_json(STATE, "mine")["ended"] is None
    assert to_json(replace(STATE, cancelled=True), "mine")["ended"] == "stopped"
    assert to_json(replace(STATE, failure="the server is away"), "mine")["ended"] == "the server is away"
