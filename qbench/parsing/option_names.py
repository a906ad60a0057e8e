"""What the options of a question may be called, beside their letters and texts: "the second option", "the left one"."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from qbench.parsing.choices import Choices, choices_of
from qbench.parsing.claims import YES_NO_WORDS

_WHO = ["it", "they", "there", "that", "this", "you", "i", "he", "she", "we"]
_VERBS = ["is", "are", "was", "were", "does", "do", "did", "has", "have", "can", "could", "would", "will"]
_HOW = ("", "really ", "certainly ", "definitely ", "sure ", "clearly ", "indeed ", "still ")
YES_OR_NO = {
    "yes": (
        *("absolutely", "certainly", "definitely", "indeed", "of course", "i believe so", "i think so"),
        *("i would say so", "very much so", "without a doubt", "that it is", "undoubtedly", "affirmative"),
        *("yeah", "yep", "yup"),
        *(f"i {think} {who} {verb}" for think in ("think", "believe", "would say") for who in _WHO for verb in _VERBS),
        *(
            f"{start}{who} {how}{verb}"
            for start in ("", "indeed ", "yes ")
            for who in _WHO
            for how in _HOW
            for verb in _VERBS
        ),
    ),
    "no": (
        *("not really", "unfortunately not", "sadly not", "i am afraid not", "apparently not", "probably not", "nope"),
        *("not at all", "certainly not", "definitely not", "absolutely not", "of course not", "not even close"),
        *("hardly", "far from it", "by no means", "not in the least", "barely"),
        *(f"i {verb} not {think} so" for verb in ("do", "would") for think in ("think", "believe", "say")),
        *(f"{start}{who} {how}{verb} not" for start in ("", "no ") for who in _WHO for how in _HOW for verb in _VERBS),
        *(f"{who} {verb} {how}not" for who in _WHO for verb in _VERBS for how in _HOW if how),
    ),
}
"""What says yes or no where it is all of a reply."""
_SIDES = frozenset(["left", "right", "top", "bottom", "upper", "lower", "center", "centre", "middle"])
_DEGREES = {
    "very": ("extremely", "incredibly", "exceptionally", "remarkably"),
    "extremely": ("very", "incredibly", "exceptionally"),
    "slightly": ("a bit", "a little", "a little bit", "somewhat", "mildly"),
    "completely": ("totally", "entirely", "fully"),
}
"""Words that tell as much as those of an option: "extremely sharp" of "Very sharp"."""
_HALVES = ("side", "part", "half", "area", "region")
_NUMBERS = {2: "two", 3: "three", 4: "four"}
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


def names_of(option: str) -> list[str]:
    """An option, and the same with other words for its degree."""
    degree, _, rest = option.casefold().partition(" ")
    return [option.casefold(), *(f"{other} {rest}" for other in _DEGREES.get(degree, ()))]


@lru_cache(maxsize=1024)
def choices_of_options(options: tuple[str, ...]) -> Choices:
    """The options with what else they may be called; the same ones come again with reply after reply."""
    meant = [
        next((word for word, others in YES_NO_WORDS.items() if option.strip().casefold() in others), "")
        for option in options
    ]
    alone = [YES_OR_NO[word] for word in meant] if set(meant) == set(YES_OR_NO) else ()
    wordings = [[option, *([word] if alone else [])] for option, word in zip(options, meant, strict=True)]
    for names in wordings:
        names += names_of(names[0])[1:]
    ones = _as_ones(options)
    numbered = not any(character.isdigit() for option in options for character in option)
    for number, (names, ordinal) in enumerate(zip(wordings, _ORDINALS, strict=False), start=1):
        names += [f"{ordinal} option", f"{ordinal} of the {_NUMBERS.get(len(options), 'options')}"]
        names += [f"{noun} {number}" for noun in ("option", "choice") if numbered]
        side = next((word for word in names[0].casefold().split() if word in _SIDES), "")
        if set(names[0].casefold().split()) <= {"the", side, *_HALVES}:
            names += [f"{side} {part}" for part in _HALVES] + [f"on the {side}"]
        if names[0].casefold().startswith("none of"):
            names += [f"none of {each}" for each in ("these", "those", "them")]
    for names, one in zip(wordings, ones, strict=True):
        names += [one] if one and "right" not in one.casefold() else []  # "the right one" may be the correct one
    wordings[-1].append("last option")
    sides = [[word for word in names[0].casefold().split() if word in _SIDES] for names in wordings]
    halves = all(set(names[0].casefold().split()) <= {"the", *_SIDES, *_HALVES} for names in wordings)
    return choices_of(
        wordings, letters=len(options), alone=alone or (sides if halves else [[one] for one in ones]), texts=True
    )


def _as_ones(options: Sequence[str]) -> list[str]:
    """Options that share their noun without it: "the left one" of "The left lamp"; empty where they do not."""
    words = [option.split() for option in options]
    shared = all(
        len(each) > 1 and each[-1].casefold() == words[0][-1].casefold() and each[-1].isascii() for each in words
    )
    return [" ".join([*each[:-1], "one"]) if shared else "" for each in words]
