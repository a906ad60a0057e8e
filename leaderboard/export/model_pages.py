"""The page of each model as files of the static site."""

from __future__ import annotations

import json
from pathlib import Path

from leaderboard.analysis.model import listed_models, model_report, read_models
from leaderboard.export import slug
from leaderboard.html.model import model_json
from leaderboard.snapshot import Snapshot
from leaderboard.tables.chance import read_simulated


def model_pages(snapshot: Snapshot, assets: Path) -> dict[str, str]:
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
