from __future__ import annotations

from leaderboard.html import run_choices as words
from leaderboard.live.run_request import find_choices
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


def test_the_fold_says_what_is_in_it() -> None:
    writes = frozenset({"text", "words", "losses"})
    label = words.more_label(find_choices(TASKS["perception"], writes))
    assert label == "More choices: how it is asked, wording, judge and seed"
    assert words.more_label(find_choices(TASKS["description"], writes)) == "More choices: judge and word lists"
    assert words.more_label(find_choices(TASKS["retrieval"], frozenset({"embedding"}))) == ""
    pairs = words.more_label(find_choices(TASKS["comparison"], frozenset({"score"}), devices=("cuda", "cpu")))
    assert pairs == "More choices: rounds, pairs, seed and device"


def test_where_there_is_one_device_it_is_said_and_not_offered() -> None:
    def said(*devices: str) -> str:
        return text(words.only_device(find_choices(TASKS["assessment"], None, devices=devices)))

    assert said("cpu") == "No device is to be chosen here but the processor: there is no GPU that PyTorch sees."
    assert said("cuda") == "No device is to be chosen here but the GPU."
    assert said() == said("cuda", "cpu") == ""


def test_a_command_is_escaped() -> None:
    assert "<b>" not in words.command("--prefill '<b>'", served=False)
    assert "URL is your server&#39;s address" in words.command("x", served=True)
