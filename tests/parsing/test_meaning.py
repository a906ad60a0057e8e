"""Options and replies by meaning: what questions claim, and what words of one's own answer."""

from __future__ import annotations

import pytest

from qbench.parsing import parse_option, parse_preference
from qbench.parsing.claims import claims_of

SCALES: dict[str, tuple[str, tuple[str, ...]]] = {
    "light": ("How is the lighting?", ("Dark", "Medium", "Bright")),
    "enough": ("Is the lighting sufficient?", ("Yes", "No")),
    "contrast": ("How is the contrast?", ("High", "Medium", "Low")),
    "noisy": ("Is this image noisy?", ("Yes", "No")),
    "noise": ("How severe is the noise?", ("Severe", "Slight", "Hardly any")),
    "exposure": ("How is the exposure?", ("Underexposed", "Well exposed", "Overexposed")),
    "over": ("Is it overexposed?", ("Yes", "No")),
    "blur": ("How blurry is it?", ("Very blurry", "Slightly blurry", "Not blurry at all")),
    "flaw": ("What is the main distortion?", ("Noise", "Motion blur", "Overexposure", "Compression artifacts")),
    "subject": ("Is the main subject in focus?", ("Yes", "No")),
    "flare": ("Is there any lens flare in the image?", ("Yes", "No")),
    "rink": ("Is the rink evenly lit?", ("Yes", "No")),
    "source": ("Is the lighting natural or artificial?", ("Natural", "Artificial")),
    "amount": ("How much noise is there?", ("A lot", "A little", "None")),
    "control": ("How is the noise control?", ("Good", "Bad")),
    "severe": ("Is the underexposure severe?", ("Yes", "No")),
    "frozen": ("Does motion blur occur?", ("Yes", "No")),
    "quality": ("How is the quality?", ("Good", "Average", "Poor")),
    "person": ("Is the focus on the person?", ("Yes", "No")),
    "mood": ("How does the scene feel?", ("Cheerful", "Gloomy")),
    "darker": ("Which side is darker?", ("The left side", "The right side")),
}


