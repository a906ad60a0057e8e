"""Studies: what people answer becomes one ranking, worked out by hand; nothing is kept that the owner did not allow."""

from __future__ import annotations

import json
import random
import secrets
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from leaderboard.account import BOUNDS
from leaderboard.html import study as words
from leaderboard.live.study import (
    Study,
    find_study,
    list_studies,
    open_study,
    read_answers,
    set_open,
    study_pairs,
    study_pictures,
)
from leaderboard.live.study_answers import (
    StudyService,
    TakenPart,
    result_json,
    whole_pairs,
    why_not_counted,
    write_result,
)
from leaderboard.store.local import Store
from qbench.__main__ import main
from qbench.errors import UserError
from qbench.records import Presented
from tests.leaderboard.live.test_tournament import by_number

ADA, BEA, COY = (letter * 32 for letter in "abc")
HERE = ("address", "network")
Choose = Callable[[int, int], str]


@pytest.fixture(autouse=True)
def the_same_names_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person's pairs follow from the study's name: by another one, chance has another say in who counts."""
    monkeypatch.setattr(secrets, "choice", random.Random(1).choice)


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Four photos, 0 to 3; a file that is none lies among them."""
    folder = tmp_path / "photos of mine"
    folder.mkdir()
    for number in range(4):
        Image.new("RGB", (40, 30), (60 * number, 90, 90)).save(folder / f"{number}.png")
    (folder / "notes.txt").write_text("none")
    return folder


@pytest.fixture
def service(tmp_path: Path) -> StudyService:
    return StudyService(tmp_path / "studies", Store(tmp_path / "handed-in"))


@pytest.fixture
def study(service: StudyService, photos: Path) -> Study:
    return open_study(service.folder, photos, "Four photos", "Which?")


def send(service: StudyService, study: Study, person: str, choose: Choose, most: int = 10**6) -> TakenPart:
    letters = "".join(choose(*pair) for pair in study_pairs(study, person)[:most])
    return service.hand_in({"study": study.name, "person": person, "answers": letters, "seconds": 20.0}, HERE)


def test_a_study_is_found_by_its_name_and_its_photos_say_nothing(
    service: StudyService, study: Study, photos: Path
) -> None:
    assert find_study(service.folder, study.name) == study
    assert (study.items, study.total) == (("0.png", "1.png", "2.png", "3.png"), 12)
    for item, picture in study_pictures(service.folder, study).items():
        assert Path(picture.path).read_bytes() == (photos / item).read_bytes()
        assert item not in picture.path
    assert [one.name for one in list_studies(service.folder)] == [study.name]


def test_foreign_names_lead_nowhere_and_title_and_question_have_bounds(service: StudyService, study: Study) -> None:
    for name in (None, 7, "", "../studies", "a" * 12, "x/../../etc/pwd", {"$ne": 1}):
        with pytest.raises(UserError, match="there is no study under this link"):
            find_study(service.folder, name)
    for words_of_it in (("", "q"), ("t", ""), ("t", "q" * 301)):
        with pytest.raises(ValueError, match="title and question have 1 to 300 characters"):
            Study("study2345678", *words_of_it, {})
    smallest = {"name": "study2345678", "title": "t" * 300, "question": "q" * 300, "photos": study.photos}
    assert Study(**smallest, pairs=5, most_people=1).total == 10
    for few in ({"pairs": 4}, {"most_people": 0}):
        with pytest.raises(ValueError, match="at least 4 photos, 5 pairs a person and 1 person"):
            Study(**smallest, **few)


def test_each_person_is_asked_pairs_of_their_own_in_both_orders() -> None:
    many = Study("study2345678", "t", "q", {str(number): f"{number}.png" for number in range(12)}, pairs=18)
    shown = study_pairs(many, ADA)
    assert len(shown) == len(set(shown)) == many.total == 36
    assert {pair[::-1] for pair in shown} == set(shown)
    assert all({*one} != {*two} for one, two in pairwise(shown))
    # 18 pairs are three rounds of all 12 photos, up to the one that a repeated pair costs.
    assert all(4 <= count <= 8 for count in Counter(np.array(shown).ravel().tolist()).values())
    assert study_pairs(many, BEA) != shown == study_pairs(many, ADA)
    assert len(study_pairs(replace(many, pairs=60), ADA)) == 120


