"""What one GPU does with models of real size, in about eight minutes: `python -m bench.gpu [--tiny] [--seconds 480]`.

Nothing is downloaded. Qwen2.5-VL-7B and LLaVA-1.5-7B are built on the GPU with random weights: they cost what the real
ones cost, and say nothing. Photos are JPEG files of 1024 x 768 with smooth random colours. Each line is printed as it
comes; a step that fails says why and the others go on; after `--seconds` no step begins. `--tiny` runs the same script
with models of a few thousand weights on any device, to try it.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers as tf
from torch.utils.flop_counter import FlopCounterMode

from bench.device import ATTENTION, peak, seconds, settle
from bench.gpu_models import Bench
from qbench.cache import Cache
from qbench.images import load_pixels
from qbench.models import ModelOptions, open_model
from qbench.models.checkpoint.network import float32_logits
from qbench.models.checkpoint.vision_towers import BY_LENGTH
from qbench.models.checkpoint.vlm import Vlm
from qbench.models.checkpoint.weights import load_weights
from qbench.records import Picture, Prompt, Response
from qbench.runner import Runner

Line = tuple[str, str, str]
"""What was measured, the figure, and what it rests on."""
QUESTION = "Rate the quality of the image."
WORDS = ("A", "B")
"""A token each to every tokenizer; the photo is read once more for each word of several."""


def asked(pictures: Sequence[Picture], text: str = QUESTION) -> list[Prompt]:
    return [Prompt("words", (picture, text), WORDS) for picture in pictures]


def taken(work: Callable[[], object], device: torch.device) -> float:
    """Seconds of one try."""
    settle(device)
    started = time.perf_counter()
    work()
    settle(device)
    return time.perf_counter() - started


def answers_of(model: Vlm, prompts: Sequence[Prompt], size: int) -> list[Response]:
    """Answers to prompts, so many at once."""
    return [each for first in range(0, len(prompts), size) for each in model.respond(prompts[first : first + size])]


def differences(model: Vlm, prompts: Sequence[Prompt], size: int) -> np.ndarray:
    """Logit of one word less that of the other, of every prompt, so many at once."""
    answers = answers_of(model, prompts, size)
    return np.array([answer.logits[WORDS[0]] - answer.logits[WORDS[1]] for answer in answers])


def card(bench: Bench) -> Iterator[Line]:
    """Peak of the card, and what float32 means in a convolution."""
    name = torch.cuda.get_device_name() if bench.device.type == "cuda" else "CPU"
    yield "versions", f"torch {torch.__version__}, transformers {tf.__version__}", name
    yield "peak of a product of matrices in bfloat16", f"{peak(bench.device, bench.dtype) / 1e12:.0f} TFLOP/s", ""
    if bench.device.type != "cuda":
        return
    states, weight = torch.randn(8, 64, 128, 128, device="cuda"), torch.randn(64, 64, 3, 3, device="cuda")
    exact = torch.nn.functional.conv2d(states.double(), weight.double())
    for allowed in (True, False):
        torch.backends.cudnn.allow_tf32 = allowed
        error = (torch.nn.functional.conv2d(states, weight) - exact).norm() / exact.norm()
        told = "PyTorch's default" if allowed else "as models are opened here"
        yield f"relative error of a float32 convolution, TF32 {'on' if allowed else 'off'}", f"{error:.1e}", told


def preparing(bench: Bench, qwen: Vlm) -> Iterator[Line]:
    """Seconds that preparing 16 photos takes, by each kind of image processor."""
    pixels = [load_pixels(picture) for picture in bench.photos(16)]
    fresh = bench.photos(16)
    yield "16 photos decoded, by one thread", f"{taken(lambda: list(map(load_pixels, fresh)), bench.device):.3f} s", ""
    size = qwen.network.processor.image_processor.size
    patch = qwen.network.processor.image_processor.patch_size
    pillow = tf.models.qwen2_vl.image_processing_pil_qwen2_vl.Qwen2VLImageProcessorPil(size=size, patch_size=patch)
    ways = [("Pillow", pillow, None)]
    if qwen.network.processor.image_processor.backend == "torchvision":
        ways += [("torchvision on the CPU", qwen.network.processor.image_processor, "cpu")]
        ways += [("torchvision on the GPU", qwen.network.processor.image_processor, "cuda")]
    first = None
    for name, processor, device in ways:
        more = {} if device is None else {"device": device}
        run = lambda: processor(images=pixels, return_tensors="pt", **more).pixel_values  # noqa: B023, E731
        first = run() if first is None else first
        far = (run().float().cpu() - first.float()).abs().max()
        yield f"16 photos prepared: {name}", f"{seconds(run, bench.device):.3f} s", f"pixels differ by up to {far:.2g}"


def vision(bench: Bench, qwen: Vlm) -> Iterator[Line]:
    """The vision tower with a call of attention for each window, and for each length."""
    network = qwen.network
    inputs = network.prepare(network.render(asked(bench.photos(16))), [""] * 16, "right")
    shown = {name: inputs[name] for name in ("pixel_values", "image_grid_thw")}
    look = lambda: torch.cat(list(network.model.get_image_features(**shown).pooler_output))  # noqa: E731
    seen: dict[str, tuple[Any, float]] = {}
    with torch.inference_mode(), as_transformers_does(network.model) as convolutions:
        seen["as Transformers does it"] = look(), seconds(look, bench.device)
        for convolution, forward in convolutions.items():
            convolution.forward = forward
        seen["and patches by one product"] = look(), seconds(look, bench.device)
    with torch.inference_mode():
        seen["and attention by length"] = look(), seconds(look, bench.device)
    first, slowest = seen["as Transformers does it"]
    for name, (vectors, spent) in seen.items():
        far = float((vectors - first).abs().max() / first.abs().max())
        told = f"{slowest / spent:.1f} times quicker; differs by {far:.1g} of the largest value"
        yield f"vision tower, 16 photos: {name}", f"{spent:.3f} s", told
    with torch.inference_mode():
        whole = seconds(lambda: network.forward(inputs, [inputs["input_ids"].shape[1] - 1]), bench.device)
    tokens = inputs["input_ids"].shape[1]
    yield "the whole forward pass of these 16", f"{whole:.3f} s", f"{tokens} tokens a row"


def batches(bench: Bench, qwen: Vlm) -> Iterator[Line]:
    """Questions by logits of words: photos a second by batch size, against a plain loop and the card's peak."""
    best = peak(bench.device, bench.dtype)
    with FlopCounterMode(display=False, custom_mapping=ATTENTION) as counter:
        qwen.respond(asked(bench.photos(2)))
    each = counter.get_total_flops() / 2
    loop = plain_loop(bench, qwen, bench.photos(8 if bench.tiny else 24))
    yield "a plain loop, one photo at a time", f"{loop:.2f} photos/s", "processor, forward, logits of all positions"
    for size in (16, 32, 64):
        prompts = asked(bench.photos(4 * size if size < 64 else 3 * size))
        qwen.respond(prompts[:size])
        if bench.device.type == "cuda":
            torch.cuda.reset_peak_memory_stats()
        rest = [prompts[first : first + size] for first in range(size, len(prompts), size)]

        def run(rest: list[list[Prompt]] = rest) -> None:
            for batch in rest:
                qwen.respond(batch)

        rate = sum(map(len, rest)) / taken(run, bench.device)
        memory = torch.cuda.max_memory_allocated() / 1e9 if bench.device.type == "cuda" else 0
        told = f"{rate / loop:.1f} times the loop; {each / 1e12:.1f} TFLOP each: {each * rate / best:.0%} of the peak"
        yield f"one question a photo, batches of {size}", f"{rate:.2f} photos/s", f"{told}; {memory:.0f} GB"


