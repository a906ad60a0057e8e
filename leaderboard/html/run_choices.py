"""The names of what can be chosen about a run, what each choice changes, and the command that does the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from leaderboard.html import markup
from leaderboard.html.markup import Html, template
from leaderboard.live.run_request import RunChoices
from leaderboard.tables.words import listed
from qbench.datasets.places import Presence
from qbench.models.catalogue import find_model
from qbench.records import Want
from qbench.tasks.task import is_encoder

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
