"""The lock is what the requirements ask for, and what is wrong with one is said."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tools.audit import bill_of_materials, choose_service, find_known_faults, lock_faults, main, read_lock

HASH = "0123456789abcdef" * 4
GOOD = f"""\
# a comment
gradio==6.31.0 \\
    --hash=sha256:{HASH}
    # via -r requirements.txt
Pillow==11.3.0 ; python_full_version < '3.11' \\
    --hash=sha256:{HASH} \\
    --hash=sha256:{HASH[::-1]}
pillow==12.0.0 ; python_full_version >= '3.11' \\
    --hash=sha256:{HASH}
"""
ASKED = "gradio>=6.31,<7\npillow>=11.0,<13  # photos\n"


def test_a_good_lock_has_nothing_wrong() -> None:
    assert lock_faults(ASKED, GOOD) == []
    assert [(release.name, release.version, len(release.hashes)) for release in read_lock(GOOD)[0]] == [
        ("gradio", "6.31.0", 1),
        ("pillow", "11.3.0", 2),
        ("pillow", "12.0.0", 1),
    ]


@pytest.mark.parametrize(
    ("asked", "lock", "fault"),
    [
        ("gradio>=6.32,<7", GOOD, "gradio is locked to 6.31.0, and <7,>=6.32 is asked for"),
        ("pillow>=11.0,<12", GOOD, "pillow is locked to 12.0.0, and <12,>=11.0 is asked for"),
        ("scipy>=1", GOOD, "scipy is not in the lock"),
        (ASKED, GOOD.replace(f" \\\n    --hash=sha256:{HASH}\n    # via", "\n    # via"), "gradio 6.31.0 has no hash"),
        (ASKED, GOOD.replace("sha256:" + HASH, "md5:" + HASH[:32], 1), "gradio 6.31.0 has no hash"),
        (ASKED, GOOD.replace("gradio==", "gradio>="), "gradio has no exact version"),
        (ASKED, GOOD.replace("gradio==6.31.0", "gradio==6.*"), "gradio has no exact version"),
        (ASKED, GOOD + "https://evil.example/x.whl\n", "https://evil.example/x.whl is no requirement"),
    ],
)
def test_what_is_wrong_with_a_lock_is_said(asked: str, lock: str, fault: str) -> None:
    assert any(said.startswith(fault) for said in lock_faults(asked, lock))


def test_the_project_s_lock_is_right_and_its_bill_names_every_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tools.audit.PYPI", "http://127.0.0.1:9/")  # nobody is there
    monkeypatch.setattr("tools.audit.OSV", "http://127.0.0.1:9/")
    assert main(["--strict", "--bill", str(tmp_path / "bill.json")]) == 0
    said = capsys.readouterr().out.splitlines()[1:]
    assert said == [
        "audit: known faults were not looked for, since neither pypi.org nor osv.dev can be asked from here"
    ]
    bill = json.loads((tmp_path / "bill.json").read_text(encoding="utf-8"))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert {"gradio", "torch", "pillow"} <= {component["name"] for component in bill["components"]}
    assert all(component["externalReferences"][0]["hashes"] for component in bill["components"])
    references = [component["bom-ref"] for component in bill["components"]]
    assert len(set(references)) == len(references)
    assert bill_of_materials(read_lock(GOOD)[0])["components"][1]["properties"] == [
        {"name": "python:marker", "value": 'python_full_version < "3.11"'}
    ]


KNOWN = {
    "id": "GHSA-0000-0000-0000",
    "modified": "2026-01-02T00:00:00Z",
    "summary": "reads files",
    "affected": [
        {
            "package": {"name": "gradio", "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "6.40.0"}]}],
        }
    ],
}


@contextmanager
def osv(faulty: str) -> Iterator[tuple[str, list[str]]]:
    """A service that speaks OSV's protocol (osv.dev, POST /v1/query) and knows one fault; and what it was asked."""
    asked: list[str] = []

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            question = json.loads(self.rfile.read(int(self.headers["content-length"])))
            name = question["package"]["name"]
            asked.append(f"{name} {question['version']}")
            body = json.dumps({"vulns": [KNOWN]} if name == faulty else {}).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_said: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1/query", asked
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(("faulty", "ends"), [("gradio", 1), ("nothing", 0)])
def test_pip_audit_asks_for_each_release_of_the_lock(
    faulty: str, ends: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    lock = tmp_path / "requirements.lock"
    lock.write_text(GOOD, encoding="utf-8")
    with osv(faulty) as (address, asked):
        assert find_known_faults(lock, address) == ends
    assert "gradio 6.31.0" in asked
    assert len(asked) == 2  # of the two releases of Pillow the one for this Python
    said = capfd.readouterr().out
    assert ("GHSA-0000-0000-0000 6.40.0" in said) == bool(ends)


def test_osv_is_asked_where_pypi_s_answer_names_no_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.audit.PYPI", "http://127.0.0.1:9/")
    with osv("pip") as (address, asked):
        monkeypatch.setattr("tools.audit.OSV", address)
        assert choose_service(None) == ["--vulnerability-service", "osv"]
    assert asked == ["pip 9.0.0"]
