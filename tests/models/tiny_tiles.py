"""Tiny checkpoints of today's architectures that show an image whole, or cut into tiles of one size."""

from __future__ import annotations

import transformers as tf

from tests.models import tiny_text as text
from tests.models.tiny_parts import (
    CUT_MARKS,
    EYE,
    IDEFICS_MARKS,
    LANGUAGE,
    ROPE,
    SIDE,
    VISION,
    Built,
    ProcessorSettings,
    template_with,
    token_ids,
)


def internvl() -> Built:
    names = {"start_image_token": "<img>", "end_image_token": "</img>", "context_image_token": "<IMG_CONTEXT>"}
    tokenizer = text.qwen([], **names, video_token="<video>")
    config = tf.InternVLConfig(
        vision_config={**VISION, "image_size": [28, 28], "patch_size": [7, 7]},
        text_config=tf.Qwen2Config(**LANGUAGE, **token_ids(tokenizer)),
        image_token_id=tokenizer.convert_tokens_to_ids("<IMG_CONTEXT>"),
        image_seq_length=4,
    )
    images = tf.GotOcr2ImageProcessor(size=SIDE, crop_to_patches=True, max_patches=2)
    processor = ProcessorSettings({"image_seq_length": 4})
    return config, [tokenizer, images, processor], template_with("<IMG_CONTEXT>")


def llava_onevision() -> Built:
    tokenizer = text.qwen(["<image>", "<video>"])
    grid = [[28, 56], [56, 28], [56, 56]]
    image, video = tokenizer.convert_tokens_to_ids(["<image>", "<video>"])
    config = tf.LlavaOnevisionConfig(
        vision_config=tf.SiglipVisionConfig(**EYE, vision_use_head=False),
        text_config=tf.Qwen2Config(**LANGUAGE, **token_ids(tokenizer)),
        image_token_index=image,
        video_token_index=video,
        image_grid_pinpoints=grid,
    )
    images = tf.LlavaOnevisionImageProcessor(size=SIDE, image_grid_pinpoints=grid)
    processor = ProcessorSettings({"num_image_tokens": 16, "vision_feature_select_strategy": "full"})
    return config, [tokenizer, images, processor], template_with("<image>\n")


def smolvlm() -> Built:
    tokenizer = text.qwen([*IDEFICS_MARKS, "<global-img>", "<video>", *CUT_MARKS])
    config = tf.SmolVLMConfig(
        vision_config=EYE,
        text_config=tf.LlamaConfig(**LANGUAGE, **token_ids(tokenizer)),
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        scale_factor=2,
    )
    images = tf.SmolVLMImageProcessor(size={"longest_edge": 56}, max_image_size={"longest_edge": 28})
    processor = ProcessorSettings({"image_seq_len": 4})
    return config, [tokenizer, images, processor], text.IDEFICS_TEMPLATE


def minicpm_v() -> Built:
    names = {"image_token": "<|image_pad|>", "video_token": "<|video_pad|>"}
    for name in ("image", "slice", "image_id"):
        names |= {f"{name}_start_token": f"<{name}>", f"{name}_end_token": f"</{name}>"}
    tokenizer = text.qwen([], **names)
    config = tf.MiniCPMV4_6Config(
        vision_config={**VISION, "num_hidden_layers": 3, "image_size": 56, "patch_size": 7},
        text_config=tf.Qwen3Config(**LANGUAGE, **token_ids(tokenizer)),
        image_size=56,
        insert_layer_id=1,
        image_token_id=tokenizer.image_token_id,
        video_token_id=tokenizer.video_token_id,
    )
    images = tf.MiniCPMV4_6ImageProcessor(patch_size=7, scale_resolution=56, max_slice_nums=2)
    return config, [tokenizer, images], template_with("<|image_pad|>")


