"""What a 2AFC study costs, against the obvious batched loop over the paper's 12 random rounds in both orders.

    python -m bench.study [--photos FOLDER] [--models nano-vlm,llava-256,llava-512]

Active pairing stops where its ranking agrees with human scores as well as that of the random rounds (SRCC, means over
seeds). A simulated judge answers, and each model is asked what the judge is asked: LLaVAs have random weights, of a
LLaVA-1.5's shape. FOLDER has photos and `mos.json`; without it the demo photos at five levels of blur and noise
are ranked. Time is seconds of the processor, with one thread, in `respond` alone; of the loop a few batches are
asked, whose seconds a prompt are taken for all.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers as tf

from bench.figure import Figure, machine, print_table
from qbench.datasets import open_dataset
from qbench.images import open_picture
from qbench.models import ModelOptions, open_model
from qbench.models.checkpoint.vlm import Vlm
from qbench.pairing import ROUNDS, both_orders, coarse_rounds
from qbench.prompts import COMPARISONS
from qbench.records import Picture, Prompt
from qbench.results import pair_figures
from qbench.stats.pairwise import Comparisons
from qbench.tasks.active import ActivePairs
from tests.models import tiny, tiny_text

TARGET = 1 / 6
PHOTOS = Path(__file__).resolve().parents[2] / "shared" / "data" / "sqad"
MODELS = ("nano-vlm", "llava-256", "llava-512")
JUDGES = {"sees every difference": 0.0, "errs as a person does (noise 0.2)": 0.2}
SEEDS = 4
MOST_ROUNDS = 22
LOOPED = 24
"""Prompts that the loop is timed with."""
Rows = list[tuple[int, int, str]]
Judge = Callable[[Sequence[tuple[int, int]]], list[str]]


def make_judge(human: np.ndarray, noise: float, rng: np.random.Generator) -> Judge:
    spread = noise * human.std()

    def answer(first: int, second: int) -> str:
        rng.random()  # what decided of a biased judge: the draws stay those of figures published before
        seen = human[[first, second]] + spread * rng.standard_normal(2)
        return "first" if seen[0] > seen[1] else "second"

    return lambda pairs: [answer(first, second) for first, second in pairs]


def agreement(rows: Rows, human: np.ndarray) -> float:
    """SRCC of the ranking by what was answered so far with the human scores."""
    names = [str(item) for item in range(len(human))]
    comparisons = Comparisons.of(((str(first), str(second), choice) for first, second, choice in rows), items=names)
    ranked = pair_figures.ranking_agreement(comparisons, dict(zip(names, human.tolist(), strict=True))).metrics
    return ranked["srcc"].value or 0.0


def random_rounds(human: np.ndarray, judge: Judge, seed: int) -> Rows:
    pairs = [(int(first), int(second)) for first, second in both_orders(coarse_rounds(len(human), ROUNDS, 1000 * seed))]
    return [(*pair, choice) for pair, choice in zip(pairs, judge(pairs), strict=True)]


@dataclass
class Work:
    """What a model did."""

    seconds: float = 0.0
    tokens: int = 0
    """That the decoder read."""
    images: int = 0
    """That the vision encoder saw."""


def figures(photos: Path = PHOTOS, models: Sequence[str] = MODELS) -> Iterator[Figure]:
    torch.set_num_threads(1)
    pictures, human = rated(photos)
    share = ROUNDS * 2 * (len(human) // 2) / LOOPED
    studies = {label: equal_study(human, noise) for label, noise in JUDGES.items()}
    with tempfile.TemporaryDirectory() as folder:
        for name in models:
            source = str(llava(Path(folder) / name, int(name.partition("-")[2]))) if "llava" in name else name
            loop = ask(opened(source, shares=False), pictures, [paper_round(len(human))[:LOOPED]])
            for label, (schedule, srcc) in studies.items():
                ours = ask(opened(source), pictures, schedule)
                note = (
                    f"SRCC {srcc:.3f} after {sum(map(len, schedule)) / LOOPED / share:.2f} of the comparisons, "
                    f"{ours.tokens / loop.tokens / share:.2f} of the decoder's tokens, "
                    f"{ours.images / loop.images / share:.2f} of the images encoded"
                )
                yield Figure(
                    f"2AFC study, {name} ({label}): time / loop", ours.seconds / loop.seconds / share, TARGET, note=note
                )


def rated(folder: Path) -> tuple[list[Picture], np.ndarray]:
    """Photos and their human scores; levels of damage where there are none."""
    if (folder / "mos.json").exists():
        samples = open_dataset(str(folder / "mos.json")).samples
    else:
        known = open_dataset("demo-assessment").samples
        samples = tuple(each for each in known if each.groups.get("type") in ("gaussian-blur", "white-noise"))
    return [open_picture(Path(each.images[0])) for each in samples], np.array([each.human for each in samples])


def paper_round(n: int) -> list[tuple[int, int]]:
    """A round of the paper's schedule, both orders of every pair."""
    return [(int(one), int(other)) for one, other in both_orders(coarse_rounds(n, 1))]


