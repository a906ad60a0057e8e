"""Vision-language checkpoints: every tiny architecture goes through exactly what a real one goes through."""

from __future__ import annotations

import gc
import shutil
import weakref
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
import torch
import transformers
from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES as LOADED

from qbench.errors import UserError
from qbench.images import load_pixels
from qbench.models import Model, ModelOptions, open_model
from qbench.models.checkpoint.inputs import RenderedPrompt, to_inputs
from qbench.models.checkpoint.network import gumbel_noise
from qbench.records import Picture, Prompt
from tests.models.checkpoint.prompts import KINDS, MORE, ONE_IMAGE, PREFILL, QUICK_OR_SLOW, mixed
from tests.models.tiny import QUICK, TODAY

Open = Callable[[str], Model]
DOCUMENT = (Path(__file__).resolve().parents[3] / "docs" / "models.md").read_text(encoding="utf-8")
ALL_KINDS = [*QUICK_OR_SLOW, *(kind if kind in QUICK else pytest.param(kind, marks=MORE) for kind in TODAY)]


def one_by_one(model: Model, prompts: list[Prompt]) -> list[Any]:
    return [model.respond([prompt])[0] for prompt in prompts]


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_a_batch_is_answered_as_each_prompt_alone(kind: str, opened: Open, pictures: list[Picture]) -> None:
    """Padding, positions and images of several sizes change nothing, and every image and text changes the answer."""
    model = opened(kind)
    words, losses, texts = (mixed(kind, pictures, want) for want in ("words", "losses", "text"))
    together, alone = model.respond(words), one_by_one(model, words)
    assert [response.failure for response in together] == [None] * len(words)
    assert len({response.logits["good"] for response in alone}) == len(words), "the prompts must tell answers apart"
    for first, second in zip(together, alone, strict=True):
        assert dict(first.logits) == pytest.approx(dict(second.logits), abs=2e-3)
    for first, second in zip(model.respond(losses), one_by_one(model, losses), strict=True):
        assert dict(first.losses) == pytest.approx(dict(second.losses), abs=2e-3)
    assert [answer.text for answer in model.respond(texts)] == [answer.text for answer in one_by_one(model, texts)]


def test_the_document_tells_of_every_architecture_that_transformers_loads() -> None:
    if transformers.__version__.startswith("5.23."):  # whose table the document goes through
        assert [model_type for model_type in LOADED if f"`{model_type}`" not in DOCUMENT] == []
    assert [kind for kind in (*KINDS, *TODAY) if f"| {kind} |" not in DOCUMENT] == []


@pytest.mark.parametrize("kind", QUICK_OR_SLOW)
def test_word_logits_are_what_the_checkpoint_generates_from(
    kind: str, opened: Open, folder_of: Callable[[str], Path], pictures: list[Picture]
) -> None:
    """Against the raw library: its own generate() on one prompt spelt out by hand, and token ids found by hand."""
    text, model = SPELT_OUT[kind], cast(Any, opened(kind))
    processor: Any = model.network.processor  # the library cannot build that of Qwen2-VL without torchvision
    if kind != "qwen2-vl":
        processor = transformers.AutoProcessor.from_pretrained(folder_of(kind))
    network = transformers.AutoModelForImageTextToText.from_pretrained(folder_of(kind)).eval()
    picture = load_pixels(pictures[1])
    if kind == "idefics":
        before, after = text.split("<image>")
        inputs = processor(text=[[before, picture, after]], return_tensors="pt")
    elif kind in ONE_IMAGE:
        inputs = processor(images=picture, text=text, return_tensors="pt")
    else:
        special = {"add_special_tokens": False} if text.startswith("<bos>") else {}
        inputs = processor(images=[[picture]], text=[text], return_tensors="pt", **special)
    if kind == "instructblip-t5":
        begun = processor.tokenizer(PREFILL, add_special_tokens=False)["input_ids"]
        inputs["decoder_input_ids"] = torch.tensor([[0, *begun]])
    known = {name: value for name, value in inputs.items() if name != "token_type_ids" or kind == "gemma3"}
    first = network.generate(
        **known, max_new_tokens=1, do_sample=False, output_logits=True, return_dict_in_generate=True
    ).logits[0][0]
    vocabulary = processor.tokenizer.get_vocab()
    mark = "Ġ" if "Ġgood" in vocabulary else "▁"
    prompt = Prompt("words", (pictures[1], "Rate the quality of the image."), ("good", "poor"), prefill=PREFILL)
    logits = model.respond([prompt])[0].logits
    for word in ("good", "poor"):
        assert logits[word] == pytest.approx(float(first[vocabulary[mark + word]]), abs=1e-4)


