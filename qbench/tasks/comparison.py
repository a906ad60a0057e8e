"""2AFC: which of two images looks better, asked in both orders.

2AFC prompting, https://arxiv.org/abs/2402.01162. Pairs come in random rounds within each set of images, or within
groups of near-equal images by the three fine-grained rules; or actively, where the answers so far leave most doubt. A
pair that comes again has its answers counted again. Models that score images are asked once for each image and compare
their own scores, so their answers cannot depend on the order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace

from qbench import pairing, prompts
from qbench.errors import UserError
from qbench.parsing import Preference, parse_preference
from qbench.records import Ask, Presented, Prompt, Response, Sample, Want
from qbench.tasks import asking
from qbench.tasks.active import ActivePairs, Pair
from qbench.tasks.asking import GRADED_BY, REASONS, ask_judge
from qbench.tasks.assessment import quality_prompt, score_logits
from qbench.tasks.task import Chosen, Outcome, Plan, Task, need
from qbench.tasks.words import CLIP_WORDS

NAME = "comparison"
MODES: Mapping[str, Want] = {"text": "text", "letter-logits": "words", "scores": "score"}
"""Read a written answer, weigh the letters A and B, or compare scores."""
ACTIVE_ROUNDS = 11
"""The first is shown in both orders and the others, to a consistent judge, in one: half of 12 random rounds."""
MOST_TIMES = 20
"""How often random rounds may come to each pair, on average: by then not one pair of 1,000 images is likely left."""
_LARGEST_SEED = 2**31
"""The generator of the published schedules takes seeds to twice this, and each round adds one."""
_LETTERS = ("A", "B")
_REPLY_TOKENS = 250
"""As in the released code."""

_SAYINGS: Mapping[Preference, str] = {
    "first": "The first image.",
    "second": "The second image.",
    "tie": "Both images have the same quality.",
}
"""What a judge may find in a reply; the first two as in the released code."""


@dataclass(frozen=True)
class PairAnswer:
    """What was preferred of a pair; or None, and why there is no answer."""

    choice: Preference | None
    reason: str | None = None
    by_judge: bool = False
    """Whether a judge read the reply, which the parser had left unread."""


Answering = Generator[Sequence[Ask], Sequence[Response], list[PairAnswer]]
Choose = Callable[[Sequence[tuple[str, str]]], Answering]
"""Answers to pairs of sample ids, each in the order it is shown."""


def plan(samples: Sequence[Sample], chosen: Chosen, *, by_round: bool = True) -> Plan:
    """Ask round after round: the paper's 12 random ones unless told, or as many active ones as cost half of them.

    `by_round` is for whoever watches the ranking grow. Otherwise random rounds are asked all at once, ordered so that
    prompts that begin with the same image follow each other: models and servers that keep it need not read it again.
    """
    mode, seed, active = chosen.mode, chosen.seed, chosen.schedule == "active"
    rounds = chosen.rounds if chosen.rounds is not None else ACTIVE_ROUNDS if active else pairing.ROUNDS
    if rounds < 1 or not 0 <= seed <= _LARGEST_SEED:
        raise UserError(
            f"comparison needs at least 1 round and a seed from 0 to {_LARGEST_SEED:,}, not {rounds} and {seed}"
        )
    sets = find_sets(samples, chosen.rule)
    if not active:
        _refuse_repetition(rounds, max(map(len, sets.values())))
    schedules = {
        name: ActivePairs(len(members), seed) if active else _RandomPairs(len(members), seed)
        for name, members in sets.items()
    }
    choose = (yield from _by_scores(samples, chosen)) if mode == "scores" else _by_asking(samples, chosen)
    if not (by_round or active or mode == "scores"):
        choose = yield from _all_at_once(choose, sets, rounds, seed)
    presented: list[Presented] = []
    unanswered: Counter[str] = Counter()
    asked = 0
    while asked < rounds:
        proposed = {name: schedule.propose() for name, schedule in schedules.items()}
        shown = [
            (name, sets[name][first], sets[name][second]) for name, pairs in proposed.items() for first, second in pairs
        ]
        if not shown:
            break
        answers = yield from choose([(first, second) for _, first, second in shown])
        presented += [
            Presented(first, second, answer.choice, name, answer.by_judge)
            for (name, first, second), answer in zip(shown, answers, strict=True)
        ]
        unanswered.update(answer.reason for answer in answers if answer.reason)
        choices = iter(answer.choice for answer in answers)
        for name, pairs in proposed.items():
            schedules[name].learn(pairs, [next(choices) for _ in pairs])
        asked += 1
    protocol = {
        "prompt": chosen.style or "none",
        "answer": mode,
        "pairing": chosen.rule,
        "schedule": chosen.schedule,
        "rounds": asked,
        "seed": seed,
        "unanswered": dict(unanswered),
        **(GRADED_BY if chosen.judged else {}),
    }
    return Outcome(
        presented=presented,
        presentations=len(presented),
        simulate_chance=True,
        judge_reads=chosen.judged,
        protocol=protocol,
    )


def ask_about(
    samples: Sequence[Sample], wants: frozenset[Want], pairs: Sequence[tuple[str, str]]
) -> Generator[Sequence[Ask], Sequence[Response], list[Presented]]:
    """Ask about given pairs of sample ids, each in its order, as `plan` asks about those that it draws."""
    chosen = TASK.choose(wants)
    choose = (yield from _by_scores(samples, chosen)) if chosen.mode == "scores" else _by_asking(samples, chosen)
    answers = yield from choose(pairs)
    return [Presented(*pair, answer.choice) for pair, answer in zip(pairs, answers, strict=True)]


def _refuse_repetition(rounds: int, images: int) -> None:
    """The same question is asked once, so that a pair's next turns only copy its first."""
    once = images - 1 + images % 2  # with an odd number one image idles
    if rounds > MOST_TIMES * once:
        raise UserError(
            f"{rounds:,} rounds would come to each pair of {images:,} images some {rounds // once:,} times, always "
            f"with the same answer; give at most {MOST_TIMES * once:,}"
        )


