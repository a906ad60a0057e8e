"""Every demo set: what is right in it follows from what was done to its pictures."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from qbench import pairing
from qbench.datasets.demo import DEMO_SETS, DemoSet, make_demo_set
from qbench.datasets.demo.damage import DAMAGE_WORDS, Damage
from qbench.datasets.demo.descriptions import caption
from qbench.datasets.demo.pictures import DEMO_PHOTOS, make_picture
from qbench.datasets.demo.rated_sets import RATED_TYPES, types_of
from qbench.models.classical import MEASURES
from qbench.records import Sample
from qbench.tasks import TASKS

LISTS = "e0278abcb690868e"
"""Changes when any question, choice or rating does: results before and after are then not comparable."""


def level(demo: DemoSet, image: str) -> float:
    damage = demo.pictures[image].damage
    return damage.level if damage else 0


def alternatives(sample: Sample) -> tuple[str, ...]:
    return sample.images[1:] if sample.reference else sample.images


def test_the_lists_are_the_same_everywhere() -> None:
    revisions = " ".join(make_demo_set(name).revision for name in DEMO_SETS)
    assert hashlib.sha256(revisions.encode()).hexdigest()[:16] == LISTS


@pytest.mark.parametrize("name", DEMO_SETS)
def test_every_picture_has_its_place_and_every_sample_its_id(name: str) -> None:
    demo = make_demo_set(name)
    assert {image for sample in demo.samples for image in sample.images} == demo.pictures.keys()
    assert len({sample.id for sample in demo.samples}) == len(demo.samples)


@pytest.mark.parametrize(
    "task", ["img-2afc", "it-2afc", "text-2afc", "iqa-2afc", "attributes", "odd-one-out", "retrieval"]
)
def test_similarity_sets_are_what_their_tasks_read(task: str) -> None:
    TASKS[task].check(make_demo_set(f"demo-{task}").samples)


@pytest.mark.parametrize("name", ["demo-img-2afc", "demo-iqa-2afc"])
def test_the_less_damaged_is_right(name: str) -> None:
    demo = make_demo_set(name)
    for sample in demo.samples:
        levels = [level(demo, image) for image in alternatives(sample)]
        assert levels.index(min(levels)) == sample.answer
        assert len({demo.pictures[image].damage.kind for image in alternatives(sample)}) == 1
    places = Counter(sample.answer for sample in demo.samples)
    assert min(places.values()) > len(demo.samples) / 3


def test_a_reference_is_the_untouched_photo_of_both_alternatives() -> None:
    demo = make_demo_set("demo-img-2afc")
    for sample in demo.samples:
        assert demo.pictures[sample.images[0]].damage is None
        assert {demo.pictures[image].photo for image in sample.images} == {demo.pictures[sample.images[0]].photo}


def test_more_of_an_attribute_is_right() -> None:
    demo = make_demo_set("demo-attributes")
    assert Counter(sample.groups["attribute"] for sample in demo.samples) == dict.fromkeys(
        ("brightness", "colorfulness", "contrast", "sharpness"), 14
    )
    up = {"mean-shift-up", "oversaturation", "contrast-up"}
    for sample in demo.samples:
        (damaged,) = (image for image in sample.images if demo.pictures[image].damage)
        more = demo.pictures[damaged].damage.kind in up
        assert (sample.images.index(damaged) == sample.answer) == more


def test_what_the_pixels_measure_agrees_with_every_attribute() -> None:
    demo = make_demo_set("demo-attributes")
    for sample in demo.samples:
        measure = MEASURES[sample.groups["attribute"].replace("color", "colour")]
        values = [measure(make_picture(demo.pictures[image])) for image in sample.images]
        assert values.index(max(values)) == sample.answer


def test_the_odd_one_is_of_another_photo_and_damaged_like_one_of_the_pair() -> None:
    demo = make_demo_set("demo-odd-one-out")
    for sample in demo.samples:
        photos = [demo.pictures[image].photo for image in sample.images]
        assert photos.count(photos[sample.answer]) == 1
        kinds = [demo.pictures[image].damage.kind for image in sample.images]
        assert kinds.count(kinds[sample.answer]) == 2
    assert set(Counter(sample.answer for sample in demo.samples)) == {0, 1, 2}


def test_captions_fit_only_the_right_alternative() -> None:
    demo = make_demo_set("demo-it-2afc")
    for sample in demo.samples:
        captions = [caption(demo.pictures[image].damage) for image in sample.images]
        assert captions[sample.answer] == sample.texts[0]
        assert captions[1 - sample.answer] != sample.texts[0]
    demo = make_demo_set("demo-text-2afc")
    for sample in demo.samples:
        assert sample.texts[sample.answer] == caption(demo.pictures[sample.reference].damage)
        assert sample.texts[0] != sample.texts[1]


def test_a_query_finds_the_damaged_wholes_of_its_photo() -> None:
    demo = make_demo_set("demo-retrieval")
    searched = {sample.id for sample in demo.samples if not sample.relevance}
    queries = [sample for sample in demo.samples if sample.relevance]
    assert (len(searched), len(queries)) == (56, 28)
    for query in queries:
        found = {name: {(demo.pictures[i].photo, level(demo, i)) for i in ids} for name, ids in query.relevance.items()}
        photo = demo.pictures[query.images[0]].photo
        assert found == {"easy": {(photo, 2)}, "hard": {(photo, 5)}}
        assert searched >= {image for images in query.relevance.values() for image in images}


def test_ratings_are_severity_within_each_type() -> None:
    demo = make_demo_set("demo-assessment")
    assert all(sample.human == 100 - 20 * level(demo, sample.id) for sample in demo.samples)
    assert Counter(sample.groups["part"] for sample in demo.samples) == dict.fromkeys(RATED_TYPES, 9)
    assert {sample.id for sample in demo.samples if sample.human == 100} == {f"{photo}.png" for photo in DEMO_PHOTOS}


def test_the_two_types_of_a_photo_are_of_different_families() -> None:
    assert all(
        DAMAGE_WORDS[first].family != DAMAGE_WORDS[second].family for first, second in map(types_of, DEMO_PHOTOS)
    )
    assert Counter(kind for photo in DEMO_PHOTOS for kind in types_of(photo)) == dict.fromkeys(RATED_TYPES, 2)


@pytest.mark.parametrize(
    ("rule", "by"),
    [
        ("levels", pairing.same_content_and_type),
        ("types", pairing.same_content_and_level),
    ],
)
def test_fine_sets_are_the_groups_of_their_rule(rule: str, by) -> None:
    samples = make_demo_set(f"demo-comparison-{rule}").samples
    groups = by(samples)
    assert [len(members) for members in groups.values()] == [5, 5, 5, 5]
    assert {member for members in groups.values() for member in members} == {sample.id for sample in samples}


def test_fine_intervals_hold_five_levels_of_one_type_each() -> None:
    samples = make_demo_set("demo-comparison-intervals").samples
    groups = pairing.same_mos_interval(samples)
    assert {name: len(members) for name, members in groups.items()} == dict.fromkeys(
        ("[0, 25)", "[25, 50)", "[50, 75)", "[75, 100]"), 5
    )
    assert {sample.groups["type"] for sample in samples} == {"lens-blur"}
    assert len({sample.human for sample in samples}) == 20


def test_types_are_not_ranked_by_construction() -> None:
    assert {sample.human for sample in make_demo_set("demo-comparison-types").samples} == {None}


def test_coarse_sets_rank_eight_photos_of_one_type_without_ties() -> None:
    samples = make_demo_set("demo-comparison").samples
    for kind in ("lens-blur", "white-noise", "jpeg"):
        members = [sample for sample in samples if sample.groups["set"] == kind]
        assert (
            len({member.human for member in members})
            == len({member.groups["content"] for member in members})
            == len(members)
            == 8
        )
        assert {member.groups["type"] for member in members} == {kind, "untouched"}


def test_questions_are_spread_evenly_and_no_answer_is_a_safe_guess() -> None:
    demo = make_demo_set("demo-perception")
    cells = Counter((sample.groups["question_type"], sample.groups["concern"]) for sample in demo.samples)
    assert len(cells) == 12
    assert max(cells.values()) - min(cells.values()) <= 3
    yes_no = [sample for sample in demo.samples if sample.options == ("Yes", "No")]
    assert sum(question.answer == 1 for question in yes_no) / len(yes_no) == pytest.approx(0.4, abs=0.05)
    others = Counter(sample.options[sample.answer] for sample in demo.samples if sample.options != ("Yes", "No"))
    assert max(others.values()) / others.total() < 0.15
    assert sum(picture.damage is None for picture in demo.pictures.values()) == 10


def test_descriptions_name_what_was_done() -> None:
    demo = make_demo_set("demo-description")
    for sample in demo.samples:
        damage = demo.pictures[sample.id].damage
        if isinstance(damage, Damage):
            assert damage.words.noun in sample.reference or damage.words.adjective in sample.reference
        assert ". The overall quality is " in sample.reference


def test_the_records_on_the_board_are_of_these_sets() -> None:
    """A record names its list by what is in it, so that renaming what makes the list changes no record."""
    records = Path(__file__).resolve().parents[3] / "assets" / "demo"
    lists = {name: make_demo_set(name).revision[:12] for name in DEMO_SETS}
    shown = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(records.glob("*.json"))]
    assert {record["dataset"].split("/")[0] for record in shown} == set(DEMO_SETS)
    for record in shown:
        assert record["protocol"]["list"] == lists[record["dataset"].split("/")[0]], record["dataset"]
