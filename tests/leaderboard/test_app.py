"""The app as its callers see it: public endpoints, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from app import demo
from leaderboard.boards import all_boards

PUBLIC = {"/leaderboard", "/compare", "/bias", "/probe", "/pair", "/tournament", "/run", "/check", "/submit"}


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    _, address, _ = demo.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1")
    yield Client(address, verbose=False)
    demo.close()


def test_these_endpoints_are_public_and_no_others(client: Client) -> None:
    listed = client.view_api(return_format="dict", print_info=False)
    assert set(listed["named_endpoints"]) == PUBLIC
    assert listed["unnamed_endpoints"] == {}


def test_a_board_can_be_asked_for(client: Client) -> None:
    said = client.predict(board="assessment", metric="srcc", part="spaq", api_name="/leaderboard")
    assert [column["key"] for column in said["columns"]] == ["spaq/srcc"]
    assert (said["rows"][0]["name"], said["rows"][0]["figures"]["spaq/srcc"]["value"]) == (
        "Q-Instruct (InternLM-XComposer-VL)",
        0.909,
    )
    assert said["rows"][0]["rank"] == 1


def test_the_default_is_the_first_board(client: Client) -> None:
    assert client.predict(api_name="/leaderboard")["board"] == all_boards()[0].key


@pytest.mark.parametrize("wrong", [{"board": "nope"}, {"metric": "nope"}, {"part": "nope"}])
def test_a_wrong_question_is_answered_with_one_sentence(client: Client, wrong: dict[str, str]) -> None:
    with pytest.raises(AppError, match=r"'nope' is no .*; choose one of "):
        client.predict(**wrong, api_name="/leaderboard")


def test_models_can_be_compared_by_any_name_they_go_by(client: Client) -> None:
    said = client.predict("perception-test", ["GPT-4V", "Qwen-VL (QwenLM)"], api_name="/compare")
    assert [model["id"] for model in said["models"]] == ["gpt-4v", "qwen-vl"]
    assert said["differences"][0]["leader"] == "gpt-4v"
    with pytest.raises(AppError, match="no model goes by the name 'nobody'"):
        client.predict("perception-test", ["nobody"], api_name="/compare")
    assert client.predict("perception-test", None, api_name="/compare")["models"] == []


def test_answer_habits_can_be_asked_for(client: Client) -> None:
    said = client.predict(api_name="/bias")
    assert said["yes_no"][0]["finding"].startswith("All 9 models")
    assert {"coarse", "fine"} == set(said["position"])
