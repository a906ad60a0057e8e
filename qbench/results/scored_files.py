"""What a file holds -> records, by the builders that make those of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace

from qbench.datasets.known import SYNTHETIC, DatasetFacts
from qbench.datasets.manifest import refuse_two_directions
from qbench.datasets.places import AnswerKey
from qbench.errors import UserError
from qbench.formats.reading import Reading, question_key
from qbench.records import Response, Result, Sample, Score, Source
from qbench.results import build_results
from qbench.results.comparison_records import score_comparisons
from qbench.rows import Complaints, shorten
from qbench.tasks import TASKS, Chosen, Outcome, Task
from qbench.tasks.perception import read_as_judged, shuffle_options
from qbench.tasks.task import Answered, ResultKind
from qbench.tasks.words import DEFAULT_WORDS, LEVELS, WordPair

Words = Mapping[str, tuple[str, ...]] | None


def score_reading(
    reading: Reading,
    dataset: DatasetFacts | str,
    model: str,
    key: AnswerKey | None,
    *,
    words: Words = None,
    chance: bool = True,
) -> list[Result]:
    """Score results that have been read, of a dataset that is known or only has a name.

    The key's truth goes before that in the file. `words` are the model's own for good and bad quality, where its logits
    are scored by others than the usual. Holding comparisons against judges who flip coins takes seconds a set.

    Raises:
        UserError: One sentence naming the first offending place, the count and the fix.
    """
    facts, reading, base = _prepare(reading, dataset, model, key)
    if reading.presented:
        return score_comparisons(reading, base, chance=chance)
    return _score_answers(reading, base, facts, words)


def read_answers(
    reading: Reading, dataset: DatasetFacts | str, key: AnswerKey | None, words: Words = None
) -> tuple[Reading, list[Answered], Sequence[Score]]:
    """What `score_reading` counts: what was read with its truth, the answers, and what each is worth.

    Of comparisons the first alone.
    """
    _, reading, base = _prepare(reading, dataset, "", key)
    if reading.presented:
        return reading, [], []
    answered, outcome = _read(reading, base, words)
    [scores] = outcome.scores.values()
    return reading, answered, scores


def _prepare(
    reading: Reading, dataset: DatasetFacts | str, model: str, key: AnswerKey | None
) -> tuple[DatasetFacts | None, Reading, Result]:
    """What is known of the dataset, the reading with its truth, and what its records have in common."""
    facts = dataset if isinstance(dataset, DatasetFacts) else None
    if key is not None:
        seed = reading.options_seed
        truth = key.samples if seed is None else [shuffle_options(sample, seed) for sample in key.samples]
        reading = with_truth(reading, truth, key.name)
    elif facts and not reading.presented:
        missing = max(0, (facts.items or 0) - len(reading.samples))
        reading = replace(reading, status={**reading.status, "missing": missing})
    if facts and (key or not reading.presented):
        reading = replace(
            reading, samples={name: _as_listed(each, facts, reading) for name, each in reading.samples.items()}
        )
    left_out = reading.complaints.left_out(reading.status["read"]) if reading.complaints else ""
    of_construction = facts is not None and facts.truth == "construction"
    truth_from = SYNTHETIC if of_construction else key.name if key else "in the file"
    base = Result(
        task=reading.task,
        dataset=facts.name if facts else str(dataset),
        split=facts.split if facts else None,
        model=model,
        metrics={},
        protocol={"truth": truth_from, **reading.asked, **({"left_out": left_out} if left_out else {})},
        status=reading.status,
        source=Source(kind="rescored" if key else "self-reported", reference=reading.path.name),
        raw=reading.sha256,
    )
    return facts, reading, base


def _as_listed(sample: Sample, facts: DatasetFacts, reading: Reading) -> Sample:
    """The sample with what the dataset's list does not say: whether its scores are DMOS, and the part it is of."""
    sample = replace(facts.with_known_groups(sample), lower_is_better=sample.lower_is_better or facts.lower_is_better)
    if not facts.parts or reading.presented:
        return sample
    part = facts.part_of(sample.id)
    if part is None:
        expected = " or ".join(facts.parts)
        raise UserError(
            f"{reading.path.name}: {shorten(sample.id)} does not begin with {expected}, as {facts.title}'s images do"
        )
    return replace(sample, groups={**sample.groups, "part": part})


def _score_answers(reading: Reading, base: Result, facts: DatasetFacts | None, words: Words) -> list[Result]:
    """Answers to single samples. Those without a known truth are counted and left out."""
    answered, outcome = _read(reading, base, words)
    task = TASKS[reading.task]
    [scores] = outcome.scores.values()
    known = [score for score in scores if score.is_known]
    if not known:
        raise UserError(f"{reading.path.name}: {_NO_TRUTH[task.result].format(len(scores))} {_where(base)}")
    parts = set(facts.parts.values()) if facts else set()
    if facts and parts and (absent := sorted(parts - {score.groups["part"] for score in known})):
        raise UserError(
            f"{reading.path.name} holds no rated {absent[0]} images, and {facts.title} averages over "
            f"{' and '.join(facts.parts.values())}; name the dataset that it is a part of"
        )
    counts = {"scored": len(known), "without_truth": len(scores) - len(known)}
    # Boards that want the whole dataset leave a part of it out.
    part = {"limit": len(known)} if base.status.get("missing") else {}
    base = replace(base, protocol={**base.protocol, **outcome.protocol, **part}, status={**base.status, **counts})
    return build_results(outcome, base, [sample for sample, _ in answered])


