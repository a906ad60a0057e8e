"""Plain quality scores: JSON, JSONL or CSV with `img_path` and `score`."""

from __future__ import annotations

from qbench.datasets.manifest import image_of, read_sample
from qbench.formats.format import AnsweredRecord, Format, FormatDescription
from qbench.records import Response, Sample
from qbench.rows import Row
from qbench.tasks import assessment


def recognise(row: Row) -> bool:
    """Whether the record gives an image a score."""
    return ("img_path" in row.data or "sample" in row.data) and "score" in row.data


def read(row: Row) -> AnsweredRecord:
    """The image, with the human score where the file gives one, and the model's score."""
    sample = scored_image(row)
    return AnsweredRecord(sample, Response(sample.id, score=row.number("score")))


def scored_image(row: Row) -> Sample:
    """The image a record is about; its human score is optional, since truth can come from elsewhere."""
    if "gt_score" in row.data:
        return read_sample(row, row.place)
    image = image_of(row, "sample")  # as `run` names images
    return Sample(id=image, images=(image,))


FORMAT = Format(
    kind="scores",
    description=FormatDescription(
        "Quality scores, JSON or CSV",
        "`img_path` with `score`; or `sample` with `score`, as `run` keeps them",
        ("scores.koniq.csv", "responses.koniq.jsonl"),
    ),
    fields="img_path, score",
    example='{"img_path": "a.jpg", "score": 3.2}',
    recognise=recognise,
    read=read,
    task=assessment.NAME,
)