@contextmanager
def as_transformers_does(model: Any) -> Iterator[dict[Any, Any]]:
    """Undo, for a while, what `speed_up_vision` did; gives the convolutions and their other way."""
    settings = model.config.vision_config
    convolutions = {each: each.forward for each in model.modules() if isinstance(each, torch.nn.Conv3d)}
    for convolution in convolutions:
        del convolution.forward
    settings._attn_implementation = "sdpa"
    try:
        yield convolutions
    finally:
        settings._attn_implementation = BY_LENGTH
        for convolution, forward in convolutions.items():
            convolution.forward = forward


def plain_loop(bench: Bench, qwen: Vlm, pictures: Sequence[Picture]) -> float:
    """Photos a second of what anybody would write, one photo at a time."""
    processor, model = qwen.network.processor, qwen.network.model
    texts = [rendered.text for rendered in qwen.network.render(asked(pictures))]

    def one(picture: Picture, text: str) -> float:
        inputs = processor(images=[load_pixels(picture)], text=[text], return_tensors="pt", device="cpu")
        inputs = inputs.to(model.device, model.dtype)
        with torch.inference_mode():
            return float(model(**inputs).logits[0, -1, 0])

    with as_transformers_does(model):
        one(pictures[0], texts[0])
        spent = taken(lambda: list(map(one, pictures[1:], texts[1:])), bench.device)
    return (len(pictures) - 1) / spent


