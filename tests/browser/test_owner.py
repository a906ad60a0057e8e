"""The Owner page on a Space; who is logged in is in the cookie that Gradio makes once the Hub has said so."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
from itsdangerous import TimestampSigner
from playwright.sync_api import Browser, Locator, Page, expect

from leaderboard.live.study import list_studies, read_answers, study_pairs
from leaderboard.store.local import Store
from leaderboard.store.submission import Entry
from tests.browser.conftest import run_app
from tests.browser.seen import busy
from tests.leaderboard.handed_in import submission
from tests.leaderboard.made import make_pictures

SECRET = "what the Hub and this Space share"
SPACE = {
    "SYSTEM": "spaces",
    "SPACE_ID": "lab/board",
    "OAUTH_CLIENT_ID": "board",
    "OAUTH_CLIENT_SECRET": SECRET,
    "OAUTH_SCOPES": "openid profile",
    "OPENID_PROVIDER_URL": "http://127.0.0.1:9",
    "QBENCH_OWNERS": "olga, ola",
}


def cookie(account: str) -> str:
    """As `gradio.oauth` keeps an account in Starlette's session."""
    told = {"name": account, "preferred_username": account, "profile": "", "picture": ""}
    signer = TimestampSigner(hashlib.sha256(f"{SECRET}-v4".encode()).hexdigest())
    return signer.sign(b64encode(json.dumps({"oauth_info": {"userinfo": told}}).encode())).decode()


ACCEPT = """async (digest) => {
  const { id } = window.gradio_config.components.find(({ props }) => props.elem_id === "owner");
  const data = { decision: "accept", of: [digest] };
  const sent = { data, fn_name: "owner_decide", component_id: id, session_hash: "directly" };
  const headers = { "content-type": "application/json" };
  const answer = await fetch("gradio_api/component_server", { method: "POST", headers, body: JSON.stringify(sent) });
  return await answer.text();
}"""
"""What the page does when an owner accepts, done by anybody; gives all that the server answers."""
GET = """async () => {
  const { dependencies, components } = window.gradio_config;
  const button = components.find(({ props }) => props.elem_id === "get-start").id;
  const { id } = dependencies.find(({ targets }) => targets.some(([of, event]) => of === button && event === "click"));
  const sent = { data: ["koniq-10k"], fn_index: id, session_hash: "directly" };
  const headers = { "content-type": "application/json" };
  await fetch("gradio_api/queue/join", { method: "POST", headers, body: JSON.stringify(sent) });
  return await (await fetch("gradio_api/queue/data?session_hash=directly")).text();
}"""
"""The same of the button that gets a dataset."""


@pytest.fixture(scope="module")
def board(folder: Path) -> Iterator[str]:
    (folder / "results").mkdir()
    (folder / "results" / "broken.json").write_text('[{"schema": 1', encoding="utf-8")
    studies = {"QBENCH_STUDIES": str(folder / "studies")}
    with run_app(folder / "results", folder / "log", **SPACE, **studies) as address:
        yield address


def opened(browser: Browser, board: str, account: str) -> Page:
    page = browser.new_page()  # not `new_page`: on a Space Gradio asks for fonts elsewhere, which the policy blocks
    page.context.add_cookies([{"name": "session", "value": cookie(account), "url": board}])
    page.goto(f"{board}?tab=owner")
    expect(page.get_by_role("tab", name="Submit")).to_be_visible()
    return page


def line_of(lines: Locator, entry: Entry) -> Locator:
    return lines.locator(f'li[data-digest="{entry.digest}"]')


