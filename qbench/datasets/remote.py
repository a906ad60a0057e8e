"""Files on the net: what a source has right now, at one commit, and one file fetched, resumed and checked.

The Hub is asked by its own client, `huggingface_hub`; GitHub by its trees API; of other places only the size is known.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any, Literal, cast
from urllib.parse import quote

from qbench.datasets.known import SourceFiles
from qbench.errors import DataError, UserError
from qbench.rows import digest, shorten

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
_TOO_MANY, _SERVER = 429, 500


@dataclass(frozen=True)
class RemoteFile:
    """A file that can be fetched."""

    name: str
    address: str
    size: int | None = None
    digest: str = ""
    """`sha256:…`, or `git:…`, the name that git gives to its content; empty where the host tells none."""


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

    endpoint = os.environ.get("HF_ENDPOINT") or HUB
    info = HfApi(endpoint=endpoint).dataset_info(
        source.repo, revision=source.revision or None, files_metadata=True, timeout=_PATIENCE
    )
    commit, files = info.sha or source.revision, {}
    for entry in info.siblings or ():
        name = entry.rfilename
        address = hf_hub_url(source.repo, name, repo_type="dataset", revision=commit, endpoint=endpoint)
        large = source.sha256.get(name) or (entry.lfs.sha256 if entry.lfs else "")
        told = f"sha256:{large}" if large else f"git:{entry.blob_id}" if entry.blob_id else ""
        files[name] = RemoteFile(name, address, entry.size, told)
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
    files = {}
    for name in source.files:
        address = f"{source.repo}/{quote(name)}"
        size = _answer("HEAD", address, headers=_AS_IT_IS).headers.get("Content-Length", "")
        told = f"sha256:{source.sha256[name]}" if name in source.sha256 else ""
        files[name] = RemoteFile(name, address, int(size) if size.isdecimal() else None, told)
    return "", files


def _json(address: str) -> Any:
    return _answer("GET", address).json()


def _answer(method: Literal["GET", "HEAD"], address: str, **more: Any) -> Any:
    from huggingface_hub import hf_raise_for_status
    from huggingface_hub.utils import http_backoff  # type: ignore[attr-defined]  # exported lazily

    answer = http_backoff(method, address, timeout=_PATIENCE, retry_on_exceptions=(), **more)
    hf_raise_for_status(answer)
    return answer


@contextmanager
def explain_network(source: SourceFiles) -> Iterator[None]:
    """Say in one sentence, as a UserError, what a host answered in this block, and what to do about it."""
    from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, RepositoryNotFoundError

    place, kept = source.page, "run this again later: what came so far is kept"
    try:
        yield
    except GatedRepoError:
        raise UserError(
            f"{source.repo} is given to those who agree to its terms: fill in the form at {place} with your account on "
            "the Hub, then set HF_TOKEN to a token of that account and run this again"
        ) from None
    except RepositoryNotFoundError:
        raise UserError(
            f"there is no {place}, or it is not public; where it is yours, set HF_TOKEN to a token that may read it"
        ) from None
    except HfHubHTTPError as error:
        status = error.response.status_code
        if status == _TOO_MANY or status >= _SERVER:
            raise UserError(f"{place} does not answer now ({status}); {kept}") from None
        raise UserError(f"{place} refuses it ({status}); open it in a browser to see what became of it") from None
    except (cast("type[Exception]", HfHubHTTPError.__mro__[1]), OSError) as error:  # of the HTTP library that it uses
        if isinstance(error, OSError) and error.errno is not None and not isinstance(error, ConnectionError):
            raise  # the disk's
        told = type(error).__name__
        raise UserError(f"{place} broke off or cannot be reached ({told}); check the network and {kept}") from None


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
    """Refuse so many bytes where the disk has no room for them."""
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
    from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]  # exported lazily

    counter: Any = partial(_Counter, arrived)
    headers = {**_AS_IT_IS, **(build_hf_headers() if source.host == "hub" else {})}
    with part.open("ab") as out, explain_network(source):
        http_get(file.address, out, resume_size=had, headers=headers, expected_size=file.size, tqdm_class=counter)


class _Counter(ExitStack):
    """What the Hub's client takes for a progress bar: it tells how much is here."""

    def __init__(self, arrived: Arrived, *, initial: int = 0, **_told: Any) -> None:
        super().__init__()
        self._arrived, self._here = arrived, initial

    def update(self, more: float | None = 1) -> None:
        self._here += int(more or 0)
        self._arrived(self._here)


def _is_right(path: Path, file: RemoteFile) -> bool:
    """Whether a file has the digest that its host tells; one without a digest is only known by its size."""
    from huggingface_hub.utils.sha import git_hash

    kind, _, wanted = file.digest.partition(":")
    return not wanted or wanted == (git_hash(path.read_bytes()) if kind == "git" else digest(path))
