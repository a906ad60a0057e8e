"""Measures the tests: breaks the code in one place at a time and runs the tests that should notice.

`python -m tools.mutants --count 200 --seed 1 --jobs 2` changes signs, bounds, denominators, conditions, arguments and
escapes, chosen by the seed, as many in each room, each in a copy of the checkout. All tests run once before, so that
each change is tried by those that come past it. It prints the changes that no test noticed, and ends with the share of
those that were noticed. Which changes are chosen depends on the code around each alone, so that another commit is
measured by nearly the same ones.

Three kinds of value are never changed, wherever they stand, since no user sees the fault: `strict` of `zip`, with
which the code checks itself; widths, heights and lines of a page's layout (`LAYOUT`); how many digits of a digest are
part of a name.
"""

from __future__ import annotations

import argparse
import ast
import copy
import hashlib
import os
import queue
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from coverage import CoverageData

ROOT = Path(__file__).resolve().parents[1]
ROOMS = (
    "qbench/stats", "qbench/results", "leaderboard/tables", "leaderboard/store",
    "leaderboard/submissions", "leaderboard/live", "leaderboard/pages", "leaderboard/http",
)  # fmt: skip
COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
COUNTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
}  # fmt: skip
LAYOUT = {"scale", "min_width", "height", "equal_height", "lines", "max_lines"}
"""Arguments that say how large a part of a page is, not what it says or does."""
DIGESTS = {"hexdigest", "digest", "sha256"}
IN_A_BROWSER = ("leaderboard/pages", "leaderboard/live")
"""Rooms whose faults a person sees on a page."""
SEEN_ON = {
    "boards": ("ranking", "bias", "overview"), "gradio_changes": ("probe", "submit"),
    "models": ("probe", "pair", "run"), "own_images": ("run",), "owner_studies": ("owner", "study"),
    "person": ("tournament",), "photo_scores": ("probe",), "quality": ("probe", "pair"), "questions": ("probe",),
    "shell": ("first_minute",), "uploads": ("probe", "pair"), "widgets": ("probe", "pair", "run"),
}  # fmt: skip
"""Browser tests of files that are not named after one page."""
KEPT = re.compile(r"\b(published|served|served_app|demo_data)\b")
"""What tests make once for all: whoever uses it second does not come past what made it."""
FAILED = re.compile(r"^(?:FAILED|ERROR) ([^\s\[]+)", re.MULTILINE)
PATIENCE_S = 900
"""A test that runs longer than any room's tests has noticed: the change made a loop that does not end."""


