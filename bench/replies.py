"""How replies that models really gave are read: `python -m bench.replies FOLDER`.

FOLDER holds `replies/blink.jsonl.gz` (replies to BLINK's questions with the reading of its authors),
`doi_vllms/q_bench` (replies to Q-Bench's dev questions) and `replies/q-insight-ratings.jsonl` (thoughts with a
number). Speed is a ratio to `re.fullmatch` on the same replies in the same run.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from qbench.parsing import parse_option, parse_rating


def blink(folder: Path) -> dict[str, float]:
    """Shares of BLINK's replies, repeats counted: read the same, otherwise, and read where its authors read none."""
    rows = _blink_rows(folder)
    count = dict.fromkeys(["read", "same", "otherwise", "unread", "read here alone"], 0)
    for row in rows:
        value, times = parse_option(row["reply"], row["options"]).value, row["times"]
        if row["read"] is None:
            count["unread"] += times
            count["read here alone"] += times * (value is not None)
            continue
        count["read"] += times
        count["same"] += times * (value == row["read"])
        count["otherwise"] += times * (value is not None and value != row["read"])
    return {
        "same": count["same"] / count["read"],
        "otherwise": count["otherwise"] / count["read"],
        "read where the reference reads none": count["read here alone"] / count["unread"],
    }


def q_bench(folder: Path) -> dict[str, tuple[int, int, int]]:
    """File -> replies to Q-Bench's dev questions, those that name the right option, those that are unread."""
    found = {}
    for path in sorted((folder / "doi_vllms" / "q_bench").glob("*.json")):
        replies = right = unread = 0
        for row in json.loads(path.read_text("utf-8")):
            reply = row.get("pred_ans", row.get("response"))
            if reply is None:
                continue
            value = parse_option(reply, row["candidates"], row["question"]).value
            replies, unread = replies + 1, unread + (value is None)
            right += value is not None and row["candidates"][value] == row["correct_ans"]
        found[path.stem] = replies, right, unread
    return found


def ratings(folder: Path) -> list[tuple[float | None, float | None]]:
    """The ratings that are read otherwise than by the authors: theirs, who write -1 for none, and ours."""
    lines = (folder / "replies" / "q-insight-ratings.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    both = [(None if row["read"] == -1 else row["read"], parse_rating(row["reply"], 0, 10).value) for row in rows]
    return [(theirs, ours) for theirs, ours in both if theirs != ours]


def speeds(folder: Path) -> dict[str, float]:
    """Times as long as `re.fullmatch`: reading bare letters, reading BLINK's replies, and 10 times as long a reply."""
    rows = _blink_rows(folder)[::8]
    pattern = re.compile(r"\(?([A-D])\)?")
    letters = [_seconds(lambda: [parse_option("B", ("High", "Low")) for _ in rows]) for _ in range(3)]
    replies = [_seconds(lambda: [parse_option(row["reply"], row["options"]) for row in rows]) for _ in range(3)]
    plain = [_seconds(lambda: [pattern.fullmatch(row["reply"]) for row in rows] * 1) for _ in range(9)]
    short, long = (_seconds(lambda n=n: parse_option("A. " * n, ("High", "Low"))) for n in (600, 6000))
    return {
        "bare letters, times re.fullmatch": min(letters) / min(plain),
        "BLINK's replies, times re.fullmatch": min(replies) / min(plain),
        "a reply 10 times as long, times as long": long / short,
        "BLINK's replies a second": len(rows) / min(replies),
        "bare letters a second": len(rows) / min(letters),
    }


def _blink_rows(folder: Path) -> Sequence[dict[str, Any]]:
    with gzip.open(folder / "replies" / "blink.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description="How real replies are read.")
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    for name, share in blink(folder).items():
        print(f"BLINK, {name:<42} {share:8.2%}")
    found = q_bench(folder)
    for name, (replies, right, unread) in found.items():
        print(f"Q-Bench dev, {name:<40} {right / replies:8.2%} of {replies:,}, {unread} unread")
    total, left = sum(each[0] for each in found.values()), sum(each[2] for each in found.values())
    print(f"Q-Bench dev, unread {left:>33} of {total:,} = {left / total:.2%}")
    print(f"ratings read otherwise (theirs, ours): {ratings(folder)}")
    for name, ratio in speeds(folder).items():
        print(f"{name:<49} {ratio:12,.1f}")


if __name__ == "__main__":
    main()
