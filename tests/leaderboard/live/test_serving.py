from __future__ import annotations

import threading
from pathlib import Path

import pytest

from leaderboard.live.limits import Visitor, Work
from leaderboard.live.opening import Live, open_live
from leaderboard.live.serving import Ahead, Tell, Trouble, serve
from leaderboard.settings import read_settings
from qbench.errors import ProviderError, UserError
from qbench.runner import Cancelled

ME = Visitor("page", "place")


@pytest.fixture
def live(tmp_path: Path) -> Live:
    return open_live(read_settings({"QBENCH_MODELS": "sharpness", "SPACE_ID": "me/board"}, tmp_path))


def test_news_come_in_order_and_waiting_is_news(live: Live) -> None:
    def job(work: Work, tell: Tell) -> None:
        tell("first")
        work.waiting(2)
        tell("last")

    assert list(serve(live, ME, "probe", job)) == ["first", Ahead(2), "last"]


def test_of_gathered_news_the_last_is_passed_on_once_the_job_is_done(live: Live) -> None:
    def job(_work: Work, tell: Tell) -> None:
        for number in range(3):
            tell(number)

    assert list(serve(live, ME, "probe", job, pace=60)) == [2]


def test_gathered_news_are_passed_on_while_the_job_goes_on(live: Live) -> None:
    heard = threading.Event()

    def job(_work: Work, tell: Tell) -> None:
        tell("score")
        assert heard.wait(30)
        tell("all")

    news = serve(live, ME, "probe", job, pace=0.01)
    assert next(news) == "score"
    heard.set()
    assert list(news) == ["all"]


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (UserError("choose a photo first"), "Not done: choose a photo first."),
        (ProviderError("transient", "the server is down"), "Not done: the server is down."),
        (
            ValueError("a secret"),
            "Not done: something went wrong on the server and was logged there; try another photo or model.",
        ),
    ],
)
def test_every_fault_is_a_sentence(live: Live, fault: Exception, sentence: str) -> None:
    def job(_work: Work, _tell: Tell) -> None:
        raise fault

    assert list(serve(live, ME, "probe", job)) == [Trouble(sentence)]


def test_work_that_is_stopped_says_so_last_of_all(live: Live) -> None:
    def job(work: Work, tell: Tell) -> None:
        tell("begun")
        assert work.cancel.wait(10)
        tell("on its way")
        raise Cancelled

    news = serve(live, ME, "probe", job)
    assert next(news) == "begun"
    live.visits.cancel(ME, "probe")
    assert list(news) == ["on its way", Trouble("Stopped.")]


def test_work_that_other_work_replaces_ends_without_a_word(live: Live) -> None:
    def job(work: Work, tell: Tell) -> None:
        tell("begun")
        assert work.cancel.wait(10)
        tell("on its way")
        raise Cancelled

    news = serve(live, ME, "probe", job)
    assert next(news) == "begun"
    assert list(serve(live, ME, "probe", lambda _work, tell: tell("other"))) == ["other"]
    assert list(news) == []


def test_who_leaves_stops_the_work_and_loses_the_files(live: Live, tmp_path: Path) -> None:
    upload = tmp_path / "upload.png"
    upload.write_bytes(b"")
    taken: list[Work] = []

    def job(work: Work, tell: Tell) -> None:
        taken.append(work)
        tell("begun")
        assert work.cancel.wait(10)

    news = serve(live, ME, "run", job)
    assert next(news) == "begun"
    with pytest.raises(UserError, match="is empty"):
        live.uploads.take_in(upload, ME)
    live.leave(ME)
    assert taken[0].cancel.is_set()
    assert not upload.exists()
    news.close()


def test_a_space_has_limits_and_a_home_has_none(live: Live, tmp_path: Path) -> None:
    with live.visits.begin(ME, "probe") as work:
        work.spent = 600
        with pytest.raises(UserError, match="the 600 seconds"):
            work.check()
    with open_live(read_settings({}, tmp_path)).visits.begin(ME, "probe") as work:
        work.spent = 1e9
        work.check()
