"""Records of comparisons, of a run or of a file: one for each set of images; of a fine-grained rule's sets one for all.

2AFC prompting, https://arxiv.org/abs/2402.01162: Table II has a row for each sampled dataset; Tables III and IV pool
the pairs of a rule's sets by what these have in common, and average the correlations of their rankings. A file does
not say by which rule its pairs were drawn, nor in how many rounds; both follow from the published list that its images
are from, and from how many comparisons there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from qbench import pairing
from qbench.datasets.known import DatasetFacts, find_dataset
from qbench.errors import UserError
from qbench.formats.reading import Reading
from qbench.records import Metrics, Presented, Result, Sample
from qbench.results.items import join_parts
from qbench.results.means import mean_of_all, told_apart
from qbench.results.pair_figures import (
    RANKING_AGREEMENT,
    ComparisonSummary,
    chance_agreement,
    ranking_agreement,
    summarise,
)
from qbench.rows import Complaints, shorten
from qbench.stats.chance import levels
from qbench.stats.pairwise import USUAL_RULE, Comparisons, count_votes, paired_orders
from qbench.tasks import Outcome
from qbench.tasks.assessment import human_score
from qbench.tasks.comparison import find_sets

COIN_FLIP_JUDGE = "coin-flip judge"
UNNAMED = "unnamed"
"""Stands for a dataset or a model that nobody named."""
TABLES: Mapping[str, tuple[str, str | None]] = {
    "levels": ("distortion", "type"),
    "types": ("level", "level"),
    "intervals": ("mos", None),
}
"""Fine-grained rule -> grouping of its sets, and the group of their samples that tells, or None for the set's name."""
Sets = Mapping[str, Sequence[Presented]]
"""Set of images -> the comparisons that are of it."""
Samples = Mapping[str, Sample]


def build(outcome: Outcome, base: Result, samples: Sequence[Sample]) -> list[Result]:
    """Records of an outcome. A published list paired by its own rule is named as the paper's tables name it."""
    by_id = {sample.id: sample for sample in samples}
    rule = outcome.protocol["pairing"]
    facts = find_dataset(base.dataset)
    listed = facts if facts and facts.pairing == rule else None
    base = replace(base, split=base.split if listed else None)
    sets = _by_set(outcome.presented)
    if rule in TABLES:
        base = replace(base, dataset=listed.sampled_from or base.dataset if listed else base.dataset)
        return [_record(outcome, base, sets, by_id, *TABLES[rule])]
    return [
        _record(outcome, _named(base, listed, name, len(sets), samples), {"": presented}, by_id)
        for name, presented in sets.items()
    ]


def _by_set(presented: Iterable[Presented]) -> dict[str, list[Presented]]:
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
        protocol={**rest, **({"limit": images} if images < of else {})},
    )


def _record(
    outcome: Outcome, base: Result, sets: Sets, samples: Samples, grouping: str | None = None, key: str | None = None
) -> Result:
    """The record of one set; or of a fine-grained rule's, with what they have in common as a grouping."""
    presented = [shown for each in sets.values() for shown in each]
    compared = {name: Comparisons.of_presented(each) for name, each in sets.items()}
    human = {name: _human_scores(each.items, samples) for name, each in compared.items()}
    known = {name: (compared[name], scores) for name, scores in human.items() if scores is not None}
    rated = known if len(known) == len(sets) else {}
    groups: dict[str, Mapping[str, Metrics]] = {}
    members: dict[str, dict[str, Sequence[Presented]]] = {}
    if grouping is None:
        [[name, comparisons]] = compared.items()
        found = summarise(comparisons, human[name])
    else:
        for name, each in sets.items():
            group = samples[each[0].first].groups[key] if key else name.strip("[])").replace(", ", "-")
            members.setdefault(group, {})[name] = each
        ranked = {name: ranking_agreement(*each) for name, each in rated.items()}
        found = _pooled(sets, samples, ranked)
        groups[grouping] = {group: _pooled(some, samples, ranked).metrics for group, some in members.items()}
        base = replace(base, protocol={**base.protocol, "rankings_averaged": len(sets)})
    if rated and outcome.simulate_chance:
        flips = chance_agreement(rated, outcome.keep)
        of_groups = {f"{COIN_FLIP_JUDGE}, {group}": levels(flips, some) for group, some in members.items()}
        groups["chance"] = {COIN_FLIP_JUDGE: levels(flips), **of_groups}
    by_judge, of_parser = told_apart(outcome, presented, lambda read: _pairs(read, samples).metrics)
    unscored = sum(shown.choice is None for shown in presented)
    every = Comparisons.of_presented(presented)
    if outcome.presentations is None:  # of a file
        told = {
            "read": len(every),
            "scored": len(every) - every.unscored,
            "in_one_order_only": paired_orders(every).unpaired,
        }
        rounds = _rounds(len(presented), [len(each.items) for each in compared.values()])
        base = replace(base, protocol={**base.protocol, **rounds})
    else:
        told = {**base.status, "presented": len(presented)}
    return replace(
        base,
        metrics=found.metrics,
        items=found.items,
        groups={**groups, **of_parser},
        unscored={"no usable answer": unscored} if unscored else {},
        protocol={**base.protocol, **by_judge, "ranking": "map", "pairs": USUAL_RULE},
        status={**told, "left_out_of_ranking": sum(count_votes(every).left_out.values())},
    )


