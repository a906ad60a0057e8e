"""Measure how fast images are scored against the obvious loop, on the same model and device.

Run from the repository root: `python -m tests.bench.scoring`. Two questions are timed: *rate*, one image and the logits
of "good" and "poor", which is what Q-Bench's quality scores take; and *choose*, one image and the losses of four
options, which is what close-set answers to LLVisionQA take. The obvious loop is Q-Bench's published script: open an
image, call the processor, run the model, read the logits that are wanted from those of all positions; for losses once
for each option. Both ways give the same numbers, which is checked.

Models are LLaVA with CLIP's geometry (336-pixel images, 576 tokens each), random weights and the widths named; images
are made up, of the size of KonIQ-10k's. The ways run in turn, several times; ratios are of those that ran side by side,
with their least and largest, in time that passed and in time of the processor, which other programs disturb less.

What to expect. On a CPU a single prompt keeps every core busy, so a batch as such gains nothing: *rate* gains only the
logits that nobody reads (the narrower the model, the more they weigh), single-threaded work on images done beside the
computing (in time that passed), and little calls. Three times is not in it. *choose* reads the prompt with its image
once rather than once for each option. On a GPU, batches and images prepared beside the computing are what counts.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
import transformers as tf
from PIL import Image

from qbench.images import KEPT, open_picture
from qbench.models import ModelOptions, open_model
from qbench.models.sights import Sights
from qbench.models.vlm import Vlm
from qbench.records import Picture, Prompt, Want
from tests.models import tiny

QUESTION = "Rate the quality of the image."
PREFILL = "The quality of the image is"
ASKED: dict[Want, tuple[str, ...]] = {
    "words": ("good", "poor"),
    "losses": ("very good", "rather good", "rather poor", "very poor"),
}
NAMES = {"words": "rate", "losses": "choose"}
WIDTHS = {"narrow": ((192, 4), (256, 4)), "wider": ((384, 6), (576, 6))}
"""(Width, layers) of the eye and of the language model."""

Table = list[list[float]]


def build_model(folder: Path, eye: tuple[int, int], language: tuple[int, int]) -> Path:
    """A LLaVA of these widths, written as a checkpoint."""

    def shape(width: int, layers: int, inner: float) -> dict[str, int]:
        size = {"hidden_size": width, "intermediate_size": int(width * inner), "num_hidden_layers": layers}
        return {**size, "num_attention_heads": width // 64}

    def parts() -> tiny.Built:
        config, saved, template = tiny.KINDS["llava"]()
        tokenizer = saved[0]
        config = tf.LlavaConfig(
            vision_config=tf.CLIPVisionConfig(**shape(*eye, 4), image_size=336, patch_size=14),
            text_config=tf.LlamaConfig(**shape(*language, 2.6875), vocab_size=32064, max_position_embeddings=4096),
            image_token_index=config.image_token_index,
            architectures=config.architectures,
        )
        images = tf.CLIPImageProcessor(size={"shortest_edge": 336}, crop_size={"height": 336, "width": 336})
        processor = tf.LlavaProcessor(
            images, tokenizer, patch_size=14, vision_feature_select_strategy="default", num_additional_image_tokens=1
        )
        return config, [tokenizer, processor], template

    tiny.KINDS["bench"] = parts
    return tiny.build("bench", folder)


def make_images(folder: Path, count: int) -> list[Picture]:
    """JPEG files of 1024 by 768 pixels with detail at every scale."""
    random = np.random.default_rng(0)
    for number in range(count):
        pixels = np.zeros((768, 1024, 3))
        for side in (8, 32, 128, 512):
            grain = Image.fromarray(random.integers(0, 256, (side, side, 3), dtype=np.uint8))
            pixels += np.asarray(grain.resize((1024, 768), Image.Resampling.BICUBIC)) / 4
        Image.fromarray(pixels.astype(np.uint8)).save(folder / f"{number}.jpg", quality=92)
    return [open_picture(folder / f"{number}.jpg") for number in range(count)]


def obvious_loop(model: Vlm, pictures: list[Picture], want: Want) -> Table:
    """One image at a time, all logits of all positions; for losses one option at a time."""
    processor, network, words = model._processor, model._model, ASKED[want]
    text = f"USER: <image>\n{QUESTION} ASSISTANT: {PREFILL}"
    tokens = [processor.tokenizer(f"is {word}", add_special_tokens=False)["input_ids"][1:] for word in words]

    def logits(picture: Picture, said: str = "") -> torch.Tensor:
        image = Image.open(picture.path).convert("RGB")
        inputs = processor(text=text + said, images=image, return_tensors="pt").to(network.device, network.dtype)
        with torch.inference_mode():
            found: torch.Tensor = network(**inputs).logits[0]
        return found

    if want == "words":
        return [[float(last[one]) for (one,) in tokens] for last in (logits(picture)[-1] for picture in pictures)]

    def loss(picture: Picture, word: str, of: list[int]) -> float:
        likelihoods = logits(picture, f" {word}")[-len(of) - 1 : -1].log_softmax(dim=-1)
        return -float(likelihoods[range(len(of)), of].mean())

    return [[loss(picture, *each) for each in zip(words, tokens, strict=True)] for picture in pictures]


def ours(model: Vlm, pictures: list[Picture], want: Want) -> Table:
    """Batches of the size the model asks for, as the runner sends them; nothing is known from an earlier turn."""
    KEPT.clear()
    model._sights, model._stem = Sights(model._processor, model._model), None
    prompts = [Prompt(want, (picture, QUESTION), ASKED[want], PREFILL) for picture in pictures]
    size = model.batch_size
    batches = [prompts[start : start + size] for start in range(0, len(prompts), size)]
    table = []
    for batch, following in zip(batches, [*batches[1:], []], strict=True):
        model.expect(following)
        for answer in model.respond(batch):
            found = answer.logits if want == "words" else answer.losses
            table.append([found[word] for word in ASKED[want]])
    return table


def seconds_of(way: Callable[[], object]) -> np.ndarray:
    """Seconds that passed and seconds of the processor."""
    before = np.array([time.perf_counter(), time.process_time()])
    way()
    return np.array([time.perf_counter(), time.process_time()]) - before


def measure(name: str, model: Vlm, pictures: list[Picture], repeats: int) -> None:
    """Print one line for each question."""
    for want in ASKED:
        both = (lambda: obvious_loop(model, pictures, want), lambda: ours(model, pictures, want))  # noqa: B023
        difference = np.abs(np.array(both[0]()) - np.array(both[1]())).max()
        times = np.array([[seconds_of(way) for way in both] for _ in range(repeats)])
        plain, batched = len(pictures) / times.min(axis=0)[:, 0]
        ratios = times[:, 0] / times[:, 1]
        spans = [f"{np.median(one):5.2f} ({one.min():.2f} to {one.max():.2f})" for one in ratios.T]
        print(
            f"{name:<10} {NAMES[want]:<7} {plain:8.2f} {batched:8.2f}   {spans[0]:<22} {spans[1]:<22} {difference:.0e}",
            flush=True,
        )


def main() -> None:
    asked = argparse.ArgumentParser(description="Scoring throughput against the obvious loop.")
    asked.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"))
    asked.add_argument("--images", type=int, default=16)
    asked.add_argument("--repeats", type=int, default=5)
    options = asked.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        pictures = make_images(Path(scratch), options.images)
        print(f"{options.images} images, PyTorch with {torch.get_num_threads()} threads on {options.device}")
        print("           images a second:  loop     ours   ratio in time passed   ratio in processor     apart")
        for name, widths in WIDTHS.items():
            folder = build_model(Path(scratch) / name, *widths)
            model = open_model(str(folder), ModelOptions(device=options.device))
            assert isinstance(model, Vlm)
            measure(name, model, pictures, options.repeats)


if __name__ == "__main__":
    main()
