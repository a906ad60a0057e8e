"""Tuning generative models on conversations: what is learnt, what is not, and files of another kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from PIL import Image
from safetensors.torch import load_file

from qbench.errors import DataError, UserError
from qbench.models import open_model
from qbench.models.checkpoint.vlm import Vlm
from qbench.records import Prompt
from qbench.training.unisim.generative import (
    Conversation,
    VlmTuningOptions,
    _batches,
    answer_losses,
    language_layers,
    read_conversations,
    tune_vlm,
)

RED, BLUE = "which is it?\n<image>", "<image><image> which of the two?"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two conversations about one image and two about two."""
    for name, colour in (("red", (220, 20, 20)), ("blue", (20, 20, 220))):
        Image.new("RGB", (40, 40), colour).save(tmp_path / f"{name}.png")
    rows = [
        {"image": ["red.png"], "conversations": [said("human", RED), said("gpt", "(A)")]},
        {"image": "blue.png", "conversations": [said("human", RED), said("gpt", "(B) blue")]},
        {"image": ["red.png", "blue.png"], "conversations": [said("human", BLUE), said("gpt", "A")]},
        {"image": ["blue.png", "red.png"], "conversations": [said("human", BLUE), said("gpt", "B")]},
    ]
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def said(who: str, text: str) -> dict[str, str]:
    return {"from": who, "value": text}


def options(path: Path, model: Path | str, out: Path, batch: int = 4) -> VlmTuningOptions:
    files = {"conversations": path, "out": out, "work": out.with_suffix(".work")}
    return VlmTuningOptions(model=str(model), **files, batch=batch, rate=3e-3, samples=400)


def test_rows_are_questions_with_their_images_in_place(path: Path) -> None:
    one, _, two, _ = read_conversations(path, path.parent)
    assert one.question == ("which is it?\n", path.parent / "red.png")
    assert two.question == (path.parent / "red.png", path.parent / "blue.png", " which of the two?")
    assert (one.answer, one.images, two.images) == ("(A)", 1, 2)


@pytest.mark.parametrize("kind", ["llava", "qwen2-vl", "idefics3"])
def test_the_loss_is_that_of_the_answer_and_its_end_alone(
    kind: str, path: Path, folder_of: Callable[[str], Path]
) -> None:
    """The adapter's own losses of the same continuation, a mean over its tokens, are the independent measure."""
    model = open_model(str(folder_of(kind)))
    assert isinstance(model, Vlm)
    end = model.network.processor.tokenizer.eos_token
    pair = read_conversations(path, path.parent)[:2]
    with torch.inference_mode():
        together = answer_losses(model.network.model, model.network.processor, pair)
        apart = [answer_losses(model.network.model, model.network.processor, [conversation]) for conversation in pair]
    assert together.tolist() == pytest.approx(torch.cat(apart).tolist(), abs=1e-4)
    for conversation, losses in zip(pair, apart, strict=True):
        [answered] = model.respond([Prompt("losses", conversation.prompt.parts, words=(conversation.answer + end,))])
        assert answered.losses is not None
        assert float(losses.mean()) == pytest.approx(answered.losses[conversation.answer + end], abs=1e-4)


def test_it_learns_to_answer_and_loads_as_it_did(path: Path, tmp_path: Path, folder_of: Callable[[str], Path]) -> None:
    before = folder_of("llava")
    tuned = tune_vlm(options(path, before, tmp_path / "tuned"))
    log = [json.loads(line) for line in (tmp_path / "tuned.work" / "log.jsonl").read_text().splitlines()]
    assert log[-1]["answer"] < 0.1 < log[0]["answer"]
    model = open_model(str(tuned))
    asked = [Prompt("text", known.prompt.parts, max_tokens=8) for known in read_conversations(path, path.parent)]
    found = [answer.text for group in (asked[:2], asked[2:]) for answer in model.respond(group)]
    assert found == ["(A)", "(B) blue", "A", "B"]
    old, new = (load_file(folder / "model.safetensors") for folder in (before, tuned))
    assert old.keys() == new.keys()
    changed = {name for name, weight in old.items() if not torch.equal(weight, new[name])}
    assert changed
    assert all(name.startswith("language_model.") and name.endswith("_proj.weight") for name in changed), changed


@pytest.mark.parametrize("kind", ["llava", "qwen2-vl", "idefics", "idefics3"])
def test_what_learns_is_the_language_side(kind: str, folder_of: Callable[[str], Path]) -> None:
    model = open_model(str(folder_of(kind)))
    assert isinstance(model, Vlm)
    names = language_layers(model.network.model)
    assert any(name.endswith("q_proj") for name in names)
    assert any(name.endswith("down_proj") for name in names)
    assert not [name for name in names if "vision" in name or "lm_head" in name]


def test_what_is_no_decoder_is_refused(path: Path, tmp_path: Path, folder_of: Callable[[str], Path]) -> None:
    with pytest.raises(UserError, match="nano-clip compares and writes nothing"):
        tune_vlm(options(path, "nano-clip", tmp_path / "out"))
    with pytest.raises(UserError, match="only decoders are tuned here"):
        tune_vlm(options(path, folder_of("instructblip-t5"), tmp_path / "out"))


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({"image": []}, "one text from human and one from gpt"),
        ({"image": [], "conversations": [said("human", "a"), said("gpt", "b")] * 2}, "one text from human and one"),
        ({"image": [], "conversations": [said("gpt", "a"), said("human", "b")]}, "one text from human and one"),
        ({"image": [], "conversations": [{"from": "human", "value": 3}, said("gpt", "b")]}, "one text from human"),
        ({"image": ["red.png"], "conversations": [said("human", "none"), said("gpt", "b")]}, "one image for each"),
        ({"image": [], "conversations": [said("human", "a"), said("gpt", " ")]}, "an empty answer"),
        ({"image": "no.png", "conversations": [said("human", RED), said("gpt", "b")]}, "there is no image .*no.png"),
    ],
)
def test_a_row_of_another_kind_is_named(row: object, complaint: str, path: Path) -> None:
    good = json.loads(path.read_text(encoding="utf-8"))[0]
    path.write_text(json.dumps([good, row]), encoding="utf-8")
    with pytest.raises(DataError, match=rf"conversations.json, record 2 .*{complaint}"):
        read_conversations(path, path.parent)


def test_every_conversation_is_seen_once_before_any_is_seen_again(path: Path) -> None:
    listed = [Conversation((str(number),), "A") for number in range(5)]
    chosen = options(path, "", path, batch=2)
    batches = list(_batches(listed, chosen, 5, 0))
    seen = [conversation.question[0] for _, batch in batches for conversation in batch]
    assert sorted(seen[:5]) == sorted(seen[5:]) == ["0", "1", "2", "3", "4"]
    assert seen[:5] != seen[5:]
    assert list(_batches(listed, chosen, 5, 3)) == batches[3:]
