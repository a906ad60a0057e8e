"""From an uploaded file to a picture: its bytes stay as they are, and what is too much is refused before it is decoded.

`qbench.images` decides what an image is and how it becomes pixels; here are the tighter limits of a public page, and
the duty to forget.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir, mkdtemp
from uuid import uuid4

from filelock import FileLock, Timeout
from PIL import Image

import qbench
from leaderboard.live.service.limits import Visitor
from qbench.archives import UPLOAD_LIMITS, FileLimits, unpack
from qbench.errors import DataError
from qbench.images import KEPT, image_format, image_size, load_pixels, open_picture, reduced_pixels
from qbench.records import Picture
from qbench.rows import read_file

EXAMPLES = tuple(sorted((Path(qbench.__file__).parent / "datasets" / "demo" / "photos").glob("*.jpg")))
MOST_BYTES = 64 * 2**20
MOST_PIXELS = 30_000_000
"""A 24-megapixel photo passes; a measure of it takes about a gigabyte. Larger JPEGs are scaled to this."""
LEAST_SIDE = 16
MOST_LENGTHY = 20
"""Models bring the shorter side to their size, so a longer strip would grow without bounds."""
KEPT_SECONDS = 3600.0
"""For which files are kept that no page was heard of for."""
_ONE_AT_A_TIME = threading.Lock()
_BLOCK = 256 * 2**20
_UPLOADS = "qbench-uploads-"
_ALIVE = ".alive"
_LOCKS: list[FileLock] = []


def give_memory_back() -> None:
    """Have pixels of a photo in one block, which the system gets back when they are let go.

    Pillow allocates 16 MB at a time. Those of many threads are kept by the C library, each thread's for itself: eight
    photos of 30 megapixels, decoded one after the other by eight threads, left 2.5 GB behind, and so leave 0.3.
    """
    Image.core.set_block_size(_BLOCK)  # type: ignore[attr-defined]  # Pillow names it in its own tests alone


def take_in(path: Path, folder: Path) -> Picture:
    """Identify an uploaded image by its bytes, and decode it once to be sure that it can be.

    Of a JPEG with more than `MOST_PIXELS`, a scaled copy is made in the folder and stands for it: it is decoded at the
    smaller size, and any other format whole, which takes a gigabyte for a file of two kilobytes.

    Raises:
        DataError: It is empty, no image, too large, too small, too long, or damaged; one sentence.
    """
    try:
        size = path.stat().st_size
    except OSError:
        raise DataError(f"{path.name} is no longer here; give it again") from None
    if size == 0:
        raise DataError(f"{path.name} is empty; give the photo itself")
    if size > MOST_BYTES:
        raise DataError(f"{path.name} has {size / 2**20:.0f} MB; photos may have {MOST_BYTES / 2**20:.0f} MB here")
    with _ONE_AT_A_TIME:  # so that many uploads at once do not add up
        picture = open_picture(path)
        width, height = image_size(path)
        is_scaled = width * height > MOST_PIXELS and image_format(path) == "JPEG"
        _check_size(path.name, width, height, most_pixels=width * height if is_scaled else MOST_PIXELS)
        if is_scaled:
            picture = _scaled(picture, folder)
        load_pixels(picture)
    return picture


def _scaled(picture: Picture, folder: Path) -> Picture:
    """A copy without loss of what is left of the picture, under its own name; made once for a visitor."""
    copy = folder / picture.sha256[:16] / Path(picture.path).with_suffix(".png").name
    if not copy.is_file():
        copy.parent.mkdir(parents=True, exist_ok=True)
        reduced_pixels(Path(picture.path), MOST_PIXELS).save(copy, "PNG", compress_level=1)
    return open_picture(copy)


def _check_size(name: str, width: int, height: int, most_pixels: int) -> None:
    if width * height > most_pixels:
        most = MOST_PIXELS / 1e6
        raise DataError(f"{name} has {width * height / 1e6:.0f} million pixels; shrink it to {most:.0f} million")
    if min(width, height) < LEAST_SIDE:
        raise DataError(f"{name} is {width} × {height} pixels; each side needs at least {LEAST_SIDE}")
    if max(width, height) > MOST_LENGTHY * min(width, height):
        raise DataError(f"{name} is {width} × {height} pixels, a strip no model reads; crop it")


class Uploads:
    """Which visitor's page uses which files; the last one to leave has them deleted.

    Pages say when they are closed. Scripts do not, and some files nobody ever asks about, or their connection is cut
    while they come: `sweep` deletes what is old.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._heard: dict[str, float] = {}
        """Session -> when it last wanted something."""
        self._root = TemporaryDirectory(prefix="made-", dir=upload_folder())
        self._users: dict[Path, set[str]] = {}
        self._written: dict[Path, int] = {}
        """When each of those files was written: who has uploaded the same anew may not have asked for anything yet."""
        self._of_pages: frozenset[Path] = frozenset()
        self._folders: dict[str, Path] = {}
        self._lock = threading.Lock()

    @property
    def root(self) -> Path:
        """Where pictures that are made for visitors lie, each visitor's in a folder that nobody can guess."""
        return Path(self._root.name)

    def take_in(self, path: Path, visitor: Visitor) -> Picture:
        """See `take_in`; the file, in the upload folder, is this visitor's from now on, refused or not."""
        return take_in(self.keep_for(path, visitor), self.folder_of(visitor))

    def keep_for(self, path: Path, visitor: Visitor) -> Path:
        """Note that a file is this visitor's, whatever is in it: with the last who uses it, it is deleted."""
        self._heard[visitor.session] = self._clock()
        path = path.resolve()
        if path not in self._of_pages:
            with self._lock:
                self._users.setdefault(path, set()).add(visitor.session)
                self._written[path] = _written(path)
        return path

    def keep(self, files: Iterable[str | Path]) -> None:
        """Never delete these: files that all visitors' pages show, which uploads of the same bytes and name share."""
        self._of_pages = frozenset(Path(file).resolve() for file in files)

    def folder_of(self, visitor: Visitor) -> Path:
        """For pictures that are made for a visitor."""
        self._heard[visitor.session] = self._clock()
        with self._lock:
            folder = self._folders.setdefault(visitor.session, self.root / uuid4().hex)
        folder.mkdir(exist_ok=True)
        return folder

    def forget(self, visitor: Visitor) -> None:
        """Delete the visitor's pictures, but for uploads that another visitor uses, and all that is decoded."""
        with self._lock:
            for path, users in list(self._users.items()):
                users.discard(visitor.session)
                if not users:
                    if self._written.pop(path, 0) == _written(path):
                        path.unlink(missing_ok=True)
                    del self._users[path]
            folder = self._folders.pop(visitor.session, None)
            self._heard.pop(visitor.session, None)
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        KEPT.clear()

    def sweep(self) -> None:
        """Forget visitors who were not heard of for long, and delete uploads as old that none of the others uses."""
        since = self._clock() - KEPT_SECONDS
        for session in [session for session, at in list(self._heard.items()) if at < since]:
            self.forget(Visitor(session, ""))
        with self._lock:
            used = self._of_pages | self._users.keys()
        cut = upload_folder().glob("tmp*")  # what connections that were cut have left
        for path in [*cut, *upload_folder().glob("*/*")]:
            with suppress(OSError):
                is_old = time.time() - path.stat().st_ctime > KEPT_SECONDS
                if is_old and path.is_file() and path.parent != self.root and path.resolve() not in used:
                    path.unlink()
                    path.parent.rmdir()

    def sweep_always(self) -> None:
        """Sweep every few minutes, for as long as the process lives."""

        def sweep() -> None:
            while True:
                time.sleep(KEPT_SECONDS / 12)
                self.sweep()

        threading.Thread(target=sweep, daemon=True).start()


