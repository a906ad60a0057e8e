"""How often the intervals that pages show hold what they are about: one table, by simulation.

Run from the repository root: `python -m bench.coverage [--repeats 400] [--only WORD]`. Each row draws data whose
true figure is known, makes the interval as a record does, and counts how often it holds the truth; 95 % is what it says
it does. The truth of a correlation or a share is that of new items; where it has no closed form it is that of a very
large draw. The last rows are judges who know nothing: how often their interval leaves out 0.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from scipy.special import expit, ndtr

from qbench.pairing import coarse_rounds
from qbench.records import Estimate, Items, Score
from qbench.results.accuracy import summarise_yes_no
from qbench.results.items import compare_items
from qbench.results.means import share, summarise_accuracy, summarise_mean
from qbench.results.pair_figures import summarise
from qbench.results.quality import summarise_assessment
from qbench.stats.pairwise import Comparisons
from qbench.stats.ranking import map_scores

SIZES = (30, 50, 100, 300)
Rng = np.random.Generator
Draw = Callable[[Rng, int], Estimate]


@dataclass(frozen=True)
class Case:
    """One kind of interval on data of one kind."""

    draw: Draw
    truth: float | Callable[[int], float]
    most: int = 300
    """Largest number of items; of comparisons, images."""
    of_all: bool = False
    """Whether draws without an interval count as holding the truth."""

    def true_value(self, n: int) -> float:
        """What the interval should hold."""
        return self.truth(n) if callable(self.truth) else self.truth


def normal(rng: Rng, n: int, r: float) -> tuple[np.ndarray, np.ndarray]:
    """Model and human scores that are normal, correlated by r."""
    x = rng.normal(size=n)
    return x, r * x + np.sqrt(1 - r * r) * rng.normal(size=n)


def bent(rng: Rng, n: int, r: float) -> tuple[np.ndarray, np.ndarray]:
    """Normal errors about a logistic curve, whose own spread is r of all."""
    x = rng.normal(size=n)
    return x, r * 2.4 * (2 * expit(2 * x) - 1) / 1.49 + np.sqrt(1 - r * r) * rng.normal(size=n)


def heavy(rng: Rng, n: int, r: float) -> tuple[np.ndarray, np.ndarray]:
    """The same correlation with errors of Student's t of 3 degrees of freedom."""
    x = rng.normal(size=n)
    return x, r * x + np.sqrt(1 - r * r) * rng.standard_t(3, size=n) / np.sqrt(3)


Pairs = Callable[[Rng, int, float], tuple[np.ndarray, np.ndarray]]


def rated(pairs: Pairs, r: float, metric: str) -> Draw:
    """The interval of a correlation of scores, or of RMSE."""

    def draw(rng: Rng, n: int) -> Estimate:
        x, y = pairs(rng, n, r)
        scores = [Score(str(i), float(x[i]), truth=float(y[i])) for i in range(n)]
        return summarise_assessment(scores, metrics=(metric,))[metric]

    return draw


@cache
def of_many(pairs: Pairs, r: float, metric: str, n: int = 20_000) -> float:
    """The figure of very many items, the mean of several draws."""
    values = []
    for seed in range(8):
        x, y = pairs(np.random.default_rng(seed), n, r)
        scores = [Score(str(i), float(x[i]), truth=float(y[i])) for i in range(n)]
        values.append(_point(scores, metric))
    return float(np.mean(values))


def _point(scores: list[Score], metric: str) -> float:
    from qbench.results.quality import _rated

    return _rated(scores).point(metric)


def right(rng: Rng, n: int, p: float) -> Estimate:
    """Independent questions."""
    return share((rng.random(n) < p).astype(float), list(range(n)))


def of_photos(rng: Rng, n: int) -> Estimate:
    """Two questions about each of n photos, some of which are hard: 0.6 of all right."""
    easy = rng.beta(3, 2, size=n)
    scores = [
        Score(f"{i}-{k}", float(rng.random() < easy[i]), right=1, cluster=str(i)) for i in range(n) for k in (0, 1)
    ]
    return summarise_accuracy(scores)


