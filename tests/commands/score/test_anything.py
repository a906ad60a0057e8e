"""Whatever bytes a file holds, it is scored or refused with a sentence."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from qbench.commands.score import score_file
from qbench.errors import UserError
from qbench.records import Result
from tests.commands.asking import write
from tests.commands.score.made_files import judged, llava, logits, one

VALID = [
    "".join(json.dumps(row) for row in logits()),
    json.dumps([{"img_path": f"{i}", "score": i, "gt_score": i * 7 % 5} for i in range(6)]),
    "\n".join(json.dumps(row) for row in judged({"a": 1.0, "b": 2.0, "c": 3.0}, dataset="x")),
    "".join(json.dumps(llava(i, reply)) for i, reply in enumerate(["B.", "soft", "", "I do not know"])),
    "img_path,gt_score,logit_good,logit_poor\na,1,2,3\nb,2,4,1\nc,3,1,1\nd,4,9,2\ne,5,6,7\n",
]
TOKENS = [
    *["", "null", "true", "NaN", "-Infinity", "1e999", "1e308", "-1e308", "1e-320", "9" * 5000],
    *['""', '"\\ud800"', "[]", "{}", "[[[", "}{", ",", '"', "\\", "\n", ";", "\0", "\x1b[31m", "<b>", "é"],
    *["first", "tie", "logit_", "score", "img_path"],
]


def damaged(random: Random) -> bytes:
    """A file as it should be, with up to four places overwritten."""
    data = random.choice(VALID).encode()
    for _ in range(random.randint(1, 4)):
        start = random.randint(0, len(data))
        filling = random.choice([random.choice(TOKENS).encode(), random.randbytes(random.randrange(5))])
        data = data[:start] + filling + data[start + random.randrange(13) :]
    return data


@pytest.mark.parametrize("seed", range(100))
def test_whatever_a_file_holds_it_is_scored_or_refused(tmp_path: Path, seed: int) -> None:
    random, path, truth = Random(seed), tmp_path / "file.json", tmp_path / "truth.json"
    path.write_bytes(damaged(random))
    truth.write_bytes(damaged(random))
    try:
        results = score_file(path, truth=truth if seed % 2 else None)
    except UserError as error:
        assert 0 < len(str(error)) < 600
        return
    for result in results:
        assert Result.from_json(json.loads(json.dumps(result.to_json(), allow_nan=False))) == result


def made_up_number(random: Random) -> float:
    extremes = (0.0, 1e100, -1e100, 1e-300, -1e-310, 545.5)
    return random.choice([random.randint(-3, 3), random.uniform(-10, 10), random.choice(extremes)])


@pytest.mark.parametrize("seed", range(20))
def test_whatever_the_numbers_are(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    rows = [tuple(made_up_number(random) for _ in range(3)) for _ in range(random.randint(1, 12))]
    named = [(str(i), *row) for i, row in enumerate(rows)]
    scores = [{"img_path": image, "gt_score": human, "score": score} for image, human, score, _ in named]
    result = one(write(tmp_path, scores if seed % 2 else logits(named)))
    for metrics in [result.metrics, *result.groups.get("strategy", {}).values()]:
        for name, estimate in metrics.items():
            if estimate.value is None:
                assert estimate.note
            elif name != "rmse":
                assert -1 <= estimate.value <= 1
