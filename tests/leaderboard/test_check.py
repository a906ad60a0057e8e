"""Settings and `site.toml`: what is read and what stops the start; `leaderboard check` names each planted mistake."""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard import check as checking
from leaderboard.__main__ import main
from leaderboard.app import make_app
from leaderboard.check import check
from leaderboard.look import Accent, contrast
from leaderboard.settings import SettingsError, read_settings
from tests.hub_double import REPO, TOKEN, Hub, serve

ON_HUB = {"QBENCH_RESULTS_REPO": REPO, "QBENCH_HUB_TOKEN": TOKEN}


@pytest.fixture
def hubs(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Hub, Hub]]:
    public, private = Hub(), Hub(repo=f"{REPO}-private", missing=True)
    with serve(public, private) as address:
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", address)
        yield public, private


def lines(folder: Path, environment: dict[str, str]) -> dict[str, str]:
    """Subject -> state and what was said, of a check with these settings."""
    named = {"QBENCH_MODELS": "sharpness", "QBENCH_RUNS": str(folder / "runs"), **environment}
    settings = read_settings(named, folder / "app", persistent=folder / "data")
    findings = list(check(settings, named, folder / "data"))
    return {f.subject: f"{f.state}: {f.said}" for f in sorted(findings, key=lambda f: f.state == "wrong")}


def test_an_installation_without_mistakes_has_none(tmp_path: Path, hubs: tuple[Hub, Hub]) -> None:
    (tmp_path / "data").mkdir()
    found = lines(
        tmp_path, {"SPACE_ID": "lab/board", "OAUTH_CLIENT_ID": "x", "QBENCH_STUDIES": str(tmp_path), **ON_HUB}
    )
    assert not any(said.startswith("wrong") for said in found.values())
    assert found["QBENCH_SUBMISSIONS"].startswith(f"ok: {tmp_path}/data/qbench/submissions can be written")
    assert found["QBENCH_RESULTS_REPO"] == f"ok: {REPO} can be read and written"
    assert found["log-in"].startswith("ok")
    assert [list(hub.tree() or {}) for hub in hubs] == [["README.md", "checked.txt"], [".gitattributes", "checked.txt"]]
    assert hubs[1].private


NOBODY = {"QBENCH_ENDPOINT": "http://127.0.0.1:9/v1", "QBENCH_ENDPOINT_MODEL": "qwen"}


@pytest.mark.parametrize(
    ("planted", "subject", "said"),
    [
        ({"SPACE_ID": "lab/board"}, "submissions", "the next restart of this Space would delete it"),
        ({"QBENCH_SUBMISSIONS": "{folder}/file/x"}, "QBENCH_SUBMISSIONS", "cannot be written"),
        ({"QBENCH_RUNS": "{folder}/file"}, "QBENCH_RUNS", "cannot be written"),
        ({"QBENCH_MODELS": "sharpnes,sharpness"}, "QBENCH_MODELS", "'sharpnes' cannot be asked"),
        ({"QBENCH_RESULTS": "{folder}/none"}, "QBENCH_RESULTS", "is empty or missing"),
        ({"QBENCH_PRIVATE_TRUTH": "{folder}/none"}, "QBENCH_PRIVATE_TRUTH", "is empty or missing"),
        (NOBODY, "QBENCH_ENDPOINT", "http://127.0.0.1:9/v1 cannot be reached"),
        ({**ON_HUB, "QBENCH_RESULTS_REPO": "lab/none"}, "QBENCH_RESULTS_REPO", "lab/none (404)"),
        ({**ON_HUB, "QBENCH_HUB_TOKEN": "hf_reads"}, "QBENCH_RESULTS_REPO", "check both and the token"),
    ],
)
def test_each_planted_mistake_is_named(
    tmp_path: Path, hubs: tuple[Hub, Hub], planted: dict[str, str], subject: str, said: str
) -> None:
    (tmp_path / "file").touch()
    found = lines(tmp_path, {name: value.format(folder=tmp_path) for name, value in planted.items()})
    assert found[subject].startswith("wrong") and said in found[subject]
    assert sum(told.startswith("wrong") for told in found.values()) <= 2  # a token may fail at both datasets


