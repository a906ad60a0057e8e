"""Measure the scoring of images by word logits against the obvious loop, on the same model and device.

Run from the repository root: `python -m tests.bench.scoring`. The model is a LLaVA of real geometry (336-pixel images,
576 tokens each, a vocabulary of 32,064) and small width, with random weights; the images are made up, of the size of
KonIQ-10k's. The obvious loop is Q-Bench's published script: open an image, call the processor, run the model, read two
logits of the last position. Each way runs several times in turn; a figure is its least, in time that passed and in time
of the processor, which other programs disturb less. The wider the model, the less the logits that nobody reads weigh,
and the less there is to gain on a CPU.
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

from qbench.images import load_pixels, open_picture
from qbench.models import ModelOptions, open_model
from qbench.models.vlm import Vlm
from qbench.records import Picture, Prompt
from tests.models import tiny

QUESTION, PREFILL = "Rate the quality of the image.", "The quality of the image is"
WORDS = ("good", "poor")
IMAGES = 16
REPEATS = 3


def build_model(folder: Path) -> Path:
    """The small LLaVA, written as a checkpoint."""

    def parts() -> tiny.Built:
        config, saved, template = tiny.KINDS["llava"]()
        tokenizer = saved[0]
        vision = {"hidden_size": 192, "intermediate_size": 768, "num_hidden_layers": 4, "num_attention_heads": 3}
        language = {"hidden_size": 256, "intermediate_size": 688, "num_hidden_layers": 4, "num_attention_heads": 4}
        config = tf.LlavaConfig(
            vision_config=tf.CLIPVisionConfig(**vision, image_size=336, patch_size=14),
            text_config=tf.LlamaConfig(**language, vocab_size=32064, max_position_embeddings=4096),
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


def make_images(folder: Path) -> list[Picture]:
    """JPEG files of 1024 by 768 pixels with detail at every scale."""
    random = np.random.default_rng(0)
    for number in range(IMAGES):
        pixels = np.zeros((768, 1024, 3))
        for side in (8, 32, 128, 512):
            grain = Image.fromarray(random.integers(0, 256, (side, side, 3), dtype=np.uint8))
            pixels += np.asarray(grain.resize((1024, 768), Image.Resampling.BICUBIC)) / 4
        Image.fromarray(pixels.astype(np.uint8)).save(folder / f"{number}.jpg", quality=92)
    return [open_picture(folder / f"{number}.jpg") for number in range(IMAGES)]


def obvious_loop(model: Vlm, pictures: list[Picture]) -> list[list[float]]:
    """One image at a time, all logits of all positions."""
    processor, network = model._processor, model._model
    good, poor = (processor.tokenizer.convert_tokens_to_ids(f"▁{word}") for word in WORDS)
    text = f"USER: <image>\n{QUESTION} ASSISTANT: {PREFILL}"
    scores = []
    for picture in pictures:
        image = Image.open(picture.path).convert("RGB")
        inputs = processor(text=text, images=image, return_tensors="pt").to(network.device, network.dtype)
        with torch.inference_mode():
            logits = network(**inputs).logits[0, -1]
        scores.append([float(logits[good]), float(logits[poor])])
    return scores


def ours(model: Vlm, pictures: list[Picture]) -> list[list[float]]:
    """Batches of the size the model asks for, as the runner sends them."""
    load_pixels.cache_clear()
    prompts = [Prompt("words", (picture, QUESTION), WORDS, PREFILL) for picture in pictures]
    size = model.batch_size
    batches = [prompts[start : start + size] for start in range(0, len(prompts), size)]
    return [[answer.logits[word] for word in WORDS] for batch in batches for answer in model.respond(batch)]


def seconds_of(way: Callable[[Vlm, list[Picture]], object], model: Vlm, pictures: list[Picture]) -> np.ndarray:
    """Seconds that passed and seconds of the processor."""
    before = np.array([time.perf_counter(), time.process_time()])
    way(model, pictures)
    return np.array([time.perf_counter(), time.process_time()]) - before


def main() -> None:
    asked = argparse.ArgumentParser(description="Scoring throughput against the obvious loop.")
    asked.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"))
    with tempfile.TemporaryDirectory() as scratch:
        model = open_model(str(build_model(Path(scratch) / "model")), ModelOptions(device=asked.parse_args().device))
        assert isinstance(model, Vlm)
        pictures = make_images(Path(scratch))
        difference = np.abs(np.array(ours(model, pictures)) - np.array(obvious_loop(model, pictures))).max()
        times = [[seconds_of(way, model, pictures) for way in (obvious_loop, ours)] for _ in range(REPEATS)]
    plain, batched = np.min(times, axis=0)
    print(
        f"{IMAGES} images on {model._model.device.type}, batches of {model.batch_size}, logits {difference:.0e} apart"
    )
    for name, (passed, busy) in (("obvious loop", plain), ("ours", batched)):
        print(f"  {name:12} {IMAGES / passed:8.2f} images/s   {busy / IMAGES:8.3f} s of processor an image")
    print("  ratio        {:8.2f}              {:8.2f}".format(*(plain / batched)))


if __name__ == "__main__":
    main()
