"""Encoders and score models: exact choices from hand-made vectors, and each item embedded once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from qbench.commands.evaluate import evaluate
from qbench.errors import UserError
from qbench.models import open_model
from qbench.records import Picture, Prompt, Response, Sample
from qbench.tasks import TASKS, RunOptions
from tests.tasks.similarity.made import HandMade, at, dataset, run


def test_the_alternative_nearer_to_the_reference_image(tmp_path: Path) -> None:
    vectors = {"r": at(0), "a": tuple(9 * x for x in at(20)), "b": at(-10), "c": at(50)}  # length counts for nothing
    pairs = [("a", "b", 1), ("b", "c", 0), ("c", "a", 0)]  # the last is answered a, and wrong
    rows = [{"reference": "r.png", "images": [f"{x}.png", f"{y}.png"], "label": label} for x, y, label in pairs]
    result = run("img-2afc", tmp_path, rows, "r a b c", vectors)
    assert result.metrics["accuracy"].value == pytest.approx(2 / 3)
    assert set(result.metrics) == {"accuracy"}  # there is no order to balance
    assert result.protocol["answer"] == "embeddings"


def test_the_image_nearest_to_a_caption_out_of_many(tmp_path: Path) -> None:
    vectors = {"a dog": at(0), "a": at(90), "b": at(45), "c": at(5), "d": at(8)}
    rows = [
        {"texts": ["a dog"], "images": ["a.png", "b.png"], "label": 1},
        {"texts": ["a dog"], "images": ["a.png", "b.png", "c.png", "d.png"], "label": 2},
        {"texts": ["a dog"], "images": ["d.png", "c.png", "b.png", "a.png"], "label": 0},
    ]
    result = run("it-2afc", tmp_path, rows, "a b c d", vectors)
    assert result.metrics["accuracy"].value == pytest.approx(2 / 3)
    by_number = {n: metric["accuracy"].value for n, metric in result.groups["alternatives"].items()}
    assert by_number == {"2": 1.0, "4": 0.5}


@pytest.mark.parametrize("odd", [0, 1, 2])
def test_the_odd_one_is_outside_the_nearest_pair(tmp_path: Path, odd: int) -> None:
    # Angles 0 and 25 are the nearest pair; 60 is odd, wherever it stands.
    vectors = {"a": at(0), "b": at(25), "o": at(60)}
    names = [*"ab"]
    names.insert(odd, "o")
    rows = [{"images": [f"{name}.png" for name in names], "label": label} for label in range(3)]
    result = run("odd-one-out", tmp_path, rows, "a b o", vectors)
    assert result.metrics["accuracy"].value == pytest.approx(1 / 3)
    only = run("odd-one-out", tmp_path, [rows[odd]], "a b o", vectors)
    assert only.metrics["accuracy"].value == 1.0


QUALITY = {"A high-quality photo.": (1, 0, 0, 0), "Good photo.": (0, 1, 0, 0), "Bad photo.": (0, 0, 1, 0)}


def test_both_approaches_are_reported_and_the_first_is_fixed(tmp_path: Path) -> None:
    # a: cosines .6 with the one caption, 0 and .8 with the opposite ones; b: .5, .5 and 0. They disagree.
    vectors = {**QUALITY, "a": (0.6, 0, 0.8, 0), "b": (0.5, 0.5, 0, 0.5**0.5)}
    rows = [{"images": ["a.png", "b.png"], "label": 1}]
    result = run("iqa-2afc", tmp_path, rows, "a b", vectors)
    assert {way: metric["accuracy"].value for way, metric in result.groups["approach"].items()} == {
        "naive": 0.0,
        "clip-iqa": 1.0,
    }
    assert (result.metrics["accuracy"].value, result.protocol["prompt"]) == (0.0, "naive")
    other = run("iqa-2afc", tmp_path, rows, "a b", vectors, style="clip-iqa")
    assert (other.metrics["accuracy"].value, other.protocol["prompt"]) == (1.0, "clip-iqa")


def test_each_attribute_has_its_own_captions(tmp_path: Path) -> None:
    bright = {"A bright photo.": at(0), "Bright photo.": at(0), "Dark photo.": at(180)}
    sharp = {"A very sharp photo": at(90), "Sharp photo.": at(90), "Blurry photo.": at(270)}
    rows = [
        {"images": ["a.png", "b.png"], "attribute": name, "label": 0, "groups": {"difficulty": "hard"}}
        for name in ("brightness", "sharpness")
    ]
    result = run("attributes", tmp_path, rows, "a b", {**bright, **sharp, "a": at(10), "b": at(80)})
    assert {name: metric["accuracy"].value for name, metric in result.groups["attribute"].items()} == {
        "brightness": 1.0,
        "sharpness": 0.0,
    }
    assert result.groups["difficulty"]["hard"]["accuracy"].value == 0.5


def test_every_distinct_image_and_text_is_embedded_once(tmp_path: Path) -> None:
    names = "r a b c d"
    model = HandMade({name: at(10 * place) for place, name in enumerate(names.split())})
    rows = [
        {"reference": "r.png", "images": [f"{x}.png", f"{y}.png"], "label": 0} for x in "abcd" for y in "abcd" if x != y
    ]
    data = dataset(tmp_path, rows, names)
    (tmp_path / "d.png").write_bytes((tmp_path / "c.png").read_bytes())  # the same picture under another name
    [result] = evaluate("img-2afc", data, model, tmp_path)
    assert set(model.embedded.values()) == {1}
    assert model.embedded.total() == 4
    assert result.unscored == {"tie": 2}  # c against its copy, in both orders
    evaluate("img-2afc", data, model, tmp_path)
    assert model.embedded.total() == 4  # all of it from the cache


def test_ties_and_failures_are_unscored_and_not_right(tmp_path: Path) -> None:
    vectors = {"r": at(0), "a": at(10), "b": at(-10), "zero": (0.0, 0.0)}
    pairs = [("a", "b"), ("a", "zero"), ("a", "absent"), ("a", "broken")]
    rows = [{"reference": "r.png", "images": [f"{x}.png", f"{y}.png"], "label": 0} for x, y in pairs]
    data = dataset(tmp_path, rows, "r a b zero absent broken")
    (tmp_path / "broken.png").write_bytes(b"no image")
    [result] = evaluate("img-2afc", data, HandMade(vectors), tmp_path)
    assert (result.metrics["accuracy"].value, result.metrics["accuracy"].n) == (0.0, 4)
    reasons = sorted(result.unscored)
    assert sum(result.unscored.values()) == 4
    assert reasons[0] == "an embedding without direction"
    assert reasons[1].startswith("failed: broken.png is not an image")
    assert reasons[2:] == ["failed: no vector", "tie"]


@pytest.mark.parametrize(("task", "more"), [("iqa-2afc", {}), ("attributes", {"attribute": "brightness"})])
def test_a_score_of_single_images_compares_quality_and_attributes(tmp_path: Path, task: str, more: dict) -> None:
    # The images get redder, so brighter, by name.
    rows = [{"images": [f"{x}.png", f"{y}.png"], "label": 1, **more} for x, y in ("ab", "bc", "ca")]
    [result] = evaluate(task, dataset(tmp_path, rows, "a b c"), open_model("brightness"), tmp_path)
    assert result.metrics["accuracy"].value == pytest.approx(2 / 3)
    assert result.status["asked"] == 3
    assert result.protocol["answer"] == "scores"


@pytest.mark.parametrize(
    ("task", "model", "options", "sentence"),
    [
        ("img-2afc", "niqe", {}, "asks a model for text or words or embedding, and this one offers only score"),
        ("retrieval", "niqe", {}, "choose among CLIP, SigLIP and BLIP checkpoints, and for images alone LLaVA ones ("),
        ("retrieval", None, {"mode": "text"}, "'text' is no mode of retrieval; choose one of embeddings"),
        ("img-2afc", None, {"style": "naive"}, "--style changes nothing about img-2afc by embeddings"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence(
    tmp_path: Path, task: str, model: str | None, options: dict, sentence: str
) -> None:
    row = {"img-2afc": {"reference": "a.png", "images": ["a.png", "b.png"]}, "retrieval": {"img_path": "a.png"}}
    data = dataset(tmp_path, [row.get(task, {"images": ["a.png", "b.png"]})], "a b")
    asked = open_model(model) if model else HandMade({})
    with pytest.raises(UserError) as caught:
        evaluate(task, data, asked, tmp_path, options=RunOptions(**options))
    assert sentence in str(caught.value)


class Seeing(HandMade):
    """Writes, and has vectors of images alone."""

    wants = frozenset({"text", "words", "losses", "embedding"})

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        assert all(isinstance(part, Picture) for prompt in prompts for part in prompt.parts)
        return [replace(response, note="made by hand") for response in super().respond(prompts)]


def test_a_model_that_writes_compares_images_by_its_vectors_when_told(tmp_path: Path) -> None:
    rows = [{"images": ["a.png", "b.png", "o.png"], "label": 2}]
    data, how = dataset(tmp_path, rows, "a b o"), RunOptions(mode="embeddings")
    model = Seeing({"a": at(0), "b": at(25), "o": at(60)})
    [result] = evaluate("odd-one-out", data, model, tmp_path, options=how)
    assert result.metrics["accuracy"].value == 1.0
    assert result.protocol["answer"] == "embeddings"
    assert result.protocol["vectors"] == "made by hand"


def test_vectors_of_images_alone_do_not_serve_where_captions_are_compared(tmp_path: Path) -> None:
    row = {"texts": ["a dog"], "images": ["a.png", "b.png"], "label": 0}
    model = Seeing({"a": at(0), "b": at(25)})
    with pytest.raises(UserError) as caught:
        evaluate("it-2afc", dataset(tmp_path, [row], "a b"), model, tmp_path, options=RunOptions(mode="embeddings"))
    assert str(caught.value) == (
        "it-2afc by embeddings compares images with captions, and this model embeds images alone; leave out --mode "
        "to have it asked, or choose among CLIP, SigLIP and BLIP checkpoints"
    )
    assert model.embedded.total() == 0


def test_the_sentence_says_what_the_task_compares() -> None:
    wrong = [Sample("s", ("a", "b"), answer=1), Sample("s", ("a", "b", "c"), answer=2)]
    with pytest.raises(UserError, match="2 samples lack one caption and 2 to 9 images, which this task needs"):
        TASKS["it-2afc"].check(wrong)
    with pytest.raises(UserError, match="an attribute, one of brightness, colorfulness, contrast, sharpness"):
        TASKS["attributes"].check(wrong)
