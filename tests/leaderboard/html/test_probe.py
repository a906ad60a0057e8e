from __future__ import annotations

import re

from leaderboard.html import probe as probe_text
from leaderboard.live.probe import ProbeResult
from leaderboard.live.questions import OrderedAnswer, PhotoQuestion, QuestionAnswer
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
