"""A2, description: how an image looks, in the model's own words, graded against a golden description.

Q-Bench, Sec. 2.3 and A.2.2, https://arxiv.org/abs/2309.14181. A judge rates completeness, precision and relevance 0, 1
or 2, five times each; a dimension's score is the mean rating, which is P1 + 2 P2. Without a judge the descriptions are
kept and the scores are absent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qbench import prompts
from qbench.errors import UserError
from qbench.records import Prompt, Response, Sample, Score, Want
from qbench.tasks import asking
from qbench.tasks.task import Chosen, Outcome, Plan, Task, need

NAME = "description"
MODES: Mapping[str, Want] = {"writing": "text"}
DIMENSIONS = ("completeness", "precision", "relevance")
RATINGS = (0, 1, 2)
UNGRADED = "no judge model graded the descriptions; name one with --judge"
_LONGEST = 512
"""Tokens of a description; those of the paper's models have some 100 words."""

Ratings = Mapping[tuple[str, str], Sequence[int]]
"""(Sample, dimension) -> the judge's usable ratings."""


def plan(samples: Sequence[Sample], chosen: Chosen) -> Plan:
    """Ask for a description of every image, then have each graded in three dimensions."""
    if chosen.judged and not any(sample.reference for sample in samples):
        raise UserError(
            f"none of the {len(samples):,} samples has a golden description, which a judge grades against; put it into "
            "the field reference, or leave --judge out"
        )
    responses = yield from asking.ask_each(
        samples, lambda _, pictures: Prompt("text", (*pictures, prompts.DESCRIBE), max_tokens=_LONGEST)
    )
    written = list(zip(samples, responses, strict=True))
    texts = {sample.id: response.text for sample, response in written if response.text}
    protocol = {"prompt": prompts.DESCRIBE, "graded_by": "nobody"}
    if not chosen.judged:
        absent = dict.fromkeys((*DIMENSIONS, "sum"), UNGRADED)
        return Outcome(absent=absent, protocol=protocol)
    gradings = {
        (sample.id, dimension): (sample.id, prompt)
        for sample in samples
        if sample.id in texts
        for dimension, prompt in _gradings(texts[sample.id], sample.reference)
    }
    ratings = yield from asking.ask_grades(gradings, RATINGS)
    scores = {name: [_mean(*described, name, ratings) for described in written] for name in DIMENSIONS}
    protocol["graded_by"] = f"judge, mean of {prompts.JUDGE_ROUNDS} draws"
    return Outcome(scores=scores, variants=_shares(samples, ratings), protocol=protocol)


def _gradings(text: str, golden: str | None) -> list[tuple[str, Prompt]]:
    """The question about each dimension that can be judged."""
    questions = {"relevance": prompts.grade_relevance(text)}
    if golden is not None:
        questions["completeness"] = prompts.grade_completeness(text, golden)
        questions["precision"] = prompts.grade_precision(text, golden)
    system, most = prompts.JUDGE_A2_SYSTEM, prompts.JUDGE_TOKENS
    return [
        (dimension, Prompt("text", (question,), system=system, max_tokens=most))
        for dimension, question in questions.items()
    ]


def _mean(sample: Sample, response: Response, dimension: str, ratings: Ratings) -> Score:
    given = ratings.get((sample.id, dimension), ())
    if given:
        return Score(sample.id, sum(given) / len(given), cluster=sample.images[0])
    reason = "the judge gave no usable grade"
    if response.failure is not None:
        reason = f"failed: {response.failure}"
    elif not response.text:
        reason = "empty"
    elif sample.reference is None and dimension != "relevance":
        reason = "no golden description"
    return Score(sample.id, None, reason=reason, cluster=sample.images[0])


def _shares(samples: Sequence[Sample], ratings: Ratings) -> dict[str, dict[str, Sequence[Score]]]:
    """P0, P1 and P2: the share of a sample's ratings that gave each."""
    return {
        dimension: {
            f"P{rating}": [
                Score(sample.id, list(given).count(rating) / len(given), cluster=sample.images[0])
                for sample in samples
                if (given := ratings.get((sample.id, dimension), ()))
            ]
            for rating in RATINGS
        }
        for dimension in DIMENSIONS
        if any(rated == dimension for (_, rated), given in ratings.items() if given)
    }


TASK = Task(
    name=NAME,
    title="Description of a photo (A2)",
    sentence="A2: free descriptions, graded by a judge model (Q-Bench)",
    modes=MODES,
    check=need("an image", lambda sample: bool(sample.images)),
    options=frozenset({"judge"}),
    plan=plan,
    result="descriptions",
    metric="sum",
)
