"""What probes of large photos that come at once take of memory: `python -m bench.photo_memory [--probes 12]`.

Each visitor has a thread and a photo of 30 megapixels of their own, of 100 kB as a file. Runs in a process of its own
because a peak never falls; prints gigabytes.
"""

from __future__ import annotations

import argparse
import resource
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from leaderboard.live.probe import probe_job
from leaderboard.live.service.jobs import stream_job
from leaderboard.live.service.limits import Visitor
from leaderboard.live.service.live import Live, open_live
from leaderboard.settings import read_settings
from qbench.assets import assets_folder

SIDES = (6000, 5000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--probes", type=int, default=12)
    parser.add_argument("--model", default="sharpness")
    asked = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        live = open_live(read_settings({}, folder, assets_folder()))
        answered: list[int] = []
        threads = [
            threading.Thread(target=_probe, args=(live, folder, asked.model, number, answered))
            for number in range(asked.probes)
        ]
        before = _peak()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print(f"{len(answered)} of {asked.probes} probes answered; at most {_peak():.2f} GB, {before:.2f} before them")


def _probe(live: Live, folder: Path, model: str, number: int, answered: list[int]) -> None:
    file = folder / f"{number}.png"
    Image.new("RGB", SIDES, (number, 100, 50)).save(file)
    visitor = Visitor(f"page {number}", f"address {number}")
    *_, last = stream_job(live, visitor, "probe", probe_job(live, visitor, str(file), model, ("", "")))
    if last.result is not None:
        answered.append(number)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


if __name__ == "__main__":
    main()
