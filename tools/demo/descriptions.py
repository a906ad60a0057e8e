"""References and captions that follow from what was done to a photo.

Style of LLDescribe (Q-Bench, Sec. 2.3, https://arxiv.org/abs/2309.14181).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from qbench.datasets.demo import place_in_words
from tools.demo.damage import ADVERBS, SEVERITIES, VERDICTS, VISIBLE, Damage, Family, severity

_SOUND: Mapping[Family, str] = {
    "sharpness": "the details are clear",
    "brightness": "the lighting is adequate",
    "colour": "the colors are natural",
    "contrast": "the contrast is good",
    "noise": "it is free of noise",
}
_TRACES: Mapping[tuple[Family, int], str] = {
    ("sharpness", -1): "The clarity is low and the texture is lacking detail.",
    ("sharpness", 0): "Edges carry halos and the texture is harsh.",
    ("noise", 0): "Even areas are grainy.",
    ("brightness", -1): "The lighting is insufficient and shadows are dark.",
    ("brightness", 1): "The lighting is harsh and light areas are washed out.",
    ("colour", -1): "The colors are dull and faded.",
    ("colour", 0): "The colors are unbalanced and distorted.",
    ("colour", 1): "The colors are harsh.",
    ("contrast", -1): "The contrast is low.",
    ("contrast", 1): "The contrast is harsh.",
    ("compression", 0): "There are visible artifacts.",
    ("structure", 0): "The shapes are distorted.",
}
"""Family and pole of a damage -> what it does to the photo."""


def describe_damage(damage: Damage | None, generator: np.random.Generator) -> str:
    """What is wrong, what that does, what is as it should be, and a verdict."""
    sound = _listed([clause for attribute, clause in _SOUND.items() if damage is None or damage.keeps(attribute)])
    if damage is None:
        opening = generator.choice(["The photo is clean and sharp.", "This is a clear photo without distortion."])
        return f"{opening} {sound[0].upper()}{sound[1:]}. The overall quality is {VERDICTS[0]}."
    words, grade = damage.words, severity(damage.level)
    fault = generator.choice([f"is {ADVERBS[grade]} {words.adjective}", f"shows {SEVERITIES[grade]} {words.noun}"])
    sentences = [f"The {place_in_words(damage.place)} of the photo {fault}." if damage.place else f"The photo {fault}."]
    if damage.level >= VISIBLE:
        sentences.append(_TRACES[words.family, words.pole])
    if sound:
        sentences.append(f"Otherwise {sound}.")
    return " ".join([*sentences, f"The overall quality is {VERDICTS[grade]}."])


def caption(damage: Damage | None) -> str:
    """A few words, such as "a photo with strong motion blur in the top left"."""
    if damage is None:
        return "a clean photo"
    where = f" in the {place_in_words(damage.place)}" if damage.place else ""
    return f"a photo with {SEVERITIES[severity(damage.level)]} {damage.words.noun}{where}"


def _listed(clauses: Sequence[str]) -> str:
    return " and ".join([", ".join(clauses[:-1]), clauses[-1]]) if len(clauses) > 1 else "".join(clauses)
