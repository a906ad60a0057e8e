"""Pictures of each page for the README: `python -m tests.browser.screenshots`; then look at them."""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image

from tests.browser.chromium import open_browser
from tests.browser.conftest import ROOT, run_app

PAGES = {
    "leaderboard": ("?board=assessment", ".qb-status"),
    "compare": ("?tab=compare", "#compare-plot .js-plotly-plot .slice-line, #compare-plot .js-plotly-plot .trace"),
    "bias": ("?tab=bias", ".js-plotly-plot .trace"),
    "submit": ("?tab=submit", "#submit-file"),
    "about": ("?tab=about", "h2"),
}
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}


def main(folder: Path) -> None:
    """Draw every page at both widths and in both schemes."""
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as empty,
        run_app(Path(empty), Path(empty) / "log") as app,
        open_browser() as browser,
    ):
        for name, (query, ready) in PAGES.items():
            for size, (width, height) in SIZES.items():
                for scheme in ("light", "dark"):
                    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
                    page.goto(app + query)
                    page.locator(ready).locator("visible=true").first.wait_for()
                    page.wait_for_load_state("networkidle")
                    drawn = Image.open(io.BytesIO(page.screenshot(animations="disabled")))
                    drawn.convert("P", palette=Image.Palette.ADAPTIVE).save(
                        folder / f"{name}-{size}-{scheme}.png", optimize=True
                    )
                    page.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "screenshots")
