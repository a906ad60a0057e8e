"""What nano-vlm is trained to answer: the tasks' own prompts with the answers that follow from the damage.

A question is answered by the option's words, which can be learnt without its letter, and by the letter alone where the
prompt asks for that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from qbench import prompts
from qbench.datasets.demo import PLACES
from qbench.records import Picture, Prompt
from tools.demo.damage import Damage
from tools.demo.descriptions import caption, describe_damage
from tools.demo.questions import DemoQuestion, questions_about
from tools.nano.scenes import KINDS, LEVEL_RANGE, VIEWS, SceneView

PAIR_GAP = 0.04
"""Pairs whose qualities differ by less are not asked about."""
_WORDS: Sequence[tuple[str, str, float]] = (("good", "poor", 0.5), ("fine", "bad", 0.25), ("high", "low", 0.25))
"""Words for quality and how often each pair is said."""
_MOST_QUESTIONS = 5
_LETTERS = 0.4
"""Share of questions that ask for a letter."""
_CLOSED = 0.1
"""And of those without options."""
ATTRIBUTE_GAP = 0.1
"""Attributes are compared by the logarithm of their measure; pairs that differ by less are not asked about."""
_PICTURE = Picture("", "")
"""Stands for every picture; which it is, the row says."""
_SPREAD_QUESTIONS = 6
"""Questions on a picture whose answers are evenly spread."""
_PAIRS, _THREES = 0.4, 0.1
"""Shares of rows with two pictures and with three."""
_LOCAL_SHARE = 0.2
"""Share of damages that are in one place, of scenes that are only described."""
_NO_PIXELS = np.zeros((0, 0, 3), np.uint8)


@dataclass(frozen=True)
class Turn:
    """A prompt and its answer: a text, or how likely each of several words should be."""

    prompt: Prompt
    answer: str = ""
    words: tuple[tuple[str, float], ...] = ()


ConversationRow = tuple[tuple[int | str, ...], list[Turn]]
"""Pictures, by their number or described in words, and turns that stand alone."""


def conversation_rows(views: Sequence[SceneView], count: int, generator: np.random.Generator) -> list[ConversationRow]:
    """Rows with one, two and three pictures; the views of a scene lie together, the clean one first."""
    rows: list[ConversationRow] = []
    while len(rows) < count:
        drawn = generator.random()
        first, second = (int(number) for number in generator.choice(len(views), 2, replace=False))
        if drawn < _THREES:
            added = [_three(views, first - first % VIEWS, second, generator)]
        elif drawn < _THREES + _PAIRS:
            # Half of the pairs are two versions of a scene. Each is asked about in both orders.
            near = first - first % VIEWS + (first + 1 + int(generator.integers(VIEWS - 1))) % VIEWS
            pair = first, near if generator.random() < 0.5 else second
            added = [
                ((left, right), turns_about_two(views[left], views[right], generator))
                for left, right in (pair, pair[::-1])
            ]
        else:
            added = [((first,), turns_about_one(views[first], views[second], generator))]
        rows += [row for row in added if row[1]]
    return rows[:count]


AnswerShares = Mapping[tuple[str, ...], float]
"""Type and group of a question, and its right answer -> how much more often it is to be asked than it can be."""


def answer_shares(views: Sequence[SceneView], generator: np.random.Generator) -> AnswerShares:
    """What brings every kind of question to be asked equally often, and all right answers within each kind."""
    counts: dict[tuple[str, ...], Counter[str]] = {}
    for view in views:
        for asked in questions_about(view.damage, generator):
            counts.setdefault((asked.question_type, asked.group), Counter())[asked.options[asked.answer]] += 1
    return {
        (*kind, answer): 1 / (count * len(answers))
        for kind, answers in counts.items()
        for answer, count in answers.items()
    }


def spread_rows(
    views: Sequence[SceneView], shares: AnswerShares, count: int, generator: np.random.Generator
) -> list[ConversationRow]:
    """Rows about two or three pictures and rows about one, half each; the right answers about one are evenly spread."""
    rows: list[ConversationRow] = []
    while len(rows) < count:
        if generator.random() < 0.5:
            rows += [row for row in conversation_rows(views, 1, generator) if len(row[0]) > 1]
        else:
            first, second = (int(number) for number in generator.choice(len(views), 2, replace=False))
            rows.append(((first,), turns_about_one(views[first], views[second], generator, shares)))
    return rows


def rated_rows(
    qualities: Sequence[float], first_number: int, count: int, generator: np.random.Generator
) -> list[ConversationRow]:
    """Rows about pictures of which nothing but the quality is known: one is rated, two are compared in both orders."""
    rows: list[ConversationRow] = []
    while qualities and len(rows) < count:
        one, two = (int(number) for number in generator.choice(len(qualities), 2, replace=len(qualities) < 2))
        if count - len(rows) == 1 or generator.random() < 0.5:
            rows.append(((first_number + one,), list(ratings(qualities[one]))))
        elif asked := _which_is_better(qualities[one], qualities[two], generator):
            turned = _which_is_better(qualities[two], qualities[one], generator)
            rows.append(((first_number + one, first_number + two), asked))
            rows.append(((first_number + two, first_number + one), turned))
    return rows


def _three(views: Sequence[SceneView], scene: int, stranger: int, generator: np.random.Generator) -> ConversationRow:
    """Two damaged versions beside the clean one, or two of a scene and one of another."""
    first, second = (scene + 1 + int(place) for place in generator.choice(VIEWS - 1, 2, replace=False))
    if generator.random() < 0.5 or stranger // VIEWS == scene // VIEWS:
        nearer = int(views[second].quality > views[first].quality)
        return (scene, first, second), [_alternatives("img-2afc", 3, nearer, generator)]
    place = int(generator.integers(3))
    shown = [first, second]
    shown.insert(place, stranger)
    return tuple(shown), [_alternatives("odd-one-out", 3, place, generator)]


def rows_in_words(count: int, generator: np.random.Generator) -> list[ConversationRow]:
    """Rows about made-up scenes, whose pictures are described in words."""
    rows: list[ConversationRow] = []
    while len(rows) < count:
        kinds = generator.integers(len(KINDS), size=VIEWS - 1)
        places = [str(generator.choice(PLACES)) if generator.random() < _LOCAL_SHARE else None for _ in kinds]
        damages = [
            Damage(KINDS[kind], float(generator.uniform(*LEVEL_RANGE)), place)
            for kind, place in zip(kinds, places, strict=True)
        ]
        views = [SceneView(_NO_PIXELS, None, 1.0, ())]
        views += [SceneView(_NO_PIXELS, damage, float(generator.uniform(0, 1)), ()) for damage in damages]
        ((pictures, turns),) = conversation_rows(views, 1, generator)
        rows.append((tuple(picture_in_words(views[int(picture)]) for picture in pictures), turns))
    return rows


def picture_in_words(view: SceneView) -> str:
    """A description that stands for a picture, for a language model that is trained before it sees pictures."""
    return f"{caption(view.damage)}, quality {round(9 * view.quality)}"


def turns_about_one(
    view: SceneView, other: SceneView, generator: np.random.Generator, shares: AnswerShares | None = None
) -> list[Turn]:
    """Turns on a single picture; each stands alone. The other picture lends its caption to choose from."""
    asked = questions_about(view.damage, generator)
    if shares:
        kinds = [(question.question_type, question.group, question.options[question.answer]) for question in asked]
        weights = np.array([shares.get(kind, 0.0) for kind in kinds]) + 1e-9
        count = min(_SPREAD_QUESTIONS, len(asked))
        chosen = generator.choice(len(asked), count, replace=False, p=weights / weights.sum())
    else:
        chosen = generator.permutation(len(asked))[:_MOST_QUESTIONS]
    turns = [_question(asked[int(place)], generator) for place in chosen]
    in_words, in_numbers = ratings(view.quality)
    turns.append(in_words)
    if generator.random() < 0.5:
        turns.append(Turn(Prompt("text", (_PICTURE, prompts.DESCRIBE)), describe_damage(view.damage, generator)))
    else:
        turns.append(in_numbers)
    captions = caption(view.damage), caption(other.damage)
    if captions[0] != captions[1]:
        turns.append(_alternatives("text-2afc", 1, int(generator.integers(2)), generator, captions))
    return turns


def turns_about_two(first: SceneView, second: SceneView, generator: np.random.Generator) -> list[Turn]:
    """Which of two looks better, in all papers' forms; which has more of an attribute; which fits a caption."""
    turns = turns_of_pair(first, second, generator)
    captions = [caption(view.damage) for view in (first, second)]
    if captions[0] != captions[1]:
        meant = int(generator.integers(2))
        turns.append(_alternatives("it-2afc", 2, meant, generator, (captions[meant],)))
    return turns


