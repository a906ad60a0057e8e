from __future__ import annotations

import re

from leaderboard.html.pair import pair_results
from leaderboard.html.pair_table import agreement_table
from leaderboard.live.pair import PREFERENCE_PROMPTS, BothOrders, OrderedChoice, PairResult, PairScores
from leaderboard.live.quality import Quality
from qbench.parsing import Preference
from qbench.records import Picture

PICTURES = (Picture("a.png", "a" * 64), Picture("b.png", "b" * 64))


def letters(model: str, one: tuple[Preference, float], two: tuple[Preference, float]) -> PairResult:
    choices = OrderedChoice(("A", "B"), *one), OrderedChoice(("B", "A"), *two)
    return PairResult(model, PICTURES, (BothOrders(PREFERENCE_PROMPTS[0], choices),))


def scores(model: str, first: float, second: float) -> PairResult:
    qualities = Quality(first, first, "score"), Quality(second, second, "score")
    return PairResult(model, PICTURES, scores=PairScores(qualities))


def text(html: str) -> str:
    return " ".join(re.sub("<[^>]+>", " ", html).split())


KEEPS = letters("keeps", ("first", 0.9), ("second", 0.7))  # photo A in both orders: 0.9 and 0.7, 0.8 on average
FIRST = letters("habit", ("first", 0.6), ("first", 0.8))
SCORES = scores("measure", -1.5, 2.25)


def test_each_model_has_its_preference_its_margin_and_whether_the_order_mattered() -> None:
    said = text(agreement_table([KEEPS, FIRST, SCORES, PairResult("large", PICTURES, fault="it is busy")], None))
    assert "1 of 4 models chooses A and 1 of 4 models chooses B." in said
    assert "keeps leans to A the same 0.80 probability of A" in said
    assert "habit neither always the first" in said
    assert "measure B scored alone 3.75 A −1.5, B 2.25" in said
    assert "large not asked it is busy" in said


def test_the_visitor_stands_first_and_is_told_who_agrees() -> None:
    said = text(agreement_table([KEEPS, SCORES], "B"))
    assert "1 of 2 models chooses A and 1 of 2 models chooses B. You agree with measure." in said
    assert said.index("you B asked once") < said.index("keeps leans to A")
    assert "No model agrees with you." in text(agreement_table([KEEPS], "tie"))


def test_what_is_too_close_to_call_is_no_choice() -> None:
    close = letters("close", ("first", 0.58), ("second", 0.54))  # 0.56 for A on average
    sure = letters("sure", ("second", 0.999), ("first", 0.997))
    said = text(agreement_table([close, sure], "A"))
    assert "1 of 2 models chooses B. No model agrees with you." in said
    assert "close too close to call the same 0.56 probability of A" in said
    assert "sure prefers B the same over 0.99 probability of B" in said


def test_each_form_of_the_question_says_whether_both_orders_name_the_same_photo() -> None:
    forms = [("first", "second"), ("first", "first"), ("tie", "tie"), ("second", None)]
    answers = tuple(
        BothOrders(prompt, (OrderedChoice(("A", "B"), one), OrderedChoice(("B", "A"), two)))  # type: ignore[arg-type]
        for prompt, (one, two) in zip(PREFERENCE_PROMPTS, forms, strict=False)
    )
    html = pair_results(PairResult("m", PICTURES, answers))
    rows = [text(row) for row in re.findall("<tr>.*?</tr>", html, re.DOTALL)[1:]]
    said = [row.removeprefix(prompt.label).strip() for prompt, row in zip(PREFERENCE_PROMPTS, rows, strict=False)]
    assert said == ["A A kept", "A B changed", "neither neither kept", "B no answer –"]
    assert "first photo in 3, the second in 2 and neither in 2" in text(html)
