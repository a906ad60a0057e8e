"""The table of memory in docs/models.md, from the published configurations: `python -m bench.hardware` prints it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
import transformers as tf

CLIP_L_336 = {
    "model_type": "clip_vision_model",
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "image_size": 336,
    "patch_size": 14,
    "projection_dim": 768,
}


def language(hidden: int, layers: int, heads: int, keys: int, inner: int, vocabulary: int) -> dict[str, Any]:
    return {
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": keys,
        "intermediate_size": inner,
        "vocab_size": vocabulary,
    }


def llava(*sizes: int) -> Any:
    return tf.LlavaConfig(
        architectures=["LlavaForConditionalGeneration"],
        vision_config=CLIP_L_336,
        text_config={"model_type": "llama", **language(*sizes)},
    )


def qwen(*sizes: int, inner: int, tied: bool = False) -> Any:
    seeing = {
        "depth": 32,
        "hidden_size": 1280,
        "intermediate_size": inner,
        "num_heads": 16,
        "out_hidden_size": sizes[0],
    }
    return tf.Qwen2_5_VLConfig(
        architectures=["Qwen2_5_VLForConditionalGeneration"],
        text_config={**language(*sizes), "tie_word_embeddings": tied},
        vision_config=seeing,
        tie_word_embeddings=tied,
    )


MODELS: Mapping[str, Any] = {
    "Qwen2.5-VL-3B": lambda: qwen(2048, 36, 16, 2, 11008, 151936, inner=3420, tied=True),
    "LLaVA-1.5-7B": lambda: llava(4096, 32, 32, 32, 11008, 32064),
    "Qwen2.5-VL-7B": lambda: qwen(3584, 28, 28, 4, 18944, 152064, inner=3420),
    "LLaVA-1.5-13B": lambda: llava(5120, 40, 40, 40, 13824, 32064),
    "Qwen2.5-VL-72B": lambda: qwen(8192, 80, 64, 8, 29568, 152064, inner=3456),
}
"""As their publishers' config.json say on the Hub."""


def parameters(config: Any) -> int:
    """How many numbers the real class has for this configuration; nothing is filled in."""
    with torch.device("meta"):
        model = getattr(tf, config.architectures[0])(config)
    return sum(each.numel() for each in {id(each): each for each in model.parameters()}.values())


def row(name: str, config: Any) -> str:
    count, text = parameters(config), config.text_config
    sizes = " | ".join(f"{count * size / 1e9:.1f} GB" for size in (4, 2, 1, 0.5))
    head = text.hidden_size // text.num_attention_heads
    kept = 2 * text.num_hidden_layers * text.num_key_value_heads * head * 2
    return f"| {name} | {count:,} | {sizes} | {kept / 1e3:.0f} kB |"


if __name__ == "__main__":
    print("\n".join(row(name, config()) for name, config in MODELS.items()))
