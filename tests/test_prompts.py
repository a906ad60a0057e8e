"""Every prompt, word for word as the papers print it."""

from __future__ import annotations

from qbench import prompts
from qbench.records import Picture

ONE, OTHER = Picture("one.png", "1"), Picture("other.png", "2")
QUESTION, OPTIONS = "How is the clarity of the image?", ["High", "Medium", "Low"]


def as_printed(parts: prompts.Parts) -> str:
    return "".join(part if isinstance(part, str) else " [IMAGE_TOKEN]" for part in parts)


def test_question_of_the_paper() -> None:
    # Sec. 2.2.3, less its remarks in brackets.
    assert as_printed(prompts.QUESTIONS["paper"]([ONE], QUESTION, OPTIONS)) == (
        "How is the clarity of the image? [IMAGE_TOKEN]\n"
        "Choose between one of the following options: A. High B. Medium C. Low"
    )


def test_question_as_asked_of_kosmos() -> None:
    # A.2.1.
    assert as_printed(prompts.QUESTIONS["answer"]([ONE], QUESTION, OPTIONS)) == (
        "How is the clarity of the image? [IMAGE_TOKEN]\n"
        "Choose between one of the following options: A. High B. Medium C. Low\n"
        "#Answer:"
    )


def test_close_set_does_not_show_the_options() -> None:
    # A.2.1: "How is the clarity of the image? [IMAGE_TOKEN] #Answer: High".
    asked = as_printed(prompts.close_set([ONE], QUESTION))
    assert f"{asked} {prompts.close_set_answer('High')}" == (
        "How is the clarity of the image? [IMAGE_TOKEN] #Answer: High"
    )


def test_questions_of_other_tools() -> None:
    listed = "How is the clarity of the image?\nChoose between one of the options as follows:\nA. High\nB. Low\n"
    assert prompts.QUESTIONS["llava"]([ONE], QUESTION, ["High", "Low"]) == (ONE, "\n" + listed)
    assert prompts.QUESTIONS["letter"]([ONE], QUESTION, ["High", "Low"]) == (
        ONE,
        "How is the clarity of the image?\nA. High\nB. Low\n"
        "Answer with the option's letter from the given choices directly.\n",
    )


def test_judge_of_answers() -> None:
    # A.2.1, filled with its second example.
    assert prompts.JUDGE_A1_SYSTEM == (
        "You are a helpful assistant that grades answers related to image quality and aesthetics. There are a lot of "
        "special terms or keywords related to image processing and photography. You will pay attention to the context "
        "of 'quality evaluation' when grading."
    )
    options = ["Not blurry at all", "Some blur", "Very blurry"]
    reply = "The image has some blur, but it is not very blurry."
    assert prompts.grade_answer("How's the level of blur in the image?", options, "Some blur", reply) == (
        "Assuming you are a grader, you will now be provided with a question [How's the level of blur in the image?] "
        "and a set of options ['Some blur', 'Not blurry at all', 'Very blurry'] with option [Some blur] being the "
        "correct answer. Additionally, there will be an answer [The image has some blur, but it is not very blurry.] "
        "provided by a respondent. Please determine whether the respondents answer is correct considering the context "
        "of the question. Even if the word choice is not completely the same, you can decide based on the given "
        "options and see whether the one in the answer is close enough to the given correct answer, The result is 1 if "
        "the answer is correct and else the result is 0. Please only provide the result in the following format: "
        "Result:"
    )


def test_description_and_its_judges() -> None:
    # A.2.2.
    assert prompts.DESCRIBE == (
        "Describe the quality, aesthetics and other low-level appearance of the image in details."
    )
    assert prompts.JUDGE_A2_SYSTEM == "You are a helpful assistant."
    assert prompts.grade_completeness("MLLM_DESC", "GOLDEN_DESC") == (
        "Evaluate whether the description [MLLM_DESC] completely includes the low-level visual information in the "
        "reference description [GOLDEN_DESC].\n"
        "Please rate score 2 for completely or almost completely including reference information, 0 for not including "
        "at all, 1 for including part of the information or similar description.\n"
        "Please only provide the result in the following format: Score:"
    )
    assert prompts.grade_precision("b", "a") == (
        "The precision metric punishes controversial low-level descriptions that output description contrasts with the "
        "referencee, e.g., blur for clear, high quality for low quality, colorful for monotonous, noisy for clean, "
        "bright for dark.\n"
        "Evaluate whether output [b] precisely reflects reference [a].\n"
        "Please rate score 2 for totally no controversial low-level description, 1 for less controversial low-level "
        "description than matched description, and 0 for more controversial low-level description than matched "
        "description. Please only provide the result in the following format: Score:"
    )
    assert prompts.grade_relevance("MLLM_DESC") == (
        "Evaluate whether the description [MLLM_DESC] is relevant to the low-level visual information, which may "
        "include blur, noise, exposure, artifact, color, lighting, focus, composition, etc.\n"
        "Please rate score 2 for completely relevant, 1 for partly relevant, and 0 for totally irrelevant.\n"
        "Please only provide the result in the following format: Score:"
    )


def test_ratings() -> None:
    # Sec. 2.4.1, A.2.3 and the README's code.
    assert (prompts.RATE, prompts.RATE_PREFILL) == ("Rate the quality of the image.", "The quality of the image is")
    assert prompts.RATE_NUMBER == "Score the quality of the image from 1 to 5, with 1 as lowest and 5 as highest."
    assert (prompts.CLIP_GOOD, prompts.CLIP_POOR) == ("a photo of good quality", "a photo of poor quality")
    assert (prompts.CLIP_IQA_GOOD, prompts.CLIP_IQA_BAD) == ("Good photo.", "Bad photo.")


