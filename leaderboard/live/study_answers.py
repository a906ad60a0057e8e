"""What people's answers to a study come to: who counts, one ranking of all, how far people agree."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import comb
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from leaderboard.account import Account
from leaderboard.live.person import YOU, Agreement, Preferences, agreements, preferences
from leaderboard.live.study import Study, find_study, read_answers, study_pictures
from leaderboard.live.tournament import Tournament, rank_by_all, ranking_json, write_comparisons
from leaderboard.store.local import Store
from leaderboard.store.submission import StudyAnswers
from qbench.errors import UserError
from qbench.records import Picture, Presented
from qbench.stats.likelihood import cluster_errors
from qbench.stats.pairwise import Comparisons, PairOutcome, count_votes, paired_orders, win_matrix

OTHERS = "the other people"
MANY_PEOPLE = 10
"""From so many on intervals say how far people differ; draws of fewer differ too little from each other."""
CHANCE = 0.05
"""Whoever a coin would match so often or more is not counted."""


@dataclass(frozen=True)
class StudyResult:
    """What a study has come to so far."""

    study: Study
    people: int
    left_out: Mapping[str, int]
    """Why people are not counted -> how many."""
    known: Tournament
    """The answers of all who count, whole pairs one person after another, and their ranking."""
    alike: int
    """Of every two people and every pair in which both prefer a photo, how often it is the same one."""
    compared: int

    @property
    def counted(self) -> int:
        return self.people - sum(self.left_out.values())


def study_result(study: Study, pictures: Mapping[str, Picture], everybody: Sequence[StudyAnswers]) -> StudyResult:
    """The result of everybody's answers; photos that are no longer in the study are nobody's fault and left out."""
    left_out: Counter[str] = Counter()
    counted: list[list[Presented]] = []
    for answers in everybody:
        whole = whole_pairs(answers, study)
        if reason := why_not_counted(whole):
            left_out[reason] += 1
        else:
            counted.append(whole)
    rows = tuple(shown for whole in counted for shown in whole)
    none_yet = "nobody's answers count yet" if everybody else "nobody has answered yet"
    known = Tournament(pictures, len(rows), rows, none_yet=none_yet)
    alike, compared = people_agree([preferences(whole) for whole in counted])
    ranked = replace(known, standard_errors=_errors_of_people(known, counted))
    return StudyResult(study, len(everybody), dict(left_out), ranked, alike, compared)


def _errors_of_people(known: Tournament, counted: Sequence[Sequence[Presented]]) -> NDArray[np.float64] | None:
    """Standard errors that hold for other people too: whole people are drawn anew, where there are many.

    They are never narrower than if all votes were independent: people who agree in everything tell nothing of others.
    """
    if known.ranking is None or len(counted) < MANY_PEOPLE:
        return None
    votes = [count_votes(Comparisons.of_presented(whole, known.names), "consistent").counted for whole in counted]
    drawn = cluster_errors([win_matrix(cast) for cast in votes], np.random.default_rng(0))
    own = known.ranking.standard_errors()
    return drawn if own is None else np.maximum(own, drawn)


def whole_pairs(answers: StudyAnswers, study: Study) -> list[Presented]:
    """Answers to pairs that a person was shown in both orders; whoever stopped leaves some in one."""
    shown = {(first, second) for first, second, _ in answers.choices}
    known = set(study.items)
    return [
        Presented(first, second, choice, study.name)
        for first, second, choice in answers.choices
        if (second, first) in shown and {first, second} <= known
    ]


def why_not_counted(whole: Sequence[Presented]) -> str:
    """Why a person's answers are not counted; empty where they are.

    Each pair was shown twice. Who looks keeps the answer; who presses at random keeps it in half of the pairs, and who
    always presses the same button in none. Pairs that were called equal twice say nothing of that.
    """
    orders = paired_orders(Comparisons.of_presented(whole))
    decided = int((~((orders.forward == PairOutcome.TIE) & (orders.backward == PairOutcome.TIE))).sum())
    kept = int(np.count_nonzero(orders.consistent))
    if not decided:
        return "called every pair equal"
    if bdtrc(kept - 1, decided, 0.5) > CHANCE:
        return "kept no more answers than coin flips would"
    return ""


def people_agree(each: Sequence[Preferences]) -> tuple[int, int]:
    """Over all two people and two photos: how often both prefer the same photo, and how often both prefer one."""
    votes: dict[tuple[str, str], Counter[str]] = {}
    for preferred in each:
        for pair, winner in preferred.items():
            votes.setdefault(pair, Counter())[winner] += 1
    alike = sum(comb(count, 2) for cast in votes.values() for count in cast.values())
    return alike, sum(comb(cast.total(), 2) for cast in votes.values())


def with_others(result: StudyResult, answers: StudyAnswers, everybody: Sequence[StudyAnswers]) -> Agreement | None:
    """How far a person agrees with what most of the others prefer; None where nobody else counts."""
    rows = [whole_pairs(other, result.study) for other in everybody if other.digest != answers.digest]
    others = [shown for whole in rows if not why_not_counted(whole) for shown in whole]
    if not others:
        return None
    (found,) = agreements({YOU: preferences(whole_pairs(answers, result.study)), OTHERS: preferences(others)})
    return found


def result_json(result: StudyResult) -> dict[str, Any]:
    """For the owner and for scripts."""
    return {
        "study": result.study.name,
        "title": result.study.title,
        "open": result.study.is_open,
        "people": result.people,
        "counted": result.counted,
        "left_out": dict(result.left_out),
        "agreement_of_two_people": {"alike": result.alike, "of": result.compared},
        **ranking_json(result.known),
        "methods": rank_by_all(result.known) if result.known.presented else {},
    }


def write_result(result: StudyResult, folder: Path) -> None:
    """`comparisons.jsonl`, which `python -m qbench rank` reads, and `ranking.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    write_comparisons(result.known, folder / "comparisons.jsonl")
    text = json.dumps(result_json(result), indent=1, ensure_ascii=False)
    (folder / "ranking.json").write_text(text + "\n", encoding="utf-8")


@dataclass(frozen=True)
class TakenPart:
    """What a person is told who has answered."""

    yours: Tournament
    result: StudyResult
    others: Agreement | None


@dataclass(frozen=True)
class StudyService:
    """Studies of one installation; only where its owner named a folder for them."""

    folder: Path
    store: Store
    account: Account = field(default_factory=Account, repr=False, compare=False)
    """Counts what comes from each address."""
    _results: dict[str, tuple[object, StudyResult]] = field(default_factory=dict, init=False, repr=False)
    """Study -> what the last result was made of, and the result."""
    _making: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)

    def hand_in(self, sent: Mapping[str, object], senders: Sequence[str]) -> TakenPart:
        """Keep what a browser sends: `study`, `person`, `answers` and `seconds`. The same again changes nothing.

        Raises:
            UserError: The study is not open, the answers are none, or enough were taken.
        """
        self.account.count("answers", senders)
        study = find_study(self.folder, sent.get("study"))
        answers = read_answers(study, sent.get("person"), sent.get("answers"), sent.get("seconds"))

        def allow(everybody: tuple[StudyAnswers, ...]) -> None:
            if not study.is_open:
                raise UserError("this study is closed and takes no more answers")
            if len(everybody) >= study.most_people:
                raise UserError(f"{len(everybody)} people have answered, and this study takes no more")
            self.account.count("person", senders)

        self.store.add_answers(answers, allow)
        everybody = self.store.load_answers(study.name)
        kept = next(one for one in everybody if one.digest == answers.digest)
        result = self._result(study, everybody)
        presented = tuple(Presented(*choice, study.name) for choice in kept.choices)
        yours = Tournament(result.known.pictures, study.total, presented, pairs=None)
        return TakenPart(yours, result, with_others(result, kept, everybody))

    def result(self, name: object) -> StudyResult:
        """What a study has come to, or a UserError where there is none."""
        study = find_study(self.folder, name)
        return self._result(study, self.store.load_answers(study.name))

    def _result(self, study: Study, everybody: Sequence[StudyAnswers]) -> StudyResult:
        """Made once of the same answers, whoever asks meanwhile; with its intervals, whose draws take a second."""
        made_of = study, [answers.digest for answers in everybody]
        with self._making:
            known, result = self._results.get(study.name, (None, None))
            if result is None or known != made_of:
                result = study_result(study, study_pictures(self.folder, study), everybody)
                self._results[study.name] = made_of, result
            return result
