"""What the tiny checkpoints share: sizes, tokens, and templates."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import transformers as tf

from tests.models import tiny_text as text

VISION = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2}

EYE = {**VISION, "image_size": 28, "patch_size": 7}

WITHOUT_HEAD_DIM = {**VISION, "num_key_value_heads": 2, "max_position_embeddings": 2048}

LANGUAGE = {**WITHOUT_HEAD_DIM, "head_dim": 16}

SIDE, SHORT = {"height": 28, "width": 28}, {"shortest_edge": 28}

GRID = [[28, 56], [56, 28], [56, 56]]

ROPE = {"rope_type": "default", "rope_theta": 10000.0}

PIXELS = {"shortest_edge": 14 * 14, "longest_edge": 14 * 14 * 16}

IDEFICS_MARKS = ["<fake_token_around_image>", "<image>", "<end_of_utterance>"]

CUT_MARKS = [f"<row_{row}_col_{column}>" for row in range(1, 7) for column in range(1, 7)]

Built = tuple[Any, list[Any], str | None]
"""Config, the parts to save beside the weights (the tokenizer first), chat template."""


@dataclass(frozen=True)
class ProcessorSettings:
    """What a checkpoint says of its processor beside its parts; its video half is left out."""

    settings: dict[str, Any]

    def save_pretrained(self, folder: Path) -> None:
        (folder / "processor_config.json").write_text(json.dumps(self.settings), encoding="utf-8")


def token_ids(tokenizer: Any) -> dict[str, int]:
    names = ("bos_token_id", "eos_token_id", "pad_token_id")
    return {name: getattr(tokenizer, name) for name in names} | {"vocab_size": len(tokenizer)}


def reader(
    kind: Any, tokenizer: Any, vision: Any, mark: str = "<image>", language: Any = tf.LlamaConfig, **more: Any
) -> Any:
    """The configuration of an eye and a language half with this tokenizer, in which this token stands for an image."""
    told = language(**LANGUAGE, **token_ids(tokenizer))
    return kind(vision_config=vision, text_config=told, image_token_id=tokenizer.convert_tokens_to_ids(mark), **more)


def template_with(image: str) -> str:
    """The chat template of Qwen's form with another mark for an image."""
    return text.QWEN_TEMPLATE.replace("<|vision_start|><|image_pad|><|vision_end|>", image)
