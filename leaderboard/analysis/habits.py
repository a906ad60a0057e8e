"""Answers that a model prefers whatever it is shown: Yes, a position, a good word.

Yes: accuracy on questions whose answer is Yes and on those whose answer is No (Q-Bench, arXiv 2309.14181, Table 8); d'
and criterion as in `qbench.stats.bias`, from the accuracies and the numbers of questions that the records state.

A position: the same two images asked in both orders, and what correlation a coin flip would reach (2AFC prompting,
arXiv 2402.01162, Tables II to IV and Sec. III-B). The papers print how often a model kept its answer, not how often it
named the first image; records that hold those shares are shown as they come in.

A good word: how often a model finds the positive score word likelier than the negative one (Q-Bench, Sec. 2.4.1);
shares by model and dataset are ours, from the logits that paper released.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from leaderboard.boards.comparing import FINE_RULES
from leaderboard.boards.questions import QUESTION_ACCURACY
from leaderboard.boards.scoring import ASSESSMENT_DATASETS
from leaderboard.snapshot import Snapshot
from leaderboard.store import Recorded
from leaderboard.tables.cells import Cell, Row, cell_of
from leaderboard.tables.columns import Address, Board, Column, Metric
from leaderboard.tables.models import FindModel, group_by_model, known_model
from leaderboard.tables.table import Table, build_table, is_reference
from leaderboard.tables.terms import TERMS
from leaderboard.tables.words import dataset_title
from qbench.models.catalogue import ModelFacts
from qbench.pairing import ROUNDS
from qbench.records import Estimate, Result, Source
from qbench.stats.bias import yes_no_bias
from qbench.stats.intervals import wilson

COIN_FLIP = 0.5
"""Who does not look is right on half of the questions of each kind, keeps half of the answers, prefers no word."""
DPRIME = Metric("dprime", "d′", TERMS["d′"], decimals=2)
CRITERION = Metric(
    "criterion",
    "Criterion",
    "The habit: below zero the model leans to Yes, above zero to No.",
    decimals=2,
    direction="neither",
)


@dataclass(frozen=True)
class QuestionSet:
    """Yes/no questions that models were asked."""

    dataset: str
    split: str
    label: str
    overall: tuple[str | None, str | None]
    """Group that holds the accuracy on all of them."""


QUESTION_SETS = (
    QuestionSet("llvisionqa", "dev+test", "Q-Bench Table 8 (both halves)", (None, None)),
    QuestionSet("llvisionqa-dev", "dev", "LLVisionQA, dev half", ("question_type", "yes-or-no")),
    QuestionSet("llvisionqa-test", "test", "LLVisionQA, test half", ("question_type", "yes-or-no")),
)


@dataclass(frozen=True)
class YesNoHabit:
    """One model's answers to the two kinds of question."""

    model: ModelFacts
    yes_accuracy: Cell
    no_accuracy: Cell
    debiased_accuracy: Cell
    """The mean of both."""
    accuracy: Cell | None
    """On all the questions."""
    dprime: Cell | None
    criterion: Cell | None
    rank: int | None
    """By accuracy on all the questions."""
    rank_debiased: int


@dataclass(frozen=True)
class YesNoFinding:
    """All models on one set of questions, best mean first."""

    questions: QuestionSet
    habits: tuple[YesNoHabit, ...]
    table: Table


def find_yes_no(records: Iterable[Recorded], find_model: FindModel) -> list[YesNoFinding]:
    """One finding for each set of questions that anybody has results on."""
    with_both = [record for record in records if {"yes_accuracy", "no_accuracy"} <= record.result.metrics.keys()]
    asked = {(record.result.dataset, record.result.split) for record in with_both}
    models = group_by_model(with_both, find_model)
    found = []
    for questions in QUESTION_SETS:
        if (questions.dataset, questions.split) in asked:
            board = _board(questions)
            table = build_table(models, board, board.columns)
            habits = tuple(_habit(table, row) for name, row in table.ranked.items() if name in table.ranks["mean"])
            found += [YesNoFinding(questions, habits, table)] if habits else []
    return found