def ovis2() -> Built:
    special = ["<image>", "<IMG_ATOM>", "<IMG_START>", "<IMG_GRID>", "<IMG_COL>", "<IMG_ROW>", "<IMG_END>"]
    tokenizer = text.qwen(special)
    numbers = tokenizer.convert_tokens_to_ids(special)
    config = tf.Ovis2Config(
        vision_config={**VISION, "image_size": 28, "patch_size": 7, "vocab_size": 40, "hidden_stride": 2},
        text_config=tf.Qwen2Config(**LANGUAGE, **token_ids(tokenizer)),
        image_token_id=numbers[1],
        visual_indicator_token_ids=numbers[2:],
        vocab_size=len(tokenizer),
        hidden_size=32,
    )
    images = tf.Ovis2ImageProcessor(size=SIDE, max_patches=2)
    return config, [tokenizer, tf.Ovis2Processor(images, tokenizer, image_seq_length=4)], template_with("<image>\n")


def aya_vision() -> Built:
    marks = ["<image>", "<|START_OF_IMG|>", "<|END_OF_IMG|>", "<|IMG_PATCH|>", "<|IMG_LINE_BREAK|>", "TILE_GLOBAL"]
    tokenizer = text.qwen([*marks, *(f"TILE_{number}" for number in range(1, 5))])
    config = tf.AyaVisionConfig(
        vision_config=tf.SiglipVisionConfig(**EYE, vision_use_head=False),
        text_config=tf.Cohere2Config(**LANGUAGE, **token_ids(tokenizer)),
        image_token_index=tokenizer.convert_tokens_to_ids("<|IMG_PATCH|>"),
    )
    images = tf.GotOcr2ImageProcessor(size=SIDE, crop_to_patches=True, max_patches=2)
    processor = tf.AyaVisionProcessor(images, tokenizer, patch_size=7, img_size=28, downsample_factor=2)
    return config, [tokenizer, processor], template_with("<image>")


def mllama() -> Built:
    tokenizer = text.llama(["<|image|>", "<|python_tag|>"])
    ids = token_ids(tokenizer)
    image = tokenizer.convert_tokens_to_ids("<|image|>")
    config = tf.MllamaConfig(
        vision_config={
            "hidden_size": 32,
            "intermediate_size": 48,
            "num_hidden_layers": 2,
            "num_global_layers": 1,
            "attention_heads": 2,
            "image_size": 28,
            "patch_size": 7,
            "max_num_tiles": 2,
            "intermediate_layers_indices": [0],
            "vision_output_dim": 64,
            "supported_aspect_ratios": [[1, 1], [1, 2], [2, 1]],
        },
        text_config={
            **{name: value for name, value in LANGUAGE.items() if name != "head_dim"},
            **ids,
            "num_hidden_layers": 3,
            "cross_attention_layers": [1],
            "rope_parameters": ROPE,
        },
        image_token_index=image,
    )
    images = tf.MllamaImageProcessor(size=SIDE, max_image_tiles=2)
    processor = tf.MllamaProcessor(images, tokenizer)
    return config, [tokenizer, processor], text.LLAVA_TEMPLATE.replace("<image>\n", "<|image|>")


def deepseek_vl() -> Built:
    tokenizer = text.llama(["<image_placeholder>"])
    tokenizer._set_model_specific_special_tokens({"image_token": "<image_placeholder>"})
    config = tf.DeepseekVLConfig(
        vision_config=tf.SiglipVisionConfig(**EYE, vision_use_head=False),
        text_config=tf.LlamaConfig(**LANGUAGE, **token_ids(tokenizer)),
        image_token_id=tokenizer.convert_tokens_to_ids("<image_placeholder>"),
    )
    images = tf.DeepseekVLImageProcessor(size=SIDE)
    processor = tf.DeepseekVLProcessor(images, tokenizer, num_image_tokens=16)
    return config, [tokenizer, processor], text.LLAVA_TEMPLATE.replace("<image>", "<image_placeholder>")
