"""Files that belong together in one archive: a run's record with its raw replies; result folders of the 2AFC study.

Replies to questions can be scored again because the record tells the order in which options were shown; what a judge
read of them, where the parser read nothing, is used and counted as in the run. Of other tasks than these two the
record's own figures are all there is.

The 2AFC study's code writes one file per pair, `IMAGE_VS_IMAGE.json`, with what was answered in both orders. Its
pickled matrices are never opened, for a pickle can run anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any, Literal

from qbench.datasets.known import find_dataset
from qbench.errors import DataError
from qbench.formats.reading import FormatDescription, Reading, cut_replies
from qbench.records import Presented, Response, Result, Sample
from qbench.rows import MOST_BAD, Complaints, File, Row, finite, read_rows, shorten
from qbench.tasks import TASKS, comparison, read_stored_result
from qbench.tasks.perception import find_seed

SCORED_AGAIN = tuple(name for name, task in TASKS.items() if task.scored_again)
DESCRIPTIONS = (
    FormatDescription(
        "A record and the raw replies it names, zipped (`RECORD.json` and `raw/…jsonl` of `--out`)",
        "the record's `raw` is the other file's digest; replies are scored again here",
        ("run.zip",),
    ),
    FormatDescription(
        "Result folders of the 2AFC study, zipped: one stage or all of a model",
        "files named `IMAGE_VS_IMAGE.json` in a folder named after the list they asked, such as `Coarse_grained_mixed` "
        "or `Fine_grain_SPAQ`; images begin with their set, such as `CSIQ_`. With other names, choose the dataset or "
        "list",
        ("twoafc-results.zip",),
    ),
)
PAIR_FIELDS = "answer1, answer2, img1_mos, img2_mos, in a file named IMAGE_VS_IMAGE.json"
PAIR_EXAMPLE = '{"consistency": true, "winner": "img1", "answer1": "first", "answer2": "second", "img1_mos": 3.5, …}'
_HOW_ASKED = ("prompt", "options", "scoring", "style", "prefill", "other_words", "scale", "max_tokens")
"""Fields of a record's protocol that its replies do not tell, and that say what they can be compared with."""
_PART = ("limit", "coverage")
"""Fields that say so: a record of a part stays one, whatever list it is scored by."""
_COUNTED = ("prompt_tokens", "completion_tokens", "cost")
_MOST_FILES = 100
"""An archive of more is something else."""
_MOST_COUNTED = 1e12
_LARGEST_RECORD = 2**20
_KEPT_BY_RUN = ({"key", "response"}, {"raw"})
"""Fields that files begin with which `run` keeps for itself: its answers, and what single items add to a record."""
_BETWEEN = "_VS_"
_INSIDE = ("textual_results", "performances", "map_results")
"""Folders of a stage, which is itself in the folder of a model."""
_ROUND = re.compile(r"(.+)_Round_\d+\.json")
_ANSWERS: Mapping[object, Literal["first", "second", "tie"]] = {"first": "first", "second": "second", "draw": "tie"}


@dataclass(frozen=True)
class RunFiles:
    """A record and the file of the replies that it was computed from."""

    record: Result
    record_file: File
    raw_file: File


def find_runs(files: Sequence[File]) -> tuple[list[RunFiles], list[File]]:
    """The runs among some files, and the files that belong to none of them."""
    if not 1 < len(files) <= _MOST_FILES:
        return [], list(files)
    by_digest = {file.sha256: file for file in files}
    records = ((_record(file), file) for file in files)
    runs = [RunFiles(made, file, by_digest[made.raw]) for made, file in records if made and made.raw in by_digest]
    used = {id(file) for run in runs for file in (run.record_file, run.raw_file)}
    return runs, [file for file in files if id(file) not in used and not (runs and _is_kept_by_run(file))]


