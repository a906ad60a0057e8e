"""Records of a comparison run: one for each set of images; of a fine-grained rule's many small sets, one for them all.

2AFC prompting, https://arxiv.org/abs/2402.01162: Table II has a row for each sampled dataset; Tables III and IV pool
the pairs of a rule's sets by what these have in common, and average the correlations of their rankings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from qbench.datasets.known import DatasetFacts, find_dataset
from qbench.records import Metrics, Presented, Result, Sample
from qbench.results.read_by_judge import count_read_by_judge, group_of_parser
from qbench.stats.pairwise import Comparisons
from qbench.stats.votes import USUAL_RULE, count_votes
from qbench.summary import comparison as comparison_summary
from qbench.summary.comparison import ComparisonSummary
from qbench.tasks import Outcome
from qbench.tasks.assessment import human_score

COIN_FLIP_JUDGE = "coin-flip judge"
EVERY_ROUND = 100
"""Convergence is told round by round so far."""
TABLES: Mapping[str, tuple[str, str | None]] = {
    "levels": ("distortion", "type"),
    "types": ("level", "level"),
    "intervals": ("mos", None),
}
"""Fine-grained rule -> grouping of its sets, and the group of their samples that tells, or None for the set's name."""


def build(outcome: Outcome, base: Result, samples: Sequence[Sample]) -> list[Result]:
    """Records of an outcome. A published list paired by its own rule is named as the paper's tables name it."""
    by_id = {sample.id: sample for sample in samples}
    rule = outcome.protocol["pairing"]
    facts = find_dataset(base.dataset)
    listed = facts if facts and facts.pairing == rule else None
    base = replace(base, split=base.split if listed else None)
    sets = by_set(outcome.presented)
    if rule in TABLES:
        base = replace(base, dataset=listed.sampled_from or base.dataset if listed else base.dataset)
        return [_fine_result(outcome, base, sets, by_id, *TABLES[rule])]
    return [
        _set_result(outcome, _named(base, listed, name, len(sets), samples), presented, by_id)
        for name, presented in sets.items()
    ]


def by_set(presented: Iterable[Presented]) -> dict[str, list[Presented]]:
    """Comparisons by the set of images that they are of; empty where they do not say."""
    sets: dict[str, list[Presented]] = {}
    for shown in presented:
        sets.setdefault(shown.dataset or "", []).append(shown)
    return sets


def _named(base: Result, listed: DatasetFacts | None, name: str, sets: int, samples: Sequence[Sample]) -> Result:
    """The record of one set, which is complete where the list's other sets are not."""
    facts = find_dataset(name)
    if not (listed and facts and facts.name in listed.sets):
        return base if sets == 1 else replace(base, dataset=f"{base.dataset}/{name}")
    images = sum(sample.groups.get("set") == name for sample in samples)
    of = listed.sets[facts.name]
    rest = {field: value for field, value in base.protocol.items() if field not in ("limit", "coverage")}
    if images < of and "coverage" in base.protocol:
        rest["coverage"] = {"used": images, "of": of}
    return replace(
        base,
        dataset=facts.name,
        split=base.split if images <= of else None,  # more than the list has are not its own
        protocol={**rest, **listed.limit_for(facts.name, images)},
    )


def _set_result(
    outcome: Outcome, base: Result, presented: Sequence[Presented], samples: Mapping[str, Sample]
) -> Result:
    comparisons = Comparisons.of_presented(presented)
    human = _human_scores(comparisons.items, samples)
    groups: dict[str, dict[str, Metrics]] = {}
    if human and outcome.simulate_chance:
        flips = comparison_summary.chance_agreement({"": (comparisons, human)}, outcome.keep)
        groups["chance"] = {COIN_FLIP_JUDGE: flips.levels()}
    if human and outcome.rounds:
        groups["rounds"] = _convergence(outcome, comparisons, human)
    found = comparison_summary.summarise(comparisons, human)
    return _completed(outcome, base, presented, samples, found, groups)


