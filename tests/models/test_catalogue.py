"""The catalogue joins every spelling to one model, holds Table 6 of Q-Bench, and says how a model is run."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from qbench.errors import UserError
from qbench.models import builtin, open_model
from qbench.models.catalogue import ModelKind, find_model, load

CLIP, HUGE, GIANT, EVA = "CLIP-ViT-Large-14", "CLIP-ViT-Huge-14", "CLIP-ViT-Giant-14", "EVA-CLIP-Giant-14"
DECODER, ENCODER_DECODER = "pure-decoder", "encoder-decoder"
TABLE_6 = [
    ("LLaVA-v1.5 (Vicuna-v1.5-7B)", "2023-10", CLIP, 336, "project MLP", "Vicuna-v1.5-7B", DECODER),
    ("LLaVA-v1.5 (Vicuna-v1.5-13B)", "2023-10", CLIP, 336, "project MLP", "Vicuna-v1.5-13B", DECODER),
    ("InternLM-XComposer-VL (InternLM)", "2023-09", EVA, 224, "Q-Former", "InternLM", DECODER),
    ("IDEFICS-Instruct (LLaMA-7B)", "2023-09", HUGE, 224, "cross-attn", "LLaMA-7B", DECODER),
    ("Qwen-VL (QwenLM)", "2023-07", GIANT, 448, "cross-attn", "QWenLM", DECODER),
    ("Shikra (Vicuna-7B)", "2023-07", CLIP, 224, "project layers", "Vicuna-7B", DECODER),
    ("Otter-v1 (MPT-7B)", "2023-06", CLIP, 224, "cross-attn", "MPT-7B", DECODER),
    ("Kosmos-2", "2023-06", CLIP, 224, "project layers", "custom (1B)", DECODER),
    ("InstructBLIP (Flan-T5-XL)", "2023-05", EVA, 224, "Q-Former", "Flan-T5-XL", ENCODER_DECODER),
    ("InstructBLIP (Vicuna-7B)", "2023-05", EVA, 224, "Q-Former", "Vicuna-7B", DECODER),
    ("VisualGLM-6B (GLM-6B)", "2023-05", EVA, 224, "Q-Former", "GLM-6B", ENCODER_DECODER),
    ("mPLUG-Owl (LLaMA-7B)", "2023-05", CLIP, 224, "Q-Former", "LLaMA-7B", DECODER),
    ("LLaMA-Adapter-V2", "2023-04", CLIP, 224, "cross-attn", "LLaMA-7B", DECODER),
    ("LLaVA-v1 (Vicuna-13B)", "2023-04", CLIP, 336, "project layers", "Vicuna-13B", DECODER),
    ("MiniGPT-4 (Vicuna-13B)", "2023-04", CLIP, 224, "Q-Former", "Vicuna-13B", DECODER),
]


def id_of(name: str) -> str | None:
    facts = find_model(name)
    return facts.id if facts else None


def test_table_6_is_as_printed() -> None:
    for name, *printed in TABLE_6:
        facts = find_model(name)
        assert facts is not None
        built = (facts.vision, facts.vision_pixels, facts.alignment, facts.language, facts.language_type)
        assert [facts.released, *built] == printed, name


def test_every_name_leads_to_one_model_and_a_size_that_it_states_is_known() -> None:
    for facts in load():
        for name in filter(None, (facts.id, facts.name, facts.hub, *facts.aliases)):
            assert id_of(name) == facts.id, f"{name!r} is also a name of {id_of(name)}"
        stated = re.search(r"(?<![\w.])(\d+(?:\.\d+)?)B\b", facts.name) if facts.kind == "model" else None
        if stated:  # mPLUG-Owl3-7B counts 8 with its eye
            assert facts.parameters == pytest.approx(float(stated[1]), rel=0.2), facts.name


def test_facts_are_well_formed_and_their_sources_public_pages() -> None:
    ids = [facts.id for facts in load()]
    assert ids == sorted(set(ids))
    for facts in load():
        assert re.fullmatch(r"[a-z0-9]+([.-][a-z0-9]+)*", facts.id)
        assert facts.kind in get_args(ModelKind)
        assert facts.released is None or re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", facts.released)
        assert facts.hub is None or re.fullmatch(r"[\w.-]+/[\w.-]+", facts.hub)
        assert facts.parameters is None or facts.parameters > 0
        assert all(getattr(facts, name) is not None for name in facts.sources)
        assert all(url.startswith("https://") for url in facts.sources.values())
        arxiv = re.fullmatch(r"https://arxiv\.org/abs/(\d\d)(\d\d)\.\d{5}", facts.sources.get("released", ""))
        assert arxiv is None or facts.released == f"20{arxiv[1]}-{arxiv[2]}", facts.id
        assert (facts.address is None) == (facts.asked_as is None)
        assert facts.address is None or facts.open is False


def test_case_spacing_and_punctuation_do_not_matter() -> None:
    spellings = ("LLaVA-v1.5-7B", "llava v1.5 7b", "LLAVA_V1.5_7B", "llava-hf/llava-1.5-7b-hf")
    assert {id_of(spelling) for spelling in spellings} == {"llava-v1.5-7b"}


def test_score_words_are_good_and_poor_but_for_flan_t5() -> None:
    good_poor = {"positive": ("good",), "negative": ("poor",)}
    others = {facts.id: facts.words for facts in load() if facts.words != good_poor}
    assert others == {"instructblip-flan-t5-xl": {"positive": ("high",), "negative": ("low",)}}


@pytest.fixture(autouse=True)
def as_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(builtin.BUILTIN, "scripted")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("q-align-trained-on-koniq", "known by its published figures alone. Ask a server that has it (--endpoint URL)"),
        ("blueimage-gpt", "Its weights are closed. Ask a server that has it (--endpoint URL)"),
        ("gpt-4v", "unless it was withdrawn since, with --endpoint https://api.openai.com/v1 --model gpt-4-vision-p"),
        ("brisque", "(its licence is non-commercial): --model pyiqa:brisque"),
        ("timm/ViT-SO400M-14-SigLIP", "google/siglip-so400m-patch14-224 is the same model"),
        ("one-align", "Read that code and allow it with --remote-code, or ask a server that has it"),
        *((name, "is no model that could be asked; choose a model") for name in ("human-senior", "random-guess")),
    ],
)
def test_a_model_that_does_not_open_by_name_says_how_it_is_run(name: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        open_model(name)
    assert said in str(caught.value)
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "said"),
    [("niq", "did you mean niqe"), ("idefics-instrukt", "idefics-instruct"), ("", "model is called ''")],
)
def test_near_misses_are_suggested(name: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        open_model(name)
