"""The README's front matter is what a Space accepts, and it has exactly two commands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from huggingface_hub import HfApi, SpaceHardware
from huggingface_hub.cli import hf
from huggingface_hub.utils import filter_repo_objects
from packaging.requirements import Requirement

from leaderboard.settings import read_settings

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FIELDS = set(
    re.findall(
        r"\w+",
        """title emoji colorFrom colorTo sdk python_version sdk_version suggested_hardware suggested_storage app_file
        app_port base_path fullWidth header short_description models datasets tags thumbnail pinned hf_oauth
        hf_oauth_scopes hf_oauth_expiration_minutes hf_oauth_authorized_org disable_embedding startup_duration_timeout
        custom_headers preload_from_hub license""",
    )
)
"""What the Hub reads: https://huggingface.co/docs/hub/spaces-config-reference, and `license` of all repositories."""


def requirements() -> dict[str, Requirement]:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    found = [Requirement(line.split("#")[0]) for line in lines if line.split("#")[0].strip()]
    return {requirement.name: requirement for requirement in found}


def test_front_matter() -> None:
    front = yaml.safe_load(README.split("---")[1])
    assert front.keys() <= FIELDS
    assert front["sdk"] == "gradio"
    assert front["suggested_hardware"] in {each.value for each in SpaceHardware}
    assert front["hf_oauth"] is True  # without it nobody can log in, neither authors nor owners
    assert len(front["short_description"]) <= 60
    assert re.fullmatch(r"3\.(10|12)", front["python_version"])
    assert (ROOT / front["app_file"]).is_file()
    assert requirements()["gradio"].specifier.contains(front["sdk_version"])


def test_requirements_have_floors_and_ceilings_and_leave_pydantic_alone() -> None:
    for name, requirement in requirements().items():
        operators = {part.operator for part in requirement.specifier}
        assert operators == ({">="} if name == "torch" else {">=", "<"}), name
    assert "pydantic" not in requirements()


def test_exactly_two_commands() -> None:
    commands = re.findall(r"```bash\n(.*?)\n```", README, flags=re.DOTALL)
    assert len(commands) == 2
    assert all("\n" not in command for command in commands)
    assert commands[0].endswith("app.py")
    assert commands[1].endswith("-m pytest -n auto")


def test_every_setting_is_in_the_table_of_settings_and_none_that_is_not_read() -> None:
    sources = [path for folder in ("qbench", "leaderboard") for path in (ROOT / folder).rglob("*.py")]
    read = {name for path in sources for name in re.findall(r"QBENCH_[A-Z_]*[A-Z]", path.read_text(encoding="utf-8"))}
    settings = (ROOT / "docs" / "host.md").read_text(encoding="utf-8")
    rows = "\n".join(line for line in settings.splitlines() if line.startswith("| `"))
    listed = set(re.findall(r"QBENCH_[A-Z_]*[A-Z]", rows))
    assert listed == read
    assert not set(re.findall(r"QBENCH_[A-Z_]*[A-Z]", README)) - read


def test_links_between_documents_lead_somewhere() -> None:
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "assets").glob("*/README.md")]
    links = [
        (path.name, link)
        for path in documents
        for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
        if not link.startswith(("http", "mailto:")) and not (path.parent / link).exists()
    ]
    assert links == []


def test_the_documented_commands_make_a_space_that_holds_the_board(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked of the installed command itself, which sends nothing here."""
    text = (ROOT / "docs" / "host.md").read_text(encoding="utf-8")
    made: dict[str, Any] = {}
    sent: dict[str, Any] = {}

    def create(_self: HfApi, **asked: Any) -> SimpleNamespace:
        made.setdefault(asked["repo_id"], asked)
        return SimpleNamespace(repo_id=asked["repo_id"], url="")

    monkeypatch.setattr(HfApi, "create_repo", create)
    monkeypatch.setattr(HfApi, "upload_folder", lambda _self, **asked: sent.update(asked))
    monkeypatch.setenv("QBENCH_HUB_TOKEN", "hf_secret")
    monkeypatch.chdir(ROOT)
    for command in re.findall(r"^ +hf (repos .*|upload .*)$", text, flags=re.MULTILINE):
        hf.app(args=shlex.split(command), standalone_mode=False)
    results, private, space = made.values()
    assert (results["repo_type"], private["repo_type"], private["visibility"]) == ("dataset", "dataset", "private")
    assert (space["repo_type"], space["space_sdk"]) == ("space", "gradio")
    assert space["space_secrets"] == [{"key": "QBENCH_HUB_TOKEN", "value": "hf_secret"}]
    settings = {each["key"]: each["value"] for each in space["space_variables"]}
    login = {"SYSTEM": "spaces", "SPACE_ID": space["repo_id"], "OAUTH_CLIENT_ID": "id", "OAUTH_CLIENT_SECRET": "secret"}
    read = read_settings({**settings, **login, "QBENCH_HUB_TOKEN": "hf_secret"}, ROOT)
    assert (read.results_repo, read.private_repo, read.forgets) == (results["repo_id"], private["repo_id"], False)
    assert read.owners == ("OWNER",)
    assert (sent["repo_id"], sent["repo_type"], sent["folder_path"]) == (space["repo_id"], "space", ".")
    here = ["app.py", "assets/board/board.js", ".venv/bin/python", "results/a.json", "submissions/.lock"]
    kept = filter_repo_objects(here, ignore_patterns=sent["ignore_patterns"])
    assert list(kept) == ["app.py", "assets/board/board.js"]
