"""A dataset anyone can make: a JSON list or JSONL of samples, or a CSV of scores.

Reads, by their fields, the layouts that exist: Q-Bench's IQA lists (`img_path`, `gt_score`), LLVisionQA as published
(`candidates`, `correct_ans`, integer `type` and `concern`), our own perception rows (`options`, `answer`), the 2AFC
lists (an object of dataset -> list of scored images), and comparisons and queries of perceptual similarity, of which
docs/evaluate.md has rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path, PurePath
from string import ascii_uppercase
from typing import Any

from qbench.datasets.fields import with_our_names
from qbench.datasets.known import SET, DatasetFacts, dmos_dataset, find_dataset, find_published_list
from qbench.errors import DataError
from qbench.records import Sample
from qbench.rows import Complaints, File, Row, read_file, read_rows, shorten

# LLVisionQA's integer codes, settled by the random-guess rows of Q-Bench Tables 2 and 7 (other tools swap 1 and 2).
QUESTION_TYPES = ("yes-or-no", "what", "how")
CONCERNS = ("distortion", "other", "in-context-distortion", "in-context-other")

_TOLD = {"img_path", "img_paths", "question", "query", "images", "texts"}
"""Fields of which each layout that is read here has one."""
IDS = ("id", "question_id", "index")
"""Fields that name a question."""
RELEVANCE = ("easy", "hard", "junk")
"""How an image to search relates to a query, in the revisited Oxford and Paris datasets; the others are irrelevant."""


def read_manifest(
    file: Path | File,
    about: DatasetFacts | None = None,
    columns: Mapping[str, str] | None = None,
    faults: list[str] | None = None,
) -> list[Sample]:
    """Every sample of a manifest.

    Args:
        file: A JSON list, JSONL or CSV.
        about: The dataset that it lists, where that is known; else it is recognised where it is a published list. Its
            human scores run as those of the dataset do, whether or not the rows say so.
        columns: Name here -> column, where a person says which is which.
        faults: Where rows that cannot be used are named, and left out; without it they are refused.

    Raises:
        DataError: One sentence with the first offending place: a malformed row, or a score that may be a DMOS.
    """
    file = read_file(file) if isinstance(file, Path) else file
    path = PurePath(file.name)
    complaints = Complaints(path)
    samples: dict[str, Sample] = {}
    unsure: list[str] = []
    for row in _flattened(read_rows(file), path):
        try:
            if columns or not row.data.keys() & _TOLD:
                # Of those named, the ones that a list of images has: `score` and `reply` are about the results.
                there = {ours: theirs for ours, theirs in (columns or {}).items() if theirs in row.data}
                row = with_our_names(row, "gt_score", there)
            sample = read_sample(row, str(len(samples)))
        except DataError as error:
            complaints.add(str(error))
            continue
        if sample.id in samples and samples[sample.id] != sample:
            complaints.add(f"{row.place}: {shorten(sample.id)} stands here twice with different contents")
        samples[sample.id] = sample
        if not unsure and "lower_is_better" not in row.data and (dataset := dmos_dataset(sample)):
            unsure = [f"{path.name}, {row.place}: {_which_way(sample, dataset)}"]
    for complaint in _of_queries(samples):
        complaints.add(complaint)
    if faults is None or not samples:
        complaints.raise_if_any("mend or remove them and try again")
    else:
        faults += complaints.places
    about = about or find_published_list(samples.values())
    if about and about.lower_is_better:
        return [replace(sample, lower_is_better=True) for sample in samples.values()]
    if unsure and not about:
        raise DataError(unsure[0])
    refuse_two_directions(samples.values(), path)
    return list(samples.values())


def refuse_two_directions(samples: Iterable[Sample], path: PurePath) -> None:
    """Refuse human scores of one set of images of which some are marked as DMOS and others not."""
    first: dict[str, Sample] = {}
    for sample in samples:
        if sample.human is None:
            continue
        other = first.setdefault(sample.groups.get(SET, ""), sample)
        if other.lower_is_better != sample.lower_is_better:
            marked, unmarked = (sample, other) if sample.lower_is_better else (other, sample)
            raise DataError(
                f"{path.name}: {shorten(marked.id)} is marked as lower_is_better and {shorten(unmarked.id)} is not, so "
                "their scores run in opposite directions; mark all rows, or none"
            )


def _which_way(sample: Sample, dataset: DatasetFacts) -> str:
    return (
        f"{shorten(sample.id)} is named as {dataset.title}'s images are, whose published scores are DMOS (lower is "
        'better), and nothing says whether its gt_score is one: add "lower_is_better": true or false to every row, or '
        f"with --truth name the dataset, --dataset {dataset.name}"
    )


def read_sample(row: Row, position: str) -> Sample:
    """One row as a sample; `position` names a question that has no id of its own."""
    if "question" in row.data:
        return _question(row, position)
    if "query" in row.data:
        return _query(row)
    if _is_comparison(row):
        return _comparison(row, position)
    image = image_of(row)
    name = row.text(SET)
    facts = find_dataset(name) if name else None
    return Sample(
        id=image,
        images=(image,),
        reference=row.text("reference"),
        human=row.number("gt_score") if "gt_score" in row.data else None,
        lower_is_better=_flag(row, "lower_is_better") or bool(facts and facts.lower_is_better),
        groups={SET: name} if name else {},
    )


def image_of(row: Row, *other_keys: str) -> str:
    """The name of the image that a row is about, in `img_path` or another field; DataError where there is none."""
    keys = ("img_path", *other_keys)
    if image := row.text(*keys):
        return image
    given = next((key for key in keys if key in row.data), None)
    if given is None:
        raise DataError(f"{row.place}: has no img_path; its fields are {shorten(sorted(row.data))}")
    raise DataError(f"{row.place}: {given} is {shorten(row.data[given])}, not a name")


def _flattened(rows: Iterable[Row], path: PurePath) -> Iterable[Row]:
    """2AFC lists hold one object of dataset -> list; everything else is a list of rows already."""
    for row in rows:
        listed = row.data and all(isinstance(value, list) for value in row.data.values())
        if listed and not _is_comparison(row):
            for name, members in row.data.items():
                for number, member in enumerate(members, start=1):
                    place = f"{shorten(name)}, image {number}"
                    if not isinstance(member, dict):
                        raise DataError(f"{path.name}: {place} is {shorten(member)}, not an object")
                    yield Row({**member, SET: name}, place)
        else:
            yield row


def image_names(row: Row) -> tuple[str, ...]:
    """What the row is about: `img_path`, or `img_paths` where it asks about several; perhaps nothing."""
    paths = row.data.get("img_paths", row.data.get("img_path"))
    names = paths if isinstance(paths, list) else [] if paths is None else [paths]
    if not all(isinstance(name, str) for name in names):
        raise DataError(f"{row.place}: the image is {shorten(paths)}, not a name")
    return tuple(image for name in names for image in _images(name))


def _images(path: str) -> tuple[str, ...]:
    """One image, or the two that Q-Bench2 joins into one Windows path."""
    return tuple(path.replace("\\", "/").rsplit("/", 1)[-1].split("_cat_")) if "_cat_" in path else (path,)


def question_text(row: Row) -> str:
    """The row's question; DataError where it has none."""
    question = row.data.get("question")
    if not isinstance(question, str) or not question.strip():
        raise DataError(f"{row.place}: the question is {shorten(question)}, not a text")
    return question


