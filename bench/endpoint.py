"""Compare a checkpoint behind a server with the same checkpoint opened here: what backends differ by.

    python -m bench.endpoint --model NAME --endpoint URL --checkpoint FOLDER [--images DIR]

Prints, for prompts with one image and with two, how far apart the two are in the difference of two words' logits, and
whether they write the same. With a tiny checkpoint of tests/models/tiny.py this is how the endpoint was tried on vLLM.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

from qbench.images import open_picture
from qbench.models import Model, ModelOptions, open_model
from qbench.records import Picture, Prompt, Response

WORDS = ("good", "poor", "fair", "excellent")
QUESTION, BEGUN = "Rate the quality of the image.", "The quality of the image is"


def noise(folder: Path) -> list[Picture]:
    rng = np.random.default_rng(0)
    for number, (width, height) in enumerate(((40, 30), (30, 60), (64, 64), (90, 31))):
        Image.fromarray(rng.integers(0, 256, (height, width, 3), dtype=np.uint8)).save(folder / f"{number}.png")
    return [open_picture(folder / f"{number}.png") for number in range(4)]


def apart(server: Model, here: Model, prompts: list[Prompt]) -> str:
    """Largest disagreement about a word's logit less the first word's; and what was not weighed."""
    worst, missing = 0.0, set()
    for served, local in zip(server.respond(prompts), here.respond(prompts), strict=True):
        if served.failure or local.failure:
            return f"failed: {served.failure or local.failure}"
        first = WORDS[0]
        for word in WORDS[1:]:
            if not {first, word} <= served.logits.keys():
                missing.add(word)
                continue
            gap = (served.logits[word] - served.logits[first]) - (local.logits[word] - local.logits[first])
            worst = max(worst, abs(gap))
    return f"{worst:.1e} apart" + (f"; not weighed: {', '.join(sorted(missing))}" if missing else "")


def plain(answer: Response) -> str:
    """Without bytes that are no text, which random weights write and servers cut off at the end."""
    return (answer.text or "").replace("\ufffd", "").strip()


def main() -> None:
    asked = argparse.ArgumentParser(description="A served checkpoint against the same one opened here.")
    asked.add_argument("--model", required=True)
    asked.add_argument("--endpoint", required=True)
    asked.add_argument("--checkpoint", required=True)
    asked.add_argument("--images", type=Path)
    options = asked.parse_args()
    server = open_model(options.model, ModelOptions(endpoints=(options.endpoint,)))
    here = open_model(options.checkpoint, ModelOptions(device="cpu"))
    print(dict(server.identity))
    with tempfile.TemporaryDirectory() as scratch:
        pictures = noise(Path(scratch))
        if options.images:
            pictures = [open_picture(path) for path in sorted(options.images.iterdir())]
        for count in (1, 2):
            shown = [tuple(pictures[start : start + count]) for start in range(len(pictures) - count + 1)]
            for begun in (BEGUN, ""):
                prompts = [Prompt("words", (*some, QUESTION), WORDS, begun) for some in shown]
                print(f"{count} images, answer begun by {begun!r}: {apart(server, here, prompts)}")
            texts = [Prompt("text", (*some, QUESTION), max_tokens=12) for some in shown]
            same = [plain(a) == plain(b) for a, b in zip(server.respond(texts), here.respond(texts), strict=True)]
            print(f"{count} images: {sum(same)} of {len(same)} texts alike")


if __name__ == "__main__":
    main()
