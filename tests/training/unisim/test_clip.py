"""UniSim's training on a tiny CLIP: what learns and what does not, merging, going on, and what is refused."""

from __future__ import annotations

import dataclasses
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import load_file
from transformers import CLIPModel, CLIPProcessor

from qbench.__main__ import main
from qbench.errors import UserError
from qbench.images import open_picture
from qbench.models import open_model
from qbench.records import Prompt, Sample
from qbench.training.unisim import clip as unisim
from qbench.training.unisim.clip import (
    QUALITY_CAPTION,
    ClipTuningOptions,
    TripletBatches,
    embed_batch,
    to_triplet,
    triplet_hinge,
    triplet_learner,
    tune_clip,
    with_lora,
)

SIDE = 28
COLOURS = {"red": (200, 30, 30), "green": (30, 200, 30), "blue": (30, 30, 200)}


@pytest.fixture
def tiny(folder_of: Callable[[str], Path], tmp_path: Path) -> Path:
    """A CLIP that knows nothing, on disk."""
    return Path(shutil.copytree(folder_of("clip"), tmp_path / "tiny"))


@pytest.fixture
def comparisons(tmp_path: Path) -> dict[str, list[Sample]]:
    """Grainy pictures of three colours and their names, all four tasks."""
    generator = np.random.default_rng(1)
    names = {}
    for colour, value in COLOURS.items():
        for shade in (0, 1, 2):
            pixels = np.clip(generator.normal(value, 10 + 25 * shade, (SIDE, SIDE, 3)), 0, 255).astype(np.uint8)
            names[colour, shade] = str(tmp_path / f"{colour}-{shade}.png")
            Image.fromarray(pixels).save(names[colour, shade])
    found: dict[str, list[Sample]] = {"img-2afc": [], "it-2afc": [], "text-2afc": [], "iqa-2afc": []}
    for shown in COLOURS:
        for other in (colour for colour in COLOURS if colour != shown):
            clean, grainy, foreign = names[shown, 0], names[shown, 2], names[other, 0]
            found["img-2afc"].append(Sample("", (clean, grainy, foreign), has_reference=True, answer=1))
            found["it-2afc"].append(Sample("", (clean, foreign), texts=(shown,), answer=0))
            found["text-2afc"].append(Sample("", (clean,), texts=(other, shown), has_reference=True, answer=1))
            found["iqa-2afc"].append(Sample("", (grainy, clean), answer=1))
    return found


@pytest.fixture
def trains_on(monkeypatch: pytest.MonkeyPatch, comparisons: dict[str, list[Sample]]) -> None:
    """What is trained on is the pictures above, whatever sets are asked for."""
    monkeypatch.setattr(unisim, "read_comparisons", lambda *_arguments: comparisons)


def options(model: Path, out: Path, steps: int, **more: Any) -> ClipTuningOptions:
    work = out.with_name(f"{out.name}.training")
    usual: dict[str, Any] = {"sets": ["pipal-train"], "samples": 4 * steps, "batch": 4, "rate": 3e-3}
    return ClipTuningOptions(model=str(model), out=out, work=work, **usual, **more)


def batches_of(folder: Path, comparisons: dict[str, list[Sample]]) -> TripletBatches:
    processor = CLIPProcessor.from_pretrained(folder)
    pools = {task: [to_triplet(task, sample) for sample in samples] for task, samples in comparisons.items()}
    return TripletBatches(pools, processor, longest=32, size=4, seed=0)


def test_the_hinge_is_what_the_lead_in_cosine_lacks_of_the_margin() -> None:
    def comparison(right: float, other: float) -> list[list[float]]:
        return [[1.0, 0.0], [right, (1 - right**2) ** 0.5], [other, (1 - other**2) ** 0.5]]

    leads = torch.tensor([comparison(0.60, 0.50), comparison(0.52, 0.50), comparison(0.3, 0.7)])
    each = [float(triplet_hinge(leads[place : place + 1])) for place in range(3)]
    assert each == pytest.approx([0.0, 0.03, 0.45], abs=1e-6)
    assert float(triplet_hinge(leads)) == pytest.approx(0.16, abs=1e-6)


