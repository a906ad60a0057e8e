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
    box(part, height=part - 3, digits=text.hexdigest()[:8], **{"scale": 0, "most": 5})
    return zip(part, whole, strict=True)
"""


def test_bounds_conditions_escapes_and_swaps_are_changed_but_no_layout_digests_or_strictness(
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
        (7, "5", "6"),
        (8, "zip(part, whole, strict=True)", "zip(whole, part, strict=True)"),
    ]
    escape = next(m for m in made if m.line == 6)
    assert {m.line: m.lines for m in made} == {5: {5}, 6: {6}, 7: {7}, 8: {8}}
    assert escape.source == SOURCE.replace("html.escape(part)", "(part)")


def test_tests_that_are_run_are_there() -> None:
    named = [f"tests/browser/test_{page}.py" for pages in mutants.SEEN_ON.values() for page in pages]
    assert [tests for tests in named if not (mutants.ROOT / tests).exists()] == []
