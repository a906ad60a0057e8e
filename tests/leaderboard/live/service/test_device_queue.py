from __future__ import annotations

import threading

import pytest

from leaderboard.live.service.limits import Work
from leaderboard.live.service.turns import DeviceQueue
from qbench.runner import Cancelled

SOON = 10.0


def test_first_come_first_served_and_everybody_knows_their_place() -> None:
    queue, served, told = DeviceQueue(), [], {name: [] for name in "abc"}
    told_of = {name: threading.Event() for name in "abc"}

    def visit(name: str) -> None:
        def tell(ahead: int) -> None:
            told[name].append(ahead)
            told_of[name].set()

        with queue.device(Work(publish_position=tell)):
            served.append(name)

    threads = []
    with queue.device(Work()):
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
    queue = DeviceQueue()
    waiting = Work(publish_position=lambda _ahead: waiting.cancel.set())
    with queue.device(Work()), pytest.raises(Cancelled), queue.device(waiting):
        pass
    with queue.device(Work()):
        pass


def test_a_turn_that_fails_is_given_up() -> None:
    queue = DeviceQueue()
    with pytest.raises(ZeroDivisionError), queue.device(Work()):
        raise ZeroDivisionError
    with queue.device(Work()):
        pass
