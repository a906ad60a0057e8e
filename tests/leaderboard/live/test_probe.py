"""What a model makes of one photo, what is measured of it, and which choices of a model mean something."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from PIL import Image

from leaderboard.html.probe import probe_results
from leaderboard.live import questions as calibration
from leaderboard.live.probe import (
    ATTRIBUTES,
    MEASURED,
    ProbeResult,
    WeighedCaption,
    WrittenDescription,
    at_common_size,
    describe,
    fine_detail,
)
from leaderboard.live.quality import judge_quality
from leaderboard.live.questions import (
    ATTRIBUTE_QUESTIONS,
    STANDARD_QUESTIONS,
    OrderedAnswer,
    PhotoQuestion,
    QuestionAnswer,
    ask_questions,
    contradicted,
    doubt_of,
    own_question,
    without_doubtful,
    without_doubtful_sentences,
)
from leaderboard.live.service.limits import Work
from leaderboard.live.service.live import LiveRunner, RecentResponses
from leaderboard.live.service.uploads import EXAMPLES
from qbench.commands.evaluate import evaluate
from qbench.datasets import open_dataset
from qbench.errors import UserError
from qbench.images import load_pixels, open_picture
from qbench.models import Model, open_model
from qbench.models.builtin import WEIGHTS_FOLDER
from qbench.models.checkpoint.weights import checkpoint_digest
from qbench.records import Picture, Prompt, Response, Want
from qbench.runner import Cancelled
from qbench.tasks import RunOptions
from tests.leaderboard.live.places import run_with


def test_quality_is_the_softmax_of_the_word_logits(photos: list[Picture]) -> None:
    """A checkerboard has a mean gradient of 255; scripted's quality is then 255 / 263, weighed as ±that."""
    quality = judge_quality(run_with("scripted"), photos[0])
    difference = 2 * 255 / 263
    assert quality.logits is not None
    assert quality.logits["good"] == pytest.approx(255 / 263)
    assert quality.order == pytest.approx(difference)
    assert quality.value == pytest.approx(1 / (1 + math.exp(-difference / 100)))
    pairs = {pair.words: pair for pair in quality.pairs}
    assert pairs["good/poor"].as_printed == pytest.approx(1 / (1 + math.exp(-difference)))
    assert pairs["good+high+fine/poor+low+bad"].difference == pytest.approx(3 * difference)


def by_command(task: str, name: str, photos: list[Picture], folder: Path, **options: Any) -> dict[str, dict[str, Any]]:
    """What `run` keeps of a model's answers, by the photo that comes first."""
    rows = [{"img_path": Path(photo.path).name, "gt_score": place} for place, photo in enumerate(photos)]
    (folder / "mine.json").write_text(json.dumps(rows), encoding="utf-8")
    dataset = open_dataset(str(folder / "mine.json"))
    evaluate(task, dataset, open_model(name), folder / "out", options=RunOptions(**options))
    [raw] = (folder / "out" / "raw").glob("*.jsonl")
    kept = [json.loads(line) for line in raw.read_text(encoding="utf-8").splitlines()]
    return {row["sample"].split("\n")[0]: row for row in kept}


@pytest.mark.parametrize("name", ["scripted", "niqe"])
def test_the_score_is_the_command_line_s(name: str, photos: list[Picture], tmp_path: Path) -> None:
    kept = by_command("assessment", name, photos, tmp_path)
    for photo in photos:
        quality, row = judge_quality(run_with(name), photo), kept[Path(photo.path).name]
        if name == "niqe":
            assert quality.value == row.get("score")
        else:
            assert quality.order == pytest.approx(row["logits"]["good"] - row["logits"]["poor"], abs=1e-12)


class Weighing(Model):
    """Gives each option a logit, by its letter and what it says."""

    name, identity, batch_size = "weighing", {"id": "weighing"}, 16
    wants: frozenset[Want] = frozenset({"words"})

    def __init__(self, weigh: Callable[[str, str], float]) -> None:
        self._weigh = weigh

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        return [Response(logits=self._logits(str(prompt.parts[-1]))) for prompt in prompts]

    def _logits(self, asked: str) -> dict[str, float]:
        listed = dict(line.split(". ") for line in asked.split("\n") if line[1:2] == ".")
        return {letter: self._weigh(letter, option) for letter, option in listed.items()}


def test_of_options_that_weigh_the_same_none_is_chosen(photos: list[Picture]) -> None:
    torn = LiveRunner(Weighing(lambda *_: 0.5), Work(), RecentResponses())
    [answer] = ask_questions(torn, photos[0], [PhotoQuestion("Is it sharp?", ("Yes", "No"))])
    assert (answer.chosen, answer.probabilities, answer.reason) == (None, (0.5, 0.5), "ambiguous")


