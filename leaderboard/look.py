"""The pages with their addresses, and how an owner wants them to look: `site.toml` in the folder of results."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

PAGES = {
    "overview": "Overview",
    "leaderboard": "Leaderboard",
    "model": "Model",
    "compare": "Compare",
    "bias": "Bias",
    "answers": "Answers",
    "probe": "Probe",
    "pair": "Pair",
    "tournament": "Tournament",
    "study": "Study",
    "run": "Run",
    "submit": "Submit",
    "about": "About",
}
"""Key of a page in an address -> the label of its tab, in the usual order; the page of owners comes after them."""


def address(tab: str, **words: str) -> str:
    """Address of a view on a tab, which `assets/board/view.js` reads; what is empty needs no word."""
    return f"?{urlencode({'tab': tab, **{name: value for name, value in words.items() if value}})}"


def board_address(board: str, search: str = "") -> str:
    """Address of a board, by its key, and there of what a search finds."""
    return address("leaderboard", board=board, q=search)


def model_address(model: str) -> str:
    """Address of the page of one model, by its id."""
    return address("model", model=model)


SITE_FILE = "site.toml"
_KEYS = ("title", "accent", "tabs", "board", "benchmark")
_PAPER, _DARK_PAPER = "#ffffff", "#14161b"
"""Of assets/board/tokens.css."""
LEAST_CONTRAST = 4.5
"""Of text, by WCAG 2.2 at level AA."""


@dataclass(frozen=True)
class Accent:
    """The colour of links and buttons, and the shades of it that pages use; each is `#rrggbb`."""

    light: str
    """On the light page, and of buttons with white text on both."""

    @property
    def light_wash(self) -> str:
        """Behind what is chosen."""
        return mix(self.light, _PAPER, 0.9)

    @property
    def hover(self) -> str:
        """Of buttons under the pointer."""
        return mix(self.light, "#000000", 0.2)

    @property
    def dark(self) -> str:
        """Of text on the dark page."""
        return self.paler(7)

    def paler(self, least: float) -> str:
        """The least pale shade with this contrast to the dark page."""
        shades = (mix(self.light, _PAPER, step / 20) for step in range(21))
        return next(shade for shade in shades if contrast(shade, _DARK_PAPER) >= least)

    @property
    def dark_wash(self) -> str:
        """Behind what is chosen there."""
        return mix(self.light, _DARK_PAPER, 0.8)


@dataclass(frozen=True)
class Look:
    """What the file says; without it everything is as usual."""

    title: str | None = None
    accent: Accent | None = None
    tabs: tuple[str, ...] = tuple(PAGES)
    """Pages whose tabs are shown, in this order; the others open by links."""
    board: str | None = None
    """Key of the board that opens first."""
    benchmark: str | None = None
    """`owner/name` of the dataset on the Hub that holds `eval.yaml`, for figures that authors bring to the Hub."""


def read_look(results: Path) -> Look:
    """What the file in a folder of results says.

    Raises:
        ValueError: It cannot be used; the message names the file, the key and what to write.
    """
    path = results / SITE_FILE
    if not path.is_file():
        return Look()
    import tomlkit  # most installations have no such file
    from tomlkit.exceptions import TOMLKitError

    try:
        told = tomlkit.parse(path.read_text(encoding="utf-8")).unwrap()
        _check(told)
    except (OSError, ValueError, TOMLKitError) as fault:
        raise ValueError(f"{path}: {fault}") from fault
    accent = Accent(told["accent"].lower()) if "accent" in told else None
    tabs = tuple(dict.fromkeys(told.get("tabs", PAGES)))
    return Look(told.get("title"), accent, tabs, told.get("board"), told.get("benchmark"))


def _check(told: Mapping[str, Any]) -> None:
    for key, value in told.items():
        if key not in _KEYS:
            raise ValueError(f"there is no key {key!r}; the keys are {', '.join(_KEYS)}")
        if key != "tabs" and not (isinstance(value, str) and value.strip()):
            raise ValueError(f"{key} is {value!r}; write a text in quotes, or leave it out")
    tabs, accent, known = told.get("tabs", ["overview"]), told.get("accent", "#000000"), ", ".join(PAGES)
    if not (isinstance(tabs, list) and tabs):
        raise ValueError(f"tabs is {tabs!r}; write a list of the pages to show, of {known}")
    if strange := [tab for tab in tabs if not isinstance(tab, str) or tab not in PAGES]:
        raise ValueError(f"tabs has {strange[0]!r}, which is no page; the pages are {known}")
    if not re.fullmatch("#[0-9a-f]{6}", accent, re.IGNORECASE | re.ASCII):
        raise ValueError(f'accent is {accent!r}; write a colour as "#1257b8"')
    if (reached := contrast(accent, Accent(accent).light_wash)) < LEAST_CONTRAST:
        has = f"has a contrast of {reached:.1f}:1 with the light background, and text needs {LEAST_CONTRAST}:1"
        raise ValueError(f"accent {accent!r} {has}; write a darker colour")


def contrast(colour: str, other: str) -> float:
    """Contrast of two colours by WCAG 2.2, from 1 to 21."""
    darker, lighter = sorted((_luminance(colour), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    parts = [part / 255 for part in bytes.fromhex(colour[1:])]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def mix(colour: str, other: str, share: float) -> str:
    """A colour with this share of another in it."""
    pairs = zip(bytes.fromhex(colour[1:]), bytes.fromhex(other[1:]), strict=True)
    return f"#{bytes(round(part + (to - part) * share) for part, to in pairs).hex()}"
