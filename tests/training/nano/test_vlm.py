"""nano-vlm's training, small: what it is asked, how turns share a picture, and that it loads as any FastVLM does."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForImageTextToText, AutoProcessor

from qbench.datasets.demo.damage import Damage
from qbench.errors import UserError
from qbench.images import open_picture
from qbench.models import open_model
from qbench.models.builtin import WEIGHTS_FOLDER
from qbench.models.checkpoint.chat import render
from qbench.prompts import DIRECT_LETTER, RATE, RATE_PREFILL
from qbench.records import Prompt
from qbench.training.loop import Recipe
from qbench.training.nano import vlm
from qbench.training.nano.conversations import (
    Turn,
    conversation_rows,
    picture_in_words,
    rated_rows,
    turns_about_one,
    turns_about_two,
)
from qbench.training.nano.packing import image_tokens, tokenise_row
from qbench.training.nano.photos import read_photos
from qbench.training.nano.scenes import SceneView
from qbench.training.nano.vlm_features import ViewFeatures, VlmOptions, cache_features
from tests.training.interruption import interrupt

IMAGE_TOKENS = image_tokens(512)
BLURRED, CLEAN = Damage("motion-blur", 5.0), None


def view(damage: Damage | None, quality: float, *attributes: float) -> SceneView:
    return SceneView(np.zeros((0, 0, 3), np.uint8), damage, quality, attributes)


def said(turn: Turn) -> str:
    return " ".join(part for part in turn.prompt.parts if isinstance(part, str))


@pytest.fixture(scope="module", autouse=True)
def quick() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("qbench.training.nano.scenes.CALIBRATION_DAMAGES", 12)
        yield


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures of 160 pixels a side instead of 512, parts of 96."""
    monkeypatch.setattr("qbench.training.nano.eye.SIDE", 160)
    monkeypatch.setattr("qbench.training.nano.eye.CROP", 96)


@pytest.fixture(scope="module")
def eye() -> Path:
    return WEIGHTS_FOLDER / "nano-iqa"


def test_what_it_is_told_of_one_follows_from_the_damage() -> None:
    rates = []
    for seed in range(20):
        *asked, last = turns_about_one(view(BLURRED, 0.25), view(CLEAN, 1), np.random.default_rng(seed))
        rates += [dict(turn.words) for turn in asked if turn.words]
        own, listed = "a photo with severe motion blur", said(last)
        assert last.answer == ("A" if listed.index(own) < listed.index("a clean photo") else "B")
        for turn in asked:
            if DIRECT_LETTER in said(turn):
                assert f"\n{turn.answer}. " in said(turn)
            elif "Choose between" in said(turn):
                assert f". {turn.answer}" in said(turn)
            if "Does this photo show motion blur?" in said(turn) and DIRECT_LETTER not in said(turn):
                assert turn.answer.endswith("Yes")
    assert len(rates) == 20
    assert rates[0]["good"] == pytest.approx(0.125)
    assert rates[0]["poor"] == pytest.approx(0.375)
    assert sum(rates[0].values()) == pytest.approx(1)


def test_what_it_is_told_of_two_follows_from_both() -> None:
    worse, better = view(BLURRED, 0.2, 100, 40, 50, 9), view(CLEAN, 0.9, 100, 40, 60, 90)
    for seed in range(8):
        turns = turns_about_two(worse, better, np.random.default_rng(seed))
        quality, contrast, sharpness, fits = turns[2:]
        assert [turn.answer for turn in turns[:5]] == ["The second image.", "B", "B", "B", "B"]
        assert "better quality" in said(quality)
        assert "contrast" in said(contrast)
        assert "sharp" in said(sharpness)
        assert fits.answer == ("B" if "a clean photo" in said(fits) else "A")
        assert [turn.answer for turn in turns_about_two(better, worse, np.random.default_rng(seed))[:3]] == [
            "The first image.",
            "A",
            "A",
        ]
    assert turns_about_two(worse, worse, np.random.default_rng(0)) == []


