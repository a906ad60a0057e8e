"""Draws docs/distortions.jpg: every type of distortion at its five levels.

python -m tools.contact_sheet PHOTO docs/distortions.jpg

The picture in the repository shows the demo photo `astronaut.jpg` (NASA, public domain).
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image, ImageDraw, ImageOps

from qbench.distortions import LEVELS, TYPES, distort

WIDTH, HEIGHT, LINE, GAP = 80, 70, 18, 12
COLUMNS = 2


def draw_sheet(photo: Image.Image) -> Image.Image:
    """Types in two columns, in the order of `TYPES`; levels from left to right."""
    clean = ImageOps.fit(photo.convert("RGB"), (WIDTH, HEIGHT), centering=(0.5, 0.0))
    rows = -(-len(TYPES) // COLUMNS)
    group = len(LEVELS) * WIDTH
    sheet = Image.new("RGB", (COLUMNS * group + (COLUMNS - 1) * GAP, rows * (HEIGHT + LINE)), "white")
    pen = ImageDraw.Draw(sheet)
    for place, (key, kind) in enumerate(TYPES.items()):
        left, top = place // rows * (group + GAP), place % rows * (HEIGHT + LINE)
        number = f" (KADID-10k {kind.kadid})" if kind.kadid else ""
        pen.text((left + 2, top + 2), f"{kind.label}{number}", "black", font_size=12)
        for level in LEVELS:
            sheet.paste(distort(clean, key, level, seed=4), (left + (level - 1) * WIDTH, top + LINE))
    return sheet


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    draw_sheet(Image.open(source)).save(target, quality=40, optimize=True)
