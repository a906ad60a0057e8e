"""Environment -> one frozen Settings; read once, by `app.py` and the command line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from leaderboard.look import SITE_FILE, Look, read_look

DEFAULT_MODELS = (
    "nano-iqa",
    "nano-vlm",
    "nano-clip",
    "niqe",
    "sharpness",
    "colourfulness",
    "contrast",
    "brightness",
)
"""What visitors may ask unless the owner says otherwise; the first is asked until another is chosen."""
PERSISTENT = Path("/data")
"""Where the Hub mounts the persistent storage of a Space."""
_REPO = re.compile(r"(?!.*(?:\.\.|--))\w(?:[\w.-]*\w)?/\w(?:[\w.-]*\w)?", re.ASCII)
"""The Hub's rule: letters, digits, and `-._` inside, none of which leads out of a folder."""


_PREFIX = "QBENCH_"
_THERE = (
    *("MODELS", "ENDPOINT", "ENDPOINT_MODEL", "LIVE_SECONDS_AN_HOUR", "ORIGINS", "RUNS", "RUNS_REPO"),
    *("RUNS_MEGABYTES", "RESULTS", "SUBMISSIONS", "RESULTS_REPO", "HUB_TOKEN", "OWNERS", "AUTHOR"),
    *("STUDIES", "PRIVATE_TRUTH"),
    *("DATA", "ENDPOINT_KEY"),  # which qbench reads
)
_OF_TESTS = ("TEST_", "CHROMIUM")


class SettingsError(ValueError):
    """A setting that cannot be used; the message is one sentence naming it and what to write."""


@dataclass(frozen=True)
class Settings:
    """Everything about this installation that is not code."""

    assets: Path
    results: Path
    """Folder of results beside the published ones; need not exist."""
    space: str | None = None
    """`owner/name` of the Hugging Face Space this runs in."""
    submissions: Path = Path("submissions")
    """Folder that what authors hand in is kept in."""
    forgets: bool = False
    """Whether a restart empties that folder and no dataset is named: so it is on a Space without persistent storage."""
    private_truth: Path | None = None
    """Folder of answers that are not public; results are scored against them here and nobody is shown them."""
    author: str | None = None
    """Who hands in on an installation without log-in that trusts its visitors; None makes them anonymous."""
    login: bool = False
    """Whether people can log in with their account on the Hub."""
    owners: tuple[str, ...] = ()
    """Accounts that see the Owner page; empty where log-in proves nothing, as everywhere but on a Space."""
    results_repo: str | None = None
    """`owner/name` of the dataset on the Hub that submissions are kept in; None for the folder alone."""
    token: str | None = field(default=None, repr=False)
    """What may write to these and to the dataset of runs, and nothing else."""
    studies: Path | None = None
    """Folder of the owner's studies; without one nobody's answers are taken."""
    models: tuple[str, ...] = ()
    """What visitors may ask: short names, folders or Hub ids; nothing else is ever opened for them."""
    endpoints: tuple[str, ...] = ()
    """Base URLs of OpenAI-compatible servers with one model, which visitors may ask too."""
    endpoint_model: str | None = None
    runs: Path = Path("runs")
    """Folder of what models answered in visitors' runs, and of the records: nothing is asked twice."""
    runs_repo: str | None = None
    """`owner/name` of a private dataset on the Hub that runs are kept in too; None for the folder alone."""
    runs_megabytes: int = 2000
    """How large visitors' runs may be together; the oldest go first."""
    live_hourly: float | None = None
    """Seconds that one visitor's work may take at the models in an hour; None is no limit."""
    proxies: str = ""
    """Networks, with commas, of proxies that are believed when they say whom a request comes from: a Space's own, or
    what uvicorn's `FORWARDED_ALLOW_IPS` names elsewhere."""

    origins: tuple[str, ...] = ()
    """Other web pages that may ask this server from their visitors' browsers, as `https://lab.example`."""
    look: Look = field(default_factory=Look)

    def is_owner(self, account: str | None) -> bool:
        """Whether this account of the Hub is an owner's; None is nobody who logged in."""
        return account in self.owners

    @property
    def private_repo(self) -> str | None:
        """`owner/name` of the private dataset for what waits for review and how authors are reached."""
        return self.results_repo and f"{self.results_repo}-private"

    @property
    def link(self) -> str | None:
        """Where links to a view start; None for the address the page was opened at."""
        return f"https://huggingface.co/spaces/{self.space}" if self.space else None


