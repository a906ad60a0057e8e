"""Every prompt of the papers, by task and style, as printed.

Q-Bench: https://arxiv.org/abs/2309.14181, Secs. 2.2-2.4 and A.2. 2AFC prompting: https://arxiv.org/abs/2402.01162,
Sec. II-D, and its released code. Letters beside options are added here; images stand where the paper puts them.
"""

from __future__ import annotations

from collections.abc import Sequence

from qbench.records import Picture

Parts = tuple[str | Picture, ...]

DIRECT_LETTER = "Answer with the option's letter from the given choices directly."
CLOSE_SET_ANSWER = "#Answer:"

DESCRIBE = "Describe the quality, aesthetics and other low-level appearance of the image in details."

RATE = "Rate the quality of the image."
RATE_PREFILL = "The quality of the image is"
RATE_NUMBER = "Score the quality of the image from 1 to 5, with 1 as the lowest and 5 as the highest."
"""The paper describes this "numerical instruction" (Sec. 2.4.1) without printing it."""
CLIP_GOOD, CLIP_POOR = "a photo of good quality", "a photo of poor quality"

JUDGE_ROUNDS = 5
JUDGE_A1_SYSTEM = (
    "You are a helpful assistant that grades answers related to image quality and aesthetics. There are a lot of "
    "special terms or keywords related to image processing and photography. You will pay attention to the context of "
    "'quality evaluation' when grading."
)
JUDGE_A2_SYSTEM = "You are a helpful assistant."
_ONLY_SCORE = "Please only provide the result in the following format: Score:"


def letter(position: int) -> str:
    """A, B, C, … for the options of a question."""
    return chr(ord("A") + position)


def question(images: Sequence[Picture], text: str, options: Sequence[str]) -> Parts:
    """A1 (Q-Bench 2.2.3): question, image, options."""
    listed = "\n".join(f"{letter(number)}. {option}" for number, option in enumerate(options))
    return (text, *images, f"Choose between one of the following options:\n{listed}")


def grade_answer(text: str, options: Sequence[str], correct: str, answer: str) -> str:
    """A1's judge (Q-Bench A.2.1): is this answer right?"""
    ordered = [correct, *(option for option in options if option != correct)]
    return (
        f"Assuming you are a grader, you will now be provided with a question [{text}] and a set of options "
        f"[{', '.join(ordered)}] with option [{correct}] being the correct answer. Additionally, there will be an "
        f"answer [{answer}] provided by a respondent. Please determine whether the respondent's answer is correct "
        "considering the context of the question. Even if the word choice is not completely the same, you can decide "
        "based on the given options and see whether the one in the answer is close enough to the given correct "
        "answer, The result is 1 if the answer is correct and else the result is 0. Please only provide the result in "
        "the following format: Result:"
    )


def grade_completeness(description: str, golden: str) -> str:
    """A2's judge (Q-Bench A.2.2)."""
    return (
        f"Evaluate whether the description [{description}] completely includes the low-level visual information in "
        f"the reference description [{golden}].\nPlease rate score 2 for completely or almost completely including "
        "reference information, 0 for not including at all, 1 for including part of the information or similar "
        f"description.\n{_ONLY_SCORE}"
    )


def grade_precision(description: str, golden: str) -> str:
    """A2's judge (Q-Bench A.2.2); "contrasts with the reference" mends the printed "contrasts with the referencee"."""
    return (
        "The precision metric punishes controversial low-level descriptions that output description contrasts with the "
        "reference, e.g., blur for clear, high quality for low quality, colorful for monotonous, noisy for clean, "
        f"bright for dark.\nEvaluate whether output [{description}] precisely reflects reference [{golden}].\n"
        "Please rate score 2 for totally no controversial low-level description, 1 for less controversial low-level "
        "description than matched description, and 0 for more controversial low-level description than matched "
        f"description. {_ONLY_SCORE}"
    )


def grade_relevance(description: str) -> str:
    """A2's judge (Q-Bench A.2.2); needs no golden description."""
    return (
        f"Evaluate whether the description [{description}] is relevant to the low-level visual information, which may "
        "include blur, noise, exposure, artifact, color, lighting, focus, composition, etc.\nPlease rate score 2 for "
        f"completely relevant, 1 for partly relevant, and 0 for totally irrelevant.\n{_ONLY_SCORE}"
    )


def compare(first: Picture, second: Picture) -> Parts:
    """2AFC (Sec. II-D), answered in words."""
    return (
        "This is the first image:",
        first,
        "This is the second image:",
        second,
        "Which image has better visual quality?",
    )


def compare_by_letter(first: Picture, second: Picture) -> Parts:
    """2AFC as the released code asks it (LMMs/GPT4V.py), answered with A or B."""
    return (
        first,
        "This is the first image.",
        second,
        "This is the second image.",
        "Which image has a better visual quality?\nA. The first image.\nB. The second image.\n" + DIRECT_LETTER,
    )
