"""Draws docs/nano-iqa.jpg: ten demo photos, fine, ruined and damaged in one place, with what nano-iqa says.

Under each photo stands its map as Probe draws it, and under that the sentence that Probe gives with it.

python -m tools.quality_sheet docs/nano-iqa.jpg
"""

from __future__ import annotations

import sys
import tempfile
import textwrap
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from leaderboard.html.quality_map import map_sentence, overlay
from leaderboard.live.quality import QualityMap
from qbench.datasets.demo import ensure_file
from qbench.images import open_picture
from qbench.models import Model, open_model
from qbench.models.builtin import reference_scores
from qbench.records import Prompt, Response
from tools.demo.damage import Damage, DemoPicture

SHOWN = (
    *(DemoPicture(photo) for photo in ("coffee", "hills", "raccoon", "rocket")),
    DemoPicture("admiral", Damage("lens-blur", 4)),
    DemoPicture("pagoda", Damage("white-noise", 5)),
    DemoPicture("railway", Damage("underexposure", 4)),
    DemoPicture("dahlia", Damage("jpeg", 5)),
    DemoPicture("playground", Damage("oversaturation", 4, "bottom left")),
    DemoPicture("stadium", Damage("lens-blur", 5, "top right")),
)
COLUMNS, WIDTH, HEIGHT, GAP = 5, 240, 180, 5


def caption(response: Response, picture: DemoPicture) -> str:
    """What was done, where the score falls, and the two likeliest kinds of damage from 0.5 on."""
    reference = reference_scores("nano-iqa")
    assert reference is not None and response.score is not None and response.score_error is not None
    score, error = response.score, response.score_error
    below, low, high = (reference.below(value) for value in (score, score - error, score + error))
    likely = sorted(((odds, fault) for fault, odds in response.faults.items() if odds >= 0.5), reverse=True)[:2]
    damage = picture.damage
    place = f", {damage.place}" if damage and damage.place else ""
    done = f"{damage.kind} {damage.level:g}{place}" if damage else "untouched"
    faults = ", ".join(f"{fault} {odds:.2f}" for odds, fault in likely) or "no damage likely"
    return f"{done}\nbetter than {below} of {len(reference.scores)} ({low} to {high})\n{faults}"


def mapped(model: Model, path: Path) -> tuple[Image.Image, str]:
    """The photo in grey under its map, and the sentence that goes with it."""
    [response] = model.respond([Prompt("map", (open_picture(path),))])
    assert response.map_margin is not None
    known = QualityMap(response.score_map, response.map_margin)
    with Image.open(path) as image:
        grey = image.convert("L").convert("RGBA")
    return Image.alpha_composite(grey, overlay(known).resize(grey.size)).convert("RGB"), map_sentence(known)


def main(out: Path) -> None:
    """Draw the sheet."""
    model, font = open_model("nano-iqa"), ImageFont.load_default(13)
    across, down = WIDTH + 2 * GAP, 2 * HEIGHT + 120 + 3 * GAP
    sheet = Image.new("RGB", (COLUMNS * across, -(-len(SHOWN) // COLUMNS) * down), "white")
    pen = ImageDraw.Draw(sheet)
    with tempfile.TemporaryDirectory() as folder:
        for place, picture in enumerate(SHOWN):
            path = ensure_file(picture.name, Path(folder))
            left, top = place % COLUMNS * across + GAP, place // COLUMNS * down + GAP
            [response] = model.respond([Prompt("score", (open_picture(path),))])
            assert response.score_error is not None
            drawn, sentence = mapped(model, path)
            with Image.open(path) as image:
                for image_place, shown in enumerate((image.convert("RGB"), drawn)):
                    shown.thumbnail((WIDTH, HEIGHT))
                    sheet.paste(shown, (left, top + image_place * (HEIGHT + GAP)))
            said = [caption(response, picture), *textwrap.wrap(sentence, 38)]
            pen.multiline_text((left, top + 2 * (HEIGHT + GAP)), "\n".join(said), fill="black", font=font)
    sheet.save(out, quality=50, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