def equal_study(human: np.ndarray, noise: float) -> tuple[list[list[tuple[int, int]]], float]:
    """What active pairing asks, round by round, until it agrees as well as random rounds do; and how well that is."""

    def judge_of(seed: int) -> Judge:
        return make_judge(human, noise, np.random.default_rng(seed))

    wanted = float(np.mean([agreement(random_rounds(human, judge_of(seed), seed), human) for seed in range(SEEDS)]))
    studies = [(ActivePairs(len(human), seed), judge_of(1000 + seed), []) for seed in range(SEEDS)]
    asked: list[list[tuple[int, int]]] = []
    before = reached = 0.0
    while reached < wanted and len(asked) < MOST_ROUNDS:
        for number, (schedule, judge, rows) in enumerate(studies):
            pairs = schedule.propose()
            choices = judge(pairs)
            schedule.learn(pairs, choices)
            rows += [(*pair, choice) for pair, choice in zip(pairs, choices, strict=True)]
            if number == 0:
                asked.append(pairs)
        before, reached = reached, float(np.mean([agreement(rows, human) for _, _, rows in studies]))
    if reached > wanted:  # some part of the last round would have been enough
        asked[-1] = asked[-1][: round(len(asked[-1]) * (wanted - before) / (reached - before))]
    return asked, min(wanted, reached)


def opened(source: str, *, shares: bool = True) -> Vlm:
    model = open_model(source, ModelOptions(device="cpu"))
    assert isinstance(model, Vlm)
    model.network.shares = shares
    return model


def ask(model: Vlm, pictures: list[Picture], rounds: Sequence[list[tuple[int, int]]]) -> Work:
    """Ask round after round in batches, as a run does."""
    work = Work()
    network = model.network.model
    network.register_forward_pre_hook(partial(_count_tokens, work), with_kwargs=True)
    network.model.vision_tower.register_forward_pre_hook(partial(_count_images, work), with_kwargs=True)
    for pairs in rounds:
        batches = [pairs[start : start + model.batch_size] for start in range(0, len(pairs), model.batch_size)]
        asked = [[prompt(pictures[one], pictures[other]) for one, other in batch] for batch in batches]
        for prompts in asked:
            started = time.process_time()
            model.respond(prompts)
            work.seconds += time.process_time() - started
    return work


def prompt(first: Picture, second: Picture) -> Prompt:
    return Prompt("words", COMPARISONS["code"](first, second), words=("A", "B"))


def _count_tokens(work: Work, _: Any, __: Any, given: dict[str, Any]) -> None:
    work.tokens += given["input_ids"].numel()


def _count_images(work: Work, _: Any, given: Sequence[Any], named: dict[str, Any]) -> None:
    work.images += len(given[0] if given else named["pixel_values"])


def llava(folder: Path, width: int) -> Path:
    """A LLaVA-1.5 of this width with random weights: 576 tokens an image, an eye of a twentieth of its parameters."""
    torch.manual_seed(0)
    tokenizer = tiny_text.llama(["<image>"])
    eye, sizes = width // 8 * 3, {"num_attention_heads": width // 64, "num_key_value_heads": width // 64}
    config = tf.LlavaConfig(
        vision_config=tf.CLIPVisionConfig(
            hidden_size=eye,
            intermediate_size=4 * eye,
            num_hidden_layers=3,
            num_attention_heads=width // 64,
            image_size=336,
            patch_size=14,
        ),
        text_config=tf.LlamaConfig(
            hidden_size=width,
            intermediate_size=width // 8 * 22,
            num_hidden_layers=8,
            max_position_embeddings=4096,
            **sizes,
            **tiny._ids(tokenizer),
        ),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        architectures=["LlavaForConditionalGeneration"],
    )
    side = {"height": 336, "width": 336}
    images = tf.CLIPImageProcessor(size={"shortest_edge": 336}, crop_size=side)
    processor = tf.LlavaProcessor(
        images, tokenizer, patch_size=14, vision_feature_select_strategy="default", num_additional_image_tokens=1
    )
    model = tf.LlavaForConditionalGeneration(config).eval()
    for part in (model, tokenizer, processor):
        part.save_pretrained(folder)
    (folder / "chat_template.jinja").write_text(tiny_text.LLAVA_TEMPLATE, encoding="utf-8")
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", type=Path, default=PHOTOS)
    parser.add_argument("--models", default=",".join(MODELS))
    options = parser.parse_args()
    print(machine())
    print_table(figures(options.photos, options.models.split(",")))


if __name__ == "__main__":
    main()
