"""The page of one model in words and tables."""

from __future__ import annotations

import re

from leaderboard.analysis.model import model_report, read_models
from leaderboard.html.how_to_run import how_to_run
from leaderboard.html.model import model_json
from qbench.models.catalogue import find_model
from tests.leaderboard.analysis.test_model import report
from tests.leaderboard.made import result
from tests.leaderboard.published import published, simulated


def test_what_authors_write_is_only_text() -> None:
    hostile = '<img src=x onerror="alert(1)">'
    page = model_json(report(hostile, result(hostile, "a", reference=hostile)), "abc1234")
    assert page["name"] == hostile
    assert "<img" not in page["head"] + page["rest"]
    assert "&lt;img" in page["rest"]


def test_the_page_of_a_published_model_says_it_all() -> None:
    found = model_report(read_models(published(), simulated()), "internlm-xcomposer-vl")
    page = model_json(found, "abc1234", offered=["internlm/internlm-xcomposer-vl-7b"])
    text = re.sub(r"<[^>]+>", " ", page["head"] + page["rest"])
    assert "Shanghai AI Laboratory" in text
    assert "InternLM, pure-decoder" in text  # the Q-Bench paper, its table of models
    assert re.search(r"Joined by\s+Q-Former", text)
    assert "64.35 %" in text  # Q-Bench Table 2
    assert "?tab=leaderboard&amp;board=perception-test" in page["rest"]
    assert "+0.05" in text  # InternLM-XComposer2-4KHD prints 64.4 for it
    assert "it kept its answer for" in text
    assert "14 GB" in text  # 7 billion parameters of two bytes
    assert "?tab=probe&amp;model=internlm/internlm-xcomposer-vl-7b" in page["head"]
    assert [chart["text"].partition(" of ")[0] for chart in page["charts"]] == ["Radar", "Dots with intervals"]
    assert "Probe with it" not in model_json(found, "abc1234")["head"]


def test_what_is_not_known_is_said() -> None:
    text = model_json(report("gamma", result("gamma")), "abc1234")["rest"]
    assert "None: no two sources print different figures for it." in text
    assert "No results tell how this model leans" in text
    assert "name no data about image quality" in text
    assert "known by its published figures alone" in text


def test_commands_name_models_that_open_here() -> None:
    facts = find_model("llava-v1.5-7b")
    assert facts is not None and facts.hub
    [questions, *_] = how_to_run(facts).commands
    assert questions.line == (
        "python -m qbench run --task perception --dataset llvisionqa-dev --model llava-v1.5-7b --images FOLDER"
    )