def test_a_private_dataset_that_is_public_and_a_full_disk_are_named(
    tmp_path: Path, hubs: tuple[Hub, Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    hubs[1].missing = False
    monkeypatch.setattr(checking, "LEAST_FREE", 10**18)
    found = lines(tmp_path, ON_HUB)
    assert "is public; make it private" in found["private dataset"]
    assert "GB left; make room" in found["QBENCH_RUNS"]


def test_the_command_prints_every_line_and_fails_where_something_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("SUBMISSIONS", "RUNS"):
        monkeypatch.setenv(f"QBENCH_{name}", str(tmp_path / name))
    monkeypatch.setenv("QBENCH_MODELS", "sharpness")
    assert main(["check"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "Nothing is wrong."
    monkeypatch.setenv("QBENCH_PRIVATE_TRUTH", str(tmp_path / "none"))
    assert main(["check"]) == 2
    said = capsys.readouterr()
    assert "wrong    QBENCH_PRIVATE_TRUTH" in said.out
    assert said.err == "1 of these stop something that the settings ask for.\n"
    monkeypatch.setenv("QBENCH_OWNERS", "ada")
    assert main(["check"]) == 2
    assert "log-in proves no account here" in capsys.readouterr().err


ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("environment", "read"),
    [
        (
            {"SPACE_ID": "me/board", "QBENCH_RESULTS": "/data/results"},
            {
                "link": "https://huggingface.co/spaces/me/board",
                "results": Path("/data/results"),
                "proxies": "10.0.0.0/8",
                "live_hourly": 1800,  # where everybody is a visitor
            },
        ),
        ({"FORWARDED_ALLOW_IPS": "192.0.2.1"}, {"proxies": "192.0.2.1", "live_hourly": None}),
        ({"SPACE_ID": "me/board", "QBENCH_LIVE_SECONDS_AN_HOUR": "60"}, {"live_hourly": 60}),
        (
            {"QBENCH_ENDPOINT": "http://a:8000/v1, http://b:8000/v1", "QBENCH_ENDPOINT_MODEL": "served"},
            {"endpoints": ("http://a:8000/v1", "http://b:8000/v1"), "endpoint_model": "served"},
        ),
        (
            {"QBENCH_RESULTS_REPO": "lab/results", "QBENCH_HUB_TOKEN": "hf_secret\n", "HF_TOKEN": "hf_broader"},
            {"results_repo": "lab/results", "private_repo": "lab/results-private", "token": "hf_secret"},
        ),
    ],
)
def test_settings_are_read_and_no_token_is_shown(
    tmp_path: Path, environment: dict[str, str], read: dict[str, object]
) -> None:
    settings = read_settings(environment, tmp_path)
    assert {name: getattr(settings, name) for name in read} == read
    assert "hf_secret" not in repr(settings)


def test_owners_are_named_only_where_log_in_proves_who_somebody_is(tmp_path: Path) -> None:
    """Off a Space Gradio makes everybody who logs in the owner of the server's token."""
    space = {"SYSTEM": "spaces", "SPACE_ID": "lab/board", "OAUTH_CLIENT_ID": "board", "OAUTH_CLIENT_SECRET": "secret"}
    named = {**space, "QBENCH_OWNERS": "ada, bob"}
    assert read_settings(named, tmp_path).owners == ("ada", "bob")
    assert read_settings(space, tmp_path).owners == ()
    for left_out in space:
        with pytest.raises(SettingsError, match="QBENCH_OWNERS is set, but log-in proves no account here"):
            read_settings({**named, left_out: ""}, tmp_path)


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"QBENCH_OWNER": "ada"}, "QBENCH_OWNER is no setting; write QBENCH_OWNERS"),
        ({"QBENCH_PRIVATE_TRUHT": "/x"}, "QBENCH_PRIVATE_TRUHT is no setting; write QBENCH_PRIVATE_TRUTH"),
        ({"QBENCH_ZZZZZZZZZZZZ": "1"}, "QBENCH_ZZZZZZZZZZZZ is no setting; leave it out; docs/host.md has all"),
        (
            {"QBENCH_RESULTS_REPO": "lab/one", "QBENCH_RUNS_REPO": "lab/One"},
            "QBENCH_RUNS_REPO is 'lab/One', which keeps submissions; name a dataset of its own for runs",
        ),
        ({"QBENCH_RESULTS_REPO": "lab/one", "QBENCH_RUNS_REPO": "lab/one-private"}, "QBENCH_RUNS_REPO is 'lab/one-p"),
        (
            {"QBENCH_RUNS_REPO": "lab/runs", "HF_TOKEN": "hf_broader"},
            "QBENCH_RUNS_REPO is set; set QBENCH_HUB_TOKEN to a token that may write to it (HF_TOKEN is not used)",
        ),
        *(
            ({"QBENCH_RESULTS_REPO": name}, f"QBENCH_RESULTS_REPO is {name!r}; write it as owner/name")
            for name in ("results", "a/b/c", "https://huggingface.co/datasets/a/b", "a/b c")
        ),
        *(
            (
                {"QBENCH_ENDPOINT": f"http://a, {url}", "QBENCH_ENDPOINT_MODEL": "x"},
                f"QBENCH_ENDPOINT has {url!r}; write",
            )
            for url in ("ftp://a/", "hello", "http://", "http://me:secret@a/v1", "http://a/v1?key=1")
        ),
        ({"QBENCH_ENDPOINT": "http://a"}, "QBENCH_ENDPOINT is set; name the model to ask there"),
    ],
)
def test_what_cannot_work_stops_the_start(tmp_path: Path, environment: dict[str, str], said: str) -> None:
    with pytest.raises(SettingsError) as fault:
        read_settings(environment, tmp_path)
    assert str(fault.value).startswith(said)


