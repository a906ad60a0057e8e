"""The inputs of the Run page: what they say of a run is what it is run with."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from leaderboard.live.run_request import RunRequest
from leaderboard.pages.run_form import NAMES, request_of, values_of
from qbench.errors import UserError
from tests.leaderboard.live.test_run_request import REQUESTS


def as_sent(request: RunRequest) -> str:
    values = values_of(request)
    return json.dumps([values[name] for name in NAMES])


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request.task)
def test_the_form_says_what_is_run(request_: RunRequest) -> None:
    for chosen in (request_, replace(request_, device="cpu"), replace(request_, limit=None)):
        assert request_of(as_sent(chosen)) == chosen


def test_what_did_not_arrive_whole_is_one_sentence() -> None:
    for broken in ("", "[]", "3", "[" * 100_000):
        with pytest.raises(UserError, match="reload the page and choose again"):
            request_of(broken)
