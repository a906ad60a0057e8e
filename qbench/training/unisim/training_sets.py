"""What UniSim is trained on: the training splits of Table 5, and nothing that the benchmark tests with.

UniSim, Sec. 3.3, App. B.2 and Table 5, https://arxiv.org/abs/2412.10594. The rules of the test splits make the pairs of
the training splits too (`qbench.datasets.similarity`), drawn once with the same seed.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from qbench.datasets import data_root, open_dataset
from qbench.datasets.known import DatasetFacts, find_dataset
from qbench.datasets.places import locate_images
from qbench.datasets.similarity import img_2afc, iqa_2afc, it_2afc, text_2afc
from qbench.datasets.similarity.files import Loader, samples_of
from qbench.errors import DataError, UserError
from qbench.records import Sample

CORE = ("img-2afc", "it-2afc", "text-2afc", "iqa-2afc")
"""The tasks that UniSim is trained on; attributes, odd-one-out and retrieval are for looking how it generalises."""
_SPLIT = "-train"
_TRAIN = partial(partial, split="train")
_EVERY = partial(_TRAIN, most=sys.maxsize)

SETS: Mapping[str, Loader] = {
    f"{name}{_SPLIT}": Loader(replace(location, marker=marker), make)
    for name, location, marker, make in (
        ("nights", img_2afc.NIGHTS, "data.csv", _TRAIN(img_2afc.nights)),
        ("pieapp", iqa_2afc.PIEAPP, "train_reference_list.txt", _TRAIN(img_2afc.pieapp)),
        ("hpdv2", it_2afc.HPDV2, "train.json", it_2afc.hpdv2_training),
        ("magicbrush", it_2afc.MAGICBRUSH, "train.json", _TRAIN(it_2afc.magicbrush)),
        ("hq-edit", it_2afc.HQ_EDIT, "train.json", _EVERY(it_2afc.hq_edit)),
        ("polaris", text_2afc.POLARIS, "polaris_train.csv", _EVERY(text_2afc.polaris)),
        ("hq-edit-text", it_2afc.HQ_EDIT, "train.json", _EVERY(text_2afc.hq_edit_text)),
        (
            "kadid-10k-pairs",
            iqa_2afc.KADID,
            "dmos.csv",
            partial(iqa_2afc.kadid, photos=iqa_2afc.TRAINING_PHOTOS, count=9000),
        ),
        ("pieapp-quality", iqa_2afc.PIEAPP, "train_reference_list.txt", _EVERY(iqa_2afc.pieapp_quality)),
        ("pipal", iqa_2afc.PIPAL, "Train_Ref", partial(iqa_2afc.pipal, training=True)),
    )
}
"""Name -> loader of a training split of Table 5."""


def check_names(names: Sequence[str]) -> None:
    """Refuse sets that are no training sets, above all those that the benchmark tests with."""
    for name in names:
        if name not in SETS and not Path(name).is_file():
            told = "is held out of training, to test what was trained" if find_dataset(name) else "is no training set"
            raise UserError(f"{name} {told}; {_there_are()}")


def _there_are() -> str:
    return f"train on any of {', '.join(SETS)}, or on lists of your own comparisons"


def read_comparisons(names: Sequence[str]) -> dict[str, list[Sample]]:
    """Task -> comparisons of all these sets, by name or in lists of one's own; larger sets of a task weigh more.

    Raises:
        UserError: A set that is for testing, or files that are not there: which, and where they come from.
    """
    check_names(names)
    found: dict[str, list[Sample]] = {}
    for name in dict.fromkeys(names):
        if name not in SETS:
            own = open_dataset(name)
            if own.facts:
                raise UserError(f"{name} lists {own.facts.title}, which is held out of training; {_there_are()}")
            for sample in own.samples:
                found.setdefault(_task_of(sample, name), []).append(sample)
            continue
        facts = find_dataset(name.removesuffix(_SPLIT))
        assert facts is not None
        found.setdefault(facts.task, []).extend(_read(name, facts, data_root()))
    return found


def _task_of(sample: Sample, path: str) -> str:
    """Which of the core tasks a comparison of one's own is of, by what it is made of."""
    many = sample.texts if sample.texts[1:] else sample.images[sample.has_reference :]
    if sample.answer is None or len(many) != 2 or sample.options or "attribute" in sample.groups:
        raise DataError(f"{path}: sample {sample.id} is no comparison of two with a label, of one of {', '.join(CORE)}")
    if sample.texts:
        return "text-2afc" if sample.has_reference else "it-2afc"
    return "img-2afc" if sample.has_reference else "iqa-2afc"


def _read(name: str, facts: DatasetFacts, root: Path) -> list[Sample]:
    get = f"it comes from where the test split does: {facts.get} (licence: {facts.licence})"
    folder = SETS[name].open(None, root, name, get)
    samples = samples_of(SETS[name].draw(folder, name, get))
    return locate_images(samples, [folder], facts, exactly=True)
