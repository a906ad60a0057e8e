"""What Gradio keeps in memory of each page and each script that ever asked: little, and of so many alone.

It forgets none until there are more than a number, and of each keeps the settings of all components, 0.6 MB, for links
to a view, which the pages have of their own.
"""

from __future__ import annotations

from copy import copy
from typing import Any

from gradio import state_holder

MOST_SESSIONS = 2000
"""The one that asked longest ago gives way: its page asks anew, without what it had kept on the server."""


def keep_little_of_sessions() -> None:
    """Have Gradio keep no settings of components, in this process."""
    module: Any = state_holder
    module.copy = _without_settings


def _without_settings(config: Any) -> Any:
    made = copy(config)
    made.config_for_block = lambda *_of_a_component: {}
    return made
