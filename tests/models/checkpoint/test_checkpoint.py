"""What is opened, as what, where and how precisely; what is refused before it does harm; what tells them apart."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError
from safetensors.torch import load_file, save_file
from transformers import AutoModelForImageTextToText, BitsAndBytesConfig

from qbench.errors import UserError
from qbench.models import ModelOptions, open_model
from qbench.models.checkpoint import devices, weights
from qbench.models.checkpoint.devices import pick_device
from qbench.models.checkpoint.vlm import Vlm
from qbench.models.checkpoint.weights import find_checkpoint, load_processor, load_weights, memory_errors
from qbench.records import Picture, Prompt


def change(folder: Path, **settings: Any) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **settings}))


def test_code_in_a_checkpoint_is_not_run_unasked(llava: Path, tmp_path: Path) -> None:
    proof = tmp_path / "ran"
    (llava / "custom.py").write_text(f"open({str(proof)!r}, 'w').close()\n")
    auto_map = {"AutoConfig": "custom.Config", "AutoModelForImageTextToText": "custom.Model"}
    change(llava, model_type="homemade", auto_map=auto_map)
    with pytest.raises(UserError, match="code of its own, which is not executed unasked"):
        open_model(str(llava))
    assert not proof.exists()
    with pytest.raises(AttributeError):  # asked for, it does run; this one defines nothing
        open_model(str(llava), ModelOptions(remote_code=True))
    assert proof.exists()


def test_only_safetensors_are_opened(llava: Path) -> None:
    weights = load_file(llava / "model.safetensors")
    (llava / "model.safetensors").unlink()
    torch.save(weights, llava / "pytorch_model.bin")
    with pytest.raises(UserError, match=r"has no safetensors weights.*save_pretrained"):
        open_model(str(llava))
    change(llava, transformers_weights="pytorch_model.bin")
    save_file(weights, llava / "other.safetensors")
    with pytest.raises(UserError, match="has no safetensors weights"):
        open_model(str(llava))


def test_incomplete_and_damaged_weights_are_refused(llava: Path) -> None:
    weights = load_file(llava / "model.safetensors")
    removed = next(name for name in weights if "q_proj" in name)
    save_file({name: tensor for name, tensor in weights.items() if name != removed}, llava / "model.safetensors")
    with pytest.raises(UserError, match="lacks 1 of its weights"):
        open_model(str(llava))
    (llava / "model.safetensors").write_bytes((llava / "model.safetensors").read_bytes()[:5000])
    with pytest.raises(UserError, match="are damaged"):
        open_model(str(llava))


def test_a_model_too_large_to_load_is_one_sentence(llava: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: object, **__: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(torch.nn.Module, "to", exhausted)
    with pytest.raises(UserError, match=r"does not fit into the memory at hand.*--endpoint"):
        open_model(str(llava))


@pytest.mark.parametrize(
    "said",
    [
        "[enforce fail at alloc_cpu.cpp:114] DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes",
        "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
    ],
)
def test_every_way_of_saying_that_memory_is_out(said: str) -> None:
    with pytest.raises(MemoryError), memory_errors():
        raise RuntimeError(said)


@pytest.mark.parametrize(
    ("removed", "message"),
    [
        ("config.json", "has no config.json"),
        ("processor_config.json", "Can't load image processor.*copy the processor"),
        ("tokenizer.json", "copy the processor, tokenizer and chat template"),
    ],
)
def test_missing_files_are_named(llava: Path, removed: str, message: str) -> None:
    (llava / removed).unlink()
    with pytest.raises(UserError, match=message):
        open_model(str(llava))


def test_the_identity_follows_what_is_in_the_files_and_not_where_they_are(llava: Path, tmp_path: Path) -> None:
    model = open_model(str(llava))
    assert model.name == "my-llava"
    assert str(tmp_path) not in json.dumps(dict(model.identity))
    assert open_model(str(shutil.copytree(llava, tmp_path / "elsewhere"))).identity == model.identity

    weights = load_file(llava / "model.safetensors")
    next(iter(weights.values())).view(-1)[0] += 1e-3
    save_file(weights, llava / "model.safetensors", metadata={"format": "pt"})
    retrained = open_model(str(llava)).identity
    assert retrained != model.identity

    template = llava / "chat_template.jinja"
    template.write_text(template.read_text().replace("ASSISTANT:", "ANSWER:"))
    assert open_model(str(llava)).identity["prompt_style"] != retrained["prompt_style"]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (LocalEntryNotFoundError("Cannot reach the Hub.\nMore lines"), "We couldn't connect to 'https.*"),
        (HFValidationError("Repo id must be in the form 'owner/name'.\nMore lines"), "Repo id must be in the form .*"),
    ],
)
def test_a_name_the_hub_does_not_have_is_one_sentence(
    error: Exception, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("transformers.utils.hub.hf_hub_download", failing)
    with pytest.raises(UserError, match=rf"^owner/name cannot be read from the Hub \({reason}\); check") as caught:
        open_model("owner/name")
    assert "\n" not in str(caught.value)


def test_a_hub_repository_is_pinned_to_its_commit(
    folder_of: Callable[[str], Path], pictures: list[Picture], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Offline, from a download cache laid out as the Hub's client does it."""
    commit = "0123456789abcdef0123456789abcdef01234567"
    repository = tmp_path / "models--owner--tiny"
    shutil.copytree(folder_of("llava"), repository / "snapshots" / commit)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    model, asked = open_model("owner/tiny"), [Prompt("words", (pictures[0], "Rate it."), words=("good",))]
    told = (model.name, model.identity["checkpoint"], model.identity["revision"])
    assert told == ("owner/tiny", "owner/tiny", commit)
    [answered], [local] = model.respond(asked), open_model(str(folder_of("llava"))).respond(asked)
    assert answered.logits["good"] == pytest.approx(local.logits["good"], abs=1e-4)


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
    change(llava, quantization_config={"quant_method": "awq", "bits": 4})
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
    assert not split.network.shares
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
