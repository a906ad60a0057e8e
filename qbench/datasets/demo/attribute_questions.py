"""Questions about the brightness, colours and contrast of a photo, as far as its damage settles them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from qbench.datasets.demo.damage import Damage, Family, place_in_words
from qbench.datasets.demo.question import STRONG, YES_NO, Context, DemoQuestion, part_options


@dataclass(frozen=True)
class _Scale:
    """An attribute with a natural middle, and two ways of leaving it."""

    how: str
    what: str
    options: tuple[str, str, str]
    yes_no: tuple[str, str, str]
    """A yes-or-no question for each option."""
    extremes: tuple[str, str]
    """How a part of the photo looks at either end."""


_MIDDLE = 1
"""Which option says that the attribute is as it should be."""
ATTRIBUTE_SCALES: Mapping[Family, _Scale] = {
    "brightness": _Scale(
        "How is the lighting of {}?",
        "What can be said of the brightness of {}?",
        ("Too dark", "Just fine", "Too bright"),
        ("Is {} too dark?", "Is the lighting of {} adequate?", "Is {} too bright?"),
        ("unnaturally dark", "unnaturally bright"),
    ),
    "colour": _Scale(
        "How are the colors of {}?",
        "Which word describes the colors of {} best?",
        ("Faded", "Natural", "Oversaturated"),
        ("Are the colors of {} faded?", "Do the colors of {} look natural?", "Are the colors of {} oversaturated?"),
        ("unnaturally pale", "unnaturally colorful"),
    ),
    "contrast": _Scale(
        "How is the contrast of {}?",
        "What can be said of the contrast of {}?",
        ("Too low", "Just fine", "Too high"),
        ("Is the contrast of {} too low?", "Is the contrast of {} adequate?", "Is the contrast of {} too high?"),
        ("unnaturally flat", "unnaturally harsh"),
    ),
}


def ask_about_attributes(
    damage: Damage | None, place: str | None, generator: np.random.Generator
) -> Iterator[DemoQuestion]:
    """Questions about each attribute: what was changed is off, what was left alone is as it should be.

    Args:
        damage: What was done; None is an undamaged photo.
        place: The part of the photo that is asked about; None is the whole photo.
        generator: Chooses wrong options.
    """
    subject = f"the {place_in_words(place)} of this photo" if place else "this photo"
    context: Context = "in-context" if place else "global"
    for family, scale in ATTRIBUTE_SCALES.items():
        right = _right_option(damage, family)
        if right is None or (right != _MIDDLE and damage and damage.place != place):
            continue
        usual = place is None or family == "colour"  # a good photo has dark and flat parts
        if right == _MIDDLE and not usual:
            continue
        for option, text in enumerate(scale.yes_no):
            if option == _MIDDLE and not usual:
                continue
            yield DemoQuestion(text.format(subject), YES_NO, int(option != right), "yes-or-no", "other", context)
        yield DemoQuestion(scale.what.format(subject), scale.options, right, "what", "other", context)
        yield DemoQuestion(scale.how.format(subject), scale.options, right, "how", "other", context)
        if place and right != _MIDDLE:
            part, options = part_options(place, generator)
            which = f"Which part of this photo looks {scale.extremes[right // 2]}?"
            yield DemoQuestion(which, options, options.index(part), "what", "other", context)


def _right_option(damage: Damage | None, family: Family) -> int | None:
    """Which option of the family's scale is true: 1 as it should be, 0 less, 2 more; None where it is not settled."""
    if damage is None or damage.keeps(family):
        return _MIDDLE
    settled = damage.words.family == family and damage.words.pole and damage.level >= STRONG
    return damage.words.pole + _MIDDLE if settled else None
