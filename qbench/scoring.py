"""`score`: a file of raw results -> Results, against human truth from elsewhere or from the file itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from qbench import summary
from qbench.comparison_scoring import score_comparisons, turned
from qbench.datasets.known import SYNTHETIC, DatasetFacts, find_dataset, known_datasets
from qbench.datasets.manifest import read_manifest
from qbench.errors import UserError
from qbench.formats import read_results
from qbench.formats.answers import question_key
from qbench.formats.reading import Reading
from qbench.models import catalogue
from qbench.records import Metrics, Response, Result, Sample, Source
from qbench.rows import Complaints, shorten
from qbench.tasks import assessment, perception
from qbench.tasks.assessment import WordPair
from qbench.tasks.similarity import shapes

UNNAMED = "unnamed"


@dataclass(frozen=True)
class Truth:
    """Human scores, or questions with answers, that results are measured against."""

    name: str
    """What to call it: the name of its file."""
    samples: tuple[Sample, ...]


def score_file(
    path: Path,
    *,
    task: str | None = None,
    dataset: str | None = None,
    model: str | None = None,
    truth: Path | None = None,
) -> list[Result]:
    """Score one file of raw results.

    Args:
        path: Word logits, plain scores, replies or comparisons; the kind is recognised from the fields.
        task: Refuse the file unless it holds this task's results.
        dataset: Name or alias; by default the file's own name where that is a known dataset's.
        model: Name or alias; by default the folder's name where that is a known model's.
        truth: Human scores or questions with answers. Without it the truth inside the file is used and the result is
            marked self-reported.

    Raises:
        UserError: One sentence naming the first offending place, the count and the fix.
    """
    reading = read_results(path)
    if task is not None and task != reading.task:
        raise UserError(f"{path.name} holds {reading.kind}, which are scored as {reading.task}, not as {task}")
    facts = find_dataset(dataset or path.stem)
    drawn = [one for one in known_datasets() if facts and one.sampled_from == facts.name]
    if facts and not any(one.takes(reading.task) for one in (facts, *drawn)):
        raise UserError(
            f"{path.name} holds {reading.kind}, which are results of {reading.task}, but {facts.title} is a dataset of "
            f"{facts.task}; name the dataset that they are about with --dataset"
        )
    model_facts = catalogue.find(model or path.resolve().parent.name)
    given = Truth(truth.name, tuple(read_manifest(truth))) if truth else None
    return score_reading(reading, facts or dataset or UNNAMED, model_facts or model or UNNAMED, given)


def score_reading(
    reading: Reading,
    dataset: DatasetFacts | str,
    model: catalogue.ModelFacts | str,
    truth: Truth | None,
    *,
    chance: bool = True,
) -> list[Result]:
    """Score results that have been read, of a dataset and a model that are known or only have a name.

    Args:
        reading: What was read.
        dataset: What it is about.
        model: Whose results they are.
        truth: Human scores or questions with answers, which go before those in the file.
        chance: Whether comparisons are held against judges who flip coins, which takes seconds a set.

    Raises:
        UserError: One sentence naming the first offending place, the count and the fix.
    """
    facts = dataset if isinstance(dataset, DatasetFacts) else None
    model_facts = model if isinstance(model, catalogue.ModelFacts) else None
    if truth is not None:
        reading = _with_truth(reading, turned(truth.samples, facts), truth.name)
    elif facts and not reading.presented:
        own = {one.id: one for one in turned(reading.samples.values(), facts)}
        missing = max(0, (facts.items or 0) - len(own))
        reading = replace(reading, samples=own, status={**reading.status, "missing": missing})
    base = Result(
        task=reading.task,
        dataset=dataset.name if isinstance(dataset, DatasetFacts) else dataset,
        split=facts.split if facts else None,
        model=model.id if isinstance(model, catalogue.ModelFacts) else model,
        metrics={},
        protocol={"truth": _truth(facts, truth)},
        status=reading.status,
        source=Source(kind="rescored" if truth else "self-reported", reference=reading.path.name),
        raw=reading.sha256,
    )
    if reading.kind == "comparisons":
        return score_comparisons(reading, base, chance=chance)
    if reading.task == "perception":
        return [_score_answers(reading, base)]
    if reading.kind == "choices":
        return [_score_choices(reading, base)]
    words = _words(reading, model_facts) if reading.kind == "word logits" else None
    return [_score_quality(reading, base, facts, words)]


def _truth(facts: DatasetFacts | None, given: Truth | None) -> str:
    if facts and facts.truth == "construction":
        return SYNTHETIC
    return given.name if given else "in the file"


def _with_truth(reading: Reading, truth: Sequence[Sample], source: str) -> Reading:
    """Put the truth's samples in place of the file's, joined by question, id or image."""
    index = _index(truth)
    complaints = Complaints(reading.path)
    samples: dict[str, Sample] = {}
    responses: dict[str, Response] = {}
    named = [name for one in reading.presented for name in (one.first, one.second)]
    asked: Mapping[str, Sample] = {name: Sample(id=name, images=(name,)) for name in named} or reading.samples
    for own, sample in asked.items():
        known = next((index[key] for key in _keys(sample) if index.get(key) is not None), None)
        if known is None:
            complaints.add(f"{shorten(own)} is not in {source}")
            continue
        if _differ(sample, known):
            complaints.add(f"{shorten(own)} is another question in {source}")
            continue
        # Comparisons go on naming images as the file does; everything else takes the truth's id.
        key = own if reading.presented else known.id
        if key in samples:
            complaints.add(f"{shorten(own)} is the second record that {shorten(key)} in {source} could mean")
            continue
        samples[key] = known
        if own in reading.responses:
            responses[known.id] = replace(reading.responses[own], sample=known.id)
    complaints.raise_if_any("remove them or give the truth that belongs to this file")
    missing = 0 if reading.presented else len(truth) - len(samples)
    return replace(reading, samples=samples, responses=responses, status={**reading.status, "missing": missing})


def _index(truth: Sequence[Sample]) -> dict[str, Sample | None]:
    """Key -> sample; None where several samples share a key, so that it names none of them."""
    index: dict[str, Sample | None] = {}
    for sample in truth:
        without_image = [] if sample.question is None else [question_key((), sample.question)]
        for key in dict.fromkeys([*_keys(sample), *without_image]):
            index[key] = None if key in index and index[key] != sample else sample
    return index


def _keys(sample: Sample) -> list[str]:
    """What a sample may be called, surest first: numbering habits differ, so a question goes before an id."""
    if sample.question is not None:
        asked = [question_key(names, sample.question) for names in (sample.images, _base_names(sample))]
        return [*asked, f"id {sample.id}"]
    return [f"id {sample.id}", *(f"image {name}" for name in (*sample.images[:1], *_base_names(sample)[:1]))]


def _base_names(sample: Sample) -> list[str]:
    return [name.rsplit("/", 1)[-1] for name in sample.images]


def _differ(sample: Sample, known: Sample) -> bool:
    """Whether two samples that share an id are about different things; prompts may surround the question."""
    other_question = sample.question is not None and (known.question or "") not in sample.question
    return other_question or (bool(sample.images and known.images) and _base_names(sample) != _base_names(known))


def _words(reading: Reading, model: catalogue.ModelFacts | None) -> WordPair:
    """The word pair of the model's catalogue entry, or good and poor."""
    pair = WordPair(**model.words) if model else assessment.DEFAULT_WORDS
    complaints = Complaints(reading.path)
    for response in reading.responses.values():
        missing = [word for word in pair.words if word not in response.logits]
        if missing:
            complaints.add(
                f"{shorten(response.sample)} has no logit of {missing[0]!r}, only {shorten(sorted(response.logits))}"
            )
    complaints.raise_if_any(f"this model is scored by {pair.label}")
    return pair


