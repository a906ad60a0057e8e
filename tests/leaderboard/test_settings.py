from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from leaderboard.settings import SettingsError, read_settings

ROOT = Path(__file__).resolve().parents[2]


def test_a_space_links_to_its_page_on_the_hub(tmp_path: Path) -> None:
    settings = read_settings({"SPACE_ID": "me/board", "QBENCH_RESULTS": "/data/results"}, tmp_path)
    assert settings.link == "https://huggingface.co/spaces/me/board"
    assert settings.results == Path("/data/results")
    assert settings.proxies == "10.0.0.0/8"
    assert read_settings({"FORWARDED_ALLOW_IPS": "192.0.2.1"}, tmp_path).proxies == "192.0.2.1"


def test_the_dataset_for_results_is_named_and_its_token_never_shown(tmp_path: Path) -> None:
    secret = "hf_somethingSecret"
    environment = {
        "QBENCH_RESULTS_REPO": "lab/results",
        "QBENCH_HUB_TOKEN": secret + "\n",
        "HF_TOKEN": "hf_broader",
    }
    settings = read_settings(environment, tmp_path)
    assert (settings.results_repo, settings.private_repo) == ("lab/results", "lab/results-private")
    assert settings.token == secret
    assert secret not in repr(settings)


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


def test_a_model_is_asked_at_several_servers(tmp_path: Path) -> None:
    several = {"QBENCH_ENDPOINT": "http://a:8000/v1, http://b:8000/v1", "QBENCH_ENDPOINT_MODEL": "served"}
    settings = read_settings(several, tmp_path)
    assert (settings.endpoints, settings.endpoint_model) == (("http://a:8000/v1", "http://b:8000/v1"), "served")


def test_visitors_have_limits_where_everybody_is_one(tmp_path: Path) -> None:
    assert read_settings({}, tmp_path).live_hourly is None
    space = {"SPACE_ID": "me/board"}
    assert read_settings(space, tmp_path).live_hourly == 1800
    assert read_settings({**space, "QBENCH_LIVE_SECONDS_AN_HOUR": "60"}, tmp_path).live_hourly == 60


@pytest.mark.parametrize(
    ("named", "said"),
    [
        (
            {"QBENCH_MODELS": "niqe,nano-iq"},
            "QBENCH_MODELS has 'nano-iq', but no model of this name is part of this installation; name another model "
            "or leave it out",
        ),
        (
            {"QBENCH_STUDIES": "/dev/null/no"},
            "QBENCH_STUDIES is '/dev/null/no', which cannot be made a folder (Not a directory); name another or leave "
            "it out",
        ),
    ],
)
def test_the_app_says_what_is_wrong_with_a_setting_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: dict[str, str], said: str
) -> None:
    monkeypatch.setenv("QBENCH_SUBMISSIONS", str(tmp_path))
    for name, value in named.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(ROOT / "app.py"))
    assert ended.value.code == said