def test_owners_alone_see_what_waits_and_decide_on_it(browser: Browser, board: str, folder: Path) -> None:
    store = Store(folder / "submissions")
    for number in range(3):
        store.add(submission(f"spam {number}", identity="eve"), review=True)
    good = store.add(submission("good", identity="ada"), "ada@lab.example", review=True).entry
    soon = store.add(submission("soon", identity="ada"), review=True).entry
    bad = store.add(submission("bad <b>one</b>", identity=None)).entry
    store.add(submission("GP\u03a4-4V", identity="eve"), review=True)
    other = opened(browser, board, "eve")
    assert other.get_by_role("tab", name="Owner").count() == 0
    assert "spam" not in other.content()
    other.get_by_role("tab", name="Run", exact=True).click()
    expect(other.locator("#run-start")).to_be_visible()
    other.get_by_role("button", name="Datasets that are not here").click()
    expect(other.locator("#get-about")).to_contain_text("The owner of this installation gets it with")
    expect(other.locator("#get-start")).to_be_hidden()
    other.get_by_role("tab", name="Submit").click()
    expect(other.locator("#submit-kept")).to_contain_text("Nothing can be handed in here")
    for account in ("eve", "Olga"):  # accounts are names to the letter
        other.context.add_cookies([{"name": "session", "value": cookie(account), "url": board}])
        assert "an owner's account of this board" in other.evaluate(ACCEPT, good.digest)
        assert "only the owners of this installation can get datasets" in other.evaluate(GET)
    other.close()
    assert {entry.status for entry in store.load().entries} == {"pending"}
    assert json.load(urlopen(f"{board}healthz"))["problems"] == 2  # the broken file, and that nothing is kept

    page = opened(browser, board, "olga")
    page.get_by_role("tab", name="Owner").click()
    waits = page.locator("#owner .qb-lines")
    said = page.locator("#owner .qb-status")
    expect(page.get_by_role("heading", name="7 submissions for review")).to_be_visible()
    sources = [line.split("\n")[-3] for line in waits.locator("li").all_inner_texts()]
    assert sources == ["eve"] * 4 + ["ada"] * 2 + ["anonymous"]
    expect(line_of(waits, bad)).to_contain_text("bad <b>one</b>")
    expect(line_of(waits, bad)).to_contain_text("srcc 0.500")
    expect(waits).to_contain_text("Greek letters, self-reported")
    expect(page.locator("#owner")).to_contain_text("broken.json")
    expect(page.locator("#owner")).to_contain_text("Its owner has to set QBENCH_RESULTS_REPO")
    line_of(waits, good).get_by_role("button", name="good").click()
    opened_line = waits.locator(".qb-opened")
    expect(opened_line).to_contain_text("a: SRCC 0.500 (computed by the author)")
    expect(opened_line).to_contain_text("contact: ada@lab.example")
    opened_line.get_by_text("The file as it is stored").click()
    expect(opened_line.locator("pre")).to_contain_text('"identity": "ada"')

    stale = opened(browser, board, "ola")
    stale.get_by_role("tab", name="Owner").click()
    stale_waits, stale_said = stale.locator("#owner .qb-lines"), stale.locator("#owner .qb-status")
    expect(stale_waits.locator("li")).to_have_count(7)

    with busy(page, "**/component_server*"):
        for entry in (good, soon):  # the second before the first is answered
            line_of(waits, entry).get_by_role("checkbox").focus()
            page.keyboard.press("a")
        expect(waits.locator("li")).to_have_count(5)
    expect(said).to_have_text("Accepted: 1 submission.")
    expect(page.locator("#owner")).to_contain_text("Accepted by olga at")

    line_of(stale_waits, good).get_by_role("checkbox").check()
    stale.get_by_role("button", name="Decline 1").click()
    told = re.compile(r"'good' was accepted by olga at \S+ \S+ UTC, so nothing was changed; take that back first")
    expect(stale_said).to_have_text(told)
    taken = stale.locator(f'#owner .qb-decided [data-digest="{good.digest}"]')
    expect(taken).to_contain_text("Accepted by olga at")
    taken.get_by_role("button", name="Take it back").click()
    expect(stale_said).to_have_text("Taken back: 1 submission.")
    expect(line_of(stale_waits, good)).to_contain_text("decided before")
    line_of(stale_waits, good).get_by_role("button", name="good").click()
    expect(stale_waits).to_contain_text("Taken back by ola at")
    line_of(stale_waits, good).get_by_role("checkbox").focus()
    stale.keyboard.press("a")
    expect(stale_said).to_have_text("Accepted: 1 submission.")
    stale.close()

    page.get_by_label("Search").fill("bad anonymous")
    expect(waits.locator("li")).to_have_count(1)
    waits.get_by_role("checkbox").focus()
    page.keyboard.press("d")
    page.keyboard.type("no such paper")
    page.keyboard.press("Enter")
    expect(said).to_have_text("Declined: 1 submission.")
    page.get_by_label("Search").fill("")
    waits.get_by_role("button", name="eve").first.click()
    page.get_by_role("button", name="Decline 4").click()
    expect(said).to_have_text("Declined: 4 submissions.")
    expect(page.get_by_role("heading", name="No submission is waiting for review")).to_be_visible()
    page.get_by_role("tab", name="Run", exact=True).click()
    page.get_by_role("button", name="Datasets that are not here").click()
    expect(page.locator("#get-start")).to_be_visible()
    page.close()

    became = {entry.submission.metadata.model: entry for entry in store.load().entries}
    assert {model: entry.status for model, entry in became.items()} == {
        "good": "accepted",
        "soon": "accepted",
        "bad <b>one</b>": "withdrawn",
        **{f"spam {number}": "withdrawn" for number in range(3)},
        "GP\u03a4-4V": "withdrawn",
    }
    assert [(made.decided, made.by) for made in became["good"].decisions] == [
        ("accepted", "olga"),
        ("taken back", "ola"),
        ("accepted", "ola"),
    ]
    [declined] = became["bad <b>one</b>"].decisions
    assert (declined.decided, declined.by, declined.reason) == ("declined", "olga", "no such paper")
    logged = (folder / "log").read_text(encoding="utf-8")
    assert "event=review decision=taken-back by=ola\n" in logged


