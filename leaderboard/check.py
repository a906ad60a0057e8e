"""What of an installation is set, what is missing, and what does not work: `python -m leaderboard check`.

It writes to the folders and datasets and asks the servers. A dataset gets one small file, `checked.txt`.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Literal

from leaderboard.live.service.live import read_offers
from leaderboard.live.service.turns import is_zerogpu
from leaderboard.look import SITE_FILE, Look
from leaderboard.settings import PERSISTENT, Settings, SettingsError
from leaderboard.snapshot import check_first_board, read_boards
from leaderboard.store.hub_client import HubClient
from leaderboard.store.open import FORGETS
from qbench.errors import ProviderError, UserError
from qbench.models import ModelOptions, open_model
from qbench.models.checkpoint.devices import torch_and_device

LEAST_FREE = 1_000_000_000
"""Bytes that a disk should have left: runs, uploads and datasets are kept there."""
CHECKED = "checked.txt"


@dataclass(frozen=True)
class Finding:
    """One line of the check."""

    state: Literal["ok", "missing", "wrong"]
    """`missing` can be meant so; `wrong` stops something that the settings ask for."""
    subject: str
    said: str

    def __str__(self) -> str:
        return f"{self.state:<8} {self.subject}: {self.said}"


def check(settings: Settings, environment: Mapping[str, str], persistent: Path = PERSISTENT) -> Iterator[Finding]:
    """What was found, line by line, since repositories and servers may take a while to answer."""
    yield _place(settings, persistent)
    yield from _submissions(settings)
    for setting, folder in (("QBENCH_RUNS", settings.runs), ("QBENCH_STUDIES", settings.studies)):
        if folder is not None:
            yield _folder(setting, folder)
    yield from _read_folders(settings, environment)
    yield from _own_files(settings)
    yield from _log_in(settings)
    yield from _models(settings)
    for url in settings.endpoints:
        yield _server(url, str(settings.endpoint_model))
    yield _device()


def _place(settings: Settings, persistent: Path) -> Finding:
    if settings.space is None:
        return Finding("ok", "place", "this machine, not a Space")
    if persistent.is_dir():
        return Finding("ok", "place", f"Space {settings.space} with persistent storage at {persistent}")
    return Finding("missing", "place", f"Space {settings.space} has no persistent storage; a restart empties its disk")


def _submissions(settings: Settings) -> Iterator[Finding]:
    if settings.forgets:
        yield Finding("wrong", "submissions", FORGETS)
    else:
        yield _folder("QBENCH_SUBMISSIONS", settings.submissions)
    if settings.results_repo is None:
        yield Finding(
            "missing", "QBENCH_RESULTS_REPO", "no dataset on the Hub keeps submissions; the folder alone does"
        )
    else:
        yield _dataset("QBENCH_RESULTS_REPO", settings.results_repo, settings.token, private=False)
        yield _dataset("private dataset", str(settings.private_repo), settings.token, private=True)
    if settings.runs_repo is not None:
        yield _dataset("QBENCH_RUNS_REPO", settings.runs_repo, settings.token, private=True)


def _dataset(setting: str, repo: str, token: str | None, *, private: bool) -> Finding:
    """Read and write; a private one is made where it is missing, as the app does."""
    client = HubClient(repo, token, private=private)
    now = datetime.now(timezone.utc).isoformat(timespec="seconds")
    try:
        client.head()
        client.commit({CHECKED: f"{now}\n".encode()}, "Check that the board may write here")
    except ProviderError as fault:
        return Finding("wrong", setting, str(fault))
    return Finding("ok", setting, f"{repo} can be read and written")


def _folder(setting: str, folder: Path) -> Finding:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            free = shutil.disk_usage(folder).free
    except OSError as fault:
        return Finding("wrong", setting, f"{folder} cannot be written ({fault.strerror}); name another folder")
    if free < LEAST_FREE:
        return Finding("wrong", setting, f"the disk of {folder} has {free / 1e9:.1f} GB left; make room")
    return Finding("ok", setting, f"{folder} can be written, {free / 1e9:.0f} GB free")


def _read_folders(settings: Settings, environment: Mapping[str, str]) -> Iterator[Finding]:
    """Folders that the owner fills; one that is not set is not missed."""
    for setting, folder in (
        ("QBENCH_RESULTS", settings.results if environment.get("QBENCH_RESULTS") else None),
        ("QBENCH_PRIVATE_TRUTH", settings.private_truth),
    ):
        if folder is None:
            continue
        if folder.is_dir() and any(folder.iterdir()):
            yield Finding("ok", setting, f"{folder} is there")
        else:
            yield Finding(
                "wrong", setting, f"{folder} is empty or missing; put the files there or leave the setting out"
            )


def _own_files(settings: Settings) -> Iterator[Finding]:
    """`site.toml`, of which only the board is not read yet, and the owner's boards."""
    for fault in read_boards(settings)[1]:
        yield Finding("wrong", fault.where, fault.reason)
    if settings.look != Look():
        try:
            check_first_board(settings)
            yield Finding("ok", SITE_FILE, f"{settings.results / SITE_FILE} says how the board looks")
        except SettingsError as fault:
            yield Finding("wrong", SITE_FILE, str(fault))


def _log_in(settings: Settings) -> Iterator[Finding]:
    if settings.login:
        yield Finding("ok", "log-in", "people log in with their account on the Hub")
    else:
        fix = "add `hf_oauth: true` to the Space's README" if settings.space else "it takes a Space"
        yield Finding("missing", "log-in", f"nobody can log in, so what they submit waits for review; {fix}")
    if settings.owners:
        yield Finding("ok", "QBENCH_OWNERS", f"{', '.join(settings.owners)} see the Owner page")
    else:
        yield Finding(
            "missing", "QBENCH_OWNERS", "there is no Owner page; `python -m leaderboard review` does the same"
        )


def _models(settings: Settings) -> Iterator[Finding]:
    offers = read_offers(settings.models)
    for name, reason in offers.absent.items():
        yield Finding("wrong", "QBENCH_MODELS", f"{name!r} cannot be asked: {reason}")
    if offers.offered:
        yield Finding("ok", "QBENCH_MODELS", f"visitors may ask {', '.join(offers.offered)}")


def _server(url: str, name: str) -> Finding:
    try:
        gives = ", ".join(sorted(open_model(name, ModelOptions(endpoints=(url,))).wants))
    except (ProviderError, UserError) as fault:
        return Finding("wrong", "QBENCH_ENDPOINT", str(fault))
    return Finding("ok", "QBENCH_ENDPOINT", f"{url} has {name} and gives {gives}")


def _device() -> Finding:
    if is_zerogpu():
        return Finding("ok", "device", "ZeroGPU: models run on a GPU that is lent for each batch")
    suits, said = torch_and_device()
    return Finding("ok" if suits else "wrong", "device", said)
