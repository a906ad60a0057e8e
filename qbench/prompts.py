"""Every prompt of the papers, by task and style, word for word, slips of the pen included.

Q-Bench (https://arxiv.org/abs/2309.14181): Secs. 2.2.3, 2.4.1 and A.2. 2AFC prompting
(https://arxiv.org/abs/2402.01162): Sec. III-A, and its released code. UniSim-Bench (https://arxiv.org/abs/2412.10594):
App. C and Table 6, and its released code (https://github.com/SaraGhazanfari/UniSim at e8b06e0). Those of later
scorers name their source where they stand. Pictures stand where the papers put them, the bracketed placeholders of
judges' templates are filled inside their brackets, as in the papers' examples.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from qbench.records import Picture

Parts = tuple[str | Picture, ...]


def letter(position: int) -> str:
    """A, B, C, … for the options of a question."""
    return chr(ord("A") + position)


def letters(count: int) -> tuple[str, ...]:
    """Those of so many options."""
    return tuple(map(letter, range(count)))


def _lettered(options: Sequence[str], between: str = "\n") -> str:
    return between.join(f"{letter(place)}. {option}" for place, option in enumerate(options))


# --- A1, perception

DIRECT_LETTER = "Answer with the option's letter from the given choices directly."
_CHOOSE = "\nChoose between one of the following options: "
QUESTIONS: Mapping[str, Callable[[Sequence[Picture], str, Sequence[str]], Parts]] = {
    "paper": lambda pictures, text, options: (text, *pictures, f"{_CHOOSE}{_lettered(options, ' ')}"),
    "answer": lambda pictures, text, options: (text, *pictures, f"{_CHOOSE}{_lettered(options, ' ')}\n#Answer:"),
    "llava": lambda pictures, text, options: (
        *pictures,
        f"\n{text}\nChoose between one of the options as follows:\n{_lettered(options)}\n",
    ),
    "letter": lambda pictures, text, options: (*pictures, f"{text}\n{_lettered(options)}\n{DIRECT_LETTER}\n"),
}
"""Style -> prompt of a question. "paper" is Sec. 2.2.3, "answer" its form for Kosmos-2 (A.2.1), "llava" that of LLaVA's
Q-Bench script, "letter" that of lmms-eval (https://github.com/EvolvingLMMs-Lab/lmms-eval), which fixes the format."""


def close_set(pictures: Sequence[Picture], text: str) -> Parts:
    """A question without its options, whose answers are ranked by loss (A.2.1, "close-set inference")."""
    return (text, *pictures)


def close_set_answer(option: str) -> str:
    """The continuation whose loss stands for an option (A.2.1)."""
    return f"#Answer: {option}"


JUDGE_ROUNDS = 5
JUDGE_TOKENS = 256
"""Room for a judge that cannot be brief."""
JUDGE_A1_SYSTEM = (
    "You are a helpful assistant that grades answers related to image quality and aesthetics. There are a lot of "
    "special terms or keywords related to image processing and photography. You will pay attention to the context of "
    "'quality evaluation' when grading."
)


def grade_answer(text: str, options: Sequence[str], correct: str, answer: str) -> str:
    """A1's judge (A.2.1). The right option comes first; options are listed as the paper's examples list them."""
    ordered = [correct, *(option for option in options if option != correct)]
    return (
        f"Assuming you are a grader, you will now be provided with a question [{text}] and a set of options "
        f"{ordered} with option [{correct}] being the correct answer. Additionally, there will be an answer "
        f"[{answer}] provided by a respondent. Please determine whether the respondents answer is correct considering "
        "the context of the question. Even if the word choice is not completely the same, you can decide based on the "
        "given options and see whether the one in the answer is close enough to the given correct answer, The result "
        "is 1 if the answer is correct and else the result is 0. Please only provide the result in the following "
        "format: Result:"
    )


def match_option(text: str, options: Sequence[str], reply: str) -> str:
    """MMBench's prompt for the extraction of choices (Appendix C.1, https://arxiv.org/abs/2307.06281); Z is none."""
    return (
        "You are an AI assistant who will help me to match an answer with several options of a single-choice question. "
        "You are provided with a question, several options, and an answer, and you need to find which option is most "
        "similar to the answer. If the meaning of all options are significantly different from the answer, output Z. "
        "You should only do the matching based exactly on the literal meaning of the options and answer. You should "
        "not perform any external inference based on your knowledge during the matching. Your should output a single "
        "uppercase character in A, B, C, D (if they are valid options), and Z.\n"
        "Example 1:\nQuestion: What is the main object in image?\nOptions: A. teddy bear B. rabbit C. cat D. dog\n"
        "Answer: a cute teddy bear\nYour output: A\n"
        "Example 2:\nQuestion: What is the main object in image?\nOptions: A. teddy bear B. rabbit C. cat D. dog\n"
        "Answer: Spider\nYour output: Z\n"
        f"Now it's your turn:\nQuestion: {text}\nOptions: {_lettered(options, ' ')}\nAnswer: {reply}\nYour output:"
    )


# --- A2, description

DESCRIBE = "Describe the quality, aesthetics and other low-level appearance of the image in details."
JUDGE_A2_SYSTEM = "You are a helpful assistant."
_ONLY_SCORE = "Please only provide the result in the following format: Score:"


def grade_completeness(description: str, golden: str) -> str:
    """A2's judge of completeness (A.2.2)."""
    return (
        f"Evaluate whether the description [{description}] completely includes the low-level visual information in "
        f"the reference description [{golden}].\nPlease rate score 2 for completely or almost completely including "
        "reference information, 0 for not including at all, 1 for including part of the information or similar "
        f"description.\n{_ONLY_SCORE}"
    )


def grade_precision(description: str, golden: str) -> str:
    """A2's judge of preciseness (A.2.2)."""
    return (
        "The precision metric punishes controversial low-level descriptions that output description contrasts with the "
        "referencee, e.g., blur for clear, high quality for low quality, colorful for monotonous, noisy for clean, "
        f"bright for dark.\nEvaluate whether output [{description}] precisely reflects reference [{golden}].\n"
        "Please rate score 2 for totally no controversial low-level description, 1 for less controversial low-level "
        "description than matched description, and 0 for more controversial low-level description than matched "
        f"description. {_ONLY_SCORE}"
    )


def grade_relevance(description: str) -> str:
    """A2's judge of relevance (A.2.2); needs no golden description."""
    return (
        f"Evaluate whether the description [{description}] is relevant to the low-level visual information, which may "
        "include blur, noise, exposure, artifact, color, lighting, focus, composition, etc.\nPlease rate score 2 for "
        f"completely relevant, 1 for partly relevant, and 0 for totally irrelevant.\n{_ONLY_SCORE}"
    )


# --- A3, assessment

RATE = "Rate the quality of the image."
RATE_PREFILL = "The quality of the image is"
"""Sec. 2.4.2 and the README's code, which allows a model its own beginning ("The answer is" for Shikra)."""
RATE_NUMBER = "Score the quality of the image from 1 to 5, with 1 as lowest and 5 as highest."
"""The numerical instruction (Sec. 2.4.1)."""
RATE_LEVEL = "How would you rate the quality of this image?"
"""Q-Align's question (https://github.com/Q-Future/Q-Align, q_align/evaluate/scorer.py), whose answer begins as
`RATE_PREFILL`; the first of those that Q-ReAlign was trained on."""
LEVEL_QUESTIONS: Mapping[str, Callable[[Picture], Parts]] = {
    "q-align": lambda picture: (f"{RATE_LEVEL}\n", picture),
    "q-realign": lambda picture: (picture, RATE_LEVEL),
}
"""Style -> question before five level words. They differ in where the picture stands."""


@dataclass(frozen=True)
class NumberQuestion:
    """How a model is asked to write a quality score from 1 to 5."""

    text: str
    max_tokens: int
    """Room for the answer and the thoughts before it."""
    system: str = ""


_OVERALL = (
    "What is your overall rating on the quality of this picture? The rating should be a float between 1 and 5, rounded "
    "to two decimal places, with 1 representing very poor quality and 5 representing excellent quality."
)
_VISUAL_QUALITY = f"You are doing the image quality assessment task. Here is the question: {_OVERALL}"
NUMBER_QUESTIONS: Mapping[str, NumberQuestion] = {
    "paper": NumberQuestion(RATE_NUMBER, 64),
    "q-insight": NumberQuestion(
        f'{_OVERALL} Return the final answer in JSON format with the following keys: "rating": The score.',
        1024,
        "A conversation between User and Assistant. The user asks a question, and the Assistant solves it. The "
        "assistant first thinks about the reasoning process in the mind and then provides the user with the answer. "
        "The reasoning process and answer are enclosed within <think> </think> and <answer> </answer> tags, "
        "respectively, i.e., <think> reasoning process here </think><answer> answer here </answer>",
    ),
    "visualquality-r1": NumberQuestion(
        f"{_VISUAL_QUALITY} First output the thinking process in <think> </think> tags and then output the final "
        "answer with only one score in <answer> </answer> tags.",
        2048,
    ),
    "visualquality-r1-direct": NumberQuestion(
        f"{_VISUAL_QUALITY} Please only output the final answer with only one score in <answer> </answer> tags.", 64
    ),
}
"""Style -> question whose answer is a number. "paper" is Q-Bench's numerical instruction, "q-insight" that of Q-Insight
(https://arxiv.org/abs/2503.22679, Table A), the others those of VisualQuality-R1 with and without thinking
(https://github.com/TianheWu/VisualQuality-R1). Pictures come first."""
CLIP_GOOD, CLIP_POOR = "a photo of good quality", "a photo of poor quality"
"""For encoders (Eq. 2)."""
CLIP_IQA_GOOD, CLIP_IQA_BAD = "Good photo.", "Bad photo."
"""For encoders, of CLIP-IQA (https://arxiv.org/abs/2207.12396)."""


# --- 2AFC

COMPARISON_QUESTION = "Which image has better visual quality?"
COMPARISONS: Mapping[str, Callable[[Picture, Picture], Parts]] = {
    "paper": lambda first, second: (
        *("This is the first image:", first),
        *("This is the second image:", second),
        COMPARISON_QUESTION,
    ),
    "code": lambda first, second: (
        *(first, "This is the first image"),
        *(second, "This is the second image"),
        "Which image has a better visual quality? A. The first image. B. The second image. " + DIRECT_LETTER,
    ),
}
"""Style -> prompt of a pair. "paper" is Sec. III-A; "code" is what the released LMMs/GPT4V.py sends, with letters."""


# --- UniSim-Bench

_MULTIPLE_CHOICE = "Answer the following multiple-choice question:\n"
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

SIMILARITY: Mapping[str, Mapping[str, str]] = {
    "paper": {
        "img-2afc": _MULTIPLE_CHOICE + "Here are three images: <image><image><image>. \n If image 1 is the reference "
        "image, which image of the other two is more similar to the reference image? \n Options: \n(A) Image 2 \n"
        "(B) Image 3",
        "it-2afc": "Answer the following question:\nHere are {number} images: {images}, and here is the reference "
        "caption: {first}. which of the {number} images is more aligned to the reference caption?\n Options:\n"
        "{options}",
        "text-2afc": _MULTIPLE_CHOICE + "Given the reference image: <image> and two captions, caption 1: {first}, "
        "caption 2: {second} \n which caption has a better alignment with the reference image? \nOptions:\n"
        "(A) Caption 1\n(B) Caption 2",
        "iqa-2afc": _MULTIPLE_CHOICE + "Given two images: <image><image> which image has a better quality? \nOptions:\n"
        "(A) Image 1\n(B) Image 2",
        "attributes": _MULTIPLE_CHOICE + "Given two images: <image><image> which image is more {attribute}? \n"
        "Options:\n(A) Image 1 \n(B) Image 2",
        "odd-one-out": _MULTIPLE_CHOICE + "Here are three images: <image><image><image>, Which one (A, B, C) is the "
        "odd-one-out of the group?\n Options:\n(A) Image 1\n(B) Image 2\n(C) Image 3’",
    },
    "code": {
        "img-2afc": _MULTIPLE_CHOICE + "Here are three images: <image> <image> <image>. If image 1 is the reference "
        "image, which image of the other two is more similar to the reference image?\nOptions:\n(A) Image 2\n"
        "(B) Image 3",
        "it-2afc": "Answer the following question:\nHere are {number} images: {images}, and here is the reference "
        'caption: "{first}". which of the {number} images is more aligned to the reference caption?\nOptions:\n'
        "{options}",
        "text-2afc": _MULTIPLE_CHOICE + " Given the reference image: <image>. and two captions, caption 1: "
        '"{first}", caption 2: "{second}" \nwhich caption has a better alignment with the reference image?  \n\n'
        "Options:\n(A) Caption 1\n(B) Caption 2",
        "iqa-2afc": _MULTIPLE_CHOICE + "Given two images: image 1 <image> and image 2 <image>.which image has a better "
        "quality?\n\nOptions:\n(A) Image 1\n(B) Image 2",
        "attributes": _MULTIPLE_CHOICE + "Given two images: image 1 <image> and image 2 <image>. which image "
        "{attribute}?\nOptions:\n(A) Image 1\n(B) Image 2",
        "odd-one-out": _MULTIPLE_CHOICE + "Here are three images: <image> <image> <image>Which one (A, B, C) is the "
        "odd-one-out of the group?\nOptions:\n(A) Image 1\n(B) Image 2\n(C)Image 3",
    },
}
"""Style -> task -> instruction. "paper" is Table 6, "code" what the released code sends LLaVA-NeXT and UniSim-LL-N."""

ATTRIBUTE_WORDS: Mapping[str, Mapping[str, str]] = {
    "paper": {"brightness": "bright", "colorfulness": "colorful", "contrast": "contrasted", "sharpness": "sharp"},
    "code": {
        "brightness": "is brighter",
        "colorfulness": "is more colorful",
        "contrast": "has more contrast",
        "sharpness": "is sharper in color",
    },
}
"""Style -> attribute -> its word in the instruction. Table 6 leaves its {perceptual attribute} open; these are ours."""

NAIVE_CAPTIONS: Mapping[str, str] = {
    "quality": "A high-quality photo.",
    "brightness": "A bright photo.",
    "colorfulness": "A very colorful photo.",
    "contrast": "A high contrast photo.",
    "sharpness": "A very sharp photo",
}
"""For encoders: the caption that the better image is nearer to, as in the released code (App. C has the first, without
its hyphen)."""

OPPOSITE_CAPTIONS: Mapping[str, tuple[str, str]] = {
    "quality": (CLIP_IQA_GOOD, CLIP_IQA_BAD),
    "brightness": ("Bright photo.", "Dark photo."),
    "colorfulness": ("Colorful photo.", "Dull photo"),
    "contrast": ("High contrast photo.", "Low contrast photo."),
    "sharpness": ("Sharp photo.", "Blurry photo."),
}
"""For encoders, CLIP-IQA's way: the better image is nearer to the first than to the second."""


def similarity_question(task: str, style: str, attribute: str = "") -> str:
    """What an instruction asks of its images and captions, without them."""
    asked = re.search(r"(?i)\bwhich\b[^?]*\?", SIMILARITY[style][task])
    assert asked is not None
    return asked[0].format(attribute=ATTRIBUTE_WORDS[style].get(attribute, ""), number="")


def similarity(
    task: str, style: str, pictures: Sequence[Picture], texts: Sequence[str] = (), attribute: str = ""
) -> Parts:
    """The instruction of one comparison with its images and captions in the order they are shown.

    More than two images for a caption get as many options; the released code lists none for three.
    """
    between, after = ("", " \n") if style == "paper" else (" ", "\n")
    options = after.join(f"({letter(place)}) Image {place + 1}" for place in range(len(pictures)))
    template = SIMILARITY[style][task].replace("{images}", between.join(["<image>"] * len(pictures)))
    words = {
        "first": texts[0] if texts else "",
        "second": texts[-1] if texts else "",
        "number": _NUMBERS[len(pictures)],
        "options": options,
        "attribute": ATTRIBUTE_WORDS[style].get(attribute, ""),
    }
    lead, *pieces = (piece.format_map(words) for piece in template.split("<image>"))
    parts: list[str | Picture] = [lead]
    for picture, piece in zip(pictures, pieces, strict=True):
        parts += [picture, piece] if piece else [picture]
    return tuple(parts)
