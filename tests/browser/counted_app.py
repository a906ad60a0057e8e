"""The app as people run it, but for a note of every prompt that nano-vlm is asked: `counted_app.py NOTES`.

Run as a process of its own, which a test may kill. What is noted is the key under which its answer is kept.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

from qbench.cache import response_key
from qbench.models.checkpoint.vlm import Vlm
from qbench.records import Prompt, Response

if __name__ == "__main__":
    notes, respond = Path(sys.argv[1]), Vlm.respond

    def noted(model: Vlm, prompts: Sequence[Prompt]) -> list[Response]:
        with notes.open("a", encoding="utf-8") as file:
            file.writelines(f"{response_key(model.identity, prompt)}\n" for prompt in prompts)
        return respond(model, prompts)

    Vlm.respond = noted  # type: ignore[method-assign]
    sys.path.insert(0, str(Path.cwd()))
    runpy.run_path("app.py", run_name="__main__")