def _read(reading: Reading, base: Result, words: Words) -> tuple[list[Answered], Outcome]:
    """The answers to single samples, and what they come to."""
    task = TASKS[reading.task]
    assert task.parse is not None, f"files of {task.name} are not read"
    answered = [(reading.samples[name], response) for name, response in reading.responses.items()]
    outcome = task.parse(answered, _chosen(task, reading, base, words))
    if reading.judged is not None:
        outcome = read_as_judged(outcome, answered, reading.judged)
    return answered, outcome


def _chosen(task: Task, reading: Reading, base: Result, words: Words) -> Chosen:
    """What answers are read with: for quality five levels, or the word pair of the record, or else the model's own.

    A file that lacks what its task needs is refused.
    """
    if task.result == "questions" and not all(reading.samples[name].options for name in reading.responses):
        raise UserError(f"{reading.path.name}: not every question has options {_where(base)}")
    if task.result == "quality":
        refuse_two_directions(reading.samples.values(), reading.path)
    if task.result != "quality" or not any(response.logits for response in reading.responses.values()):
        return Chosen()
    if base.protocol.get("prompt") == "levels":
        _refuse_missing(reading, LEVELS, "five levels")
        return Chosen("levels")
    named = reading.words or words
    pair = WordPair(**named) if named else DEFAULT_WORDS
    _refuse_missing(reading, pair.words, pair.label)
    return Chosen(words=pair)


def _refuse_missing(reading: Reading, words: Sequence[str], scored_by: str) -> None:
    complaints = Complaints(reading.path)
    for response in reading.responses.values():
        missing = [word for word in words if word not in response.logits]
        if missing and response.failure is None:
            complaints.add(
                f"{shorten(response.sample)} has no logit of {missing[0]!r}, only {shorten(sorted(response.logits))}"
            )
    complaints.raise_if_any(f"this model is scored by {scored_by}")


_NO_TRUTH: Mapping[ResultKind, str] = {
    "questions": "none of {:,} questions has a known answer",
    "quality": "no human score (gt_score)",
    "choices": "none of {:,} samples has a label",
}
"""What is missing where nothing can be scored."""


def _where(base: Result) -> str:
    """Where truth was looked for, and where else it could come from."""
    source = base.protocol["truth"]
    return f"in {source}" if base.source.kind == "rescored" else f"{source}; give the truth with --truth FILE"


def with_truth(reading: Reading, truth: Sequence[Sample], source: str) -> Reading:
    """The reading with the truth's samples in place of the file's, joined by question, id or image, in their order.

    What is not in the truth, or twice, is left out and counted with the records that cannot be used; where it is more
    than may be left out, the file is refused.
    """
    index = _index(truth)
    complaints = deepcopy(reading.complaints) or Complaints(reading.path)
    left_out = complaints.count
    samples: dict[str, Sample] = {}
    responses: dict[str, Response] = {}
    named = [name for shown in reading.presented for name in (shown.first, shown.second)]
    asked: Mapping[str, Sample] = {name: Sample(id=name, images=(name,)) for name in named} or reading.samples
    for own, sample in asked.items():
        known = next((index[key] for key in _keys(sample) if index.get(key) is not None), None)
        as_shown = None if known is None else _as_shown(sample.options, known)
        # Comparisons go on naming images as the file does; everything else takes the truth's id.
        key = own if reading.presented or known is None else known.id
        if known is None:
            complaints.add(f"{shorten(own)} is not in {source}")
        elif _differ(sample, known):
            complaints.add(f"{shorten(own)} is another question in {source}")
        elif as_shown is None:
            complaints.add(f"{shorten(own)} has other options in {source}")
        elif key in samples:
            complaints.add(f"{shorten(own)} is the second record that {shorten(key)} in {source} could mean")
        else:
            samples[key] = as_shown
            if own in reading.responses:
                responses[known.id] = replace(reading.responses[own], sample=known.id)
    complaints.raise_if_many(len(asked) + left_out, "remove them or give the truth that belongs to this file")
    missing = 0 if reading.presented else len(truth) - len(samples)
    presented = tuple(shown for shown in reading.presented if {shown.first, shown.second} <= samples.keys())
    if not reading.presented:  # in the order of the list, as a run asks, so that intervals are drawn alike
        samples = {sample.id: samples[sample.id] for sample in truth if sample.id in samples}
        responses = {name: responses[name] for name in samples if name in responses}
    status = {**reading.status, "missing": missing}
    return replace(
        reading, samples=samples, responses=responses, presented=presented, status=status, complaints=complaints
    )


def _as_shown(options: Sequence[str], known: Sample) -> Sample | None:
    """The known question with its options in the order that the file says, which the letters of its replies are of.

    None where they are other options.
    """
    shown, listed = ([option.strip().casefold() for option in some] for some in (options, known.options))
    if not shown or not listed or shown == listed:
        return known
    if sorted(shown) != sorted(listed) or len(set(shown)) < len(shown):
        return None
    answer = None if known.answer is None else shown.index(listed[known.answer])
    return replace(known, options=tuple(options), answer=answer)


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
