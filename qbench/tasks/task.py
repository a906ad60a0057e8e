"""What a task is, how it asks, and what it leaves behind.

A plan is a generator that yields batches of `Ask`, is sent the responses in the same order, and returns an `Outcome`.
It does not know which model answers, how answers are cached, or how many are asked at once; a task that needs earlier
answers to choose later questions (rounds of comparisons, a judge) simply yields again. Everything that treats tasks
alike reads the `Task` record.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from qbench import prompts
from qbench.errors import UserError
from qbench.models.builtin import models_offering
from qbench.records import Ask, Presented, Response, Sample, Score, Want
from qbench.tasks.choice import Choice
from qbench.tasks.words import CLIP_WORDS, DEFAULT_WORDS, WordPair, parse_words

OPTIONS = ("judge", "mode", "pairing", "prefill", "rounds", "schedule", "seed", "style", "unread", "words")
"""What a person may choose about a run, as the command line calls it."""
ResultKind = Literal["questions", "descriptions", "quality", "comparisons", "choices", "searches"]
"""Which builder of `qbench.results` makes a task's records."""
RunningMetric = Literal["accuracy", "srcc", "consistency"]
"""Which metric can be followed while a task runs."""
Answered = tuple[Sample, Response]
"""A sample as it was shown, and what came back."""
MOST_PREFILL = 200


@dataclass(frozen=True)
class Outcome:
    """What a task leaves behind for `results` to turn into records."""

    scores: Mapping[str, Sequence[Score]] = field(default_factory=dict)
    """Metric name -> scores, e.g. accuracy, completeness, quality."""
    variants: Mapping[str, Mapping[str, Sequence[Score]]] = field(default_factory=dict)
    """Grouping -> group -> the same responses scored another way, e.g. strategy -> argmax."""
    presented: Sequence[Presented] = ()
    """Comparisons in asking order."""
    presentations: int | None = None
    """How many times alternatives were shown; None where that is not known."""
    simulate_chance: bool = False
    """Whether to ask judges who flip coins the same comparisons, which takes seconds."""
    keep: Callable[[str, Callable[[], Any]], Any] = lambda _name, compute: compute()
    """Gives what they said of the same comparisons before, or has it computed."""
    judge_reads: bool = False
    """Whether a judge read what the parser left unread."""
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Sample -> its options in the order they were shown (multiple-choice questions)."""
    absent: Mapping[str, str] = field(default_factory=dict)
    """Metric name -> why it was not measured."""
    protocol: Mapping[str, Any] = field(default_factory=dict)


Plan = Generator[Sequence[Ask], Sequence[Response], Outcome]
AnswerReader = Callable[[Any, Ask, Response, "Chosen"], "Score | Presented | None"]
"""What one answer about a sample (None of a pair) is worth by itself; None where it is worth nothing."""


@dataclass(frozen=True)
class RunOptions:
    """What a person may choose about a run, None for what is usual; `Task.choose` makes of it how the run asks."""

    mode: str | None = None
    rounds: int | None = None
    rule: str | None = None
    """How comparisons are paired; None is as the dataset says."""
    seed: int | None = None
    style: str | None = None
    schedule: str = "random"
    unread: bool = False
    """A judge only reads what the parser left unread, where it could also grade every reply."""
    words: str | None = None
    """The pair of words that quality is scored by, as "good/poor"; None is the model's own."""
    prefill: str | None = None
    """Beginning of the answer, after which words are weighed; None is the paper's."""


NO_OPTIONS = RunOptions()
OwnWords = Mapping[str, tuple[str, ...]] | None
"""A model's own words for good and bad quality; None takes the usual ones."""


@dataclass(frozen=True)
class Chosen:
    """How a run asks, settled before its plan begins: what a person chose, and what is usual of all else."""

    mode: str = ""
    encoder: bool = False
    """Whether the model weighs captions of the whole image."""
    style: str = ""
    """The wording, of a mode that has several."""
    seed: int = 0
    rounds: int | None = None
    rule: str = "coarse"
    schedule: str = "random"
    words: WordPair = DEFAULT_WORDS
    """What quality is scored by: the model's most frequent answers, or captions for encoders."""
    other_words: bool = False
    """Whether these are not the model's own."""
    prefill: str = prompts.RATE_PREFILL
    judged: bool = False
    """Whether a judge model grades or reads the answers."""
    unread: bool = False


