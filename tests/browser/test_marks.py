"""What a board says beside its figures: a row without a rank, images seen without scores, figures printed twice."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect


@pytest.fixture
def show(app: str, new_page: Callable[..., Page]) -> Callable[..., Page]:
    return lambda query: new_page(app + query)


def test_niqe_and_images_seen_on_a3(show: Callable[..., Page]) -> None:
    """Q-Bench Table 4 and Q-Instruct Table 6: NIQE on SPAQ 0.693; 95 % of SPAQ's images are in Q-Instruct."""
    page = show("?board=assessment&part=spaq&metric=srcc")
    niqe = page.locator(".qb-references tr[data-id=niqe]")
    expect(niqe.locator("td.qb-figure")).to_have_text("0.693")
    expect(niqe.locator(".qb-rank")).to_have_text("–")
    seen = page.locator("tr[data-id=q-instruct] td.qb-figure")
    expect(seen.locator("sup")).to_have_text("i")
    expect(seen).to_have_attribute("aria-label", re.compile("tuned on text about 95 % of these images, not on their"))
    expect(page.locator(".qb-legend")).to_contain_text("ⁱ images seen in training, scores not")


def test_correlations_printed_for_two_models_alike_say_so(show: Callable[..., Page]) -> None:
    page = show("?board=2afc-coarse&part=csiq&metric=correlation")
    for model in ("gemini-pro-vision", "internlm-xcomposer2-vl-7b"):
        cell = page.locator(f"tr[data-id='{model}'] td.qb-figure")
        expect(cell).to_have_text("0.527†")
        expect(cell).to_have_attribute("aria-label", re.compile("The same six correlations are printed for"))


def test_the_shares_of_judgements_are_one_choice_away(show: Callable[..., Page]) -> None:
    """Q-Bench Table 3: mPLUG-Owl's precision was judged 2 in 55.07 %."""
    page = show("?board=description&part=precision")
    page.get_by_label("Metric", exact=True).select_option("shares")
    expect(page.locator("tr[data-id=mplug-owl]")).to_contain_text("55.07")
