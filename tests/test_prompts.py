"""Every prompt is unchanged since it was held against its paper word for word; those put together are spelt out."""

from __future__ import annotations

import hashlib

import pytest

from qbench import prompts
from qbench.records import Picture

ONE, OTHER = Picture("one.png", "1"), Picture("other.png", "2")
QUESTION, OPTIONS = "How is the clarity of the image?", ["High", "Medium", "Low"]
BLUR = ["Not blurry at all", "Some blur", "Very blurry"]


def said(*parts: str | Picture) -> str:
    return "".join(part if isinstance(part, str) else "<image>" for part in parts)


def similarity(task: str, style: str, attribute: str = "") -> str:
    captions = {"it-2afc": ["{prompt}"], "text-2afc": ["{caption1}", "{caption2}"]}.get(task, [])
    shown = {"text-2afc": 1, "img-2afc": 3, "odd-one-out": 3}.get(task, 2)
    return said(*prompts.similarity(task, style, [ONE] * shown, captions, attribute))


PRINTED = {
    # Q-Bench, Sec. 2.2.3 and 2.4.1, A.2.1 to A.2.3, and the README's code; LLaVA's and lmms-eval's questions
    "question, paper": (said(*prompts.QUESTIONS["paper"]([ONE], QUESTION, OPTIONS)), "5a63a973752d"),
    "question, answer": (said(*prompts.QUESTIONS["answer"]([ONE], QUESTION, OPTIONS)), "a0ecc1f5d35e"),
    "question, llava": (said(*prompts.QUESTIONS["llava"]([ONE], QUESTION, OPTIONS)), "a8afc10d42b2"),
    "question, letter": (said(*prompts.QUESTIONS["letter"]([ONE, OTHER], QUESTION, OPTIONS)), "abd747f9a798"),
    "close set": (said(*prompts.close_set([ONE], QUESTION), prompts.close_set_answer("High")), "ba5bd2a10109"),
    "judge of answers": (
        prompts.JUDGE_A1_SYSTEM + prompts.grade_answer("How?", BLUR, "Some blur", "Some."),
        "ceb8b923a8ce",
    ),
    "description": (prompts.DESCRIBE + prompts.JUDGE_A2_SYSTEM, "d6a5fac4d85e"),
    "completeness": (prompts.grade_completeness("MLLM_DESC", "GOLDEN_DESC"), "d4706204c524"),
    "precision": (prompts.grade_precision("b", "a"), "0db502ea3fcd"),
    "relevance": (prompts.grade_relevance("MLLM_DESC"), "20242230a185"),
    "rating": (prompts.RATE + prompts.RATE_PREFILL + prompts.RATE_NUMBER, "5467fcfb5d4d"),
    "captions": (prompts.CLIP_GOOD + prompts.CLIP_POOR + prompts.CLIP_IQA_GOOD + prompts.CLIP_IQA_BAD, "da8ec1e4141e"),
    # MMBench, Figure 21 of https://arxiv.org/abs/2307.06281
    "judge of unread replies": (prompts.match_option("Which?", ["Yes", "No"], "Perhaps."), "654f883ad92d"),
    # Q-Align, q_align/evaluate/scorer.py; Q-ReAlign, qalign/scorer.py and prompts.py
    "levels, q-align": (said(*prompts.LEVEL_QUESTIONS["q-align"](ONE)), "65168106b6f4"),
    "levels, q-realign": (said(*prompts.LEVEL_QUESTIONS["q-realign"](ONE)), "0c55fc2ddd94"),
    # Q-Insight, Table A; VisualQuality-R1, README
    "number, paper": (prompts.NUMBER_QUESTIONS["paper"].text, "266a20ae6a3d"),
    "number, q-insight": (
        prompts.NUMBER_QUESTIONS["q-insight"].system + prompts.NUMBER_QUESTIONS["q-insight"].text,
        "a8fc3d3f62d1",
    ),
    "number, visualquality-r1": (prompts.NUMBER_QUESTIONS["visualquality-r1"].text, "f0f7669e0707"),
    "number, visualquality-r1-direct": (prompts.NUMBER_QUESTIONS["visualquality-r1-direct"].text, "da191c2b21c6"),
    # 2AFC, Sec. III-A, and LMMs/GPT4V.py of its code
    "comparison, paper": (said(*prompts.COMPARISONS["paper"](ONE, OTHER)), "9d06da5780a7"),
    "comparison, code": (said(*prompts.COMPARISONS["code"](ONE, OTHER)), "364aefa0a5d4"),
    # UniSim, its released code
    "img-2afc, code": (similarity("img-2afc", "code"), "1f4dd3d2898f"),
    "it-2afc, code": (similarity("it-2afc", "code"), "eaeb8db960ea"),
    "text-2afc, code": (similarity("text-2afc", "code"), "701dea7ca354"),
    "iqa-2afc, code": (similarity("iqa-2afc", "code"), "67946e2fa536"),
    "attributes, code": (similarity("attributes", "code", "sharpness"), "e94fdfffd3ea"),
    "odd-one-out, code": (similarity("odd-one-out", "code"), "8f5d5c9ebfd6"),
}
"""What is said, and the beginning of its SHA-256."""


