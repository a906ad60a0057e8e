"""What is opened, as what, and what is refused before it can do harm; and what tells one checkpoint from another."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError
from safetensors.torch import load_file, save_file

from qbench.errors import UserError
from qbench.models import ModelOptions, open_model
from qbench.models.checkpoint.weights import memory_errors
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
