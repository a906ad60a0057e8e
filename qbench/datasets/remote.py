"""Files on the net: what a source has right now, at one commit, and one file fetched, resumed and checked.

The Hub is asked by its own client, `huggingface_hub`; GitHub by its trees API; of other places only the size is known.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from qbench.datasets.known import SourceFiles
from qbench.errors import DataError, UserError
from qbench.rows import shorten

GITHUB_API = "https://api.github.com"
GITHUB_FILES = "https://raw.githubusercontent.com"
HUB = "https://huggingface.co"
_PATIENCE = 30.0
"""Seconds that a host has to begin its answer."""
_AS_IT_IS = {"Accept-Encoding": "identity"}
"""Header that asks for a file as it is stored: only then the size that is told is its own."""
_RESERVE = 64 << 20
"""Bytes of a disk that are left free."""
Arrived = Callable[[int], None]
"""Told how many bytes of the file are here; raises to stop."""
_TOO_MANY = 429
_SERVER = 500
_NOT_FOUND = 404


@dataclass(frozen=True)
class RemoteFile:
    """A file that can be fetched."""

    name: str
    address: str
    size: int | None = None
    digest: str = ""
    """`sha256:…`, or `git:…`, the name that git gives to its content; empty where the host tells none."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Listing:
    """The files of a source at one commit."""

    source: SourceFiles
    revision: str
    files: tuple[RemoteFile, ...]


def list_files(source: SourceFiles) -> Listing:
    """The files of a source, asked for now.

    Raises:
        UserError: The place cannot be reached, does not let us in, or has none of the files; one sentence.
    """
    lookup = {"hub": _on_hub, "github": _on_github, "web": _on_web}[source.host]
    with explain_network(source):
        revision, there = lookup(source)
    for pattern in source.files:
        if not any(fnmatchcase(name, pattern) for name in there):
            raise UserError(f"{source.page} has no {shorten(pattern)} at {revision or 'present'}; look there for it")
    files = [file for name, file in there.items() if any(fnmatchcase(name, pattern) for pattern in source.files)]
    strays = [file.name for file in files if file.name.startswith("/") or ".." in file.name.split("/")]
    if strays:
        raise UserError(f"{source.page} has a file named {strays[0]!r}, which leads out of its folder; it is not taken")
    return Listing(source, revision, tuple(files))


def _on_hub(source: SourceFiles) -> tuple[str, dict[str, RemoteFile]]:
    from huggingface_hub import HfApi, hf_hub_url
    from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]  # exported lazily

    endpoint = os.environ.get("HF_ENDPOINT") or HUB
    info = HfApi(endpoint=endpoint).dataset_info(
        source.repo, revision=source.revision or None, files_metadata=True, timeout=_PATIENCE
    )
    commit, headers = info.sha or source.revision, build_hf_headers()
    files = {}
    for entry in info.siblings or ():
        name = entry.rfilename
        address = hf_hub_url(source.repo, name, repo_type="dataset", revision=commit, endpoint=endpoint)
        large = source.sha256.get(name) or (entry.lfs.sha256 if entry.lfs else "")
        digest = f"sha256:{large}" if large else f"git:{entry.blob_id}" if entry.blob_id else ""
        files[name] = RemoteFile(name, address, entry.size, digest, headers)
    return commit, files


def _on_github(source: SourceFiles) -> tuple[str, dict[str, RemoteFile]]:
    base = f"{GITHUB_API}/repos/{source.repo}"
    commit = source.revision or str(_json(f"{base}/commits/HEAD")["sha"])
    entries = [entry for entry in _json(f"{base}/git/trees/{commit}?recursive=1")["tree"] if entry["type"] == "blob"]
    return commit, {
        entry["path"]: RemoteFile(
            entry["path"],
            f"{GITHUB_FILES}/{source.repo}/{commit}/{quote(entry['path'])}",
            entry["size"],
            f"git:{entry['sha']}",
        )
        for entry in entries
    }


def _on_web(source: SourceFiles) -> tuple[str, dict[str, RemoteFile]]:
    from huggingface_hub import hf_raise_for_status
    from huggingface_hub.utils import http_backoff  # type: ignore[attr-defined]  # exported lazily

    files = {}
    for name in source.files:
        address = f"{source.repo}/{quote(name)}"
        answer = http_backoff("HEAD", address, headers=_AS_IT_IS, timeout=_PATIENCE, retry_on_exceptions=())
        hf_raise_for_status(answer)
        size = answer.headers.get("Content-Length", "")
        digest = f"sha256:{source.sha256[name]}" if name in source.sha256 else ""
        files[name] = RemoteFile(name, address, int(size) if size.isdecimal() else None, digest)
    return "", files


def _json(address: str) -> Any:
    from huggingface_hub import hf_raise_for_status
    from huggingface_hub.utils import http_backoff  # type: ignore[attr-defined]  # exported lazily

    answer = http_backoff("GET", address, timeout=_PATIENCE, retry_on_exceptions=())
    hf_raise_for_status(answer)
    return answer.json()


