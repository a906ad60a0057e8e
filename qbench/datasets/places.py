"""Where datasets lie on this machine: lists, their images, one's own files, answers, and how much of each is here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from qbench.archives import is_archive, unpack_archive
from qbench.datasets import similarity
from qbench.datasets.demo import read_demo_set
from qbench.datasets.get import Watch, fetch, home, hub_facts, plan_fetch, record_path
from qbench.datasets.known import DatasetFacts, list_of_set, set_of
from qbench.datasets.manifest import read_manifest
from qbench.datasets.shards import count_rows, find_shards, splits_of
from qbench.errors import DataError, UserError
from qbench.records import Sample
from qbench.rows import digest

_LISTS = (".json", ".jsonl", ".csv", ".tsv")
_USUAL = ("manifest", "metadata")
"""What the list of a folder is called where there are several files that might be it."""
_UNPACKED_MOST = 200 * 10**9


def data_root() -> Path:
    """Where downloaded datasets are: $QBENCH_DATA, the persistent storage of a Space, or the user's cache."""
    on_a_space = os.environ.get("SPACE_ID") and Path("/data").is_dir()
    kept = Path("/data") if on_a_space else Path.home() / ".cache"
    return Path(os.environ.get("QBENCH_DATA") or kept / "qbench" / "datasets")


OwnFiles = tuple[str, Sequence[Path]]
"""What a place of one's own is called, empty for a list, which has its own name; and its list, or the shards of one
split."""


def find_own(name: str, root: Path, watch: Watch = lambda _progress: None) -> OwnFiles | None:
    """What a path, or a name of a dataset on the Hub, leads to; None where it is neither.

    A split of several is named after a colon, `FOLDER:dev` or `owner/name:dev`. What has to be unpacked or fetched goes
    below the data root, once.

    Raises:
        UserError: It is not clear which of its files is meant, or the Hub does not give it.
        DataError: An archive that is damaged.
    """
    place, colon, split = name.rpartition(":")
    if not colon or Path(name).exists() or split.startswith("//"):
        place, split = name, ""
    path = Path(place)
    if path.is_dir():
        return _in_folder(path, path.resolve().name, split)
    if path.is_file() and is_archive(path.name):
        folder = root / "unpacked" / digest(path)[:16]
        if not (folder / ".whole").exists():
            unpack_archive(path, folder, most=_UNPACKED_MOST)
            (folder / ".whole").touch()
        return _in_folder(folder, path.name.partition(".")[0], split)
    if path.is_file() and path.suffix == ".parquet":
        return path.stem, [path]
    if path.exists():
        return "", [path]
    facts = None if path.suffix else hub_facts(place)
    if facts is None:
        return None
    if not record_path(facts, root).exists():  # what was fetched once is used without asking again
        fetch(plan_fetch(facts, root), watch)
    return _in_folder(home(facts, root), facts.title, split)


