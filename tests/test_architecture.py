"""Who may import whom, read from the syntax trees; and what must not be loaded to show the board."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

from qbench.tasks import TASKS

ROOT = Path(__file__).resolve().parents[1]

GROUND = "records errors rows archives images prompts pairing parsing stats distortions"
"""The modules and rooms of qbench that everybody stands on."""
MAY_IMPORT: dict[str, str] = {
    # qbench, a complete evaluation tool
    "qbench.assets": "",
    "qbench.atomic": "",
    "qbench.errors": "",
    "qbench.cancelling": "",
    "qbench.records": "",
    "qbench.rows": "errors",
    "qbench.archives": "atomic errors rows",
    "qbench.images": "records errors",
    "qbench.prompts": "records errors",
    "qbench.pairing": "records errors",
    "qbench.parsing": "records errors",
    "qbench.distortions": "records errors",
    "qbench.stats": "records errors",
    "qbench.datasets": "archives atomic records errors rows distortions",
    "qbench.models.builtin": "assets errors records",
    "qbench.models": "models.builtin records errors cancelling images rows",
    "qbench.formats": "archives records errors rows stats datasets tasks",
    "qbench.tasks": "records errors images prompts pairing parsing models.builtin",
    "qbench.results": "records errors rows pairing stats datasets formats tasks",
    "qbench.cache": "records errors",
    "qbench.runner": "records errors cancelling models cache",
    "qbench.commands.arguments": "errors",
    "qbench.commands": (
        f"{GROUND} atomic commands.arguments datasets models models.builtin formats tasks results cache runner"
    ),
    "qbench.interface": "commands datasets errors models records results rows stats tasks",
    "qbench": "interface parsing",
    "qbench.training": f"{GROUND} atomic datasets models models.builtin commands.arguments",
    "qbench.__main__": "errors commands commands.arguments training",
    # tools, what makes the parts that ship; they may use qbench, and nobody them
    "tools.demo": "",
    "tools.nano": "demo",
    "tools": "demo nano",
    # leaderboard, the board and the app; all of it may use qbench
    "leaderboard.look": "",
    "leaderboard.settings": "look",
    "leaderboard.events": "",
    "leaderboard.account": "",
    "leaderboard.store": "settings events",
    "leaderboard.tables": "store",
    "leaderboard.boards": "tables",
    "leaderboard.snapshot": "look settings events store tables boards",
    "leaderboard.submissions": "events account store tables snapshot",
    "leaderboard.analysis": "store tables boards snapshot",
    "leaderboard.live.service": "settings events account",
    "leaderboard.live": "live.service settings account store tables submissions snapshot analysis",
    "leaderboard.charts": "look tables boards analysis live",
    "leaderboard.html": "look account store tables boards submissions analysis live live.service charts",
    "leaderboard.data_files": "snapshot tables analysis html",
    "leaderboard.export": "look store snapshot data_files tables analysis charts html",
    "leaderboard.http": "events account snapshot live.service",
    "leaderboard.pages": "look settings events tables submissions snapshot analysis live live.service charts html",
    "leaderboard.app": (
        "look settings events account store submissions snapshot live live.service charts data_files export html http "
        "pages"
    ),
    "leaderboard.check": "look settings store snapshot live.service",
    "leaderboard.__main__": "settings check store submissions tables snapshot live export pages app",
}
"""Room -> rooms of the same package that it may import, besides itself."""

LIBRARIES = {
    "gradio": ("leaderboard/pages/", "leaderboard/app.py"),
    "plotly": ("leaderboard/charts/live.py",),
    "jinja2": ("leaderboard/html/markup.py", "qbench/models/"),
    "huggingface_hub": ("leaderboard/store/", "qbench/datasets/"),
    "torch": ("qbench/models/", "qbench/training/", "tools/nano/"),
    "transformers": ("qbench/models/", "qbench/training/", "tools/nano/"),
    "ray": ("qbench/models/on_ray.py",),
    "openai": ("qbench/models/openai/server.py",),
}
"""Library -> the only places that may import it."""

ROOMS = ("qbench/**", "leaderboard/**", "tools/**", ".")
SOURCES = sorted(path for rooms in ROOMS for path in ROOT.glob(f"{rooms}/*.py"))


NAMES_TASKS = (
    "qbench/commands/average.py",  # which datasets make up the benchmark
    "qbench/prompts.py",
    "qbench/training/",  # which tasks a model is trained on
    "leaderboard/boards/",
    "tools/",
)
"""Declarations that name tasks of similarity because that is what they are about."""


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """The module and all that is in it."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def imports(path: Path) -> list[tuple[str, bool]]:
    """(module, at module level) of every import in a file; `from a import b` counts as a.b where that is a module."""
    module, *_ = nodes = nodes_of(path)
    top = {id(node) for node in ast.iter_child_nodes(module)}
    found = []
    for node in nodes:
        if isinstance(node, ast.Import):
            found += [(alias.name, id(node) in top) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = ROOT.joinpath(*node.module.split("."), alias.name)
                is_module = inner.with_suffix(".py").exists() or inner.is_dir()
                found.append((f"{node.module}.{alias.name}" if is_module else node.module, id(node) in top))
    return found


def room_of(module: str) -> str:
    """The room that a module is in: the longest name of the table that it begins with."""
    inside = [room for room in MAY_IMPORT if f"{module}.".startswith(f"{room}.")]
    return max(inside, key=len, default=module)


def test_imports_point_one_way() -> None:
    for path in SOURCES:
        check_imports(path)


def check_imports(path: Path) -> None:
    place = path.relative_to(ROOT).with_suffix("")
    own, package = ".".join(place.parts), place.parts[0]
    room = room_of(own)
    allowed = {room, *(f"{package}.{name}" for name in MAY_IMPORT.get(room, "").split())}
    for module, at_top in imports(path):
        library = module.split(".")[0]
        if library == package:
            assert room_of(module) in {*allowed, package}, f"{place} imports {module}"
        if room in ("leaderboard.settings", "leaderboard.look"):
            assert library != "qbench", f"{place} imports {module}: settings are read before anything else"
        if package == "qbench":
            assert library != "leaderboard", f"{place} imports {module}: qbench is complete without it"
        if package != "tools":
            assert library not in ("tools", "tests"), f"{place} imports {module}, which is not in the wheel"
        if room == "leaderboard.pages" and module.startswith("leaderboard.pages."):
            shared = module.endswith((".widgets", ".asking", "pages.person"))
            own_parts = module.split("_")[0] == own.split("_")[0]  # run.py, run_form.py, …
            assert shared or own_parts, f"{place} imports {module}: pages never import each other"
        if library in LIBRARIES:
            assert str(path.relative_to(ROOT)).startswith(LIBRARIES[library]), f"{place} imports {library}"
        if library in ("torch", "transformers"):
            assert not at_top, f"{place} imports {library} when it is imported; do it where it is used"


def test_every_module_is_in_a_room() -> None:
    modules = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in SOURCES]
    outside = [module for module in modules if room_of(module.removesuffix(".__init__")) not in MAY_IMPORT]
    assert outside == ["app", "leaderboard.__init__"]