def test_five_levels() -> None:
    # Q-Align, q_align/evaluate/scorer.py, less the template of its chat; Q-ReAlign, qalign/scorer.py and prompts.py.
    assert as_printed(prompts.LEVEL_QUESTIONS["q-align"](ONE)) == (
        "How would you rate the quality of this image?\n [IMAGE_TOKEN]"
    )
    assert as_printed(prompts.LEVEL_QUESTIONS["q-realign"](ONE)) == (
        " [IMAGE_TOKEN]How would you rate the quality of this image?"
    )
    assert prompts.RATE_PREFILL == "The quality of the image is"


def test_numbers_in_text() -> None:
    # Q-Insight, Table A; VisualQuality-R1, README.
    rating = (
        "What is your overall rating on the quality of this picture? The rating should be a float between 1 and 5, "
        "rounded to two decimal places, with 1 representing very poor quality and 5 representing excellent quality."
    )
    insight = prompts.NUMBER_QUESTIONS["q-insight"]
    assert insight.text == (
        rating + ' Return the final answer in JSON format with the following keys: "rating": The score.'
    )
    assert insight.system == (
        "A conversation between User and Assistant. The user asks a question, and the Assistant solves it. The "
        "assistant first thinks about the reasoning process in the mind and then provides the user with the answer. "
        "The reasoning process and answer are enclosed within <think> </think> and <answer> </answer> tags, "
        "respectively, i.e., <think> reasoning process here </think><answer> answer here </answer>"
    )
    asked = "You are doing the image quality assessment task. Here is the question: " + rating
    assert prompts.NUMBER_QUESTIONS["visualquality-r1"].text == (
        asked + " First output the thinking process in <think> </think> tags and then output the final answer with "
        "only one score in <answer> </answer> tags."
    )
    assert prompts.NUMBER_QUESTIONS["visualquality-r1-direct"].text == (
        asked + " Please only output the final answer with only one score in <answer> </answer> tags."
    )
    assert prompts.NUMBER_QUESTIONS["paper"].text == prompts.RATE_NUMBER


def test_comparisons() -> None:
    # 2AFC, Sec. III-A, and LMMs/GPT4V.py of its code.
    assert prompts.COMPARISONS["paper"](ONE, OTHER) == (
        "This is the first image:",
        ONE,
        "This is the second image:",
        OTHER,
        "Which image has better visual quality?",
    )
    assert prompts.COMPARISONS["code"](ONE, OTHER) == (
        ONE,
        "This is the first image",
        OTHER,
        "This is the second image",
        "Which image has a better visual quality? A. The first image. B. The second image. Answer with the option's "
        "letter from the given choices directly.",
    )


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
CAPTIONS = {"it-2afc": ["{prompt}"], "text-2afc": ["{caption1}", "{caption2}"]}
SHOWN = {"text-2afc": 1, "img-2afc": 3, "odd-one-out": 3}


def with_images(task: str, style: str, attribute: str = "") -> str:
    parts = prompts.similarity(task, style, [ONE] * SHOWN.get(task, 2), CAPTIONS.get(task, ()), attribute)
    return "".join(part if isinstance(part, str) else "<image>" for part in parts)


def test_similarity_as_printed() -> None:
    for task, printed in TABLE_6.items():
        filled = printed.replace(r"\n", "\n").replace("{perceptual attribute}", "bright")
        assert with_images(task, "paper", "brightness") == filled


def test_similarity_as_the_released_code_asks() -> None:
    assert with_images("img-2afc", "code") == (
        "Answer the following multiple-choice question:\nHere are three images: <image> <image> <image>. If image 1 is "
        "the reference image, which image of the other two is more similar to the reference image?\nOptions:\n(A) "
        "Image 2\n(B) Image 3"
    )
    assert with_images("it-2afc", "code") == (
        "Answer the following question:\nHere are two images: <image> <image>, and here is the reference caption: "
        '"{prompt}". which of the two images is more aligned to the reference caption?\nOptions:\n(A) Image 1\n(B) '
        "Image 2"
    )
    assert with_images("text-2afc", "code") == (
        "Answer the following multiple-choice question:\n Given the reference image: <image>. and two captions, "
        'caption 1: "{caption1}", caption 2: "{caption2}" \nwhich caption has a better alignment with the reference '
        "image?  \n\nOptions:\n(A) Caption 1\n(B) Caption 2"
    )
    assert with_images("iqa-2afc", "code") == (
        "Answer the following multiple-choice question:\nGiven two images: image 1 <image> and image 2 <image>.which "
        "image has a better quality?\n\nOptions:\n(A) Image 1\n(B) Image 2"
    )
    assert with_images("attributes", "code", "sharpness") == (
        "Answer the following multiple-choice question:\nGiven two images: image 1 <image> and image 2 <image>. which "
        "image is sharper in color?\nOptions:\n(A) Image 1\n(B) Image 2"
    )
    assert with_images("odd-one-out", "code") == (
        "Answer the following multiple-choice question:\nHere are three images: <image> <image> <image>Which one (A, "
        "B, C) is the odd-one-out of the group?\nOptions:\n(A) Image 1\n(B) Image 2\n(C)Image 3"
    )


def test_similarity_of_four_images_to_a_caption_with_braces() -> None:
    parts = prompts.similarity("it-2afc", "paper", [ONE, OTHER, ONE, OTHER], ["a {number} of <image>s"])
    assert [part for part in parts if isinstance(part, Picture)] == [ONE, OTHER, ONE, OTHER]
    assert parts[-1] == (
        ", and here is the reference caption: a {number} of <image>s. which of the four images is more aligned to the "
        "reference caption?\n Options:\n(A) Image 1 \n(B) Image 2 \n(C) Image 3 \n(D) Image 4"
    )
