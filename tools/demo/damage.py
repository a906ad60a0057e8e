"""What was done to a photo, and the words people have for it.

DamageWords that are shown have American spelling, as in the benchmarks they imitate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

DEMO_PHOTOS = (
    "admiral",
    "astronaut",
    "coffee",
    "dahlia",
    "flower-bed",
    "hills",
    "house",
    "pagoda",
    "playground",
    "raccoon",
    "railway",
    "rocket",
    "stadium",
    "warehouse",
)
Family = Literal["sharpness", "noise", "brightness", "colour", "contrast", "compression", "structure"]

SEVERITIES = ("barely visible", "slight", "moderate", "strong", "severe")
ADVERBS = ("barely visibly", "slightly", "moderately", "strongly", "severely")
VERDICTS = ("excellent", "good", "fair", "poor", "bad")
VISIBLE = 2.5
"""From this level on a damage is spoken of as plain to see."""

_PIXELS_ONLY: tuple[Family, ...] = ("sharpness", "noise", "compression", "structure")
_KEPT: Mapping[Family, tuple[Family, ...]] = {
    "sharpness": ("colour", "contrast"),
    "noise": ("sharpness", "brightness", "colour", "contrast"),
    "brightness": (*_PIXELS_ONLY, "colour"),
    "colour": _PIXELS_ONLY,
    "contrast": _PIXELS_ONLY,
}
"""Attribute -> families of damage that leave it as it is."""


@dataclass(frozen=True)
class DamageWords:
    """How one type of distortion is spoken of."""

    noun: str
    """What follows "a photo with severe"."""
    adjective: str
    """What follows "the photo is severely"."""
    family: Family
    pole: Literal[-1, 0, 1] = 0
    """Whether it leaves less or more of what its family is named for; 0 where people would not say so."""
    near: tuple[Family, ...] = ()
    """Families that a viewer may name as well: it is not said that the photo is sound in them."""
    everywhere: bool = True
    """Whether a wholly damaged photo shows it in every part."""
    natural: bool = False
    """Whether parts of good photos look so: blurred backgrounds, dark corners, white skies."""


@dataclass(frozen=True)
class Damage:
    """One distortion of a photo."""

    kind: str
    """A key of `qbench.distortions.TYPES`."""
    level: float
    """Above 0, up to 5."""
    place: str | None = None
    """One of `PLACES`; None is the whole photo."""

    @property
    def words(self) -> DamageWords:
        """How its type is spoken of."""
        return DAMAGE_WORDS[self.kind]

    def keeps(self, attribute: Family) -> bool:
        """Whether the photo's brightness, say, is still what it was."""
        return self.words.family in _KEPT[attribute] and attribute not in self.words.near


@dataclass(frozen=True)
class DemoPicture:
    """A photo, seen whole or in part, and damaged or not."""

    photo: str
    damage: Damage | None = None
    view: str | None = None
    """A place; None shows the whole photo."""

    @property
    def name(self) -> str:
        """Its file name, which says how it is made."""
        parts = [self.photo]
        if self.view:
            parts.append(f"view {self.view}")
        if self.damage:
            parts += [self.damage.kind, f"{self.damage.level:g}", *filter(None, [self.damage.place])]
        return "--".join(parts).replace(" ", "-") + ".png"


def severity(level: float) -> int:
    """The nearest whole level as an index into `SEVERITIES` and its fellows."""
    return min(max(round(level), 1), len(SEVERITIES)) - 1


DAMAGE_WORDS: Mapping[str, DamageWords] = MappingProxyType(
    {
        "gaussian-blur": DamageWords("blur", "blurred", "sharpness", -1, natural=True),
        "lens-blur": DamageWords("out-of-focus blur", "out of focus", "sharpness", -1, natural=True),
        "motion-blur": DamageWords("motion blur", "motion-blurred", "sharpness", -1),
        "zoom-blur": DamageWords("zoom blur", "zoom-blurred", "sharpness", -1, everywhere=False),
        "glass-blur": DamageWords(
            "frosted-glass blur", "blurred as if by frosted glass", "sharpness", -1, ("structure",)
        ),
        "colour-diffusion": DamageWords(
            "color bleeding", "smeared in its colors", "colour", 0, ("sharpness", "compression")
        ),
        "colour-shift": DamageWords("color fringing", "color-fringed", "colour", 0, ("sharpness", "structure")),
        "colour-quantisation": DamageWords(
            "color posterization", "posterized in its colors", "colour", 0, ("compression",)
        ),
        "undersaturation": DamageWords("color fading", "faded", "colour", -1, ("contrast", "brightness"), natural=True),
        "oversaturation": DamageWords("oversaturation", "oversaturated", "colour", 1, ("contrast", "brightness")),
        "jpeg-2000": DamageWords(
            "JPEG 2000 artifacts", "smeared by compression", "compression", 0, ("sharpness", "colour")
        ),
        "jpeg": DamageWords("JPEG artifacts", "blocky from compression", "compression", 0, ("structure", "colour")),
        "banding": DamageWords("banding", "banded in its smooth areas", "compression", 0, ("colour",)),
        "transmission-error": DamageWords(
            "transmission errors", "corrupted by transmission", "compression", 0, ("structure", "colour"), False
        ),
        "white-noise": DamageWords("noise", "noisy", "noise"),
        "ycbcr-noise": DamageWords("color noise", "noisy in its colors", "noise", 0, ("colour",)),
        "impulse-noise": DamageWords("salt-and-pepper noise", "speckled with noise", "noise"),
        "multiplicative-noise": DamageWords("speckle noise", "grainy", "noise"),
        "denoised": DamageWords(
            "oversmoothing", "smoothed until blurry", "sharpness", -1, ("compression",), natural=True
        ),
        "brighten": DamageWords(
            "excess brightness", "brightened", "brightness", 1, ("contrast", "colour"), natural=True
        ),
        "darken": DamageWords("darkening", "darkened", "brightness", -1, ("contrast", "colour"), natural=True),
        "mean-shift-up": DamageWords(
            "washing-out", "washed out", "brightness", 1, ("contrast", "colour"), natural=True
        ),
        "mean-shift-down": DamageWords("dimming", "dimmed", "brightness", -1, ("contrast", "colour"), natural=True),
        "overexposure": DamageWords(
            "overexposure", "overexposed", "brightness", 1, ("contrast", "colour"), natural=True
        ),
        "underexposure": DamageWords(
            "underexposure", "underexposed", "brightness", -1, ("contrast", "colour"), natural=True
        ),
        "jitter": DamageWords("pixel jitter", "jittered", "structure", 0, ("sharpness", "noise")),
        "displaced-patches": DamageWords(
            "patch displacement", "disturbed by displaced patches", "structure", 0, ("compression",), False
        ),
        "pixelate": DamageWords("pixelation", "pixelated", "structure", 0, ("sharpness", "compression")),
        "quantisation": DamageWords(
            "posterization", "posterized", "colour", 0, ("compression", "contrast", "brightness")
        ),
        "colour-blocks": DamageWords(
            "block occlusion", "covered with colored blocks", "structure", 0, ("compression", "colour"), False
        ),
        "oversharpening": DamageWords("oversharpening", "oversharpened", "sharpness", 0, ("noise", "contrast")),
        "contrast-up": DamageWords(
            "contrast exaggeration", "exaggerated in contrast", "contrast", 1, ("brightness", "colour")
        ),
        "contrast-down": DamageWords(
            "contrast loss", "reduced in contrast", "contrast", -1, ("brightness", "colour"), natural=True
        ),
    }
)
"""Type of distortion -> its words."""
