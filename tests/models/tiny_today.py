"""Tiny checkpoints of today's architectures."""

from __future__ import annotations

from typing import Any

import transformers as tf

from tests.models import tiny_text as text
from tests.models.tiny_parts import (
    CUT_MARKS,
    EYE,
    GRID,
    IDEFICS_MARKS,
    LANGUAGE,
    PIXELS,
    ROPE,
    SIDE,
    VISION,
    WITHOUT_HEAD_DIM,
    Built,
    ProcessorSettings,
    reader,
    template_with,
    token_ids,
)

SECTIONS = ROPE | {"mrope_section": [2, 3, 3]}
PATCHES = {"patch_size": 7, "out_hidden_size": 32}
DEEP = {"depth": 2, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2}
QWEN3 = {**PATCHES, "num_position_embeddings": 16}


# --- an image at its own size, patch by patch


def _qwen_like(config: Any, vision: dict[str, Any], **language: Any) -> Built:
    special = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
    tokenizer = text.qwen(special)
    start, end, image, video = tokenizer.convert_tokens_to_ids(special)
    built = config(
        vision_config={**DEEP, **vision},
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
    vision = {**PATCHES, "window_size": 28, "fullatt_block_indexes": [1]}
    return _qwen_like(tf.Qwen2_5_VLConfig, vision, rope_parameters=SECTIONS, layer_types=None)


def qwen3_vl() -> Built:
    return _qwen_like(tf.Qwen3VLConfig, {**QWEN3, "deepstack_visual_indexes": [0]}, rope_parameters=SECTIONS)


def qwen3_vl_moe() -> Built:
    experts = {"num_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 24, "decoder_sparse_step": 1}
    eye = {**QWEN3, "deepstack_visual_indexes": [0]}
    return _qwen_like(tf.Qwen3VLMoeConfig, eye, rope_parameters=SECTIONS, **experts)


def qwen3_5() -> Built:
    rope = ROPE | {"mrope_section": [1, 1, 0], "partial_rotary_factor": 0.25}
    linear = {f"linear_{of}_head_dim": 8 for of in ("key", "value")}
    linear |= {f"linear_num_{of}_heads": 2 for of in ("key", "value")}
    layers = ["linear_attention", "full_attention"]
    return _qwen_like(tf.Qwen3_5Config, QWEN3, rope_parameters=rope, **linear, layer_types=layers)


def glm4v() -> Built:
    names = ("image_start", "image_end", "video_start", "video_end", "image", "video")
    special = ["<|begin_of_image|>", "<|end_of_image|>", "<|begin_of_video|>", "<|end_of_video|>", "<|image|>"]
    special.append("<|video|>")
    tokenizer = text.qwen(special)
    numbers = tokenizer.convert_tokens_to_ids(special)
    rope = ROPE | {"mrope_section": [2, 3, 3], "partial_rotary_factor": 1.0}
    config = tf.Glm4vConfig(
        vision_config={**DEEP, **PATCHES, "image_size": 28},
        text_config={**WITHOUT_HEAD_DIM, **token_ids(tokenizer), "rope_parameters": rope},
        **{f"{name}_token_id": number for name, number in zip(names, numbers, strict=True)},
    )
    images = tf.Glm4vImageProcessor(patch_size=7, size={"shortest_edge": 14 * 28, "longest_edge": 28 * 28 * 8})
    return config, [tokenizer, images], template_with("<|begin_of_image|><|image|><|end_of_image|>")


def gemma4() -> Built:
    marks = {"image": "<|image|>", "boi": "<|image>", "eoi": "<image|>"}
    marks |= {"audio": "<|audio|>", "boa": "<|audio>", "eoa": "<audio|>"}
    tokenizer = text.gemma(**{f"{name}_token": mark for name, mark in marks.items()})
    tokenizer.add_special_tokens({"additional_special_tokens": ["<start_of_turn>", "<end_of_turn>", "<|video|>"]})
    ids = token_ids(tokenizer)
    layers = {"layer_types": ["sliding_attention", "full_attention"], "sliding_window": 64, "global_head_dim": 16}
    per_layer = {"vocab_size_per_layer_input": ids["vocab_size"], "hidden_size_per_layer_input": 8}
    numbers = {"video": tokenizer.convert_tokens_to_ids("<|video|>")}
    numbers |= {name: getattr(tokenizer, f"{name}_token_id") for name in ("boi", "eoi", "image", "audio")}
    config = tf.Gemma4Config(
        vision_config={**VISION, "num_key_value_heads": 2, "head_dim": 16, "patch_size": 7, "pooling_kernel_size": 2},
        text_config={**LANGUAGE, **ids, **layers, **per_layer},
        audio_config=None,
        **{f"{name}_token_id": number for name, number in numbers.items()},
    )
    images = tf.Gemma4ImageProcessor(patch_size=7, max_soft_tokens=70, pooling_kernel_size=2)
    parts = [tokenizer, tf.Gemma4AudioFeatureExtractor(), images]
    return config, parts, text.GEMMA_TEMPLATE.replace("<start_of_image>", "<|image|>")


# --- an image whole, or cut into tiles of one size


def internvl() -> Built:
    names = {"start_image_token": "<img>", "end_image_token": "</img>", "context_image_token": "<IMG_CONTEXT>"}
    tokenizer = text.qwen([], **names, video_token="<video>")
    eye = {**VISION, "image_size": [28, 28], "patch_size": [7, 7]}
    config = reader(tf.InternVLConfig, tokenizer, eye, "<IMG_CONTEXT>", tf.Qwen2Config, image_seq_length=4)
    images = tf.GotOcr2ImageProcessor(size=SIDE, crop_to_patches=True, max_patches=2)
    processor = ProcessorSettings({"image_seq_length": 4})
    return config, [tokenizer, images, processor], template_with("<IMG_CONTEXT>")


def llava_onevision() -> Built:
    tokenizer = text.qwen(["<image>", "<video>"])
    eye = tf.SiglipVisionConfig(**EYE, vision_use_head=False)
    more = {"video_token_id": tokenizer.convert_tokens_to_ids("<video>"), "image_grid_pinpoints": GRID}
    config = reader(tf.LlavaOnevisionConfig, tokenizer, eye, language=tf.Qwen2Config, **more)
    images = tf.LlavaOnevisionImageProcessor(size=SIDE, image_grid_pinpoints=GRID)
    processor = ProcessorSettings({"num_image_tokens": 16, "vision_feature_select_strategy": "full"})
    return config, [tokenizer, images, processor], template_with("<image>\n")


def smolvlm() -> Built:
    tokenizer = text.qwen([*IDEFICS_MARKS, "<global-img>", "<video>", *CUT_MARKS])
    config = reader(tf.SmolVLMConfig, tokenizer, EYE, scale_factor=2)
    images = tf.SmolVLMImageProcessor(size={"longest_edge": 56}, max_image_size={"longest_edge": 28})
    return config, [tokenizer, images, ProcessorSettings({"image_seq_len": 4})], text.IDEFICS_TEMPLATE


def minicpm_v() -> Built:
    names = {"image_token": "<|image_pad|>", "video_token": "<|video_pad|>"}
    for name in ("image", "slice", "image_id"):
        names |= {f"{name}_start_token": f"<{name}>", f"{name}_end_token": f"</{name}>"}
    tokenizer = text.qwen([], **names)
    eye = {**EYE, "num_hidden_layers": 3, "image_size": 56}
    more = {"image_size": 56, "insert_layer_id": 1, "video_token_id": tokenizer.video_token_id}
    config = reader(tf.MiniCPMV4_6Config, tokenizer, eye, "<|image_pad|>", tf.Qwen3Config, **more)
    images = tf.MiniCPMV4_6ImageProcessor(patch_size=7, scale_resolution=56, max_slice_nums=2)
    return config, [tokenizer, images], template_with("<|image_pad|>")


def ovis2() -> Built:
    special = ["<image>", "<IMG_ATOM>", "<IMG_START>", "<IMG_GRID>", "<IMG_COL>", "<IMG_ROW>", "<IMG_END>"]
    tokenizer = text.qwen(special)
    more = {"vocab_size": len(tokenizer), "hidden_size": 32}
    more["visual_indicator_token_ids"] = tokenizer.convert_tokens_to_ids(special[2:])
    eye = {**EYE, "vocab_size": 40, "hidden_stride": 2}
    config = reader(tf.Ovis2Config, tokenizer, eye, "<IMG_ATOM>", tf.Qwen2Config, **more)
    images = tf.Ovis2ImageProcessor(size=SIDE, max_patches=2)
    return config, [tokenizer, tf.Ovis2Processor(images, tokenizer, image_seq_length=4)], template_with("<image>\n")


def aya_vision() -> Built:
    marks = ["<image>", "<|START_OF_IMG|>", "<|END_OF_IMG|>", "<|IMG_PATCH|>", "<|IMG_LINE_BREAK|>", "TILE_GLOBAL"]
    tokenizer = text.qwen([*marks, *(f"TILE_{number}" for number in range(1, 5))])
    eye = tf.SiglipVisionConfig(**EYE, vision_use_head=False)
    config = reader(tf.AyaVisionConfig, tokenizer, eye, "<|IMG_PATCH|>", tf.Cohere2Config)
    images = tf.GotOcr2ImageProcessor(size=SIDE, crop_to_patches=True, max_patches=2)
    processor = tf.AyaVisionProcessor(images, tokenizer, patch_size=7, img_size=28, downsample_factor=2)
    return config, [tokenizer, processor], template_with("<image>")


def mllama() -> Built:
    tokenizer = text.llama(["<|image|>", "<|python_tag|>"])
    config = tf.MllamaConfig(
        vision_config={
            **EYE,
            "num_global_layers": 1,
            "attention_heads": 2,
            "max_num_tiles": 2,
            "intermediate_layers_indices": [0],
            "vision_output_dim": 64,
            "supported_aspect_ratios": [[1, 1], [1, 2], [2, 1]],
        },
        text_config={
            **WITHOUT_HEAD_DIM,
            **token_ids(tokenizer),
            "num_hidden_layers": 3,
            "cross_attention_layers": [1],
            "rope_parameters": ROPE,
        },
        image_token_id=tokenizer.convert_tokens_to_ids("<|image|>"),
    )
    images = tf.MllamaImageProcessor(size=SIDE, max_image_tiles=2)
    processor = tf.MllamaProcessor(images, tokenizer)
    return config, [tokenizer, processor], text.LLAVA_TEMPLATE.replace("<image>\n", "<|image|>")


def deepseek_vl() -> Built:
    tokenizer = text.llama(["<image_placeholder>"])
    tokenizer._set_model_specific_special_tokens({"image_token": "<image_placeholder>"})
    eye = tf.SiglipVisionConfig(**EYE, vision_use_head=False)
    config = reader(tf.DeepseekVLConfig, tokenizer, eye, "<image_placeholder>")
    processor = tf.DeepseekVLProcessor(tf.DeepseekVLImageProcessor(size=SIDE), tokenizer, num_image_tokens=16)
    return config, [tokenizer, processor], text.LLAVA_TEMPLATE.replace("<image>", "<image_placeholder>")