def test_rows_ask_about_pairs_in_both_orders_and_know_the_nearer_and_the_odd_one() -> None:
    """Two scenes: the clean view, then three damaged ones of falling quality."""
    views = [view(Damage("jpeg", 5.0 - number / 2) if number % 4 else CLEAN, 1 - number % 4 / 4) for number in range(8)]
    generator, threes = np.random.default_rng(0), set()
    for _ in range(60):
        rows = conversation_rows(views, 2, generator)
        for pictures, turns in rows:
            if len(pictures) == 3 and "odd-one-out" in said(turns[0]):
                scenes = [int(picture) // 4 for picture in pictures]
                assert scenes.count(scenes["ABC".index(turns[0].answer)]) == 1
                threes.add("odd")
            elif len(pictures) == 3:
                assert pictures[0] % 4 == 0
                assert turns[0].answer == ("A" if pictures[1] < pictures[2] else "B")
                threes.add("nearer")
        if len(rows[0][0]) == 2:
            assert rows[1][0] == rows[0][0][::-1]
    assert threes == {"odd", "nearer"}


def test_a_picture_is_told_in_words() -> None:
    assert picture_in_words(view(BLURRED, 0.5)) == "a photo with severe motion blur, quality 4"
    assert picture_in_words(view(CLEAN, 1.0)) == "a clean photo, quality 9"


def test_turns_on_one_picture_are_learnt_as_if_asked_alone(eye: Path) -> None:
    """A row of turns gives each the logits that the model, given its prompt alone, gives."""
    model, processor = vlm.build_vlm(eye, 0)
    turns = turns_about_one(view(Damage("jpeg", 3.0), 0.5), view(CLEAN, 1), np.random.default_rng(1))
    features = np.random.default_rng(2).normal(size=(1, IMAGE_TOKENS, 1280)).astype(np.float16)
    learner = vlm.vlm_learner(model, processor, ViewFeatures(features, []))
    with torch.inference_mode():
        together = learner([((0,), turns)])
        alone = [learner([((0,), [turn])]) for turn in turns]
    written = [(turn, loss["words"]) for turn, loss in zip(turns, alone, strict=True) if not turn.words]
    lengths = [len(processor.tokenizer(f" {turn.answer}")["input_ids"]) + 1 for turn, _ in written]
    mean = sum(float(loss) * length for (_, loss), length in zip(written, lengths, strict=True)) / sum(lengths)
    (quality,) = [loss["quality"] for loss in alone if "quality" in loss]
    assert float(together["words"]) == pytest.approx(mean, rel=1e-4)
    assert float(together["quality"]) == pytest.approx(float(quality), rel=1e-4)


def test_the_projector_is_set_where_reading_has_left_it() -> None:
    """On a GPU, that is; a device that holds no numbers mixes with the CPU's as little."""
    features = np.random.default_rng(0).normal(3, 2, size=(4, 5, 6)).astype(np.float16)
    vlm.standardise_projector(torch.nn.Linear(6, 3, device="meta"), features)
    first = torch.nn.Linear(6, 3)
    vlm.standardise_projector(first, features)
    seen = first(torch.from_numpy(features.reshape(-1, 6)).float())
    assert seen.mean(dim=0).tolist() == pytest.approx([0, 0, 0], abs=1e-3)


def test_of_pictures_from_a_phone_the_quality_alone_is_told() -> None:
    rows = rated_rows([0.9, 0.2], 100, 40, np.random.default_rng(0))
    assert len(rows) >= 40
    for pictures, turns in rows:
        if len(pictures) == 1:
            (good, share), *_ = turns[0].words
            assert good == "good"
            assert share == pytest.approx(0.5 * (0.9, 0.2)[int(pictures[0]) - 100])
            assert turns[1].answer == {100: "5", 101: "2"}[int(pictures[0])]
        else:
            assert turns[0].answer == ("The first image." if pictures == (100, 101) else "The second image.")
    compared = [pictures for pictures, _ in rows if len(pictures) == 2]
    assert compared.count((100, 101)) == compared.count((101, 100)) > 0
    assert rated_rows([], 0, 3, np.random.default_rng(0)) == []


@pytest.mark.usefixtures("small")
def test_it_learns_and_loads_as_any_fastvlm(photo_folders: tuple[Path, Path], eye: Path, tmp_path: Path) -> None:
    options = VlmOptions(
        photo_folders[1],
        eye,
        tmp_path / "nano-vlm",
        tmp_path / "work",
        steps=10,
        reading=3,
        glances=30,
        questions=4,
        question_scenes=2,
        scenes=3,
        rows=4,
        teacher=eye,
        taught=4,
        taught_views=10,
        workers=0,
    )
    folder = vlm.train_vlm(options)
    assert str(eye) not in (folder / "config.json").read_text(encoding="utf-8")
    model = open_model(str(folder))
    log = [json.loads(line) for line in (tmp_path / "work" / "glancing" / "log.jsonl").read_text().splitlines()]
    assert log[-1]["words"] < log[0]["words"] * 0.8
    assert log[-1]["quality"] < log[0]["quality"]
    picture = open_picture(next(photo_folders[1].glob("*.jpg")))
    rate = Prompt("words", (picture, RATE), words=("good", "poor"), prefill=RATE_PREFILL)
    (answer,) = model.respond([rate])
    assert answer.logits.keys() == {"good", "poor"}
    assert answer.note is None  # one token each
    assert model.identity["architecture"] == "fast_vlm"


@pytest.mark.usefixtures("small")
def test_a_finished_one_is_only_taught(photo_folders: tuple[Path, Path], eye: Path, tmp_path: Path) -> None:
    """Its projector and language model are gone on from, its eye stays; nothing is read or looked at before."""
    earlier = WEIGHTS_FOLDER / "nano-vlm"
    options = VlmOptions(
        photos=photo_folders[1],
        eye=earlier,
        out=tmp_path / "out",
        work=tmp_path / "work",
        steps=1,
        reading=1,
        glances=1,
        questions=1,
        question_scenes=1,
        scenes=1,
        rows=1,
        teacher=eye,
        taught=2,
        taught_views=8,
        onward=earlier,
        workers=0,
    )
    taught = load_file(vlm.train_vlm(options) / "model.safetensors")
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == ["taught"]
    known = load_file(earlier / "model.safetensors")
    assert taught.keys() == known.keys()
    for name, weight in known.items():
        moved = float((taught[name].float() - weight.float()).abs().max())
        assert moved == 0 if "vision_tower" in name else moved < 0.05, name
    assert not torch.equal(*(each["model.multi_modal_projector.linear_2.weight"] for each in (taught, known)))


@pytest.fixture
def taught_only(photo_folders: tuple[Path, Path], eye: Path, tmp_path: Path) -> Callable[[str], VlmOptions]:
    """Name of a folder -> options of five steps with the teacher, on the embedded model."""
    earlier = WEIGHTS_FOLDER / "nano-vlm"
    counts = dict.fromkeys(("steps", "reading", "glances", "questions", "question_scenes", "scenes", "rows"), 1)
    return lambda name: VlmOptions(
        photos=photo_folders[1],
        eye=earlier,
        out=tmp_path / name,
        work=tmp_path / f"{name}-work",
        teacher=eye,
        taught=5,
        taught_views=8,
        onward=earlier,
        workers=0,
        **counts,
    )


@pytest.mark.usefixtures("small")
def test_a_resumed_run_equals_an_uninterrupted_one(
    taught_only: Callable[[str], VlmOptions], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vlm, "_recipe", lambda steps, rate: Recipe(steps, rate, warm_up=1, save_every=2))
    whole = load_file(vlm.train_vlm(taught_only("whole")) / "model.safetensors")
    with monkeypatch.context() as patch:
        interrupt(patch, step=4)
        with pytest.raises(KeyboardInterrupt):
            vlm.train_vlm(taught_only("parts"))
    assert torch.load(tmp_path / "parts-work" / "taught" / "checkpoint.pt", weights_only=True)["step"] == 2
    parts = load_file(vlm.train_vlm(taught_only("parts")) / "model.safetensors")
    assert all(torch.equal(weight, parts[name]) for name, weight in whole.items())


@pytest.mark.usefixtures("small")
def test_some_training_beats_none_on_photos_it_has_not_seen(
    photo_folders: tuple[Path, Path], eye: Path, tmp_path: Path
) -> None:
    counts = dict.fromkeys(("steps", "reading", "questions", "question_scenes", "taught"), 1)

    def options(name: str, photos: Path, glances: int) -> VlmOptions:
        return VlmOptions(
            photos=photos,
            eye=eye,
            out=tmp_path / name,
            work=tmp_path / f"{name}-work",
            glances=glances,
            scenes=6,
            rows=6,
            teacher=eye,
            taught_views=8,
            language=WEIGHTS_FOLDER / "nano-vlm",
            workers=0,
            **counts,
        )

    others = options("others", photo_folders[1], 1)
    unseen = cache_features(read_photos(others.photos), others, vlm.eye.CROP, 6)
    rows = conversation_rows(unseen.views, 40, np.random.default_rng(0))

    def quality_loss(name: str, glances: int) -> float:
        folder = vlm.train_vlm(options(name, photo_folders[0], glances))
        model = AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32)
        with torch.inference_mode():
            return float(vlm.vlm_learner(model, AutoProcessor.from_pretrained(folder), unseen)(rows)["quality"])

    assert quality_loss("after", 40) < quality_loss("before", 1) - 0.01


