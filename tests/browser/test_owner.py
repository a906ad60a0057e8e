"""The Owner page on a Space; who is logged in is in the cookie that Gradio makes once the Hub has said so."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from pathlib import Path
from urllib.request import urlopen

from itsdangerous import TimestampSigner
from playwright.sync_api import Browser, Page, Route, expect

from leaderboard.store.local import Store
from tests.browser.conftest import run_app
from tests.leaderboard.handed_in import submission

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
  const { dependencies } = window.gradio_config;
  const { id } = dependencies.find(({ targets }) => targets.some(([, event]) => event === "decide"));
  const sent = { data: [], event_data: { decision: "accept", of: digest }, fn_index: id, session_hash: "direct" };
  const headers = { "content-type": "application/json" };
  await fetch("gradio_api/queue/join", { method: "POST", headers, body: JSON.stringify(sent) });
  return await (await fetch("gradio_api/queue/data?session_hash=direct")).text();
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


def test_owners_alone_see_what_waits_and_decide_on_it(browser: Browser, tmp_path: Path) -> None:
    store = Store(tmp_path / "submissions")
    for number in range(3):
        store.add(submission(f"spam {number}", identity="eve"), review=True)
    good = store.add(submission("good", identity="ada"), review=True).entry
    soon = store.add(submission("soon", identity="ada"), review=True).entry
    bad = store.add(submission("bad <b>one</b>", identity=None)).entry
    store.add(submission("GP\u03a4-4V", identity="eve"), review=True)
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "broken.json").write_text('[{"schema": 1', encoding="utf-8")

    def opened(account: str) -> Page:
        page = browser.new_page()  # not `new_page`: on a Space Gradio asks for fonts elsewhere, which the policy blocks
        page.context.add_cookies([{"name": "session", "value": cookie(account), "url": address}])
        page.goto(f"{address}?tab=owner")
        expect(page.get_by_role("tab", name="Submit")).to_be_visible()
        return page

    with run_app(tmp_path / "results", tmp_path / "log", **SPACE) as address:
        for account in ("eve", "Olga"):  # accounts are names to the letter
            other = opened(account)
            answered = other.evaluate(ACCEPT, good.digest)
            assert '"success":false' in answered.replace(" ", "")
            assert "an owner's account of this board" in answered
            assert other.get_by_role("tab", name="Owner").count() == 0
            assert "spam" not in other.content()
            other.get_by_role("tab", name="Run", exact=True).click()
            expect(other.locator("#run-start")).to_be_visible()
            other.get_by_role("button", name="Datasets that are not here").click()
            expect(other.locator("#get-about")).to_contain_text("The owner of this installation gets it with")
            expect(other.locator("#get-start")).to_be_hidden()
            assert "only the owners of this installation can get datasets" in other.evaluate(GET)
            other.close()
        assert {entry.status for entry in store.load().entries} == {"pending"}
        nobody = opened("eve")
        nobody.get_by_role("tab", name="Submit").click()
        expect(nobody.locator("#submit-kept")).to_contain_text("Nothing can be handed in here")
        nobody.close()
        assert json.load(urlopen(f"{address}healthz"))["problems"] == 2  # the broken file, and that nothing is kept

        page = opened("olga")
        page.get_by_role("tab", name="Owner").click()
        waits = page.locator("#owner-waiting")
        expect(waits.locator("h3").first).to_have_text("7 submissions for review")
        assert waits.locator("section h3").all_inner_texts() == ["eve: 4", "ada: 2", "Without an account: 1"]
        expect(waits).to_contain_text("bad <b>one</b>")
        expect(waits).to_contain_text("The name has Greek letters, and may look like the name of another model.")
        expect(waits).to_contain_text("a: SRCC 0.500 (computed by the author)")
        expect(page.locator("#owner-state")).to_contain_text("broken.json")
        expect(page.locator("#owner-state")).to_contain_text("Its owner has to set QBENCH_RESULTS_REPO")
        expect(page.locator("#owner-state")).to_contain_text("20 from one address, 100 from its network")

        stale = opened("ola")
        stale.get_by_role("tab", name="Owner").click()
        expect(stale.locator("#owner-waiting h3").first).to_have_text("7 submissions for review")

        held: list[Route] = []
        page.route("**/queue/join*", lambda route: held.append(route))  # noqa: PLW0108 - a list.append is refused
        for entry in (good, soon):  # the second before the first is answered
            waits.locator(f'[data-digest="{entry.digest}"] [data-decide=accept]').click()
        expect(waits.locator("[data-decide=accept]:disabled")).to_have_count(2)
        for route in held:
            route.continue_()
        page.unroute("**/queue/join*")
        expect(waits.locator("section h3").first).to_have_text("eve: 4")
        expect(waits.locator("section")).to_have_count(2)

        late = stale.locator(f'#owner-waiting [data-digest="{good.digest}"]')
        late.get_by_text("Decline", exact=True).click()
        late.get_by_role("button", name="Decline it").click()
        told = re.compile(r"'good' was accepted by olga at \S+ \S+ UTC, so nothing was changed; take that back first")
        expect(stale.locator("#owner-told")).to_have_text(told)
        taken = stale.locator(f'#owner-state [data-digest="{good.digest}"]')
        expect(taken).to_contain_text("Accepted by olga at")
        taken.get_by_role("button", name="Take it back").click()
        expect(stale.locator("#owner-told")).to_have_text("Taken back: good")
        again = stale.locator(f'#owner-waiting [data-digest="{good.digest}"]')
        expect(again).to_contain_text("Taken back by ola at")
        again.locator("[data-decide=accept]").click()
        expect(stale.locator("#owner-told")).to_have_text("Accepted: good")
        stale.close()

        entry = waits.locator(f'[data-digest="{bad.digest}"]')
        entry.get_by_text("Decline", exact=True).click()
        entry.locator("input").fill("no such paper")
        entry.get_by_role("button", name="Decline it").click()
        expect(page.locator("#owner-told")).to_contain_text("Declined: bad <b>one</b>")
        waits.get_by_text("Decline all 4").click()
        waits.get_by_role("button", name="Decline all").click()
        expect(page.locator("#owner-told")).to_have_text("4 submissions of eve are declined.")
        expect(waits).to_contain_text("No submission is waiting for review.")
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
    logged = (tmp_path / "log").read_text(encoding="utf-8")
    assert "event=review decision=taken-back by=ola\n" in logged
