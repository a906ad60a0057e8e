"""Under the table and behind it: what waits for review, what covers a part, what authors say of their results."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from playwright.sync_api import expect

from leaderboard.store.hub import HubStore
from leaderboard.store.hub_client import HubClient
from leaderboard.store.submission import Entry, Metadata
from tests.browser.conftest import NewPage, NewSite
from tests.browser.drawn import fits
from tests.browser.seen import models
from tests.hub_double import REPO, TOKEN, Hub, serve
from tests.leaderboard.handed_in import submission
from tests.leaderboard.made import board, result

HTML = '<img src=x onerror="alert(1)">'

BOARD = board(protocol={"limit": ()})
PART = replace(
    result("some", "a", 0.5, kind="rescored", at="2026-01-01", protocol={"limit": 12}),
    status={"scored": 12, "missing": 10_061},
)


def test_what_waits_and_what_covers_a_part_is_seen_and_not_ranked(new_site: NewSite, new_page: NewPage) -> None:
    waiting = submission(HTML, identity=None)
    site = new_site(
        [PART, result("beta", "a", 0.4)], boards=[BOARD], entries=[Entry(waiting, waiting.digest, "pending")]
    )
    page = new_page(site, width=390)
    assert models(page) == ["beta"]
    review, part = page.locator(".qb-unranked").all()
    expect(review).to_contain_text("1 submission waits for review, without a rank")
    assert HTML not in page.content()
    expect(part).to_contain_text("1 result on a part of a dataset; not ranked")
    expect(part.locator("li")).to_have_text(
        "some · re-scored here from raw responses · 2026-01-01 · 12 of 10,073 · A, SRCC 0.500 ◉"
    )
    assert page.locator(".qb img").count() == 0
    assert fits(page)
    part.get_by_role("button", name="Sources of some:").click()
    dialog = page.get_by_role("dialog", name="Sources of some")
    expect(dialog).to_contain_text("◉ re-scored here from raw responses · 2026-01-01")
    expect(dialog.locator("details")).to_contain_text("limit: 12")
    told = dialog.locator("li", has_text="not ranked")
    expect(told).to_contain_text("12 of 10,073; not ranked: A, SRCC 0.500")
    assert told.locator("a").get_attribute("href") == "https://example.org/paper"
    assert fits(page)


def test_the_sources_tell_what_the_author_said_and_lead_to_the_hub(
    new_site: NewSite, new_page: NewPage, tmp_path: Path
) -> None:
    said = Metadata("alpha", prompts=f"Rate it.\n{HTML}", trained_on=("KonIQ-10k", "SPAQ"))
    made, hub, private = submission(metadata=said), Hub(), Hub(repo="lab/private", private=True)
    with serve(hub, private) as address:
        clients = [HubClient(repo.repo, TOKEN, address) for repo in (hub, private)]
        store = HubStore(tmp_path / "store", *clients)
        store.add(made)
        store.sync()
    page = new_page(new_site(records=store.load().records, boards=[BOARD]))
    assert page.locator(".qb-unranked").count() == 0
    assert "0" not in page.locator("body").inner_text().splitlines()
    page.get_by_role("button", name="Sources of alpha").click()
    dialog = page.get_by_role("dialog")
    assert dialog.locator(".qb-said dd").all_inner_texts() == ["KonIQ-10k, SPAQ", f"Rate it.\n{HTML}", made.digest[:12]]
    expect(dialog.get_by_role("link", name=made.digest[:12])).to_have_attribute(
        "href", f"{hub.address}/datasets/{REPO}/blob/main/submissions/{made.digest[:2]}/{made.digest}.json"
    )
