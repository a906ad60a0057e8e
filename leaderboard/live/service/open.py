"""The parts of live use that its pages share.

live = open_live(settings)
with live.visits.begin(visitor, "probe") as work:
    model = live.models.lend("niqe", work)      # a qbench Model: give it to `Runner` or `evaluate`
"""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.live.service.limits import Visitor, VisitorLimits, Visits
from leaderboard.live.service.live_runner import RecentResponses
from leaderboard.live.service.models import LiveModels
from leaderboard.live.service.offers import read_offers
from leaderboard.live.service.uploads import Uploads, give_memory_back
from leaderboard.settings import DEFAULT_MODELS, Settings, SettingsError


@dataclass(frozen=True)
class Live:
    """What the live pages share."""

    models: LiveModels
    visits: Visits
    uploads: Uploads
    recent: RecentResponses
    """Answers about visitors' photos, in memory."""

    def leave(self, visitor: Visitor) -> None:
        """The visitor closed the page: what runs for it stops, what it uploaded is deleted."""
        self.visits.cancel(visitor)
        self.uploads.forget(visitor)


def open_live(settings: Settings) -> Live:
    """Nothing is loaded before a visitor asks for it.

    Raises:
        SettingsError: The owner named a model that cannot be opened here.
    """
    give_memory_back()
    offers = read_offers(settings.models, settings.endpoints, settings.endpoint_model)
    if offers.absent and settings.models != DEFAULT_MODELS:
        name, reason = next(iter(offers.absent.items()))
        raise SettingsError(f"QBENCH_MODELS has {name!r}, but {reason}; name another model or leave it out")
    limits = VisitorLimits(settings.live_seconds, settings.live_hourly)
    return Live(LiveModels(offers), Visits(limits), Uploads(), RecentResponses())
