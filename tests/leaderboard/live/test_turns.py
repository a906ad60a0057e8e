from __future__ import annotations

import threading

import pytest

from leaderboard.live.limits import Work
from leaderboard.live.turns import Turns
from qbench.runner import Cancelled

SOON = 10.0


def test_first_come_first_served_and_everybody_knows_their_place() -> None:
    turns, served, told = Turns(), [], {name: [] for name in "abc"}
    told_of = {name: threading.Event() for name in "abc"}

    def visit(name: str) -> None:
        def tell(ahead: int) -> None:
            told[name].append(ahead)
            told_of[name].set()

        with turns.take(Work(waiting=tell)):
            served.append(name)

    threads = []
    with turns.take(Work()):
        for name in "abc":
            threads.append(threading.Thread(target=visit, args=[name]))
            threads[-1].start()
            assert told_of[name].wait(SOON)
        assert [told[name][0] for name in "abc"] == [1, 2, 3]
    for thread in threads:
        thread.join(SOON)
    assert served == ["a", "b", "c"]
    assert told["c"] == sorted(told["c"], reverse=True)


def test_who_is_cancelled_while_waiting_leaves_the_line() -> None:
    turns = Turns()
    waiting = Work(waiting=lambda _ahead: waiting.cancel.set())
    with turns.take(Work()), pytest.raises(Cancelled), turns.take(waiting):
        pass
    with turns.take(Work()):
        pass


def test_a_turn_that_fails_is_given_up() -> None:
    turns = Turns()
    with pytest.raises(ZeroDivisionError), turns.take(Work()):
        raise ZeroDivisionError
    with turns.take(Work()):
        pass
