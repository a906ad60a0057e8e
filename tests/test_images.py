"""One decoding policy: every mode becomes the same upright RGB, and nothing hostile gets memory."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from qbench.errors import DataError
from qbench.images import Kept, image_formats, load_pixels, open_picture, reduced_pixels
from qbench.records import Picture


def pixels(image: Image.Image, path: Path, **options) -> np.ndarray:
    image.save(path, **options)
    shown = load_pixels(open_picture(path))
    assert shown.mode == "RGB"
    return np.asarray(shown)


def png_header(width: int, height: int) -> bytes:
    body = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + body
    return (
        b"\x89PNG\r\n\x1a\n"
        + struct.pack(">I", 13)
        + chunk
        + struct.pack(">I", zlib.crc32(chunk))
        + (b"\0\0\0\1IDAT\0")
    )


def test_sixteen_bit_grey_is_scaled_not_clipped(tmp_path: Path) -> None:
    grey = Image.fromarray(np.array([[0, 257 * 100, 65535]], dtype=np.uint16))
    assert pixels(grey, tmp_path / "a.png")[0, :, 0].tolist() == [0, 100, 255]


def test_transparency_is_laid_on_white(tmp_path: Path) -> None:
    layered = Image.fromarray(np.array([[[255, 0, 0, 255], [0, 0, 0, 0], [0, 0, 0, 51]]], dtype=np.uint8))
    assert pixels(layered, tmp_path / "a.png")[0].tolist() == [[255, 0, 0], [255, 255, 255], [204, 204, 204]]


def test_an_animation_is_its_first_frame(tmp_path: Path) -> None:
    frames = [Image.new("RGB", (3, 3), colour) for colour in ("red", "blue")]
    frames[0].save(tmp_path / "a.gif", save_all=True, append_images=frames[1:])
    assert np.asarray(load_pixels(open_picture(tmp_path / "a.gif")))[0, 0].tolist() == [255, 0, 0]


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("page.jpg", b"<html><script>alert(1)</script></html>", "not an image in a known format"),
        ("drawing.png", b'<svg xmlns="http://www.w3.org/2000/svg"/>', "not an image in a known format"),
        ("bomb.png", png_header(20_000, 20_000), "larger than 120 million pixels"),  # Pillow refuses it itself
        ("wide.png", png_header(2_000_000, 70), "larger than 120 million pixels"),
    ],
)
def test_what_is_no_image_or_too_large_is_refused_before_decoding(tmp_path: Path, name, content, sentence) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=sentence):
        open_picture(tmp_path / name)


def test_a_truncated_photo_says_so(tmp_path: Path) -> None:
    whole = tmp_path / "whole.jpg"
    Image.fromarray(np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)).save(whole)
    cut = tmp_path / "cut.jpg"
    cut.write_bytes(whole.read_bytes()[:900])
    with pytest.raises(DataError, match=r"cut\.jpg is damaged"):
        load_pixels(open_picture(cut))


def test_a_photo_that_is_gone_by_then_does_not_tell_where_it_lay(tmp_path: Path) -> None:
    Image.new("RGB", (4, 4), "blue").save(tmp_path / "gone.png")
    picture = open_picture(tmp_path / "gone.png")
    (tmp_path / "gone.png").unlink()
    with pytest.raises(DataError) as caught:
        load_pixels(picture)
    assert str(caught.value) == "gone.png cannot be read: No such file or directory"


def test_pictures_are_kept_by_their_bytes() -> None:
    made: list[str] = []
    sizes = {"one": 50, "two": 50, "three": 50, "large": 110}

    def make(picture: Picture) -> int:
        made.append(picture.path)
        return sizes[picture.path]

    kept = Kept[int](100, size=lambda bytes_: bytes_)
    for name in ("one", "two", "two", "one", "three", "one", "two", "large", "large", "two"):
        assert kept.get(Picture(name, name), make) == sizes[name]
    # "three" takes the room of "two", which was wanted longer ago than "one"; what is too large for all is not kept.
    assert made == ["one", "two", "three", "two", "large", "large"]


@pytest.mark.parametrize(
    ("name", "needed"), [("a.jpg", "JPEG"), ("a.avif", "AVIF"), ("a.heic", "HEIF"), ("a.tif", "TIFF")]
)
def test_formats_of_phones_and_scanners_are_read_upright(tmp_path: Path, name: str, needed: str) -> None:
    if needed not in image_formats():
        pytest.skip(f"no plugin for {needed} is installed")
    image = Image.new("RGB", (96, 64), "navy")
    image.paste("white", (0, 0, 48, 64))
    exif = Image.Exif()
    exif[0x0112] = 6  # shown turned a quarter clockwise
    image.info["exif"] = exif.tobytes()  # HEIC turns by a box of its own, which is written from this
    shown = pixels(image, tmp_path / name, **({} if needed == "HEIF" else {"exif": exif}))
    assert shown.shape == (96, 64, 3)
    assert shown[10, 32].tolist() == pytest.approx([255] * 3, abs=6)  # the left half is above
    assert shown[85, 32].tolist() == pytest.approx([0, 0, 128], abs=6)


def test_heic_without_its_package_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qbench.images.image_formats", lambda: ("JPEG", "PNG"))
    (tmp_path / "a.heic").write_bytes(b"\0\0\0\x18ftypheic" + bytes(64))
    with pytest.raises(DataError, match=r"a\.heic is HEIC, which pillow-heif reads: pip install 'qbench\[heic\]'"):
        open_picture(tmp_path / "a.heic")


def test_where_a_photo_was_taken_does_not_stay_with_its_pixels(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x8825] = {1: "N", 2: (52.0, 31.0, 0.0)}
    Image.new("RGB", (32, 32)).save(tmp_path / "a.jpg", exif=exif)
    found = load_pixels(open_picture(tmp_path / "a.jpg"))
    assert (found.info, dict(found.getexif())) == ({}, {})


def test_a_reduced_picture_is_divided_by_a_whole_number(tmp_path: Path) -> None:
    for name in ("a.jpg", "a.png"):
        Image.new("RGB", (300, 201), "lime").save(tmp_path / name)
        reduced = reduced_pixels(tmp_path / name, 10_000)  # of 60,300: a third of each side
        assert reduced.size == (100, 67)
        assert np.asarray(reduced)[30, 50].tolist() == pytest.approx([0, 255, 0], abs=3)


def test_cmyk_and_grey_become_rgb(tmp_path: Path) -> None:
    assert pixels(Image.new("CMYK", (8, 8), (0, 0, 0, 0)), tmp_path / "a.jpg")[0, 0].tolist() == [255, 255, 255]
    assert pixels(Image.new("L", (8, 8), 77), tmp_path / "b.png")[0, 0].tolist() == [77, 77, 77]
    assert pixels(Image.new("1", (8, 8), 1), tmp_path / "c.png")[0, 0].tolist() == [255, 255, 255]