def read_run(run: RunFiles, most: int | None = None) -> Reading:
    """The raw replies of a run, with what its record says about how they were asked for.

    Raises:
        DataError: A reply that is malformed, by its number; or a run of a task that is not scored again.
    """
    record = run.record
    if record.task not in SCORED_AGAIN:
        raise DataError(
            f"{run.record_file.name} is the record of a run of {record.task}, and only runs of "
            f"{' and '.join(SCORED_AGAIN)} are scored again from their replies; leave it out, it holds its own figures"
        )
    shuffled = "seed" in TASKS[record.task].options
    reading = _read_replies(run, most)
    seed = find_seed(record.protocol) if shuffled else None
    if shuffled and seed is None:
        raise DataError(f"{run.record_file.name} does not tell the seed by which its options were shuffled")
    told = {name: record.protocol.get(name) for name in _HOW_ASKED}
    asked: dict[str, Any] = {name: value for name, value in told.items() if isinstance(value, str | int) and value}
    asked |= {name: record.protocol[name] for name in _PART if name in record.protocol}
    asked |= {} if seed is None else {"seed": seed}
    asked |= {"usage": usage} if (usage := _usage(record)) else {}
    return replace(
        reading,
        dataset=record.dataset,
        model=record.model,
        options_seed=seed,
        words=_words(record),
        judged=reading.judged if "read_by_judge" in record.protocol else None,
        asked=asked,
    )


def _usage(record: Result) -> dict[str, float]:
    """What the record says that its answers took, and of how many prompts; nothing where it is not said in numbers."""
    told = record.protocol.get("usage")
    known: dict[str, float] = {"asked": record.status.get("asked", 0)}
    for name in _COUNTED:
        count = told.get(name) if isinstance(told, dict) else None
        if isinstance(count, int | float) and 0 <= count < _MOST_COUNTED:
            known[name] = count
    return known if known["asked"] and len(known) > 1 else {}


def _words(record: Result) -> dict[str, tuple[str, ...]] | None:
    """The words that the record says its scores were made from; None where it does not say."""
    words = record.protocol.get("words")
    if not isinstance(words, dict) or words.keys() != {"positive", "negative"}:
        return None
    lists = [words["positive"], words["negative"]]
    whole = all(isinstance(listed, list) and all(isinstance(word, str) for word in listed) for listed in lists)
    return {"positive": tuple(lists[0]), "negative": tuple(lists[1])} if whole else None


def _read_replies(run: RunFiles, most: int | None) -> Reading:
    path = PurePosixPath(run.raw_file.name)
    complaints = Complaints(path)
    responses: dict[str, Response] = {}
    judged: dict[str, str] = {}
    for row in read_rows(run.raw_file, most):
        if row.data.get("of") != "model":
            judged[row.text("sample") or ""] = row.text("text") or ""
            continue
        try:
            response = _response(row)
        except DataError as fault:
            complaints.add(str(fault))
            continue
        if response.sample in responses:
            complaints.add(f"{row.place}: {shorten(response.sample)} was answered before")
        responses[response.sample] = response
    complaints.raise_if_any("run it again and hand in what it writes")
    replies, cut = cut_replies(responses)
    return Reading(
        path=path,
        kind="replies of a run",
        task=run.record.task,
        samples={name: Sample(name) for name in responses},
        responses=replies,
        status={"read": len(responses), "repeated": 0, **cut},
        sha256=run.raw_file.sha256,
        judged=judged,
    )


def _response(row: Row) -> Response:
    sample, text, failure = row.text("sample"), row.data.get("text"), row.data.get("failure")
    if not sample:
        raise DataError(f"{row.place}: has no sample")
    for name, value in (("text", text), ("failure", failure)):
        if value is not None and not isinstance(value, str):
            raise DataError(f"{row.place}: {name} is {shorten(value)}, not text")
    return Response(
        sample,
        text=text,
        logits=_weights(row, "logits"),
        losses=_weights(row, "losses"),
        score=row.number("score") if row.data.get("score") is not None else None,
        failure=failure,
    )


def _weights(row: Row, name: str) -> Mapping[str, float]:
    given = row.data.get(name) or {}
    if not isinstance(given, dict):
        raise DataError(f"{row.place}: {name} is {shorten(given)}, not an object")
    return {word: finite(value, f"{row.place}: {name} of {shorten(word)}") for word, value in given.items()}


def _record(file: File) -> Result | None:
    try:
        small = len(file.content) <= _LARGEST_RECORD
        return read_stored_result(json.loads(file.content)) if small else None
    except (ValueError, RecursionError):
        return None


