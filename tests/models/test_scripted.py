"""The fake answers by script, and only by script."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from qbench import prompts
from qbench.errors import UserError
from qbench.images import open_picture
from qbench.models import open_model
from qbench.records import Picture, Prompt


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Picture, Picture]:
    noise = np.random.default_rng(0).integers(0, 256, (32, 32, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "busy.png")
    Image.new("RGB", (32, 32), "grey").save(tmp_path / "flat.png")
    return open_picture(tmp_path / "busy.png"), open_picture(tmp_path / "flat.png")


def said(name: str, prompt: Prompt) -> str:
    return open_model(name).respond([prompt])[0].text


def test_sharper_wins_in_both_orders(pair) -> None:
    busy, flat = pair
    assert said("scripted", Prompt("text", prompts.COMPARISONS["paper"](busy, flat))) == "The first image."
    assert said("scripted", Prompt("text", prompts.COMPARISONS["paper"](flat, busy))) == "The second image."


@pytest.mark.parametrize(
    ("habit", "answer"),
    [("first", "The first image."), ("second", "The second image."), ("tie", "Both look the same.")],
)
def test_positions_it_always_takes(pair, habit: str, answer: str) -> None:
    assert said(f"scripted:{habit}", Prompt("text", prompts.COMPARISONS["paper"](*pair))) == answer


def test_letters_and_yes(pair) -> None:
    asked = Prompt("text", prompts.QUESTIONS["paper"]([pair[0]], "Is it sharp?", ["No", "Yes"]))
    assert said("scripted", asked) == "A."
    assert said("scripted:letter=B", asked) == "B."
    assert said("scripted:yes", asked) == "B."
    assert said("scripted:no", asked) == "A."
    assert said("scripted:silent", asked).startswith("I'm sorry")


def test_habits_hold_however_it_is_asked(pair) -> None:
    labels = ("#Answer: No", "#Answer: Yes")
    losses = Prompt("losses", prompts.close_set([pair[0]], "Is it sharp?"), words=labels)
    letters = Prompt("words", prompts.QUESTIONS["letter"]([pair[0]], "Is it sharp?", ["No", "Yes"]), words=("A", "B"))
    for name, place in (("scripted", 0), ("scripted:yes", 1), ("scripted:letter=B", 1), ("scripted:letter=D", 0)):
        [weighed] = open_model(name).respond([losses])
        assert min(weighed.losses, key=weighed.losses.get) == labels[place]
        [weighed] = open_model(name).respond([letters])
        assert max(weighed.logits, key=weighed.logits.get) == "AB"[place]


def test_pairs_by_letter(pair) -> None:
    asked = Prompt("words", prompts.COMPARISONS["code"](*pair), words=("A", "B"))
    assert open_model("scripted").respond([asked])[0].logits == {"A": 1.0, "B": 0.0}
    assert open_model("scripted:second").respond([asked])[0].logits == {"A": 0.0, "B": 1.0}
    assert open_model("scripted:tie").respond([asked])[0].logits == {"A": 1.0, "B": 1.0}


def test_quality_in_words_captions_and_scores(pair) -> None:
    model = open_model("scripted")
    words = [Prompt("words", (picture, prompts.RATE), words=("good", "poor", "green")) for picture in pair]
    sharp, flat = (reply.logits for reply in model.respond(words))
    assert sharp["good"] - sharp["poor"] > flat["good"] - flat["poor"] == 0
    assert sharp["green"] == 0
    [captions] = model.respond([Prompt("words", pair[:1], words=(prompts.CLIP_GOOD, prompts.CLIP_IQA_BAD))])
    assert captions.logits[prompts.CLIP_GOOD] == -captions.logits[prompts.CLIP_IQA_BAD] > 0
    scores = [reply.score for reply in model.respond([Prompt("score", (picture,)) for picture in pair])]
    assert scores[0] > scores[1] == 0


def test_a_damaged_image_is_a_failure_of_its_own(pair, tmp_path: Path) -> None:
    (tmp_path / "cut.png").write_bytes((tmp_path / "busy.png").read_bytes()[:500])
    cut = open_picture(tmp_path / "cut.png")
    whole, broken = open_model("scripted").respond([Prompt("score", (pair[0],)), Prompt("score", (cut,))])
    assert whole.score is not None
    assert "cut.png is damaged" in broken.failure


def test_noise_is_the_share_of_coin_flips() -> None:
    model = open_model("scripted:noise=0.5,blind")
    pictures = [Picture(f"{number}", f"{number:064x}") for number in range(60)]
    flips = agree = 0
    for picture in pictures[:30]:
        for other in pictures[30:]:
            forward, backward = (
                model.respond([Prompt("text", prompts.COMPARISONS["paper"](*order))])[0].text
                for order in ((picture, other), (other, picture))
            )
            agree += (forward == "The first image.") != (backward == "The first image.")
            flips += 1
    # Both orders honest: 1/4. Otherwise a coin agrees half the time: 1/4 + 3/4 * 1/2 = 0.625; sd 0.016 of 900.
    assert agree / flips == pytest.approx(0.625, abs=0.06)


@pytest.mark.parametrize(
    ("habits", "said"),
    [("", "(A)"), ("second", "(B)"), ("letter=C", "(C)"), ("letter=D", "(A)"), ("tie", "Both look the same.")],
)
def test_habits_hold_among_what_is_shown(habits: str, said: str) -> None:
    shown = [Picture(f"{number}", f"{number:064x}") for number in range(3)]
    parts = prompts.similarity("odd-one-out", "code", shown)
    [reply] = open_model(f"scripted:{habits}").respond([Prompt("text", parts)])
    assert reply.text == said
    [weighed] = open_model(f"scripted:{habits}").respond([Prompt("words", parts, words=("A", "B", "C"))])
    best = [letter for letter, logit in weighed.logits.items() if logit == 1]
    assert best == (["A", "B", "C"] if habits == "tie" else [said[1]])


def test_better_of_a_pair_is_the_sharper(tmp_path: Path) -> None:
    Image.new("L", (8, 8), 128).save(tmp_path / "flat.png")
    Image.fromarray(np.indices((8, 8)).sum(axis=0).astype(np.uint8) % 2 * 255).save(tmp_path / "board.png")
    flat, board = (open_picture(tmp_path / f"{name}.png") for name in ("flat", "board"))
    for style in ("paper", "code"):
        asked = [Prompt("text", prompts.similarity("iqa-2afc", style, pair)) for pair in ((flat, board), (board, flat))]
        replies = open_model("scripted").respond(asked)
        assert [reply.text for reply in replies] == ["The second image.", "The first image."]


@pytest.mark.parametrize("argument", ["fast", "letter=", "second=1", "noise=much", "noise=2", "letter=BC", "letter=1"])
def test_unknown_habits_are_named(argument: str) -> None:
    with pytest.raises(UserError, match=r"habit|between 0 and 1"):
        open_model(f"scripted:{argument}")


def test_unknown_models_list_near_misses() -> None:
    with pytest.raises(UserError, match="did you mean niqe"):
        open_model("niq")
    with pytest.raises(UserError, match="idefics-instruct"):
        open_model("idefics-instrukt")
    with pytest.raises(UserError, match="no model is called ''"):
        open_model("")