def read_settings(
    environment: Mapping[str, str], root: Path, assets: Path | None = None, persistent: Path = PERSISTENT
) -> Settings:
    """Settings of an installation whose own files lie under `root`; what comes with the project is in `assets`.

    On a Space the persistent storage, where there is any, keeps submissions and runs.

    Raises:
        SettingsError: A variable that cannot be used, or the file `site.toml`.
    """
    _check_names(environment)
    space = environment.get("SPACE_ID") or None
    kept = persistent / "qbench" if space and persistent.is_dir() else None
    results = Path(environment.get("QBENCH_RESULTS") or root / "results")
    submissions = Path(environment.get("QBENCH_SUBMISSIONS") or (kept or root) / "submissions")
    results_repo = _repo(environment, "QBENCH_RESULTS_REPO")
    hourly = environment.get("QBENCH_LIVE_SECONDS_AN_HOUR")
    stays = persistent.is_dir() and submissions.resolve().is_relative_to(persistent.resolve())
    settings = Settings(
        assets=assets or root / "assets",
        results=results,
        look=_look(results),
        space=space,
        submissions=submissions,
        forgets=space is not None and not stays and not results_repo,
        private_truth=Path(private) if (private := environment.get("QBENCH_PRIVATE_TRUTH")) else None,
        author=environment.get("QBENCH_AUTHOR") or None,
        login=bool(environment.get("OAUTH_CLIENT_ID")),
        owners=_owners(environment),
        results_repo=results_repo,
        token=(environment.get("QBENCH_HUB_TOKEN") or "").strip() or None,
        studies=Path(studies) if (studies := environment.get("QBENCH_STUDIES")) else None,
        models=tuple(_names(environment.get("QBENCH_MODELS") or ",".join(DEFAULT_MODELS))),
        endpoints=_endpoints(environment),
        endpoint_model=environment.get("QBENCH_ENDPOINT_MODEL") or None,
        runs=Path(environment.get("QBENCH_RUNS") or (kept or Path.home() / ".cache" / "qbench") / "runs"),
        runs_repo=_repo(environment, "QBENCH_RUNS_REPO"),
        runs_megabytes=_count(environment.get("QBENCH_RUNS_MEGABYTES") or "2000", "QBENCH_RUNS_MEGABYTES"),
        # There is a limit on a Space, which is open to everybody, and none at home; 0 is none too.
        live_hourly=float(_count(hourly or ("1800" if space else "0"), "QBENCH_LIVE_SECONDS_AN_HOUR")) or None,
        proxies="10.0.0.0/8" if space else environment.get("FORWARDED_ALLOW_IPS") or "",
        origins=tuple(_origin(name) for name in _names(environment.get("QBENCH_ORIGINS") or "")),
    )
    _check_repos(settings)
    return settings


def _check_names(environment: Mapping[str, str]) -> None:
    """Nobody reads a setting that is none, so it stops the start."""
    for name in sorted(environment):
        rest = name.removeprefix(_PREFIX)
        if rest != name and rest not in _THERE and not rest.startswith(_OF_TESTS):
            near = get_close_matches(rest, _THERE, 1)
            fix = f"write {_PREFIX}{near[0]}" if near else "leave it out; docs/host.md has all there are"
            raise SettingsError(f"{name} is no setting; {fix}")


def _look(results: Path) -> Look:
    try:
        look = read_look(results)
    except ValueError as fault:
        raise SettingsError(str(fault)) from fault
    if look.benchmark:
        check_hub_name(look.benchmark, f"{results / SITE_FILE}: benchmark")
    return look


def _check_repos(settings: Settings) -> None:
    """Each dataset on the Hub has one purpose: what is public must not lie beside what is not."""
    named = {"QBENCH_RESULTS_REPO": settings.results_repo, "QBENCH_RUNS_REPO": settings.runs_repo}
    taken = [repo.casefold() for repo in (settings.results_repo, settings.private_repo) if repo]
    if settings.runs_repo and settings.runs_repo.casefold() in taken:
        why = "which keeps submissions; name a dataset of its own for runs"
        raise SettingsError(f"QBENCH_RUNS_REPO is {settings.runs_repo!r}, {why}")
    if (first := next((name for name, repo in named.items() if repo), None)) and not settings.token:
        raise SettingsError(
            f"{first} is set; set QBENCH_HUB_TOKEN to a token that may write to it (HF_TOKEN is not used)"
        )


def _owners(environment: Mapping[str, str]) -> tuple[str, ...]:
    owners = tuple(_names(environment.get("QBENCH_OWNERS") or ""))
    on_a_space = environment.get("SYSTEM") == "spaces" and bool(environment.get("SPACE_ID"))
    # Elsewhere Gradio makes everybody who logs in the owner of the token.
    if owners and not (on_a_space and environment.get("OAUTH_CLIENT_ID") and environment.get("OAUTH_CLIENT_SECRET")):
        raise SettingsError(
            "QBENCH_OWNERS is set, but log-in proves no account here: that takes a Space with `hf_oauth: true` in its "
            "README; leave it out and use `python -m leaderboard review`"
        )
    return owners


def _names(text: str) -> list[str]:
    return [name for part in text.split(",") if (name := part.strip())]


def _endpoints(environment: Mapping[str, str]) -> tuple[str, ...]:
    urls = tuple(_names(environment.get("QBENCH_ENDPOINT") or ""))
    if urls and not environment.get("QBENCH_ENDPOINT_MODEL"):
        raise SettingsError("QBENCH_ENDPOINT is set; name the model to ask there in QBENCH_ENDPOINT_MODEL")
    for url in urls:
        if not re.fullmatch(r"https?://[^\s/?#@]+(/[^\s?#]*)?", url):
            raise SettingsError(f"QBENCH_ENDPOINT has {url!r}; write servers like http://localhost:8000/v1")
    return urls


def _origin(text: str) -> str:
    if not re.fullmatch(r"https?://[a-z0-9.-]+(:\d{1,5})?", text.lower(), re.ASCII):
        raise SettingsError(f"QBENCH_ORIGINS has {text!r}; write web pages as https://lab.example, without a path")
    return text.lower()


def _count(text: str, name: str) -> int:
    if not text.isdecimal():
        raise SettingsError(f"{name} is {text!r}; write a whole number")
    return int(text)


def _repo(environment: Mapping[str, str], name: str) -> str | None:
    return check_hub_name(environment[name], name) if environment.get(name) else None


def check_hub_name(repo: str, setting: str) -> str:
    """The name of a dataset or Space on the Hub, if it can be one.

    Raises:
        SettingsError: It cannot; `setting` is the variable or option that gave it.
    """
    if not _REPO.fullmatch(repo):
        raise SettingsError(f"{setting} is {repo!r}; write it as owner/name")
    return repo
