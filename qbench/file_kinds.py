"""What a file is that people drop in place of results, told by its first bytes, whatever it is called."""

from __future__ import annotations

import codecs
import json
import re

_KINDS = (
    (rb"\xff\xd8\xff", "a JPEG photo"),
    (rb"\x89PNG\r\n", "a PNG picture"),
    (rb"GIF8", "a GIF picture"),
    (rb"RIFF....WEBP", "a WebP picture"),
    (rb"II\*\x00|MM\x00\*", "a TIFF picture"),
    (rb"BM....\x00\x00\x00\x00", "a BMP picture"),
    (rb"....ftyp(?:avif|avis)", "an AVIF picture"),
    (rb"....ftyp(?:hei|hev|mif|msf)", "a HEIC photo"),
    (rb"....ftyp", "a video"),
    (rb"%PDF-", "a PDF document"),
    (rb"\x1f\x8b", "a gzip archive"),
    (rb"PK[\x03\x05]", "a zip archive or a spreadsheet (xlsx)"),
    (rb"(?i:<!doctype html|<html)", "a web page"),
    (rb"\x93NUMPY", "a NumPy array"),
    (rb"PAR1", "a Parquet table"),
    (rb"\x89HDF\r\n", "an HDF5 file"),
    (rb"SQLite format 3\x00", "an SQLite database"),
    (rb"\x80[\x02-\x05]", "a pickle of Python"),
    (rb"\xd0\xcf\x11\xe0", "an old Office document"),
    (rb"\x7fELF|MZ.{30}\x00", "a program"),
    (rb"[^\x00]{0,200}\x00", "binary, or text that is not UTF-8"),
)
"""How a file begins -> what it is; the first that fits."""


def name_binary(start: bytes) -> str:
    """What a file is that begins so, if it is no text; else nothing."""
    return next((kind for begins, kind in _KINDS if re.match(begins, start, re.DOTALL)), "")


def name_encoding(start: bytes) -> str:
    """The encoding of a text that begins so, where that is UTF-16 or UTF-32, marked or not; else nothing."""
    name = json.detect_encoding(start)
    if not name.startswith(("utf-16", "utf-32")):
        return ""
    marked = start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE))
    try:
        text = start[: min(64, len(start) // 4 * 4)].decode(name).strip()
    except UnicodeDecodeError:
        text = ""
    return name[:6].upper() if marked or (text and text[:2].isprintable()) else ""
