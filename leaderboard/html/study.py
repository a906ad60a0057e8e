"""What a study says: what is asked and kept, your own answers, and the ranking of everybody's."""

from __future__ import annotations

from typing import Any

from leaderboard.html import markup, person, tournament
from leaderboard.html.markup import Html
from leaderboard.live.study import Study
from leaderboard.live.study_answers import MANY_PEOPLE, StudyResult, TakenPart
from leaderboard.tables.words import count, listed, percent
from qbench.stats.clusters import RESAMPLES

NO_STUDY = "To take part in a study you need its link. Ask the person who runs it."
CONSENT = (
    "By starting you agree that we keep your answers: which photo of each pair you preferred, when, and how long you "
    "took. We keep no name, account or address with them. They may be published with the results. We keep nothing "
    "before you send it, and you may stop at any time."
)
_SECONDS = 3


def invitation(study: Study, addresses: list[str], result: StudyResult | None) -> dict[str, Any]:
    """What the page shows before anything is answered; of a closed study its result."""
    minutes = max(1, round(study.total * _SECONDS / 60))
    return {
        "title": study.title,
        "question": study.question,
        "about": f"{count(len(study.photos), 'photo')}, {study.total} questions, about {count(minutes, 'minute')}. "
        "You see two photos at a time. Choose the better one, or say that they are equal.",
        "consent": CONSENT,
        "total": study.total,
        "photos": [{"url": address} for address in addresses],
        "result": everybody(result) if result else None,
    }


def taken_part(part: TakenPart) -> Html:
    """Thanks, your own habits, and what all answers come to."""
    others = markup.paragraph(person.agree_sentence(part.others), "qb-finding") if part.others else markup.NOTHING
    return markup.join(
        markup.page(markup.paragraph("Thank you: we have your answers.", "qb-finding")),
        person.habits(part.yours),
        markup.page(others),
        everybody(part.result),
    )


def everybody(result: StudyResult) -> Html:
    """The ranking of all who count, and on what it rests."""
    return markup.page(
        markup.heading("Everybody's answers"),
        markup.paragraph(_people(result), "qb-finding"),
        markup.paragraph(_agreement(result), "qb-finding"),
        tournament.ranked(result.state),
        markup.paragraph(_intervals(result) if result.counted else "", "qb-note"),
    )


def _intervals(result: StudyResult) -> str:
    votes = "The ranking counts one vote for each pair to which a person gave the same answer in both orders. "
    if result.counted < MANY_PEOPLE:
        return (
            f"{votes}Intervals assume that all votes are independent. From {MANY_PEOPLE} people on they also cover how "
            "much people differ."
        )
    return (
        f"{votes}Intervals hold for other people too: each comes from {RESAMPLES} random draws of {result.counted} of "
        "these people with all their votes, and is never narrower than for independent votes."
    )


def _people(result: StudyResult) -> str:
    """How many answered, and who is not counted."""
    said = f"{count(result.people, 'person has', 'people have')} answered"
    if not result.left_out:
        return f"{said}."
    reasons = listed(f"{number} {reason}" for reason, number in result.left_out.items())
    return f"{said}; {result.counted} counted, because {reasons}."


def _agreement(result: StudyResult) -> str:
    if not result.compared:
        return ""
    share = percent(result.alike / result.compared)
    return (
        f"When two of them both preferred a photo of the same pair, it was the same photo in {share} of cases "
        f"({result.alike:,} of {result.compared:,}). We give no interval, because the same people and photos come "
        "several times."
    )
