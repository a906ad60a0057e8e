"""Comparisons as conversations: right answers, in every place, that the project's own parser reads."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from qbench.datasets.similarity.files import ManifestRows
from qbench.records import Response, Sample
from qbench.tasks import TASKS
from qbench.tasks.similarity.instructions import read_choice
from qbench.training.unisim import conversations as unisim_conversations
from qbench.training.unisim.conversations import FORMS, conversation, write_conversations

SAMPLES = {
    "img-2afc": Sample("", ("/d/ref.png", "/d/right.png", "/d/wrong.png"), has_reference=True, answer=0),
    "it-2afc": Sample("", ("/d/wrong.png", "/d/right.png"), texts=("a {cat}",), answer=1),
    "text-2afc": Sample("", ("/d/ref.png",), texts=("wrong", "right"), has_reference=True, answer=1),
    "iqa-2afc": Sample("", ("/d/right.png", "/d/wrong.png"), answer=0),
}
COUNT = 400


def drawn(task: str) -> ManifestRows:
    generator = np.random.default_rng(4)
    return [conversation(task, SAMPLES[task], Path("/d"), generator) for _ in range(COUNT)]


@pytest.mark.parametrize("task", SAMPLES)
def test_the_answer_names_what_is_right_in_every_place_and_form(task: str) -> None:
    rows, letters, forms = drawn(task), Counter[str](), set()
    for row in rows:
        asked, answer = (turn["value"] for turn in row["conversations"])
        assert [turn["from"] for turn in row["conversations"]] == ["human", "gpt"]
        assert asked.count("<image>") == len(row["image"])
        letter = answer.removeprefix("The answer is ").strip("(")[0]
        letters[letter] += 1
        option = asked[asked.index(f"({letter})") + 4 :].splitlines()[0].strip()
        assert answer in {form.format(letter=letter, option=option) for form in FORMS}
        kind, number = option.split()
        if task == "text-2afc":
            assert kind == "Caption"
            said = asked[asked.index(f"caption {number}:") :].split(":", 1)[1].strip(' "')
            assert said.startswith("right")
        else:
            assert kind == "Image"
            assert row["image"][int(number) - 1] == "right.png"
        if row["image"][0] == "ref.png" or task != "img-2afc":  # the benchmark asks with the reference first
            assert read_choice(TASKS[task].choice, Response(text=answer), 2) == ("AB".index(letter), None)
            forms.add(answer)
    assert len(forms) == 2 * len(FORMS)
    assert abs(letters["A"] - COUNT / 2) < 2.5 * COUNT**0.5  # neither place nor wording tells the answer
    assert len({row["conversations"][0]["value"] for row in rows}) == {"img-2afc": 6, "text-2afc": 4}.get(task, 2)


def test_the_reference_stands_anywhere_and_is_named() -> None:
    places: Counter[int] = Counter()
    for row in drawn("img-2afc"):
        place = row["image"].index("ref.png") + 1
        places[place] += 1
        asked = row["conversations"][0]["value"]
        assert f"image {place} is the reference" in asked
        others = [number for number in (1, 2, 3) if number != place]
        assert [int(line.split()[-1]) for line in asked.splitlines() if "Image " in line] == others
    assert all(places[place] > COUNT / 5 for place in (1, 2, 3))


def test_the_file_mixes_tasks_and_is_the_same_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many = {task: 10 * [sample] for task, sample in SAMPLES.items()}
    monkeypatch.setattr(unisim_conversations, "read_comparisons", lambda *_arguments: many)

    def written(name: str, seed: int) -> str:
        path, counts = write_conversations(["pipal-train"], tmp_path / name, 6, seed)
        assert counts == dict.fromkeys(sorted(SAMPLES), 6)
        return path.read_text(encoding="utf-8")

    one = written("one", 0)
    ids = [row["id"] for row in json.loads(one)]
    assert len(ids) == len(set(ids)) == 24
    assert ids != sorted(ids)
    assert json.loads(one)[0]["image"][0].startswith("/d/")  # elsewhere than the file, so by its whole path
    assert written("two", 0) == one
    assert written("three", 1) != one
