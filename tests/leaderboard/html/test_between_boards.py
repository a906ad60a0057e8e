from __future__ import annotations

import re
from html import unescape

from leaderboard.analysis.between_boards import agreements, map_boards
from leaderboard.html.between_boards import agreement_finding, between_json
from tests.leaderboard.several_boards import several_boards

LEFT = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4, "e": 0.5, "f": 0.6, "people": 1.0}
RIGHT = {"a": 0.2, "b": 0.1, "c": 0.3, "d": 0.4, "e": 0.6, "f": 0.5, "alone": 0.05}
SMALL = {"a": 0.4, "f": 0.2}


def plain(html: str) -> str:
    return " ".join(unescape(re.sub("<[^>]+>", " ", html)).split())


def test_the_finding_names_the_ends_and_counts_what_says_nothing() -> None:
    found = map_boards(several_boards(left=LEFT, right=RIGHT, small=SMALL), {})
    said = agreement_finding(agreements(found.scales))
    pair = "Left and Right: 0.89 (95 % interval 0.07 to 0.99), 6 models in common"
    assert said == (
        f"Most alike: {pair}. Least alike: {pair}. 2 pairs of boards have fewer than 5 models in common, and no "
        "correlation is given."
    )
    assert agreement_finding(agreements(found.scales[1:])) == "No two boards have 5 models in common."


def test_the_map_says_what_its_ends_are_and_who_is_not_in_it() -> None:
    found = map_boards(several_boards(left=LEFT, right=RIGHT, empty={}), {})
    chart = between_json(found, agreements(found.scales), "abc")["charts"][0]
    assert "People were asked on Left; elsewhere 100 is the best model" in plain(chart["head"])
    assert "1 model of a single board: 1 on Right." in plain(chart["foot"])
    assert "Empty is not in the map: no figures yet." in plain(chart["foot"])
    assert "Right 0 is chance (0.000), 100 is the best model" in plain(chart["foot"])


def test_the_table_and_the_csv_hold_every_model() -> None:
    found = map_boards(several_boards(left=LEFT, right=RIGHT), {})
    chart = between_json(found, agreements(found.scales), "abc")["charts"][0]
    assert chart["rows"] == [
        ["Model", "Left", "Right"],
        ["F", "60.0", "83.3"],
        ["E", "50.0", "100.0"],
        ["D", "40.0", "66.7"],
        ["C", "30.0", "50.0"],
        ["B", "20.0", "16.7"],
        ["A", "10.0", "33.3"],
        ["ALONE", "", "8.3"],
        ["0 stands for", "0.000", "0.000"],
        ["100 stands for", "1.000", "0.600"],
    ]
    assert "?tab=leaderboard&board=right&q=ALONE" in unescape(chart["foot"])
    assert chart["orders"][0] == ("Left", [0, 1, 2, 3, 4, 5])