def _fine_result(
    outcome: Outcome,
    base: Result,
    sets: Mapping[str, Sequence[Presented]],
    samples: Mapping[str, Sample],
    grouping: str,
    key: str | None,
) -> Result:
    members: dict[str, dict[str, Sequence[Presented]]] = {}
    for name, presented in sets.items():
        group = samples[presented[0].first].groups[key] if key else name.strip("[])").replace(", ", "-")
        members.setdefault(group, {})[name] = presented
    rated = _rated(sets, samples)
    ranked = comparison_summary.ranking_agreements(rated) if rated else {}
    groups: dict[str, Mapping[str, Metrics]] = {
        grouping: {group: _pooled(some, samples, ranked).metrics for group, some in members.items()}
    }
    if rated and outcome.simulate_chance:
        flips = comparison_summary.chance_agreement(rated, outcome.keep)
        of_groups = {f"{COIN_FLIP_JUDGE}, {group}": flips.levels(list(some)) for group, some in members.items()}
        groups["chance"] = {COIN_FLIP_JUDGE: flips.levels(), **of_groups}
    return _completed(
        outcome,
        replace(base, protocol={**base.protocol, "rankings_averaged": len(sets)}),
        [shown for presented in sets.values() for shown in presented],
        samples,
        _pooled(sets, samples, ranked),
        groups,
    )


def _pooled(
    sets: Mapping[str, Sequence[Presented]], samples: Mapping[str, Sample], ranked: Mapping[str, ComparisonSummary]
) -> ComparisonSummary:
    """Shares of all pairs together; but each set is ranked on its own, and the agreement of rankings averaged."""
    every = Comparisons.of_presented([shown for presented in sets.values() for shown in presented])
    found = comparison_summary.summarise(every, _human_scores(every.items, samples), ranked=False)
    if not ranked:
        return found
    mean = comparison_summary.mean_ranking_agreement({name: ranked[name] for name in sets})
    return ComparisonSummary({**found.metrics, **mean.metrics}, {**found.items, **mean.items})


def _rated(
    sets: Mapping[str, Sequence[Presented]], samples: Mapping[str, Sample]
) -> dict[str, tuple[Comparisons, Mapping[str, float]]] | None:
    """Each set's comparisons with the human scores of its images; None unless all are known."""
    each = {name: Comparisons.of_presented(presented) for name, presented in sets.items()}
    human = {name: _human_scores(comparisons.items, samples) for name, comparisons in each.items()}
    known: dict[str, tuple[Comparisons, Mapping[str, float]]] = {
        name: (each[name], scores) for name, scores in human.items() if scores is not None
    }
    return known if len(known) == len(sets) else None


def _completed(
    outcome: Outcome,
    base: Result,
    presented: Sequence[Presented],
    samples: Mapping[str, Sample],
    found: ComparisonSummary,
    groups: Mapping[str, Mapping[str, Metrics]],
) -> Result:
    unscored = sum(shown.choice is None for shown in presented)
    asked_here = outcome.presentations is not None

    def by_parser(read: Sequence[Presented]) -> Metrics:
        comparisons = Comparisons.of_presented(read)
        human = _human_scores(comparisons.items, samples)
        return comparison_summary.summarise(comparisons, human, ranked=False).metrics

    return replace(
        base,
        metrics=found.metrics,
        items=found.items,
        groups={**groups, **group_of_parser(outcome, presented, by_parser)},
        unscored={"no usable answer": unscored} if unscored else {},
        protocol={
            **base.protocol,
            **count_read_by_judge(outcome, presented),
            "ranking": "map",
            "pairs": USUAL_RULE,
        },
        status={
            **base.status,
            **({"presented": len(presented)} if asked_here else {}),
            "left_out_of_ranking": sum(count_votes(Comparisons.of_presented(presented)).left_out.values()),
        },
    )


def _convergence(outcome: Outcome, comparisons: Comparisons, human: Mapping[str, float]) -> dict[str, Metrics]:
    """Agreement with people after rounds, to see whether more would help.

    After each of the first 100; then after every twentieth part more, since each costs a ranking of all before it.
    """
    share = len(comparisons) / max(1, len(outcome.presented))
    points: dict[str, Metrics] = {}
    following = 1.0
    for number, end in enumerate(outcome.rounds, start=1):
        if number >= following or number == len(outcome.rounds):
            following = number * 1.05 if number >= EVERY_ROUND else number + 1
            points[str(number)] = comparison_summary.ranking_points(comparisons.until(round(end * share)), human)
    return points


def _human_scores(items: Sequence[str], samples: Mapping[str, Sample]) -> dict[str, float] | None:
    scores = {item: human_score(samples[item]) for item in items}
    known = {item: score for item, score in scores.items() if score is not None}
    return known if len(known) == len(scores) else None