def find_sets(samples: Sequence[Sample], rule: str) -> dict[str, Sequence[str]]:
    """Images that are compared with one another, by the name of their set."""
    if rule == "levels":
        return dict(pairing.same_content(samples, "type", "level"))
    if rule == "types":
        return dict(pairing.same_content(samples, "level", "type"))
    if rule == "intervals":
        return dict(pairing.same_mos_interval(samples))
    sets: dict[str, list[str]] = {}
    for sample in samples:
        sets.setdefault(sample.groups.get("set", ""), []).append(sample.id)
    return dict(sets)


class _RandomPairs:
    """The paper's schedule: round r shuffles with seed + r, and every pair is shown in both orders."""

    def __init__(self, n: int, seed: int) -> None:
        self._n = n
        self._seed = seed

    def propose(self) -> list[Pair]:
        pairs = pairing.both_orders(pairing.coarse_rounds(self._n, 1, self._seed))
        self._seed += 1
        return [(int(first), int(second)) for first, second in pairs]

    def learn(self, presented: Sequence[Pair], choices: Sequence[Preference | None]) -> None:
        """A random schedule does not listen."""


def _by_asking(samples: Sequence[Sample], chosen: Chosen) -> Choose:
    """Show both images to the model; a pair of which one cannot be opened is not asked."""
    pictures, broken = asking.open_pictures(samples)
    want = MODES[chosen.mode]

    def prompt(first: str, second: str) -> Prompt:
        parts = prompts.COMPARISONS[chosen.style](pictures[first][0], pictures[second][0])
        if want == "text":
            return Prompt(want, parts, max_tokens=_REPLY_TOKENS)
        return Prompt(want, parts, words=_LETTERS)

    def choose(pairs: Sequence[tuple[str, str]]) -> Answering:
        whole = [pair for pair in pairs if not broken.keys() & pair]
        responses = yield [Ask("\n".join(pair), prompt(*pair), pair=pair) for pair in whole]
        answers = {pair: read_choice(want, response) for pair, response in zip(whole, responses, strict=True)}
        if chosen.judged:
            answers |= yield from _read_unread(answers, dict(zip(whole, responses, strict=True)))
        return [answers.get(pair, PairAnswer(None, "an image cannot be opened")) for pair in pairs]

    return choose