def test_probabilities_are_means_over_every_cyclic_order(photos: list[Picture]) -> None:
    """A model that adds 1 to the logit of A, wherever that stands, and 2 to that of "No"."""
    leaning = Weighing(lambda letter, option: (letter == "A") + 2.0 * (option == "No"))
    question = PhotoQuestion("Is it sharp?", ("Yes", "No", "Perhaps"))
    [answer] = ask_questions(LiveRunner(leaning, Work(), RecentResponses()), photos[0], [question])
    assert [order.options for order in answer.orders] == [
        ("Yes", "No", "Perhaps"),
        ("No", "Perhaps", "Yes"),
        ("Perhaps", "Yes", "No"),
    ]
    aside, first = math.e + math.e**2 + 1, math.e**3 + 2  # sums of weights with another first, and with "No" first
    table = np.array(
        [
            [math.e / aside, math.e**2 / aside, 1 / aside],
            [1 / first, math.e**3 / first, 1 / first],
            [1 / aside, math.e**2 / aside, math.e / aside],
        ]
    )
    assert answer.chosen == "No"
    assert answer.probabilities == pytest.approx(table.mean(axis=0))
    assert answer.low == pytest.approx(table.min(axis=0))
    assert answer.high == pytest.approx(table.max(axis=0))
    places = [[0, 1, 2], [1, 2, 0], [2, 0, 1]]  # which option stood first, second, third
    assert answer.by_place == pytest.approx(np.take_along_axis(table, np.array(places), axis=1).mean(axis=0))


def test_an_answer_is_not_asked_for_twice(photos: list[Picture]) -> None:
    one = run_with("scripted")
    first = judge_quality(one, photos[0])
    one.work.cancel.set()
    assert judge_quality(one, photos[0]) == first
    with pytest.raises(Cancelled):
        judge_quality(one, photos[1])


@pytest.mark.parametrize(
    ("replies", "votes", "chosen", "reason"),
    [
        (("Yes", "Yes"), 2, "Yes", ""),
        (("Yes", "No"), 0, None, "its answer follows the order of the options"),
        (("Yes", ""), 1, "Yes", ""),
        (("", ""), 0, None, "empty"),
    ],
)
def test_what_is_written_in_most_orders_is_the_answer(
    photos: list[Picture], replies: tuple[str, str], votes: int, chosen: str | None, reason: str
) -> None:
    class Writing(Weighing):
        wants = frozenset({"text"})

        def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
            return [Response(text=reply) for _, reply in zip(prompts, replies, strict=True)]

    runner = LiveRunner(Writing(lambda *_: 0.0), Work(), RecentResponses())
    [answer] = ask_questions(runner, photos[0], [PhotoQuestion("Is it sharp?", ("Yes", "No"))])
    assert (answer.votes, answer.chosen, answer.reason) == (votes, chosen, reason)


def test_an_own_question_needs_two_to_ten_different_options() -> None:
    assert own_question("", "") is None
    assert own_question(" Is it? ", "Yes\n\n No ") == PhotoQuestion("Is it?", ("Yes", "No"))
    for text, options in (("Is it?", "Yes"), ("Is it?", "Yes\nYes"), ("Is it?", "\n".join(map(str, range(11))))):
        with pytest.raises(UserError, match="2 to 10 different options"):
            own_question(text, options)
    with pytest.raises(UserError, match="write the question too"):
        own_question("", "Yes\nNo")
    assert own_question("?" * 300, "Yes\nNo")
    with pytest.raises(UserError, match="300 characters at most"):
        own_question("?" * 301, "Yes\nNo")


def test_the_examples_are_what_their_kept_measures_say() -> None:
    pixels = [at_common_size(load_pixels(open_picture(path))) for path in EXAMPLES]
    for name, function in ATTRIBUTES.items():
        assert MEASURED[name] == pytest.approx(sorted(map(function, pixels)), abs=0.0501)


def test_sharpness_is_the_share_of_steps_that_a_blur_takes_away() -> None:
    """The mean of 9 alternating pixels is 4 / 9 or 5 / 9 of the white, so that 8 / 9 of each step are gone."""
    board = np.indices((400, 400)).sum(axis=0) % 2
    assert fine_detail(Image.fromarray((255 * board).astype(np.uint8))) == pytest.approx(100 * 8 / 9, abs=1)
    assert fine_detail(Image.fromarray((51 * board).astype(np.uint8))) == pytest.approx(100 * 8 / 9, abs=1)
    ramp = np.tile(np.arange(250, dtype=np.uint8), (250, 1))  # a blur leaves it as it is, but at its ends
    assert fine_detail(Image.fromarray(ramp)) == 0.0


def test_the_nearer_of_two_captions_is_told_with_the_other() -> None:
    assert WeighedCaption("Sharp photo.", 0.25, "Blurry photo.").nearer == ("Blurry photo.", 0.75, "Sharp photo.")
    assert WeighedCaption("Sharp photo.", 0.75, "Blurry photo.").nearer == ("Sharp photo.", 0.75, "Blurry photo.")


