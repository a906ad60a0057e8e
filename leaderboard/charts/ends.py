"""Names at the ends of lines, kept apart."""

from __future__ import annotations

import math
from collections.abc import Sequence


def keep_apart(ends: Sequence[float], room: float, floor: float = -math.inf) -> list[float]:
    """Where the names of lines go, which end at these heights, from the top down.

    Each stands at its line's end, or lower where the name above needs the room; higher again only where the floor is.
    """
    places: list[float] = []
    for end in ends:
        places.append(min(end, places[-1] - room) if places else end)
    for place in reversed(range(len(places))):
        places[place] = max(places[place], floor)
        floor = places[place] + room
    return places
