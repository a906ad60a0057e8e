"""What the Tournament page says: where it is, the ranked pictures, the model's habits."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from leaderboard.html import markup
from leaderboard.html.habits import kept_sentence, places_sentence
from leaderboard.html.live import KEPT, LEANS, PREFERS, TOO_CLOSE, job_text, two_digits
from leaderboard.html.markup import Html, template
from leaderboard.live.tournament import FEWEST_PICTURES, MOST_PICTURES, Tournament, TournamentState, standing
from leaderboard.tables.words import begin, count, duration, listed, minus, shorten_name
from qbench.commands.rank import describe_groups
from qbench.records import Picture

TITLE = "Which of many photos looks best?"
INTRODUCTION = (
    f"A model compares {FEWEST_PICTURES} to {MOST_PICTURES} pictures, two at a time. It sees each pair in both orders, "
    f"and its answer is used only if it chooses the same picture both times. You can also compare them yourself. {KEPT}"
)
EMPTY = "The ranked pictures appear here while the answers arrive, each with its score and 95 % interval."
_NAMED = 6
"""Pictures that are named where all of them would be too many."""
_RANKED = template("""
<ol class="qb-ranked">
{%- for picture in pictures -%}
  <li><b>{{ picture.rank }}</b><a href="{{ picture.address }}" target="_blank" rel="noopener">
  {#- #}<img src="{{ picture.address }}" alt="" loading="lazy" width="64" height="48"></a>
  {#- #}<bdi title="{{ picture.name }}">{{ picture.name | shorten_name(30) }}</bdi>
  {%- if picture.score -%}
    {{ picture.bar }}<strong title="95 % interval {{ picture.interval }}">{{ picture.score }}</strong>
  {%- endif %}</li>
{%- endfor -%}
</ol>
""")
_GOING = template('<div hidden data-going="{{ going }}"></div>', "going")


def tournament_subject(pictures: Sequence[str], model: str, rounds: int) -> str:
    """What a tournament is about."""
    return f"{_pictures(pictures)}, compared by {model} in {count(rounds, 'round')}"


def your_subject(pictures: Sequence[str]) -> str:
    """The same where the visitor compares."""
    return f"{_pictures(pictures)}, compared by you"


def _pictures(pictures: Sequence[str]) -> str:
    return f"{count(len(pictures), 'picture')} ({listed((shorten_name(name, 30) for name in pictures), _NAMED)})"


def tournament_status(state: TournamentState, model: str) -> Html:
    """Where the tournament is, in one line that screen readers are told."""
    known = standing(state)
    total = count(known.total, "comparison")
    done = f"{len(known.presented)} of {total}"
    text = job_text(
        state,
        model,
        so_far=f"{done} so far." if state.ahead else _so_far(state, model, done),
        done=f"All rounds are done: {total} by {model} in {duration(max(state.seconds, 1))}.",
        stopped=f"Stopped after {done}; the ranking uses these.",
        failed=f"Ended after {done}; the ranking uses these. The reason: {state.failure}" if state.failure else "",
    )
    return markup.page(markup.status(text))


def _so_far(state: TournamentState, model: str, done: str) -> str:
    known = standing(state)
    if not known.presented and known.by_scores and state.progress:
        return f"{model} scores one picture at a time: {state.progress.done} of {state.progress.total}."
    if not known.presented:
        return f"Opening {model} and asking the first comparisons, {duration(state.seconds)} so far."
    answered = len(known.presented)
    rate = answered / state.seconds if state.seconds else 0.0
    left = state.seconds * (known.total - answered) / answered
    return f"{done}, {rate:.1f} a second, about {duration(left)} left."


def ranked(known: Tournament) -> Html:
    """The pictures, best first, with score and interval; as given while there is no ranking."""
    if known.ranking is None:
        note, ranks = f"No ranking yet: {known.note}.", list(range(1, len(known.names) + 1))
    else:
        note, ranks = "Scores: 0 is the mean. Bars: 95 % interval.", known.ranking.ranks
        if groups := known.ranking.groups:
            sentence = describe_groups([[shorten_name(name, 30) for name in group] for group in groups])
            note += f" {begin(sentence)}."
    pictures = [_picture(known, ranks[place], place) for place in known.order]
    return markup.page(
        markup.finding(_first_two(known)),
        markup.note(note),
        _RANKED(pictures=pictures),
    )


def _first_two(known: Tournament) -> str:
    """How sure it is which picture is the best."""
    if known.first_two is None:
        return ""
    first, next_one, probability = known.first_two
    best, second, shown = shorten_name(first, 30), shorten_name(next_one, 30), round(probability, 2)
    if shown < LEANS:
        return f"{best} leads; {best} and {second} are {TOO_CLOSE} (probability that {best} is better: {shown:.2f})."
    surely = "very probably" if shown >= PREFERS else "probably"
    return f"{best} leads, and is {surely} better than {second} (probability {two_digits(probability)})."


def _picture(known: Tournament, rank: int, place: int) -> Mapping[str, object]:
    name = known.names[place]
    shown = {"name": name, "address": markup.file_address(known.pictures[name].path)}
    ranking = known.ranking
    if ranking is None or ranking.low is None or ranking.high is None:
        return {**shown, "rank": "–", "score": ""}
    least, most = float(ranking.low.min()), float(ranking.high.max())
    low, at, high = (
        float((end[place] - least) / (most - least)) for end in (ranking.low, ranking.scores, ranking.high)
    )
    return {
        **shown,
        "rank": rank,
        "score": minus(f"{ranking.scores[place]:.2f}"),
        "interval": minus(f"{ranking.low[place]:.2f} to {ranking.high[place]:.2f}"),
        "bar": markup.range_bar(at, low, high),
    }


def tournament_habits(known: Tournament) -> Html:
    """Whether the order mattered."""
    unusable = sum(shown.choice is None for shown in known.presented)
    lost = f"{count(unusable, 'answer')} could not be used and did not count." if unusable else ""
    kept = known.figures.get("consistency")
    if known.by_scores:
        said = [markup.finding("The model scores each picture alone, so the order cannot matter.")]
    elif kept is None or kept.value is None:
        said = [markup.finding(lost)]
    else:
        places = places_sentence(known.figures, " picture")
        said = [markup.finding(kept_sentence(kept)), markup.finding(places), markup.note(lost)]
    return markup.page(markup.heading("Habits"), *said) if any(said) else markup.NOTHING


def going(pictures: Mapping[str, Picture], model: str, rounds: int) -> Html:
    """What the browser is to keep; nothing until the photos are read, for a reload would find none of them."""
    if not pictures:
        return markup.NOTHING
    photos = [{"name": name, "url": markup.file_address(picture.path)} for name, picture in pictures.items()]
    return _GOING(json.dumps({"photos": photos, "model": model, "rounds": rounds}))
