"""Words of the field, each with its meaning in a sentence or two: pages tell it on hover, on focus and on a tap."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

TERMS: Mapping[str, str] = {
    "SRCC": (
        "Spearman's rank correlation: does the model put the pictures in the same order as people? 1 is the same "
        "order, 0 no relation, −1 the reverse."
    ),
    "PLCC": "Pearson's correlation: do the model's scores rise in proportion with people's? 1 is fully, 0 not at all.",
    "KRCC": (
        "Kendall's rank correlation: the share of pairs of pictures in the same order as people's scores, less the "
        "share in the reverse order."
    ),
    "RMSE": "Root mean squared error: how far the fitted scores are from people's, in the unit of people's scores.",
    "mAP": "Mean average precision: how near the top of the search results the right pictures are; 1 is all on top.",
    "MAP": (
        "Maximum a posteriori: the scores that make the comparisons most probable. A prior holds them near the mean "
        "and keeps them finite. The 2AFC paper ranks by it. A picture that scores 1 more is preferred in 84 % of cases."
    ),
    "MLE": (
        "Maximum likelihood: the scores that make the comparisons most probable, without a prior. A picture "
        "that always wins has no finite score."
    ),
    "Perron rank": (
        "Comes from the first eigenvector of the matrix of odds between pictures. A win against a picture that wins "
        "often counts more."
    ),
    "TrueSkill": "Made by Microsoft to rank players: each picture has a mean and a spread, updated by each comparison.",
    "Bradley–Terry": "A picture of score s is preferred to one of score t with probability 1 / (1 + exp(t − s)).",
    "α": "Share of all pairs with the right answer in both orders.",
    "κ": (
        "Consistency: share of pairs for which the model names the same picture in both orders. A model that always "
        "names the first gets 0, coin flips 50 %."
    ),
    "ρ": (
        "Correlation of the ranking made from the choices with people's scores, after a fitted curve. Coin flips "
        "already reach 0.13 to 0.66; with fewer pictures, more."
    ),
    "d′": "How well the model separates the two kinds of question, whatever its habit; 0 means not at all.",
    "criterion": "The habit: below zero the model leans to Yes, above zero to No; 0 is no preference.",
    "Holm": "Holm's correction: with more pairs tested, each pair needs stronger evidence.",
    "McNemar": "McNemar's test: of the items that only one of two models gets right, does one model get more?",
    "bootstrap": "The items are drawn many times, with replacement; the interval holds the middle 95 % of the results.",
    "logits": "What a model computes for each word before it chooses one: the larger, the likelier the word.",
    "logit": "What a model computes for a word before it chooses one: the larger, the likelier the word.",
    "standard error": "The usual error by chance: in two of three cases the error is smaller than this.",
    "close-set": ("The model writes nothing. Its answer is the option that it finds most probable."),
    "in-context": "Asked about one object or region that the question names, and not about the whole image.",
    "joint": "Asked about what both images have in common, and not which of them has more of something.",
    "zero-shot": "Never trained on the dataset or the task that is asked.",
    "no-reference": "From the picture alone, without the undamaged original beside it.",
    "full-reference": "From the picture and its undamaged original.",
    "IT-2AFC": "Two images and a text: which image does the text describe?",
    "Text-2AFC": "One image and two texts: which text describes it?",
    "Img-2AFC": "Three images: which of two is more like the first?",
    "IQA-2AFC": "Two images: which has the higher quality?",
    "2AFC": "Two-alternative forced choice: two things are shown, and one of them has to be named.",
}
"""Term -> what it means, in one sentence or two."""


def _pattern(term: str) -> str:
    """A term as it stands in text, at the beginning of a sentence too; no part of another word or of a file's name."""
    first = f"[{term[0].upper()}{term[0]}]" if re.match("[a-z]{2}", term) else re.escape(term[0])
    return rf"(?<![\w-]){first}{re.escape(term[1:])}(?!\w|\.\w)"


_ANY = re.compile("|".join(map(_pattern, sorted(TERMS, key=len, reverse=True))))


def find_terms(texts: Iterable[str]) -> list[tuple[str, str]]:
    """The terms in some texts with their meanings, each once, in the order in which they come."""
    found = dict.fromkeys(_named(term) for text in texts for term in _ANY.findall(text))
    return [(term, TERMS[term]) for term in found]


def split_terms(text: str) -> list[str | tuple[str, str]]:
    """A text in parts: what is not explained as it is, and each term where it first comes with its meaning."""
    parts: list[str | tuple[str, str]] = []
    until, told = 0, set[str]()
    for found in _ANY.finditer(text):
        term = _named(found[0])
        if term not in told:
            told.add(term)
            parts += [text[until : found.start()], (found[0], TERMS[term])]
            until = found.end()
    return [part for part in (*parts, text[until:]) if part]


def _named(found: str) -> str:
    return found if found in TERMS else f"{found[0].lower()}{found[1:]}"
