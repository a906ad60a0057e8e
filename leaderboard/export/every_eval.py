"""Records in the schema of Every Eval Ever, version 0.3.0: one document for each record, its answers beside it.

https://github.com/evaleval/every_eval_ever (`eval.schema.json`, `instance_level_eval.schema.json`)
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from leaderboard.analysis.answers import shown_answers
from leaderboard.export import FindMetric, slug
from leaderboard.store import Recorded
from leaderboard.tables.columns import Metric
from leaderboard.tables.models import FindModel
from leaderboard.tables.table import is_reference
from qbench import __version__
from qbench.formats.reported import RANGES
from qbench.models.catalogue import ModelFacts
from qbench.records import Estimate, Result
from qbench.results.answers import Answer

SCHEMA_VERSION = "0.3.0"
SAMPLES_VERSION = "instance_level_eval_0.2.1"
_NAMES = uuid.UUID("7f2b6f0e-3b1c-5d57-9a64-6f4a1f0f6a11")
"""Makes the same document's file have the same name every time."""


def every_eval_ever(
    records: Iterable[Recorded],
    find_metric: FindMetric,
    find_model: FindModel,
    organisation: str,
    at: int,
    answers_of: Callable[[Recorded], Sequence[Answer]] = shown_answers,
) -> dict[str, str]:
    """Documents by path, as their repository has them: `data/benchmark/developer/model/uuid.json`.

    Beside a document whose answers are right or wrong stands `uuid_samples.jsonl`, a line for each; their schema has no
    place for an answer that is neither, such as a score of a photo.

    Args:
        records: Records of a store; one without a single value of a known metric has no document.
        find_metric: How the boards describe a figure; what they do not describe is left out.
        find_model: What is known of a model.
        organisation: Who gives what was computed here: the owner of the board. Other figures are their author's, as far
            as the record names one.
        at: Seconds since 1970 at which this is written.
        answers_of: The answers of a record, as far as they may be shown.
    """
    documents: dict[str, str] = {}
    for record in records:
        result = record.result
        facts = find_model(result.model)
        rows = [
            _row(result, metric, estimate)
            for key, estimate in result.metrics.items()
            if estimate.value is not None and (metric := find_metric(result, key))
        ]
        if not rows or is_reference(facts):
            continue  # people and chance are no models
        model = _model(result, facts)
        document = {
            "schema_version": SCHEMA_VERSION,
            "evaluation_id": f"{result.dataset}/{model['id']}/{at}",
            "retrieved_timestamp": str(at),
            "source_metadata": _source(result, organisation),
            "eval_library": _library(result),
            "model_info": model,
            "evaluation_results": rows,
        }
        name = uuid.uuid5(_NAMES, json.dumps(_as_named(result), sort_keys=True))
        folder = "/".join(slug(part) for part in model["id"].split("/", 1))
        path = f"data/{slug(result.dataset)}/{folder}/{name}"
        samples = [_sample(answer, document, rows[0]) for answer in answers_of(record) if answer.verdict]
        if samples:
            lines = "".join(json.dumps(sample, ensure_ascii=False, allow_nan=False) + "\n" for sample in samples)
            documents[f"{path}_samples.jsonl"] = lines
            document["detailed_evaluation_results"] = {
                "format": "jsonl",
                "file_path": f"{path}_samples.jsonl",
                "hash_algorithm": "sha256",
                "checksum": hashlib.sha256(lines.encode()).hexdigest(),
                "total_rows": len(samples),
            }
        documents[f"{path}.json"] = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    return documents


def _as_named(result: Result) -> dict[str, Any]:
    """A record as the first documents were named by it: table and row within the reference."""
    return replace(result, source=replace(result.source, reference=result.source.cited, table="", row="")).to_json()


def _row(result: Result, metric: Metric, estimate: Estimate) -> dict[str, Any]:
    details: dict[str, Any] = {"score": estimate.value}
    uncertainty: dict[str, Any] = {}
    if estimate.low is not None and estimate.high is not None:
        uncertainty["confidence_interval"] = {
            "lower": estimate.low,
            "upper": estimate.high,
            "confidence_level": estimate.level,
            "method": estimate.method,
        }
    if estimate.n is not None:
        uncertainty["num_samples"] = estimate.n
    if uncertainty:
        details["uncertainty"] = uncertainty
    if estimate.note:
        details["details"] = {"note": estimate.note}
    low, high = RANGES.get(metric.key, (None, None))
    config: dict[str, Any] = {
        "evaluation_description": metric.description,
        "metric_id": metric.key,
        "metric_name": metric.label,
        "lower_is_better": metric.direction == "lower",
        "score_type": "continuous",
        "min_score": low,
        "max_score": high,
    }
    if metric.proportion:
        config["metric_unit"] = "proportion"
    split = {"additional_details": {"split": result.split}} if result.split else {}
    return {
        "evaluation_name": f"{result.dataset} ({result.task})",
        "source_data": {"dataset_name": result.dataset, "source_type": "other", **split},
        "metric_config": config,
        "score_details": details,
    }


def _sample(answer: Answer, document: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """One answer; what was not read has no value and says why."""
    asked, right = answer.sample, answer.verdict == "right"
    source = {"turn_idx": 0, "source": "output.raw", "extraction_method": "custom", "is_terminal": True}
    told: dict[str, Any] = {
        "schema_version": SAMPLES_VERSION,
        "evaluation_id": document["evaluation_id"],
        "model_id": document["model_info"]["id"],
        "evaluation_name": row["evaluation_name"],
        "sample_id": asked.id,
        "interaction_type": "single_turn",
        "input": {"raw": asked.question or "", "reference": [answer.right] if answer.right else []},
        "output": {"raw": [answer.said] if answer.said else []},
        "answer_attribution": [{**source, "extracted_value": answer.read}] if answer.read else [],
        "evaluation": {"score": float(right), "is_correct": right},
    }
    if choices := asked.options or asked.texts:
        told["input"]["choices"] = list(choices)
    if answer.verdict == "unread":
        told["error"] = answer.reason or "not read"
    return told


def _source(result: Result, organisation: str) -> dict[str, Any]:
    source = result.source
    ours = source.kind in ("rescored", "live")
    told = {"kind": source.kind, "reference": source.cited, "url": source.url, "by": source.by, "at": source.at}
    return {
        "source_name": source.cited or "Low-level vision leaderboard",
        "source_type": "evaluation_run" if ours else "documentation",
        "source_organization_name": organisation if ours else source.by or "unknown",
        "evaluator_relationship": {"self-reported": "first_party", "paper": "other"}.get(source.kind, "third_party"),
        "additional_details": {name: value for name, value in told.items() if value},
    }


def _library(result: Result) -> dict[str, str]:
    """What made the figures: ours only where we computed them."""
    ours = result.source.kind in ("rescored", "live")
    return {"name": "qbench", "version": __version__} if ours else {"name": "unknown", "version": "unknown"}


def _model(result: Result, facts: ModelFacts | None) -> dict[str, Any]:
    weights = {True: "open_weights", False: "closed_weights", None: "unknown"}[facts.open if facts else None]
    developer = facts.organisation if facts and facts.organisation else "unknown"
    return {
        "name": facts.name if facts else result.model,
        "id": (facts.hub if facts else None) or f"{slug(developer)}/{slug(result.model)}",
        "developer": developer,
        "additional_details": {"deployment_type": "unknown", "model_availability": weights},
    }
