"""Command line of the board: `python -m leaderboard export DIR`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from leaderboard.export import export_site
from leaderboard.settings import read_settings
from leaderboard.snapshot import open_snapshot


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m leaderboard", description="The leaderboard without its app.")
    commands = parser.add_subparsers(dest="command", required=True)
    export = commands.add_parser("export", help="write the boards as a static site that any web server can host")
    export.add_argument("folder", type=Path, help="where to write it; made if it does not exist")
    asked = parser.parse_args(arguments)
    settings = read_settings(os.environ, Path(__file__).resolve().parent.parent)
    snapshot = open_snapshot(settings)
    try:
        written = export_site(snapshot, settings.assets, asked.folder)
    except OSError as fault:
        sys.stderr.write(f"The site could not be written: {fault}\n")
        return 1
    sys.stdout.write(f"{len(written)} files in {asked.folder}, data as of {snapshot.loaded.revision}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
