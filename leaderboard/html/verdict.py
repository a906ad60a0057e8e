"""Which of two is better, in words as firm as the probability allows; wherever two things are compared."""

from __future__ import annotations

LEANS, PREFERS = 0.6, 0.9
"""Probability, as it is shown, from which on one of two is leaned to, and preferred: odds of 3 to 2, and of 9 to 1."""
TOO_CLOSE = "too close to call"


def stance(better: str, probability: float) -> str:
    """What is made of the one that is more probably better: "leans to B", "prefers B" or "too close to call"."""
    shown = round(probability, 2)
    return f"prefers {better}" if shown >= PREFERS else f"leans to {better}" if shown >= LEANS else TOO_CLOSE


def verdict(who: str, one: str, other: str, probability: float) -> str:
    """A clause with the probability beside it.

    Args:
        who: Whose verdict it is.
        one: One of the two.
        other: The other.
        probability: That `one` is the better.
    """
    if probability < 0.5:
        one, other, probability = other, one, 1 - probability
    said = stance(one, probability)
    if said == TOO_CLOSE:
        return f"{who} finds {one} and {other} {TOO_CLOSE} ({two_digits(probability)} for {one})"
    return f"{who} {said} over {other} (probability {two_digits(probability)})"


def two_digits(probability: float) -> str:
    """A probability of the better of two; never 1, for nothing is certain."""
    return "over 0.99" if probability >= 0.995 else f"{probability:.2f}"
