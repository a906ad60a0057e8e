"""What nano-vlm is trained to answer: the tasks' own prompts with the answers that follow from the damage.

A question is answered by the option's words, which can be learnt without its letter, and by the letter alone where the
prompt asks for that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from qbench import prompts
from qbench.records import Picture, Prompt
from tools.demo.descriptions import caption, describe_damage
from tools.demo.questions import DemoQuestion, questions_about
from tools.nano.scenes import VIEWS, View, plan_scene

PAIR_GAP = 0.04
"""Pairs whose qualities differ by less are not asked about."""
_WORDS: Sequence[tuple[str, str, float]] = (("good", "poor", 0.5), ("fine", "bad", 0.25), ("high", "low", 0.25))
"""Words for quality and how often each pair is said."""
_QUESTIONS = 6
"""On a picture, whose answers are evenly spread."""
_LETTERS, _CLOSED = 0.4, 0.1
"""Shares of questions that ask for a letter, and of those without options."""
_ATTRIBUTE_GAP = 0.1
"""Attributes are compared by the logarithm of their measure; pairs that differ by less are not asked about."""
_PICTURE = Picture("", "")
"""Stands for every picture; which it is, the row says."""
_SINGLES, _RATED, _PAIRS = 3, 5, 2
"""Pictures that all is asked about at a time, more that are only rated; and pairs and scenes at other times."""


@dataclass(frozen=True)
class Turn:
    """A prompt and its answer: a text, or how likely each of several words should be."""

    prompt: Prompt
    answer: str = ""
    words: tuple[tuple[str, float], ...] = ()


Asked = tuple[tuple[int | str, ...], Turn]
"""Pictures, by their number or described in words, and what is asked about them."""

AnswerShares = Mapping[tuple[str, ...], float]
"""Type and group of a question, and its right answer -> how much more often it is to be asked than it can be."""


def answer_shares(views: Sequence[View], generator: np.random.Generator) -> AnswerShares:
    """What brings every kind of question to be asked equally often, and all right answers within each kind."""
    views = [view for view in views if view.has_words]
    counts = Counter(_answer_to(asked) for view in views for asked in questions_about(view.damage, generator))
    answers = Counter(answer[:2] for answer in counts)
    return {answer: 1 / (count * answers[answer[:2]]) for answer, count in counts.items()}


def _answer_to(asked: DemoQuestion) -> tuple[str, ...]:
    return asked.question_type, asked.group, asked.options[asked.answer]


def asked_about(views: Sequence[View], shares: AnswerShares, generator: np.random.Generator) -> list[Asked]:
    """Turns about one picture each or, half of the time, two or three; views of a scene lie together, clean first."""
    asked: list[Asked] = []
    if generator.random() < 0.5:
        for number in generator.integers(len(views), size=_SINGLES):
            asked += [((int(number),), turn) for turn in _turns_about_one(views[number], shares, generator)]
        rated = generator.integers(len(views), size=_RATED)
        return [*asked, *(((int(number),), _ratings(views[number].quality)[0]) for number in rated)]
    for _ in range(_PAIRS):
        first, other = (int(number) for number in generator.choice(len(views), 2, replace=False))
        scene = first - first % VIEWS
        # Half of the pairs are two versions of a scene. Each is asked about in both orders.
        second = scene + (first + 1 + int(generator.integers(VIEWS - 1))) % VIEWS if generator.random() < 0.5 else other
        for pair in ((first, second), (second, first)):
            turns = _turns_about_two(views[pair[0]], views[pair[1]], generator)
            asked += [(pair, turn) for turn in turns]
        # Two damaged versions beside the clean one.
        one, two = (scene + 1 + int(place) for place in generator.choice(VIEWS - 1, 2, replace=False))
        nearer = int(views[two].quality > views[one].quality)
        asked.append(((scene, one, two), _alternatives("img-2afc", 3, nearer, generator)))
    return asked


def asked_in_words(scenes: int, generator: np.random.Generator) -> list[Asked]:
    """The same about made-up scenes, whose pictures are described in words."""
    asked: list[Asked] = []
    for _ in range(scenes):
        clean, *damaged = plan_scene(generator)
        views = [clean, *(replace(view, quality=float(generator.uniform(0, 1))) for view in damaged)]
        captions = [", ".join(caption(damage) for damage in view.damages or (None,)) for view in views]
        described = [f"{said}, quality {round(9 * view.quality)}" for said, view in zip(captions, views, strict=True)]
        made = asked_about(views, {}, generator)
        asked += [(tuple(described[int(number)] for number in numbers), turn) for numbers, turn in made]
    return asked


def _turns_about_one(view: View, shares: AnswerShares, generator: np.random.Generator) -> list[Turn]:
    """Turns on a single picture; each stands alone."""
    in_words, in_numbers = _ratings(view.quality)
    if not view.has_words:
        return [in_words, in_numbers]
    asked = questions_about(view.damage, generator)
    weights = np.array([shares.get(_answer_to(question), 0.0) for question in asked]) + 1e-9
    chosen = generator.choice(len(asked), min(_QUESTIONS, len(asked)), replace=False, p=weights / weights.sum())
    turns = [*(_question(asked[int(place)], generator) for place in chosen), in_words]
    if generator.random() < 0.5:
        return [*turns, Turn(Prompt("text", (_PICTURE, prompts.DESCRIBE)), describe_damage(view.damage, generator))]
    return [*turns, in_numbers]


def _turns_about_two(first: View, second: View, generator: np.random.Generator) -> list[Turn]:
    """Which of two looks better, in all papers' forms; which has more of an attribute. Nothing that is too near."""
    turns = []
    if abs(first.quality - second.quality) >= PAIR_GAP:
        better = int(second.quality > first.quality)
        answers = {"paper": ("The first image.", "The second image.")[better], "code": prompts.letter(better)}
        for style, form in prompts.COMPARISONS.items():
            turns.append(Turn(Prompt("text", form(_PICTURE, _PICTURE)), answers[style]))
        turns.append(_alternatives("iqa-2afc", 2, better, generator))
    # Pictures that are described in words have no measures.
    gaps = np.log1p(second.attributes) - np.log1p(first.attributes)
    for attribute, gap in zip(prompts.ATTRIBUTE_WORDS["paper"], gaps, strict=False):
        if abs(gap) >= _ATTRIBUTE_GAP:
            turns.append(_alternatives("attributes", 2, int(gap > 0), generator, attribute))
    return turns


