"""A board from nothing to its publication, by the lines of docs/host.md and docs/own-board.md, on a double of the Hub.

After each step the Space starts anew on an empty disk, with what the Hub has and nothing else.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from gradio_client import Client, handle_file
from playwright.sync_api import Browser, expect

from leaderboard.live.study import list_studies, study_pairs
from leaderboard.store.submission import record_bytes
from tests.browser.conftest import ROOT, STARTS_WITHIN, free_port, start_app
from tests.browser.test_owner import SPACE, cookie
from tests.browser.test_submit import drop, name
from tests.hub_double import TOKEN, Hub, serve
from tests.leaderboard.export.test_elsewhere import read_data
from tests.leaderboard.made import make_pictures, result

PARTS = ("app.py", "README.md", "assets", "leaderboard", "qbench")
LEFT_OUT = ("published/newer", "recomputed/answers", "recomputed/results", "nano-clip", "nano-iqa", "nano-vlm")
"""Of the assets, what no step looks at and each start and export would go through."""
BY_HAND = ("hf auth login", "hf spaces logs")
"""Lines that take a person: `HF_TOKEN` is who is logged in."""
LINES = {
    line.strip()
    for page in ("host", "own-board")
    for line in re.findall(r"(?m)^    ((?:.*-m leaderboard|hf|cd) .*)$", (ROOT / f"docs/{page}.md").read_text())
    if "run:" not in line
}
SAMPLE = ROOT / "assets" / "examples" / "scores.koniq.csv"
OWN_BOARD = re.compile(r'(?m)^    (title = "Night(?:.|\n)*?\])$')


def test_a_board_is_made_filled_reviewed_and_published_though_each_step_is_followed_by_an_empty_disk(
    browser: Browser, tmp_path: Path
) -> None:
    repos = ("ada/board", "ada/board-results", "ada/board-results-private", "ada/site")
    space, results, private, site = (Hub(repo=repo, missing=True) for repo in repos)
    clone = tmp_path / "clone"
    owner = Owner(clone, {"OWNER/SPACE": "ada/board", "OWNER/SITE": "ada/site", "hf_…": TOKEN, "DIR": "out"})
    with serve(space, results, private, site) as address:
        owner.env |= {"HF_ENDPOINT": address, "HF_TOKEN": TOKEN}
        assert "Make a token that may write to these two" in owner.run("-m leaderboard create")
        owner.env["QBENCH_HUB_TOKEN"] = TOKEN
        owner.run("-m leaderboard create")
        disks = iter(tmp_path / f"disk-{number}" for number in range(9))

        with started(space, next(disks), address) as board:
            page = browser.new_page()
            page.context.add_cookies([{"name": "session", "value": cookie("ann"), "url": board}])
            page.goto(f"{board}?tab=submit")
            drop(page, SAMPLE)
            name(page, "Ann-1")
            page.locator("#submit-send").click()
            expect(page.locator("#submit-receipt")).to_contain_text("It waits for the owner of the board")
            page.close()
            Client(board, verbose=False).predict(file=handle_file(SAMPLE), model="Spam", api_name="/submit")

        with started(space, next(disks), address) as board, session(board, "ada") as ada:
            waiting = {line["model"]: line["digest"] for line in look(ada, 2)["waiting"]}
            asked = {"decision": "accept", "of": [waiting["Ann-1"]], "reason": "as the paper says"}
            assert call(ada, "owner", "owner_decide", asked)["said"] == "Accepted: 1 submission."

        owner.env["QBENCH_RESULTS_REPO"] = "ada/board-results"
        assert "Spam" in owner.run("-m leaderboard review")
        owner.names["ACCOUNT"] = "anonymous"
        assert "1 submissions of anonymous are declined." in owner.run("-m leaderboard review decline")

        own = clone / "mine"
        (own / "boards").mkdir(parents=True)
        [declared] = OWN_BOARD.findall((ROOT / "docs" / "own-board.md").read_text())
        (own / "boards" / "night.toml").write_text(declared.replace("\n    ", "\n"))
        (own / "one.json").write_bytes(record_bytes(result("nano-iqa", "night", srcc=0.5)))
        photos = tmp_path / "photos"
        photos.mkdir()
        for path in make_pictures(tmp_path):
            shutil.move(path, photos)
        owner.env |= {"QBENCH_RESULTS": "mine", "QBENCH_STUDIES": "mine/studies"}
        owner.names["PHOTOS"] = str(photos)
        owner.run("-m leaderboard study open")
        [study] = list_studies(own / "studies")
        for setting in ("QBENCH_RESULTS", "QBENCH_STUDIES"):
            space.set_in_space["variables", setting] = owner.env[setting]
        owner.run("-m leaderboard create")
        space.set_in_space["variables", "QBENCH_OWNERS"] = "ada,ola"

        with started(space, next(disks), address) as board, session(board) as one, session(board, "ola") as ola:
            assert "Declined by command-line" in look(ola, 0)["decided"]
            told = call(ola, "owner", "owner_decide", asked | {"decision": "decline"})
            assert "was accepted by ada" in str(told)
            assert httpx.get(f"{board}board-data/index").json()["boards"][0]["title"] == "Night shots"
            for number, browsed in enumerate((one, one, ola)):
                person = f"{number}" * 32
                asked = {"study": study.name, "person": person}
                shown = call(browsed, "study", "study_ask", asked)["shown"]
                assert [tuple(pair) for pair in shown] == study_pairs(study, person)
                best = "".join("f" if first < second else "s" for first, second in shown)
                assert "html" in call(browsed, "study", "study_send", {**asked, "answers": best, "seconds": 30})

        owner.names["NAME"] = study.name
        assert f"{study.name}  open  3 people" in owner.run("-m leaderboard study list")
        told = json.loads(owner.run("-m leaderboard study result"))
        assert (told["people"], told["counted"]) == (3, 3)
        assert [row["picture"] for row in told["ranking"]] == list(study.items)
        assert "is closed" in owner.run("-m leaderboard study close")
        owner.run("-m leaderboard create")
        with started(space, next(disks), address) as board, session(board) as one:
            seen = once(lambda: call(one, "study", "study_open", study.name), lambda seen: "3 people" in str(seen))
            assert all(name in str(seen) for name in study.items)
            rows = once(lambda: one.get("board-data/assessment").text, lambda rows: "Ann-1" in rows)
            assert "Spam" not in rows
        assert "Nothing is wrong." in owner.run("-m leaderboard check")

        owner.names["DIR"] = "site"
        owner.run("-m leaderboard export DIR ")
        written = json.dumps(read_data(clone / "site", "assessment"))
        assert "Ann-1" in written
        assert "Spam" not in written
        assert read_data(clone / "site", "night")["ids"] == ["nano-iqa"]
        owner.run("hf repos create")
        sent = {path for path in site.tree() or {} if path != ".gitattributes"}
        assert sent == {path.relative_to(clone / "site").as_posix() for path in (clone / "site").rglob("*.*")}
        kept = tmp_path / "pages"
        subprocess.run(["git", "init", "-q", "--bare", kept], check=True)
        config = {"COUNT": "1", "KEY_0": f"url.{kept}.insteadOf", "VALUE_0": "git@github.com:OWNER/REPO.git"}
        owner.env |= {f"GIT_CONFIG_{name}": value for name, value in config.items()}
        owner.env |= {f"GIT_{who}_{what}": "ada@lab" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        owner.run("cd site")
        assert (kept / "refs" / "heads" / "gh-pages").is_file()
        owner.names |= {"OWNER/DATASET": "ada/low-level", "DIR": "eval"}
        owner.run("--as eval-results")
        assert (clone / "eval" / "eval.yaml").is_file()
        owner.names["DIR"] = "every"
        owner.run("--as every-eval-ever")
        assert list((clone / "every").rglob("Ann-1/*.json"))
        assert LINES - owner.done == {line for line in LINES if line.startswith(BY_HAND)}


class Owner:
    """Whoever types lines of the documents in a clone of the project, and has no submission but what the Hub keeps."""

    def __init__(self, clone: Path, names: dict[str, str]) -> None:
        self.clone = clone
        self.names = names
        """What stands for something of the reader's -> what this one has."""
        self.env = {
            "QBENCH_MODELS": "sharpness",
            "HOME": str(clone.parent),
            "PATH": f"{Path(sys.prefix) / 'bin'}:/usr/bin:/bin",
        }
        self.done: set[str] = set()
        clone.mkdir()
        for part in PARTS:
            (shutil.copytree if (ROOT / part).is_dir() else shutil.copy)(ROOT / part, clone / part)
        for part in LEFT_OUT:
            shutil.rmtree(clone / "assets" / part)
        (clone / ".venv").symlink_to(sys.prefix)

    def run(self, begins: str) -> str:
        """Type the line of the documents that has this; returns what it prints."""
        line = next(line for line in sorted(LINES) if begins in line)
        self.done.add(line)
        for stands, own in self.names.items():
            line = line.replace(stands, own)
        shutil.rmtree(self.clone / "submissions", ignore_errors=True)
        done = subprocess.run(["bash", "-c", line], cwd=self.clone, env=self.env, capture_output=True, text=True)
        assert done.returncode == 0, f"{line}\n{done.stderr}"
        return done.stdout


