"""A photo that tells where it was taken reaches a server as pixels alone."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from qbench.images import load_pixels, open_picture
from qbench.models.openai.protocol import data_url

XMP = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><exif:GPSLatitude>52,31N</exif:GPSLatitude></x:xmpmeta>'


def exif(**tags: object) -> Image.Exif:
    made = Image.Exif()
    made[0x010F] = "Maker"
    if tags:
        made[0x8825] = {1: "N", 2: (52.0, 31.0, 0.0)}
    return made


@pytest.mark.parametrize("how", [{"exif": exif(place=True)}, {"exif": exif(), "xmp": XMP}])
def test_where_a_photo_was_taken_is_not_sent(tmp_path: Path, how: dict[str, object]) -> None:
    path = tmp_path / "photo.jpg"
    Image.radial_gradient("L").convert("RGB").save(path, **how)
    picture = open_picture(path)
    kind, _, content = data_url(picture).partition(";base64,")
    sent = Image.open(io.BytesIO(base64.b64decode(content)))
    assert (kind, dict(sent.getexif()), "xmp" in sent.info) == ("data:image/png", {}, False)
    assert np.array_equal(np.asarray(sent), np.asarray(load_pixels(picture)))


def test_a_photo_that_does_not_tell_is_sent_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "photo.jpg"
    Image.radial_gradient("L").convert("RGB").save(path, exif=exif())
    kind, _, content = data_url(open_picture(path)).partition(";base64,")
    assert (kind, base64.b64decode(content)) == ("data:image/jpeg", path.read_bytes())
