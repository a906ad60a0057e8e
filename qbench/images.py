"""From an image file to the pixels a model sees: one decoding policy, with limits checked before memory is taken.

The file's bytes are the identity; what a model sees is always 8-bit RGB, turned upright by its EXIF orientation, the
first frame of an animation, transparency laid on white, 16-bit grey scaled to 8 bits, CMYK converted. Nothing else of
the file stays with the pixels: no place where it was taken, no camera, no date.
"""

from __future__ import annotations

import hashlib
import math
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from qbench.errors import DataError
from qbench.records import Picture

_FORMATS = ("JPEG", "PNG", "WEBP", "BMP", "TIFF", "GIF", "AVIF", "HEIF")
"""Those that are read where Pillow has a plugin for them; HEIF, which phones write as .heic, by pillow-heif."""
_HEIF_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"mif1")
MOST_BYTES = 64 * 1024 * 1024
MOST_PIXELS = 120_000_000
"""A 108-megapixel phone photo passes; a decompression bomb does not."""
MOST_KEPT_BYTES = 256 * 1024 * 1024
"""Decoded pictures kept at hand: about a hundred of 1024 by 768 pixels."""
_OPENING = threading.Lock()
_MADE_AT_ONCE = 64

MadeT = TypeVar("MadeT")


def open_picture(path: Path) -> Picture:
    """An image file by its bytes, without decoding it; a DataError where it is none, or too large."""
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise DataError(f"{path.name} has {size / 1e6:.0f} MB; images may have {MOST_BYTES / 1e6:.0f} MB at most")
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"cannot read the image {path}: {error.strerror or error}") from None
    _check_header(path)
    return Picture(str(path), hashlib.sha256(data).hexdigest())


class Kept(Generic[MadeT]):
    """What was made of pictures lately, up to so many bytes; that of longest ago makes room. Several threads may use
    it, and wait for each other where they want the same picture."""

    def __init__(self, most_bytes: int, size: Callable[[MadeT], int]) -> None:
        self._most_bytes = most_bytes
        self._size = size
        self._bytes = 0
        self._made: OrderedDict[Picture, MadeT] = OrderedDict()
        self._lock = threading.Lock()
        self._making = [threading.Lock() for _ in range(_MADE_AT_ONCE)]

    def get(self, picture: Picture, make: Callable[[Picture], MadeT]) -> MadeT:
        """What `make` makes of a picture, made once while it is kept."""
        with self._making[hash(picture) % _MADE_AT_ONCE]:
            with self._lock:
                if picture in self._made:
                    self._made.move_to_end(picture)
                    return self._made[picture]
            made = make(picture)
            with self._lock:
                if self._size(made) <= self._most_bytes:
                    self._made[picture] = made
                    self._bytes += self._size(made)
                while self._bytes > self._most_bytes:
                    self._bytes -= self._size(self._made.popitem(last=False)[1])
            return made

    def clear(self) -> None:
        with self._lock:
            self._made.clear()
            self._bytes = 0


KEPT = Kept[Image.Image](MOST_KEPT_BYTES, lambda pixels: 3 * pixels.width * pixels.height)


def load_pixels(picture: Picture) -> Image.Image:
    """The picture as 8-bit RGB, upright; decoded once while it is in use. Do not change what it returns."""
    return KEPT.get(picture, lambda picture: _decode(Path(picture.path)))


def _decode(path: Path, factor: int = 1) -> Image.Image:
    """The pixels, at a size divided by `factor`, or a DataError; a JPEG's are then never all in memory."""
    try:
        with _opened(path) as image:
            image.seek(0)
            smaller = (max(image.width // factor, 1), max(image.height // factor, 1))
            if factor > 1:
                image.draft(None, smaller)
                image.thumbnail(smaller, Image.Resampling.BOX)
            pixels = to_rgb(ImageOps.exif_transpose(image))
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        if isinstance(error, OSError) and error.strerror:  # of the system, whose text tells where the file lies
            raise DataError(f"{path.name} cannot be read: {error.strerror}") from None
        raise DataError(f"{path.name} is damaged and cannot be decoded ({error})") from None
    pixels.info = {}
    return pixels


def reduced_pixels(path: Path, most_pixels: int) -> Image.Image:
    """The picture of a file as `load_pixels` has it, divided by the least whole number that leaves so many pixels."""
    width, height = image_size(path)
    return _decode(path, math.ceil(math.sqrt(width * height / most_pixels)))


def image_size(path: Path) -> tuple[int, int]:
    """Width and height that the header of an image file tells."""
    with _opened(path) as image:
        return image.size


def image_format(path: Path) -> str:
    """Pillow's name of the format of an image file."""
    with _opened(path) as image:
        return image.format or ""


@cache
def image_formats() -> tuple[str, ...]:
    """Pillow's names of the formats that are read here."""
    if find_spec("pillow_heif"):
        from pillow_heif import register_heif_opener

        register_heif_opener(thumbnails=False)
    Image.init()
    return tuple(name for name in _FORMATS if name in Image.OPEN)


def to_rgb(image: Image.Image) -> Image.Image:
    """8-bit RGB of any mode: high bit depths are scaled rather than clipped, transparency is laid on white."""
    if image.mode == "RGB":
        return image.copy()
    if image.mode.startswith("I;16") or image.mode == "I":
        # Pillow clips 16-bit grey at 255; scaling keeps the picture.
        grey = np.asarray(image, dtype=np.float64)
        return Image.fromarray(np.clip(grey / 257, 0, 255).round().astype(np.uint8)).convert("RGB")
    if image.mode == "F":
        grey = np.nan_to_num(np.asarray(image, dtype=np.float64))
        top = 1.0 if grey.max(initial=0.0) <= 1 else 255.0
        return Image.fromarray(np.clip(grey / top * 255, 0, 255).round().astype(np.uint8)).convert("RGB")
    if image.has_transparency_data:
        layered = image.convert("RGBA")
        white = Image.new("RGBA", layered.size, "white")
        return Image.alpha_composite(white, layered).convert("RGB")
    return image.convert("RGB")


def _check_header(path: Path) -> None:
    try:
        with _opened(path) as image:
            width, height = image.size
    except UnidentifiedImageError:
        with path.open("rb") as file:
            start = file.read(12)
        if start[4:8] == b"ftyp" and start[8:] in _HEIF_BRANDS and "HEIF" not in image_formats():
            raise DataError(f"{path.name} is HEIC, which pillow-heif reads: pip install 'qbench[heic]'") from None
        raise DataError(f"{path.name} is not an image in a known format ({', '.join(image_formats())})") from None
    except Image.DecompressionBombError:
        width = height = MOST_PIXELS
    except (OSError, SyntaxError, ValueError) as error:
        raise DataError(f"{path.name} is damaged and cannot be opened ({error})") from None
    if width * height > MOST_PIXELS:
        raise DataError(
            f"{path.name} is larger than {MOST_PIXELS / 1e6:.0f} million pixels, the most an image may have; shrink it"
        )


def _opened(path: Path) -> Image.Image:
    """The file's header. Our own limit decides, so Pillow's warning of a bomb is noise.

    Filters of warnings belong to the whole process, so threads take turns; pixels are decoded outside.
    """
    with _OPENING, warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        return Image.open(path, formats=image_formats())
