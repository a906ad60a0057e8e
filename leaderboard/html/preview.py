"""A visitor's photo as a page shows it: of a size for looking at, in a format that every browser knows."""

from __future__ import annotations

import base64
import io
from pathlib import Path

from PIL import Image

from leaderboard.html import markup
from qbench.images import image_format, load_pixels
from qbench.records import Picture

_SHOWN = ("JPEG", "PNG", "WEBP", "BMP", "GIF", "AVIF")
_LONGEST_SIDE = 1024
_MOST_PIXELS = 4_000_000
"""A larger photo would be sent to its visitor a second time."""


def is_shown_by_browsers(picture: Picture) -> bool:
    """Whether browsers show the file itself."""
    return image_format(Path(picture.path)) in _SHOWN


def preview_address(picture: Picture) -> str:
    """The file's own address, or a small copy within the address."""
    pixels = load_pixels(picture)
    if is_shown_by_browsers(picture) and pixels.width * pixels.height <= _MOST_PIXELS:
        return markup.file_address(picture.path)
    small = pixels.copy()
    small.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE), reducing_gap=2.0)
    return image_address(small, "JPEG", quality=85)


def image_address(image: Image.Image, kind: str, **options: int) -> str:
    """An image as a data address."""
    out = io.BytesIO()
    image.save(out, kind, **options)
    return f"data:image/{kind.lower()};base64,{base64.b64encode(out.getvalue()).decode('ascii')}"
