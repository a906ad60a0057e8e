"""A study: photos that the owner of the board has people compare, under a link.

    studies/<name>.json             what is asked, and whether it is open
    studies/photos/<name>/          the photos, named by their content so that no name tells anything

The folder is the owner's: nothing that a visitor does writes into it. Answers go to the store, as submissions do.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from itertools import combinations
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import Strict

from leaderboard.live.person import LETTERS, mixed
from leaderboard.live.tournament import name_pictures
from leaderboard.store.submission import PERSON, STUDY_NAME, Choice, StudyAnswers
from qbench.atomic import write_whole
from qbench.datasets import open_dataset
from qbench.errors import UserError
from qbench.images import open_picture
from qbench.records import Picture, Stored
from qbench.tasks.active import Pair

PHOTOS = "photos"
USUAL_PAIRS = 28
"""A person's, each in both orders: all pairs of eight photos, in some three minutes."""
USUAL_PEOPLE = 500
FEWEST_PHOTOS, MOST_PHOTOS = 4, 100
FEWEST_ANSWERS = 10
"""Of one person: fewer than five pairs in both orders cannot be told from coin flips."""
LONGEST_TEXT = 300
_SHOWN_BY_BROWSERS = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp")
_NAME_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"


@dataclass(frozen=True)
class Study(Stored):
    """What the owner has asked."""

    name: str
    """Twelve letters that nobody guesses."""
    title: str
    question: str
    photos: Mapping[str, str]
    """The name that results use -> the file, below `photos/<name>`."""
    pairs: Annotated[int, Strict()] = USUAL_PAIRS
    """How many each person compares, each in both orders; all of them where there are no more."""
    most_people: Annotated[int, Strict()] = USUAL_PEOPLE
    is_open: Annotated[bool, Strict()] = True

    def __post_init__(self) -> None:
        if not STUDY_NAME.fullmatch(self.name):
            raise ValueError("name is not twelve letters or digits")
        if not 1 <= len(self.title) <= LONGEST_TEXT or not 1 <= len(self.question) <= LONGEST_TEXT:
            raise ValueError(f"title and question have 1 to {LONGEST_TEXT} characters")
        if self.total < FEWEST_ANSWERS or self.most_people < 1:
            raise ValueError(
                f"a study has at least {FEWEST_PHOTOS} photos, {FEWEST_ANSWERS // 2} pairs a person and 1 person: "
                "with fewer pairs nobody could do clearly better than coin flips, so nobody would count"
            )

    @property
    def items(self) -> tuple[str, ...]:
        return tuple(self.photos)

    @property
    def total(self) -> int:
        """Questions to each person."""
        return 2 * min(self.pairs, len(self.photos) * (len(self.photos) - 1) // 2)


def open_study(
    folder: Path,
    photos: Path | Sequence[Path],
    title: str,
    question: str = "Which photo looks better?",
    pairs: int = USUAL_PAIRS,
    most_people: int = USUAL_PEOPLE,
) -> Study:
    """Open a study of photos, of a folder all that browsers show; they are copied.

    Raises:
        UserError: The photos cannot be compared, or a text is too long.
    """
    every = sorted(photos.glob("*")) if isinstance(photos, Path) else photos
    files = [path for path in every if path.suffix.lower() in _SHOWN_BY_BROWSERS]
    pictures = name_pictures([open_picture(path) for path in files], "a study", FEWEST_PHOTOS, MOST_PHOTOS)
    name = "".join(secrets.choice(_NAME_LETTERS) for _ in range(12))
    kept = {item: f"{picture.sha256[:16]}{Path(picture.path).suffix.lower()}" for item, picture in pictures.items()}
    try:
        study = Study(name, title.strip(), question.strip(), kept, pairs, most_people)
    except ValueError as fault:
        raise UserError(str(fault)) from fault
    target = photos_folder(folder) / name
    target.mkdir(parents=True)
    for item, picture in pictures.items():
        shutil.copyfile(picture.path, target / kept[item])
    _write(folder, study)
    return study


def photos_of_dataset(name: str, number: int) -> list[Path]:
    """So many photos of a dataset that is here, drawn evenly from its list; always the same ones."""
    listed = list(dict.fromkeys(Path(sample.images[0]) for sample in open_dataset(name, allow_missing=True).samples))
    drawn = np.random.default_rng(0).permutation(len(listed))[:number]
    return [listed[place] for place in sorted(drawn)]


def study_link(study: Study, base: str | None) -> str:
    """Where people take part; below `base`, or the address that the page was opened at."""
    return f"{base or ''}?tab=study&study={study.name}"


def set_open(folder: Path, name: str, *, is_open: bool) -> Study:
    """Take answers, or no more of them: the link of a closed study shows the ranking."""
    study = replace(find_study(folder, name), is_open=is_open)
    _write(folder, study)
    return study


def find_study(folder: Path, name: object) -> Study:
    """The study of this name, or a UserError where there is none."""
    if isinstance(name, str) and STUDY_NAME.fullmatch(name):
        try:
            study = Study.from_json(json.loads((folder / f"{name}.json").read_bytes()))
            if study.name == name:
                return study
        except FileNotFoundError:
            pass
        except ValueError as fault:
            raise UserError(f"the study {name} cannot be read: {fault}") from fault
    raise UserError("there is no study under this link; check that all of it was copied")


def list_studies(folder: Path) -> list[Study]:
    return [find_study(folder, path.stem) for path in sorted(folder.glob("*.json"))]


def photos_folder(folder: Path) -> Path:
    """The photos of all studies: what browsers may fetch of the folder."""
    return folder.resolve() / PHOTOS


def study_pictures(folder: Path, study: Study) -> dict[str, Picture]:
    """The photos by the names that results use."""
    place = photos_folder(folder) / study.name
    return {item: Picture(str(place / file), Path(file).stem) for item, file in study.photos.items()}


def study_pairs(study: Study, person: str) -> list[Pair]:
    """What a person is asked, in order: random pairs, each photo as often as the others, both orders mixed."""
    rng = np.random.default_rng(int(hashlib.sha256(f"{study.name} {person}".encode()).hexdigest()[:12], 16))
    photos, wanted = len(study.photos), study.total // 2
    chosen: dict[Pair, None] = {}
    if wanted == photos * (photos - 1) // 2:
        chosen = dict.fromkeys(combinations(range(photos), 2))
    while len(chosen) < wanted:
        order = rng.permutation(photos)[: photos // 2 * 2].reshape(-1, 2)
        for one, other in np.sort(order, axis=1).tolist():
            if len(chosen) < wanted:
                chosen[one, other] = None
    return mixed([order for one, other in chosen for order in ((one, other), (other, one))], rng)


def read_answers(study: Study, person: object, letters: object, seconds: object) -> StudyAnswers:
    """What a browser sends, as it is kept; a UserError where it is no answer to this study."""
    if not isinstance(person, str) or not PERSON.fullmatch(person):
        raise UserError("the browser did not say whose answers these are; reload the page")
    if not isinstance(letters, str) or len(letters) > study.total or set(letters) - set(LETTERS):
        raise UserError("the browser sent something that is not an answer to this study; reload the page")
    if len(letters) < FEWEST_ANSWERS:
        raise UserError(f"{len(letters)} answers are too few to use; answer at least {FEWEST_ANSWERS}")
    items = study.items
    choices: Sequence[Choice] = [
        (items[first], items[second], LETTERS[letter])
        for (first, second), letter in zip(study_pairs(study, person), letters, strict=False)
    ]
    taken = float(seconds) if isinstance(seconds, int | float) and 0 <= seconds < 1e7 else 0.0
    now = datetime.now(timezone.utc).isoformat(timespec="seconds")
    return StudyAnswers(study.name, person, now, round(taken, 1), tuple(choices))


def _write(folder: Path, study: Study) -> None:
    content = json.dumps(asdict(study), indent=1, ensure_ascii=False) + "\n"
    write_whole(folder / f"{study.name}.json", content.encode())