@cache
def upload_folder() -> Path:
    """Where this process keeps what visitors give it; what processes that were killed have left there is deleted."""
    place = Path(os.environ.get("GRADIO_TEMP_DIR") or gettempdir())
    place.mkdir(parents=True, exist_ok=True)
    for left in place.glob(f"{_UPLOADS}*"):
        with suppress(OSError, Timeout), FileLock(left / _ALIVE, timeout=0):  # locked for as long as its process lives
            shutil.rmtree(left, ignore_errors=True)
    made = Path(mkdtemp(dir=place)).resolve()
    lock = FileLock(made / _ALIVE)
    lock.acquire()
    _LOCKS.append(lock)
    folder = made.rename(made.parent / f"{_UPLOADS}{made.name}")  # under this name it is locked from the beginning
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _written(path: Path) -> int:
    """When a file was written, in nanoseconds; 0 of one that is not there."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def collect(paths: Sequence[str] | None, visitor: Visitor, uploads: Uploads, most: int) -> Iterator[tuple[str, Path]]:
    """Name and file of each upload; of a zip those that it holds, with their folders, unpacked for this visitor.

    Args:
        paths: Files and zips.
        visitor: Who handed them in: when they leave, all of it is deleted.
        uploads: Where it is kept until then.
        most: How many a zip holds about.

    Raises:
        DataError: A zip that is none, is hostile or holds too many files.
    """
    for path in map(Path, paths or ()):
        uploads.keep_for(path, visitor)
        if path.suffix.lower() != ".zip":
            yield path.name, path
            continue
        unpacked = unpack(read_file(path), FileLimits(UPLOAD_LIMITS.size, 8 * UPLOAD_LIMITS.size, most + 50))
        if not unpacked.packed:
            raise DataError(f"{path.name} is no zip archive; pack the images again")
        folder = uploads.folder_of(visitor) / hashlib.sha256(str(path).encode()).hexdigest()[:16]
        for number, (name, file) in enumerate(unpacked.files.items()):
            place = folder / str(number) / file.name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.content)
            yield name, place