def ratings(rng: Rng, n: int) -> Estimate:
    """Ratings 0, 1 or 2 of n descriptions, as a judge gives them."""
    return summarise_mean([Score(str(i), float(rng.choice(3, p=(0.2, 0.5, 0.3)))) for i in range(n)])


def yes_no(rng: Rng, n: int, metric: str) -> Estimate:
    """Half of n questions are right with Yes, of which 0.8 are answered right; of the others 0.6."""
    says = [rng.random() < (0.8 if i % 2 else 0.4) for i in range(n)]
    scores = [Score(str(i), 1.0, right=1 - i % 2, chosen=1 - says[i]) for i in range(n)]
    return summarise_yes_no(scores, {str(i): ("Yes", "No") for i in range(n)})[0][metric]


def judged(rng: Rng, n: int, skill: float) -> tuple[Comparisons, dict[str, float]]:
    """Twelve rounds in both orders by a judge who errs by image and by answer, and prefers the first place a little."""
    quality, habit = rng.normal(size=n), rng.normal(scale=0.7, size=n)
    seen = skill * quality + rng.normal(scale=0.7, size=n) * (skill > 0)
    rows = []
    for first, second in coarse_rounds(n).reshape(-1, 2):
        for one, other in ((first, second), (second, first)):
            lean = seen[one] - seen[other] + (0.3 + habit[one] + habit[other] if skill else 0.0)
            rows.append((str(one), str(other), "first" if rng.random() < ndtr(lean) else "second"))
    return Comparisons.of(rows, items=[str(i) for i in range(n)]), {str(i): float(quality[i]) for i in range(n)}


def compared(metric: str, skill: float = 1.0) -> Draw:
    """An interval of comparisons."""

    def draw(rng: Rng, n: int) -> Estimate:
        comparisons, human = judged(rng, n, skill)
        ranked = metric in ("srcc", "plcc", "correlation")
        return summarise(comparisons, human, ranked=ranked).metrics[metric]

    return draw


@cache
def of_studies(metric: str, n: int, studies: int = 300) -> float:
    """The mean figure of many studies of this size, for what depends on it as rankings do; of shares, of large ones."""
    from qbench.results.pair_figures import _ranked_scores, agreement

    rng = np.random.default_rng(5)
    values = []
    for _ in range(studies):
        comparisons, human = judged(rng, n, 1.0)
        if metric in ("srcc", "plcc", "correlation"):
            truth = np.array(list(human.values()))
            values.append(agreement(metric, _ranked_scores(comparisons), truth))
        else:
            values.append(summarise(comparisons, human, ranked=False).metrics[metric].value or 0.0)
    return float(np.mean(values))


def ranking_scores(rng: Rng, n: int) -> Estimate:
    """One image's score in a ranking by MAP, whose model holds; its truth is taken off, so that it is 0."""
    quality = rng.normal(size=n)
    rows = [
        (str(one), str(other), "first" if rng.random() < ndtr(quality[one] - quality[other]) else "second")
        for one, other in coarse_rounds(n).reshape(-1, 2)
    ]
    ranking = map_scores(Comparisons.of(rows, items=[str(i) for i in range(n)]))
    assert ranking.low is not None
    assert ranking.high is not None
    return Estimate(0.0, float(ranking.low[0] - quality[0]), float(ranking.high[0] - quality[0]))


def paired(statistic: str) -> Draw:
    """The difference of two models of the same skill, who find the same items hard."""

    def draw(rng: Rng, n: int) -> Estimate:
        names, truth = tuple(map(str, range(n))), rng.normal(size=n)
        common = truth + 0.6 * rng.normal(size=n)
        one, other = (common + 0.6 * rng.normal(size=n) for _ in range(2))
        if statistic == "mean":
            first, second = (Items("mean", names, tuple((x > -0.5).astype(float))) for x in (one, other))
        else:
            first, second = (Items(statistic, names, tuple(x), tuple(truth)) for x in (one, other))  # type: ignore[arg-type]
        return compare_items(first, second).estimate

    return draw


