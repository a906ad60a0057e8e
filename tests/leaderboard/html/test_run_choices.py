from __future__ import annotations

from leaderboard.html import run_choices as words
from qbench.models.checkpoint.devices import DEVICES
from qbench.tasks import TASKS
from tests.leaderboard.html.test_run import text


def test_everything_that_can_be_chosen_has_a_name_and_says_what_it_changes() -> None:
    assert {mode for task in TASKS.values() if "mode" in task.options for mode in task.modes} == set(words.MODES)
    styles = {style for task in TASKS.values() for names in task.styles.values() for style in names}
    assert styles == set(words.STYLES)
    options = {option for task in TASKS.values() for option in task.options}
    assert options | {"device"} == set(words.CHANGES)
    assert {"auto", *words.DEVICES} == set(DEVICES)


def test_why_tasks_are_not_offered_names_models_that_can() -> None:
    said = text(words.other_tasks("niqe", frozenset({"score"}), ["perception", "description"], ["a/b", "<c>"]))
    assert said == (
        "NIQE gives each picture a score, and nothing else, so 2 tasks are not offered. Models for more: a/b and "
        "&lt;c&gt;."
    )
    encoder = text(words.other_tasks("clip", frozenset({"embedding", "words"}), ["perception"], []))
    assert encoder == "clip compares pictures with captions, and answers no questions, so one task is not offered."
    assert words.other_tasks("new", None, ["perception"], []) == ""


def test_a_command_is_escaped() -> None:
    assert "<b>" not in words.command("--prefill '<b>'", served=False)
    assert "URL is your server&#39;s address" in words.command("x", served=True)
