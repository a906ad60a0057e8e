"""Measure how fast images are scored against the obvious loop, on the same model and device.

Run from the repository root: `python -m bench.scoring`. Three questions are timed: *rate*, one image and the
logits of "good" and "poor", which is what Q-Bench's quality scores take; *choose*, one image and the losses of four
options, which is what close-set answers to LLVisionQA take; and *compare*, the logits of "A" and "B" after two images,
for every pair of five in both orders, which is what a 2AFC ranking takes. The obvious loop is Q-Bench's published
script: open the images, call the processor, run the model, read the logits that are wanted from those of all positions;
for losses once for each option. Both ways give the same numbers, which is checked.

The models are nano-vlm, which comes with the project (512-pixel images, 256 tokens each, 968 words), and two LLaVAs
with CLIP's geometry (336 pixels, 576 tokens, 32,064 words), random weights and the widths named; images are made up, of
the size of KonIQ-10k's. The ways run in turn, several times; ratios are of those that ran side by side, with their
least and largest, in time that passed and in time of the processor, which other programs disturb less.

What to expect. *choose* reads the prompt with its image once rather than once for each option, and *compare* opens,
prepares and looks at each image once rather than in each of its pairs, on any device. *rate* asks once about each
image, so that on a CPU, which a single prompt keeps busy, a batch as such gains nothing: what it gains are the logits
that nobody reads (the narrower the model and the more words it has, the more they weigh), work on images done beside
the computing where a core is free for it, and little calls. Three times is not in it there. On a GPU, batches and
images prepared beside the computing are what counts.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import permutations
from pathlib import Path

import numpy as np
import torch
import transformers as tf
from PIL import Image

from qbench import prompts as published
from qbench.images import KEPT, open_picture
from qbench.models import ModelOptions, open_model
from qbench.models.checkpoint.network import Network
from qbench.models.checkpoint.vlm import Vlm
from qbench.records import Picture, Prompt
from tests.models import tiny

WIDTHS = {"narrow": ((192, 4), (256, 4)), "wider": ((384, 6), (576, 6))}
"""(Width, layers) of the eye and of the language model."""

PAIRED = 5
"""Images of which every pair is compared."""

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


def questions(pictures: Sequence[Picture]) -> dict[str, list[Prompt]]:
    """What is asked, by its name in the table."""
    question, begun = "Rate the quality of the image.", "The quality of the image is"
    options = ("very good", "rather good", "rather poor", "very poor")
    return {
        "rate": [Prompt("words", (picture, question), ("good", "poor"), begun) for picture in pictures],
        "choose": [Prompt("losses", (picture, question), options, begun) for picture in pictures],
        "compare": [
            Prompt("words", published.COMPARISONS["code"](*pair), ("A", "B"))
            for pair in permutations(pictures[:PAIRED], 2)
        ],
    }


def obvious_loop(model: Vlm, prompts: Sequence[Prompt]) -> Table:
    """One prompt at a time, all logits of all positions; for losses one option at a time."""
    processor, network = model.network.processor, model.network.model

    def logits(prompt: Prompt, said: str = "") -> torch.Tensor:
        shown = [Image.open(part.path).convert("RGB") for part in prompt.parts if isinstance(part, Picture)]
        content = [
            {"type": "text", "text": part} if isinstance(part, str) else {"type": "image"} for part in prompt.parts
        ]
        text = processor.apply_chat_template([{"role": "user", "content": content}], add_generation_prompt=True)
        text += (f" {prompt.prefill}" if prompt.prefill else "") + said
        inputs = processor(text=text, images=shown, return_tensors="pt").to(network.device, network.dtype)
        with torch.inference_mode():
            found: torch.Tensor = network(**inputs).logits[0]
        return found

    def tokens(word: str) -> list[int]:
        found: list[int] = processor.tokenizer(f"is {word}", add_special_tokens=False)["input_ids"][1:]
        return found

    def loss(prompt: Prompt, word: str) -> float:
        of = tokens(word)
        likelihoods = logits(prompt, f" {word}")[-len(of) - 1 : -1].log_softmax(dim=-1)
        return -float(likelihoods[range(len(of)), of].mean())

    def weigh(prompt: Prompt) -> list[float]:
        last = logits(prompt)[-1]
        return [float(last[token]) for word in prompt.words for token in tokens(word)]

    return [
        [loss(prompt, word) for word in prompt.words] if prompt.want == "losses" else weigh(prompt)
        for prompt in prompts
    ]


def ours(model: Vlm, prompts: Sequence[Prompt]) -> Table:
    """Batches of the size the model asks for, as the runner sends them; nothing is known from an earlier turn."""
    KEPT.clear()
    model.network = Network(model.network.processor, model.network.model, {})
    size = model.batch_size
    batches = [prompts[start : start + size] for start in range(0, len(prompts), size)]
    table = []
    for batch in batches:
        for prompt, answer in zip(batch, model.respond(batch), strict=True):
            found = answer.losses if prompt.want == "losses" else answer.logits
            table.append([found[word] for word in prompt.words])
    return table


def seconds_of(way: Callable[[], object]) -> np.ndarray:
    """Seconds that passed and seconds of the processor."""
    before = np.array([time.perf_counter(), time.process_time()])
    way()
    return np.array([time.perf_counter(), time.process_time()]) - before


def measure(name: str, model: Vlm, pictures: Sequence[Picture], repeats: int) -> None:
    """Print one line for each question."""
    for asked, prompts in questions(pictures).items():
        both = (lambda: obvious_loop(model, prompts), lambda: ours(model, prompts))  # noqa: B023
        difference = np.abs(np.array(both[0]()) - np.array(both[1]())).max()
        times = np.array([[seconds_of(way) for way in both] for _ in range(repeats)])
        plain, batched = len(prompts) / times.min(axis=0)[:, 0]
        ratios = times[:, 0] / times[:, 1]
        spans = [f"{np.median(column):5.2f} ({column.min():.2f} to {column.max():.2f})" for column in ratios.T]
        print(
            f"{name:<10} {asked:<7} {plain:8.2f} {batched:8.2f}   {spans[0]:<22} {spans[1]:<22} {difference:.0e}",
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
        print("          prompts a second:  loop     ours   ratio in time passed   ratio in processor     apart")
        built = {name: str(build_model(Path(scratch) / name, *widths)) for name, widths in WIDTHS.items()}
        for name, folder in {"nano-vlm": "nano-vlm", **built}.items():
            model = open_model(folder, ModelOptions(device=options.device))
            assert isinstance(model, Vlm)
            measure(name, model, pictures, options.repeats)


if __name__ == "__main__":
    main()
