"""`python -m qbench` called as a person or a script calls it, and small files to give it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import qbench
from qbench.__main__ import main

ROOT = Path(qbench.__file__).parents[1]
SCORES = [{"img_path": f"{i}.png", "score": score, "gt_score": i} for i, score in enumerate([1, 0, 2, 4, 3, 5])]
COMPARISONS: list[dict[str, Any]] = [
    {"first": "a", "second": "b", "choice": "first"},
    {"first": "b", "second": "a", "choice": "second"},
    {"first": "b", "second": "c", "choice": "first"},
    {"first": "c", "second": "b", "choice": "first"},
]
"""a beats b in both orders; b and c are answered by position."""


def write(folder: Path, data: object, name: str = "file.json") -> Path:
    """A text as it is, or one record or several, a line each."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    records = data if isinstance(data, list) else [data]
    path.write_text(data if isinstance(data, str) else "\n".join(map(json.dumps, records)), encoding="utf-8")
    return path


def pack(folder: Path, files: Mapping[str, str | bytes], name: str = "upload.zip") -> Path:
    """An archive with these files."""
    path = folder / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in files.items():
            archive.writestr(file, content)
    return path


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The one sentence a mistake gets."""
    assert main([str(argument) for argument in arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    said = printed.err
    assert said.startswith("qbench: ")
    assert said.count("\n") == 1
    assert said.rstrip("\n").isprintable()
    return said.rstrip("\n").removeprefix("qbench: ")


def document(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    """What --json prints, read as strict JSON."""

    def refuse(constant: str) -> float:
        raise AssertionError(f"{constant} is not JSON")

    assert main([*(str(argument) for argument in arguments), "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    return json.loads(printed.out, parse_constant=refuse)


def text(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main([str(argument) for argument in arguments]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    return printed.out


def python_m_qbench(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own."""
    return _run([sys.executable, "-m", "qbench", *map(str, arguments)], **environment)


def shell(line: str) -> subprocess.CompletedProcess[str]:
    """A line of bash, with QBENCH standing for the program."""
    return _run(["bash", "-o", "pipefail", "-c", line.replace("QBENCH", f"{sys.executable} -m qbench")])


def _run(command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", cwd=ROOT, env={**os.environ, **environment}
    )