@contextmanager
def started(space: Hub, disk: Path, hub: str) -> Iterator[str]:
    """The Space on an empty disk: its repository's files, its settings, and nothing else."""
    for path, content in (space.tree() or {}).items():
        (disk / path).parent.mkdir(parents=True, exist_ok=True)
        (disk / path).write_bytes(content)
    told = {setting: value for (_, setting), value in space.set_in_space.items()}
    own = {"HOME": str(disk), "HF_ENDPOINT": hub}
    more = {**SPACE, "SPACE_ID": space.repo, **told, **own}
    process, address = start_app(disk / "results", disk / "log", free_port(), ["app.py"], disk, **more)
    try:
        yield address
    finally:
        process.terminate()
        process.wait(30)
        shutil.rmtree(disk)


@contextmanager
def session(board: str, account: str = "") -> Iterator[httpx.Client]:
    """A browser, which may be logged in."""
    with httpx.Client(base_url=board, cookies={"session": cookie(account)} if account else {}, timeout=60) as client:
        yield client


def call(client: httpx.Client, page: str, function: str, data: object) -> Any:
    """What the page asks of its server."""
    components = client.get("config").json()["components"]
    number = next(made["id"] for made in components if made["props"].get("elem_id") == page)
    sent = {"data": data, "fn_name": function, "component_id": number, "session_hash": "one"}
    return client.post("gradio_api/component_server", json=sent).json()


def look(client: httpx.Client, waiting: int) -> Mapping[str, Any]:
    """The Owner page, once what the Hub keeps has come."""
    return once(lambda: call(client, "owner", "owner_look", None), lambda seen: len(seen["waiting"]) == waiting)


def once(ask: Callable[[], Any], holds: Callable[[Any], bool]) -> Any:
    """What is answered once this holds; a Space that has just started still reads the Hub."""
    until = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < until:
        if holds(seen := ask()):
            return seen
    raise AssertionError(str(seen)[:2000])
