"""Pictures of the pages: `python -m tests.browser.screenshots` draws those of the documents, and
`python -m tests.browser.screenshots FOLDER [PAGE …]` every page, or those named; then look at them."""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page

from leaderboard.live.service.uploads import EXAMPLES
from tests.browser.chromium import open_browser
from tests.browser.conftest import ROOT, run_app
from tests.browser.seen import styled

READY = {
    "overview": "#overview-released .scatterlayer .trace",
    "leaderboard": ".qb-status",
    "compare": "#compare-plot .js-plotly-plot .slice-line, #compare-plot .js-plotly-plot .trace",
    "curve": "#compare-plot .js-plotly-plot .trace",
    "answers": "#answers-list tbody tr",
    "bias": ".js-plotly-plot .trace",
    "probe": "#probe-photo",
    "pair": "#pair-a",
    "tournament": "#tournament-files",
    "run": "#run-start",
    "submit": "#submit-file",
    "about": "h2",
}
"""Page -> what is there once it can be used; of a page that is not listed, its first text."""
VIEWS = {"leaderboard": "?board=assessment", "curve": "?tab=compare&board=demo-n-way"}
"""What is drawn under another address than that of a tab; tabs are found on the app."""
IN_DOCUMENTS = ("overview-desktop-light", "overview-desktop-dark", "probe-desktop-light")
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}


def use(page: Page, name: str) -> None:
    """Ask a live page something, so that there is something to see."""
    if name == "probe":
        page.locator("#probe-photo input[type=file]").set_input_files(EXAMPLES[2])
        page.locator("#probe-result").get_by_text("Answered in").wait_for()
    if name == "pair":
        for photo, path in zip("ab", EXAMPLES[3:], strict=False):
            page.locator(f"#pair-{photo} input[type=file]").set_input_files(path)
        page.locator("#pair-result").get_by_text("Answered in").wait_for()
    if name == "tournament":
        page.locator("#tournament-examples").click()
        page.locator("#tournament-files").get_by_text("coffee").first.wait_for()
        page.locator("#tournament-start").click()
        page.locator("#tournament-methods summary").wait_for()
        page.locator("#tournament-plot .scatterlayer .trace").first.wait_for()
    if name == "run":
        page.locator("#run-start").click()
        page.locator("#run-results table").first.wait_for()


def _tabs(page: Page, app: str) -> list[str]:
    """Keys of the app's tabs, in their order."""
    page.goto(app)
    page.get_by_role("tab").first.wait_for()
    keys: list[str] = page.locator("[role=tab]").evaluate_all("tabs => tabs.map(tab => tab.dataset.tabId)")
    page.close()
    return list(dict.fromkeys(filter(None, keys)))


def main(folder: Path, only: Sequence[str] = (), pictures: Sequence[str] = ()) -> None:
    """Draw every page, or those named, at both widths and in both schemes; or these pictures alone."""
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as empty,
        run_app(Path(empty), Path(empty) / "log", QBENCH_MODELS="") as app,
        open_browser() as browser,
    ):
        for name in only or dict.fromkeys([*_tabs(browser.new_page(), app), *VIEWS]):
            for size, (width, height) in SIZES.items():
                for scheme in ("light", "dark"):
                    if pictures and f"{name}-{size}-{scheme}" not in pictures:
                        continue
                    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
                    page.goto(app + VIEWS.get(name, f"?tab={name}"))
                    page.set_default_timeout(120_000)
                    page.locator(READY.get(name, ".qb-page")).locator("visible=true").first.wait_for()
                    use(page, name)
                    styled(page)
                    drawn = Image.open(io.BytesIO(page.screenshot(animations="disabled")))
                    drawn.convert("P", palette=Image.Palette.ADAPTIVE).save(
                        folder / f"{name}-{size}-{scheme}.png", optimize=True
                    )
                    page.close()


if __name__ == "__main__":
    if sys.argv[1:]:
        main(Path(sys.argv[1]), sys.argv[2:])
    else:
        main(ROOT / "docs" / "screenshots", pictures=IN_DOCUMENTS)
