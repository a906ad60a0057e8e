"""Where the files of a dataset lie on the net: what `known.json` says of it under `fetch`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Host = Literal["hub", "github", "web"]


@dataclass(frozen=True)
class SourceFiles:
    """Files of a dataset that lie in one place."""

    host: Host
    repo: str
    """`owner/name` of a dataset on the Hub or of a repository on GitHub; the address of the folder elsewhere."""
    files: tuple[str, ...]
    """Names, or patterns such as `data/dev-*.parquet`."""
    revision: str = ""
    """The commit whose files were looked at; without one the newest is taken, and recorded beside the data."""
    bytes: int | None = None
    """About how large they are together, as their host lists them; exact sizes are asked for before anything comes."""
    sha256: Mapping[str, str] = field(default_factory=dict)
    """File -> digest, where it has been published elsewhere than by the host."""
    licence: str = ""
    """What the repository says, where that is not what the dataset's own publisher says."""
    members: str = ""
    """Pattern of those members of an archive that are unpacked; all, where it is empty."""
    own_folders: bool = False
    """Whether each archive is unpacked into a folder of its own name, beside it."""

    @property
    def page(self) -> str:
        """The address a person reads about it at."""
        prefix = {"hub": "https://huggingface.co/datasets/", "github": "https://github.com/", "web": ""}
        return prefix[self.host] + self.repo


def read_sources(rows: list[Mapping[str, Any]]) -> tuple[SourceFiles, ...]:
    """The sources of a dataset as `known.json` has them."""
    return tuple(SourceFiles(**{**row, "files": tuple(row["files"])}) for row in rows)
