"""The metric beside the progress bar: what the answers so far come to, with its interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from qbench.errors import UndefinedError
from qbench.records import Estimate, Response, Sample
from qbench.stats.correlation import srcc
from qbench.stats.intervals import srcc_interval, wilson
from qbench.summary import mean_of_parts
from qbench.tasks import Ask, assessment, comparison, perception

Preview = Callable[[Sequence[tuple[Ask, Response]]], "Estimate | None"]
_ENOUGH = 10
"""Scored images before a running correlation is worth showing."""
_ENOUGH_OF_A_PART = 4
"""With fewer, a part of a dataset has no interval."""


def previews(task: str, samples: Sequence[Sample], seed: int) -> Preview:
    """A function that takes in new answers and returns the metric so far, or None while there is none."""
    by_id = {sample.id: sample for sample in samples}
    if task == "perception":
        return _accuracy({name: perception.shuffle_options(one, seed) for name, one in by_id.items()})
    if task == "assessment":
        return _correlation(by_id)
    if task == "comparison":
        return _consistency()
    return lambda _answers: None


def _accuracy(samples: dict[str, Sample]) -> Preview:
    scores = []

    def preview(answers: Sequence[tuple[Ask, Response]]) -> Estimate | None:
        for ask, response in answers:
            if ask.of == "model" and ask.prompt.want == "text" and samples[ask.sample].answer is not None:
                scores.append(perception.score_reply(samples[ask.sample], response))
        return wilson(sum(score.value or 0.0 for score in scores), len(scores)) if scores else None

    return preview


def _correlation(samples: dict[str, Sample]) -> Preview:
    """As the result will have it: within each part and averaged, where the dataset has parts."""
    apart = all("part" in one.groups for one in samples.values())
    parts: dict[str, tuple[list[float], list[float]]] = {}

    def preview(answers: Sequence[tuple[Ask, Response]]) -> Estimate | None:
        for ask, response in answers:
            sample = samples[ask.sample]
            truth = assessment.human_score(sample)
            if response.score is not None:
                value: float | None = response.score
            else:
                value = assessment.score_logits(sample, response).order if response.logits else None
            if value is not None and truth is not None:
                model, human = parts.setdefault(sample.groups["part"] if apart else "", ([], []))
                model.append(value)
                human.append(truth)
        begun = [part for part in parts.values() if len(part[0]) >= _ENOUGH_OF_A_PART]
        if not begun or sum(len(model) for model, _ in parts.values()) < _ENOUGH:
            return None
        try:
            return mean_of_parts([srcc_interval(srcc(model, human), len(model)) for model, human in begun])
        except UndefinedError:
            return None

    return preview


def _consistency() -> Preview:
    """Share of pairs whose two orders favour the same image (2AFC paper, Eq. 3); two ties favour none."""
    winners: dict[tuple[str, ...], list[str | None]] = {}

    def preview(answers: Sequence[tuple[Ask, Response]]) -> Estimate | None:
        for ask, response in answers:
            pair = ask.sample.split("\n")
            if len(pair) == 2:
                choice, _ = comparison.read_choice(ask.prompt.want, response)
                if choice is not None:
                    winner = {"first": pair[0], "second": pair[1]}.get(choice)
                    winners.setdefault(tuple(sorted(pair)), []).append(winner)
        both = [won for won in winners.values() if len(won) > 1]
        return wilson(sum(won[0] is not None and len(set(won)) == 1 for won in both), len(both)) if both else None

    return preview


METRIC_NAMES = {"perception": "accuracy", "assessment": "SRCC", "comparison": "consistency"}
