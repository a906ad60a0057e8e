"""Pages: one small file each, with one `build`. They receive what they show and know no store.

Several use `widgets`, places for what is shown, and `asking`: how models are asked, by a visitor and by a script.
"""

from __future__ import annotations

import inspect
from typing import Any


def import_gradio() -> None:
    """Import Gradio without the stubs for editors that it makes anew of each component: half of its time.

    It asks in which file a component stands, and makes none where there is no such file.
    """
    find_file = inspect.getfile

    def of_others(thing: Any) -> str:
        if type(thing).__name__ == "ComponentMeta":
            raise OSError("no stub is wanted")
        return find_file(thing)

    inspect.getfile = of_others  # type: ignore[assignment]
    try:
        import gradio  # noqa: F401
    finally:
        inspect.getfile = find_file