def _score_quality(reading: Reading, base: Result, facts: DatasetFacts | None, words: WordPair | None) -> Result:
    part = "part" if facts and facts.parts else None
    samples = reading.samples
    if facts and part:
        samples = {one.id: _in_part(one, facts, reading.path) for one in samples.values()}
    asked = [(samples[key], response) for key, response in reading.responses.items()]
    groups: dict[str, dict[str, Metrics]] = {}
    protocol: dict[str, Any] = {**base.protocol}
    if words is None:
        scores = [assessment.score_number(sample, response) for sample, response in asked]
    else:
        protocol |= assessment.words_protocol(words)
        scores = [assessment.score_logits(sample, response, words) for sample, response in asked]
        groups = summary.summarise_quality_variants(assessment.score_variants(asked, words), part)
    if not any(score.truth is not None for score in scores):
        raise UserError(f"{reading.path.name}: no human score (gt_score) {_where(base)}")
    if facts and part:
        present = {score.groups[part] for score in scores if score.truth is not None}
        if absent := sorted(set(facts.parts.values()) - present):
            raise UserError(
                f"{reading.path.name} holds no rated {absent[0]} images, and {facts.title} averages over "
                f"{' and '.join(facts.parts.values())}; name the dataset that it is a part of"
            )
        protocol["averaged_over"] = part
        groups["part"] = {
            name: summary.summarise_assessment(score for score in scores if score.groups.get("part") == name)
            for name in sorted({score.groups["part"] for score in scores})
        }
    without_truth = sum(score.truth is None for score in scores)
    return replace(
        base,
        metrics=summary.summarise_assessment(scores, part=part),
        groups=groups,
        protocol=protocol,
        status={**base.status, "scored": len(scores) - without_truth, "without_truth": without_truth},
    )