def test_no_room_imports_in_a_circle() -> None:
    seen: list[str] = []
    left = {room: {f"{room.split('.')[0]}.{name}" for name in names.split()} for room, names in MAY_IMPORT.items()}
    while ready := [room for room, needs in left.items() if needs <= set(seen)]:
        seen += ready
        left = {room: needs for room, needs in left.items() if room not in ready}
    assert not left


def test_nothing_compares_a_task_with_a_name() -> None:
    """What holds of one task alone is a field of its record, which everything else reads."""
    compared = []
    for path in SOURCES:
        if path.relative_to(ROOT).as_posix().startswith(NAMES_TASKS):
            continue
        for node in nodes_of(path):
            sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
            names = {side.value for side in sides if isinstance(side, ast.Constant)}
            called = {getattr(side, "id", getattr(side, "attr", None)) for side in sides}  # `task`, or of something
            if names & TASKS.keys() and "task" in called:
                compared.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not compared


def test_no_module_of_the_board_loads_torch() -> None:
    code = (
        "import sys, importlib, pkgutil, leaderboard\n"
        "from leaderboard.pages import import_gradio\n"
        "import_gradio()\n"
        "for m in pkgutil.walk_packages(leaderboard.__path__, 'leaderboard.'):\n"
        "    if not m.name.endswith('__main__'): importlib.import_module(m.name)\n"
        "print([m for m in ('torch', 'transformers') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip().endswith("[]"), done.stderr