SPELT_OUT = {
    **dict.fromkeys(("llava", "llava-next"), "USER: <image>\nRate the quality of the image. ASSISTANT: " + PREFILL),
    "qwen2-vl": "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n<|im_start|>user\n<|vision_start|>"
    "<|image_pad|><|vision_end|>Rate the quality of the image.<|im_end|>\n<|im_start|>assistant\n" + PREFILL,
    "idefics": "User: <image>Rate the quality of the image.<end_of_utterance>\nAssistant: " + PREFILL,
    **dict.fromkeys(
        ("idefics2", "idefics3"),
        "User:<image>Rate the quality of the image.<end_of_utterance>\nAssistant: " + PREFILL,
    ),
    "gemma3": "<bos><start_of_turn>user\n<start_of_image>Rate the quality of the image.<end_of_turn>\n"
    "<start_of_turn>model\n" + PREFILL,
    "instructblip-t5": "Rate the quality of the image.",
    "instructblip-vicuna": "Rate the quality of the image. " + PREFILL,
    **dict.fromkeys(("blip2-opt", "kosmos2"), "Question: Rate the quality of the image. Answer: " + PREFILL),
}


@pytest.mark.parametrize("kind", ["llava", "instructblip-t5"])
def test_a_word_of_several_tokens_keeps_the_scale_of_one(kind: str, opened: Open, pictures: list[Picture]) -> None:
    """exp(logit) is proportional to the probability of the whole word, whatever its number of tokens."""
    model = opened(kind)
    prompt = mixed(kind, pictures, "words")[0]
    weighed = model.respond([prompt])[0]
    losses = model.respond([replace(prompt, want="losses")])[0].losses
    assert weighed.note is not None
    tokens = int(weighed.note.split("'excellent' has ")[1].split()[0])
    assert tokens > 1
    log_likelihood = {"good": -losses["good"], "excellent": -losses["excellent"] * tokens}
    difference = log_likelihood["excellent"] - log_likelihood["good"]
    assert weighed.logits["excellent"] - weighed.logits["good"] == pytest.approx(difference, abs=1e-4)


def test_a_word_outside_the_vocabulary_is_left_out_and_named(opened: Open, pictures: list[Picture]) -> None:
    prompt = replace(mixed("instructblip-t5", pictures, "words")[0], words=("good", "好", "差"))
    answer = opened("instructblip-t5").respond([prompt])[0]
    assert list(answer.logits) == ["good"]
    assert answer.note == "the tokenizer has no tokens for '好'; the tokenizer has no tokens for '差'"
    measured = opened("instructblip-t5").respond([replace(prompt, want="losses")])[0]
    assert measured.failure == "the tokenizer has no tokens for '好'"


def test_the_q_former_does_not_read_the_answer_that_is_weighed(opened: Open, pictures: list[Picture]) -> None:
    model: Any = opened("instructblip-vicuna")
    prompts = [RenderedPrompt("Rate the quality.", (pictures[0],))] * 2
    inputs = to_inputs(model.network.processor, model.network.model, prompts, [" good", " the first image"], "right")
    assert inputs["qformer_input_ids"][0].tolist() == inputs["qformer_input_ids"][1].tolist()
    assert inputs["input_ids"][0].tolist() != inputs["input_ids"][1].tolist()


