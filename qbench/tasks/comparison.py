"""2AFC: which of two images looks better, asked in both orders.

2AFC prompting, https://arxiv.org/abs/2402.01162. Pairs come in random rounds within each set of images, or within
groups of near-equal images by the three fine-grained rules. Models that score images are asked once for each image and
compare their own scores, so their answers cannot depend on the order.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from qbench import pairing, prompts
from qbench.errors import UserError
from qbench.images import open_picture
from qbench.parsing import parse_preference
from qbench.records import Presented, Prompt, Response, Sample, Want
from qbench.tasks import Ask, Outcome, Plan
from qbench.tasks.assessment import CLIP_WORDS, is_encoder, quality_prompt, score_logits

Mode = Literal["text", "letter-logits", "scores"]
Rule = Literal["coarse", "levels", "types", "intervals"]
Pair = tuple[str, str]
_LETTERS = ("A", "B")


@dataclass(frozen=True)
class Comparison:
    """How pairs are chosen and asked."""

    rule: Rule = "coarse"
    rounds: int = pairing.ROUNDS
    seed: int = pairing.SEED
    mode: Mode | None = None
    """Read a written answer, weigh the letters A and B, or compare scores; None takes the first the model can do."""


def plan(samples: Sequence[Sample], wants: frozenset[Want], options: Comparison) -> Plan:
    """Ask round after round, every pair in both orders."""
    mode = _mode(wants, options.mode)
    if options.rounds < 1:
        raise UserError(f"comparison needs at least 1 round, not {options.rounds}")
    by_id = {sample.id: sample for sample in samples}
    sets = _sets(samples, options.rule)
    scores: Mapping[str, float | None] = {}
    if mode == "scores":
        scores = yield from _image_scores(samples, wants)
    presented: list[Presented] = []
    rounds: list[int] = []
    for number in range(options.rounds):
        asked = [
            (name, (members[int(one)], members[int(other)]))
            for name, members in sets.items()
            for one, other in pairing.both_orders(pairing.coarse_rounds(len(members), 1, options.seed + number))
        ]
        if mode == "scores":
            choices = [_compare(scores[first], scores[second]) for _, (first, second) in asked]
        else:
            responses = yield [
                Ask(f"{first}\n{second}", _prompt(by_id, (first, second), mode)) for _, (first, second) in asked
            ]
            choices = [_choice(response, mode) for response in responses]
        presented += [
            Presented(first, second, choice, name)
            for (name, (first, second)), choice in zip(asked, choices, strict=True)
        ]
        rounds.append(len(presented))
    protocol = {"prompt": mode, "pairing": options.rule, "rounds": options.rounds, "seed": options.seed}
    return Outcome(presented=presented, rounds=rounds, protocol=protocol)


def _mode(wants: frozenset[Want], asked: Mode | None) -> Mode:
    possible: dict[Mode, bool] = {
        "text": "text" in wants,
        "letter-logits": "words" in wants and not is_encoder(wants),
        "scores": "score" in wants or is_encoder(wants),
    }
    mode = asked or next((one for one in get_args(Mode) if possible[one]), None)
    if mode is None or not possible[mode]:
        raise UserError(
            f"comparison by {mode or 'any mode'} is not in what this model offers: {', '.join(sorted(wants))}"
        )
    return mode


def _sets(samples: Sequence[Sample], rule: Rule) -> dict[str, Sequence[str]]:
    """Images that are compared with one another, by the name of their set."""
    if rule == "levels":
        return dict(pairing.same_content_and_type(samples))
    if rule == "types":
        return dict(pairing.same_content_and_level(samples))
    if rule == "intervals":
        return dict(pairing.same_mos_interval(samples))
    sets: dict[str, list[str]] = {}
    for sample in samples:
        sets.setdefault(sample.groups.get("set", ""), []).append(sample.id)
    return dict(sets)


def _prompt(samples: Mapping[str, Sample], pair: Pair, mode: Mode) -> Prompt:
    first, second = (open_picture(Path(samples[one].images[0])) for one in pair)
    if mode == "text":
        return Prompt("text", prompts.compare(first, second), max_tokens=250)
    return Prompt("words", prompts.compare_by_letter(first, second), words=_LETTERS)


def _choice(response: Response, mode: Mode) -> Literal["first", "second", "tie"] | None:
    if response.failure is not None:
        return None
    if mode == "text":
        return parse_preference(response.text or "").value
    first, second = (response.logits.get(letter) for letter in _LETTERS)
    return _compare(first, second)


def _compare(first: float | None, second: float | None) -> Literal["first", "second", "tie"] | None:
    if first is None or second is None:
        return None
    return "tie" if first == second else "first" if first > second else "second"


def _image_scores(
    samples: Sequence[Sample], wants: frozenset[Want]
) -> Generator[Sequence[Ask], Sequence[Response], dict[str, float | None]]:
    """One score an image, from a model that scores or an encoder's captions."""
    mode: Literal["score", "words"] = "score" if "score" in wants else "words"
    pictures = {sample.id: open_picture(Path(sample.images[0])) for sample in samples}
    responses = yield [Ask(sample.id, quality_prompt(pictures[sample.id], mode, CLIP_WORDS)) for sample in samples]
    return {
        sample.id: response.score if mode == "score" else score_logits(sample, response, CLIP_WORDS).order
        for sample, response in zip(samples, responses, strict=True)
    }
