"""Measure how long a visitor of Probe waits, in a real Chromium beside the real app on this machine.

Run from the repository root: `python -m bench.probe`. A line for each photo: milliseconds from choosing the file
until the score is drawn, and until everything is; the first one after the start waits for libraries and weights too.
How quick the machine is at the moment is told by a fixed sum in Python, before and after, as shared machines vary.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from leaderboard.live.service.uploads import EXAMPLES
from tests.browser.chromium import open_browser
from tests.browser.conftest import run_app

WATCH = """() => { window.waited = new Promise(done => {
    const box = document.querySelector('#probe-result'), start = performance.now();
    let score = null;
    const watch = new MutationObserver(() => {
        const text = box.textContent, now = performance.now() - start;
        if (score === null && box.querySelector('.qb-number strong')) score = now;
        if (!text.includes('Answered in')) return;
        watch.disconnect();
        requestAnimationFrame(() => requestAnimationFrame(() => done([score, performance.now() - start])));
    });
    watch.observe(box, {childList: true, subtree: true, characterData: true});
}); }"""
"""Two frames after the last change, it has been drawn."""


def seconds_of_a_sum() -> float:
    """The least of five, of a million squares."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        sum(number * number for number in range(1_000_000))
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    asked = argparse.ArgumentParser(description="How long a visitor of Probe waits.")
    asked.add_argument("--model", default="nano-vlm")
    model = asked.parse_args().model
    with tempfile.TemporaryDirectory() as scratch:
        print(f"a million squares: {1000 * seconds_of_a_sum():.0f} ms\n{'photo':<14} {'score':>7} {'all':>7}")
        folder, waits = Path(scratch), []
        with run_app(folder, folder / "log", QBENCH_MODELS=model) as address, open_browser() as browser:
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.set_default_timeout(120_000)
            page.goto(f"{address}?tab=probe")
            chosen = page.locator("#probe-photo input[type=file]")
            chosen.wait_for(state="attached")
            for path in EXAMPLES:
                page.evaluate(WATCH)
                chosen.set_input_files(path)
                score, everything = page.evaluate("() => window.waited")
                waits.append(everything)
                print(f"{path.stem:<14} {score:7.0f} {everything:7.0f}", flush=True)
                page.locator("#probe-photo [aria-label='Remove Image']").click()
                page.wait_for_timeout(1000)  # a person does not choose the next one at once
        later = waits[1:]
        print(f"later ones: median {statistics.median(later):.0f} ms, {min(later):.0f} to {max(later):.0f}")
        print(f"a million squares: {1000 * seconds_of_a_sum():.0f} ms")


if __name__ == "__main__":
    main()
