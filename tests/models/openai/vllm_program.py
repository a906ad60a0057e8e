"""In place of the program `vllm`: takes what `vllm serve` of vLLM 0.33.0 takes, and speaks its protocol.

The flags are those that its `make_arg_parser` (vllm/entrypoints/common/cli_args.py) and `AsyncEngineArgs.add_cli_args`
(vllm/engine/arg_utils.py) define, as far as they are used here; argparse refuses any other, as it does there. It notes
its arguments and its processes in a file, and does as `PRETEND` says: "crash" at once, or "load" for ever.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.models.openai.server import VLLM, OpenAIServer

STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.pause()"
"""The engine does not end when it is told to, only with the server or by force."""
CRASH = """\
INFO 11-28 14:00:00 [api_server.py:1210] vLLM API server version 0.33.0
(EngineCore pid=71) ERROR 11-28 14:00:09 [core.py:1100]   File "gpu_worker.py", line 371, in load_model
(EngineCore pid=71) ERROR 11-28 14:00:09 [core.py:1100] torch.OutOfMemoryError: CUDA out of memory.
(APIServer pid=70) RuntimeError: Engine core initialization failed. See root cause above.
"""


def program(folder: Path) -> Path:
    """Put `vllm` into a folder."""
    path, root = folder / "vllm", Path(__file__).resolve().parents[3]
    run = "from tests.models.openai.vllm_program import main; main()"
    path.write_text(f"#!{sys.executable}\nimport sys; sys.path.insert(0, {str(root)!r}); {run}\n")
    path.chmod(0o755)
    return path


def noted(notes: Path) -> list[dict[str, Any]]:
    """What each that was started was told, and its processes: the guard's, its own and its engine's."""
    return [json.loads(line) for line in notes.read_text().splitlines()]


def assert_gone(notes: Path) -> None:
    """Wait until no process of those that were started is left."""
    for pid in (pid for note in noted(notes) for pid in note["pids"]):
        try:
            process = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        assert select.select([process], [], [], 60)[0], f"{pid} lives on"
        os.close(process)


def main() -> None:
    """`vllm serve MODEL …`."""
    parser = argparse.ArgumentParser("vllm serve", allow_abbrev=False)
    parser.add_argument("serve", choices=["serve"])
    parser.add_argument("model_tag")
    parser.add_argument("--host")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--served-model-name", nargs="+")
    parser.add_argument("--hf-overrides", type=json.loads)
    parser.add_argument("--generation-config", default="auto")
    parser.add_argument("--max-num-batched-tokens", type=int)
    parser.add_argument("--max-model-len", type=lambda text: -1 if text == "auto" else int(text))
    parser.add_argument("--revision")
    parser.add_argument("--tensor-parallel-size", "-tp", type=int, default=1)
    parser.add_argument("--trust-remote-code", action=argparse.BooleanOptionalAction, default=False)
    options = parser.parse_args()
    engine = subprocess.Popen([sys.executable, "-c", STUBBORN])
    signal.signal(signal.SIGTERM, lambda *_: (engine.kill(), sys.exit()))
    note = {**vars(options), "pids": [os.getppid(), os.getpid(), engine.pid]}
    with open(os.environ["NOTES"], "a") as notes:
        notes.write(json.dumps(note) + "\n")
    pretend = os.environ.get("PRETEND")
    if pretend == "crash":
        sys.exit(CRASH)
    if pretend == "load":
        signal.pause()
    [name] = options.served_model_name or [options.model_tag]
    with OpenAIServer(VLLM, name, os.environ["VLLM_API_KEY"], weights=options.model_tag, port=options.port):
        signal.pause()
