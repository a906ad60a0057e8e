"""What the Run page says: the names of what can be chosen, how far a run is, what it missed, where it would stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from leaderboard.html import markup
from leaderboard.html.live import job_text
from leaderboard.html.markup import Html, template
from leaderboard.html.run_figures import interval, value
from leaderboard.live.run import BoardPosition, Disagreement, Misplaced, NoPosition, RunState, Wrong
from leaderboard.live.run_files import KeptRun
from leaderboard.live.run_request import RunChoices, RunRequest
from leaderboard.submissions.preview import Placing
from leaderboard.tables.words import count, dataset_title, duration, listed, ordinal
from qbench.commands.preview import metric_name
from qbench.datasets.places import Presence
from qbench.models.catalogue import find_model
from qbench.records import Want
from qbench.tasks import TASKS
from qbench.tasks.choice import Shape
from qbench.tasks.task import is_encoder

TITLE = "Run a model on a dataset"
INTRODUCTION = (
    "While the model answers, you see its figures beside those of published models. If the same run was done before, "
    "you see its results at once."
)
EMPTY = "While answers arrive, one provisional figure appears here; at the end, all figures with 95 % intervals."
NO_POSITION: Mapping[NoPosition, str] = {
    "demo set": "There are no published results on the demo sets, whose truth is synthetic. The board “Demo "
    "(synthetic)” shows how others do on them.",
    "part of a dataset": "You ran a part of the dataset. Boards compare results on whole datasets, so there is no "
    "model to compare with.",
    "no column": "No board has a column for this dataset, so there is no model to compare with.",
}
MOST_ALIKE = 6
_WORST = template("""
<ol class="qb-worst">
{%- for pictures, sentence in items -%}
  <li><div>
  {%- for address in pictures -%}
    <a href="{{ address }}" target="_blank" rel="noopener"><img src="{{ address }}" alt="" loading="lazy"></a>
  {%- endfor -%}
  </div>{{ sentence }}</li>
{%- endfor -%}
</ol>
""")
MODES: Mapping[str, str] = {
    "free": "A free reply",
    "letter": "A reply with a letter",
    "close-set": "The most probable option",
    "letter-logits": "The odds of the letters",
    "words": "The odds of two words",
    "score": "A score",
    "rating": "A number in text",
    "levels": "The odds of five levels",
    "text": "A written reply",
    "scores": "Scores, compared",
    "embeddings": "Nearness of embeddings",
}
STYLES: Mapping[str, str] = {
    "paper": "The paper's",
    "answer": "The paper's, with “#Answer:”",
    "llava": "LLaVA's script",
    "code": "The released code's",
    "naive": "One caption",
    "clip-iqa": "Two opposite captions",
    "q-align": "Q-Align",
    "q-realign": "Q-ReAlign",
    "q-insight": "Q-Insight, with thoughts",
    "visualquality-r1": "VisualQuality-R1, with thoughts",
    "visualquality-r1-direct": "VisualQuality-R1, at once",
}
RULES: Mapping[str, str] = {
    "coarse": "Any two of a set",
    "levels": "Levels of one kind of damage",
    "types": "Kinds of damage of one level",
    "intervals": "Pictures of about the same score",
}
CHANGES: Mapping[str, str] = {
    "mode": "The kind of answer the model gives; ways that differ from the paper's are ranked apart.",
    "style": "The wording of the question.",
    "judge": "Another model grades or reads what this one writes.",
    "unread": "The judge reads only what the rules cannot read.",
    "words": "The pair of words to weigh, such as high/low; empty for the model's own.",
    "prefill": "How the answer begins; empty for “The quality of the image is”.",
    "rounds": "How many pairs each picture is in; empty for 12, or 11 active ones.",
    "schedule": "“Active” asks the pairs with the most doubt, and needs half as many.",
    "pairing": "Which pictures meet.",
    "seed": "Another order of options or pairs.",
}
_LINK = template("""
<p class="qb-note">{% if going %}This run continues when you close the page. Anybody with
<a href="{{ address }}">its link</a> can watch and stop it.
{%- else %}<a href="{{ address }}">The link to this run</a> works for as long as the run is kept.{% endif %}
{%- if here_alone %} For now the run is only on this server's disk; the server's log says why.{% endif %}</p>
""")


def run_subject(request: RunRequest) -> str:
    """What a run is about."""
    part = f"the first {request.limit} samples of " if request.limit else ""
    title = TASKS[request.task].title if request.task in TASKS else request.task
    return f"“{title}” on {part}{dataset_title(request.dataset)}, run with {model_name(request.model)}"


def run_status(state: RunState, run: KeptRun) -> Html:
    """Where the run is, in one line that screen readers are told, over a bar and the figure so far."""
    seen = state.progress
    share = 0.0 if seen is None or not seen.total else seen.done / seen.total
    bar = markup.NOTHING if state.ended else markup.done_bar(share)
    known, name, figure = state.known, metric_name(run.request.task), markup.NOTHING
    if known and known.value is not None and not state.result:
        whole = known.low is not None and known.high is not None
        span = f"95 % interval {interval(name.lower(), known)}" if whole else ""
        figure = markup.number(value(name.lower(), known.value), f"{name} so far {span}")
    return markup.page(markup.status(_status(state, run)), bar, figure)


def _status(state: RunState, run: KeptRun) -> str:
    model = model_name(run.request.model)
    what = f"{model} on {dataset_title(run.request.dataset)}"
    progress, done = _progress(state), f"Done: {what} in {duration(max(state.seconds, 1))}."
    stopped = f"Stopped: {progress or what}. The answers so far are kept; “Go on” asks for the rest."
    if state.result and state.result.cached:
        done = f"Already done: {what}. Every answer was known. “Run again” asks the model again."
    if run.status == "interrupted":
        stopped = f"Interrupted: {what}. The app restarted. The answers so far are kept; “Go on” asks for the rest."
    reason = state.failure.rstrip(".") if state.failure else ""
    failed = f"Ended early: {reason}. {progress}. The answers so far are kept."
    doing = state.doing or "waiting to begin"
    so_far = progress or ("" if state.ahead else f"{doing.capitalize()}, {duration(state.seconds)} so far.")
    return job_text(state, model, so_far=so_far, done=done, stopped=stopped, failed=failed)


def _progress(state: RunState) -> str:
    """How far, how well, how fast."""
    seen = state.progress
    if seen is None:
        return ""
    step = f"Round {seen.step}: " if seen.step > 1 else ""
    parts = [f"{step}{seen.done:,} of {count(seen.total, 'answer')}"]
    if seen.cached:
        parts.append(f"{seen.cached:,} known before")
    if seen.failed:
        parts.append(f"{seen.failed:,} failed")
    if seen.rate and not state.ended:
        parts.append(f"{seen.rate:.1f} a second")
    if seen.seconds_left and not state.ended:
        parts.append(f"about {duration(seen.seconds_left)} left")
    if seen.done == seen.total and not state.ended:
        parts.append(f"working out the figures, {duration(state.seconds)} so far")
    return ", ".join(parts)


def board_position(position: BoardPosition | NoPosition) -> Html:
    """Where the result would stand, or why it stands nowhere."""
    said = map(_placed, position.placings) if isinstance(position, BoardPosition) else [NO_POSITION[position]]
    return markup.page(markup.heading("Beside published models"), *map(markup.finding, said))


def _placed(placing: Placing) -> str:
    place = f"{placing.board.title}, {placing.column.label}: {ordinal(placing.rank)} of {placing.models} models"
    claimed = "" if placing.best is None else f"; it can claim the ranks {placing.best} to {placing.worst}"
    alike = listed((neighbour.name for neighbour in placing.alike), MOST_ALIKE)
    untold = f" It cannot be told apart from {alike}." if alike else ""
    stays = " A figure that was published before stays on the board." if placing.passed_over else ""
    return f"{place}{claimed}.{untold}{stays}"


def worst(found: Sequence[tuple[Disagreement, Sequence[Path]]], answers_known: bool) -> Html:
    """The widest disagreements, each with copies of its pictures that the page may serve."""
    if not answers_known:
        reason = "The answers of this record were asked for in another way, so this page does not list its mistakes."
        return markup.sentence(reason, "qb-note")
    if not found:
        return markup.NOTHING
    number = f" {len(found)}" if len(found) > 1 else ""
    wide = found[0][0].gap is not None
    head = f"The{number} widest disagreement{'s' * bool(number)}" if wide else f"The first{number} of the wrong answers"
    items = [
        (
            [markup.file_address(copy.as_posix()) for copy in copies],
            markup.join(markup.paragraph(in_words(disagreement)), markup.note(_damage(disagreement))),
        )
        for disagreement, copies in found
    ]
    return markup.page(markup.heading(head), _WORST(items=items))


def in_words(disagreement: Disagreement) -> str:
    """Who says what of a sample, or pair."""
    truth = "the damage done" if disagreement.damage else "people"
    match disagreement.about:
        case Misplaced(own, true, of, part):
            named = f" of the part “{part}”" if part else ""
            return (
                f"Of the {of} pictures{named}, the model puts this one {ordinal(own)} (1st is the best). By {truth} it "
                f"is {ordinal(true)}."
            )
        case Wrong(sample, chosen, right, None):
            return f"{sample.question} It said “{sample.options[chosen]}”; right is “{sample.options[right]}”"
        case Wrong(sample, chosen, right, Shape(texts=True)):
            return f"It chose “{sample.texts[chosen]}”; right is “{sample.texts[right]}”"
        case Wrong(sample, chosen, right, Shape(against=against)):
            asked = f"“{sample.texts[0]}”" if sample.texts else sample.groups.get("attribute", "")
            beside = " beside the reference on the left" if against == "image" else ""
            begin = f"{asked}: " if asked else ""
            return f"{begin}it chose picture {chosen + 1}{beside}; right is picture {right + 1}"
    return f"Preferred the left, which is worse by {disagreement.gap:.3g} points by {truth}"


def _damage(disagreement: Disagreement) -> str:
    """What was done to the pictures, where that is known."""
    where = " from the left" if len(disagreement.damage) > 1 else ""
    return f"Damage{where}: {'; '.join(disagreement.damage)}." if disagreement.damage else ""


def model_name(name: str) -> str:
    """What people call a model."""
    facts = find_model(name)
    return facts.name if facts else name


def named(choices: Sequence[str], names: Mapping[str, str]) -> list[tuple[str, str]]:
    """Choices of a list by their names; the usual one stands for not choosing."""
    return [(names.get(choice, choice), "" if not place else choice) for place, choice in enumerate(choices)]


def more_label(choices: RunChoices) -> str:
    """What the folded choices are called, which says what there is; nothing where there is none."""
    there = [
        *(["how it is asked"] if choices.modes else []),
        *(["wording"] if len(choices.styles) > 1 else []),
        *(["words"] if "words" in choices.others else []),
        *(["judge"] if choices.judged else []),
        *(["rounds", "pairs"] if "rounds" in choices.others else []),
        *(["seed"] if "seed" in choices.others else []),
    ]
    return f"More choices: {listed(there)}" if there else ""


def other_tasks(model: str, wants: frozenset[Want] | None, missing: Sequence[str], able: Sequence[str]) -> Html:
    """Why some tasks are not offered for a model, and which models can do them."""
    if wants is None or not missing:
        return markup.NOTHING
    what = (
        "compares pictures with captions, and answers no questions"
        if is_encoder(wants)
        else "scores pictures, and does nothing else"
        if wants <= {"score", "map"}
        else "answers in words, and gives no vectors to search pictures with"
    )
    tasks = "one task is" if len(missing) == 1 else f"{len(missing)} tasks are"
    others = f" Models for those: {listed([model_name(name) for name in able])}." if able else ""
    return markup.sentence(f"{model_name(model)} {what}, so {tasks} not offered.{others}", "qb-note")


def words_alone(model: str, wants: frozenset[Want] | None) -> Html:
    """What a model without log-probabilities, as many servers are, can do."""
    if wants is None or not {"text"} <= wants or "words" in wants:
        return markup.NOTHING
    said = f"{model_name(model)} gives no log-probabilities: it can answer, describe and rate in words of its own"
    return markup.sentence(f"{said}, but we cannot read the odds of words.", "qb-note")


def left_out(presence: Presence | None) -> Html:
    """What a run of a dataset that is here in part leaves out."""
    if presence is None:
        return markup.NOTHING
    said = f"This server has {presence.detail} and runs only these. The record says how many; a part gets no rank."
    return markup.sentence(said, "qb-note")


def command(line: str, *, served: bool) -> Html:
    """The command that does the same, to copy."""
    note = "; URL is your server's address" if served else ""
    return markup.page(markup.command(f"The same run on the command line{note}:", line))


def run_link(address: str, *, going: bool, here_alone: bool = False) -> Html:
    """Where a run is found again, and whether it is not where the owner wants runs kept besides this disk."""
    return markup.page(_LINK(address=address, going=going, here_alone=here_alone))
