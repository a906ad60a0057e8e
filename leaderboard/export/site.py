"""A read-only copy of the overview, the boards and the models' pages as plain files that any web server can host."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from leaderboard.analysis.model import listed_models, model_report, read_models
from leaderboard.charts.chart import plotly_script
from leaderboard.data_files import data_file, data_names
from leaderboard.export import slug
from leaderboard.export.feed import atom_feed
from leaderboard.html.model import model_json
from leaderboard.snapshot import Snapshot
from leaderboard.tables.chance import read_simulated

SITE = "site.html"
"""The page, kept among the board's other assets."""
FEED = "feed.xml"


def export_site(snapshot: Snapshot, assets: Path, folder: Path) -> list[Path]:
    """Write the site into a folder, over an earlier export; `assets` has the page's own files. Returns the files."""
    board = folder / "board"
    data = folder / "data"
    for part in (board, data):
        part.mkdir(parents=True, exist_ok=True)
    written = [_copy(path, board / path.name) for path in sorted((assets / "board").iterdir()) if path.name != SITE]
    written.append(_copy(assets / "board" / SITE, folder / "index.html"))
    for name in data_names(snapshot):
        text = data_file(snapshot, name, assets)
        assert text is not None
        written.append(_write(data / f"{name}.json", text))
    written.append(_write(folder / FEED, atom_feed(snapshot)))
    written.append(_copy(plotly_script(), board / plotly_script().name))
    return written + [_write(data / name, text) for name, text in _model_pages(snapshot, assets).items()]


def _model_pages(snapshot: Snapshot, assets: Path) -> dict[str, str]:
    """Name of a file -> its text: `models.json` lists the others, one a model."""
    simulated = read_simulated(assets / "recomputed" / "chance_2afc.json")
    everything, as_of = read_models(snapshot, simulated), snapshot.loaded.as_of
    models = listed_models(snapshot)
    files = {model["id"]: f"model-{number}-{slug(model['id'])}" for number, model in enumerate(models)}
    pages = {f"{files[name]}.json": model_json(model_report(everything, name), as_of) for name in files}
    listed = [{**model, "file": files[model["id"]]} for model in models]
    return {
        name: json.dumps(page, ensure_ascii=False, allow_nan=False)
        for name, page in ({"models.json": listed} | pages).items()
    }


def _copy(source: Path, target: Path) -> Path:
    shutil.copyfile(source, target)
    return target


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
