"""Who may import whom, read from the syntax trees; and what must not be loaded to show the board."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

BASE = {"qbench.records", "qbench.errors"}
PURE = BASE | {
    "qbench.parsing",
    "qbench.prompts",
    "qbench.pairing",
    "qbench.distortions",
    "qbench.stats",
    "qbench.rows",
}
ROOMS: dict[str, set[str]] = {
    "qbench.records": set(),
    "qbench.errors": set(),
    "qbench.rows": {"qbench.errors"},
    "qbench.images": BASE,
    "qbench.parsing": BASE,
    "qbench.prompts": BASE,
    "qbench.pairing": BASE,
    "qbench.distortions": BASE,
    "qbench.stats": BASE,
    "qbench.datasets": PURE,
    "qbench.models": PURE | {"qbench.images"},
    "qbench.training": PURE | {"qbench.images", "qbench.models", "qbench.datasets"},
    "qbench.formats": PURE | {"qbench.datasets"},
    "qbench.lexicon": BASE,
    "qbench.tasks": BASE
    | {"qbench.parsing", "qbench.prompts", "qbench.pairing", "qbench.images", "qbench.lexicon", "qbench.models"},
    "qbench.summary": BASE | {"qbench.stats"},
    "qbench.comparison_summary": BASE | {"qbench.stats", "qbench.summary"},
    "qbench.similarity_summary": BASE | {"qbench.stats", "qbench.summary"},
    "qbench.benchmark": BASE | {"qbench.summary"},
    "qbench.cache": BASE | {"qbench.summary"},
    "qbench.runner": BASE | {"qbench.summary", "qbench.cache", "qbench.models"},
}
"""Room -> rooms it may import, besides itself; the modules of `test_every_room_is_listed` put rooms together."""

LIBRARIES = {
    "gradio": ("leaderboard/pages/", "leaderboard/theme.py", "leaderboard/widgets.py", "app.py"),
    "plotly": ("leaderboard/charts",),
    "huggingface_hub": ("leaderboard/store/", "qbench/models/", "qbench/datasets/"),
    "torch": ("qbench/models/", "qbench/training/"),
    "transformers": ("qbench/models/", "qbench/training/"),
}
"""Library -> the only places that may import it."""

SOURCES = sorted([*ROOT.glob("qbench/**/*.py"), *ROOT.glob("leaderboard/**/*.py"), *ROOT.glob("app.py")])


def imports(path: Path) -> list[tuple[str, bool]]:
    """(module, at module level) of every import in a file; `from a import b` counts as a.b where that is a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    top = {id(node) for node in tree.body}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, id(node) in top) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = ROOT.joinpath(*node.module.split("."), alias.name)
                is_module = inner.with_suffix(".py").exists() or inner.is_dir()
                found.append((f"{node.module}.{alias.name}" if is_module else node.module, id(node) in top))
    return found


def room_of(module: str) -> str:
    return ".".join(module.split(".")[:2])


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_one_way(path: Path) -> None:
    place = path.relative_to(ROOT).with_suffix("")
    room = room_of(".".join(place.parts))
    for module, at_top in imports(path):
        if module.split(".")[0] == "qbench" and room in ROOMS:
            assert room_of(module) in ROOMS[room] | {room}, f"{place} imports {module}"
        if place.parts[0] == "qbench":
            assert module.split(".")[0] != "leaderboard", f"{place} imports {module}: qbench is complete without it"
        if room == "leaderboard.pages":
            assert room_of(module) != "leaderboard.store", f"{place} imports {module}: pages get data, not stores"
            same = module.startswith("leaderboard.pages.") and module != ".".join(place.parts)
            assert not same, f"{place} imports {module}: pages never import each other"
        library = module.split(".")[0]
        if library in LIBRARIES:
            assert str(path.relative_to(ROOT)).startswith(LIBRARIES[library]), f"{place} imports {library}"
        if library in ("torch", "transformers"):
            assert not at_top, f"{place} imports {library} when it is imported; do it where it is used"


def test_every_room_is_listed() -> None:
    together = {
        f"qbench.{one}"
        for one in (
            "__init__",
            "__main__",
            "scoring",
            "ranking_file",
            "evaluation",
            "running",
            "comparison_results",
            "comparison_scoring",
        )
    }
    rooms = {room_of(".".join(path.relative_to(ROOT).with_suffix("").parts)) for path in ROOT.glob("qbench/**/*.py")}
    assert rooms <= ROOMS.keys() | together


def test_the_checker_sees_a_forbidden_import(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text("from qbench import summary\nimport torch\ndef f():\n    import transformers\n", encoding="utf-8")
    assert imports(wrong) == [("qbench.summary", True), ("torch", True), ("transformers", False)]


def test_the_board_starts_without_torch() -> None:
    code = (
        "import sys, importlib, pkgutil, leaderboard, app\n"
        "for m in pkgutil.walk_packages(leaderboard.__path__, 'leaderboard.'):\n"
        "    if not m.name.endswith('__main__'): importlib.import_module(m.name)\n"
        "print([m for m in ('torch', 'transformers') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip().endswith("[]"), done.stderr
