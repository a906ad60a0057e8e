"""What the heads of nano-iqa weigh: the features of a photo, standardised, and how near they are to some crops'.

Beside the features themselves, of which a head takes a weighted sum, stand Gaussian bumps around crops that training
saw (a radial basis): a sum of those can bend, so that grain on a lawn is not what grain in a sky is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qbench.models.iqa.statistics import COLOUR_STATISTICS, SCENE_STATISTICS

Floats = NDArray[np.float32]
Halves = NDArray[np.float16]

LARGEST = 6.0
"""Standard deviations at which features are cut off."""
TONES = 13


@dataclass(frozen=True, eq=False)
class Basis:
    """How features become what the heads weigh."""

    kept: NDArray[np.int32]
    """Places of the features that are looked at."""
    floor: Floats
    """Of each of them: what is added before its logarithm is taken; 0 where none is taken."""
    mean: Floats
    """Of each of them, then of the tones."""
    deviation: Floats
    weight: Floats
    """How much each counts once it is standardised."""
    directions: Halves
    """Direction × feature: along these the bumps measure how near a photo is."""
    centres: Halves
    """Bump × direction."""
    width: Floats
    """Square of the distance at which a bump has fallen to 1/e; one number."""

    def logged(self, features: Floats) -> Floats:
        """Rows of `photo_features` -> rows of the features that are looked at, some as logarithms, and of the tones."""
        seen = features[:, self.kept]
        has_log = self.floor > 0
        seen[:, has_log] = np.log(np.maximum(seen[:, has_log], 0) + self.floor[has_log])
        return np.concatenate([seen, tones(features)], axis=1)

    def standardised(self, features: Floats) -> Floats:
        """The same with mean 0 and deviation 1 over training's rows, by how much they count."""
        far = np.clip((self.logged(features) - self.mean) / self.deviation, -LARGEST, LARGEST)
        standardised: Floats = far * self.weight
        return standardised

    def bumps(self, standardised: Floats) -> Floats:
        """How near rows are to each centre, from 0 to 1."""
        along, centres = standardised @ self.directions.T.astype(np.float32), self.centres.astype(np.float32)
        squares = (along**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1) - 2 * along @ centres.T
        bumps: Floats = np.exp(-np.maximum(squares, 0) / self.width)
        return bumps

    def of(self, features: Floats) -> Floats:
        """Rows of what the heads weigh, of rows of `photo_features`."""
        standardised = self.standardised(features)
        return np.concatenate([standardised, self.bumps(standardised)], axis=1)


def tones(features: Floats) -> Floats:
    """How far the tones of photos spread and where they lie, of rows of features; sums of those cannot say it.

    A photo of little contrast has room at both ends of the scale, which one that is dark or bright has at one.
    """
    colours = features[:, -SCENE_STATISTICS:][:, :COLOUR_STATISTICS]
    darkest, dark, median, bright, brightest, mean, spread, red_green, yellow_blue, chroma = colours.T
    room = np.minimum(darkest, 1 - brightest)
    both = np.sqrt(np.clip(darkest * (1 - brightest), 0, None))
    ranges = [np.log(brightest - darkest + 0.02), np.log(bright - dark + 0.02), np.log(spread + 0.01)]
    places = [np.abs(mean - 0.5), (mean - 0.5) ** 2, np.log(mean + 0.02), np.log(1.02 - mean)]
    hues = [np.log(hue + 0.01) for hue in (chroma, red_green, yellow_blue)]
    skew = np.log(median + 0.02) - np.log(mean + 0.02)
    return np.stack([room, both, *ranges, *places, *hues, skew], axis=1).astype(np.float32)
