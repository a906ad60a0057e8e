"""How many prompts are asked at once, against servers of which each answer takes a second, on a clock of the test."""

from __future__ import annotations

import heapq

from qbench.models.openai.pace import Pace


def limits(places: int, seconds: int, start: int = 8, most: int = 64) -> list[int]:
    """How many are asked at once after each second, where `places` prompts are answered at a time."""
    pace, now, found = Pace(start, most, 0.0), 0.0, []
    free = [0.0] * places
    """When each place is free."""
    answers: list[float] = []
    while now < seconds:
        while len(answers) < pace.limit:
            done = max(now, heapq.heappop(free)) + 1
            heapq.heappush(free, done)
            heapq.heappush(answers, done)
        now = heapq.heappop(answers)
        pace.answered(now)
        if int(now) >= len(found):
            found += [pace.limit] * (int(now) + 1 - len(found))
    return found


def test_a_server_with_room_is_asked_more_until_it_is_full() -> None:
    assert limits(places=40, seconds=60)[-1] >= 40
    assert max(limits(places=1000, seconds=200)) == 64, "no more than the most"


def test_a_full_server_is_hardly_made_to_wait() -> None:
    found = limits(places=8, seconds=400)
    assert set(found) == {8, 12}
    assert found.count(8) > 0.75 * len(found)


def test_after_too_many_requests_less_is_asked_and_more_again_later() -> None:
    pace = Pace(8, 64, 0.0)
    for _ in range(3):
        pace.failed(0.0, busy=True)
    assert pace.limit == 3  # 8, 6, 4, 3
    for _ in range(20):
        pace.failed(0.0, busy=True)
    assert pace.limit == 2
    now = 0.0
    for _ in range(400):
        now += 1 / pace.limit  # each answer takes a second, however many are asked
        pace.answered(now)
    assert pace.limit >= 8


def test_single_faults_are_no_congestion_and_many_are() -> None:
    pace, now = Pace(8, 64, 0.0), 0.0
    for number in range(1, 2001):
        now += 1 / pace.limit
        if number % 20 == 0:
            pace.failed(now, busy=False)
        else:
            pace.answered(now)
    assert pace.limit >= 40, "one in twenty fails, and each prompt more brings its answers"
    pace = Pace(16, 64, 0.0)
    for _ in range(8):  # a quarter of the 32 prompts after which the number is thought over
        pace.failed(now, busy=False)
    assert pace.limit == 16
    pace.failed(now, busy=False)
    assert pace.limit == 12
