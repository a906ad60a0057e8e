from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

from leaderboard.analysis.overview import overview_of
from leaderboard.html.overview import board_json
from leaderboard.html.timeline import people_sentence
from tests.leaderboard.dated import ERROR, dated_table


def plain(html: str) -> str:
    return " ".join(unescape(re.sub("<[^>]+>", "", html)).split())


def links(html: str) -> list[str]:
    return [unescape(address) for address in re.findall(r'href="([^"]+)"', html)]


def test_each_sentence_has_the_link_that_shows_it() -> None:
    html = board_json(overview_of(dated_table(), {}), "abc")["sentences"]
    assert links(html) == [
        "?tab=leaderboard&board=made&weights=open&size=..10",
        "?tab=model&model=limit",
        "?tab=leaderboard&board=made&weights=open&size=..8.9",
        "?tab=model&model=old",
        "?tab=compare&board=made&models=old%2Cworse",
        "?tab=leaderboard&board=made&weights=open",
        "?tab=model&model=sizeless",
        "?tab=model&model=level",
        "?tab=compare&board=made&models=sizeless%2Clevel",
    ]
    assert "fits one 24 GB card on Made up is Limit (10B): 70.0 %." in plain(html)
    assert "of up to 8B on Made up is Old (7B): 50.0 %. It leads Worse by 1.0 points" in plain(html)
    assert "Sizeless (75.0 %), is 5.0 points behind (more than chance explains) the best closed one, Level" in plain(
        html
    )


def test_the_assumption_about_memory_is_said() -> None:
    html = board_json(overview_of(dated_table(), {}), "abc")["sentences"]
    assert "2 bytes a parameter and 20\u00a0% more for images, prompt and answer: at most 10 billion" in unescape(html)


def test_without_a_known_size_no_model_is_said_to_fit() -> None:
    html = board_json(overview_of(dated_table(sizeless=0.5), {}), "abc")["sentences"]
    assert "No open model on Made up is known to fit one 24 GB card: of 1 open model nobody states the size." in plain(
        html
    )


def test_whether_the_field_is_at_peoples_level() -> None:
    timeline = overview_of(dated_table(), {}).timeline
    assert people_sentence(timeline) == (
        "Level, released 2024-01, was the first to be level with Amateurs (80.0 %). No model is level with Experts "
        "(90.0 %) yet: Undated is 5.0 points behind, more than chance explains."
    )
    assert people_sentence(overview_of(dated_table(ERROR, old=0.5), {}).timeline) == (
        "Nobody has reported what people get here. The best so far is Old with 0.500."
    )


def test_boards_that_people_were_asked_on_are_one_click_away() -> None:
    table = dated_table(old=0.5)
    boards = [replace(table.board, key=name, title=name.upper()) for name in "xyz"]
    [block] = board_json(overview_of(table, {}, boards), "abc")["charts"]
    assert "What people get is known on X, Y and Z." in plain(block["head"])
    assert links(block["head"])[0] == "?tab=overview&board=x"


def test_a_model_without_a_month_is_named_under_the_chart_and_in_the_table() -> None:
    [block] = board_json(overview_of(dated_table(), {}), "abc")["charts"]
    assert "no release month is known for 1 model: Undated." in plain(block["foot"])
    assert block["rows"][0][:3] == ["Model", "Released", "Parameters (billions)"]
    assert [row[0] for row in block["rows"][1:]] == ["Twin", "Old", "Worse", "Level", "Limit", "Sizeless", "Undated"]
    assert block["rows"][1] == ["Twin", "2023-05", "13", "open weights", "60.0", "", ""]


def test_an_empty_board_says_what_will_appear() -> None:
    told = board_json(overview_of(dated_table(ERROR, amateurs=0.3), {}), "abc")
    assert told["charts"] == []
    assert told["empty"].startswith("No results yet")


def test_names_are_text() -> None:
    table = dated_table()
    row = table.ranked["limit"]
    named = replace(row, model=replace(row.model, name="<b>Limit</b>"))
    table = replace(table, ranked={**table.ranked, "limit": named})
    told = board_json(overview_of(table, {}), "abc")
    assert "&lt;b&gt;Limit&lt;/b&gt;" in told["sentences"]
    assert "<b>Limit" not in told["sentences"] + told["charts"][0]["head"] + told["charts"][0]["foot"]