def test_each_task_is_measured_against_what_the_paper_says(comparisons: dict[str, list[Sample]]) -> None:
    def names(task: str) -> list[str]:
        return [Path(item).stem for item in to_triplet(task, comparisons[task][0])]

    assert names("img-2afc") == ["red-0", "green-0", "red-2"]
    assert names("it-2afc") == ["red", "red-0", "green-0"]
    assert names("text-2afc") == ["red-0", "red", "green"]
    assert names("iqa-2afc") == [Path(QUALITY_CAPTION).stem, "red-0", "red-2"]


def test_every_step_draws_equally_many_of_each_task_by_its_number_alone(
    tiny: Path, comparisons: dict[str, list[Sample]]
) -> None:
    comparisons["it-2afc"] *= 50
    batches = batches_of(tiny, comparisons)
    one, again, other = batches[3], batches[3], batches[4]
    assert {task: tuple(places.shape) for task, places in one.triplets.items()} == dict.fromkeys(comparisons, (4, 3))
    assert all(torch.equal(one.triplets[task], again.triplets[task]) for task in comparisons)
    assert torch.equal(one.pixels, again.pixels)
    assert any(not torch.equal(one.triplets[task], other.triplets[task]) for task in comparisons)
    smaller = dataclasses.replace(batches, side=14)
    assert smaller[0].pixels.shape[2:] == (14, 14)
    learner = triplet_learner(with_lora(CLIPModel.from_pretrained(tiny), seed=0), seed=0)
    assert sum(learner(smaller[0]).values()).item() > 0


