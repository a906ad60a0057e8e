"""Draws docs/nano-iqa.jpg: ten demo photos, fine and ruined, with what nano-iqa says of each.

python -m tests.quality_sheet docs/nano-iqa.jpg
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from qbench.datasets.demo.damage import Damage
from qbench.datasets.demo.pictures import DemoPicture, ensure_file
from qbench.images import open_picture
from qbench.models import Model, open_model
from qbench.models.embedded import reference_scores
from qbench.records import Prompt

SHOWN = (
    *(DemoPicture(photo) for photo in ("coffee", "hills", "raccoon", "rocket", "stadium")),
    DemoPicture("admiral", Damage("lens-blur", 4)),
    DemoPicture("pagoda", Damage("white-noise", 5)),
    DemoPicture("railway", Damage("underexposure", 4)),
    DemoPicture("dahlia", Damage("jpeg", 5)),
    DemoPicture("playground", Damage("undersaturation", 5)),
)
COLUMNS, WIDTH, HEIGHT, GAP = 5, 240, 180, 5


def caption(model: Model, picture: DemoPicture, path: Path) -> str:
    """What was done, where the score falls, and the two likeliest kinds of damage from 0.5 on."""
    [response] = model.respond([Prompt("score", (open_picture(path),))])
    reference = reference_scores("nano-iqa")
    assert reference is not None and response.score is not None and response.score_error is not None
    score, error = response.score, response.score_error
    below, low, high = (reference.below(value) for value in (score, score - error, score + error))
    likely = sorted(((odds, fault) for fault, odds in response.faults.items() if odds >= 0.5), reverse=True)[:2]
    done = f"{picture.damage.kind} {picture.damage.level:g}" if picture.damage else "untouched"
    faults = ", ".join(f"{fault} {odds:.2f}" for odds, fault in likely) or "no damage likely"
    return f"{done}\nbetter than {below} of {len(reference.scores)} ({low} to {high})\n{faults}"


def main(out: Path) -> None:
    """Draw the sheet."""
    model, font = open_model("nano-iqa"), ImageFont.load_default(13)
    across, down = WIDTH + 2 * GAP, HEIGHT + 60 + GAP
    sheet = Image.new("RGB", (COLUMNS * across, -(-len(SHOWN) // COLUMNS) * down), "white")
    pen = ImageDraw.Draw(sheet)
    with tempfile.TemporaryDirectory() as folder:
        for place, picture in enumerate(SHOWN):
            path = ensure_file(picture, Path(folder))
            left, top = place % COLUMNS * across + GAP, place // COLUMNS * down + GAP
            with Image.open(path) as image:
                image.thumbnail((WIDTH, HEIGHT))
                sheet.paste(image, (left, top))
            pen.multiline_text((left, top + HEIGHT + GAP), caption(model, picture, path), fill="black", font=font)
    sheet.save(out, quality=88, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
