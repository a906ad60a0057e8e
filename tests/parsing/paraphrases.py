"""Thousands of replies with known meaning, from templates and vocabulary.

A template says what a reply means whatever words fill it: the choice named X, a tie, or nothing at all. Its slots are
filled by chance from a fixed seed, so that every run makes the same replies. The words are not the parser's tables:
some are in them and some are not.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

OPTIONS: Sequence[Sequence[str]] = (
    ("High", "Medium", "Low"),
    ("Blurry", "Clear", "Normal"),
    ("Noise", "Out of focus", "Overexposure", "Underexposure"),
    ("Bright", "Dark", "Medium"),
    ("Severe", "Moderate", "Slight"),
    ("The sky", "The building", "The car"),
    ("Colorful", "Dull", "Normal"),
    ("Excellent", "Good", "Fair", "Poor"),
)

PLACES: Sequence[tuple[str, str]] = (
    ("the first image", "the second image"),
    ("Image 1", "Image 2"),
    ("image A", "image B"),
    ("the left image", "the right image"),
    ("the first picture", "the second picture"),
    ("the first one", "the second one"),
    ("photo 1", "photo 2"),
    ("the image on the left", "the image on the right"),
    ("Image 1 (left)", "Image 2 (right)"),
)

WORDS: Mapping[str, Sequence[str]] = {
    "degree": ("", "", "", "clearly ", "slightly ", "noticeably ", "much ", "far ", "somewhat ", "significantly "),
    "quality": ("quality", "visual quality", "image quality", "overall quality", "perceptual quality"),
    "better": ("better", "superior", "higher"),
    "sharper": ("sharper", "clearer", "crisper", "more detailed", "cleaner", "more vivid", "less noisy", "less blurry"),
    "gain": (
        "better contrast",
        "finer detail",
        "less noise",
        "more natural colors",
        "higher resolution",
        "fewer artifacts",
    ),
    "defect": ("noise", "banding", "blur", "compression artifacts", "halos", "glare", "moire", "color fringing"),
    "flaw": ("blurry", "noisy", "overexposed", "washed out", "grainy", "distorted", "pixelated"),
    "need": ("better lighting", "sharper focus", "more contrast", "higher resolution", "a better exposure"),
    "needs": (
        *("needs", "lacks", "requires", "could use", "would benefit from", "cries out for", "deserves", "calls for"),
        *("is in need of", "is missing", "should have", "would be improved by", "fails to show", "longs for"),
    ),
    "more": ("more visible", "greater", "stronger", "more", "heavier", "clearer signs of", "more pronounced", "higher"),
    "beats": ("beats", "outperforms", "surpasses", "is better than", "is superior to", "outclasses", "edges out"),
    "loses": ("loses to", "is outperformed by", "is beaten by", "falls short of", "is surpassed by"),
    "prefer": ("prefer", "choose", "would pick", "would go with", "select", "would opt for", "favor", "lean towards"),
    "opener": (
        "",
        "",
        "",
        "Sure! ",
        "Okay. ",
        "Overall, ",
        "In my opinion, ",
        "I think ",
        "Well, ",
        "Based on the images, ",
    ),
    "so": ("so", "therefore", "hence", "thus"),
    "reason": (
        *("because it is sharper", "since the details are finer", "as it has less noise", "due to its better exposure"),
        "because its colors look more natural",
    ),
    "scene": ("a dog on a sofa", "a street at night", "two people in a park", "a bowl of fruit", "an old bridge"),
    "although": ("Although", "Though", "Even though", "While"),
    "but": ("but", "however,", "yet"),
    "wait": ("Wait, no.", "Actually, no.", "Correction:", "On second thought,", "Scratch that.", "Sorry, I misread."),
    "answer": (
        "The answer is",
        "Answer:",
        "The correct answer is",
        "My answer is",
        "Final answer:",
        "The correct option is",
    ),
    "wrong": (
        "incorrect",
        "wrong",
        "not supported",
        "implausible",
        "not visible in the image",
        "eliminated",
        "ruled out",
    ),
    "think": ("<think>{}</think>", "[THINK]{}[/THINK]", "<thinking>{}</thinking>\n", "◁think▷{}◁/think▷"),
    "user": (
        "\nUser: {}\nAssistant: ",
        "\n### Human: {}\n### Assistant: ",
        "\n\nHuman: {}\n\nAI: ",
        " [INST] {} [/INST] ",
    ),
    "end": ("", "", ".", "."),
}

PREFERENCES: Mapping[str, Sequence[str]] = {
    "X": (
        "{opener}{x} has {degree}{better} {quality}.",
        "{opener}{x} has {better} {quality} than {y}.",
        "{opener}{x} is {degree}better than {y}.",
        "{x} {beats} {y}.",
        "{y} {loses} {x}.",
        "I {prefer} {x}{end}",
        "I {prefer} {x} over {y}.",
        "I {prefer} {x} {reason}.",
        "{opener}{x} is {degree}{sharper} than {y}.",
        "{x} has {gain}.",
        "{x} has {gain} and {gain}.",
        "Winner: {x}",
        "Better image: {x}",
        "Verdict: {x}{end}",
        "The better image is {x}.",
        "The image with better {quality} is {x}.",
        "{although} {y} is {sharper}, {x} has better {quality}.",
        "{although} {y} is {sharper}, I {prefer} {x}.",
        "{y} is {sharper}, {but} {x} has the better {quality} overall.",
        "Both are good, {but} {x} is {degree}better.",
        "{x} is {sharper}, while {y} looks {flaw}.",
        "{y} shows {more} {defect}, {so} I {prefer} {x}.",
        "{y} {needs} {need}, {so} {x} is better.",
        "{y} is better. {wait} {x} is better.",
        "{x}. {reason_sentence}",
        "{x}, {reason}.",
        "In terms of {quality}, {x} is {degree}better.",
        "Compared to {y}, {x} is {sharper}.",
        "{thinking}{x}",
        "{x}{turn}{y}",
        "{x} shows {scene}. {y} shows {scene}. {x} has better {quality}.",
        "{x} wins{end}",
        "After comparing both images, {x} is the better one.",
        "It is {x}.",
        "Not {y}, {x}.",
        "{y} is not as {positive} as {x}.",
        "{y} has {more} {defect} than {x}.",
        "{y} is worse than {x}.",
    ),
    "tie": (
        "Both images have the same {quality}.",
        "{x} and {y} are equal in {quality}.",
        "There is no noticeable difference between the two images.",
        "They are equally good.",
        "Neither image is better.",
        "It's a tie{end}",
    ),
    "": (
        "{x} {needs} {need}.",
        "{opener}{x} {needs} {need}.",
        "{x} shows {more} {defect}.",
        "{x} is {flaw}.",
        "{x} is not {degree}{sharper}.",
        "I would not say {x} is better.",
        "It would be wrong to choose {x}.",
        "I doubt that {x} is better.",
        "If {x} were {sharper}, it would be better.",
        "Some people would choose {x}.",
        "At first glance {x} seems better.",
        "{x} shows {scene}. {y} shows {scene}.",
        "{x} is {sharper}, {but} {y} has {gain}.",
        "{x} fails to be {sharper} than {y}.",
        "{x} is best described as a mess.",
        "Is {x} better than {y}?",
        "The claim that {x} is better is false.",
        "{x} is better. {wait}",
        "I cannot tell whether {x} or {y} is better.",
        "{x} would be better with {need}.",
        "<think>{x} is better",
    ),
}

CHOICES: Mapping[str, Sequence[str]] = {
    "X": (
        "{X}",
        "{X}.",
        "({X})",
        "{X}. {x}",
        "{X}) {x}",
        "{x}",
        "{x}.",
        "{answer} {X}.",
        "{answer} {x}.",
        "{answer} {X}. {x}",
        "{opener}{X}.",
        "I would say {X}.",
        "I {prefer} {X}{end}",
        "{X} is correct.",
        "Option {X} is the best answer.",
        "{Y} is {wrong}, {so} {answer_low} {X}.",
        "{rest} are {wrong}. {answer} {X}.",
        "{rest} are {wrong}, {so} {X}.",
        "{rest} are {wrong}.",
        "{answer} {Y}. {wait} {answer} {X}.",
        "{Y}. {wait} {X}.",
        "{Y} looks tempting, {but} {answer_low} {X}.",
        "Not {Y} but {X}.",
        "{thinking}{X}",
        "{thinking}{answer} {X}",
        "{X}{turn}{Y}",
        '<<"answer": "{X}">>',
        "$\\boxed<<{X}>>$",
        "<answer>{X}</answer>",
        "**{X}**",
        "答案是{X}。",
        "选{X}",
        "{X}, {reason}.",
        "Let's think step by step. The edges are examined. {answer} {X}.",
    ),
    "": (
        "{Y} can be eliminated.",
        "It is either {Y} or {Z}.",
        "{answer} {Y} or {Z}.",
        "{Y} is not correct.",
        "The answer is not {Y}.",
        "If it were {y}, {answer_low} {Y}.",
        "I do not think {answer_low} {Y}.",
        "Is it {y}?",
        "{X}. {y}",
        "<think>{answer} {Y}",
        "{answer} {Y}. {wait}",
        "Some would say {Y}.",
    ),
}

_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Paraphrase:
    """A reply and what it means: the index of an option, a preference, or nothing."""

    template: str
    reply: str
    meaning: int | str | None
    options: tuple[str, ...] = ()


def preferences(count: int, seed: int = 0) -> Iterator[Paraphrase]:
    """Replies to "which of two": `count` for every template."""
    chance = random.Random(seed)
    for meaning, templates in PREFERENCES.items():
        for template in templates:
            for _ in range(count):
                side = chance.randrange(2)
                places = chance.choice(PLACES)
                names = {"x": places[side], "y": places[1 - side]}
                expected = ("first", "second")[side] if meaning == "X" else meaning or None
                yield Paraphrase(template, _filled(template, names, chance), expected)


def choices(count: int, seed: int = 0) -> Iterator[Paraphrase]:
    """Replies to "which of several options": `count` for every template."""
    chance = random.Random(seed)
    for meaning, templates in CHOICES.items():
        for template in templates:
            for _ in range(count):
                options = tuple(chance.choice(OPTIONS))
                order = chance.sample(range(len(options)), len(options))
                letters = ["ABCDEFGH"[place] for place in order]
                names = {
                    "X": letters[0],
                    "Y": letters[1],
                    "Z": letters[2],
                    "x": options[order[0]],
                    "y": options[order[1]],
                }
                names["rest"] = " and ".join([", ".join(letters[1:-1]), letters[-1]])
                yield Paraphrase(template, _filled(template, names, chance), order[0] if meaning else None, options)


def _filled(template: str, names: Mapping[str, str], chance: random.Random) -> str:
    def fill(slot: re.Match[str]) -> str:
        name = slot[1]
        if name in names:
            return names[name]
        if name == "thinking":
            return chance.choice(WORDS["think"]).format(f"Maybe {names.get('y', names['x'])}. Let me look again.")
        if name == "turn":
            return chance.choice(WORDS["user"]).format("Are you sure?")
        if name == "answer_low":
            return chance.choice(["the answer is", "the correct answer is", "I choose", "it is"])
        if name == "reason_sentence":
            return chance.choice(["The details are finer.", "It has less noise.", "Its colors are more natural."])
        if name == "positive":
            return chance.choice(["sharp", "clear", "detailed", "good", "crisp"])
        return chance.choice(WORDS[name])

    reply = _SLOT.sub(fill, template)
    reply = reply.replace("<<", "{").replace(">>", "}")
    return reply[:1].upper() + reply[1:] if template[:1] == "{" and template[1:2].islower() else reply
