from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
from PIL import Image

from leaderboard.analysis.overview import find_timeline, first_screen
from leaderboard.html.overview import EXAMPLE, LISTS, SHOWN, opening, timeline_json
from leaderboard.html.timeline import people_sentence
from leaderboard.snapshot import Snapshot
from leaderboard.store import Loaded, Recorded
from qbench.datasets.demo import read_demo_set, with_picture_files
from qbench.records import Estimate
from tests.leaderboard.dated import ERROR, dated_table
from tests.leaderboard.made import board, result
from tests.leaderboard.published import ROOT, published, simulated

PICTURE = ROOT / "assets" / "board" / "example.jpg"


def plain(html: str) -> str:
    return " ".join(unescape(re.sub("<[^>]+>", "", html)).split())


def links(html: str) -> list[str]:
    return [unescape(address) for address in re.findall(r'href="([^"]+)"', html)]


def test_the_first_screen_says_what_is_asked_and_who_is_best() -> None:
    """Figures as in Q-Bench, Table 2 (people, chance) and Q-Bench+, Table 2; the demo set says what is right."""
    html = opening(first_screen(published(), simulated(), SHOWN), "there.jpg")
    told = plain(html)
    assert "What kind of distortion is in this photo?" in told
    assert "A. Overexposure ✓" in told
    assert "Of 1,495 such questions experienced people answer 82 % correctly, the best model 81 %." in told
    assert "Guessing gets 38 %." in told
    lists = [plain(part) for part in html.split("<h2>")[1:]]
    assert [part.count("open,") + part.count("%") > 0 for part in lists] == [True] * 3
    assert "guessing 39.8 % · ┃ Senior-level human 85.5 %" in lists[2]
    assert "Senior-level" not in lists[0] + lists[1]  # nobody asked people there
    boards = [f"?tab=leaderboard&board={key}" for _, _, key in LISTS]
    assert [link for link in links(html) if "board=" in link] == boards
    assert "?tab=probe" in links(html)
    assert not {"?tab=probe", "?tab=about"} & set(
        links(opening(first_screen(published(), simulated(), SHOWN), "", in_app=False))
    )


def test_the_picture_of_the_example_is_the_one_that_the_demo_set_makes(tmp_path: Path) -> None:
    samples, _ = read_demo_set("demo-perception")
    [sample] = with_picture_files([sample for sample in samples if sample.id == EXAMPLE], tmp_path)
    made, shown = (np.asarray(Image.open(path).convert("RGB"), float) for path in (sample.images[0], PICTURE))
    assert np.abs(made - shown).mean() < 8  # of JPEG


def test_whether_the_field_is_at_peoples_level() -> None:
    timeline = find_timeline(dated_table(), {})
    assert people_sentence(timeline) == (
        "Level, released 2024-01, was the first to be level with Amateurs (80.0 %). No model is level with Experts "
        "(90.0 %) yet: Undated is 5.0 points behind, more than chance explains."
    )
    assert people_sentence(find_timeline(dated_table(ERROR, old=0.5), {})) == ("The best so far is Old with 0.500.")


def test_a_model_without_a_month_is_named_under_the_chart_and_in_the_table() -> None:
    [block] = timeline_json(dated_table(), {}, "abc")["charts"]
    assert "no release month is known for 1 model: Undated." in plain(block["foot"])
    assert block["rows"][0][:3] == ["Model", "Released", "Parameters (billions)"]
    assert [row[0] for row in block["rows"][1:]] == ["Twin", "Old", "Worse", "Level", "Limit", "Sizeless", "Undated"]
    assert block["rows"][1] == ["Twin", "2023-05", "13", "open weights", "60.0", "", ""]


def test_names_are_text() -> None:
    loaded = Loaded((Recorded(result("<b>Limit</b>", "a", Estimate(0.5)), None),), (), "abc")
    made_up = replace(board(primary="a"), key=LISTS[0][2])
    html = opening(first_screen(Snapshot(loaded, (made_up,), lambda _: None), {}, SHOWN), "")
    assert "&lt;b&gt;Limit&lt;/b&gt;" in html
    assert "<b>Limit" not in html
