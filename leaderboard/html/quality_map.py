"""A visitor's photo in a format that every browser knows, and a quality map over it: an overlay whose strength a slider
sets, a legend, and the same in a sentence."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import numpy as np
from PIL import Image

from leaderboard.html import markup
from leaderboard.html.markup import Html, template
from leaderboard.live.quality import QualityMap
from qbench.images import image_format, load_pixels
from qbench.records import Picture

_COLOURS = np.array([[255, 214, 102], [230, 122, 26], [140, 26, 58]], float)
"""From a little worse to much worse; lightness falls, so that it reads without telling hues apart."""
_BEGINS, _ENDS = 0.5, 1.5
"""Margins below the median part: where colour begins and where it is strongest."""
_STRONGEST = 0.85
"""Opacity of the strongest colour."""
_PIXELS_OF_CELL = 12
_MAP = template("""
<figure class="qb-map">
<div class="qb-map-photo"><img src="{{ photo }}" alt="The photo"><img class="overlay" src="{{ overlay }}" alt=""></div>
<figcaption>
<label>Overlay <input type="range" min="0" max="100" step="5" value="80" aria-valuetext="80 %"></label>
<span class="qb-map-legend"><span>as the rest</span><i></i><span>{{ points }} points worse</span></span>
</figcaption>
</figure>
""")


def quality_map(known: QualityMap, picture: Picture) -> Html:
    """The map over the photo, and what it says; folded unless a part stands out."""
    shown = markup.join(
        markup.finding(map_sentence(known)),
        _MAP(
            photo=preview_address(picture),
            overlay=image_address(overlay(known), "PNG"),
            points=f"{_ENDS * known.margin:.0f}",
        ),
        markup.note(
            "The model scores each part by itself, and the map compares it with the other parts of the photo. Damage "
            "to the whole photo is not visible here. Parts that are smooth, blurred or dark on purpose may be marked."
        ),
    )
    if known.stands_out:
        return markup.join(markup.heading("Where"), shown)
    return markup.folded("Where: no part stands out", shown)


def map_sentence(known: QualityMap) -> str:
    """Which part looks worst, or that none stands out."""
    drop = f"{max(known.worst_drop, 0):.0f}"
    if not known.stands_out:
        return (
            f"No part stands out: the worst is {drop} points below the median part. In nine of ten untouched "
            f"photos this difference is at most {known.margin:.0f} points."
        )
    return f"The {known.worst_place} looks worst: it scores {drop} points below the median part of this photo."


def overlay(known: QualityMap) -> Image.Image:
    """The colours, transparent where a part is as good as the rest."""
    share = (np.array(known.drops) / known.margin - _BEGINS) / (_ENDS - _BEGINS)
    size = tuple(side * _PIXELS_OF_CELL for side in reversed(share.shape))
    smooth = np.asarray(Image.fromarray(share.astype(np.float32)).resize(size, Image.Resampling.BICUBIC)).clip(0, 1)
    stops = np.linspace(0, 1, len(_COLOURS))
    channels = [np.interp(smooth, stops, colour) for colour in _COLOURS.T]
    channels.append(255 * _STRONGEST * np.sqrt(smooth))
    return Image.fromarray(np.stack(channels, axis=-1).round().astype(np.uint8))


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