def test_two_people_make_the_ranking_worked_out_by_hand(
    service: StudyService, study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ada ranks 0, 1, 2, 3; Bea has 1 before 0 and is otherwise of the same opinion; Coy always takes the left one."""
    send(service, study, ADA, by_number)
    send(service, study, BEA, lambda *pair: by_number(*pair[::-1]) if {*pair} == {0, 1} else by_number(*pair))
    part = send(service, study, COY, lambda *_: "f")
    result = part.result
    assert (result.people, result.counted) == (3, 2)
    assert result.left_out == {"kept no more answers than coin flips would": 1}
    # They agree about five of six pairs.
    assert (result.alike, result.compared) == (5, 6)
    ranking = result.known.ranking
    assert ranking is not None
    assert ranking.ranks == [1, 1, 3, 4]
    write_result(result, tmp_path / "out")
    assert main(["rank", str(tmp_path / "out" / "comparisons.jsonl"), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["comparisons"] == 24
    assert list(said["scores"].values()) == pytest.approx(sorted(ranking.scores, reverse=True), abs=1e-6)
    assert result_json(result)["agreement_of_two_people"] == {"alike": 5, "of": 6}
    assert part.others is not None
    assert (part.others.pairs, part.yours.figures["consistency"].value) == (0, 0)


def test_from_ten_people_on_intervals_cover_how_much_people_differ(service: StudyService, study: Study) -> None:
    """Every other one is of the opposite opinion about all pairs: people tell less than as many single votes would."""
    parts = [
        send(service, study, f"{number:032x}", by_number if number % 2 else lambda *pair: by_number(*pair[::-1]))
        for number in range(10)
    ]
    for part, said in zip(
        parts[-2:], ("assume that all votes are independent", "hold for other people too"), strict=True
    ):
        assert f"Intervals {said}" in words.taken_part(part)
    nine, ten = (part.result.known.ranking for part in parts[-2:])
    assert nine and nine.high is not None and ten and ten.high is not None
    assert ten.high[0] - ten.scores[0] > 1.5 * (nine.high[0] - nine.scores[0])


def test_who_stops_counts_with_whole_pairs(service: StudyService, study: Study) -> None:
    part = send(service, study, ADA, by_number, most=11)
    assert len(part.yours.presented) == 11
    assert len(part.result.known.presented) == 10
    assert part.result.counted == 1
    assert part.others is None  # one's own answers are nobody else's
    others = replace(study, photos=dict.fromkeys(("0.png", "1.png", "2.png", "another.png"), ""))
    without = whole_pairs(service.store.load_answers(study.name)[0], others)
    assert {name for shown in without for name in (shown.first, shown.second)} == {"0.png", "1.png", "2.png"}
    equal = send(service, study, BEA, lambda *_: "t")
    assert equal.result.left_out == {"called every pair equal": 1}
    assert equal.others is not None and equal.others.pairs == 0


@pytest.mark.parametrize(
    ("kept", "pairs", "counts"),
    [(4, 4, False), (5, 5, True), (5, 6, False), (6, 6, True), (6, 7, False), (7, 8, True)],
)
def test_who_counts_kept_more_than_one_in_twenty_coins_would(kept: int, pairs: int, counts: bool) -> None:
    """Coins keep all of 4 in 1/16 of cases, all of 5 in 1/32, 5 or more of 6 in 7/64, all of 6 in 1/64, 6 or more of 7
    in 8/128, and 7 or more of 8 in 9/256. A pair that is equal in both orders says nothing."""
    shown = [Presented("a", "b", "tie"), Presented("b", "a", "tie")]
    for number in range(pairs):
        one, other = f"one {number}", f"other {number}"
        shown += [Presented(one, other, "first"), Presented(other, one, "second" if number < kept else "first")]
    assert (why_not_counted(shown) == "") is counts


def test_the_same_answers_again_change_nothing_and_others_are_refused(service: StudyService, study: Study) -> None:
    once = send(service, study, ADA, by_number)
    assert send(service, study, ADA, by_number).result.people == once.result.people == 1
    with pytest.raises(UserError, match="each person answers a study once"):
        send(service, study, ADA, lambda *_: "f")
    set_open(service.folder, study.name, is_open=False)
    assert send(service, study, ADA, by_number).result.people == 1  # who took part sees the result


def test_a_replay_under_another_number_is_chance(service: StudyService, photos: Path) -> None:
    """The questions follow from the number, so that letters copied from others are answers to other questions."""
    for number in range(4, 9):
        Image.new("RGB", (40, 30), (20 * number, 10, 90)).save(photos / f"{number}.png")
    study = open_study(service.folder, photos, "Nine photos")
    letters = "".join(by_number(*pair) for pair in study_pairs(study, ADA))
    sent = {"study": study.name, "answers": letters, "seconds": 1}
    assert service.hand_in({**sent, "person": ADA}, HERE).result.counted == 1
    result = service.hand_in({**sent, "person": BEA}, HERE).result
    assert (result.people, result.counted) == (2, 1)


def test_what_the_owner_did_not_allow_is_not_kept(service: StudyService, photos: Path, study: Study) -> None:
    full = open_study(service.folder, photos, "For one", most_people=1)
    send(service, full, ADA, by_number)
    with pytest.raises(UserError, match="1 people have answered, and this study takes no more"):
        send(service, full, BEA, by_number)
    set_open(service.folder, study.name, is_open=False)
    with pytest.raises(UserError, match="this study is closed"):
        send(service, study, ADA, by_number)
    unknown = Study("zzzzzzzzzzzz", "t", "q", study.photos)
    with pytest.raises(UserError, match="no study under this link"):
        send(service, unknown, ADA, by_number)
    service.account.bounds = {**BOUNDS, "person": replace(BOUNDS["person"], own=3)}
    often = open_study(service.folder, photos, "Another")
    for number in range(2):
        send(service, often, f"{number:032x}", by_number)
    with pytest.raises(UserError, match="too many people have answered from your network"):
        send(service, often, COY, by_number)
    kept = [len(service.store.load_answers(one.name)) for one in (full, study, unknown, often)]
    assert kept == [1, 0, 0, 2]


@pytest.mark.parametrize(
    ("person", "letters", "says"),
    [
        (None, "f" * 12, "did not say whose answers these are"),
        ("../" + "a" * 29, "f" * 12, "did not say whose answers these are"),
        (ADA, "f" * 13, "not an answer to this study"),
        (ADA, "f" * 11 + "x", "not an answer to this study"),
        (ADA, ["f"] * 12, "not an answer to this study"),
        (ADA, "f" * 9, "9 answers are too few"),
    ],
)
def test_what_browsers_may_not_send_is_refused(study: Study, person: object, letters: object, says: str) -> None:
    assert len(read_answers(study, ADA, "f" * 10, 3).choices) == 10
    with pytest.raises(UserError, match=says):
        read_answers(study, person, letters, 3)
