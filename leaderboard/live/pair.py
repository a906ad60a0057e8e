"""Which of two photos a model prefers, asked in both orders and in the forms of three papers.

2AFC prompting, https://arxiv.org/abs/2402.01162, Sec. III-A, and its released code; UniSim-Bench's instruction for
quality, https://arxiv.org/abs/2412.10594, Table 6. A model that scores images is asked for one score of each.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from scipy.special import softmax

from leaderboard.live.asking import Asking
from leaderboard.live.probe import Quality, judge
from qbench.errors import UserError
from qbench.parsing import Preference
from qbench.records import Picture, Response, Sample, Want
from qbench.tasks import Ask, comparison, similarity
from qbench.tasks.asking import is_encoder

NAMES = ("A", "B")
_ORDERS = (("A", "B"), ("B", "A"))


@dataclass(frozen=True)
class Way:
    """One way of asking for a preference."""

    label: str
    want: Want
    form: Literal["2afc", "unisim"]
    style: Literal["paper", "code"]


WAYS = (
    Way("2AFC code, letters weighed", "words", "2afc", "code"),
    Way("2AFC paper, written", "text", "2afc", "paper"),
    Way("2AFC code, written", "text", "2afc", "code"),
    Way("UniSim paper, letters weighed", "words", "unisim", "paper"),
    Way("UniSim code, letters weighed", "words", "unisim", "code"),
)
"""Papers' prompts as printed and as their code sends them. The first that a model can do gives the verdict."""


@dataclass(frozen=True)
class Turn:
    """One asking: what was shown first, and what was chosen."""

    order: tuple[str, str]
    choice: Preference | None
    probability: float | None = None
    """Of the chosen letter against the other, where letters are weighed."""
    said: str = ""
    """What the model wrote, or why there is no answer."""

    @property
    def prefers(self) -> str | None:
        """A, B, "tie", or None without an answer."""
        return {"first": self.order[0], "second": self.order[1], "tie": "tie", None: None}[self.choice]


@dataclass(frozen=True)
class Asked:
    """One way of asking, in both orders."""

    way: Way
    turns: tuple[Turn, Turn]

    @property
    def agrees(self) -> bool | None:
        """Whether both orders prefer the same photo; None where one of them has no answer."""
        one, two = (turn.prefers for turn in self.turns)
        return None if one is None or two is None else one == two


@dataclass(frozen=True)
class Scored:
    """A score of each photo, which no order can change."""

    qualities: tuple[Quality, Quality]

    @property
    def prefers(self) -> str | None:
        """A, B, "tie", or None where one has no score."""
        one, two = (quality.order for quality in self.qualities)
        if one is None or two is None:
            return None
        return "tie" if one == two else "A" if one > two else "B"


@dataclass(frozen=True)
class Compared:
    """What is known of two photos so far."""

    model: str
    pictures: tuple[Picture, Picture]
    asked: tuple[Asked, ...] = ()
    scored: Scored | None = None
    seconds: float | None = None
    """How long it took, once all is known."""

    @property
    def places(self) -> tuple[int, int, int]:
        """How often the first photo was chosen, the second, and neither, over all askings with an answer."""
        choices = [turn.choice for one in self.asked for turn in one.turns]
        return choices.count("first"), choices.count("second"), choices.count("tie")


def compare(asking: Asking, name: str, pictures: tuple[Picture, Picture]) -> Iterator[Compared]:
    """What is known after each way of asking that the model can do.

    Raises:
        Cancelled: The work was cancelled.
        UserError: Both photos are the same, the model can do neither, or the time is used up.
    """
    if pictures[0].sha256 == pictures[1].sha256:
        raise UserError("both photos are the same file; choose two different ones")
    started = time.monotonic()
    known, wants = Compared(name, pictures), asking.model.wants
    ways = [] if is_encoder(wants) else [way for way in WAYS if way.want in wants]
    if not ways:
        one, two = (judge(asking, picture) for picture in pictures)
        known = replace(known, scored=Scored((one, two)))
    for way in ways:
        known = replace(known, asked=(*known.asked, Asked(way, _ask(asking, way, pictures))))
        yield known
    yield replace(known, seconds=time.monotonic() - started)


def to_json(compared: Compared) -> dict[str, Any]:
    """For scripts."""
    first, second, tie = compared.places
    scored = compared.scored
    return {
        "model": compared.model,
        "sha256": [picture.sha256 for picture in compared.pictures],
        "scores": scored and [quality.value for quality in scored.qualities],
        "prefers": scored and scored.prefers,
        "asked": [
            {
                "form": one.way.label,
                "agrees": one.agrees,
                "orders": [{**asdict(turn), "prefers": turn.prefers} for turn in one.turns],
            }
            for one in compared.asked
        ],
        "places": {"first": first, "second": second, "tie": tie},
    }


def _ask(asking: Asking, way: Way, pictures: tuple[Picture, Picture]) -> tuple[Turn, Turn]:
    if way.form == "unisim":
        sample = Sample("AB", tuple(picture.path for picture in pictures), answer=0)
        ways = similarity.Similarity(mode="letter-logits", style=way.style)
        _, given = asking.answer(similarity.plan("iqa-2afc", [sample], asking.model.wants, ways))
        one, two = (_turn(way, order, response) for order, (_, response) in zip(_ORDERS, given, strict=True))
        return one, two
    samples = [Sample(name, (picture.path,)) for name, picture in zip(NAMES, pictures, strict=True)]
    mode: comparison.Mode = "text" if way.want == "text" else "letter-logits"
    once = comparison.Comparison(rounds=1, mode=mode, style=way.style)
    _, given = asking.answer(comparison.plan(samples, asking.model.wants, once))
    responses = {_order_of(ask): response for ask, response in given}
    one, two = (_turn(way, order, responses[order]) for order in _ORDERS)
    return one, two


def _order_of(ask: Ask) -> tuple[str, ...]:
    """Comparisons are asked about under both names."""
    return tuple(ask.sample.split("\n"))


def _turn(way: Way, order: tuple[str, str], response: Response) -> Turn:
    choice, reason = comparison.read_choice(way.want, response)
    if response.failure is not None:
        return Turn(order, None, said=response.failure)
    if choice is None or way.want == "text":
        return Turn(order, choice, said=response.text or reason or "")
    weights = softmax([response.logits["A"], response.logits["B"]])
    return Turn(order, choice, float(max(weights)))
