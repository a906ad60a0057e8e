"""`site.toml`: what an owner may say of the look, and the sentence for everything else."""

from __future__ import annotations

from pathlib import Path

import pytest

from leaderboard.app import make_app
from leaderboard.look import Accent, contrast
from leaderboard.settings import SettingsError, read_settings
from tests.commands.asking import write
from tests.leaderboard.test_check import lines


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('titel = "Ours"', "there is no key 'titel'; the keys are title, accent, tabs, board, benchmark"),
        ("title = 3", "title is 3; write a text in quotes, or leave it out"),
        ('accent = "blue"', "accent is 'blue'; write a colour as \"#1257b8\""),
        ('tabs = "about"', "tabs is 'about'; write a list of the pages to show, of overview, leaderboard, "),
        ("tabs = []", "tabs is []; write a list of the pages to show"),
        ('tabs = ["about", "home"]', "tabs has 'home', which is no page; the pages are overview, leaderboard, "),
        ('benchmark = "low-level"', "benchmark is 'low-level'; write it as owner/name"),
        # By WebAIM's checker 1.50:1 and 4.54:1 on white; a wash of the colour behind it takes a little.
        ('accent = "#ffcc00"', "accent '#ffcc00' has a contrast of 1.4:1 with the light background, and text needs 4"),
        ('accent = "#767676"', "accent '#767676' has a contrast of 4.0:1"),
        ("title = Ours", "Unexpected character: 'O' at line 1 col 8"),
    ],
)
def test_what_the_file_cannot_say_stops_the_start(tmp_path: Path, text: str, said: str) -> None:
    path = write(tmp_path, text, "results/site.toml")
    with pytest.raises(SettingsError) as fault:
        read_settings({}, tmp_path)
    assert str(fault.value).startswith(f"{path}: {said}")


def test_a_first_board_that_is_not_there_stops_the_start_and_check_names_it(tmp_path: Path) -> None:
    path = write(tmp_path, 'board = "nihgt"', "app/results/site.toml")
    write(path.parent, 'title = "Night"', "boards/night.toml")
    found = lines(tmp_path, {})
    assert found["site.toml"].startswith(f"wrong: {path}: board is 'nihgt', and there is none; write ")
    assert found["boards/night.toml"].startswith("wrong: it has no columns")
    path.write_text('board = "night"', encoding="utf-8")
    with pytest.raises(SettingsError, match="board is 'night', and there is none: it has no columns"):
        make_app(read_settings({}, tmp_path / "app"))


def test_contrast_is_that_of_wcag() -> None:
    """Figures of WebAIM's checker."""
    published = {("#777777", "#ffffff"): 4.48, ("#767676", "#ffffff"): 4.54, ("#ff0000", "#ffffff"): 4.0}
    assert {pair: round(contrast(*pair), 2) for pair in published} == published


@pytest.mark.parametrize("colour", ["#000000", "#8a1538", "#0000ff", "#1257b8", "#006b3c", "#5d5d5d"])
def test_every_shade_can_be_read(colour: str) -> None:
    accent = Accent(colour)
    assert contrast(accent.light, accent.light_wash) >= 4.5
    assert contrast(accent.hover, "#ffffff") >= 4.5
    for background in ("#14161b", "#1d2027", accent.dark_wash):  # page and boxes of assets/board/tokens.css
        assert contrast(accent.dark, background) >= 4.5
