"""What the Study page does, without Gradio: show a study, take answers within limits, tell what they come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from leaderboard.live.agreement import Agreement
from leaderboard.live.study import Study, find_study, read_answers, study_pictures
from leaderboard.live.study_result import StudyResult, person_state, study_result, with_errors, with_others
from leaderboard.live.tournament import TournamentState
from leaderboard.store import Store
from leaderboard.store.answers import StudyAnswers
from leaderboard.submissions.limits import CountsADay
from qbench.errors import UserError

A_DAY = (30, 200)
"""People from one address and from its network in 24 hours: a class or a laboratory may share one."""
SENT_A_DAY = (300, 2000)
"""Times that answers are sent from there, the same again too: each is a look at everybody's."""


@dataclass(frozen=True)
class TakenPart:
    """What a person is told who has answered."""

    yours: TournamentState
    result: StudyResult
    others: Agreement | None


@dataclass(frozen=True)
class StudyService:
    """Studies of one installation; only where its owner named a folder for them."""

    folder: Path
    store: Store
    _a_day: CountsADay = field(default_factory=lambda: CountsADay(A_DAY), init=False, repr=False)
    _sent: CountsADay = field(default_factory=lambda: CountsADay(SENT_A_DAY, what="answers"), init=False, repr=False)
    _results: dict[str, tuple[object, StudyResult]] = field(default_factory=dict, init=False, repr=False)
    """Study -> what the last result was made of, and the result."""
    _making: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)

    def photos(self, study: Study) -> list[str]:
        """Files of the photos, in the order that questions count them."""
        return [picture.path for picture in study_pictures(self.folder, study).values()]

    def study(self, name: object) -> Study:
        """The study of a link.

        Raises:
            UserError: There is none.
        """
        return find_study(self.folder, name)

    def hand_in(self, sent: Mapping[str, object], senders: Sequence[str]) -> TakenPart:
        """Keep what a browser sends: `study`, `person`, `answers` and `seconds`. The same again changes nothing.

        Raises:
            UserError: The study is not open, the answers are none, or enough were taken.
        """
        self._sent.count(senders)
        study = self.study(sent.get("study"))
        answers = read_answers(study, sent.get("person"), sent.get("answers"), sent.get("seconds"))

        def allow(everybody: tuple[StudyAnswers, ...]) -> None:
            if not study.is_open:
                raise UserError("this study is closed and takes no more answers")
            if len(everybody) >= study.most_people:
                raise UserError(f"{len(everybody)} people have answered, as many as this study takes")
            self._a_day.count(senders)

        self.store.add_answers(answers, allow)
        everybody = self.store.load_answers(study.name)
        kept = next(one for one in everybody if one.digest == answers.digest)
        result = self._result(study, everybody)
        yours = person_state(study, result.state.answers.pictures, kept)
        return TakenPart(yours, result, with_others(result, kept, everybody))

    def result(self, name: object) -> StudyResult:
        """What a study has come to.

        Raises:
            UserError: There is none.
        """
        study = self.study(name)
        return self._result(study, self.store.load_answers(study.name))

    def _result(self, study: Study, everybody: Sequence[StudyAnswers]) -> StudyResult:
        """Made once of the same answers, whoever asks meanwhile; with its intervals, whose draws take a second."""
        made_of = study, [answers.digest for answers in everybody]
        with self._making:
            known, result = self._results.get(study.name, (None, None))
            if result is None or known != made_of:
                result = with_errors(study_result(study, study_pictures(self.folder, study), everybody))
                self._results[study.name] = made_of, result
            return result
