"""The sets of one caption and ever more pictures: what differs between them is the number, and nothing else."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise

import pytest

from qbench.datasets.demo import DemoSet, make_demo_set
from qbench.datasets.demo.descriptions import caption
from qbench.datasets.demo.n_way_sets import WAY_COUNTS
from qbench.datasets.demo.pictures import DEMO_PHOTOS
from qbench.datasets.demo.questions import alike
from qbench.records import Sample
from qbench.tasks import TASKS


def lineup(ways: int) -> DemoSet:
    return make_demo_set(f"demo-it-2afc-{ways}-way")


def newest(before: Sample, after: Sample) -> str:
    (added,) = set(after.images) - set(before.images)
    return added


@pytest.mark.parametrize("ways", WAY_COUNTS)
def test_four_captions_of_every_photo_with_so_many_pictures_of_it(ways: int) -> None:
    demo = lineup(ways)
    TASKS["it-2afc"].check(demo.samples)
    assert Counter(sample.cluster for sample in demo.samples) == dict.fromkeys(DEMO_PHOTOS, 4)
    for sample in demo.samples:
        assert len(set(sample.images)) == ways
        assert {demo.pictures[image].photo for image in sample.images} == {sample.cluster}


def test_one_more_picture_is_the_same_question_with_that_picture() -> None:
    for fewer, more in pairwise(WAY_COUNTS):
        for before, after in zip(lineup(fewer).samples, lineup(more).samples, strict=True):
            assert (before.id, before.texts, before.cluster) == (after.id, after.texts, after.cluster)
            assert before.images[before.answer] == after.images[after.answer]
            assert newest(before, after) != after.images[after.answer]
            assert set(before.images) < set(after.images)


@pytest.mark.parametrize("ways", WAY_COUNTS)
def test_no_place_is_right_more_often_than_another_by_more_than_one(ways: int) -> None:
    places = Counter(sample.answer for sample in lineup(ways).samples)
    assert sorted(places) == list(range(ways))
    assert max(places.values()) - min(places.values()) <= 1


def test_places_are_drawn_anew_so_that_the_newest_picture_stands_anywhere() -> None:
    pairs = zip(lineup(5).samples, lineup(6).samples, strict=True)
    places = Counter(after.images.index(newest(before, after)) for before, after in pairs)
    assert sorted(places) == list(range(6))
    assert max(places.values()) < 56 / 3


def test_captions_fit_the_right_picture_alone_and_no_two_damages_are_alike() -> None:
    demo = lineup(6)
    for sample in demo.samples:
        shown = [demo.pictures[image] for image in sample.images]
        captions = [caption(picture.damage) for picture in shown]
        assert [place for place, text in enumerate(captions) if text == sample.texts[0]] == [sample.answer]
        damages = [picture.damage for picture in shown if picture.damage]
        assert len(damages) == 5
        assert {(damage.level, damage.place) for damage in damages} == {(5, None)}
        assert not [pair for pair in combinations(damages, 2) if alike(pair[0].words, pair[1].words)]


def test_what_is_asked_about_and_what_joins_first_varies() -> None:
    """No caption makes more than a third of the questions, and no picture more than a third of the first rivals."""
    demo = lineup(2)
    asked = Counter(sample.texts[0] for sample in demo.samples)
    rivals = Counter(caption(demo.pictures[sample.images[1 - sample.answer]].damage) for sample in demo.samples)
    assert max(asked.values()) < 56 / 3
    assert max(rivals.values()) < 56 / 3
