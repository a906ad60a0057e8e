"""A visitor's own images, scored by a model like a dataset's: nothing of it is kept when they leave."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from leaderboard.live.service.jobs import Job, Publish
from leaderboard.live.service.limits import Visitor, Work
from leaderboard.live.service.live import Live
from leaderboard.live.service.uploads import Uploads, collect
from qbench.cache import ANSWERS, Cache
from qbench.commands.evaluate import choose, run_task, write_run
from qbench.datasets import Dataset
from qbench.errors import DataError
from qbench.records import Result, Sample, Score
from qbench.rows import read_rows, shorten
from qbench.runner import Progress, Runner
from qbench.tasks import assessment

MOST_IMAGES = 200
"""Of one visitor at a time; Tournament takes 50, for it compares them two by two."""
LISTS = (".csv", ".tsv", ".json", ".jsonl")
NAME = "own images"
_NAMES = ("img_path", "image", "file", "filename", "name")
_SCORES = ("gt_score", "mos", "score", "rating")
_MOST_ROWS = 10_000
_FORMULA = re.compile(r"(^|[;\t\r\n])(?=\s*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r])")
"""Before what a spreadsheet computes; signs of full width count, too."""


@dataclass(frozen=True)
class OwnRun:
    """What a model says of a visitor's images."""

    model: str
    scores: tuple[Score, ...]
    """In the order of the list."""
    folder: Path
    """Of the visitor's: record and answers, until they leave."""
    records: Mapping[str, Result]
    """By the names of their files in the folder; none where the visitor has no scores of their own."""

    @property
    def ranked(self) -> list[Score]:
        """The best image first; those without a score last."""
        return sorted(self.scores, key=lambda score: (score.value is None, -(score.rank_value or 0.0)))


def read_images(paths: Sequence[str] | None, visitor: Visitor, uploads: Uploads) -> Dataset:
    """The images that were handed in as a dataset, with the scores of a list beside them, if there is one.

    Raises:
        DataError: One sentence: too many, too large, no image, a hostile archive, a name of two files, or a list that
            does not fit.
    """
    images: dict[str, Path] = {}
    lists: dict[str, Path] = {}
    for name, file in collect(paths, visitor, uploads, MOST_IMAGES):
        if name in images or name in lists:
            raise DataError(f"two files are called {shorten(name)}; give one of them another name")
        (lists if PurePosixPath(name).suffix.lower() in LISTS else images)[name] = file
    if len(lists) > 1:
        raise DataError(f"there are {len(lists)} lists of scores, {' and '.join(sorted(lists)[:2])}; hand in one")
    if len(images) > MOST_IMAGES:
        raise DataError(
            f"there are {len(images)} images; the most here are {MOST_IMAGES}, and there is no limit on your own "
            "computer"
        )
    if not images:
        raise DataError("there are no images yet; choose some, or a zip of them")
    for file in images.values():
        uploads.take_in(file, visitor)
    scores = {image: score for file in lists.values() for image, score in read_scores(file, list(images)).items()}
    samples = tuple(
        Sample(id=name, images=(str(file),), human=scores.get(name)) for name, file in sorted(images.items())
    )
    listed = json.dumps([(sample.id, sample.human) for sample in samples]).encode()
    return Dataset(NAME, samples, hashlib.sha256(listed).hexdigest())


def read_scores(path: Path, images: Sequence[str]) -> dict[str, float]:
    """Image -> score, of a list that has one for each of these images, or a DataError."""
    by_name = Counter(PurePosixPath(image).name for image in images)
    names = {image: image for image in images}
    names |= {PurePosixPath(image).name: image for image in images if by_name[PurePosixPath(image).name] == 1}
    scores: dict[str, float] = {}
    for row in read_rows(path, _MOST_ROWS):
        fields = {field.strip().casefold(): field for field in row.data}
        name_field = next((fields[field] for field in _NAMES if field in fields), None)
        score_field = next((fields[field] for field in _SCORES if field in fields), None)
        if name_field is None or score_field is None:
            raise DataError(
                f"{path.name} has the columns {shorten(', '.join(row.data))}; call them img_path and gt_score"
            )
        given = (row.text(name_field) or "").strip()
        image = names.get(given.replace("\\", "/"))
        if image is None:
            raise DataError(f"{path.name}: {row.place} names {shorten(given)}, which is none of the images; remove it")
        if image in scores:
            raise DataError(f"{path.name}: {row.place} names {shorten(given)} a second time; keep one of its scores")
        try:
            scores[image] = row.number(score_field)
        except DataError as error:
            raise DataError(f"{path.name}: {error}") from None
    missing = [image for image in images if image not in scores]
    if missing:
        raise DataError(
            f"{path.name} has no score for {len(missing)} of the {len(images)} images, the first of them "
            f"{shorten(missing[0])}; add it, or leave the list out"
        )
    return scores


def own_images_job(live: Live, visitor: Visitor, paths: Sequence[str] | None, name: str) -> Job[OwnRun]:
    def job(work: Work, publish: Publish) -> OwnRun:
        publish(doing="reading the images")
        dataset = read_images(paths, visitor, live.uploads)
        work.check()
        publish(doing="opening the model")
        model = live.models.lend(name, work)
        folder = live.uploads.folder_of(visitor) / "own-images"
        folder.mkdir(exist_ok=True)

        def watch(progress: Progress, _: object) -> None:
            publish(doing="asking the model", progress=progress)

        cache = Cache(folder / ANSWERS)
        is_rated = dataset.samples[0].human is not None
        if is_rated:  # a run as of any dataset: the record says how far the model agrees with them
            run = run_task(assessment.NAME, dataset, model, cache, watch=watch, cancel=work.cancel)
            write_run(run, folder)
            records, outcome = run.results, run.outcome
        else:  # no figures, for there is no truth
            plan = assessment.plan(dataset.samples, choose(assessment.NAME, model))
            outcome = Runner(model, cache, watch=watch, cancel=work.cancel).run(plan)
            records = {}
        return OwnRun(name, tuple(outcome.scores["quality"]), folder, records)

    return job


def bundle(done: OwnRun, plot: str, path: Path) -> Path:
    """Record and raw answers, scores as CSV, and the plot as a page of its own, in one zip."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, record in done.records.items():
            archive.write(done.folder / name, name)
            raw = f"raw/{record.raw}.jsonl"
            archive.write(done.folder / raw, raw)
        if not done.records:
            archive.write(done.folder / ANSWERS, ANSWERS)
        archive.write(write_csv(done), "scores.csv")
        archive.writestr("plot.html", plot)
    return path


def write_csv(done: OwnRun) -> Path:
    """Image, the model's score, and the score that was handed in, the best image first."""
    path = done.folder / "scores.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["img_path", "score", "gt_score", "no_score_because"])
        for score in done.ranked:
            writer.writerow([harmless(score.sample), score.value, score.truth, harmless(score.reason or "")])
    return path


def harmless(text: str) -> str:
    """Text that no spreadsheet takes for a formula, not after a semicolon either, which some begin a cell at."""
    return _FORMULA.sub(r"\1'", text)
