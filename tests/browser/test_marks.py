"""What a board says beside its figures: sources, remarks, reasons, rows without a rank, what a model has seen."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import NewPage


def test_niqe_and_images_seen_on_a3(show: NewPage) -> None:
    """Q-Bench Table 4 and Q-Instruct Table 6: NIQE on SPAQ 0.693; 95 % of SPAQ's images are in Q-Instruct."""
    page = show("?board=assessment&part=spaq&metric=srcc")
    niqe = page.locator(".qb-references tr[data-id=niqe]")
    expect(niqe.locator("td.qb-figure")).to_have_text("0.693")
    expect(niqe.locator(".qb-rank")).to_have_text("–")
    seen = page.locator("tr[data-id=q-instruct] td.qb-figure")
    expect(seen.locator("sup")).to_have_text("i")
    expect(seen).to_have_attribute("aria-label", re.compile("tuned on text about 95 % of these images, not on their"))
    expect(page.locator(".qb-legend")).to_contain_text("ⁱ trained on these images, without their scores")


def test_the_source_mark_opens_the_exact_place(show: NewPage) -> None:
    page = show("?board=assessment")
    page.get_by_role("button", name="Sources of Shikra").click()
    panel = page.get_by_role("dialog", name="Sources of Shikra")
    expect(
        panel.get_by_role("link", name="Q-Bench (ICLR 2024), Table 4, row 'Shikra (Vicuna-7B)', column 'SPAQ'")
    ).to_have_attribute("href", "https://arxiv.org/abs/2309.14181")
    expect(panel).to_contain_text("Other sources")
    expect(panel).to_contain_text("SPAQ, SRCC 0.320 †")
    said = re.compile(r"The figures of this row are printed in a paper\. \d+ figures have a remark, below\.")
    expect(panel).to_contain_text(said)
    expect(panel).to_contain_text("The logits the authors released give 0.327.")
    expect(panel).not_to_contain_text("Recomputed: 0.327")  # the remark says it
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()


def test_the_reason_for_a_missing_figure_is_shown_and_told(show: NewPage) -> None:
    page = show("?board=unisim-ood")
    cell = page.locator("td.qb-missing").first
    expect(cell).to_have_attribute("aria-label", re.compile("^no figure: .{10}"))
    tip = page.get_by_role("tooltip")
    cell.hover()
    expect(tip).to_have_text(cell.get_attribute("aria-label") or "")
    page.mouse.move(0, 0)
    expect(tip).to_be_hidden()


def test_a_remark_opens_on_click_stays_and_says_what_follows(show: NewPage) -> None:
    page = show("?board=perception-dev")
    cell = page.locator("tr[data-id='fuyu-8b'] td.qb-figure:has(.qb-flag:not(:empty))[data-tip*='493']")
    tip = page.get_by_role("tooltip").locator("visible=true")
    cell.click()
    expect(tip).to_have_text(
        "95 % interval 33.82 to 42.36. 38.0 % of 493 questions is no whole count. So the paper's figure cannot come "
        "from 493 questions: it is misprinted, or the paper counted other questions. Its rank may be wrong by one."
    )
    page.locator("tr[data-id='qualirag'] td.qb-figure").first.hover()
    expect(tip).to_contain_text("493 questions")  # though the pointer goes elsewhere
    page.locator(".qb-legend").click()
    expect(tip).to_have_count(0)
    cell.click()
    expect(tip).to_contain_text("493 questions")
    page.keyboard.press("Escape")
    expect(tip).to_have_count(0)
    page.locator("tr[data-id='fuyu-8b'] a.qb-name").focus()
    page.keyboard.press("Tab")
    expect(tip).to_contain_text("So the ")
