"""The documents: commands run as they are written, the README is what a Space accepts, links and settings are there."""

from __future__ import annotations

import re
import shlex
import textwrap
from pathlib import Path

import pytest
import yaml
from huggingface_hub import SpaceHardware
from packaging.requirements import Requirement

from qbench.__main__ import _parser, main

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
HERE = re.compile(r"^    (?:\.venv/bin/)?python -m qbench (.*)$", re.MULTILINE)
OWN = re.compile(
    r"\b(?:[A-Z]{3,}|owner/name|photos\.zip|mine\.jsonl?|ada/photos)\b|\bparts/|\bresults|[A-Z]+=|…|https?:"
)
"""What stands for something of the reader's."""
ELSEWHERE = (
    *("llvisionqa-dev", "koniq-10k", "kadis-700k", "kadid-10k", "2afc-coarse", "nights", "hpdv2-4-way", "imagereward"),
    *("openai/", "llava-hf/", "--ray", "--endpoint", "train "),
)
"""What is fetched, takes a GPU or hours."""


def commands() -> list[str]:
    found = [line for path in DOCUMENTS for line in HERE.findall(path.read_text(encoding="utf-8").replace("\\\n", " "))]
    return list(dict.fromkeys(line.partition("  #")[0].strip() for line in found))


def runs_here(command: str) -> bool:
    if OWN.search(command):
        return False
    about_a_file = command.startswith(("score", "rank"))  # --dataset koniq-10k names it, and fetches nothing
    return about_a_file or not any(name in command for name in ELSEWHERE)


@pytest.mark.parametrize("command", commands())
def test_every_command_of_the_documents_is_understood(command: str) -> None:
    _parser(shlex.split(command)).parse_args(shlex.split(command))


@pytest.mark.usefixtures("few_resamples")
@pytest.mark.parametrize("command", [command for command in commands() if runs_here(command)])
def test_commands_that_need_nothing_run_as_they_are_written(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "assets").symlink_to(ROOT / "assets")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # nothing is there
    arguments = shlex.split(re.sub(r" --limit \d+", "", command))
    assert main([*arguments, *(["--limit", "4"] if arguments[0] == "run" else ())]) == 0


def test_the_first_result_of_the_readme_is_what_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    readme = DOCUMENTS[0].read_text(encoding="utf-8")
    [(command, shown)] = re.findall(r"^    \S+ -m qbench (score .*)\n\n((?:    .*\n)+)", readme, re.MULTILINE)
    assert main(shlex.split(command)) == 0
    assert capsys.readouterr().out == textwrap.dedent(shown)


def test_the_commands_that_matter_are_among_those_that_run() -> None:
    tried = {command.split()[0] for command in commands() if runs_here(command)}
    assert {"score", "rank", "run", "models", "datasets"} <= tried


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
