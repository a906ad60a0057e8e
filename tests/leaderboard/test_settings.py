from __future__ import annotations

from pathlib import Path

from leaderboard.settings import read_settings


def test_defaults_lie_under_the_root(tmp_path: Path) -> None:
    settings = read_settings({}, tmp_path)
    assert (settings.assets, settings.results, settings.link) == (tmp_path / "assets", tmp_path / "results", None)


def test_a_space_links_to_its_page_on_the_hub(tmp_path: Path) -> None:
    settings = read_settings({"SPACE_ID": "me/board", "QBENCH_RESULTS": "/data/results"}, tmp_path)
    assert settings.link == "https://huggingface.co/spaces/me/board"
    assert settings.results == Path("/data/results")