def rounding(bench: Bench, qwen: Vlm) -> Iterator[Line]:
    """What a batch changes in bfloat16, and the head that gives float32 logits."""
    prompts = asked(bench.photos(16))
    alone = differences(qwen, prompts, 1)
    spread = f"their standard deviation over 16 photos {alone.std():.2g}"
    for size in (4, 16):
        far = np.abs(differences(qwen, prompts, size) - alone).max()
        yield f"Qwen: word less word, batches of {size} against 1", f"{far:.2g}", f"largest change; {spread}"
    qwen.network.model.float()
    far = np.abs(differences(qwen, prompts, 4) - alone).max()
    qwen.network.model.bfloat16()
    yield "Qwen: word less word, bfloat16 against float32", f"{far:.2g}", f"largest change; {spread}"
    head = qwen.network.model.get_output_embeddings()
    states = torch.randn(16, 1, head.weight.shape[1], device=bench.device, dtype=bench.dtype)
    with torch.inference_mode(), float32_logits(qwen.network.model):
        here = seconds(lambda: head(states), bench.device, times=10)
    copied = seconds(lambda: states.float() @ head.weight.float().T, bench.device, times=10)
    yield "float32 logits of 16 rows", f"{here * 1e3:.2f} ms", f"{copied * 1e3:.2f} ms with a float32 copy of the head"


def writing(bench: Bench, qwen: Vlm) -> Iterator[Line]:
    """Texts of 64 tokens, by batch size."""
    for size in (16, 64):
        pictures, spent = bench.photos(size), {}
        for count in (1, 1, 64):  # the first warms up
            prompts = [Prompt("text", (each, "Describe the image."), max_tokens=count) for each in pictures]
            spent[count] = taken(partial(qwen.respond, prompts), bench.device)
        rate = 63 * size / (spent[64] - spent[1])
        told = f"{rate:.0f} tokens/s after reading for {spent[1]:.2f} s"
        yield f"texts of 64 tokens, batches of {size}", f"{spent[64]:.2f} s", told


def memory(bench: Bench, qwen: Vlm) -> Iterator[Line]:
    """A batch too large for the card: it is halved, and every answer comes."""
    count = 32 if bench.tiny else 512
    [picture] = bench.photos(1)
    qwen.batch_size = count
    prompts = [asked([picture], f"{QUESTION} {number}")[0] for number in range(count)]

    class Ask:
        of, sample = "model", "photo"

        def __init__(self, prompt: Prompt) -> None:
            self.prompt = prompt

    def plan() -> Any:
        return (yield [Ask(prompt) for prompt in prompts])

    sizes: list[int] = []
    respond = qwen.respond
    qwen.respond = lambda some: (sizes.append(len(some)), respond(some))[1]  # type: ignore[method-assign]
    with tempfile.TemporaryDirectory() as folder:
        answers = Runner(qwen, Cache(Path(folder) / "cache.jsonl")).run(plan())
    qwen.respond, qwen.batch_size = respond, 16  # type: ignore[method-assign]
    failed = sum(answer.failure is not None for answer in answers)
    yield f"{count} photos asked at once", f"{len(answers) - failed} answers", f"batches tried: {sorted(set(sizes))}"


def caches(bench: Bench, llava: Vlm) -> Iterator[Line]:
    """Pairs of photos in both orders, with what is kept and shared and without."""
    pictures = bench.photos(8 if bench.tiny else 17)
    pairs = [pair for two in pairwise(pictures) for pair in (two, two[::-1])] * 2
    plain = Vlm(bench.checkpoint("llava"), llava.network.processor, llava.network.model)
    plain.network.shares = False
    asks = {
        "words": lambda pair: Prompt("words", (*pair, "Which is better?"), ("first", "second")),
        "text": lambda pair: Prompt("text", (*pair, "Which is better?"), max_tokens=16),
        "losses": lambda pair: Prompt("losses", (*pair, "Which is better?"), ("The first image.", "The second image.")),
    }
    for want, ask in asks.items():
        prompts, found = [ask(pair) for pair in pairs], []
        for model in (plain, llava):
            model.respond(prompts[:16])
            started = time.perf_counter()
            found.append((answers_of(model, prompts, 16), time.perf_counter() - started))
        (without, slow), (with_, quick) = found
        if want == "text":
            told = f"{sum(one.text != other.text for one, other in zip(without, with_, strict=True))} texts differ"
        else:
            kind = "logits" if want == "words" else "losses"
            far = max(
                abs(getattr(one, kind)[word] - getattr(other, kind)[word])
                for one, other in zip(without, with_, strict=True)
                for word in getattr(one, kind)
            )
            told = f"{kind} differ by up to {far:.2g}"
        yield (
            f"LLaVA: {len(pairs)} pairs, {want}",
            f"{slow / quick:.2f} times quicker",
            f"{quick:.2f} s, {slow:.2f} s plain; {told}",
        )


