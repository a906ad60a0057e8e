from __future__ import annotations

import threading

import pytest

from qbench.commands.text import telling


class Told(threading.Event):
    """A stand-in for stderr that tells when something was written."""

    text = ""

    def write(self, text: str) -> int:
        self.text += text
        if "\n" in text:
            self.set()
        return len(text)

    def flush(self) -> None:
        """Nothing is held back."""

    def isatty(self) -> bool:
        return False


def test_what_takes_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = Told()
    monkeypatch.setattr("sys.stderr", stderr)
    with telling("scoring big.jsonl", first=0.001):
        assert stderr.wait(60)
    assert stderr.text.startswith("qbench: scoring big.jsonl, 0 s so far\n")


def test_what_is_quick_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with telling("scoring small.jsonl", first=60):
        pass
    assert capsys.readouterr().err == ""
