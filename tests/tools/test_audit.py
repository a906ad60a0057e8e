"""The lock is what the requirements ask for, and what is wrong with one is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.audit import bill_of_materials, lock_faults, main, read_lock

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
        ("scipy>=1", GOOD, "scipy is not in the lock"),
        (ASKED, GOOD.replace(f" \\\n    --hash=sha256:{HASH}\n    # via", "\n    # via"), "gradio 6.31.0 has no hash"),
        (ASKED, GOOD.replace("gradio==", "gradio>="), "gradio has no exact version"),
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
