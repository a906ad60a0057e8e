"""Tiny checkpoints of today's architectures that read an image at its own size, patch by patch."""

from __future__ import annotations

from typing import Any

import transformers as tf

from tests.models import tiny_text as text
from tests.models.tiny_parts import LANGUAGE, PIXELS, ROPE, VISION, Built, template_with, token_ids

SECTIONS = ROPE | {"mrope_section": [2, 3, 3]}


def _qwen_like(config: Any, vision: dict[str, Any], **language: Any) -> Built:
    special = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
    tokenizer = text.qwen(special)
    start, end, image, video = tokenizer.convert_tokens_to_ids(special)
    built = config(
        vision_config={"depth": 2, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2, **vision},
        text_config={**LANGUAGE, **token_ids(tokenizer), **language},
        image_token_id=image,
        video_token_id=video,
        vision_start_token_id=start,
        vision_end_token_id=end,
    )
    images = tf.Qwen2VLImageProcessor(patch_size=7, size=PIXELS)
    return built, [tokenizer, images], text.QWEN_TEMPLATE


def qwen2_vl() -> Built:
    return _qwen_like(tf.Qwen2VLConfig, {"embed_dim": 32, "patch_size": 7}, rope_parameters=SECTIONS)


def qwen2_5_vl() -> Built:
    vision = {"patch_size": 7, "out_hidden_size": 32, "window_size": 28, "fullatt_block_indexes": [1]}
    return _qwen_like(tf.Qwen2_5_VLConfig, vision, rope_parameters=SECTIONS, layer_types=None)


def _qwen3_vision() -> dict[str, Any]:
    return {"patch_size": 7, "out_hidden_size": 32, "num_position_embeddings": 16, "deepstack_visual_indexes": [0]}


def qwen3_vl() -> Built:
    return _qwen_like(tf.Qwen3VLConfig, _qwen3_vision(), rope_parameters=SECTIONS)


def qwen3_vl_moe() -> Built:
    experts = {"num_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 24, "decoder_sparse_step": 1}
    return _qwen_like(tf.Qwen3VLMoeConfig, _qwen3_vision(), rope_parameters=SECTIONS, **experts)


def qwen3_5() -> Built:
    vision = {name: value for name, value in _qwen3_vision().items() if name != "deepstack_visual_indexes"}
    rope = ROPE | {"mrope_section": [1, 1, 0], "partial_rotary_factor": 0.25}
    linear = {
        "linear_num_value_heads": 2,
        "linear_num_key_heads": 2,
        "linear_key_head_dim": 8,
        "linear_value_head_dim": 8,
        "layer_types": ["linear_attention", "full_attention"],
    }
    return _qwen_like(tf.Qwen3_5Config, vision, rope_parameters=rope, **linear)


def glm4v() -> Built:
    special = ["<|begin_of_image|>", "<|end_of_image|>", "<|begin_of_video|>", "<|end_of_video|>", "<|image|>"]
    special.append("<|video|>")
    tokenizer = text.qwen(special)
    names = ("image_start", "image_end", "video_start", "video_end", "image", "video")
    numbers = tokenizer.convert_tokens_to_ids(special)
    config = tf.Glm4vConfig(
        vision_config={
            "depth": 2,
            "hidden_size": 32,
            "intermediate_size": 48,
            "num_heads": 2,
            "patch_size": 7,
            "image_size": 28,
            "out_hidden_size": 32,
        },
        text_config={
            **{name: value for name, value in LANGUAGE.items() if name != "head_dim"},
            **token_ids(tokenizer),
            "rope_parameters": ROPE | {"mrope_section": [2, 3, 3], "partial_rotary_factor": 1.0},
        },
        **{f"{name}_token_id": number for name, number in zip(names, numbers, strict=True)},
    )
    images = tf.Glm4vImageProcessor(patch_size=7, size={"shortest_edge": 14 * 28, "longest_edge": 28 * 28 * 8})
    return config, [tokenizer, images], template_with("<|begin_of_image|><|image|><|end_of_image|>")


def gemma4() -> Built:
    names = {"image_token": "<|image|>", "boi_token": "<|image>", "eoi_token": "<image|>", "audio_token": "<|audio|>"}
    names |= {"boa_token": "<|audio>", "eoa_token": "<audio|>"}
    tokenizer = text.gemma(**names)
    tokenizer.add_special_tokens({"additional_special_tokens": ["<start_of_turn>", "<end_of_turn>", "<|video|>"]})
    ids = token_ids(tokenizer)
    layers = {"layer_types": ["sliding_attention", "full_attention"], "sliding_window": 64}
    config = tf.Gemma4Config(
        vision_config={**VISION, "num_key_value_heads": 2, "head_dim": 16, "patch_size": 7, "pooling_kernel_size": 2},
        text_config={
            **LANGUAGE,
            **ids,
            **layers,
            "vocab_size_per_layer_input": ids["vocab_size"],
            "hidden_size_per_layer_input": 8,
            "global_head_dim": 16,
        },
        audio_config=None,
        boi_token_id=tokenizer.boi_token_id,
        eoi_token_id=tokenizer.eoi_token_id,
        image_token_id=tokenizer.image_token_id,
        video_token_id=tokenizer.convert_tokens_to_ids("<|video|>"),
        audio_token_id=tokenizer.audio_token_id,
    )
    images = tf.Gemma4ImageProcessor(patch_size=7, max_soft_tokens=70, pooling_kernel_size=2)
    return (
        config,
        [tokenizer, tf.Gemma4AudioFeatureExtractor(), images],
        text.GEMMA_TEMPLATE.replace("<start_of_image>", "<|image|>"),
    )
