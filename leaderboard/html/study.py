"""What a study says: what is asked and kept, your own answers, and the ranking of everybody's."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import segno

from leaderboard.html import markup, person, tournament
from leaderboard.html.markup import Html, template
from leaderboard.live.study import Study
from leaderboard.live.study_answers import MANY_PEOPLE, StudyResult, TakenPart
from leaderboard.live.tournament import ranking_csv, ranking_json
from leaderboard.tables.words import count, listed, minus, percent
from qbench.stats.likelihood import RESAMPLES

NO_STUDY = "To take part in a study you need its link. Ask the person who runs it."
FOR_OWNERS = (
    "People compare your photos two by two under a link. Photos are shown as they are, with what their files say of "
    "place and time. Answers are kept like submissions. The study itself is in a folder of this server, so on a Space "
    "it needs persistent storage."
)
CONSENT = (
    "By starting you agree that we keep your answers: which photo of each pair you preferred, when, and how long you "
    "took. We keep no name, account or address with them. They may be published with the results. Your answers "
    "stay in your browser until you send them. You may stop at any time."
)
_SECONDS = 3
_SHARED = template("""
<div class="qb-shared">{{ code }}
<p><a href="{{ link }}" target="_blank">{{ link }}</a>
<button type="button" class="qb-button" data-copy-link="{{ link }}">Copy link</button></p></div>
""")
_DOWNLOAD = template("""
<p><a class="qb-button" download="{{ name }}" href="data:text/csv;charset=utf-8,{{ text }}">Ranking (CSV)</a></p>
""")


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
    return markup.join(
        markup.sentence("Thank you: we have your answers."),
        person.habits(part.yours),
        markup.sentence(person.agree_sentence(part.others) if part.others else ""),
        everybody(part.result),
    )


def everybody(result: StudyResult) -> Html:
    """The ranking of all who count, and on what it rests."""
    return markup.page(
        markup.heading("Everybody's answers"),
        markup.finding(_people(result)),
        markup.finding(_agreement(result)),
        tournament.ranked(result.known),
        markup.note(_intervals(result) if result.counted else ""),
    )


def for_owner(result: StudyResult, link: str) -> Html:
    """Link and QR code of a study, and what it has come to so far, as a table and as on its own page."""
    study, ranking = result.study, ranking_json(result.known)["ranking"]
    code = Html(segno.make(link, error="m").svg_inline(scale=4, light="#fff", svgclass="qb-code-of-link"))
    rows: list[markup.HtmlRow] = [
        [row["picture"], str(row["rank"]), minus(f"{row['score']:.2f}"), span]
        for row in ranking
        if row["score"] is not None
        for span in ["–" if row["low"] is None else minus(f"{row['low']:.2f} to {row['high']:.2f}")]
    ]
    head = ["Photo", "Place", "Score", "95 % interval"]
    said = f"{'Open' if study.is_open else 'Closed'}; at most {count(study.most_people, 'person', 'people')}."
    return markup.join(
        markup.page(
            markup.heading(study.title),
            markup.note(said),
            _SHARED(code=code, link=link),
            markup.table(head, rows, "Ranking so far"),
            _DOWNLOAD(name=f"{study.name}.csv", text=quote(ranking_csv(result.known))) if rows else markup.NOTHING,
        ),
        everybody(result),
    )


def _intervals(result: StudyResult) -> str:
    votes = "The ranking counts one vote for each pair where a person chose the same photo in both orders. "
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
