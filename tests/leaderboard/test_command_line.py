from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from leaderboard.__main__ import main
from leaderboard.settings import read_settings
from leaderboard.store.local import Store
from qbench.assets import assets_folder
from tests.hub_double import TOKEN, Hub, serve
from tests.leaderboard.handed_in import submission
from tests.leaderboard.made import make_pictures, result

Say = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("QBENCH_RESULTS_REPO", "QBENCH_HUB_TOKEN", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("QBENCH_SUBMISSIONS", str(tmp_path / "handed-in"))
    monkeypatch.setenv("QBENCH_RESULTS", str(tmp_path / "none"))
    few = tmp_path / "assets" / "published"  # one paper's figures, for tests that are about commands
    few.mkdir(parents=True)
    (few / "twoafc").symlink_to(assets_folder() / "published" / "twoafc")
    monkeypatch.setattr("leaderboard.__main__.assets_folder", lambda: few.parent)


def test_review_lists_accepts_and_declines(tmp_path: Path, capsys: Say) -> None:
    assert main(["review"]) == 2
    assert capsys.readouterr().err == (
        f"There is no folder of submissions at {tmp_path / 'handed-in'}; set QBENCH_SUBMISSIONS to it, or "
        "QBENCH_RESULTS_REPO to the dataset on the Hub that keeps them.\n"
    )
    store = Store(tmp_path / "handed-in")
    good, bad = (store.add(submission(name, identity=None)).entry for name in ("good", "bad"))
    assert main(["review"]) == 0
    assert " letters" not in capsys.readouterr().out
    assert main(["review", "accept", good.digest]) == 0
    assert main(["review", "decline", bad.digest, "--reason", "made up"]) == 0
    assert [result.model for result in store.load().results] == ["good"]
    assert store.load().pending == ()
    assert [entry.decisions[-1].by for entry in store.load().entries] == ["command-line"] * 2
    assert main(["review", "decline", good.digest]) == 2
    assert "'good' was accepted by command-line at" in capsys.readouterr().err
    assert main(["review", "back", good.digest, "--reason", "wrong table"]) == 0
    assert [entry.digest for entry in store.load().pending] == [good.digest]
    assert main(["review", "accept", "0" * 64]) == 2
    assert "There is no submission" in capsys.readouterr().err


def test_review_lists_figures_places_links_and_what_to_look_at(tmp_path: Path, capsys: Say) -> None:
    made = (result("GP\u03a4-4V", "koniq-10k", srcc=0.5, kind="self-reported"),)
    entry = Store(tmp_path / "handed-in").add(submission("GP\u03a4-4V", identity=None, results=made)).entry
    assert main(["review"]) == 0
    source, named, told, _ = capsys.readouterr().out.splitlines()
    assert source == "anonymous: 1"
    assert named == f"  {entry.digest}  2026-05-31T12:00:00+00:00  'GP\u03a4-4V'"
    board, figure, place, flags, link = told.strip().split("  ")
    assert (board, figure) == ("A3 Assessment", "KonIQ-10k SRCC 0.500")
    assert re.fullmatch(r"\(\d+ of \d+\)", place)
    assert (flags, link) == ("Greek letters, self-reported", "https://example.org/alpha")
    Store(tmp_path / "handed-in").add(submission("GPT-4VV", identity="ada"), review=True)
    assert main(["review"]) == 0
    assert "like gpt-4v" in capsys.readouterr().out


def test_several_and_all_of_one_source_are_decided_by_one_command(tmp_path: Path, capsys: Say) -> None:
    store = Store(tmp_path / "handed-in")
    for number in range(5):
        store.add(submission(f"spam {number}", identity="eve"), review=True)
    good = [store.add(submission(name, identity="ada"), review=True).entry.digest for name in ("good", "better")]
    store.add(submission("nameless", identity=None))
    assert main(["review"]) == 0
    listed = [line for line in capsys.readouterr().out.splitlines() if not line.startswith(" ")]
    assert listed == ["eve: 5", "ada: 2", "anonymous: 1", "8 submissions wait for review."]
    assert main(["review", "back", "--source", "eve"]) == 2
    assert main(["review", "decline", "--source", "eve", "--reason", "made up"]) == 0
    assert "5 submissions of eve are declined" in capsys.readouterr().out
    assert main(["review", "accept", *good, "0" * 64]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{good[0]} is accepted.\n{good[1]} is accepted.\nThere is no submission")
    assert main(["review", "accept", "--source", "anonymous"]) == 0
    assert store.load().pending == ()
    assert sorted(made.model for made in store.load().results) == ["better", "good", "nameless"]


def test_one_command_makes_the_datasets_and_the_space(
    tmp_path: Path, capsys: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("lab/board-results", "lab/board-results-private", "lab/board")
    results, private, space = (Hub(repo=name, missing=True) for name in names)
    clone = tmp_path / "clone"
    (clone / "submissions").mkdir(parents=True)
    (clone / ".venv" / "bin").mkdir(parents=True)
    for name in ("app.py", "README.md", "submissions/secret.json", ".venv/bin/python", ".gitignore"):
        (clone / name).write_text("---\ntitle: Board\n---\n", encoding="utf-8")
    monkeypatch.setattr("leaderboard.__main__.working_folder", lambda: clone)
    with serve(results, private, space) as address:
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", address)
        monkeypatch.setenv("HF_TOKEN", TOKEN)  # of whoever runs it; the Space never gets it
        for token in ("", "hf_of_the_two_datasets", "hf_another"):  # what is there already stays
            monkeypatch.setenv("QBENCH_HUB_TOKEN", token)
            assert main(["create", "lab/board"]) == 0, capsys.readouterr().err
            assert space.missing is (not token)
            said = capsys.readouterr().out
            assert ("Make a token that may write to these two" in said) is (not token)
        space.away = True
        assert main(["create", "lab/board"]) == 2
        assert "The Hub answered 503" in capsys.readouterr().err
    assert [hub.missing for hub in (results, private, space)] == [False] * 3
    assert (results.private, private.private) == (False, True)
    assert space.set_in_space == {
        ("secrets", "QBENCH_HUB_TOKEN"): "hf_another",
        ("variables", "QBENCH_RESULTS_REPO"): "lab/board-results",
        ("variables", "QBENCH_OWNERS"): "ada",
    }
    login = {"SYSTEM": "spaces", "SPACE_ID": "lab/board", "OAUTH_CLIENT_ID": "id", "OAUTH_CLIENT_SECRET": "secret"}
    read = read_settings({**login, **{name: value for (_, name), value in space.set_in_space.items()}}, clone)
    assert (read.private_repo, read.owners, read.forgets) == ("lab/board-results-private", ("ada",), False)
    assert {path for path in space.tree() or {} if path != ".gitattributes"} == {"app.py", "README.md"}
    monkeypatch.setattr("leaderboard.__main__.working_folder", lambda: tmp_path)
    assert main(["create", "lab/board"]) == 2
    assert "is no clone of this repository" in capsys.readouterr().err


def test_every_eval_ever_has_what_was_handed_in_and_export_says_which_records_no_board_shows(
    tmp_path: Path, capsys: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QBENCH_RESULTS", str(tmp_path / "results"))
    (tmp_path / "results").mkdir()
    Store(tmp_path / "handed-in").add(submission("own model"))
    for name, dataset in (("one", "my-own-set"), ("two", "koniq-10k")):
        text = json.dumps(result("alpha", dataset, kind="live").to_json())
        (tmp_path / "results" / f"{name}.json").write_text(text, encoding="utf-8")
    assert main(["export", str(tmp_path / "out"), "--as", "every-eval-ever", "--organisation", "Lab"]) == 0
    assert len(list((tmp_path / "out" / "data").rglob("*.json"))) > 20
    assert list((tmp_path / "out").glob("data/a/Lab/own-model/*.json"))
    [said] = capsys.readouterr().out.splitlines()[1:]
    assert said.startswith("No board has a column for 2 records: assessment on my-own-set and assessment on a. ")


def test_a_benchmark_that_is_no_dataset_is_refused(tmp_path: Path, capsys: Say) -> None:
    for name in ("../x", "x", "lab/..", "lab/a/b", "/etc", "lab/", "", "lab/-x", "lab/a..b", "lab/ä"):
        for form in ("eval-results", "site"):
            assert main(["export", str(tmp_path / "out"), "--as", form, "--benchmark", name]) == 2
            assert capsys.readouterr().err == f"--benchmark is {name!r}; write it as owner/name\n"
    assert main(["export", str(tmp_path / "out"), "--as", "eval-results"]) == 2
    assert "--benchmark" in capsys.readouterr().err
    assert main(["export", str(tmp_path / "out"), "--benchmark", "lab/low-level_2.0"]) == 2
    assert capsys.readouterr().err == "--benchmark is for --as eval-results; add that, or leave it out\n"
    assert not (tmp_path / "out").exists()


def test_a_study_is_opened_listed_closed_and_told(tmp_path: Path, capsys: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["study", "list"]) == 2
    assert "Set QBENCH_STUDIES" in capsys.readouterr().err
    monkeypatch.setenv("QBENCH_STUDIES", str(tmp_path / "studies"))
    assert main(["study", "open", str(tmp_path / "none")]) == 2
    assert "Name the folder of photos" in capsys.readouterr().err
    photos = tmp_path / "my photos"
    photos.mkdir()
    make_pictures(photos)
    assert main(["study", "open", str(photos), "--pairs", "4"]) == 2
    assert "5 pairs a person" in capsys.readouterr().err
    assert main(["study", "open", str(photos), "--pairs", "5"]) == 0
    said = capsys.readouterr().out.strip()
    name = said.rpartition("study=")[2]
    assert said == f"Write this after the address of your board: ?tab=study&study={name}"
    monkeypatch.setenv("SPACE_ID", "lab/board")
    assert main(["study", "open", str(photos), "--pairs", "5"]) == 0
    opened = capsys.readouterr().out.strip()
    assert opened.startswith("https://huggingface.co/spaces/lab/board?tab=study&study=")
    assert main(["study", "close", name]) == 0
    capsys.readouterr()
    assert main(["study", "result", name, "--out", str(tmp_path / "out")]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["open"], told["people"], told["note"]) == (False, 0, "nobody has answered yet")
    assert json.loads((tmp_path / "out" / "ranking.json").read_text(encoding="utf-8")) == told
    assert main(["study", "result", "../../etc"]) == 2
    assert "there is no study under this link" in capsys.readouterr().err