def _board(questions: QuestionSet) -> Board:
    place = ("perception", questions.dataset, questions.split)

    def column(key: str, label: str, address: Address, mean_of: tuple[str, ...] = ()) -> Column:
        return Column(key, label, (key,), QUESTION_ACCURACY, address, mean_of)

    columns = (
        column("mean", "Mean of both", Address(*place, "debiased_accuracy"), ("yes", "no")),
        column("overall", "All questions", Address(*place, "accuracy", *questions.overall)),
        column("yes", "Answer Yes", Address(*place, "yes_accuracy")),
        column("no", "Answer No", Address(*place, "no_accuracy")),
    )
    return Board(
        key="yes-no",
        title="Yes and No",
        sentence=questions.label,
        columns=columns,
        method="Yes and No",
        primary="mean",
    )


def _habit(table: Table, row: Row) -> YesNoHabit:
    yes, no, mean = (row.cells[key] for key in ("yes", "no", "mean"))  # no mean without both
    rank = table.ranks["overall"].get(row.model.id)
    detected = _detect(yes, no)
    return YesNoHabit(
        model=row.model,
        yes_accuracy=yes,
        no_accuracy=no,
        debiased_accuracy=detected["debiased_accuracy"]._replace(value=mean.value, n=None) if detected else mean,
        accuracy=row.cells.get("overall"),
        dprime=detected.get("dprime"),
        criterion=detected.get("criterion"),
        rank=rank and rank.rank,
        rank_debiased=table.ranks["mean"][row.model.id].rank,
    )


def _detect(yes: Cell, no: Cell) -> dict[str, Cell]:
    """d' and criterion from two accuracies and the number of questions behind each; empty where those are unknown."""
    if not yes.n or not no.n or not 0 <= min(yes.value, no.value) <= max(yes.value, no.value) <= 1:
        return {}
    estimates = yes_no_bias(round(yes.value * yes.n), yes.n, no.n - round(no.value * no.n), no.n)
    return {name: cell for name, estimate in estimates.items() if (cell := cell_of(estimate))}


@dataclass(frozen=True)
class ModelOnPairs:
    """One model on one set of pairs, each asked in both orders."""

    model: ModelFacts
    key: str
    """Dataset or group of pairs."""
    label: str
    images: int
    consistency: Cell
    """Share of pairs with the same answer in both orders."""
    right_of_consistent: Cell | None
    """Of those, the share that agrees with people; its interval takes the pairs as independent."""
    correlation: Cell | None
    chance: Estimate
    """What coin-flip judges reach in its place."""

    @property
    def above_chance(self) -> float | None:
        """The correlation less the upper end of the range of coin flips."""
        if self.correlation is None or self.chance.high is None:
            return None
        return self.correlation.value - self.chance.high

    @property
    def verdict(self) -> Literal["above", "within", "below"] | None:
        """Where the correlation lies against the range of coin flips."""
        low, high = self.chance.low, self.chance.high
        if self.correlation is None or low is None or high is None:
            return None
        return "above" if self.correlation.value > high else "below" if self.correlation.value < low else "within"

    @property
    def may_be_guessed(self) -> bool:
        """Whether a correlation above chance rests on answers that may be right no more often than a coin flip."""
        right = self.right_of_consistent
        return self.verdict == "above" and right is not None and (right.low or 0.0) <= COIN_FLIP

    @property
    def runs_backwards(self) -> bool:
        """Whether a correlation above chance rests on answers mostly wrong: the fitted curve hides its sign."""
        right = self.right_of_consistent
        return self.verdict == "above" and right is not None and right.high is not None and right.high < COIN_FLIP


@dataclass(frozen=True)
class PositionFinding:
    """All models on the pairs of one board."""

    board: Board
    cells: tuple[ModelOnPairs, ...]
    flags: Mapping[str, list[str]]
    """What is known to be wrong with the correlations -> the models that it is about."""
    sources: tuple[Source, ...]


@dataclass(frozen=True)
class PositionShares:
    """How often one model named the first image, the second, and neither."""

    model: ModelFacts
    dataset: str
    first: Estimate
    second: Estimate
    tie: Estimate

    @property
    def pairs(self) -> str:
        """What people call the pairs: a dataset, and what part of it."""
        return dataset_title(self.dataset)