@pytest.mark.parametrize("name", PRINTED)
def test_no_prompt_changes_unseen(name: str) -> None:
    """Another text is another question: answers are kept by it, and published figures are of it."""
    text, digest = PRINTED[name]
    assert hashlib.sha256(text.encode()).hexdigest()[:12] == digest, text


TABLE_6 = {
    # UniSim, copied from the paper, whose \n are line breaks and whose <image> are the images.
    "img-2afc": r"Answer the following multiple-choice question:\nHere are three images: <image><image><image>. \n If "
    r"image 1 is the reference image, which image of the other two is more similar to the reference image? \n Options: "
    r"\n(A) Image 2 \n(B) Image 3",
    "it-2afc": r"Answer the following question:\nHere are two images: <image><image>, and here is the reference "
    r"caption: {prompt}. which of the two images is more aligned to the reference caption?\n Options:\n(A) Image 1 "
    r"\n(B) Image 2",
    "text-2afc": r"Answer the following multiple-choice question:\nGiven the reference image: <image> and two "
    r"captions, caption 1: {caption1}, caption 2: {caption2} \n which caption has a better alignment with the "
    r"reference image? \nOptions:\n(A) Caption 1\n(B) Caption 2",
    "iqa-2afc": r"Answer the following multiple-choice question:\nGiven two images: <image><image> which image has a "
    r"better quality? \nOptions:\n(A) Image 1\n(B) Image 2",
    "attributes": r"Answer the following multiple-choice question:\nGiven two images: <image><image> which image is "
    r"more {perceptual attribute}? \nOptions:\n(A) Image 1 \n(B) Image 2",
    "odd-one-out": r"Answer the following multiple-choice question:\nHere are three images: <image><image><image>, "
    r"Which one (A, B, C) is the odd-one-out of the group?\n Options:\n(A) Image 1\n(B) Image 2\n(C) Image 3’",
}


def test_similarity_as_printed() -> None:
    for task, printed in TABLE_6.items():
        filled = printed.replace(r"\n", "\n").replace("{perceptual attribute}", "bright")
        assert similarity(task, "paper", "brightness") == filled


def test_similarity_of_four_images_to_a_caption_with_braces() -> None:
    parts = prompts.similarity("it-2afc", "paper", [ONE, OTHER, ONE, OTHER], ["a {number} of <image>s"])
    assert [part for part in parts if isinstance(part, Picture)] == [ONE, OTHER, ONE, OTHER]
    assert parts[-1] == (
        ", and here is the reference caption: a {number} of <image>s. which of the four images is more aligned to the "
        "reference caption?\n Options:\n(A) Image 1 \n(B) Image 2 \n(C) Image 3 \n(D) Image 4"
    )
