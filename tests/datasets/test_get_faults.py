"""Fetching that goes wrong: cut, damaged, gated, refused, a full disk, two at once; one sentence, and nothing lost."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from qbench.datasets import open_dataset
from qbench.datasets.get import FetchProgress, fetch, plan_fetch
from qbench.errors import DataError, UserError
from tests.datasets.fetching import facts_of, files_asked, files_below, get, picture, refused, tape
from tests.hub_double import TOKEN, Hub

ROOT = Path(__file__).resolve().parents[2]


def fetched(root: Path) -> None:
    """The questions are fetched whole now, whatever went wrong before."""
    get("llvisionqa-dev", root)
    assert len(open_dataset("llvisionqa-dev").samples) == 30


def test_a_connection_that_is_cut_goes_on_where_it_was(qbench: Hub, root: Path) -> None:
    qbench.scripted = [("storage", "half-after")] * 2
    fetched(root)
    assert qbench.thrown["half-after"] == 2


def test_a_stopped_fetch_goes_on_from_its_last_byte(hub: Hub, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE", 50_000)
    hub.repo = "teowu/LLDescribe-QBench"
    noise = bytes(os.urandom(400_000))
    hub.write("main", {"images_lldescribe.tar": tape({"images/a.png": picture(1), "images/noise.bin": noise})})
    facts = facts_of("lldescribe")

    def stop(progress: FetchProgress) -> None:
        if progress.bytes > 120_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(plan_fetch(facts, root), stop)
    [part] = (root / "downloads" / "lldescribe").glob("*.part")
    had = part.stat().st_size
    assert had >= 100_000
    told = get("lldescribe", root)
    assert told[0].bytes > had  # nothing of it came twice
    assert json.loads((root / "lldescribe" / "lldescribe.json").read_text()) == [{"img_path": "images/a.png"}]


def test_a_damaged_file_is_not_kept(qbench: Hub, root: Path) -> None:
    right = (qbench.tree() or {})["data/dev-00001-of-00003.parquet"]
    qbench.damaged["data/dev-00001-of-00003.parquet"] = b"\0" * len(right)
    said = refused("llvisionqa-dev", root)
    assert said.startswith(
        "data/dev-00001-of-00003.parquet from https://huggingface.co/datasets/q-future/Q-Bench-HF is not"
    )
    names = sorted(path.name for path in files_below(root / "llvisionqa-dev"))
    assert names == ["dev-00000-of-00003.parquet"]
    qbench.damaged.clear()
    fetched(root)


def test_a_gated_dataset_names_its_form(qbench: Hub, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    qbench.agreed = {TOKEN}
    for token in (None, "hf_somebodyElse"):
        if token:
            monkeypatch.setenv("HF_TOKEN", token)
        said = refused("llvisionqa-dev", root)
        assert "fill in the form at https://huggingface.co/datasets/q-future/Q-Bench-HF with your account" in said
        assert "hf_" not in said
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    fetched(root)


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("503", "does not answer (503); run this again later"),
        ("429", "asks for fewer requests (429); run this again in some minutes"),
        ("cut", "broke off or cannot be reached"),
    ],
)
@pytest.mark.parametrize("place", ["/api/", "/resolve/"])
def test_a_host_that_fails_for_good_is_one_sentence(
    qbench: Hub, root: Path, fault: str, sentence: str, place: str
) -> None:
    qbench.scripted = [(place, fault)] * 20
    said = refused("llvisionqa-dev", root)
    assert sentence in said
    assert said.endswith("what came so far is kept")
    qbench.scripted = []
    fetched(root)


def test_a_full_disk_is_told_before_anything_is_fetched(
    qbench: Hub, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = SimpleNamespace(total=10**9, free=65_000_000 + 2**21)
    monkeypatch.setattr("shutil.disk_usage", lambda _path: usage)
    said = refused("llvisionqa-dev", root)
    assert "free and" in said
    assert "set QBENCH_DATA to a folder on another disk" in said
    assert files_asked(qbench) == []


def test_a_disk_that_takes_no_more_is_one_sentence(qbench: Hub, root: Path) -> None:
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000)); "
        "from qbench.__main__ import main; sys.exit(main(['datasets', 'get', 'llvisionqa-dev']))"
    )
    # -B: Python would leave halves of compiled modules behind, which every later process fails at.
    child = subprocess.run([sys.executable, "-B", "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert child.returncode == 2, child.stderr
    assert child.stderr.splitlines()[-1].startswith("qbench: cannot use the disk: File too large; ")
    fetched(root)


def test_two_do_not_fetch_one_dataset_at_once(qbench: Hub, root: Path) -> None:
    facts = facts_of("llvisionqa-dev")
    plan, said = plan_fetch(facts, root), list[str]()

    def meanwhile(_progress: FetchProgress) -> None:
        if not said:
            other = threading.Thread(target=lambda: said.append(refused("llvisionqa-dev", root)))
            other.start()
            other.join()

    fetch(plan, meanwhile)
    assert said == ["llvisionqa-dev is being fetched by another process; wait for it"]


def test_a_name_that_leads_elsewhere_is_not_taken(hub: Hub, root: Path) -> None:
    hub.repo = "ada/photos"
    hub.write("main", {"../../evil.json": b"[]"})
    with pytest.raises(UserError, match=r"has a file named '\.\./\.\./evil\.json', which leads out of its folder"):
        open_dataset("ada/photos")
    with zipfile.ZipFile(packed := io.BytesIO(), "w") as archive:
        archive.writestr("../evil.png", b"x")
    hub.write("main", {"photos.zip": packed.getvalue()}, deleted=["../../evil.json"])
    with pytest.raises(DataError, match=r"photos\.zip holds '\.\./evil\.png', a name that leads out of its folder"):
        open_dataset("ada/photos")
