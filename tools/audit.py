"""What the app is built of: whether requirements.lock can be trusted, a list of it, and known faults of it.

`python -m tools.audit` checks that the lock has what requirements.txt asks for, exactly and with hashes, writes a
Software Bill of Materials (CycloneDX), and lets `pip-audit` look for known faults at PyPI, or else at OSV, where one of
them can be asked. A lock that is wrong fails; so do known faults, and releases that the service does not know, with
`--strict`, as `make audit` has it, since a fault may be found on any day.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.markers import Marker
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PYPI = "https://pypi.org/pypi/pip/9.0.0/json"
"""Has known faults, so that a mirror without them is told from the service: of what a mirror does not know pip-audit
finds nothing wrong."""
OSV = "https://api.osv.dev/v1/query"
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})\b")


@dataclass(frozen=True)
class Locked:
    """One release in the lock."""

    name: str
    version: str
    marker: Marker | None
    """For which Pythons and systems it is taken."""
    hashes: tuple[str, ...]


def read_lock(text: str) -> tuple[list[Locked], list[str]]:
    """What the lock pins, and what is wrong with it, in sentences."""
    locked, faults = [], []
    for entry in re.sub(r"\\\n", " ", text).splitlines():
        if not entry.strip() or entry.lstrip().startswith("#"):
            continue
        try:
            requirement = Requirement(entry.split(" --hash")[0].strip())
        except InvalidRequirement:
            faults.append(f"{entry.split()[0]} is no requirement")
            continue
        exact = [part.version for part in requirement.specifier if part.operator == "==" and "*" not in part.version]
        if len(exact) != 1 or len(requirement.specifier) != 1:
            faults.append(f"{requirement.name} has no exact version")
            continue
        hashes = tuple(_HASH.findall(entry))
        if not hashes or len(hashes) != entry.count("--hash"):
            faults.append(f"{requirement.name} {exact[0]} has no hash, or one that is no SHA-256")
        locked.append(Locked(canonicalize_name(requirement.name), exact[0], requirement.marker, hashes))
    return locked, faults


def lock_faults(requirements: str, lock: str) -> list[str]:
    """Why a lock is not what the requirements ask for; nothing where it is."""
    locked, faults = read_lock(lock)
    for line in requirements.splitlines():
        if not (text := line.split("#")[0].strip()):
            continue
        asked = Requirement(text)
        found = [release for release in locked if release.name == canonicalize_name(asked.name)]
        if not found:
            faults.append(f"{asked.name} is not in the lock")
        faults += [
            f"{asked.name} is locked to {release.version}, and {asked.specifier} is asked for"
            for release in found
            if not asked.specifier.contains(release.version, prereleases=True)
        ]
    return faults


def bill_of_materials(locked: list[Locked]) -> dict[str, Any]:
    """The releases as CycloneDX 1.6: the same lock gives the same bill."""
    components = [
        {
            "type": "library",
            "bom-ref": f"pkg:pypi/{release.name}@{release.version}",
            "name": release.name,
            "version": release.version,
            "purl": f"pkg:pypi/{release.name}@{release.version}",
            "externalReferences": [
                {
                    "type": "distribution",
                    "url": f"https://pypi.org/project/{release.name}/{release.version}/",
                    "hashes": [{"alg": "SHA-256", "content": content} for content in release.hashes],
                }
            ],
            **({"properties": [{"name": "python:marker", "value": str(release.marker)}]} if release.marker else {}),
        }
        for release in sorted(locked, key=lambda release: (release.name, release.version))
    ]
    return {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "components": components}


def choose_service(osv: str | None) -> list[str] | None:
    """What tells pip-audit whom to ask; None where nobody can be asked from here."""
    if osv:
        return ["--vulnerability-service", "osv", "--osv-url", osv]
    try:
        with urllib.request.urlopen(PYPI, timeout=5) as answer:
            if json.load(answer).get("vulnerabilities"):
                return ["--vulnerability-service", "pypi"]
    except (OSError, ValueError, AttributeError):
        pass
    try:
        question = b'{"package": {"name": "pip", "ecosystem": "PyPI"}, "version": "9.0.0"}'
        with urllib.request.urlopen(OSV, question, timeout=5) as answer:
            return ["--vulnerability-service", "osv"] if json.load(answer).get("vulns") else None
    except (OSError, ValueError, AttributeError):
        return None


def find_known_faults(lock: Path, osv: str | None = None) -> int:
    """What `pip-audit` says and ends with; 0 where its data cannot be had, which is said."""
    service = choose_service(osv)
    if service is None:
        print("audit: known faults were not looked for, since neither pypi.org nor osv.dev can be asked from here")
        return 0
    asked = ["--disable-pip", "--require-hashes", "--strict", "--timeout", "15", *service, "--requirement", str(lock)]
    return subprocess.run([sys.executable, "-m", "pip_audit", *asked], check=False).returncode


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.audit", description=__doc__.partition("\n")[0])
    parser.add_argument("--strict", action="store_true", help="fail on known faults too")
    parser.add_argument("--osv", help="address of another service that speaks OSV's protocol")
    parser.add_argument("--bill", type=Path, default=ROOT / "sbom.json", help="where the bill is written")
    asked = parser.parse_args(arguments)
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    if faults := lock_faults((ROOT / "requirements.txt").read_text(encoding="utf-8"), lock):
        print("requirements.lock is not what requirements.txt asks for; run `make lock`:", *faults, sep="\n  ")
        return 1
    locked, _ = read_lock(lock)
    asked.bill.write_text(json.dumps(bill_of_materials(locked), indent=1) + "\n", encoding="utf-8")
    print(f"audit: {len(locked)} releases are locked with hashes; their bill is {asked.bill}", flush=True)
    known = find_known_faults(ROOT / "requirements.lock", asked.osv)
    if known and not asked.strict:
        print("audit: see above; `make audit` fails on it")
    return known if asked.strict else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