def reuse(bench: Bench, llava: Vlm) -> Iterator[Line]:
    """Memory while one photo comes again and again beside others."""
    if bench.device.type != "cuda":
        return
    [kept] = bench.photos(1)
    torch.cuda.empty_cache()
    marks = []
    for number in range(40):
        llava.respond(asked([kept, *bench.photos(7)], f"{QUESTION} {number}"))
        marks.append(torch.cuda.memory_allocated() / 1e9)
    yield "memory after 10 and 40 batches with one photo in all", f"{marks[9]:.2f} and {marks[39]:.2f} GB", ""


def embedded(bench: Bench) -> Iterator[Line]:
    """The embedded models on the GPU and on the CPU."""
    if bench.device.type != "cuda":
        return
    pictures = bench.photos(16)
    score = lambda answer: answer.score  # noqa: E731
    gap = lambda answer: answer.logits["good"] - answer.logits["poor"]  # noqa: E731
    kinds = (
        ("nano-iqa", [Prompt("score", (each,)) for each in pictures], score),
        ("nano-vlm", [replace(each, words=("good", "poor")) for each in asked(pictures)], gap),
        ("nano-clip", [Prompt("words", (each,), ("good", "poor")) for each in pictures], gap),
    )
    for name, prompts, figure in kinds:
        there, here = (open_model(name, ModelOptions(device=device)) for device in ("cuda", "cpu"))
        mine, theirs = (np.array([figure(each) for each in model.respond(prompts)]) for model in (there, here))
        there.respond(prompts)
        spent = taken(lambda there=there, prompts=prompts: there.respond(prompts), bench.device)
        told = f"standard deviation over the photos {theirs.std():.2g}; 16 photos in {spent:.3f} s"
        yield f"{name}: largest change, GPU against CPU", f"{np.abs(mine - theirs).max():.2g}", told


def loading(bench: Bench) -> Iterator[Line]:
    """A quarter of LLaVA from its file to the device, through main memory and straight."""
    found = bench.checkpoint("llava")
    config = tf.AutoConfig.from_pretrained(found.source)
    config.text_config.num_hidden_layers = 2 if bench.tiny else 8
    with torch.device(bench.device):
        model = tf.AutoModelForImageTextToText.from_config(config, dtype=bench.dtype)
    model.save_pretrained(found.source)
    del model
    from qbench.models.checkpoint import weights

    maker, straight = tf.AutoModelForImageTextToText, weights.device_map
    ways = {"straight": straight, "through main memory": lambda _device, _method: None}
    for name, places in (*ways.items(), *ways.items()):  # the first reading fills the machine's cache of files
        weights.device_map = places
        spent = taken(lambda: load_weights(found, maker, bench.dtype), bench.device)
        gc.collect()
        yield f"2.6 GB of weights loaded {name}", f"{spent:.2f} s", ""
    weights.device_map = straight


Step = tuple[str, Callable[[], Iterator[Line]]]


def steps(bench: Bench) -> Iterator[Step]:
    """Every step; a model is made when the first that needs it begins."""
    yield "card", partial(card, bench)
    yield from with_model(bench, "qwen2.5-vl", vision, preparing, batches, writing, memory, rounding)
    yield "embedded", partial(embedded, bench)
    yield from with_model(bench, "llava", caches, reuse)
    yield "loading", partial(loading, bench)


def with_model(bench: Bench, kind: str, *works: Callable[[Bench, Vlm], Iterator[Line]]) -> Iterator[Step]:
    model = bench.model(kind)
    for work in works:
        yield work.__name__, partial(work, bench, model)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tiny", action="store_true", help="models of a few thousand weights, on any device")
    parser.add_argument("--only", nargs="+", metavar="STEP", help="card, vision, preparing, batches, writing …")
    parser.add_argument("--seconds", type=float, default=480, help="begin no step after so many")
    options = parser.parse_args()
    if not options.tiny and not torch.cuda.is_available():
        parser.error("models of real size need a GPU, and this PyTorch has none; try the script with --tiny")
    started = time.monotonic()
    print("| what | measured | |\n| --- | --: | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for name, step in steps(Bench(Path(folder), tiny=options.tiny)):
            if options.only and name not in options.only:
                continue
            if time.monotonic() - started > options.seconds:
                print(f"| {name} | not begun | {options.seconds:g} s are over |", flush=True)
                continue
            try:
                for line in step():
                    print(f"| {' | '.join(line)} |", flush=True)
            except Exception as fault:  # noqa: BLE001
                traceback.print_exc()
                print(f"| {name} | broke off | {type(fault).__name__}: {str(fault)[:300]} |", flush=True)
            print(f"  {name}: {time.monotonic() - started:.0f} s so far", flush=True)


if __name__ == "__main__":
    main()