def _question(row: Row, position: str) -> Sample:
    options = row.data.get("options", row.data.get("candidates"))
    if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
        raise DataError(f"{row.place}: options is {shorten(options)}, not a list of texts")
    if not 2 <= len(options) <= len(ascii_uppercase):
        raise DataError(f"{row.place}: has {len(options)} options, not between 2 and {len(ascii_uppercase)}")
    [(repeated, times)] = Counter(option.strip() for option in options).most_common(1)
    if times > 1:
        raise DataError(f"{row.place}: has the option {shorten(repeated)} {times} times, so nobody can tell them apart")
    images = image_names(row)
    return Sample(
        id=row.text(*IDS) or position,
        images=images,
        question=question_text(row),
        options=tuple(options),
        answer=_answer(row, options),
        groups=question_groups(row.data, len(images)),
    )


def _answer(row: Row, options: list[str]) -> int | None:
    answer = row.data.get("answer", row.data.get("correct_ans"))
    if answer is None or answer == "":
        return None
    if answer in options:
        return options.index(answer)
    letter = ascii_uppercase.find(answer.upper()) if isinstance(answer, str) and len(answer) == 1 else -1
    if 0 <= letter < len(options):
        return letter
    raise DataError(f"{row.place}: the answer {shorten(answer)} is none of the options {shorten(options)}")