def turns_of_pair(first: SceneView, second: SceneView, generator: np.random.Generator) -> list[Turn]:
    """Which of two looks better, in all papers' forms; which has more of an attribute."""
    turns = _which_is_better(first.quality, second.quality, generator)
    # Pictures that are described in words have no measures.
    for attribute, *measured in zip(
        prompts.ATTRIBUTE_WORDS["paper"], first.attributes, second.attributes, strict=False
    ):
        more_in_first, more_in_second = np.log(np.array(measured) + 1)
        if abs(more_in_second - more_in_first) >= ATTRIBUTE_GAP:
            turns.append(_alternatives("attributes", 2, int(more_in_second > more_in_first), generator, (), attribute))
    return turns


def ratings(quality: float) -> tuple[Turn, Turn]:
    """How good a picture looks: by how likely words are, and as a number."""
    chances = [
        pair for good, poor, share in _WORDS for pair in ((good, share * quality), (poor, share * (1 - quality)))
    ]
    rate = Prompt("words", (_PICTURE, prompts.RATE), prefill=prompts.RATE_PREFILL)
    number = Prompt("text", (_PICTURE, prompts.RATE_NUMBER))
    return Turn(rate, words=tuple(chances)), Turn(number, str(1 + round(4 * quality)))


def _which_is_better(first: float, second: float, generator: np.random.Generator) -> list[Turn]:
    """In all papers' forms; nothing where the qualities are too near."""
    if abs(first - second) < PAIR_GAP:
        return []
    better = int(second > first)
    answers = {"paper": ("The first image.", "The second image.")[better], "code": prompts.letter(better)}
    asked = prompts.COMPARISONS.items()
    turns = [Turn(Prompt("text", form(_PICTURE, _PICTURE)), answers[style]) for style, form in asked]
    return [*turns, _alternatives("iqa-2afc", 2, better, generator)]


def _alternatives(
    task: str,
    count: int,
    right: int,
    generator: np.random.Generator,
    texts: Sequence[str] = (),
    attribute: str = "",
) -> Turn:
    """UniSim's instruction, in the paper's or the code's words; of two captions the first is the right one."""
    style = list(prompts.SIMILARITY)[int(generator.integers(len(prompts.SIMILARITY)))]
    if task == "text-2afc" and right:
        texts = texts[::-1]
    parts = prompts.similarity(task, style, [_PICTURE] * count, texts, attribute)
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
