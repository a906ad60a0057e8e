"""Pictures of the pages; look at them one by one.

`python -m tools.screenshots` draws those of the documents. With a folder, and perhaps pages' names, it draws
whole pages at four widths, and says how much each moved while it came.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page

from leaderboard.live.service.uploads import EXAMPLES
from leaderboard.live.study import open_study
from tests.browser.chromium import open_browser
from tests.browser.conftest import ROOT, run_app
from tests.browser.seen import SHIFTS, styled
from tests.browser.test_owner import SPACE, cookie

READY = {
    "overview": "#overview-released .scatterlayer .trace",
    "leaderboard": ".qb-status",
    "model": "#model .js-plotly-plot .slice-line, #model .js-plotly-plot .trace",
    "compare": "#compare-plot .js-plotly-plot .slice-line, #compare-plot .js-plotly-plot .trace",
    "curve": "#compare-plot .js-plotly-plot .trace",
    "answers": "#answers-list tbody tr",
    "bias": ".js-plotly-plot .trace",
    "probe": "#probe-photo",
    "pair": "#pair-a",
    "tournament": "#tournament-files",
    "study": ".qb-begin",
    "run": "#run-start",
    "submit": "#submit-file",
    "about": "h2",
    "owner": "#owner table",
}
"""Page -> what is there once it can be used; of a page that is not listed, its first text."""
VIEWS = {
    "leaderboard": "?board=assessment",
    "model": "?tab=model&model=qwen3-vl-8b",
    "curve": "?tab=compare&board=demo-n-way",
}
"""What is drawn under another address than that of a tab; tabs are found on the app."""
IN_DOCUMENTS = ("overview-desktop-light", "overview-desktop-dark", "probe-desktop-light")
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}
WHOLE = {"360": (360, 800), "390": (390, 844), "768": (768, 1024), "1360": (1360, 900)}


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
        page.locator("#tournament-comparisons").wait_for()
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
    """Draw every page, or those named, as a whole and at each width, in both schemes; or these pictures alone."""
    whole = not pictures
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as empty, ExitStack() as opened:
        place, browser = Path(empty), opened.enter_context(open_browser())
        more, views = {"QBENCH_MODELS": ""}, VIEWS
        if whole:
            study = open_study(place / "studies", EXAMPLES[0].parent, "Holiday photos")
            more |= {"QBENCH_STUDIES": str(place / "studies")}
            views = {**VIEWS, "study": f"?tab=study&study={study.name}"}
        app = opened.enter_context(run_app(place / "results", place / "log", **more))
        every = [*_tabs(browser.new_page(), app), *views, *["owner"] * whole]
        names = only or dict.fromkeys(picture.split("-")[0] for picture in pictures) or dict.fromkeys(every)
        for name in names:
            at = opened.enter_context(run_app(place / "results", place / "log", **SPACE)) if name == "owner" else app
            for size, (width, height) in (WHOLE if whole else SIZES).items():
                page = browser.new_page(viewport={"width": width, "height": height})
                page.context.add_cookies([{"name": "session", "value": cookie("olga"), "url": at}])
                page.set_default_timeout(120_000)
                page.goto(at + views.get(name, f"?tab={name}"))
                page.locator(READY.get(name, ".qb-page")).locator("visible=true").first.wait_for()
                styled(page)
                moved = sum(shift["value"] for shift in page.evaluate(SHIFTS))
                if whole:
                    print(f"{name:12}{size:>5} px moved {moved:.3f}", flush=True)
                use(page, name)
                for scheme in ("light", "dark"):
                    if pictures and f"{name}-{size}-{scheme}" not in pictures:
                        continue
                    page.emulate_media(color_scheme=scheme)
                    file = folder / f"{name}-{size}-{scheme}.png"
                    taken = page.screenshot(animations="disabled", full_page=whole)
                    if whole:
                        file.write_bytes(taken)
                    else:
                        reduced = Image.open(io.BytesIO(taken)).convert("P", palette=Image.Palette.ADAPTIVE)
                        reduced.save(file, optimize=True)
                page.close()


if __name__ == "__main__":
    if sys.argv[1:]:
        main(Path(sys.argv[1]), sys.argv[2:])
    else:
        main(ROOT / "docs" / "screenshots", pictures=IN_DOCUMENTS)
