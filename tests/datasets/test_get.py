"""Fetching datasets from a double of the Hub by the real client: whole, checked, resumed; faults are one sentence."""

from __future__ import annotations

import hashlib
import io
import json
import os
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from qbench.__main__ import main
from qbench.datasets import open_dataset, remote
from qbench.datasets.get import FetchProgress, fetch, plan_fetch, record_path
from qbench.datasets.known import known_datasets
from qbench.datasets.places import look_for
from qbench.errors import DataError, UserError
from tests import hub_double
from tests.commands.asking import shell
from tests.datasets.fetching import facts_of, files_asked, files_below, get, packed, picture, refused, shard, tape
from tests.datasets.similarity import layouts
from tests.hub_double import TOKEN, Hub
from tests.hub_routes import oid

# --- what is fetched


def test_the_shards_of_a_split_are_fetched_checked_and_recorded(qbench: Hub, root: Path) -> None:
    facts = facts_of("llvisionqa-dev")
    plan = plan_fetch(facts, root)
    there = qbench.tree() or {}
    assert plan.size == sum(len(content) for name, content in there.items() if "dev-" in name)
    assert files_asked(qbench) == []  # the size is known before anything is fetched
    told = get("llvisionqa-dev", root)
    assert [progress.of for progress in told] == [plan.size] * len(told)
    assert [progress.bytes for progress in told] == sorted(progress.bytes for progress in told)
    assert told[-1].bytes == plan.size
    kept = sorted(path.name for path in (root / "llvisionqa-dev").rglob("*.parquet"))
    assert kept == [f"dev-0000{n}-of-00003.parquet" for n in range(3)]
    dataset = open_dataset("llvisionqa-dev")
    assert [sample.answer for sample in dataset.samples] == [0, 1] * 15
    assert dataset.limit == 30  # of 1,495: its record says so, and it fills no board
    presence = look_for(facts, root)
    assert (presence.state, presence.detail) == ("partly", "30 of 1,495 questions")
    record = json.loads(record_path(facts, root).read_text())
    [source] = record["sources"]
    assert source["from"] == "https://huggingface.co/datasets/q-future/Q-Bench-HF"
    assert source["revision"] == qbench.branches["main"]
    content = there["data/dev-00000-of-00003.parquet"]
    told = {"bytes": len(content), "digest": f"sha256:{hashlib.sha256(content).hexdigest()}"}
    assert source["files"]["data/dev-00000-of-00003.parquet"] == told
    assert record["licence"] == "CC BY-NC-SA 4.0"


def test_what_is_there_is_not_fetched_again(qbench: Hub, root: Path) -> None:
    get("llvisionqa-dev", root)
    asked = files_asked(qbench)
    get("llvisionqa-dev", root)
    assert files_asked(qbench) == asked
    (root / "llvisionqa-dev" / "data" / "dev-00001-of-00003.parquet").write_bytes(b"x" * len(shard(10, 10)))
    get("llvisionqa-dev", root)
    again = files_asked(qbench)[len(asked) :]
    assert {request.rsplit("/", 1)[1] for request in again} == {"dev-00001-of-00003.parquet"}
    assert len(open_dataset("llvisionqa-dev").samples) == 30


def test_an_archive_of_the_bundle_is_put_where_every_set_of_it_is_looked_for(
    hub: Hub, root: Path, tmp_path: Path
) -> None:
    hub.repo = "saraghznfri/unisim_data"
    layouts.koniq(tmp_path / "made")
    inside = {
        path.relative_to(tmp_path / "made").as_posix(): path.read_bytes() for path in files_below(tmp_path / "made")
    }
    archive = tape({"somewhere/koniq10k/" + name: content for name, content in inside.items()})
    hub.commits[facts_of("koniq-10k-pairs").fetch[0].revision] = {"koniq10k.tar": archive, "nights.tar": b"-"}
    get("koniq-10k-pairs", root)
    for name in ("koniq-10k-pairs", "koniq-brightness"):
        assert look_for(facts_of(name), root).state == "yes"
        assert open_dataset(name).samples
    assert not (root / "downloads" / "koniq-10k-pairs" / "koniq10k.tar").exists()
    asked = files_asked(hub)
    get("koniq-10k-pairs", root)
    assert files_asked(hub) == asked


def test_a_dataset_of_ones_own_on_the_hub_in_the_layout_of_a_manifest(hub: Hub, root: Path) -> None:
    hub.repo = "ada/photos"
    rows = [{"image": {"bytes": picture(n), "path": f"{n}.png"}, "gt_score": float(n)} for n in range(4)]
    hub.write("main", {"data/train-00000-of-00001.parquet": packed(rows)})
    dataset = open_dataset("ada/photos")
    assert (dataset.name, [sample.human for sample in dataset.samples]) == ("ada/photos", [0, 1, 2, 3])
    assert [Path(sample.images[0]).read_bytes() for sample in dataset.samples] == [picture(n) for n in range(4)]
    hub.away = True  # what was fetched once needs no network
    assert open_dataset("ada/photos").revision == dataset.revision


