"""What is no photo gets one sentence, what is one keeps its bytes, and neither takes memory it was not allowed."""

from __future__ import annotations

import hashlib
import io
import os
import resource
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from leaderboard.live.service import uploads as uploads_module
from leaderboard.live.service.limits import Visitor
from leaderboard.live.service.uploads import EXAMPLES, KEPT_SECONDS, MOST_BYTES, Uploads, take_in
from qbench.errors import DataError
from qbench.images import load_pixels

ROOT = Path(__file__).resolve().parents[4]
ONE, OTHER = Visitor("one", "here"), Visitor("other", "here")


def png(width: int, height: int, packed: bytes = b"") -> bytes:
    """A PNG whose header says what it likes."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def saved(image: Image.Image, kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def photo(width: int = 64, height: int = 48) -> Image.Image:
    return Image.fromarray(np.random.default_rng(3).integers(0, 256, (height, width, 3), dtype=np.uint8))


def most_memory() -> float:
    """The most bytes this process ever held; a decoded bomb would be 400 million."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


HOSTILE = {
    "bomb.png": (png(20_000, 20_000, zlib.compress(bytes(4_000_000))), "larger than 120 million pixels"),
    # Only a JPEG is decoded at a smaller size: two kilobytes of one colour took 1.1 GB.
    "wide.png": (png(8_000, 8_000), "has 64 million pixels; shrink it to 30 million"),
    "strip.png": (png(321, 16), "321 × 16 pixels, a strip no model reads; crop it"),
    "dot.png": (saved(photo(15, 16), "PNG"), "is 15 × 16 pixels; each side needs at least 16"),
    "cut.jpg": (saved(photo(400, 300), "JPEG")[:4000], "is damaged and cannot be decoded"),
    "page.jpg": (b"<!doctype html><script>alert(1)</script>", "is not an image in a known format"),
    "nothing.png": (b"", "is empty; give the photo itself"),
    "heavy.jpg": (saved(photo(), "JPEG") + bytes(MOST_BYTES), "photos may have 64 MB here"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_each_refusal_is_one_sentence_and_takes_no_memory(tmp_path: Path, name: str) -> None:
    content, sentence = HOSTILE[name]
    path = tmp_path / name
    path.write_bytes(content)
    before = most_memory()
    with pytest.raises(DataError, match=sentence) as refused:
        take_in(path, tmp_path / "made")
    assert str(refused.value).startswith(name)
    assert str(tmp_path) not in str(refused.value)
    assert most_memory() - before < 100e6


def test_a_photo_keeps_its_bytes_whatever_its_colours(tmp_path: Path) -> None:
    """How each kind of pixels becomes RGB is in tests/test_images.py."""
    path, content = tmp_path / "cmyk.jpg", saved(photo(320, 16).convert("CMYK"), "JPEG")  # as long and thin as may be
    path.write_bytes(content)
    assert take_in(path, tmp_path / "made").sha256 == hashlib.sha256(content).hexdigest()
    assert path.read_bytes() == content


def test_a_large_phone_photo_is_scaled_upright_and_without_its_place(tmp_path: Path) -> None:
    """And never decoded at its full size: another process, whose peak is its own, takes 90 MB for it, and not 210."""
    exif = Image.Exif()
    exif[274] = 6
    exif[0x8825] = {1: "N", 2: (52.0, 31.0, 0.0)}
    path = tmp_path / "large.jpg"
    halves = Image.new("RGB", (6_400, 4_800), "navy")
    halves.paste("white", (0, 0, 3_200, 4_800))
    halves.save(path, exif=exif)
    content = path.read_bytes()
    uploads = Uploads()
    picture = uploads.take_in(path, ONE)
    assert Path(picture.path).name == "large.png"
    pixels = load_pixels(picture)
    assert pixels.size == (2_400, 3_200)  # a quarter clockwise, at half the size
    assert pixels.getpixel((1_000, 100)) == (255, 255, 255)  # the left half is above
    with Image.open(picture.path) as copy:
        assert dict(copy.getexif()) == {}
    assert path.read_bytes() == content
    if sys.platform != "linux":
        return
    code = (
        "import re, sys; from pathlib import Path; from qbench.images import image_formats, reduced_pixels;"
        "peak = lambda: int(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1]);"
        "image_formats(); before = peak(); reduced_pixels(Path(sys.argv[1]), 30_000_000); print(peak() - before)"
    )
    said = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True, cwd=ROOT)
    assert int(said.stdout) < 150_000


def test_a_file_goes_with_the_last_page_that_uses_it(tmp_path: Path) -> None:
    uploads, path = Uploads(), tmp_path / "photo.png"
    photo().save(path)
    for visitor in (ONE, OTHER):
        uploads.take_in(path, visitor)
    uploads.forget(ONE)
    assert path.exists()
    uploads.forget(OTHER)
    assert not path.exists()
    path.write_bytes(b"<html>")
    with pytest.raises(DataError):
        uploads.take_in(path, ONE)
    uploads.forget(ONE)
    assert not path.exists()  # nor does what was refused stay


def test_a_file_that_others_have_given_too_stays(tmp_path: Path) -> None:
    """The same bytes have the same path; a reload gives them before its old page has gone, and asks later."""
    uploads, again, example = Uploads(), tmp_path / "photo.png", tmp_path / "coffee.jpg"
    photo().save(again)
    example.write_bytes(EXAMPLES[2].read_bytes())
    uploads.keep([example])
    for path in (again, example):
        uploads.take_in(path, ONE)
    os.utime(again, ns=(1, 1))  # written anew
    uploads.forget(ONE)
    assert again.exists() and example.exists()


def test_what_nobody_was_heard_of_for_is_deleted_after_an_hour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scripts never say that they leave, some files nobody asks about, and connections are cut while one comes."""
    now = 0.0
    monkeypatch.setattr(uploads_module, "upload_folder", lambda: tmp_path)
    uploads = Uploads(clock=lambda: now)
    names = ("of a script", "of a page", "of nobody", "of the app")
    paths = {name: tmp_path / name / "photo.png" for name in names} | {"cut": tmp_path / "tmpabc"}
    for path in paths.values():
        path.parent.mkdir(exist_ok=True)
        Image.new("RGB", (64, 64)).save(path, "PNG")
    uploads.keep([paths["of the app"]])
    script, page = Visitor("script", "there"), Visitor("page", "here")
    folder = uploads.folder_of(script)
    uploads.take_in(paths["of a script"], script)
    begun = time.time()
    now = KEPT_SECONDS
    uploads.take_in(paths["of a page"], page)
    uploads.sweep()
    assert folder.is_dir() and all(path.is_file() for path in paths.values())
    now += 1
    monkeypatch.setattr(uploads_module.time, "time", lambda: begun + KEPT_SECONDS + 60)
    uploads.sweep()
    assert [name for name, path in paths.items() if path.is_file()] == ["of a page", "of the app"]
    assert not folder.exists()
    assert not paths["of nobody"].parent.exists()
