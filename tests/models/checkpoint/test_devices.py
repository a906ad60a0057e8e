"""Where weights go and how precise they are: what runs, and what is refused with the way out."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForImageTextToText, BitsAndBytesConfig

from qbench.errors import UserError
from qbench.models import ModelOptions, open_model
from qbench.models.checkpoint import devices, weights
from qbench.models.checkpoint.devices import pick_device
from qbench.models.checkpoint.network import Network
from qbench.models.checkpoint.vlm import Vlm
from qbench.models.checkpoint.weights import find_checkpoint, load_processor, load_weights
from qbench.records import Picture, Prompt


def test_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert pick_device("auto") == pick_device("cpu") == "cpu"
    for wanted in ("cuda", "split"):
        with pytest.raises(UserError, match="no CUDA device"):
            pick_device(wanted)
    with pytest.raises(UserError, match="use auto, cpu, cuda, mps or split"):
        pick_device("tpu")
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    with pytest.raises(UserError, match="no MPS, which is the GPU of Apple's own processors; use --device cpu"):
        pick_device("mps")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", True)
    assert pick_device("auto") == pick_device("cuda") == "cuda"
    assert not torch.backends.cudnn.allow_tf32  # float32 is computed in float32
    monkeypatch.setattr(devices, "find_spec", lambda _name: None)
    with pytest.raises(UserError, match="--device split needs accelerate: pip install accelerate"):
        pick_device("split")
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert pick_device("mps") == "mps"


@pytest.mark.skipif(importlib.util.find_spec("gptqmodel") is not None, reason="what is missing here is there")
def test_quantised_weights_say_which_package_they_need(llava: Path) -> None:
    config = json.loads((llava / "config.json").read_bytes())
    quantised = {**config, "quantization_config": {"quant_method": "awq", "bits": 4}}
    (llava / "config.json").write_text(json.dumps(quantised), encoding="utf-8")
    with pytest.raises(UserError, match=r"needs a package that is not installed: .*gptqmodel"):
        open_model(str(llava))


@pytest.mark.slow(reason="bitsandbytes takes seconds to import")
@pytest.mark.skipif(importlib.util.find_spec("bitsandbytes") is None, reason="pip install bitsandbytes accelerate")
def test_weights_that_bitsandbytes_made_small_run_on_a_cpu(llava: Path, pictures: list[Picture]) -> None:
    small = llava.with_name("small")
    shutil.copytree(llava, small)
    (small / "model.safetensors").unlink()
    made = {"quantization_config": BitsAndBytesConfig(load_in_8bit=True), "device_map": {"": "cpu"}}
    AutoModelForImageTextToText.from_pretrained(llava, **made).save_pretrained(small)
    whole, quantised = open_model(str(llava)), open_model(str(small))
    assert quantised.identity["quantised"] == "bitsandbytes"
    prompts = [Prompt("words", (picture, "How sharp?"), words=("a", "b", "c", "d")) for picture in pictures]
    pairs = [
        (mine.logits[word], theirs.logits[word])
        for mine, theirs in zip(whole.respond(prompts), quantised.respond(prompts), strict=True)
        for word in mine.logits
    ]
    mine, theirs = torch.tensor(pairs).T
    assert not torch.equal(mine, theirs)
    assert float(torch.corrcoef(torch.stack([mine, theirs]))[0, 1]) > 0.995


def test_split_weights_are_placed_by_a_map_and_asked_in_the_plain_way(
    llava: Path, pictures: list[Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = [answer.logits["good"] for answer in open_model(str(llava)).respond(rating(pictures))]
    monkeypatch.setattr(weights, "pick_device", lambda _wanted: "split")
    monkeypatch.setattr(weights, "device_map", lambda _device, _method: {"": "cpu"})  # the only one at hand
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda **_: True)
    split: Any = open_model(str(llava), ModelOptions(device="split"))
    assert type(split.network) is Network
    assert split.identity["dtype"] == "bfloat16"
    found = [answer.logits["good"] for answer in split.respond(rating(pictures))]
    assert found == pytest.approx(plain, abs=1.0)
    assert not any(value == float(torch.tensor(value, dtype=torch.bfloat16)) for value in found)  # they are float32


def rating(pictures: list[Picture]) -> list[Prompt]:
    return [Prompt("words", (picture, "Rate the quality of the image."), ("good",)) for picture in pictures]


def test_the_repetition_penalty_of_a_checkpoint_is_put_off(llava: Path, pictures: list[Picture]) -> None:
    prompt = Prompt("text", (pictures[0], "Describe the image."), max_tokens=12)
    [said] = open_model(str(llava)).respond([prompt])
    file = llava / "generation_config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "repetition_penalty": 5.0}))
    penal = open_model(str(llava))
    assert penal.identity["repetition_penalty"] == 1.0
    assert [each.text for each in penal.respond([prompt])] == [said.text]


def test_half_precision_is_told_and_its_logits_precise_though_queries_stay_in_float32(
    folder_of: Callable[[str], Path], pictures: list[Picture]
) -> None:
    """What a GPU without bfloat16 runs: Transformers keeps the queries of BLIP-2 and InstructBLIP in float32."""
    found = find_checkpoint(str(folder_of("blip2-opt")), ModelOptions(device="cpu"))
    weights = load_weights(found, AutoModelForImageTextToText, torch.float16)
    model = Vlm(found, load_processor(found), weights)
    assert weights.dtype == torch.float32
    assert model.identity["dtype"] == "float16"
    logits = [answer.logits["good"] for answer in model.respond(rating(pictures))]
    assert not all(value == float(torch.tensor(value, dtype=torch.float16)) for value in logits)