def _in_part(sample: Sample, facts: DatasetFacts, path: Path) -> Sample:
    part = facts.part_of(sample.id)
    if part is None:
        expected = " or ".join(facts.parts)
        raise UserError(
            f"{path.name}: {shorten(sample.id)} does not begin with {expected}, as {facts.title}'s images do"
        )
    return replace(sample, groups={**sample.groups, "part": part})


def _score_answers(reading: Reading, base: Result) -> Result:
    if not all(reading.samples[key].options for key in reading.responses):
        raise UserError(f"{reading.path.name}: not every question has options {_where(base)}")
    scores = [perception.score_response(reading.samples[key], one) for key, one in reading.responses.items()]
    known = [score for score in scores if score.truth is not None]
    if not known:
        raise UserError(f"{reading.path.name}: none of {len(scores):,} questions has a known answer {_where(base)}")
    options = {sample.id: sample.options for sample in reading.samples.values()}
    return replace(
        base,
        metrics={"accuracy": summary.summarise_accuracy(known), **summary.summarise_yes_no(known, options)},
        groups=summary.accuracy_by_group(known),
        unscored=summary.count_unscored(known),
        protocol={**base.protocol, "graded_by": "parser", "unscored": "counted as not correct"},
        status={**base.status, "scored": len(known), "without_truth": len(scores) - len(known)},
    )


def _score_choices(reading: Reading, base: Result) -> Result:
    scores = []
    for key, response in reading.responses.items():
        chosen = None if response.text is None else int(response.text)
        scores.append(shapes.score_choice(reading.samples[key], chosen, "no usable answer"))
    known = [score for score in scores if score.truth is not None]
    if not known:
        raise UserError(f"{reading.path.name}: none of {len(scores):,} samples has a label {_where(base)}")
    return replace(
        base,
        metrics={"accuracy": summary.summarise_accuracy(known)},
        groups=summary.accuracy_by_group(known),
        unscored=summary.count_unscored(known),
        protocol={**base.protocol, "unscored": "counted as not correct"},
        status={**base.status, "scored": len(known), "without_truth": len(scores) - len(known)},
    )


def _where(base: Result) -> str:
    """Where truth was looked for, and where else it could come from."""
    source = base.protocol["truth"]
    return f"in {source}" if base.source.kind == "rescored" else f"{source}; give the truth with --truth FILE"