@pytest.mark.parametrize(
    ("scale", "reply", "option"),
    [
        ("light", "It could really use more light.", 0),
        ("light", "It could use slightly more light.", None),
        ("light", "It's darker than it ought to be.", 0),
        ("light", "The background is murky.", None),
        ("light", "It is not dark.", None),
        ("light", "It would be dark without the lamp.", None),
        ("enough", "There's plenty of light.", 0),
        ("enough", "There isn't enough light.", 1),
        ("enough", "The lighting has its good sides.", None),
        ("contrast", "The photo lacks contrast.", 2),
        ("contrast", "It has plenty of contrast.", 0),
        ("contrast", "It doesn't lack contrast.", None),
        ("contrast", "The contrast should be brought down.", None),
        ("noisy", "The picture is perfectly clean.", 1),
        ("noisy", "It isn't free of grain.", 0),
        ("noisy", "Noise is a random variation of brightness.", None),
        ("noisy", "Noise is practically absent.", 1),
        ("noisy", "I dont see no noise", None),
        ("noise", "Noise is visible.", None),
        ("noise", "There is heavy grain.", 0),
        ("noise", "There is not much noise.", None),
        ("noise", "No noise can be seen.", 2),
        ("exposure", "The exposure should be reduced.", 2),
        ("exposure", "It is neither overexposed nor underexposed.", 1),
        ("exposure", "The brightness is just right.", 1),
        ("over", "It's too dark.", 1),
        ("over", "It isn't underexposed.", None),
        ("blur", "It is blurry.", None),
        ("blur", "It's a bit soft.", 1),
        ("blur", "It is crisp.", 2),
        ("flaw", "Streaks run across the frame.", 1),
        ("flaw", "Grain covers the sky, and everything is overexposed.", None),
        ("darker", "The left side is brighter than the right side.", 1),
        ("darker", "The left side is bright.", 1),
        ("darker", "Is the left side darker?", None),
        ("blur", "The bird is captured crisply, and every feather can be seen.", 2),
        ("blur", "The background is crisp.", None),
        ("light", "It is neither particularly bright nor particularly dark.", 1),
        ("exposure", "The exposure is a bit too high.", 2),
        ("noise", "The noise isn't obvious.", None),
        ("noisy", "Noisy photos are common at night.", None),
        ("subject", "The focus has landed on the fence rather than on the person.", 1),
        ("subject", "The camera focused on the background instead of the subject.", 1),
        ("subject", "The dog is sharply focused, while the background is blurred.", 0),
        ("subject", "The subject is too blurry to be recognised.", 1),
        ("subject", "I wouldn't say that the subject is out of focus.", 0),
        ("flare", "No lens flare is visible in this image.", 1),
        ("flare", "Lens flare can be seen at the top.", 0),
        ("rink", "Evenly lit ice rinks are often used for competitions.", None),
        ("rink", "The rink is evenly lit.", 0),
        ("source", "The light seems to come from lamps rather than from daylight.", 1),
        ("amount", "Only a slight amount of noise is visible.", 1),
        ("noise", "The noise is mild at most.", 1),
        ("control", "Noise is well controlled.", 0),
        ("control", "There is heavy noise.", 1),
        ("severe", "The underexposure is mild at most.", 1),
        ("severe", "It is heavily underexposed.", 0),
        ("frozen", "The shutter was fast enough to freeze the movement.", None),
        ("quality", "The photo is blurry, and the colors are faded.", 2),
        ("quality", "The photo is blurry, but the colors are vivid.", None),
        ("over", "At first the sky looks bright. Based on this, I would not consider it overexposed.", 1),
        ("flaw", "Noise: the sky shows some grain, in particular where", None),
        ("exposure", "The lamp is very bright.", None),
        ("exposure", "The foreground is underexposed while the sky is overexposed.", None),
        ("source", "The colors look natural.", None),
        ("person", "The focus is on the tree rather than the person.", 1),
        ("person", "The focus is on the person.", 0),
        ("mood", "The muted light gives the scene a melancholic mood.", 1),
    ],
)
def test_words_of_ones_own(scale: str, reply: str, option: int | None) -> None:
    question, options = SCALES[scale]
    assert parse_option(reply, options, question).value == option


def test_questions_are_claims_of_one_attribute() -> None:
    claims, wanted = claims_of(("Yes", "No"), "Is the main subject in focus?") or ((), None)
    assert [claim.attribute for claim in claims] == ["sharpness", "sharpness"]
    assert [claim.spans for claim in claims] == [((0.0, 2.0),), ((-2, 0.0),)]
    assert wanted is not None
    assert {"subject"} <= wanted.own
    assert claims_of(("A dog", "A cat"), "What is shown?") is None


@pytest.mark.parametrize(
    ("question", "reply", "value"),
    [
        ("Which image is noisier?", "The second image is cleaner than the first.", "first"),
        ("Which image is blurrier?", "The first is soft. The second is crisp.", "first"),
        ("Which image is brighter?", "The second has less noise.", None),
        ("Which image is brighter?", "Image 1 is sharper; image 2 is brighter.", "second"),
        ("Which image has more contrast?", "Both have the same contrast.", "tie"),
        ("Which image is less natural?", "The second looks artificial, unlike the first.", "second"),
        ("Which image is less sharp?", "The second is softer than the first.", "second"),
        ("Which image is sharper?", "I'd give the edge to the first.", "first"),
        ("Which picture has worse quality?", "The first has banding. The second is sharp.", "first"),
        ("Which picture has worse quality?", "The second has lower quality than the first.", "second"),
        ("Which picture has worse quality?", "The second is sharper than the first.", "first"),
        ("Which picture has worse quality?", "Image 1 needs more light. Image 2 is blurry.", None),
        ("Which picture is of lower quality?", "I prefer the first.", None),
        ("Which picture is of lower quality?", "Image 1 beats image 2.", "second"),
        ("Which picture has worse quality?", "The answer is the first image.", "first"),
        ("Which image has better quality?", "Image 1 suffers from blur; image 2 does not.", "second"),
        ("Which image has better quality?", "Image 1 is sharp; image 2 is not.", "first"),
    ],
)
def test_what_a_question_of_two_asks_for(question: str, reply: str, value: str | None) -> None:
    assert parse_preference(reply, question).value == value


