from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from leaderboard.live.asking import Asking, Recent
from leaderboard.live.limits import Work
from leaderboard.live.probe import judge, probe, to_json
from leaderboard.live.questions import USUAL, Question, own_question, put
from qbench.datasets import open_dataset
from qbench.errors import UserError
from qbench.evaluation import evaluate
from qbench.models import open_model
from qbench.records import Picture, Prompt, Response, Want
from qbench.runner import Cancelled
from tests.leaderboard.live.conftest import models

Ask = Callable[[str], Asking]


def test_quality_is_the_softmax_of_the_word_logits(asking: Ask, photos: list[Picture]) -> None:
    """A checkerboard has a mean gradient of 255; scripted's quality is then 255 / 263, weighed as ±that."""
    quality = judge(asking("scripted"), photos[0])
    difference = 2 * 255 / 263
    assert quality.logits is not None
    assert quality.logits["good"] == pytest.approx(255 / 263)
    assert quality.order == pytest.approx(difference)
    assert quality.value == pytest.approx(1 / (1 + math.exp(-difference / 100)))
    pairs = {one.words: one for one in quality.pairs}
    assert pairs["good/poor"].as_printed == pytest.approx(1 / (1 + math.exp(-difference)))
    assert pairs["good+high+fine/poor+low+bad"].difference == pytest.approx(3 * difference)


def test_of_options_that_weigh_the_same_none_is_chosen(photos: list[Picture]) -> None:
    class Torn:
        name, identity, batch_size = "torn", {"id": "torn"}, 1
        wants: frozenset[Want] = frozenset({"words"})

        def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
            return [Response(logits=dict.fromkeys(prompt.words, 0.5)) for prompt in prompts]

    [answer] = put(Asking(Torn(), Work(), Recent()), photos[0], [Question("Is it sharp?", ("Yes", "No"))])
    assert (answer.chosen, answer.probabilities, answer.reason) == (None, (0.5, 0.5), "ambiguous")


@pytest.mark.parametrize("name", ["scripted", "niqe"])
def test_the_score_is_the_command_line_s(name: str, asking: Ask, photos: list[Picture], tmp_path: Path) -> None:
    manifest = tmp_path / "mine.json"
    rows = [{"img_path": Path(one.path).name, "gt_score": place} for place, one in enumerate(photos)]
    manifest.write_text(json.dumps(rows), encoding="utf-8")
    evaluate("assessment", open_dataset(str(manifest)), open_model(name), tmp_path / "out")
    [raw] = (tmp_path / "out" / "raw").glob("*.jsonl")
    given = [json.loads(line) for line in raw.read_text(encoding="utf-8").splitlines()]
    kept = {row["sample"]: row for row in given}
    for one in photos:
        quality, row = judge(asking(name), one), kept[Path(one.path).name]
        if name == "niqe":
            assert quality.value == row.get("score")
        else:
            assert quality.order == pytest.approx(row["logits"]["good"] - row["logits"]["poor"], abs=1e-12)


def test_parts_come_one_after_the_other(asking: Ask, photos: list[Picture]) -> None:
    stages = list(probe(asking("scripted"), "scripted", photos[0], USUAL))
    assert [(bool(one.quality), bool(one.answers), bool(one.described)) for one in stages] == [
        (False, False, False),
        (True, False, False),
        (True, True, False),
        (True, True, True),
    ]
    assert stages[-1].described is not None
    assert stages[-1].described.text == "The image is clear and sharp."
    assert stages[-1].seconds is not None
    assert [one.attribute for one in stages[-1].meters] == ["brightness", "colourfulness", "contrast", "sharpness"]


def test_a_measure_scores_and_answers_nothing(asking: Ask, photos: list[Picture]) -> None:
    *_, known = probe(asking("sharpness"), "sharpness", photos[1], USUAL)
    assert (known.quality and known.quality.value, known.answers, known.described) == (0.0, (), None)


def test_probabilities_stand_beside_the_question_s_own_options(asking: Ask, photos: list[Picture]) -> None:
    """Scripted weighs A with 1 and others with 0, whatever option the shuffle (Python's, from "0:0") puts there."""
    question = Question("Is it sharp?", ("Yes", "No", "Perhaps"))
    [answer] = put(asking("scripted"), photos[0], [question])
    top = math.e / (math.e + 2)
    assert sorted(answer.probabilities) == pytest.approx([1 / (math.e + 2)] * 2 + [top])
    order = list(question.options)
    random.Random("0:0").shuffle(order)
    assert answer.chosen == order[0] != question.options[0]
    assert answer.probabilities[question.options.index(order[0])] == pytest.approx(top)


def test_an_answer_is_not_asked_for_twice(asking: Ask, photos: list[Picture]) -> None:
    one = asking("scripted")
    first = judge(one, photos[0])
    one.work.cancel.set()
    assert judge(one, photos[0]) == first
    with pytest.raises(Cancelled):
        judge(one, photos[1])


def test_an_own_question_needs_two_to_ten_different_options() -> None:
    assert own_question("", "") is None
    assert own_question(" Is it? ", "Yes\n\n No ") == Question("Is it?", ("Yes", "No"))
    for text, options in (("Is it?", "Yes"), ("Is it?", "Yes\nYes"), ("Is it?", "\n".join(map(str, range(11))))):
        with pytest.raises(UserError, match="2 to 10 different options"):
            own_question(text, options)
    with pytest.raises(UserError, match="write the question too"):
        own_question("", "Yes\nNo")
    with pytest.raises(UserError, match="300 characters at most"):
        own_question("?" * 301, "Yes\nNo")


def test_scripts_get_every_number(asking: Ask, photos: list[Picture]) -> None:
    *_, known = probe(asking("scripted"), "scripted", photos[0], [Question("Is it?", ("Yes", "No"))])
    said = json.loads(json.dumps(to_json(known)))
    assert said["sha256"] == photos[0].sha256
    assert said["quality"]["value"] == known.quality.value  # type: ignore[union-attr]
    assert said["questions"][0]["options"] == ["Yes", "No"]
    assert sum(said["questions"][0]["probabilities"]) == pytest.approx(1)
    assert said["description"] == "The image is clear and sharp."


def test_checkpoints_of_both_kinds_are_probed(tmp_path: Path, photos: list[Picture]) -> None:
    pytest.importorskip("torch")
    from tests.models import tiny

    folders = [tiny.build(kind, tmp_path / kind) for kind in ("clip", "llava")]
    shelf, work = models(*map(str, folders)), Work()
    for name, has in (("clip", "captions"), ("llava", "answers")):
        asking = Asking(shelf.lend(name, work), work, Recent())
        *_, known = probe(asking, name, photos[0], USUAL[:2])
        assert known.quality is not None
        assert 0 < (known.quality.value or 0) < 1
        assert len(getattr(known, has)) == {"captions": 4, "answers": 2}[has]
        assert (known.described is not None) == (name == "llava")
        assert shelf.loaded == name
