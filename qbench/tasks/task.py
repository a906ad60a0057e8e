"""What a task is, what it asks, and what it leaves behind.

A plan is a generator that yields batches of `Ask`, is sent the responses in the same order, and returns an `Outcome`.
It does not know which model answers, how answers are cached, or how many are asked at once; a task that needs earlier
answers to choose later questions (rounds of comparisons, a judge) simply yields again. Everything that treats tasks
alike reads the `Task` record.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from qbench.errors import UserError
from qbench.records import Presented, Prompt, Response, Sample, Score, Want
from qbench.tasks.choice import Choice

OPTIONS = ("judge", "lexicon", "mode", "pairing", "prefill", "rounds", "schedule", "seed", "style", "unread", "words")
"""What a person may choose about a run, as the command line calls it."""
ResultKind = Literal["questions", "descriptions", "quality", "comparisons", "choices", "searches"]
"""Which builder of `qbench.results` makes a task's records."""
RunningMetric = Literal["accuracy", "srcc", "consistency"]
"""Which metric can be followed while a task runs."""
Answered = tuple[Sample, Response]
"""A sample as it was shown, and what came back."""


@dataclass(frozen=True)
class Ask:
    """One prompt about one sample, or about two that are compared."""

    sample: str
    """Its id, as raw answers name it."""
    prompt: Prompt
    of: Literal["model", "judge"] = "model"
    pair: tuple[str, str] | None = None
    """Ids of the two samples that are compared, in the order they are shown."""

    @classmethod
    def of_pair(cls, first: str, second: str, prompt: Prompt) -> Ask:
        """One prompt that shows two samples in this order."""
        return cls(f"{first}\n{second}", prompt, pair=(first, second))


@dataclass(frozen=True)
class Outcome:
    """What a task leaves behind for `results` to turn into records."""

    scores: Mapping[str, Sequence[Score]] = field(default_factory=dict)
    """Metric name -> scores, e.g. accuracy, completeness, quality."""
    variants: Mapping[str, Mapping[str, Sequence[Score]]] = field(default_factory=dict)
    """Grouping -> group -> the same responses scored another way, e.g. strategy -> argmax."""
    presented: Sequence[Presented] = ()
    """Comparisons in asking order."""
    rounds: Sequence[int] = ()
    """How many comparisons had been presented after each round."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Sample -> what the model wrote, where that is itself a result (descriptions)."""
    presentations: int | None = None
    """How many times alternatives were shown; None where that is not known."""
    simulate_chance: bool = False
    """Whether to ask judges who flip coins the same comparisons, which takes seconds."""
    keep: Callable[[str, Callable[[], Any]], Any] = lambda _name, compute: compute()
    """Gives what they said of the same comparisons before, or has it computed."""
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Sample -> its options in the order they were shown (multiple-choice questions)."""
    absent: Mapping[str, str] = field(default_factory=dict)
    """Metric name -> why it was not measured."""
    protocol: Mapping[str, Any] = field(default_factory=dict)


Plan = Generator[Sequence[Ask], Sequence[Response], Outcome]
AnswerReader = Callable[[Ask, Response], "Score | Presented | None"]
"""What one answer is worth by itself; None where it is worth nothing."""


@dataclass(frozen=True)
class RunOptions:
    """What a person may choose about a run; what a task does not take is refused."""

    mode: str | None = None
    rounds: int | None = None
    rule: str | None = None
    """How comparisons are paired; None is as the dataset says."""
    seed: int | None = None
    lexicon: bool = False
    style: str | None = None
    schedule: str = "random"
    unread: bool = False
    """A judge only reads what the parser left unread, where it could also grade every reply."""
    words: str | None = None
    """The pair of words that quality is scored by, as "good/poor"; None is the model's own."""
    prefill: str | None = None
    """Beginning of the answer, after which words are weighed; None is the paper's."""


@dataclass(frozen=True)
class Setup:
    """What a plan is made for: what the model offers, and what was chosen."""

    wants: frozenset[Want]
    options: RunOptions = RunOptions()
    judged: bool = False
    """Whether a judge model grades the answers."""
    words: Mapping[str, tuple[str, ...]] | None = None
    """The model's own words for good and bad quality; None takes the usual ones."""


@dataclass(frozen=True)
class Task:
    """One thing that models are asked to do, and what its answers come to."""

    name: str
    title: str
    """What pages call it, in plain words."""
    sentence: str
    modes: Mapping[Any, Want]
    """Mode -> what it asks of a model, the preferred first."""
    choose_mode: Callable[..., str]
    """The mode for a model that offers this or, of several modes, the one asked for; UserError where it cannot."""
    check: Callable[[Sequence[Sample]], None]
    """Raises a UserError where samples lack what the task needs."""
    options: frozenset[str]
    """Those of `OPTIONS` that mean something to it."""
    plan: Callable[[Sequence[Sample], Setup], Plan]
    result: ResultKind
    """Which builder makes its records."""
    metric: str
    """The metric that stands for it where there is room for one."""
    styles: Mapping[Any, tuple[str, ...]] = field(default_factory=dict)
    """Mode -> its wordings, the usual one first, where it has several."""
    option_modes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Option -> the modes that it means something to, where that is not all of them."""
    parse: Callable[[Sequence[Answered], Setup], Outcome] | None = None
    """What answers come to that were given elsewhere, or are read again; None where these alone do not tell."""
    scored_again: bool = False
    """Whether the raw answers of a run hold all that its record was made from."""
    running: RunningMetric | None = None
    reader: Callable[[Sequence[Sample], Setup], AnswerReader] | None = None
    """Makes what reads single answers, for the running metric."""
    chance: Mapping[str, float] = field(default_factory=dict)
    """Metric -> what answering by chance scores, where that follows from how it is asked."""
    choice: Choice | None = None
    """How alternatives are compared, of a task that chooses among them."""
    rates_images: bool = False
    """Whether its truth is a score of each image: the list of one such task is truth for any other."""

    @property
    def compares_pairs(self) -> bool:
        """Whether its answers are choices between two images, which say something without truth and rest on pairs."""
        return self.result == "comparisons"

    @property
    def brings_its_answers(self) -> bool:
        """Whether its samples hold options and the right one, so that results need no published list."""
        return self.result in ("questions", "choices")


def one_of(value: str | None, choices: Any) -> Any:
    """The value, if it is one of a Literal's or None.

    Raises:
        UserError: It is another.
    """
    known = choices.__args__
    if value is not None and value not in known:
        raise UserError(f"{value!r} is no mode of this task; choose one of {', '.join(known)}")
    return value


def need(what: str, has: Callable[[Sample], bool]) -> Callable[[Sequence[Sample]], None]:
    """A check that every sample has something."""

    def check(samples: Sequence[Sample]) -> None:
        without = [sample.id for sample in samples if not has(sample)]
        if without:
            raise UserError(f"{len(without):,} samples lack {what}, which this task needs; the first is {without[0]!r}")

    return check