def _in_folder(folder: Path, name: str, split: str) -> OwnFiles:
    shards = find_shards(folder, split or None)
    splits = splits_of(shards)
    if len(splits) > 1:
        raise UserError(f"{name} holds the splits {', '.join(splits)}; name one of them, such as {name}:{splits[0]}")
    if shards:
        return name, shards
    if split:
        raise UserError(f"{name} has no shards of a split {split!r}, files such as {split}-00000-of-00001.parquet")
    inner = [path for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")]
    lists = sorted(path for path in folder.iterdir() if path.suffix.lower() in _LISTS)
    if not lists and len(inner) == 1:  # an archive of one folder
        return _in_folder(inner[0], name, split)
    usual = [path for path in lists if path.stem.lower() in _USUAL]
    if len(usual or lists) != 1:
        found = f"holds {', '.join(path.name for path in lists[:4])}" if lists else "holds no list of samples"
        raise UserError(f"{name} {found}; name the one list that is meant manifest.json, .jsonl or .csv")
    return name, usual or lists


def find_set_list(facts: DatasetFacts, root: Path, given: Path | None = None) -> tuple[DatasetFacts, Path] | None:
    """The list that has this dataset as a set, and where it lies; None where it is no set, or the list is not here.

    It may be in a folder that is given, in that of the set, or in its own.
    """
    listed = list_of_set(facts, "comparison")
    if listed is None or listed.sample_list is None:
        return None
    folders = [*([given] if given else []), root / facts.name, root / listed.name]
    path = next((folder / listed.sample_list for folder in folders if (folder / listed.sample_list).is_file()), None)
    return (listed, path) if path else None


def set_folders(facts: DatasetFacts, samples: Iterable[Sample], root: Path) -> list[Path]:
    """Folders that the images of a list may be in: its own, then those of the datasets it was sampled from."""
    names = [facts.name, facts.sampled_from, *(found.name for found in map(set_of, samples) if found)]
    return [root / name for name in dict.fromkeys(names) if name]


def locate_images(
    samples: Sequence[Sample],
    folders: Sequence[Path],
    facts: DatasetFacts | None,
    *,
    allow_missing: bool = False,
    exactly: bool = False,
) -> list[Sample]:
    """Samples with image paths that exist: as given, or by the file name anywhere below a folder; never outside of it.

    The first folder that has an image is taken. Samples without may be left out, but not where images are searched:
    fewer of them would make another search. `exactly` is where images lie where their paths lead, and others may go by
    the same name.

    Raises:
        UserError: Images that are not there.
        DataError: A path that leads out of its folder, or could be one of two files.
    """
    images = list(dict.fromkeys(image for sample in samples for image in sample.images))
    found: dict[str, Path] = {}
    for folder in folders:
        wanted = {image: _inside(folder, image) for image in images if image not in found}
        there = {image: path for image, path in wanted.items() if path.is_file()}
        absent = [image for image in wanted if image not in there]
        found |= there
        if absent and not exactly:
            found |= _found_below(folder, absent, {path: image for image, path in there.items()})
    missing = [image for image in images if image not in found]
    if missing and (not allow_missing or any(sample.relevance for sample in samples)):
        of = f"{len(missing):,} of {len(images):,} images" + (f" of {facts.title}" if facts else "")
        get = f"; {similarity.how_to_get(facts)}" if facts else ""
        raise UserError(f"{of} are not below {folders[0]}, the first of them {missing[0]!r}{get}")
    paths = {image: str(path) for image, path in found.items()}
    return [
        replace(
            sample,
            images=tuple(paths[image] for image in sample.images),
            # Questions about one image belong together, on whichever machine it lies.
            cluster=sample.cluster or (sample.images[0] if sample.question and sample.images else None),
        )
        for sample in samples
        if all(image in found for image in sample.images)
    ]


def _found_below(folder: Path, images: Sequence[str], taken: Mapping[Path, str]) -> dict[str, Path]:
    """Files with the names of images that are not where their paths lead; one file is never taken for two images.

    KonIQ-10k, for one, comes in two sizes under the same names. Of copies of one image any serves.
    """
    named: dict[str, list[Path]] = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            named.setdefault(file.name, []).append(file)
    image_of, found = dict(taken), dict[str, Path]()
    for image in images:
        parts = Path(image).parts
        files = named.get(Path(image).name, [])
        files = [file for file in files if file.parts[-len(parts) :] == parts] or files
        if not files:
            continue
        meant = [str(file) for file in files[:2]] if len(files) > 1 and len(set(map(digest, files))) > 1 else []
        if not meant and image_of.setdefault(files[0], image) != image:
            meant = [f"{files[0]}, as could {image_of[files[0]]!r}"]
        if meant:
            raise DataError(
                f"{image!r} could be {' or '.join(meant)}; name the folder that its path starts from with --images"
            )
        found[image] = files[0]
    return found


def _inside(folder: Path, image: str) -> Path:
    """A manifest from elsewhere must not make a run read, and send to an endpoint, other files of this machine."""
    if not Path(os.path.abspath(folder / image)).is_relative_to(os.path.abspath(folder)):
        raise DataError(f"the image path {image!r} leads out of {folder}; name the folder that holds it with --images")
    return folder / image


@dataclass(frozen=True)
class Presence:
    """How much of a dataset is here."""

    state: Literal["yes", "partly", "no"]
    detail: str = ""
    """What is missing of a part, in a few words."""
    items: int | None = None
    """How many of its items are here, where these have been counted."""


def look_for(facts: DatasetFacts, root: Path) -> Presence:
    """How much of a dataset is below the data root: files are counted, not opened.

    What of a list of UniSim-Bench's is missing is told when it is opened, for its samples are drawn only then.
    """
    if facts.truth == "construction":
        return Presence("yes", items=facts.items)
    if facts.name in similarity.LOADERS:
        return Presence("yes" if similarity.LOADERS[facts.name].location.find(None, root) else "no")
    shards = find_shards(home(facts, root), facts.split)
    if shards:
        return _counted(count_rows(shards), facts.items or 0, "questions")
    path = home(facts, root) / (facts.sample_list or "")
    found = find_set_list(facts, root)
    try:
        if facts.sample_list and path.is_file():
            listed, published = read_manifest(path, facts), facts.items or 0  # somebody may have shortened it
        elif found and found[0].task == facts.task:
            every = read_manifest(found[1], found[0])
            listed, published = [sample for sample in every if set_of(sample) == facts], found[0].sets[facts.name]
        else:
            listed, published = [], 0
    except UserError as error:
        return Presence("partly", str(error))
    if not listed:
        return Presence("no")
    there = {path.name for folder in set_folders(facts, listed, root) for path in folder.rglob("*")}
    here = sum(
        all(image.replace("\\", "/").rsplit("/", 1)[-1] in there for image in sample.images) for sample in listed
    )
    if not here:
        return Presence("no", "its list is here, its images are not")
    what = "samples" if any(len(sample.images) > 1 for sample in listed) else "images"
    return _counted(here, max(len(listed), published), what)


def _counted(here: int, of: int, what: str) -> Presence:
    return Presence("yes", items=here) if here >= of else Presence("partly", f"{here:,} of {of:,} {what}", here)


@dataclass(frozen=True)
class AnswerKey:
    """Human scores, or questions with answers, that results are measured against."""

    name: str
    """What to call it: the name of its file."""
    samples: tuple[Sample, ...]


def find_answer_key(facts: DatasetFacts, folder: Path) -> AnswerKey | None:
    """The answer key of a dataset, from where lists were put, each in a folder named after its dataset or all together.

    None where there is none with scores or answers.
    """
    if facts.truth == "construction":
        return AnswerKey(facts.title, read_demo_set(facts.name)[0])
    if facts.sample_list is None:
        return None
    places = (folder / facts.name / facts.sample_list, folder / facts.sample_list)
    path = next((path for path in places if path.is_file()), None)
    samples = tuple(read_manifest(path, facts)) if path else ()
    return AnswerKey(path.name, samples) if path and any(map(has_truth, samples)) else None


def has_truth(sample: Sample) -> bool:
    """Whether a human score of the sample is known, or which answer is right."""
    return sample.human is not None or sample.answer is not None