# --- GitHub, where two publishers keep their lists


def test_the_rated_images_of_the_2afc_study_come_with_their_list(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = [{"img_path": f"kadis700k/{n}.bmp", "gt_score": n} for n in range(3)]
    content = json.dumps({"kadis700k": listed, "SQAD": [{"img_path": "SQAD/a.jpg", "gt_score": 1}]}).encode()
    files = {"data/Coarse_grained_mixed.json": content, "data/other.py": b"-"}
    files |= {f"data/kadis700k/{n}.bmp": picture(n) for n in range(3)}
    with github(files, monkeypatch) as asked:
        get("kadis-700k", root)
    assert not any("other.py" in path for path in asked)
    dataset = open_dataset("kadis-700k")
    assert (dataset.name, dataset.split) == ("kadis-700k", "coarse")
    assert [sample.human for sample in dataset.samples] == [0, 1, 2]
    with pytest.raises(UserError, match=r"SQAD is not at .*sqad; get it: python -m qbench datasets get sqad"):
        open_dataset("sqad")


@contextmanager
def github(files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Files of one repository on GitHub's two addresses; gives the paths that are asked for."""
    blobs = [{"path": path, "type": "blob", "size": len(files[path]), "sha": oid(files[path])} for path in files]
    listing = {"sha": "1" * 40, "tree": [{"path": "data", "type": "tree", "sha": "2" * 40}, *blobs]}

    def tree(*_asked: Any) -> Any:
        return listing

    def raw(_hub: Hub, _query: Any, _body: bytes, _commit: str, path: str) -> Any:
        return 200, files[path], {"Accept-Ranges": "bytes"}

    commit = "([0-9a-f]{40})"
    routes = [(f"/repos/h4nwei/2AFC-LMMs/git/trees/{commit}", tree), (f"/h4nwei/2AFC-LMMs/{commit}/(.+)", raw)]
    monkeypatch.setattr(hub_double, "ROUTES", routes)
    hub = Hub()
    with hub_double.serve(hub) as address:
        monkeypatch.setattr(remote, "GITHUB_API", address)
        monkeypatch.setattr(remote, "GITHUB_FILES", address)
        yield hub.requests


# --- the command


def test_the_command_tells_size_source_and_licence_first(
    qbench: Hub, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["datasets", "get", "llvisionqa-dev", "--dry-run"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("LLVisionQA (dev): 3 files, ")
    assert "from https://huggingface.co/datasets/q-future/Q-Bench-HF; licence: CC BY-NC-SA 4.0" in told
    assert f"https://huggingface.co/datasets/q-future/Q-Bench-HF at {qbench.branches['main']}" in told
    assert files_asked(qbench) == []
    assert main(["datasets", "get", "llvisionqa-dev", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["state"] == "partly"
    assert "licence: CC BY-NC-SA 4.0" in said.err
    assert main(["datasets", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert (rows["llvisionqa-dev"]["state"], rows["llvisionqa-dev"]["missing"]) == ("partly", "30 of 1,495 questions")
    assert rows["llvisionqa-test"]["state"] == "no"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("imagenet-ooo", "fill in the form at https://image-net.org/download.php; put into"),
        ("cgiqa-6k", "CGIQA-6K cannot be fetched; put into"),
        ("demo-perception", "needs no files: it is made at first use"),
        ("nonsense", "no dataset is called 'nonsense'"),
    ],
)
def test_what_cannot_be_fetched_says_what_to_do(
    root: Path, capsys: pytest.CaptureFixture[str], name: str, sentence: str
) -> None:
    assert main(["datasets", "get", name]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1


# --- what known.json says


def test_sources_are_stated_in_full() -> None:
    for source in (source for facts in known_datasets() for source in facts.fetch):
        assert source.files
        assert source.revision == "" or len(source.revision) == 40, source
        assert source.host == "web" or source.repo.count("/") == 1, source
        assert all(len(digest) == 64 for digest in source.sha256.values()), source


# --- what goes wrong: one sentence, and nothing lost


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
        ("503", "does not answer now (503); run this again later"),
        ("429", "does not answer now (429); run this again later"),
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


def test_a_disk_that_takes_no_more_is_one_sentence(hub: Hub, root: Path) -> None:
    hub.repo = "teowu/LLDescribe-QBench"
    files = {"images/a.png": picture(1), "images/noise.bin": os.urandom(40_000)}  # more than is written at once
    hub.write("main", {"images_lldescribe.tar": tape(files)})
    # Python would leave halves of compiled modules behind, which every later process fails at.
    child = shell("export PYTHONDONTWRITEBYTECODE=1; ulimit -f 3; QBENCH datasets get lldescribe")
    assert child.returncode == 2, child.stderr
    assert child.stderr.splitlines()[-1].startswith("qbench: cannot use the disk: File too large; ")
    assert get("lldescribe", root)


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
