"""The README's front matter is what a Space accepts, and it has exactly two commands."""

from __future__ import annotations

import re
from pathlib import Path

import yaml
from huggingface_hub import SpaceHardware
from packaging.requirements import Requirement

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