def find_position(snapshot: Snapshot, board: str) -> PositionFinding:
    """What the pairs of one 2AFC board show."""
    table, simulated = snapshot.table(board), snapshot.simulated
    columns = {column.key: column for column in table.columns}
    rows = {**table.ranked, **table.references}
    sets = [key.rpartition("/")[0] for key in columns if key.endswith("/correlation") and key in simulated]
    cells = tuple(
        _cell(row.model, key, columns[f"{key}/consistency"], row.cells, simulated[f"{key}/correlation"])
        for row in rows.values()
        for key in sets
        if f"{key}/consistency" in row.cells
    )
    flags: dict[str, list[str]] = {}
    for row in rows.values():
        notes = (cell.note for key in sets if (cell := row.cells.get(f"{key}/correlation")) and cell.note)
        for text in dict.fromkeys(note.text for note in notes if note.kind == "flag"):
            flags.setdefault(text, []).append(row.model.name)
    return PositionFinding(table.board, cells, flags, table.sources(rows))


def _cell(model: ModelFacts, key: str, column: Column, row: Mapping[str, Cell], chance: Estimate) -> ModelOnPairs:
    consistency, joint, correlation = (
        row.get(f"{key}/{name}") for name in ("consistency", "accuracy_joint", "correlation")
    )
    assert consistency is not None
    images = chance.n or 0
    rankings = next((rule.sizes[1] for rule in FINE_RULES if key.startswith(f"{rule.split}/")), 1)
    consistent = round(consistency.value * ROUNDS * (images // 2) * rankings)
    right = None
    if joint is not None and consistent:
        share = joint.value / consistency.value
        estimate = wilson(min(consistent, share * consistent), consistent)
        right = Cell(share, estimate.low, estimate.high, consistent)
    return ModelOnPairs(model, key, column.label, images, consistency, right, correlation, chance)


def kept_shares(finding: PositionFinding) -> dict[str, list[float]]:
    """Name of each model -> the share of answers that it keeps, by set."""
    shares_of: dict[str, list[float]] = {}
    for cell in finding.cells:
        if not is_reference(cell.model):
            shares_of.setdefault(cell.model.name, []).append(cell.consistency.value)
    return shares_of


def find_shares(results: Iterable[Result], find_model: FindModel) -> list[PositionShares]:
    """Every record that says how often each position was named, of models that see both pictures at once."""
    found = []
    for result in results:
        metrics = result.metrics
        model = known_model(result.model, find_model)
        stated = {"first_rate", "second_rate"} <= metrics.keys() and metrics["first_rate"].value is not None
        if stated and model.kind == "model":
            tie = metrics.get("tie_rate") or Estimate(0.0)
            found.append(PositionShares(model, result.dataset, metrics["first_rate"], metrics["second_rate"], tie))
    return found


@dataclass(frozen=True)
class WordHabit:
    """One model's choice of words."""

    model: ModelFacts
    words: str
    """The pair compared, e.g. good/poor."""
    shares: dict[str, Cell]
    """Dataset -> share of images where the positive word is the likelier one."""

    @property
    def mean(self) -> float:
        """Plain mean over the datasets there are."""
        return sum(share.value for share in self.shares.values()) / len(self.shares)


def find_score_words(records: Iterable[Recorded], find_model: FindModel) -> list[WordHabit]:
    """What records with a share of positive words show, the most positive first; of several for one model and dataset
    the first counts."""
    habits: dict[str, WordHabit] = {}
    for record in records:
        result = record.result
        if share := cell_of(result.metrics.get("positive_rate"), record):
            if result.model not in habits:
                habits[result.model] = WordHabit(known_model(result.model, find_model), _pair(result), {})
            habits[result.model].shares.setdefault(result.dataset, share)
    return sorted(habits.values(), key=lambda habit: -habit.mean)


def datasets_of(habits: Iterable[WordHabit]) -> dict[str, str]:
    """Dataset -> label, those with figures only."""
    known = {dataset: label for dataset, (label, _) in ASSESSMENT_DATASETS.items()}
    present = dict.fromkeys(dataset for habit in habits for dataset in habit.shares)
    return {dataset: known.get(dataset, dataset) for dataset in sorted(present, key=[*known, *present].index)}


def _pair(result: Result) -> str:
    """The words, where the record states them as this tool does: records come from anybody."""
    words = result.protocol.get("words")
    sides = [words.get(sign) for sign in ("positive", "negative")] if isinstance(words, dict) else [None]
    told = all(isinstance(side, list) and all(isinstance(word, str) for word in side) for side in sides)
    return "/".join("+".join(side) for side in sides if side) if told else ""