def of_any_size(truth: Callable[..., float], about: tuple[object, ...], _n: int) -> float:
    """A truth that does not depend on the number of items."""
    return truth(*about)


def cases() -> Mapping[str, Case]:
    """Every kind of interval on a page."""
    found = {
        f"share of independent items, {p:.0%}": Case(lambda rng, n, p=p: right(rng, n, p), p) for p in (0.5, 0.8, 0.95)
    }
    found["share, two questions a photo"] = Case(of_photos, 0.6)
    found["mean rating of descriptions"] = Case(ratings, 1.1)
    for metric, value in (("yes_accuracy", 0.8), ("debiased_accuracy", 0.7)):
        found[metric] = Case(lambda rng, n, metric=metric: yes_no(rng, n, metric), value)
    found["dprime"] = Case(lambda rng, n: yes_no(rng, n, "dprime"), 0.841621 + 0.253347)
    found["criterion"] = Case(lambda rng, n: yes_no(rng, n, "criterion"), -(0.841621 - 0.253347) / 2)
    for metric in ("srcc", "plcc", "krcc", "plcc_fitted", "rmse"):
        for name, pairs in (("normal", normal), ("bent", bent), ("heavy tails", heavy)):
            for r in (0.3, 0.7, 0.9) if name == "normal" else (0.7,):
                truth = partial(of_any_size, of_many, (pairs, r, metric))
                found[f"{metric}, {name}, r {r}"] = Case(rated(pairs, r, metric), truth)
    for metric in ("consistency", "accuracy_joint", "accuracy", "first_rate", "position_bias"):
        truth = partial(of_any_size, of_studies, (metric, 300, 40))
        found[f"comparisons: {metric}"] = Case(compared(metric), truth)
    for metric in ("srcc", "plcc", "correlation"):
        truth = partial(of_studies, metric)
        found[f"comparisons: {metric}"] = Case(compared(metric), truth, most=100)
    found["score of an image in a ranking (MAP)"] = Case(ranking_scores, 0.0)
    for statistic in ("mean", "srcc", "plcc"):
        found[f"paired difference: {statistic}"] = Case(paired(statistic), 0.0)
    for metric in ("srcc", "correlation"):
        found[f"coin flips hold 0: {metric}"] = Case(compared(metric, skill=0.0), 0.0, most=100, of_all=True)
    return found


def covered(name: str, case: Case, n: int, repeats: int) -> tuple[float, float]:
    """Share of intervals that hold the truth, and of draws without one; each row and size has draws of its own."""
    rng = np.random.default_rng([n, *name.encode()])
    truth = case.true_value(n)
    made = [case.draw(rng, n) for _ in range(repeats)]
    ends = [(each.low, each.high) for each in made if each.low is not None and each.high is not None]
    if case.of_all:
        ends += [(0.0, 0.0)] * (repeats - len(ends))  # without an interval nothing is claimed
    hit = [low - 1e-9 <= truth <= high + 1e-9 for low, high in ends]
    return (float(np.mean(hit)) if hit else float("nan")), 1 - len(ends) / repeats


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=400)
    parser.add_argument("--only", default="", help="rows whose names hold this")
    options = parser.parse_args()
    error = np.sqrt(0.95 * 0.05 / options.repeats)
    print(f"coverage in %, {options.repeats} draws a cell (standard error {100 * error:.1f}); – is not measured")
    print(f"{'interval':<44}" + "".join(f"{f'n = {n}':>10}" for n in SIZES))
    for name, case in cases().items():
        if options.only not in name:
            continue
        cells = []
        for n in SIZES:
            if n > case.most:
                cells.append(f"{'–':>10}")
                continue
            share_held, without = covered(name, case, n, options.repeats)
            cells.append(f"{100 * share_held:.1f}{'*' if without > 0.02 else ''}".rjust(10))
        print(f"{name:<44}{''.join(cells)}", flush=True)
    print("* more than 2 % of the draws have no interval, and say why")


if __name__ == "__main__":
    main()
