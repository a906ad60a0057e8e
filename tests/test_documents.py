"""The commands of the documents: each that needs no network, GPU or file of the reader's runs as it is written."""

from __future__ import annotations

import re
import shlex
import textwrap
from pathlib import Path

import pytest

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