@dataclass(frozen=True)
class Mutant:
    """One change of one file."""

    path: str
    line: int
    before: str
    after: str
    lines: frozenset[int]
    """Those of the statement that holds it, without the statements in that."""
    source: str
    around: str
    """The statement that holds it: the same in every commit that leaves it alone."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before} -> {self.after}"


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Every change that can be made in a file."""
    source = path.read_text(encoding="utf-8")
    lines = [line.encode() for line in source.splitlines(keepends=True)]
    functions = [
        node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    statements = [
        node
        for function in functions
        for part in function.body
        for node in ast.walk(part)
        if isinstance(node, ast.stmt)
    ]
    parts = {part: statement for statement in statements for part in ast.walk(statement)}  # each with its nearest
    hidden = {within for part in parts for value in unseen(part) for within in ast.walk(value)}
    for node, statement in parts.items():
        if not isinstance(node, ast.expr) or node.end_lineno is None or node in hidden:
            continue
        start = b"".join(lines[: node.lineno - 1]) + lines[node.lineno - 1][: node.col_offset]
        end = lines[node.end_lineno - 1][node.end_col_offset :] + b"".join(lines[node.end_lineno :])
        for changed in changes(node):
            after = ast.unparse(changed)
            mutated = (start + f"({after})".encode() + end).decode()
            around = f"{path.stem}: {ast.unparse(statement)}: {ast.unparse(node)} -> {after}"
            name, own = path.relative_to(ROOT).as_posix(), frozenset(own_lines(statement))
            yield Mutant(name, node.lineno, ast.unparse(node), after, own, mutated, around)


def own_lines(statement: ast.stmt) -> range:
    """Of a statement, up to the first one in it."""
    within = [node.lineno for node in ast.walk(statement) if isinstance(node, ast.stmt) and node is not statement]
    end = statement.end_lineno or statement.lineno
    return range(statement.lineno, max(statement.lineno + 1, min([end + 1, *within])))


def unseen(part: ast.AST) -> Iterator[ast.expr]:
    """What of a part of the code is never changed: the first lines of this file say why."""
    match part:
        case ast.keyword(arg=name, value=value) if name in {"strict", *LAYOUT}:
            yield value
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            yield from (value for key, value in pairs if isinstance(key, ast.Constant) and key.value in LAYOUT)
        case ast.Subscript(value=text, slice=ast.Slice() as digits):
            named = text.func if isinstance(text, ast.Call) else text
            if getattr(named, "attr", getattr(named, "id", "")) in DIGESTS:
                yield digits


def changes(node: ast.expr) -> Iterator[ast.expr]:
    """What an expression may be changed to."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in COMPARED:
            yield ast.Compare(node.left, [COMPARED[type(operator)]()], node.comparators)
        case ast.BinOp(op=operator) if type(operator) in COUNTED and not is_text(node):
            yield ast.BinOp(node.left, COUNTED[type(operator)](), node.right)
        case ast.BoolOp(op=operator):
            yield ast.BoolOp(ast.And() if isinstance(operator, ast.Or) else ast.Or(), node.values)
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield node.operand
        case ast.IfExp():
            yield ast.IfExp(node.test, node.orelse, node.body)
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() | float() as value):
            yield ast.Constant(value + 1)
        case ast.Call(func=ast.Attribute(attr="escape") | ast.Name(id="escape"), args=[text, *_]):
            yield text
        case ast.Call(args=[ast.Name() as first, ast.Name() as second, *rest]):
            swapped = copy.copy(node)
            swapped.args = [second, first, *rest]
            yield swapped


def is_text(node: ast.BinOp) -> bool:
    """Whether a sum joins texts, or names a folder: to break it breaks every test."""
    sides = (node.left, node.right)
    return any(isinstance(side, ast.JoinedStr) or isinstance(getattr(side, "value", None), str) for side in sides)


def chosen(count: int, seed: int) -> list[Mutant]:
    """So many changes, as many in each room."""

    def drawn(mutant: Mutant) -> bytes:
        return hashlib.sha256(f"{seed}: {mutant.around}".encode()).digest()

    picked = []
    for number, room in enumerate(ROOMS):
        possible = [m for path in sorted((ROOT / room).rglob("*.py")) for m in mutants_of(path)]
        share = count // len(ROOMS) + (number < count % len(ROOMS))
        picked += sorted(possible, key=drawn)[:share]
    return picked


Passing = dict[str, dict[int, set[str]]]
"""File -> line -> the tests that come past it."""


def find_passing(checkout: Path) -> Passing:
    """Run all tests once, and see past which lines each comes: a fixture's, on the way of every test of the file."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider"]
    kept = checkout / ".coverage"
    subprocess.run(
        [*command, "--cov", "qbench", "--cov", "leaderboard", "--cov-context", "test", "--cov-report="],
        cwd=checkout, check=False, env={**os.environ, "COVERAGE_FILE": str(kept)}, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    data = CoverageData(str(kept))
    data.read()
    passing: Passing = {}
    for file in data.measured_files():
        lines = passing.setdefault(Path(file).relative_to(checkout).as_posix(), {})
        for line, contexts in data.contexts_by_lineno(file).items():
            named = (context.rpartition("|") for context in contexts if context)
            lines[line] = {test if when == "run" else test.partition("::")[0] for test, _, when in named}
    return passing


def tests_of(mutant: Mutant, checkout: Path, passing: Passing) -> Iterator[list[str]]:
    """What runs at once: tests that are named after a file; those of its room that come past the change; those of its
    pages in a browser, which run the app in another process; others that come past it; and those that share what one
    of all these made. No other test can notice it.
    """
    path = mutant.path
    room = checkout / "tests" / "/".join(Path(path).parts[:2]).removeprefix("qbench/")
    near = str(room.relative_to(checkout))
    named = [str(test.relative_to(checkout)) for test in sorted(room.rglob(f"test_{Path(path).stem}*.py"))]
    lines = passing.get(path, {})
    past = {test for line in mutant.lines for test in lines.get(line, ()) if test.partition("::")[0] not in named}
    pages = SEEN_ON.get(Path(path).stem, Path(path).stem.split("_")) if path.startswith(IN_A_BROWSER) else ()
    seen = [tests for page in pages if (checkout / (tests := f"tests/browser/test_{page}.py")).is_file()]
    of_room = sorted(test for test in past if test.startswith(near))
    yield from filter(None, (named, of_room, seen and ["-m", "browser", *seen], sorted(past - set(of_room))))
    files = sorted(test.relative_to(checkout).as_posix() for test in checkout.glob("tests/**/test_*.py"))
    sharing = [test for test in files if KEPT.search((checkout / test).read_text(encoding="utf-8"))]
    if {test.partition("::")[0] for test in past} & {*sharing}:
        yield sharing


def is_noticed(mutant: Mutant, checkout: Path, passing: Passing) -> bool:
    """Whether a test that passes otherwise fails in a checkout that has the change."""
    changed = checkout / mutant.path
    kept = changed.read_bytes()
    changed.write_text(mutant.source, encoding="utf-8")
    try:
        failed = next(
            filter(None, (first_failure(tests, checkout) for tests in tests_of(mutant, checkout, passing))), None
        )
    except subprocess.TimeoutExpired:
        return True
    finally:
        changed.write_bytes(kept)
    if failed and first_failure([*failed, "-m", "browser or not browser"], checkout):
        print(f"{failed} fails without the change too", flush=True)
        return False
    return failed is not None


def first_failure(tests: list[str], checkout: Path) -> list[str] | None:
    """The first of these tests that fails, or all where they cannot be begun; None where none does."""
    listed = checkout / ".tests"
    listed.write_text("\n".join(tests), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", f"@{listed}"]
    hurried = {**os.environ, "PAGE_PATIENCE_MS": "60000"}  # a page that is broken never comes to what is expected
    run = subprocess.run(
        command, cwd=checkout, env=hurried, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    if run.returncode in (0, 5):  # 5: it has no tests
        return None
    return FAILED.findall(run.stdout)[:1] or tests


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--room", choices=ROOMS, help="try the changes of this room alone")
    asked = parser.parse_args()
    mutants = [mutant for mutant in chosen(asked.count, asked.seed) if mutant.path.startswith(asked.room or "")]
    with tempfile.TemporaryDirectory() as made, ThreadPoolExecutor(asked.jobs) as pool:
        checkouts: queue.Queue[Path] = queue.Queue()
        for number in range(asked.jobs):
            copied = Path(made) / str(number)
            subprocess.run(["git", "clone", "--quiet", ROOT, copied], check=True)  # noqa: S607
            checkouts.put(copied)
        passing = find_passing(copied)

        def answer(mutant: Mutant) -> bool:
            checkout = checkouts.get()
            try:
                return is_noticed(mutant, checkout, passing)
            finally:
                checkouts.put(checkout)

        missed = 0
        for mutant, noticed in zip(mutants, pool.map(answer, mutants), strict=True):
            missed += not noticed
            if not noticed:
                print(f"not noticed: {mutant}", flush=True)
    print(f"{len(mutants) - missed} of {len(mutants)} changes were noticed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
