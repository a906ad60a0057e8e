"""Records from the answers that the authors of DOI-Bench released: `python -m tools.released_answers DOI HUMAN`.

DOI is the folder `results` of https://github.com/whycantfindaname/doi-vllms at 81764cc (Apache-2.0): replies to the dev
questions of Q-Bench (`q_bench`), logits of words for photos of four databases (`q_align`), and a judge's grades of
descriptions (`q_pathway`). HUMAN holds the human scores of the databases as Q-Bench publishes them (`koniq.json`, ...).

Two things are written below `assets/recomputed`: the records (`results/released_*.json`), and the letters, logits and
grades that they follow from (`answers/`), without a question, a photo or a human score.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from qbench.commands.score import score_file
from qbench.parsing import parse_option
from qbench.records import Response, Result, Sample, Score, Source
from qbench.results.answers import question_name
from qbench.results.descriptions import add_scores
from qbench.results.means import summarise_mean
from qbench.results.quality import summarise_assessment, summarise_quarters
from qbench.tasks import Chosen
from qbench.tasks.assessment import parse
from qbench.tasks.words import LEVELS

ASSETS = Path(__file__).resolve().parents[1] / "assets" / "recomputed"
ADDRESS = "https://github.com/whycantfindaname/doi-vllms"
PUBLISHED = "2025-01-20"  # day of the commit
QUESTIONS = {
    "claude-3-5-sonnet-20241022": "claude-3.5-sonnet-2024-10",
    "co-instruct": "co-instruct",
    "depictqa": "depictqa",
    "gemini": "gemini-1.5-pro",
    "glm-4v-plus": "glm-4v-plus",
    "gpt4o": "gpt-4o-undated",
    "gpt4o_temp_0_top_p_0.5": "gpt-4o-undated",
    "internvl2": "internvl2-8b",
    "internvl2_5": "internvl2.5-8b",
    "llama3_2_qbench": "llama-3.2-11b-vision",
    "llava_ov_qinstruct-qalign_qbench_bf16": "llava-onevision-7b-q-instruct-q-align",
    "llava_ov_qinstruct-qalign_qbench_fp16": "llava-onevision-7b-q-instruct-q-align",
    "llavaov": "llava-onevision-7b",
    "qwen2vl": "qwen2-vl-7b",
    "qwen_vl_qinstruct-qalign_qbench_bf16": "qwen-vl-q-instruct-q-align",
    "qwen_vl_qinstruct-qalign_qbench_fp16": "qwen-vl-q-instruct-q-align",
    "qwenvl": "qwen-vl",
}
"""File -> model."""
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "gpt4o_temp_0_top_p_0.5": {"temperature": 0, "top_p": 0.5, "max_tokens": 10},
    **{f"{name}_qinstruct-qalign_qbench_bf16": {"precision": "bfloat16"} for name in ("llava_ov", "qwen_vl")},
    **{f"{name}_qinstruct-qalign_qbench_fp16": {"precision": "float16"} for name in ("llava_ov", "qwen_vl")},
}
"""File -> how the model was run, where the same one was run in two ways."""
TUNED = ["Q-Instruct-200K", "Q-Align"]
TRAINING = {
    "co-instruct": ["Co-Instruct-562K"],
    "depictqa": ["quality descriptions of its authors (version not told)"],
    "llava-onevision-7b-q-instruct-q-align": TUNED,
    "qwen-vl-q-instruct-q-align": TUNED,
}
SCORED = {
    "internvl2": "internvl2-8b",
    "internvl2_5": "internvl2.5-8b",
    "llavaov": "llava-onevision-7b",
    "qwen2vl": "qwen2-vl-7b",
    "qwenvl": "qwen-vl",
}
DESCRIBED = {
    "co-instruct": "co-instruct",
    "depictqa": "depictqa",
    "internvl2": "internvl2-8b",
    "llava_ov": "llava-onevision-7b",
    "qwen2vl": "qwen2-vl-7b",
    "qwenvl": "qwen-vl",
}
DATABASES = {
    "koniq": ("koniq-10k", "official test split"),
    "spaq": ("spaq", "test split of Q-Align"),
    "livec": ("live-itw", None),
    "agi": ("agiqa-3k", None),
}
"""Folder -> dataset, and the part of it that was scored."""
DIMENSIONS = {"completeness": "completeness", "preciseness": "precision", "relevance": "relevance"}
FEW_MISSING = 0.01
"""A model that left out a smaller share of the questions is ranked; the record counts what is missing."""
TOPICS = {
    "blur": r"blur",
    "clarity": r"clear|clarity|sharp",
    "colour": r"colou?r|saturat|hue",
    "composition": r"compos",
    "compression": r"compress|artifact|pixel|block",
    "contrast": r"contrast",
    "exposure": r"expos|bright|dark|light",
    "focus": r"focus",
    "noise": r"nois|grain",
    "texture": r"textur",
}
"""What a question is about -> how its words, or those of its options, begin."""
LEVELS_ASKED = "one of five levels of quality, in one sentence"
Rows = list[dict[str, Any]]


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the records of released answers, and the answers in short.")
    parser.add_argument("doi", type=Path)
    parser.add_argument("human", type=Path)
    options = parser.parse_args()
    for name, (answers, records) in {
        "perception": perception(options.doi / "q_bench"),
        "assessment": assessment(options.doi / "q_align", options.human),
        "description": description(options.doi / "q_pathway"),
    }.items():
        lines = ",\n".join(_json(record.to_json()) for record in records)
        (ASSETS / "answers" / f"released_{name}.json").write_text(f"{_json(answers)}\n", encoding="utf-8")
        (ASSETS / "results" / f"released_{name}.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def perception(folder: Path) -> tuple[dict[str, Any], list[Result]]:
    """The letter that each model chose, question by question; and its record."""
    answers, files = answers_to_questions(folder)
    return answers, [_perception_record(stem, rows, folder) for stem, rows in files.items()]


def answers_to_questions(folder: Path) -> tuple[dict[str, Any], dict[str, Rows]]:
    """The letter that each model chose, question by question; and the rows of each file."""
    files = {stem: _rows(folder / f"{stem}.json") for stem in QUESTIONS}
    asked = {_question(row): row for row in files["gpt4o"]}
    letters = {}
    for stem, rows in files.items():
        replied = {_question(row): row for row in rows}
        letters[stem] = "".join(_letter(replied.get(name)) for name in asked)
    answers = {
        "source": f"{ADDRESS} at 81764cc, results/q_bench (Apache-2.0)",
        "letters": "by question: the option that the reply was read as; ? for a reply that was not, - for none",
        "names": list(asked),
        "options": "".join(str(len(row["candidates"])) for row in asked.values()),
        "right": "".join("ABCD"[row["candidates"].index(row["correct_ans"])] for row in asked.values()),
        "question_type": "".join(str(row["type"]) for row in asked.values()),
        "concern": "".join(str(row["concern"]) for row in asked.values()),
        "topics": {topic: _places(asked.values(), words) for topic, words in TOPICS.items()},
        "yes": "".join(_yes(row["candidates"]) for row in asked.values()),
        "answers": letters,
    }
    return answers, files


def _perception_record(stem: str, rows: Rows, folder: Path) -> Result:
    model = QUESTIONS[stem]
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "answers.json")
        path.write_text(json.dumps([{**row, "response": _reply(row)} for row in rows]), encoding="utf-8")
        [result] = score_file(path, dataset="llvisionqa-dev", model=model)
    missing = result.status.get("missing", 0)
    limit = {"limit": len(rows)} if missing > FEW_MISSING * (len(rows) + missing) else {}
    protocol = {
        "truth": "in the file",
        "prompt": "choose among the options",
        "graded_by": "parser",
        "unscored": "counted as not correct",
        **SETTINGS.get(stem, {}),
        **_training(model),
        **limit,
    }
    source = _source(f"results/q_bench/{stem}.json")
    return replace(result, protocol=protocol, source=source, raw=_digest(folder / f"{stem}.json"), items={})


def assessment(folder: Path, human: Path) -> tuple[dict[str, Any], list[Result]]:
    """Logits of five level words, photo by photo; and records by the five and by good against poor.

    Of good against poor a part of a database has no rank, since Q-Bench's board ranks whole ones.
    """
    answers: dict[str, Any] = {
        "source": f"{ADDRESS} at 81764cc, results/q_align (Apache-2.0)",
        "logits": f"by photo and word, in the order {', '.join(LEVELS)}, times 256",
    }
    records = []
    for short, (dataset, part) in DATABASES.items():
        truth = {row["img_path"]: float(row["gt_score"]) for row in _rows(human / f"{short}.json")}
        for stem, model in SCORED.items():
            path = folder / short / f"{stem}_direct_score.json"
            logits = {row["filename"]: {word.strip(): x for word, x in row["logits"].items()} for row in _rows(path)}
            kept = answers.setdefault(dataset, {"names": list(logits), "logits": {}})
            kept["logits"][model] = [round(logits[name][level] * 256) for name in kept["names"] for level in LEVELS]
            answered = [(Sample(name, human=truth[name]), Response(name, logits=each)) for name, each in logits.items()]
            for prompt in ("levels", "words"):
                outcome = parse(answered, Chosen(prompt))
                scores = outcome.scores["quality"]
                asked = {"truth": f"{dataset} as Q-Bench publishes it", "prompt": prompt, **outcome.protocol}
                if prompt == "words":
                    asked |= {"asked_for": LEVELS_ASKED} | ({"limit": len(logits)} if part else {})
                records.append(
                    Result(
                        task="assessment",
                        dataset=dataset,
                        model=model,
                        metrics=summarise_assessment(scores, metrics=("srcc", "plcc", "krcc")),
                        groups={"quarter": summarise_quarters(scores)},
                        source=_source(f"results/q_align/{short}/{path.name}"),
                        protocol=asked | _training(model) | ({"part_of_dataset": part} if part else {}),
                        status={"read": len(logits), "scored": len(scores)},
                        raw=_digest(path),
                    )
                )
    return answers, records


def description(folder: Path) -> tuple[dict[str, Any], list[Result]]:
    """Five grades by a judge in three dimensions, photo by photo; and records."""
    answers: dict[str, Any] = {
        "source": f"{ADDRESS} at 81764cc, results/q_pathway (Apache-2.0)",
        "grades": "by photo five grades of GPT-4o, each 0, 1 or 2",
    }
    records = []
    for stem, model in DESCRIBED.items():
        paths = {name: folder / released / f"{stem}.json" for released, name in DIMENSIONS.items()}
        grades = {name: [_grades(row) for row in _rows(path)] for name, path in paths.items()}
        graded = {name: [each for each in given if len(each) == 5] for name, given in grades.items()}
        answers[model] = {name: " ".join("".join(map(str, each)) for each in given) for name, given in graded.items()}
        scores = {
            name: [Score(str(place), float(np.mean(each))) for place, each in enumerate(given)]
            for name, given in graded.items()
        }
        scores["sum"] = add_scores(list(scores.values()))
        records.append(
            Result(
                task="description",
                dataset="q-pathway",
                model=model,
                metrics={name: summarise_mean(each) for name, each in scores.items()},
                source=_source(f"results/q_pathway/*/{stem}.json"),
                protocol={"judge": "GPT-4o, shown the photo, mean of 5", **_training(model)},
                status={"read": len(grades["completeness"]), "scored": len(graded["completeness"])},
                raw=_digest(*paths.values()),
            )
        )
    return answers, records


def _question(row: Mapping[str, Any]) -> str:
    """The photo and a short digest of the question: a name that does not repeat the question."""
    return question_name(row["img_path"], row["question"])


def _reply(row: Mapping[str, Any]) -> Any:
    return row["response"] if "response" in row else row["pred_ans"]


def _letter(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return "-"
    found = parse_option(_reply(row), row["candidates"], row["question"]).value
    return "?" if found is None else "ABCD"[found]


def _places(asked: Iterable[Mapping[str, Any]], words: str) -> list[int]:
    """The places of the questions that hold one of these words."""
    texts = (" ".join([row["question"], *row["candidates"]]) for row in asked)
    return [
        place
        for place, text in enumerate(texts)
        if re.search(rf"\b(?:un|over|under|out-?of-?)?(?:{words})", text, re.I)
    ]


def _yes(options: Sequence[str]) -> str:
    """The letter of Yes where the options are Yes and No."""
    said = [option.strip(" .").casefold() for option in options]
    return "ABCD"[said.index("yes")] if sorted(said) == ["no", "yes"] else "-"


def _grades(row: Mapping[str, Any]) -> list[int]:
    given = row.get("scores") or []
    return json.loads(given) if isinstance(given, str) else list(given)


def _training(model: str) -> dict[str, Any]:
    return {"training_data": TRAINING[model]} if model in TRAINING else {}


def _source(row: str) -> Source:
    reference = "recomputed from the answers that DOI-Bench released (commit 81764cc)"
    return Source("rescored", reference, ADDRESS, at=PUBLISHED, row=row)


def _rows(path: Path) -> Rows:
    rows: Rows = json.loads(path.read_text(encoding="utf-8"))
    return rows


def _digest(*paths: Path) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def _json(made: object) -> str:
    return json.dumps(made, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    main()
