from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from leaderboard.settings import SettingsError, read_settings

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
