"""The Overview page: what the boards say at a glance, drawn in the browser (assets/board/overview.js)."""

from __future__ import annotations

from leaderboard.pages.widgets import drawn

MOUNT = """page.mountOverview(root, {
  index: () => boardData("index"),
  board: (key) => boardData(`overview-${key}`),
  between: () => boardData("overview"),
  plotly,
})"""


def build() -> None:
    """Add the page; the app answers what it fetches from `leaderboard.data_files`."""
    drawn("overview", MOUNT, "Loading the overview…", "The overview could not be loaded. Reload the page to try again.")
