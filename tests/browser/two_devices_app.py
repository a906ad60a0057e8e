"""The app as people run it, on a machine that seems to have a GPU beside its processor."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path.cwd()))
    from leaderboard.live.service import models

    models.usable_devices = lambda quantised=None: ("cuda", "cpu")  # noqa: ARG005
    runpy.run_path("app.py", run_name="__main__")