@pytest.mark.parametrize(
    ("reply", "question", "preferred"),
    [
        ("Image 1: 7/10\nImage 2: 4/10", "", "first"),
        ("I'd rate the first image 55 and the second image 72 out of 100.", "", "second"),
        ("First: 3/5, second: 4/5", "Which image has worse quality?", "first"),
        ("**Image 1**: 6/10\n**Image 2**: 6/10", "", "tie"),
        ("Image 1: 6/10, Image 2: 8/10", "Which image is brighter?", None),  # a score of what?
        ("Image 1: 1, Image 2: 2", "", None),  # these may be ranks
        ("Ranking: Image 1: 3, Image 2: 4", "", None),
        ("Image 1: 3/5. Image 2: 30/50.", "", None),
        ("Image 1 gets 7/10 for color, image 2 gets 5/10.", "", None),
        ("Image 1: noise level 3, Image 2: noise level 5", "", None),
        ("Image 1 has 3, image 2 has 5.", "", None),
    ],
)
def test_a_score_of_each_image_prefers_the_higher(reply: str, question: str, preferred: str | None) -> None:
    assert parse_preference(reply, question).value == preferred


def test_things_that_are_alike_answer_no_question_for_the_one() -> None:
    options = ["The car", "The bike", "The bench"]
    assert (
        parse_option("The car and the bike are equally sharp.", options, "Which object is the sharpest?").value is None
    )


@pytest.mark.parametrize(
    ("question", "options", "reply", "option"),
    [
        ("Is the composition symmetrical?", ("Yes", "No"), "The composition is symmetrical.", 0),
        ("Is the composition symmetrical?", ("Yes", "No"), "The composition isn't symmetrical.", 1),
        ("Is the child in focus?", ("Yes", "No"), "The wall behind the child is in focus.", None),
        ("Is the horizon level?", ("Yes", "No"), "The horizon is tilted instead of level.", 1),
        ("Is the exposure balanced?", ("Yes", "No"), "The exposure is a far cry from balanced.", 1),
        ("Does it need noise reduction?", ("Yes", "No"), "No noise reduction is needed.", 1),
        ("Are there no visible artifacts?", ("Yes", "No"), "Correct, there are no visible artifacts.", 0),
        ("Which problem is not there?", ("Noise", "Blur", "Banding"), "Noise and blur are there. Banding isn't.", 2),
        ("Which problem is not there?", ("Noise", "Blur", "Banding"), "It does not lack noise.", None),
        ("How is the saturation?", ("High", "Low"), "The resolution is high. The saturation is low.", 1),
        ("Which part is overexposed?", ("The sky", "The ground"), "The sky is fine and so is the ground.", None),
    ],
)
def test_the_words_and_the_place_of_what_was_asked(
    question: str, options: tuple[str, ...], reply: str, option: int | None
) -> None:
    assert parse_option(reply, options, question).value == option


@pytest.mark.parametrize(
    ("question", "reply", "value"),
    [
        ("Which image is sharper?", "The second image is blurred.", "first"),
        ("Which image is sharper?", "The second image isn't any sharper.", None),
        ("Which image is sharper?", "Both are sharp. The first is blurry.", None),
        ("Which image is noisier?", "The second has less.", "first"),
        ("Which image has better quality?", "The first image is too sharp.", None),
        ("Which image has better quality?", "It is a myth that the left image is sharp.", None),
        ("", "The second image is blurred.", None),
    ],
)
def test_what_is_said_of_one_alone(question: str, reply: str, value: str | None) -> None:
    assert parse_preference(reply, question).value == value