def test_every_documented_setting_is_one(tmp_path: Path) -> None:
    rows = [line for line in (ROOT / "docs" / "host.md").read_text(encoding="utf-8").splitlines() if line[:3] == "| `"]
    names = {name for row in rows for name in re.findall(r"QBENCH_[A-Z_]*[A-Z]", row.split("|")[1])}
    assert len(names) == 18
    read_settings(dict.fromkeys(names, ""), tmp_path)
    read_settings({"QBENCH_TEST_DATA": "/data", "QBENCH_CHROMIUM": "/usr/bin/chromium"}, tmp_path)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        (
            "QBENCH_MODELS",
            "niqe,nano-iq",
            "has 'nano-iq', but no model of this name is part of this installation; name another model or leave it out",
        ),
        (
            "QBENCH_STUDIES",
            "/dev/null/no",
            "is '/dev/null/no', which cannot be made a folder (Not a directory); name another or leave it out",
        ),
    ],
)
def test_the_app_says_what_is_wrong_with_a_setting_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv("QBENCH_SUBMISSIONS", str(tmp_path))
    monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(ROOT / "app.py"))
    assert ended.value.code == f"{name} {said}"


def write(root: Path, text: str) -> Path:
    path = root / "results" / "site.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('titel = "Ours"', "there is no key 'titel'; the keys are title, accent, tabs, board, benchmark"),
        ("title = 3", "title is 3; write a text in quotes, or leave it out"),
        ('accent = "blue"', "accent is 'blue'; write a colour as \"#1257b8\""),
        ('tabs = "about"', "tabs is 'about'; write a list of the pages to show, of overview, leaderboard, "),
        ("tabs = []", "tabs is []; write a list of the pages to show"),
        ('tabs = ["about", "home"]', "tabs has 'home', which is no page; the pages are overview, leaderboard, "),
        ('benchmark = "low-level"', "benchmark is 'low-level'; write it as owner/name"),
        # By WebAIM's checker 1.50:1 and 4.54:1 on white; a wash of the colour behind it takes a little.
        ('accent = "#ffcc00"', "accent '#ffcc00' has a contrast of 1.4:1 with the light background, and text needs 4"),
        ('accent = "#767676"', "accent '#767676' has a contrast of 4.0:1"),
        ("title = Ours", "Unexpected character: 'O' at line 1 col 8"),
    ],
)
def test_what_the_file_cannot_say_stops_the_start(tmp_path: Path, text: str, said: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(SettingsError) as fault:
        read_settings({}, tmp_path)
    assert str(fault.value).startswith(f"{path}: {said}")


def test_a_first_board_that_is_not_there_stops_the_start_and_check_names_it(tmp_path: Path) -> None:
    path = write(tmp_path / "app", 'board = "nihgt"')
    (path.parent / "boards").mkdir()
    (path.parent / "boards" / "night.toml").write_text('title = "Night"', encoding="utf-8")
    found = lines(tmp_path, {})
    assert found["site.toml"].startswith(f"wrong: {path}: board is 'nihgt', and there is none; write ")
    assert found["boards/night.toml"].startswith("wrong: it has no columns")
    path.write_text('board = "night"', encoding="utf-8")
    with pytest.raises(SettingsError, match="board is 'night', and there is none: it has no columns"):
        make_app(read_settings({}, tmp_path / "app"))


def test_contrast_is_that_of_wcag() -> None:
    """Figures of WebAIM's checker."""
    published = {("#777777", "#ffffff"): 4.48, ("#767676", "#ffffff"): 4.54, ("#ff0000", "#ffffff"): 4.0}
    assert {pair: round(contrast(*pair), 2) for pair in published} == published


@pytest.mark.parametrize("colour", ["#000000", "#8a1538", "#0000ff", "#1257b8", "#006b3c", "#5d5d5d"])
def test_every_shade_can_be_read(colour: str) -> None:
    accent = Accent(colour)
    assert contrast(accent.light, accent.light_wash) >= 4.5
    assert contrast(accent.hover, "#ffffff") >= 4.5
    for background in ("#14161b", "#1d2027", accent.dark_wash):  # page and boxes of assets/board/tokens.css
        assert contrast(accent.dark, background) >= 4.5
