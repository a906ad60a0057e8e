"""One of several images that a prompt numbers, as UniSim's odd-one-out does: "(C) Image 3", "the third image"."""

from __future__ import annotations

from qbench.parsing.choices import choices_of
from qbench.parsing.cleaning import clean
from qbench.parsing.options import choose
from qbench.parsing.outcome import Parsed

_NOUNS = ("image", "picture", "photo", "photograph")
_CARDINALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")


def parse_numbered(reply: str, count: int, start: int = 1) -> Parsed[int]:
    """Read which of `count` images a reply names, by its letter or its number.

    Args:
        reply: What the model wrote, raw.
        count: How many may be chosen, lettered from A.
        start: Number of the first. "The second image" counts only where that is 1: of images 2 and 3 it may be either.

    Returns:
        The place among those that may be chosen, or the reason there is none.
    """
    if not (start > 0 and 0 < count <= len(_CARDINALS) + 1 - start):
        raise ValueError(f"{count} images from number {start} cannot be told apart by number; 9 is the last")
    places = range(start - 1, start - 1 + count)
    ordinals = [[_ORDINALS[place]] if start == 1 else [] for place in places]
    spoken = [
        [f"{noun} {name}" for noun in _NOUNS for name in (str(place + 1), _CARDINALS[place])]
        + [f"{ordinal} {noun}" for ordinal in also for noun in (*_NOUNS, "one")]
        for place, also in zip(places, ordinals, strict=True)
    ]
    alone = [[str(place + 1), _CARDINALS[place], *also] for place, also in zip(places, ordinals, strict=True)]
    return choose(clean(reply), choices_of(spoken, letters=count, short=alone))
