"""A judge of descriptions that needs no model: word lists of low-level attributes, each with two poles.

It knows only these words, so it is a stand-in for offline use and its figures carry its name. It never replaces the
judge model of Q-Bench's A2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

ATTRIBUTES: Mapping[str, tuple[str, str]] = {
    "clarity": (
        "clear|sharp|crisp|detailed|in focus|well focused|high resolution",
        "blurry|blurred|blur|unclear|out of focus|soft|hazy|fuzzy|low resolution|unsharp",
    ),
    "noise": ("clean|noise free|noiseless", "noisy|noise|grainy|grain|speckled"),
    "brightness": (
        "bright|well lit|well exposed|sufficient lighting|adequate lighting",
        "dark|dim|underexposed|gloomy",
    ),
    "overexposure": ("balanced exposure", "overexposed|washed out|blown out|too bright"),
    "colour": (
        "colorful|colourful|vivid|vibrant|rich colors|rich colours|saturated",
        "monotonous|dull|faded|muted|pale",
    ),
    "contrast": ("high contrast|strong contrast", "low contrast|flat|poor contrast"),
    "artifacts": (
        "artifact free",
        "artifact|artifacts|artefacts|compression|compressed|blocky|pixelated|banding|distorted|distortion",
    ),
    "composition": (
        "balanced composition|well composed|centered|symmetrical",
        "unbalanced|incomplete|cluttered|tilted",
    ),
    "quality": (
        "good quality|high quality|excellent quality|quality is good|quality is high|quality is excellent",
        "poor quality|low quality|bad quality|quality is poor|quality is low|quality is bad",
    ),
}
_DENIED = re.compile(r"\b(not|no|isn't|lacks?|lacking|without|never|free of|hardly)\b(\s+\w+){0,2}\s*$")


def judge_by_lexicon(description: str, golden: str | None) -> dict[str, float]:
    """Completeness, precision and relevance from 0 to 2, as far as the words allow.

    Completeness: share of the golden description's statements that the description makes. Precision: share of shared
    attributes on which the two agree. Relevance: share of sentences that name an attribute. Each times 2; a
    dimension with nothing to measure is left out.
    """
    said = statements(description)
    out = {}
    sentences = [one for one in re.split(r"[.!?]+\s*", description) if one.strip()]
    if sentences:
        out["relevance"] = 2 * sum(bool(statements(one)) for one in sentences) / len(sentences)
    wanted = statements(golden or "")
    if wanted:
        out["completeness"] = 2 * len(wanted & said) / len(wanted)
    shared = {attribute for attribute, _ in wanted} & {attribute for attribute, _ in said}
    if shared:
        agreed = {attribute for attribute, _ in wanted & said}
        out["precision"] = 2 * len(agreed) / len(shared)
    return out


def statements(text: str) -> set[tuple[str, bool]]:
    """(attribute, good pole) of everything a text says; a denied word says the opposite."""
    plain = re.sub(r"[-\s]+", " ", text.casefold())
    found: set[tuple[str, bool]] = set()
    for attribute, poles in ATTRIBUTES.items():
        taken: list[tuple[int, int]] = []
        words = [(word, good) for good, pole in ((True, poles[0]), (False, poles[1])) for word in pole.split("|")]
        for word, good in sorted(words, key=lambda pair: -len(pair[0])):  # "unsharp" before "sharp"
            for match in re.finditer(rf"\b{re.escape(word)}\b", plain):
                if any(start <= match.start() < end for start, end in taken):
                    continue
                taken.append(match.span())
                denied = _DENIED.search(plain[: match.start()]) is not None
                found.add((attribute, good != denied))
    return found