def _all_at_once(
    choose: Choose, sets: Mapping[str, Sequence[str]], rounds: int, seed: int
) -> Generator[Sequence[Ask], Sequence[Response], Choose]:
    """Ask about all pairs of random rounds, those with the same first image after each other."""
    pairs: dict[tuple[str, str], None] = {}
    for members in sets.values():
        schedule = _RandomPairs(len(members), seed)
        shown = [pair for _ in range(rounds) for pair in schedule.propose()]
        pairs |= dict.fromkeys((members[first], members[second]) for first, second in sorted(shown))
    answers = dict(zip(pairs, (yield from choose(list(pairs))), strict=True))

    def known(pairs: Sequence[tuple[str, str]]) -> Answering:
        yield from ()
        return [answers[pair] for pair in pairs]

    return known


def _read_unread(
    answers: Mapping[tuple[str, str], PairAnswer], replies: Mapping[tuple[str, str], Response]
) -> Generator[Sequence[Ask], Sequence[Response], dict[tuple[str, str], PairAnswer]]:
    """What a judge finds in the replies that the parser left unread, as far as it finds something."""
    meanings = tuple(_SAYINGS)
    question = Sample("", question=prompts.COMPARISON_QUESTION, options=tuple(_SAYINGS.values()))
    unread = [pair for pair, answer in answers.items() if answer.reason in REASONS]
    places = yield from ask_judge({pair: (replace(question, id="\n".join(pair)), replies[pair]) for pair in unread})
    return {pair: PairAnswer(meanings[place], by_judge=True) for pair, place in places.items()}


def read_choice(want: Want, response: Response) -> PairAnswer:
    """What a written answer prefers, or which letter weighs more where these were asked for."""
    if response.failure is not None:
        return PairAnswer(None, "failed")
    if want == "words":
        return _compare(*(response.logits.get(letter) for letter in _LETTERS), reason="a letter was not weighed")
    said = parse_preference(response.text or "", prompts.COMPARISON_QUESTION)
    return PairAnswer(said.value, said.reason)


def _compare(first: float | None, second: float | None, *, reason: str) -> PairAnswer:
    if first is None or second is None:
        return PairAnswer(None, reason)
    return PairAnswer("tie" if first == second else "first" if first > second else "second")


def _by_scores(samples: Sequence[Sample], chosen: Chosen) -> Generator[Sequence[Ask], Sequence[Response], Choose]:
    """Ask for one score an image, from a model that scores or an encoder's captions, and compare those."""
    asked = Chosen("words" if chosen.encoder else "score", words=CLIP_WORDS)
    responses = yield from asking.ask_each(samples, lambda _, pictures: quality_prompt(pictures[0], asked))
    scores: Mapping[str, float | None] = {
        sample.id: score_logits(sample, response, CLIP_WORDS).order if chosen.encoder else response.score
        for sample, response in zip(samples, responses, strict=True)
    }

    def choose(pairs: Sequence[tuple[str, str]]) -> Answering:
        yield from ()
        return [_compare(scores[first], scores[second], reason="an image has no score") for first, second in pairs]

    return choose


def _read_answer(_sample: None, ask: Ask, response: Response, _chosen: Chosen) -> Presented | None:
    if ask.pair is None:  # a picture that is scored by itself
        return None
    return Presented(*ask.pair, read_choice(ask.prompt.want, response).choice)


TASK = Task(
    name=NAME,
    title="Ranking from pairs (2AFC)",
    sentence="2AFC: which of two images looks better, asked in both orders",
    modes=MODES,
    encoder_modes=("scores",),
    check=need("an image", lambda sample: bool(sample.images)),
    styles={"text": ("paper", "code"), "letter-logits": ("code",)},
    values={"rule": ("coarse", "levels", "types", "intervals"), "schedule": ("random", "active")},
    seed=pairing.PAIRING_SEED,
    options=frozenset({"judge", "mode", "pairing", "rounds", "schedule", "seed", "style"}),
    plan=lambda samples, chosen: plan(samples, chosen, by_round=False),
    result="comparisons",
    metric="accuracy_joint",
    running="consistency",
    reader=_read_answer,
    # Two coin flips agree in half of the pairs and are right in half of those.
    chance={"consistency": 1 / 2, "accuracy_joint": 1 / 4},
    rates_images=True,
)
