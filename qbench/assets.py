"""Where the files that come with the project are: embedded models, published results, styles and prose."""

from __future__ import annotations

from pathlib import Path


def assets_folder() -> Path:
    """The folder `assets`: inside the package where it is installed, beside the package in a clone."""
    installed = Path(__file__).with_name("assets")
    return installed if installed.is_dir() else Path(__file__).resolve().parents[1] / "assets"


def working_folder() -> Path:
    """The folder for what is made here: the clone, or for an installed package the folder that it is started in."""
    assets = assets_folder()
    return Path.cwd() if assets.parent == Path(__file__).parent else assets.parent