def test_what_cannot_be_answered_fails_alone(opened: Open, pictures: list[Picture], damaged: Picture) -> None:
    fine, *_ = mixed("llava", pictures, "words")
    long = replace(fine, parts=(pictures[0], "the quick brown fox " * 1000))
    answers = opened("llava").respond([fine, replace(fine, parts=(damaged, "Rate it.")), long, fine])
    assert answers[0] == answers[3] and answers[0].failure is None
    assert answers[1].failure is not None and "damaged.png is damaged" in answers[1].failure
    assert answers[2].failure is not None and "the model takes 2048" in answers[2].failure


@pytest.mark.parametrize("kind", ["llava", "instructblip-t5"])
def test_repeated_prompts_are_draws_that_depend_on_nothing_else(
    kind: str, opened: Open, pictures: list[Picture]
) -> None:
    model = opened(kind)
    greedy = Prompt("text", (pictures[0], "Rate the quality of the image."), max_tokens=6)
    prompts = [replace(greedy, repeat=number) for number in range(6)]
    together = [answer.text for answer in model.respond(prompts)]
    assert len(set(together)) > 3
    assert together == [answer.text for answer in one_by_one(model, prompts)]
    assert together[0] == model.respond([greedy])[0].text


def test_draws_follow_the_probabilities(pictures: list[Picture]) -> None:
    rendered = RenderedPrompt("Rate it.", (pictures[0],))
    logits = torch.tensor([0.0, 1.0, 2.0])
    drawn = torch.zeros(3)
    for draw in range(1, 2001):
        drawn[gumbel_noise([rendered], [draw])(None, logits[None].clone()).argmax()] += 1
    assert (drawn / 2000).tolist() == pytest.approx(logits.softmax(0).tolist(), abs=0.03)
    assert gumbel_noise([rendered], [0])(None, logits[None].clone()).tolist() == [logits.tolist()]


def test_template_arguments_must_mean_something(folder_of: Callable[[str], Path], tmp_path: Path) -> None:
    folder = shutil.copytree(folder_of("qwen2-vl"), tmp_path / "thinker")
    options = ModelOptions(template={"enable_thinking": False})
    with pytest.raises(UserError, match="the chat template of thinker does nothing with enable_thinking"):
        open_model(str(folder), options)
    with (folder / "chat_template.jinja").open("a") as template:
        template.write("{% if add_generation_prompt and enable_thinking is false %}<think></think>{% endif %}")
    model: Any = open_model(str(folder), options)
    assert model.identity["template"] == {"enable_thinking": False}
    [rendered] = model.network.render([Prompt("text", ("?",))])
    assert rendered.text.endswith("<think></think>")


def test_running_out_of_memory_is_a_memory_error(
    folder_of: Callable[[str], Path], pictures: list[Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    model: Any = open_model(str(folder_of("llava")))
    held: list[weakref.ref[torch.Tensor]] = []

    def exhausted(**_: object) -> None:
        states = torch.zeros(3)
        held.append(weakref.ref(states))
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")

    monkeypatch.setattr(model.network.model, "forward", exhausted)
    with pytest.raises(MemoryError, match="CUDA out of memory") as fault:
        model.respond(mixed("llava", pictures, "words"))
    assert fault.value.__context__ is not None  # the error still stands behind it, and what it held is free
    assert [each() for each in held] == [None]


def test_a_model_that_is_let_go_frees_its_weights(folder_of: Callable[[str], Path], pictures: list[Picture]) -> None:
    model: Any = open_model(str(folder_of("llava")))
    model.respond(mixed("llava", pictures, "words"))
    weights = weakref.ref(model.network.model)
    del model
    gc.collect()
    assert weights() is None


@pytest.mark.parametrize("kind", ["llava", "qwen2-vl", "gemma3"])
def test_a_prompt_without_images_is_answered(kind: str, opened: Open, pictures: list[Picture]) -> None:
    blind = Prompt("words", ("Rate the quality.",), words=("good",))
    answers = opened(kind).respond([blind, replace(blind, parts=(pictures[0], "Rate the quality."))])
    assert [answer.failure for answer in answers] == [None, None]
    assert answers[0].logits["good"] != answers[1].logits["good"]
    assert opened(kind).respond([replace(blind, want="text", words=())])[0].failure is None