def _is_comparison(row: Row) -> bool:
    return "images" in row.data or "texts" in row.data


def _comparison(row: Row, position: str) -> Sample:
    """Alternatives that are compared, with each other or with a reference image or caption."""
    images, texts = _names(row, "images"), _names(row, "texts")
    reference = row.text("reference")
    alternatives, label = images or texts, row.data.get("label")
    if label is not None and (type(label) is not int or not 0 <= label < len(alternatives)):
        places = f"a place among its {len(alternatives)} alternatives, counted from 0"
        raise DataError(f"{row.place}: the label is {shorten(label)}, not {places}")
    groups = row.data.get("groups", {})
    if not isinstance(groups, dict) or not all(isinstance(group, str) for group in groups.values()):
        raise DataError(f"{row.place}: groups is {shorten(groups)}, not an object of texts")
    attribute = row.text("attribute")
    return Sample(
        id=row.text("id") or position,
        images=(reference, *images) if reference else images,
        texts=texts,
        has_reference=bool(reference),
        answer=label,
        groups={**groups, **({"attribute": attribute} if attribute else {})},
        cluster=row.text("cluster"),
    )


def _query(row: Row) -> Sample:
    """An image and what is relevant to it among the images to search."""
    image = row.text("query")
    if not image:
        raise DataError(f"{row.place}: the query is {shorten(row.data['query'])}, not the name of an image")
    relevance = {level: _names(row, level) for level in RELEVANCE if level in row.data}
    if not relevance:
        raise DataError(f"{row.place}: has none of {', '.join(RELEVANCE)}, the lists of images relevant to the query")
    return Sample(row.text("id") or f"query {image}", (image,), relevance=relevance, cluster=row.text("cluster"))


def _of_queries(samples: Mapping[str, Sample]) -> Iterable[str]:
    """What is wrong with the images that queries name."""
    for query in (sample for sample in samples.values() if sample.relevance):
        counts = Counter(image for images in query.relevance.values() for image in images)
        for image, count in counts.items():
            if image not in samples or samples[image].relevance:
                yield f"{shorten(query.id)} names {shorten(image)}, which is none of the images to search"
            elif count > 1:
                yield f"{shorten(query.id)} names {shorten(image)} twice"


def _names(row: Row, key: str) -> tuple[str, ...]:
    values = row.data.get(key, [])
    if not isinstance(values, list) or not all(isinstance(name, str) and name for name in values):
        raise DataError(f"{row.place}: {key} is {shorten(values)}, not a list of texts")
    return tuple(values)


_CATEGORIES = ("basic", "bag-of-words", "outside", "technical", "aesthetic", "generative")


def question_groups(data: Mapping[str, Any], images: int) -> dict[str, str]:
    """Type and concern of a question about so many images, given by name or by LLVisionQA's codes; A-Bench's category.

    Codes of concern about two images are Q-Bench2's, whose meaning nobody has published: they are left out.
    """
    groups = {}
    for grouping, code, names in (("question_type", "type", QUESTION_TYPES), ("concern", "concern", CONCERNS)):
        value = data.get(grouping, data.get(code))
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(names):
            if grouping != "concern" or images < 2:
                groups[grouping] = names[value]
        elif isinstance(value, str) and value:
            groups[grouping] = value
    return groups | _category_groups(data.get("category"))


def _category_groups(category: object) -> dict[str, str]:
    """Part, category and aspect of an A-Bench question, written as "part1 -> bag_of_words -> attribute".

    Tools spell the second level at length or in short; its first word tells it.
    """
    levels = [level.strip().casefold() for level in str(category).split("->")]
    if len(levels) < 2 or levels[0] not in ("part1", "part2"):
        return {}
    named = next((name for name in _CATEGORIES if levels[1].replace("_", "-").startswith(name)), levels[1])
    return {"part": levels[0], "category": named} | ({"aspect": levels[2]} if len(levels) > 2 else {})


def _flag(row: Row, key: str) -> bool:
    value = row.data.get(key, False)
    flag = {"true": True, "false": False}.get(value.casefold()) if isinstance(value, str) else value  # CSV has texts
    if not isinstance(flag, bool):
        raise DataError(f"{row.place}: {key} is {shorten(value)}, not true or false")
    return flag