def _ratings(quality: float) -> tuple[Turn, Turn]:
    """How good a picture looks: by how likely words are, and as a number."""
    chances = [
        pair for good, poor, share in _WORDS for pair in ((good, share * quality), (poor, share * (1 - quality)))
    ]
    rate = Prompt("words", (_PICTURE, prompts.RATE), prefill=prompts.RATE_PREFILL)
    number = Prompt("text", (_PICTURE, prompts.RATE_NUMBER))
    return Turn(rate, words=tuple(chances)), Turn(number, str(1 + round(4 * quality)))


def _alternatives(task: str, count: int, right: int, generator: np.random.Generator, attribute: str = "") -> Turn:
    """UniSim's instruction, in the paper's or the code's words."""
    style = list(prompts.SIMILARITY)[int(generator.integers(len(prompts.SIMILARITY)))]
    parts = prompts.similarity(task, style, [_PICTURE] * count, (), attribute)
    return Turn(Prompt("text", parts), prompts.letter(right))


def _question(asked: DemoQuestion, generator: np.random.Generator) -> Turn:
    order = generator.permutation(len(asked.options))
    options = [asked.options[int(place)] for place in order]
    right = options.index(asked.options[asked.answer])
    drawn = generator.random()
    if drawn < _CLOSED:
        closed = prompts.close_set_answer(options[right])
        return Turn(Prompt("text", prompts.close_set([_PICTURE], asked.question)), closed)
    if drawn < _CLOSED + _LETTERS:
        style, answer = "letter", prompts.letter(right)
    else:
        style, answer = ("paper", "answer", "llava")[int(generator.integers(3))], options[right]
    return Turn(Prompt("text", prompts.QUESTIONS[style]([_PICTURE], asked.question, options)), answer)
