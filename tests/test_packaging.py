"""What an installed package can do: built as a wheel, used from another folder, without libraries of its extras."""

from __future__ import annotations

import email
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
WITHOUT = """
import sys, importlib.abc
class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {libraries!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
from {module} import main
raise SystemExit(main({arguments!r}))
"""
"""Runs a command as it runs where these libraries are not installed."""
BOARD = ("gradio", "plotly", "pandas", "huggingface_hub")
WEIGHTS = ("torch", "transformers")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that a wheel of this project is unpacked to."""
    folder = tmp_path_factory.mktemp("wheel")
    hatch = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(hatch, cwd=ROOT, check=True, capture_output=True)
    [wheel] = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder / "site")
    return folder / "site"


def run(site: Path, folder: Path, module: str, *arguments: str, without: tuple[str, ...] = ()) -> tuple[int, str]:
    """Exit status and output of a command of the installed package, started in a folder of its own."""
    code = WITHOUT.format(libraries=set(without), module=module, arguments=list(arguments))
    known = {**os.environ, "PYTHONPATH": str(site), "HOME": str(folder)}
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=known, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_a_wheel_runs_an_embedded_model_from_any_folder(installed: Path, tmp_path: Path) -> None:
    command = ("run", "--task", "assessment", "--dataset", "demo-assessment", "--limit", "4", "--model", "nano-clip")
    status, said = run(installed, tmp_path, "qbench.__main__", *command)
    assert status == 0, said
    assert len(list((tmp_path / "results").glob("assessment--*.json"))) == 1
    assert not (installed / "results").exists()


@pytest.mark.slow
def test_a_wheel_holds_the_published_results_and_exports_them_without_torch(installed: Path, tmp_path: Path) -> None:
    status, said = run(installed, tmp_path, "leaderboard.__main__", "export", "site", without=WEIGHTS)
    assert status == 0, said
    assert "GPT-4V" in (tmp_path / "site" / "data" / "perception-test.js").read_text(encoding="utf-8")


@pytest.mark.slow
def test_scoring_needs_neither_gradio_nor_torch(installed: Path, tmp_path: Path) -> None:
    file = ROOT / "assets" / "examples" / "comparisons.jsonl"
    status, said = run(installed, tmp_path, "qbench.__main__", "rank", str(file), without=BOARD + WEIGHTS)
    assert status == 0, said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "command", "sentence"),
    [
        (
            "qbench.__main__",
            ("run", "--task", "assessment", "--dataset", "demo-assessment", "--model", "nano-clip"),
            "which is not installed; pip install 'qbench[models]'",
        ),
        ("leaderboard.__main__", ("serve",), "which is not installed; pip install 'qbench[app]'"),
    ],
)
def test_what_is_not_installed_is_named_with_its_extra(
    installed: Path, tmp_path: Path, module: str, command: tuple[str, ...], sentence: str
) -> None:
    status, said = run(installed, tmp_path, module, *command, without=("gradio", "plotly", *WEIGHTS))
    assert status == 2
    assert sentence in said
    assert "Traceback" not in said


@pytest.mark.slow
def test_the_extras_are_what_a_space_installs(installed: Path) -> None:
    """requirements.txt is the Space's list; the package's own must not drift from it."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    space = {one.name: one.specifier for line in lines if (one := requirement(line.split("#")[0]))}
    [metadata] = installed.glob("*.dist-info/METADATA")
    listed = email.message_from_string(metadata.read_text(encoding="utf-8")).get_all("Requires-Dist") or []
    packaged = {one.name: one.specifier for line in listed if (one := requirement(line)) and is_for_space(one)}
    assert packaged.keys() - space.keys() == {"jinja2", "pydantic"}  # Gradio brings both to a Space
    assert {name: packaged[name] for name in space} == space


def requirement(text: str) -> Requirement | None:
    return Requirement(text) if text.strip() else None


def is_for_space(needed: Requirement) -> bool:
    return needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in ("app", "data", "models"))
