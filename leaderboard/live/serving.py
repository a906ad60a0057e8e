"""One piece of a visitor's work, from its start to the last of its news, with every refusal as a sentence."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from leaderboard.live.follow import follow
from leaderboard.live.limits import Visitor, Work
from leaderboard.live.opening import Live
from qbench.errors import ProviderError, UserError
from qbench.runner import Cancelled

Tell = Callable[[Any], None]


@dataclass(frozen=True)
class Ahead:
    """How many others are before this visitor at the model."""

    count: int


@dataclass(frozen=True)
class Trouble:
    """Why it ended early, and what to do."""

    sentence: str


def serve(
    live: Live, visitor: Visitor, kind: str, job: Callable[[Work, Tell], None], *, pace: float = 0.0
) -> Iterator[Any]:
    """Do the job and pass on what it tells as it comes.

    "Stopped." comes last of all, so that no news that is still on its way hides it; work that other work of the visitor
    replaces ends without a word.

    Args:
        live: Models and who uses them.
        visitor: For whom.
        kind: An earlier piece of work of this kind by the same page is cancelled.
        job: Gets the work, to ask models with, and the function to tell news with.
        pace: Seconds to gather news for, of which the last is passed on; for news that say all that is known.
    """

    def run(work: Work, tell: Tell) -> None:
        work.waiting = lambda ahead: tell(Ahead(ahead))
        job(work, tell)

    try:
        with live.visits.begin(visitor, kind) as work:
            told: Iterator[list[Any]] = follow(lambda tell: run(work, tell), work.cancel, pace=pace)
            try:
                for news in told:
                    if work.stopped or not work.cancel.is_set():
                        yield from news[-1:] if pace else news
            except Cancelled:
                if work.stopped:
                    yield Trouble("Stopped.")
    except (UserError, ProviderError) as fault:
        # Not capitalised: many begin with the name of a file or a model.
        said = str(fault)
        yield Trouble(f"Not done: {said}{'' if said.endswith(('.', '?')) else '.'}")
    except Exception:
        logging.getLogger(__name__).exception("%s failed", kind)
        yield Trouble("Not done: something went wrong on the server and was logged there; try another photo or model.")