def _is_kept_by_run(file: File) -> bool:
    try:
        return next(read_rows(file)).data.keys() in _KEPT_BY_RUN
    except DataError:
        return False


def holds_pairs(names: Iterable[str]) -> bool:
    """Whether files of these names are a result folder of the 2AFC study."""
    return any(_is_pair(PurePosixPath(name)) for name in names)


def read_stages(files: Mapping[str, File], archive: File, allowed: float = MOST_BAD) -> list[Reading]:
    """Every stage of the study that the archive's files hold, each pair as two presented comparisons."""
    stages: dict[PurePosixPath, dict[PurePosixPath, File]] = {}
    for name, file in files.items():
        member = PurePosixPath(name)
        above = member.parent
        stages.setdefault(above.parent if above.name in _INSIDE else above, {})[member] = file
    return [
        _read_stage(stage.name, members, archive, Complaints(PurePosixPath(archive.name), allowed))
        for stage, members in stages.items()
        if any(map(_is_pair, members))
    ]


def _read_stage(stage: str, files: Mapping[PurePosixPath, File], archive: File, complaints: Complaints) -> Reading:
    """One stage. Its folder is named after the list it asked; images after the set that they are from."""
    presented: list[Presented] = []
    samples: dict[str, Sample] = {}
    rounds = {match[1] for name in files if (match := _ROUND.fullmatch(name.name))}
    only = _set_of(rounds.pop()) if len(rounds) == 1 else None
    pairs = {name: file for name, file in files.items() if _is_pair(name)}
    for name, file in pairs.items():
        first, _, second = name.stem.partition(_BETWEEN)
        try:
            [row] = read_rows(file, most=1)
            if not {"answer1", "answer2"} <= row.data.keys():
                raise DataError(f"{file.name}: has no answer1 and answer2")
            for image, key in ((first, "img1_mos"), (second, "img2_mos")):
                if row.data.get(key) is not None:
                    samples[image] = Sample(image, (image,), human=row.number(key))
        except DataError as fault:
            complaints.add(f"{shorten(str(name))}: {str(fault).removeprefix(file.name + ': ')}")
            continue
        found = _set_of(first) or only
        presented.append(Presented(first, second, _answer(row, "answer1"), found))
        presented.append(Presented(second, first, _answer(row, "answer2"), found))
    complaints.raise_if_many(len(pairs), "mend or remove them and pack the folder again")
    shown = {name for pair in presented for name in (pair.first, pair.second)}
    listed = find_dataset(stage)
    return Reading(
        path=complaints.path,
        kind="comparisons",
        task=comparison.NAME,
        samples=samples if shown <= samples.keys() else {},
        presented=tuple(presented),
        status={"read": len(presented), "repeated": 0},
        sha256=archive.sha256,
        dataset=listed.name if listed and listed.task == comparison.NAME else "",
        complaints=complaints,
    )


def _answer(row: Row, key: str) -> Literal["first", "second", "tie"] | None:
    return _ANSWERS.get(row.data[key]) if isinstance(row.data[key], str) else None


def _is_pair(name: PurePosixPath) -> bool:
    return _BETWEEN in name.stem and name.suffix == ".json"


def _set_of(name: str) -> str | None:
    """The dataset that the name of an image, or of a summary, begins with; its folders are joined by underscores."""
    facts = find_dataset(name.partition("_")[0])
    return facts.name if facts and TASKS[facts.task].rates_images else None


def rename_images(reading: Reading, samples: Sequence[Sample]) -> Reading:
    """Images by the names that a list gives them: in file names, slashes became underscores and .png was dropped."""
    names = {_flat(sample.id): sample.id for sample in samples}

    def called(name: str) -> str:
        return names.get(_flat(name), name)

    return replace(
        reading,
        presented=tuple(
            replace(pair, first=called(pair.first), second=called(pair.second)) for pair in reading.presented
        ),
        samples={called(name): replace(sample, id=called(name)) for name, sample in reading.samples.items()},
    )


def _flat(name: str) -> str:
    return name.replace("/", "_").replace(".png", "")