def test_an_owner_opens_a_study_on_the_page_sees_it_grow_and_closes_it(
    browser: Browser, board: str, folder: Path, tmp_path: Path
) -> None:
    studies, page = folder / "studies", opened(browser, board, "olga")
    page.get_by_role("tab", name="Owner").click()
    page.locator("#study-photos input[type=file]").set_input_files([str(path) for path in make_pictures(tmp_path)])
    page.locator("#study-title textarea").fill("Noise <i>of all kinds</i>")
    expect(page.get_by_label("How many of a dataset")).to_have_value("8")
    page.locator("#study-start").click()
    shown = page.locator("#study-shown")
    expect(shown.get_by_role("heading", name="Noise <i>of all kinds</i>")).to_be_visible()
    [study] = list_studies(studies)
    assert (len(study.photos), study.question, study.is_open) == (4, "Which photo looks better?", True)
    shared = f"https://huggingface.co/spaces/lab/board?tab=study&study={study.name}"
    expect(shown.get_by_role("link", name=shared)).to_be_visible()
    expect(shown.locator("svg.qb-code-of-link")).to_be_visible()
    expect(shown).to_contain_text("nobody has answered yet")

    person = "0" * 32
    best = ["f" if first < second else "s" for first, second in study_pairs(study, person)]
    answers = read_answers(study, person, "".join(best), 30)
    Store(folder / "submissions").add_answers(answers, lambda _: None)
    expect(shown).to_contain_text("1 person has answered")  # without anybody's asking
    assert shown.locator("tbody th").all_inner_texts() == list(study.items)
    assert shown.locator("tbody tr").first.locator("td").first.inner_text() == "1"
    csv = shown.get_by_role("link", name="Ranking (CSV)").get_attribute("href")
    assert csv is not None
    assert csv.startswith("data:text/csv;charset=utf-8,rank%2Cpicture%2Cscore%2Clow%2Chigh%0D%0A1%2Cphoto-0.png%2C")
    page.locator("#study-close").click()
    expect(shown).to_contain_text("Closed; at most 500 people.")
    assert not list_studies(studies)[0].is_open
    page.get_by_role("button", name="Open the study again").click()
    expect(shown).to_contain_text("Open; at most 500 people.")
    assert list_studies(studies)[0].is_open
    page.close()


def test_fifty_are_decided_by_sixty_keys(browser: Browser, board: str, folder: Path) -> None:
    store = Store(folder / "submissions")
    made = set()
    for number in range(50):
        of = "eve" if number < 12 else f"lab-{number % 3}"
        kept = store.add(submission(f"{'bad' if number > 47 else 'model'} {number}", identity=of), review=True)
        made.add(kept.entry.digest)
    page = opened(browser, board, "olga")
    page.evaluate("""() => { window.acted = 0;
        const count = () => { window.acted += 1; };
        for (const act of ["keydown", "pointerdown"]) window.addEventListener(act, count, true); }""")
    page.get_by_role("tab", name="Owner").click()
    lines = page.locator("#owner .qb-lines li")
    expect(lines).to_have_count(50)
    assert lines.first.bounding_box()["height"] <= 32  # type: ignore[index]
    page.evaluate("window.acted = 0")
    lines.filter(has_text="eve").first.get_by_role("checkbox").focus()
    page.keyboard.press("s")
    page.keyboard.press("d")
    page.keyboard.press("Enter")
    page.keyboard.press("Home")
    for _ in range(36):  # the lines of the labs, one by one, apart from the bad ones
        while page.evaluate("document.activeElement.ariaLabel").startswith("Choose bad"):
            page.keyboard.press("ArrowDown")
        page.keyboard.press("a")
    expect(lines).to_have_count(2)
    page.keyboard.press("u")  # the last was not looked at
    expect(lines).to_have_count(3)
    page.keyboard.press("a")
    page.get_by_label("Choose all that are shown").check()
    page.get_by_role("button", name="Decline 2").click()
    expect(page.get_by_role("heading", name="No submission is waiting for review")).to_be_visible()
    assert page.evaluate("window.acted") <= 60
    expect(page.locator("#owner .qb-status")).to_have_text("Declined: 2 submissions.")
    page.close()
    became = {entry.submission.metadata.model: entry.status for entry in store.load().entries if entry.digest in made}
    assert {name for name, status in became.items() if status == "withdrawn"} == {
        *(f"model {number}" for number in range(12)),
        "bad 48",
        "bad 49",
    }
    assert list(became.values()).count("accepted") == 36
