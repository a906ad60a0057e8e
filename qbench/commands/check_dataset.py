"""`datasets check`: everything that is wrong with a dataset, at once, before a run stops at the first of it."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from qbench.commands.text import printable
from qbench.datasets import Dataset, coverage_sentence, open_dataset
from qbench.errors import DataError, UserError
from qbench.images import load_pixels, open_picture
from qbench.records import Sample
from qbench.tasks import TASKS

_SHOWN = 20
"""Faults that the text lists; `--json` has all."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `datasets check`."""
    parser.add_argument("name", metavar="NAME|MANIFEST|FOLDER", help="as for: python -m qbench run --dataset")
    parser.add_argument("--images", type=Path, metavar="DIR", help="folder that image paths start from")
    parser.set_defaults(run=check)


def check(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """What a dataset holds and what is wrong with it; sets exit code 2 where there is anything wrong."""
    faults: list[str] = []
    dataset: Dataset | None = None
    for allow_missing in (False, True):
        try:
            dataset = open_dataset(options.name, images=options.images, allow_missing=allow_missing)
            break
        except UserError as error:
            found = list(error.places) if isinstance(error, DataError) else []
            faults += [fault for fault in found or [str(error)] if fault not in faults]
    samples = dataset.samples if dataset else ()
    if dataset and (part := coverage_sentence(dataset)):
        faults.append(part)
    faults += [*_faults_of_images(samples), *_faults_of_scores(samples)]
    tasks = [task.name for task in TASKS.values() if samples and _serves(task.check, samples)]
    document = {
        "dataset": dataset.name if dataset else options.name,
        "samples": len(samples),
        "tasks": tasks,
        "faults": faults,
    }
    if faults:
        options.exit_code = 2
    head = f"{document['dataset']}: {len(samples):,} samples can be used" + (
        f", for {', '.join(tasks)}" if tasks else ""
    )
    lines = [f"{len(faults):,} fault{'s' * (len(faults) != 1)}:" if faults else "no fault was found"]
    lines += [f"  {fault}" for fault in faults[:_SHOWN]]
    lines += [f"  and {len(faults) - _SHOWN:,} more; --json lists all"] if len(faults) > _SHOWN else []
    return document, "\n".join(printable(line) for line in (head, *lines))


def _serves(needs: Any, samples: Sequence[Sample]) -> bool:
    try:
        needs(samples)
    except UserError:
        return False
    return True


def _faults_of_images(samples: Sequence[Sample]) -> Iterator[str]:
    """Files that cannot be decoded, and images that are rated differently under two names."""
    rated: dict[str, dict[str, float]] = defaultdict(dict)
    for sample in samples:
        for image in sample.images:
            rated[image] |= {sample.id: sample.human} if sample.human is not None else {}
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for path, scored in rated.items():
        try:
            picture = open_picture(Path(path))
            load_pixels(picture)
        except DataError as error:
            yield str(error)
            continue
        scores[picture.sha256] |= scored
    for same in scores.values():
        if len(set(same.values())) > 1:
            told = ", ".join(f"{name} ({score:g})" for name, score in same.items())
            yield f"one image under several names has different scores: {told}; keep one of them"


def _faults_of_scores(samples: Sequence[Sample]) -> Iterator[str]:
    rated = [sample.human for sample in samples if sample.human is not None]
    unrated = [sample.id for sample in samples if sample.human is None and not sample.question]
    if rated and unrated:
        yield f"{len(unrated):,} of {len(samples):,} images have no gt_score, the first of them {unrated[0]}"
    if len(rated) > 1 and len(set(rated)) == 1:
        yield f"all gt_scores are {rated[0]:g}, so nothing can correlate with them"
