"""The changes that the measurement of the tests makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import mutants

SOURCE = """\
LIMIT = 3

def share(part, whole):
    \"\"\"3 of 4.\"\"\"
    if not part or whole <= 0:
        return "é" + html.escape(part)
    return part / whole
"""


def test_signs_bounds_denominators_conditions_and_escapes_are_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    (tmp_path / "share.py").write_text(SOURCE, encoding="utf-8")
    made = list(mutants.mutants_of(tmp_path / "share.py"))
    assert sorted((m.line, m.before, m.after) for m in made) == [
        (5, "0", "1"),
        (5, "not part", "part"),
        (5, "not part or whole <= 0", "not part and whole <= 0"),
        (5, "whole <= 0", "whole < 0"),
        (6, "html.escape(part)", "part"),
        (7, "part / whole", "part * whole"),
    ]
    escape = next(m for m in made if m.line == 6)
    assert {m.line: m.lines for m in made} == {5: {5}, 6: {6}, 7: {7}}
    assert escape.source == SOURCE.replace("html.escape(part)", "(part)")


def test_tests_that_are_run_are_there() -> None:
    named = [f"tests/browser/test_{page}.py" for pages in mutants.SEEN_ON.values() for page in pages]
    assert [tests for tests in named if not (mutants.ROOT / tests).exists()] == []