@contextmanager
def explain_network(source: SourceFiles) -> Iterator[None]:
    """Say in one sentence what a host answered in this block, and what to do about it.

    Raises:
        UserError: It did not give what was asked for.
    """
    from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, RepositoryNotFoundError, RevisionNotFoundError

    place = source.page
    try:
        yield
    except GatedRepoError:
        raise UserError(
            f"{source.repo} is given to those who agree to its terms: fill in the form at {place} with your account on "
            "the Hub, then set HF_TOKEN to a token of that account and run this again"
        ) from None
    except RevisionNotFoundError:
        raise UserError(f"{place} has no commit {source.revision} any more; look there for what became of it") from None
    except RepositoryNotFoundError:
        raise UserError(
            f"there is no {place}, or it is not public; where it is yours, set HF_TOKEN to a token that may read it"
        ) from None
    except HfHubHTTPError as error:
        raise UserError(_of_status(error.response.status_code, place)) from None
    except (cast("type[Exception]", HfHubHTTPError.__mro__[1]), OSError) as error:  # of the HTTP library that it uses
        if isinstance(error, OSError) and error.errno is not None and not isinstance(error, ConnectionError):
            raise  # the disk's
        told = type(error).__name__
        raise UserError(
            f"{place} broke off or cannot be reached ({told}); check the network and run this again: what came so far "
            "is kept"
        ) from None


def _of_status(status: int, place: str) -> str:
    if status == _TOO_MANY:
        return f"{place} asks for fewer requests (429); run this again in some minutes: what came so far is kept"
    if status >= _SERVER:
        return f"{place} does not answer ({status}); run this again later: what came so far is kept"
    if status == _NOT_FOUND:
        return f"{place} does not have what is asked for (404); look there for what became of it"
    return f"{place} refuses to give it ({status}); open it in a browser to see why"


def download(file: RemoteFile, target: Path, source: SourceFiles, arrived: Arrived = lambda _bytes: None) -> None:
    """Have a file at a place: nothing is fetched where it lies there whole, and what came of it before is used.

    Raises:
        UserError: The host does not give it, or the disk has no room; what came is kept.
        DataError: What arrived is not what the host says it has; nothing of it is kept.
    """
    if target.is_file() and target.stat().st_size == file.size and _is_right(target, file):
        arrived(file.size or 0)
        return
    part = part_of(target, file)
    part.parent.mkdir(parents=True, exist_ok=True)
    had = part.stat().st_size if part.exists() else 0
    if file.size is not None and had > file.size:  # of an earlier, longer version
        part.unlink()
        had = 0
    check_room(part.parent, (file.size or 0) - had)
    _fetch(file, part, had, source, arrived)
    if not _is_right(part, file):
        part.unlink()
        raise DataError(
            f"{file.name} from {source.page} is not what the host says it is (its digest differs); nothing of it is "
            "kept: run this again, and tell the publisher if it happens twice"
        )
    part.replace(target)


def part_of(target: Path, file: RemoteFile) -> Path:
    """Where a file lies until it is whole; another version of it has another place."""
    version = hashlib.sha256(f"{file.digest} {file.size}".encode()).hexdigest()[:12]
    return target.with_name(f"{target.name}.{version}.part")


def check_room(folder: Path, size: int) -> None:
    """Refuse what the disk cannot hold.

    Raises:
        UserError: It has no room for so many bytes.
    """
    free = shutil.disk_usage(folder).free
    if size + _RESERVE > free:
        raise UserError(
            f"the disk of {folder} has {in_bytes(free)} free and {in_bytes(size)} are needed; make room, or set "
            "QBENCH_DATA to a folder on another disk"
        )


def in_bytes(size: int) -> str:
    """A size as a person reads it, in decimal units as the Hub tells sizes."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} bytes"


def _fetch(file: RemoteFile, part: Path, had: int, source: SourceFiles, arrived: Arrived) -> None:
    # `hf_hub_download` begins a file anew in every process; this function below it goes on from where a file ends.
    from huggingface_hub.file_download import http_get

    def bar(*_given: Any, **told: Any) -> _Counter:
        return _Counter(int(told.get("initial") or 0), arrived)

    with part.open("ab") as out, explain_network(source):
        headers = {"Accept-Encoding": "identity", **file.headers}
        counter: Any = bar
        http_get(file.address, out, resume_size=had, headers=headers, expected_size=file.size, tqdm_class=counter)


class _Counter:
    """What the Hub's client takes for a progress bar: it tells how much is here."""

    def __init__(self, had: int, arrived: Arrived) -> None:
        self._here = had
        self._arrived = arrived

    def __enter__(self) -> _Counter:
        return self

    def __exit__(self, *_error: object) -> None:
        """Nothing to close."""

    def update(self, more: float | None = 1) -> None:
        self._here += int(more or 0)
        self._arrived(self._here)


def _is_right(path: Path, file: RemoteFile) -> bool:
    """Whether a file has the digest that its host tells; one without a digest is only known by its size."""
    kind, _, wanted = file.digest.partition(":")
    if not wanted:
        return True
    sha = hashlib.sha1(usedforsecurity=False) if kind == "git" else hashlib.sha256()
    if kind == "git":
        sha.update(b"blob %d\0" % path.stat().st_size)
    with path.open("rb") as content:
        while piece := content.read(1 << 20):
            sha.update(piece)
    return sha.hexdigest() == wanted
