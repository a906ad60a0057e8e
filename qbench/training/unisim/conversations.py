"""UniSim's comparisons as conversations, for generative models: the file that trainers of LLaVA's family take.

Sec. 3.3 and App. B.2, https://arxiv.org/abs/2412.10594. Instructions are those that the benchmark asks with (Table 6
and the released code), answers name the right option by its letter or as it is written. Which place is right, where a
reference stands, the wording and the form are drawn, so that none of them tells the answer.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from qbench import prompts
from qbench.datasets.similarity.files import in_random_order, sample_at_most
from qbench.records import Picture, Sample
from qbench.training.unisim.clip import to_triplet
from qbench.training.unisim.training_sets import read_comparisons

FORMS = ("{letter}", "({letter})", "({letter}) {option}", "The answer is ({letter}) {option}.")
"""Of an answer; the benchmark reads each of them."""
FILE = "conversations.json"


def write_conversations(sets: Sequence[str], out: Path, most: int, seed: int) -> tuple[Path, dict[str, int]]:
    """Write the file, its tasks mixed, of at most so many conversations of each; gives it, and how many there are."""
    comparisons = read_comparisons(sets)
    generator = np.random.default_rng([seed, 8])
    rows = [
        {"id": f"{task}_{number}", **conversation(task, sample, out, generator)}
        for task, samples in sorted(comparisons.items())
        for number, sample in enumerate(sample_at_most(samples, most, generator))
    ]
    mixed = [rows[place] for place in generator.permutation(len(rows))]
    out.mkdir(parents=True, exist_ok=True)
    path = out / FILE
    path.write_text(json.dumps(mixed, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return path, {task: min(len(samples), most) for task, samples in sorted(comparisons.items())}


def conversation(task: str, sample: Sample, folder: Path, generator: np.random.Generator) -> dict[str, Any]:
    """An instruction and its answer; images below the folder are named by their path from there."""
    against, right, wrong = to_triplet(task, sample)
    alternatives, label = in_random_order(right, wrong, generator)
    style = str(generator.choice(list(prompts.SIMILARITY)))
    reference = int(generator.integers(3)) if task == "img-2afc" else None
    compared = [*alternatives]
    if task != "iqa-2afc":
        compared.insert(reference or 0, against)
    shown = [item for item in compared if isinstance(item, Path)]
    texts = [item for item in compared if isinstance(item, str)]
    parts = prompts.similarity(task, style, [Picture(str(path), "") for path in shown], texts)
    question = "".join("<image>" if isinstance(part, Picture) else part for part in parts)
    places = [1, 2]
    if reference is not None:
        places = [place + 1 for place in range(3) if place != reference]
        question = _with_reference(question, reference + 1, places)
    option = f"{'Caption' if texts[1:] else 'Image'} {places[label]}"
    form = str(generator.choice(FORMS))
    return {
        "image": [_from(folder, path) for path in shown],
        "conversations": [
            {"from": "human", "value": question},
            {"from": "gpt", "value": form.format(letter=prompts.letter(label), option=option)},
        ],
    }


def _with_reference(instruction: str, reference: int, places: Sequence[int]) -> str:
    """The instruction, which calls the first image the reference, for another of the three."""
    question, options = instruction.split("Options:")
    return (
        question.replace("image 1 is the reference", f"image {reference} is the reference")
        + "Options:"
        + options.replace("Image 3", f"Image {places[1]}").replace("Image 2", f"Image {places[0]}", 1)
    )


def _from(folder: Path, path: Path) -> str:
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path.absolute())