def test_processes_share_a_step_out_among_them() -> None:
    names: Any = SimpleNamespace(
        image_processor=lambda *_, **__: {"pixel_values": None}, tokenizer=lambda texts, **_: {"texts": texts}
    )
    pools = {task: [(f"{task} {number}", "right", "wrong") for number in range(9)] for task in ("it-2afc", "text-2afc")}

    def drawn(process: int, processes: int) -> dict[str, list[str]]:
        batch: Any = TripletBatches(pools, names, 32, size=4, seed=0, process=process, processes=processes)[5]
        return {task: [batch.tokens["texts"][place] for place in rows[:, 0]] for task, rows in batch.triplets.items()}

    whole, parts = drawn(0, 1), [drawn(number, 2) for number in range(2)]
    for task, each in whole.items():
        assert len(each) == 4 and len(set(each)) > 1
        assert [parts[place % 2][task][place // 2] for place in range(4)] == each


@pytest.mark.usefixtures("trains_on")
def test_the_loss_falls_the_text_side_stays_and_the_result_is_a_plain_encoder(tiny: Path, tmp_path: Path) -> None:
    out = tune_clip(options(tiny, tmp_path / "out", steps=60))
    log = [json.loads(line) for line in (tmp_path / "out.training" / "log.jsonl").read_text().splitlines()]
    tasks = ("img-2afc", "it-2afc", "text-2afc", "iqa-2afc")
    assert all(log[-1][task] < log[0][task] for task in tasks)
    assert sum(log[-1][task] for task in tasks) < 0.3 * sum(log[0][task] for task in tasks)
    before, after = load_file(tiny / "model.safetensors"), load_file(out / "model.safetensors")
    assert before.keys() == after.keys()
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    layers = ("q_proj", "k_proj", "v_proj", "out_proj", "fc1", "fc2")
    expected = {
        name
        for name in before
        if name.startswith("vision_model.encoder") and name.endswith(tuple(f"{layer}.weight" for layer in layers))
    }
    assert changed == expected | {"visual_projection.weight"}
    assert len(expected) == 2 * len(layers)
    model = open_model(str(out))
    pictures = [open_picture(tmp_path / f"{colour}-0.png") for colour in COLOURS]
    answers = model.respond([Prompt("words", (picture,), words=tuple(COLOURS)) for picture in pictures])
    assert [max(answer.logits, key=answer.logits.__getitem__) for answer in answers] == list(COLOURS)


def test_what_is_dropped_depends_on_the_step_and_merged_weights_answer_as_the_adapters_do(
    tiny: Path, comparisons: dict[str, list[Sample]]
) -> None:
    tuned: Any = with_lora(CLIPModel.from_pretrained(tiny), seed=0)
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for name, weight in tuned.named_parameters():
            if "lora_B" in name:
                weight.normal_(0, 0.2, generator=generator)
    learner, batch = triplet_learner(tuned, seed=0), batches_of(tiny, comparisons)[4]

    def losses(step: int) -> list[float]:
        torch.rand(3)  # what else draws random numbers must not matter
        return [loss.item() for loss in learner(dataclasses.replace(batch, step=step)).values()]

    assert losses(4) == losses(4)
    assert losses(4) != losses(5)
    plain = embed_batch(CLIPModel.from_pretrained(tiny), batch)
    adapted = embed_batch(tuned.eval().base_model.model, batch)
    merged = embed_batch(tuned.merge_and_unload(), batch)
    assert torch.allclose(merged, adapted, atol=1e-5)
    images = len(batch.pixels)
    assert not torch.allclose(plain[:images], adapted[:images], atol=1e-2)
    assert torch.equal(plain[images:], adapted[images:])


@pytest.mark.usefixtures("trains_on")
def test_the_command_trains(tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    command = ["train", "unisim", "--model", str(tiny), "--sets", "pipal-train", "--out", str(out), "--workers", "0"]
    assert main([*command, "--samples", "8", "--batch", "4", "--device", "cpu", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"out": str(out)}
    log = (tmp_path / "out.training" / "log.jsonl").read_text().splitlines()
    assert [json.loads(line)["step"] for line in log] == [2]
    for wrong in ("--rate", "--side", "--samples"):
        with pytest.raises(SystemExit, match="2"):
            main([*command, wrong, "0"])
        assert f"argument {wrong}: it is 0; it must be " in capsys.readouterr().err


@pytest.mark.usefixtures("trains_on")
@pytest.mark.parametrize("library", ["peft", "accelerate"])
def test_without_its_libraries_it_says_what_to_install(
    library: str, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    command = ["train", "unisim", "--model", str(tiny), "--sets", "pipal-train", "--out", str(tmp_path / "out")]
    assert main([*command, "--device", "cpu"]) == 2
    said = f"qbench: this needs {library}, which is not installed; pip install 'qbench[train]'\n"
    assert capsys.readouterr().err.endswith(said)  # after how far the weights were loaded


@pytest.mark.usefixtures("trains_on")
def test_what_cannot_be_tuned_is_refused(
    tiny: Path, tmp_path: Path, comparisons: dict[str, list[Sample]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another kind of checkpoint; going on with other comparisons; a batch that cannot be shared evenly."""
    (tmp_path / "config.json").write_text('{"model_type": "siglip"}')
    (tmp_path / "model.safetensors").touch()
    with pytest.raises(UserError, match="is a siglip; UniSim tunes a CLIP"):
        tune_clip(options(tmp_path, tmp_path / "out", steps=1))
    tune_clip(options(tiny, tmp_path / "out", steps=1))
    comparisons["it-2afc"].pop()
    with pytest.raises(UserError, match=r"other settings \(comparisons\)"):
        tune_clip(options(tiny, tmp_path / "out", steps=1))
    monkeypatch.setattr("accelerate.Accelerator.num_processes", 3)
    with pytest.raises(UserError, match="a batch of 4 cannot be shared by 3 processes; give a multiple of that"):
        tune_clip(options(tiny, tmp_path / "out", steps=1))