def _pairs(presented: Sequence[Presented], samples: Samples) -> ComparisonSummary:
    """Shares of pairs, without a ranking."""
    comparisons = Comparisons.of_presented(presented)
    return summarise(comparisons, _human_scores(comparisons.items, samples), ranked=False)


def _pooled(sets: Sets, samples: Samples, ranked: Mapping[str, ComparisonSummary]) -> ComparisonSummary:
    """Shares of all pairs together; but each set is ranked on its own, and the agreement of rankings averaged."""
    found = _pairs([shown for each in sets.values() for shown in each], samples)
    if not ranked:
        return found
    each = {name: ranked[name] for name in sets}
    means = {
        metric: mean_of_all({name: one.metrics[metric] for name, one in each.items()}) for metric in RANKING_AGREEMENT
    }
    items = join_parts({name: one.items for name, one in each.items()})
    return ComparisonSummary({**found.metrics, **means}, {**found.items, **items})


def _human_scores(items: Sequence[str], samples: Samples) -> dict[str, float] | None:
    scores = {item: human_score(samples[item]) for item in items}
    known = {item: score for item, score in scores.items() if score is not None}
    return known if len(known) == len(scores) else None


def score_comparisons(reading: Reading, base: Result, *, chance: bool) -> list[Result]:
    """The records of comparisons that a file holds; a published list's are named as the paper's tables name them."""
    listed = find_dataset(base.dataset)
    if listed and listed.pairing in TABLES:
        return _score_fine(reading, base, listed, chance)
    sets = _by_set(reading.presented)
    return [
        result
        for name, presented in sets.items()
        for result in _score_set(reading, _named_by_file(base, name, len(sets)), name, presented, chance)
    ]


def _named_by_file(base: Result, name: str, sets: int) -> Result:
    """The record of a set that the file names, where nobody names the dataset; of a list's sets each is named later."""
    facts, listed = find_dataset(name), find_dataset(base.dataset)
    if listed and facts and facts.name in listed.sets:
        return base
    if base.dataset == UNNAMED:
        return replace(base, dataset=facts.name if facts else name or UNNAMED)
    return base if sets == 1 else replace(base, dataset=f"{base.dataset}/{name}")


def _score_set(reading: Reading, base: Result, name: str, presented: Sequence[Presented], chance: bool) -> list[Result]:
    """Of images by the names that the file gives them; without scores where no truth was given."""
    facts = find_dataset(name) if name else None
    lower = facts is not None and facts.lower_is_better
    items = dict.fromkeys(image for shown in presented for image in (shown.first, shown.second))
    samples = []
    for item in items:
        sample = reading.samples[item] if reading.samples else Sample(item, (item,))
        if reading.samples and sample.human is None:
            raise UserError(f"{reading.path.name}: {shorten(item)} has no human score in the truth")
        lower_is_better = lower or sample.lower_is_better
        samples.append(replace(sample, id=item, groups={"set": name}, lower_is_better=lower_is_better))
    return build(Outcome(presented=presented, simulate_chance=chance, protocol={"pairing": "coarse"}), base, samples)


def _score_fine(reading: Reading, base: Result, listed: DatasetFacts, chance: bool) -> list[Result]:
    """Many small sets of images that are close in quality, which their names or scores tell; each is ranked apart."""
    names = dict.fromkeys(name for shown in reading.presented for name in (shown.first, shown.second))
    if len(names) > (listed.items or len(names)):
        raise UserError(
            f"{reading.path.name} compares {len(names):,} images, and {listed.title} has {listed.items}; "
            "choose the dataset that the images are from"
        )
    samples = []
    for name in names:
        sample = reading.samples.get(name) or Sample(name, (name,))
        groups, lower = {**sample.groups, **listed.groups_of(sample.id)}, sample.lower_is_better
        samples.append(replace(sample, id=name, groups=groups, lower_is_better=lower or listed.lower_is_better))
    sets = find_sets(samples, listed.pairing)
    set_of = {image: name for name, images in sets.items() for image in images}
    complaints = Complaints(reading.path)
    for shown in reading.presented:
        if set_of.get(shown.first) is None or set_of[shown.first] != set_of.get(shown.second):
            complaints.add(f"{shorten(shown.first)} and {shorten(shown.second)} are of different sets")
    complaints.raise_if_any(f"{listed.title} compares images of one set alone")
    presented = [replace(shown, dataset=set_of[shown.first]) for shown in reading.presented]
    protocol = {"pairing": listed.pairing, **({"limit": len(names)} if len(names) < (listed.items or 0) else {})}
    base = replace(base, protocol={**base.protocol, **protocol})
    return build(Outcome(presented=presented, simulate_chance=chance, protocol=protocol), base, samples)


def _rounds(presentations: int, sizes: Sequence[int]) -> dict[str, float | str]:
    """For the record of a file: how many rounds so many presented comparisons are, of sets of these sizes.

    The released code keeps one file a pair, so one that is drawn again in the same order replaces its file. What its
    schedule leaves in that way is all of it.
    """
    left = sum(len(np.unique(pairing.coarse_rounds(size) @ [size, 1])) for size in sizes)
    if presentations == 2 * left:
        return {"rounds": pairing.ROUNDS, "repeated_pairs": "counted once"}
    return {"rounds": round(presentations / sum(size // 2 * 2 for size in sizes), 2)}