@dataclass(frozen=True)
class Task:
    """One thing that models are asked to do, and what its answers come to."""

    name: str
    title: str
    """What pages call it, in plain words."""
    sentence: str
    modes: Mapping[Any, Want]
    """Mode -> what it asks of a model, the preferred first."""
    check: Callable[[Sequence[Sample]], None]
    """Raises a UserError where samples lack what the task needs."""
    options: frozenset[str]
    """Those of `OPTIONS` that mean something to it."""
    plan: Callable[[Sequence[Sample], Chosen], Plan]
    result: ResultKind
    """Which builder makes its records."""
    metric: str
    """The metric that stands for it where there is room for one."""
    encoder_modes: tuple[str, ...] = ()
    """How encoders are asked, the preferred first."""
    styles: Mapping[Any, tuple[str, ...]] = field(default_factory=dict)
    """Mode -> its wordings, the usual one first."""
    option_modes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Option -> the modes that it means something to, where that is not all of them; for encoders it means nothing."""
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Option -> what it can be, of those that are one of a few."""
    seed: int = 0
    """The usual one."""
    parse: Callable[[Sequence[Answered], Chosen], Outcome] | None = None
    """What answers come to that were given elsewhere, or are read again; None where these alone do not tell."""
    scored_again: bool = False
    """Whether the raw answers of a run hold all that its record was made from."""
    running: RunningMetric | None = None
    reader: AnswerReader | None = None
    """For the running metric."""
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

    def choose_mode(self, wants: frozenset[Want], asked: str | None = None) -> str:
        """The mode that was asked for, or else the first that a model which offers this can answer.

        Raises:
            UserError: The model cannot; the message says which models can.
        """
        self._refuse_unknown("mode", asked, tuple(self.modes))
        encoder = is_encoder(wants)
        able = [mode for mode, want in self.modes.items() if want in wants]
        if encoder:  # asked for a score it weighs captions
            able = [mode for mode in self.encoder_modes if wants & {self.modes[mode], "words"}]
        if asked in able or (able and asked is None):
            return asked or able[0]
        needed = dict.fromkeys([self.modes[asked]] if asked else self.modes.values())
        kind = "this one, an encoder," if encoder else "this one"
        others = "; ".join(f"{models_offering(want)} ({want})" for want in needed)
        raise UserError(
            f"{self.name}{f' by {asked}' if asked else ''} asks a model for {' or '.join(needed)}, and {kind} offers "
            f"only {', '.join(sorted(wants))}; choose among {others}"
        )

    def choose(
        self, wants: frozenset[Want], options: RunOptions = NO_OPTIONS, *, judged: bool = False, own: OwnWords = None
    ) -> Chosen:
        """How a model that offers this, and has words of its `own`, is asked.

        Raises:
            UserError: The model cannot be asked so, or something was chosen that would only seem to count.
        """
        mode, encoder = self.choose_mode(wants, options.mode), is_encoder(wants)
        self._refuse_idle(mode, options, encoder=encoder, judged=judged)
        usual = CLIP_WORDS if encoder else WordPair(**own) if own else DEFAULT_WORDS
        words = parse_words(options.words) if options.words else usual
        return Chosen(
            mode=mode,
            encoder=encoder,
            style=options.style or self.styles.get(mode, ("",))[0],
            seed=self.seed if options.seed is None else options.seed,
            rounds=options.rounds,
            rule=options.rule or "coarse",
            schedule=options.schedule,
            words=words,
            other_words=words != usual,
            prefill=prompts.RATE_PREFILL if options.prefill is None else options.prefill,
            judged=judged,
            unread=options.unread,
        )

    def _refuse_idle(self, mode: str, options: RunOptions, *, encoder: bool, judged: bool) -> None:
        """What a person chose must not seem to count where it does not."""
        if judged and self.modes[mode] != "text":
            raise UserError(f"a judge reads replies, and {self.name} by {mode} gets none; leave out the judge")
        if options.unread and not judged:
            raise UserError("--unread is what a judge reads; name one with --judge, or leave it out")
        styled = [] if mode in self.styles or options.style is None else ["style"]
        weighed = [name for name, modes in self.option_modes.items() if encoder or mode not in modes]
        if idle := styled + [name for name in weighed if getattr(options, name) is not None]:
            way = f"{self.name} by {mode}{' of an encoder' if encoder else ''}"
            raise UserError(f"--{idle[0]} changes nothing about {way}; leave it out")
        for name, known in {**self.values, "style": self.styles.get(mode, ())}.items():
            self._refuse_unknown(name, getattr(options, name), known)
        if len(options.prefill or "") > MOST_PREFILL:
            length = len(options.prefill or "")
            raise UserError(f"--prefill has {length:,} characters; an answer begins with {MOST_PREFILL} or fewer")

    def _refuse_unknown(self, name: str, value: str | None, known: tuple[str, ...]) -> None:
        if value is not None and value not in known:
            raise UserError(f"{value!r} is no {name} of {self.name}; choose one of {', '.join(known)}")


def is_encoder(wants: frozenset[Want]) -> bool:
    """Encoders weigh captions of the whole image; they read no question and have no answer to begin."""
    return "embedding" in wants and "text" not in wants


def need(what: str, has: Callable[[Sample], bool]) -> Callable[[Sequence[Sample]], None]:
    """A check that every sample has something."""

    def check(samples: Sequence[Sample]) -> None:
        without = [sample.id for sample in samples if not has(sample)]
        if without:
            raise UserError(f"{len(without):,} samples lack {what}, which this task needs; the first is {without[0]!r}")

    return check