def test_it_goes_on_from_the_language_model_of_another(eye: Path) -> None:
    earlier = WEIGHTS_FOLDER / "nano-vlm"
    model, processor = vlm.build_vlm(eye, 0, earlier)
    saved = load_file(earlier / "model.safetensors")
    name = "model.layers.3.mlp.down_proj.weight"
    own = model.model.language_model.state_dict()[name.removeprefix("model.")]
    [kept] = [weight for key, weight in saved.items() if key.endswith(name.removeprefix("model."))]
    assert torch.equal(own, kept.float())
    assert processor.tokenizer.get_vocab()["<image>"] == model.config.image_token_id


@pytest.mark.parametrize("pictures", [(0, 1), ("a clean photo", "a photo with strong blur")])
def test_prompts_are_spelt_as_the_adapter_spells_them(eye: Path, pictures: tuple[int | str, int | str]) -> None:
    _, processor = vlm.build_vlm(eye, 0)
    turn = turns_about_two(view(CLEAN, 0.9), view(BLURRED, 0.2), np.random.default_rng(0))[0]
    token_rows = tokenise_row(pictures, [turn], processor)
    text = render(turn.prompt, processor, "fast_vlm").text
    for picture in pictures:
        text = text.replace(
            "<image>\n", f"{picture}\r" if isinstance(picture, str) else "<image>" * IMAGE_TOKENS + "\r", 1
        )
    whole = processor.tokenizer(text.replace("\r", "\n") + f" {turn.answer}")["input_ids"]
    assert token_rows.tokens == whole
    assert token_rows.places == list(range(len(whole)))


@pytest.mark.usefixtures("small")
def test_a_run_through_another_eye_is_not_gone_on_with(
    photo_folders: tuple[Path, Path], eye: Path, tmp_path: Path
) -> None:
    def options(through: Path) -> VlmOptions:
        where = {"photos": photo_folders[1], "out": tmp_path / "out", "work": tmp_path / "work"}
        return VlmOptions(
            eye=through,
            steps=1,
            reading=1,
            glances=1,
            questions=1,
            question_scenes=1,
            scenes=1,
            rows=1,
            teacher=eye,
            taught=2,
            taught_views=8,
            workers=0,
            **where,
        )

    vlm.train_vlm(options(eye))
    other = tmp_path / "other"
    shutil.copytree(eye, other)
    weights = load_file(other / "model.safetensors")
    name = "encoder.top_bn.bias"
    save_file(weights | {name: weights[name] + 1}, other / "model.safetensors", {"format": "pt"})
    with pytest.raises(UserError, match=r"other settings \(eye\)"):
        vlm.train_vlm(options(other))
