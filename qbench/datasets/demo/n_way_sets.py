"""Demo sets of one caption and two to six pictures of a photo: `demo-it-2afc-2-way` to `demo-it-2afc-6-way`.

They are nested: a question with one picture more is the same question otherwise, so that figures by the number of
pictures, as in UniSim-Bench's Fig. 3 (https://arxiv.org/abs/2412.10594), show what the number does and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qbench.datasets.demo.damage import Damage
from qbench.datasets.demo.descriptions import caption
from qbench.datasets.demo.pictures import DEMO_PHOTOS, AddPicture, DemoPicture
from qbench.records import Sample

WAY_COUNTS = (2, 3, 4, 5, 6)
"""How many pictures there are to choose from, set by set."""
_SEED = 13
_LEVEL = 5
_UNLIKE_TYPES = (
    ("gaussian-blur", "motion-blur", "lens-blur", "zoom-blur"),
    ("white-noise", "impulse-noise", "multiplicative-noise"),
    (
        "overexposure",
        "contrast-up",
        "underexposure",
        "contrast-down",
        "darken",
        "brighten",
        "mean-shift-up",
        "mean-shift-down",
    ),
    ("colour-quantisation",),
    ("displaced-patches",),
)
"""A photo gets one type of each row. None is `questions.alike` one of another row, and there is no sixth such row."""
_CAPTIONS_PER_PHOTO = 4


def n_way_samples(add: AddPicture, *, ways: int) -> list[Sample]:
    """Which of so many pictures a caption is about; the right one stands in every place equally often, or once more."""
    questions = list(_questions())
    generator = np.random.default_rng([_SEED, ways])
    places = generator.permutation(np.arange(len(questions)) % ways)
    samples = []
    for number, (right, others) in enumerate(questions):
        pictures = [others[place] for place in generator.permutation(ways - 1)]
        pictures.insert(int(places[number]), right)
        samples.append(
            Sample(
                str(number),
                tuple(map(add, pictures)),
                texts=(caption(right.damage),),
                answer=int(places[number]),
                cluster=right.photo,
            )
        )
    return samples


def _questions() -> Iterator[tuple[DemoPicture, list[DemoPicture]]]:
    """The picture that a caption is about, and the others in the order in which they join, the same for all sets."""
    generator = np.random.default_rng(_SEED)
    for number, photo in enumerate(DEMO_PHOTOS):
        damages = [Damage(kinds[number % len(kinds)], _LEVEL) for kinds in _UNLIKE_TYPES]
        pictures = [DemoPicture(photo), *(DemoPicture(photo, damage) for damage in damages)]
        for right in generator.permutation(len(pictures))[:_CAPTIONS_PER_PHOTO]:
            others = [place for place in generator.permutation(len(pictures)) if place != right]
            yield pictures[right], [pictures[place] for place in others]
