"""A read-only copy of the pages that ask no model, as plain files.

Any web server can host them, and a browser opens them from a folder: there it loads classic scripts alone, so the
modules and the data are texts in such scripts.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from leaderboard.analysis.model import listed_models, model_report
from leaderboard.charts.chart import plotly_script
from leaderboard.data_files import data_files
from leaderboard.export import slug, write_texts
from leaderboard.export.feed import atom_feed
from leaderboard.export.hub_results import hub_files
from leaderboard.html.about import about
from leaderboard.html.look import TITLE, look_head, site_name
from leaderboard.html.markup import template
from leaderboard.html.model import model_json
from leaderboard.look import Look
from leaderboard.snapshot import Snapshot

SITE = "site.html"
"""The page, kept among the board's other assets."""
FEED = "feed.xml"
MODULES = "modules.js"
"""What `site.html` makes modules of."""
_TITLE = template("<title>{{ title }}</title>")


def export_site(snapshot: Snapshot, assets: Path, folder: Path, look: Look | None = None) -> int:
    """Write the site into a folder, over an earlier export; `assets` has the page's own files. Returns how many."""
    look = look or Look()
    data = {name: make() for name, make in data_files(snapshot, about="?tab=about", in_app=False).items()}
    data["about"] = json.dumps(about(assets / "prose", snapshot.boards, snapshot.papers))
    data |= _model_pages(snapshot, hub_files(snapshot, look.benchmark))
    texts = {f"data/{name}.js": data_script(name, text) for name, text in data.items()}
    texts["index.html"] = _index((assets / "board" / SITE).read_text(encoding="utf-8"), look)
    texts[f"board/{MODULES}"] = modules_script(assets)
    texts[FEED] = atom_feed(snapshot, look.title or TITLE)
    written = write_texts(texts, folder)
    files = [path for path in (assets / "board").iterdir() if path.suffix != ".js" and path.name != SITE]
    files.append(plotly_script())
    for path in files:
        shutil.copyfile(path, folder / "board" / path.name)
    return written + len(files)


def _index(page: str, look: Look) -> str:
    """The page with the owner's title and colour, and with the names of the tabs that are shown."""
    if look.title:
        page = page.replace(f"<title>{TITLE}</title>", _TITLE(title=look.title))
    page = page.replace('<body class="qb">', f'<body class="qb">{site_name(look)}')
    return page.replace("</head>", f"{look_head(look)}</head>")


def data_script(name: str, text: str) -> str:
    """A file of data as a script: `qbData["NAME"] =`, then the JSON on a line of its own."""
    return f"qbData[{json.dumps(name)}] =\n{text}\n"


def modules_script(assets: Path) -> str:
    """One script with the text of each module, which names the others as `qb/NAME`."""
    files = sorted((assets / "board").glob("*.js"))
    texts = {path.name: re.sub(r'"\./([\w-]+\.js)"', r'"qb/\1"', path.read_text(encoding="utf-8")) for path in files}
    return f"const qbModules = {json.dumps(texts, ensure_ascii=False, indent=0)};\n"


def _model_pages(snapshot: Snapshot, to_hub: Mapping[str, str]) -> dict[str, str]:
    """Name of a file of data -> its text: `models` lists the others, one a model."""
    models, as_of = listed_models(snapshot), snapshot.loaded.as_of
    files = {model["id"]: f"model-{number}-{slug(model['id'])}" for number, model in enumerate(models)}
    pages = {files[name]: model_json(model_report(snapshot, name), as_of, hub_files=to_hub) for name in files}
    listed = [{**model, "file": files[model["id"]]} for model in models]
    return {
        name: json.dumps(page, ensure_ascii=False, allow_nan=False)
        for name, page in ({"models": listed} | pages).items()
    }
