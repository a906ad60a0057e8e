"""The app in a process of its own, whose memory and whose answers to others can be told while it is asked much."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[3]
START = """
import sys
from pathlib import Path
from leaderboard.app import make_app, serve
from leaderboard.settings import Settings
from qbench.assets import assets_folder
folder = Path(sys.argv[1])
serve(make_app(Settings(assets_folder(), folder / "results", submissions=folder / "submissions", models=("niqe",))))
"""


class ServedApart:
    """A served app."""

    def __init__(self, process: subprocess.Popen[bytes], address: str) -> None:
        self.process = process
        self.address = address

    @property
    def megabytes(self) -> float:
        """Memory of the process now."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))

    @property
    def seconds(self) -> float:
        """Of the processor that it had by now."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @contextmanager
    def watched(self) -> Iterator[list[tuple[float, float]]]:
        """Memory in MB, and the seconds until `/healthz` answered, time and again while the block lasts."""
        seen: list[tuple[float, float]] = []
        done = threading.Event()

        def watch() -> None:
            while not done.is_set():
                started = time.monotonic()
                urlopen(f"{self.address}healthz", timeout=120).read()
                seen.append((self.megabytes, time.monotonic() - started))
                done.wait(0.05)

        thread = threading.Thread(target=watch)
        thread.start()
        try:
            yield seen
        finally:
            done.set()
            thread.join()


@contextmanager
def serve_apart(folder: Path, **environment: str) -> Iterator[ServedApart]:
    """The app on a free port, with nothing of this process's environment that sets it up."""
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {name: value for name, value in os.environ.items() if not name.startswith(("QBENCH", "GRADIO"))}
    own |= {"GRADIO_SERVER_PORT": str(port), "GRADIO_SERVER_NAME": "127.0.0.1", "TMPDIR": str(folder), **environment}
    with subprocess.Popen(
        [sys.executable, "-c", START, str(folder)],
        cwd=ROOT,
        env=own,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        served = ServedApart(process, f"http://127.0.0.1:{port}/")
        try:
            while process.poll() is None:
                with suppress(URLError, ConnectionError):
                    urlopen(f"{served.address}healthz", timeout=60).read()
                    break
                time.sleep(0.2)
            yield served
        finally:
            process.kill()
