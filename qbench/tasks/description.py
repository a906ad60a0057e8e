"""A2, description: how an image looks, in the model's own words, graded against a golden description.

Q-Bench, Sec. 2.3 and A.2.2, https://arxiv.org/abs/2309.14181. A judge rates completeness, precision and relevance 0, 1
or 2, five times each; a dimension's score is the mean rating, which is P1 + 2 P2. Without a judge the descriptions are
kept and the scores are absent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from qbench import prompts
from qbench.errors import UserError
from qbench.images import open_picture
from qbench.lexicon import judge_by_lexicon
from qbench.parsing import parse_judge_score
from qbench.records import Prompt, Response, Sample, Score, Want
from qbench.tasks import Ask, Outcome, Plan

DIMENSIONS = ("completeness", "precision", "relevance")
RATINGS = (0, 1, 2)


@dataclass(frozen=True)
class Description:
    """Who grades: a judge model, the word lists of `lexicon`, or nobody."""

    judge: bool = False
    lexicon: bool = False


def plan(samples: Sequence[Sample], wants: frozenset[Want], options: Description) -> Plan:
    """Ask for a description of every image, then have each graded in three dimensions."""
    if "text" not in wants:
        raise UserError(f"description asks a model to write, and this one offers only {', '.join(sorted(wants))}")
    responses = yield [
        Ask(sample.id, Prompt("text", (open_picture(Path(sample.images[0])), prompts.DESCRIBE), max_tokens=512))
        for sample in samples
    ]
    written = list(zip(samples, responses, strict=True))
    texts = {sample.id: response.text for sample, response in written if response.text}
    scores: dict[str, Sequence[Score]] = {}
    protocol = {"prompt": prompts.DESCRIBE, "graded_by": "nobody"}
    if options.lexicon:
        scores |= _by_lexicon(written)
        protocol["graded_by"] = "lexicon"
    if not options.judge:
        absent = dict.fromkeys((*DIMENSIONS, "sum"), "no judge model graded the descriptions; name one with --judge")
        return Outcome(scores=scores, texts=texts, absent=absent, protocol=protocol)
    asks = [ask for sample, response in written for ask in _gradings(sample, response)]
    ratings: dict[tuple[str, str], list[int]] = {}
    for ask, vote in zip(asks, (yield asks), strict=True):
        parsed = parse_judge_score(vote.text or "", RATINGS)
        if parsed.value is not None:
            ratings.setdefault((ask.sample, ask.dimension), []).append(parsed.value)
    scores |= {name: [_mean(sample, ratings.get((sample.id, name), [])) for sample in samples] for name in DIMENSIONS}
    protocol["graded_by"] = f"judge, mean of {prompts.JUDGE_ROUNDS}"
    return Outcome(scores=scores, variants=_shares(samples, ratings), texts=texts, protocol=protocol)


@dataclass(frozen=True)
class Grading(Ask):
    """A judge's question about one dimension of one description."""

    dimension: str = ""


def _gradings(sample: Sample, response: Response) -> list[Grading]:
    if not response.text:
        return []
    questions = {"relevance": prompts.grade_relevance(response.text)}
    if sample.reference is not None:
        questions["completeness"] = prompts.grade_completeness(response.text, sample.reference)
        questions["precision"] = prompts.grade_precision(response.text, sample.reference)
    return [
        Grading(
            sample.id,
            Prompt("text", (text,), system=prompts.JUDGE_A2_SYSTEM, repeat=turn),
            "judge",
            dimension=dimension,
        )
        for dimension, text in questions.items()
        for turn in range(prompts.JUDGE_ROUNDS)
    ]


def _mean(sample: Sample, ratings: Sequence[int]) -> Score:
    if not ratings:
        reason = "no golden description" if sample.reference is None else "the judge gave no usable grade"
        return Score(sample.id, None, reason=reason, cluster=sample.images[0])
    return Score(sample.id, sum(ratings) / len(ratings), cluster=sample.images[0])


def _shares(
    samples: Sequence[Sample], ratings: Mapping[tuple[str, str], Sequence[int]]
) -> dict[str, dict[str, Sequence[Score]]]:
    """P0, P1 and P2: the share of a sample's ratings that gave each."""
    return {
        dimension: {
            f"P{rating}": [
                Score(sample.id, given.count(rating) / len(given), cluster=sample.images[0])
                for sample in samples
                if (given := list(ratings.get((sample.id, dimension), [])))
            ]
            for rating in RATINGS
        }
        for dimension in DIMENSIONS
        if any(rated == dimension for _, rated in ratings)
    }


def _by_lexicon(written: Sequence[tuple[Sample, Response]]) -> dict[str, list[Score]]:
    """Scores under names of their own, so that they can never stand beside a judge model's."""
    out: dict[str, list[Score]] = {f"lexicon_{name}": [] for name in DIMENSIONS}
    for sample, response in written:
        found = judge_by_lexicon(response.text or "", sample.reference)
        for name in DIMENSIONS:
            value = found.get(name)
            reason = None if value is not None else "nothing the word lists know"
            out[f"lexicon_{name}"].append(Score(sample.id, value, reason=reason, cluster=sample.images[0]))
    return out