QUESTION = PhotoQuestion("Is it sharp?", ("Yes", "No"))


def answered(option: str, question: PhotoQuestion = QUESTION) -> QuestionAnswer:
    shares = (0.8, 0.2) if option == question.options[0] else (0.2, 0.8)
    return QuestionAnswer(question, (OrderedAnswer(question.options, option, shares),), option)


def test_the_bound_is_wilson_s() -> None:
    # Wilson's lower ends: 8 of 11 is 0.434, above a third; 7 of 20 is 0.181; 9 of 10 is 0.596; 14 of 28 is 0.326.
    assert doubt_of("a", {"a": (8, 11)}, 1 / 3) == ""
    assert "chose “a” 20 times and was right 7 times" in doubt_of("a", {"a": (7, 20)}, 1 / 3)
    assert doubt_of("a", {"a": (9, 10)}, 1 / 2) == ""
    assert doubt_of("b", {"a": (14, 28)}, 1 / 2) == "Can’t tell: it never chose “b” on 28 demo photos"


def test_a_choice_that_does_not_beat_chance_is_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {"mine": {QUESTION.text: {"Yes": (14, 28), "No": (9, 10)}}}
    monkeypatch.setattr(calibration, "_calibration", lambda: counts)
    identity = {"checkpoint": "mine"}
    assert without_doubtful(answered("No"), identity) == answered("No")
    doubtful = without_doubtful(answered("Yes"), identity)
    assert (doubtful.chosen, doubtful.probabilities) == (None, (0.8, 0.2))
    html = probe_results(ProbeResult("mine", Picture("photo.png", "0" * 64), answers=(doubtful,)))
    assert "Can’t tell: on demo photos of known damage it chose “Yes” 28 times and was right 14 times" in html
    assert 'class="chosen"' not in html


STRENGTH, COLOURS, CLARITY = STANDARD_QUESTIONS[0], STANDARD_QUESTIONS[3], STANDARD_QUESTIONS[5]


def test_a_description_says_nothing_of_what_is_in_doubt() -> None:
    """The shipped model cannot tell a strong distortion, nor natural colours, and can tell a clear photo."""
    weights = checkpoint_digest(WEIGHTS_FOLDER / "nano-vlm")  # of every file of its folder
    assert weights in calibration._calibration()
    choices = {STRENGTH: "Severely distorted", COLOURS: "Natural", CLARITY: "Clear"}
    answers = [
        without_doubtful(QuestionAnswer(question, (), option), {"checkpoint": weights})
        for question, option in choices.items()
    ]
    text = "The photo is clear. It is noisy, and the colors are natural. The overall quality is good."
    said = without_doubtful_sentences(text, answers)
    assert said == ("The photo is clear.", ("colourfulness", "overall quality"))
    assert without_doubtful_sentences("Bright. The hues are muted. Average quality.", answers)[0] == "Bright."
    sure = [QuestionAnswer(question, (), option) for question, option in choices.items()]
    assert without_doubtful_sentences(text, sure) == (text, ())
    described = WrittenDescription(*said[:1], left_out=said[1])
    html = probe_results(ProbeResult("mine", Picture("photo.png", "0" * 64), described=described))
    assert "We left out what it wrote about colourfulness and overall quality" in html


@pytest.mark.parametrize(
    ("response", "reason"),
    [(Response(text=""), "it wrote nothing"), (Response(failure="refused"), "refused"), (Response(text="Clear."), "")],
)
def test_a_description_that_is_not_there_says_why(photos: list[Picture], response: Response, reason: str) -> None:
    class Writes(Model):
        name, wants, batch_size, identity = "made", frozenset[Want]({"text"}), 1, MappingProxyType({})

        def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
            return [response for _ in prompts]

    described = describe(LiveRunner(Writes(), Work(), RecentResponses()), photos[0], ())
    assert (described.text, described.reason) == (response.text or "", reason)


def test_where_description_and_choices_disagree_probe_says_so() -> None:
    choices = {"brightness": "Too dark", "sharpness": "Clear", "contrast": "Just fine"}
    answers = tuple(QuestionAnswer(ATTRIBUTE_QUESTIONS[name], (), option) for name, option in choices.items())
    said = "A bright photo. The background is blurry, the face sharp. It has no low contrast."
    assert contradicted(said, answers) == ["brightness"]  # both poles of sharpness are said, and contrast is denied
    assert contradicted("It is dark and blurred.", answers) == ["sharpness"]
    result = ProbeResult("mine", Picture("p.png", "0" * 64), answers=answers, described=WrittenDescription(said))
    assert "Asked directly about brightness, it gave another answer" in probe_results(result)


def test_what_is_stored_is_about_the_standard_questions() -> None:
    for questions in calibration._calibration().values():
        assert {text: set(counts) for text, counts in questions.items()} == {
            question.text: set(question.options) for question in STANDARD_QUESTIONS
        }
