"""What a visitor sees of a board, of a question to a person, and while the server is busy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Locator, Page, Route, expect

MISSING = "–"
FROM_THE_LEFT = "(heads) => heads.sort((a, b) => a.getBoundingClientRect().left - b.getBoundingClientRect().left)"
SHIFTS = """() => new Promise((resolve) => {
  const name = ({ node }) => node?.id || node?.className || node?.nodeName;
  const told = ({ value, sources }) => ({ value, moved: sources.map(name) });
  new PerformanceObserver((list) => resolve(list.getEntries().filter((one) => !one.hadRecentInput).map(told)))
    .observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => resolve([]))));
})"""
"""What moved while the page came, and how far."""


def models(page: Page) -> list[str]:
    """Names of the ranked models, from the top."""
    return page.locator("tbody:not(.qb-references) .qb-model bdi").all_inner_texts()


def references(page: Page) -> list[str]:
    return page.locator(".qb-references .qb-model bdi").all_inner_texts()


def keys(page: Page) -> list[str]:
    """Keys of the columns shown, from the left; heads stand in several rows."""
    return page.locator("th.qb-figure").evaluate_all(
        f"heads => ({FROM_THE_LEFT})(heads).map((head) => head.dataset.key)"
    )


def figures(page: Page, key: str) -> list[str]:
    """A column's figures as shown, without the marks beside them."""
    return page.evaluate(
        """(key) => {
          const heads = (FROM_THE_LEFT)([...document.querySelectorAll("th.qb-figure")]);
          const place = heads.findIndex((head) => head.dataset.key === key);
          return [...document.querySelectorAll("tbody:not(.qb-references) tr[data-id]")].map((row) => {
            const cell = row.querySelectorAll("td.qb-figure")[place].cloneNode(true);
            cell.querySelectorAll("sup, small").forEach((mark) => mark.remove());
            return cell.textContent;
          });
        }""".replace("FROM_THE_LEFT", FROM_THE_LEFT),
        key,
    )


def ranks(page: Page) -> list[str]:
    return page.locator("tbody:not(.qb-references) td.qb-rank").all_inner_texts()


def head(page: Page, key: str) -> Locator:
    return page.locator(f'th.qb-figure[data-key="{key}"]')


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def open_menu(page: Page, name: str) -> None:
    folded = page.locator(".qb-more[aria-expanded=false]:visible")  # on a phone
    if folded.count():
        folded.click()
    page.locator(".qb-menus button:visible", has_text=name).click()


def download(page: Page, kind: str, folder: Path) -> bytes:
    open_menu(page, "Download")
    with page.expect_download() as handed:
        page.get_by_role("button", name=kind, exact=True).click()
    page.keyboard.press("Escape")
    handed.value.save_as(folder / "downloaded")
    return (folder / "downloaded").read_bytes()


def styled(page: Page) -> None:
    """Wait for the style sheets, which come late and in any order.

    The network is never idle: the page keeps a line open by which the app learns that its visitor left.
    """
    page.wait_for_function("[...document.querySelectorAll('link[rel=stylesheet]')].every((link) => link.sheet)")


def said(page: Page) -> Locator:
    """The line that counts the models."""
    return page.locator(".qb-status [role=status]")


def question(page: Page, number: int) -> list[str]:
    """The addresses of the photos that a person is asked about, once it is the question of this number."""
    expect(page.locator(".qb-person [role=status]")).to_have_text(re.compile(rf"^{number} of "))
    page.locator(".qb-person[aria-busy=false]").wait_for()
    return page.locator(".qb-person img").evaluate_all("all => all.map(({ src }) => decodeURIComponent(src))")


@contextmanager
def busy(page: Page, asked: str = "**/queue/join*") -> Iterator[None]:
    """Meanwhile the server hears of nothing that is asked at these addresses, and afterwards of all of it."""
    held: list[Route] = []
    page.route(asked, lambda route: held.append(route))  # noqa: PLW0108 - a list.append is refused
    yield
    for route in held:
        route.continue_()
    page.unroute(asked)
