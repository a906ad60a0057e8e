"""Tiny checkpoints of the architectures of 2024 to 2026, built as `tests.models.tiny` builds the earlier ones."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import transformers as tf

from tests.models import tiny_text as text

VISION = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2}
LANGUAGE = {**VISION, "num_key_value_heads": 2, "max_position_embeddings": 2048, "head_dim": 16}
SIDE = {"height": 28, "width": 28}
ROPE = {"rope_type": "default", "rope_theta": 10000.0}
PIXELS = {"shortest_edge": 14 * 14, "longest_edge": 14 * 14 * 16}

Built = tuple[Any, list[Any], str | None]
"""As in `tests.models.tiny`: config, the parts to save beside the weights (the tokenizer first), chat template."""


@dataclass(frozen=True)
class ProcessorSettings:
    """What a checkpoint says of its processor beside its parts; its video half is left out."""

    settings: dict[str, Any]

    def save_pretrained(self, folder: Path) -> None:
        (folder / "processor_config.json").write_text(json.dumps(self.settings), encoding="utf-8")


def _ids(tokenizer: Any) -> dict[str, int]:
    names = ("bos_token_id", "eos_token_id", "pad_token_id")
    return {name: getattr(tokenizer, name) for name in names} | {"vocab_size": len(tokenizer)}


def _template(image: str) -> str:
    """The chat template of Qwen's form with another mark for an image."""
    return text.QWEN_TEMPLATE.replace("<|vision_start|><|image_pad|><|vision_end|>", image)


def _qwen_like(config: Any, architecture: str, vision: dict[str, Any], **language: Any) -> Built:
    special = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
    tokenizer = text.qwen(special)
    start, end, image, video = tokenizer.convert_tokens_to_ids(special)
    built = config(
        vision_config={"depth": 2, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2, **vision},
        text_config={**LANGUAGE, **_ids(tokenizer), **language},
        image_token_id=image,
        video_token_id=video,
        vision_start_token_id=start,
        vision_end_token_id=end,
        architectures=[architecture],
    )
    images = tf.Qwen2VLImageProcessor(patch_size=7, size=PIXELS)
    return built, [tokenizer, images], text.QWEN_TEMPLATE


def _qwen2_5_vl() -> Built:
    vision = {"patch_size": 7, "out_hidden_size": 32, "window_size": 28, "fullatt_block_indexes": [1]}
    rope = ROPE | {"mrope_section": [2, 3, 3]}
    return _qwen_like(
        tf.Qwen2_5_VLConfig, "Qwen2_5_VLForConditionalGeneration", vision, rope_parameters=rope, layer_types=None
    )


def _qwen3_vision() -> dict[str, Any]:
    return {"patch_size": 7, "out_hidden_size": 32, "num_position_embeddings": 16, "deepstack_visual_indexes": [0]}


def _qwen3_vl() -> Built:
    rope = ROPE | {"mrope_section": [2, 3, 3]}
    return _qwen_like(tf.Qwen3VLConfig, "Qwen3VLForConditionalGeneration", _qwen3_vision(), rope_parameters=rope)


def _qwen3_vl_moe() -> Built:
    rope = ROPE | {"mrope_section": [2, 3, 3]}
    experts = {"num_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 24, "decoder_sparse_step": 1}
    return _qwen_like(
        tf.Qwen3VLMoeConfig, "Qwen3VLMoeForConditionalGeneration", _qwen3_vision(), rope_parameters=rope, **experts
    )


def _qwen3_5() -> Built:
    vision = {name: value for name, value in _qwen3_vision().items() if name != "deepstack_visual_indexes"}
    rope = ROPE | {"mrope_section": [1, 1, 0], "partial_rotary_factor": 0.25}
    linear = {
        "linear_num_value_heads": 2,
        "linear_num_key_heads": 2,
        "linear_key_head_dim": 8,
        "linear_value_head_dim": 8,
        "layer_types": ["linear_attention", "full_attention"],
    }
    return _qwen_like(tf.Qwen3_5Config, "Qwen3_5ForConditionalGeneration", vision, rope_parameters=rope, **linear)


def _internvl() -> Built:
    names = {"start_image_token": "<img>", "end_image_token": "</img>", "context_image_token": "<IMG_CONTEXT>"}
    tokenizer = text.qwen([], **names, video_token="<video>")
    config = tf.InternVLConfig(
        vision_config={**VISION, "image_size": [28, 28], "patch_size": [7, 7]},
        text_config=tf.Qwen2Config(**LANGUAGE, **_ids(tokenizer)),
        image_token_id=tokenizer.convert_tokens_to_ids("<IMG_CONTEXT>"),
        image_seq_length=4,
        architectures=["InternVLForConditionalGeneration"],
    )
    images = tf.GotOcr2ImageProcessor(size=SIDE, crop_to_patches=True, max_patches=2)
    processor = ProcessorSettings({"image_seq_length": 4})
    return config, [tokenizer, images, processor], _template("<IMG_CONTEXT>")


def _llava_onevision() -> Built:
    tokenizer = text.qwen(["<image>", "<video>"])
    grid = [[28, 56], [56, 28], [56, 56]]
    image, video = tokenizer.convert_tokens_to_ids(["<image>", "<video>"])
    config = tf.LlavaOnevisionConfig(
        vision_config=tf.SiglipVisionConfig(**VISION, image_size=28, patch_size=7, vision_use_head=False),
        text_config=tf.Qwen2Config(**LANGUAGE, **_ids(tokenizer)),
        image_token_index=image,
        video_token_index=video,
        image_grid_pinpoints=grid,
        architectures=["LlavaOnevisionForConditionalGeneration"],
    )
    images = tf.LlavaOnevisionImageProcessor(size=SIDE, image_grid_pinpoints=grid)
    processor = ProcessorSettings({"num_image_tokens": 16, "vision_feature_select_strategy": "full"})
    return config, [tokenizer, images, processor], _template("<image>\n")


def _smolvlm() -> Built:
    marks = [f"<row_{row}_col_{column}>" for row in range(1, 7) for column in range(1, 7)]
    tokenizer = text.qwen(
        ["<fake_token_around_image>", "<image>", "<end_of_utterance>", "<global-img>", "<video>", *marks]
    )
    config = tf.SmolVLMConfig(
        vision_config={**VISION, "image_size": 28, "patch_size": 7},
        text_config=tf.LlamaConfig(**LANGUAGE, **_ids(tokenizer)),
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        scale_factor=2,
        architectures=["SmolVLMForConditionalGeneration"],
    )
    images = tf.SmolVLMImageProcessor(size={"longest_edge": 56}, max_image_size={"longest_edge": 28})
    processor = ProcessorSettings({"image_seq_len": 4})
    return config, [tokenizer, images, processor], text.IDEFICS_TEMPLATE


def _glm4v() -> Built:
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
            **_ids(tokenizer),
            "rope_parameters": ROPE | {"mrope_section": [2, 3, 3], "partial_rotary_factor": 1.0},
        },
        **{f"{name}_token_id": number for name, number in zip(names, numbers, strict=True)},
        architectures=["Glm4vForConditionalGeneration"],
    )
    images = tf.Glm4vImageProcessor(patch_size=7, size={"shortest_edge": 14 * 28, "longest_edge": 28 * 28 * 8})
    return config, [tokenizer, images], _template("<|begin_of_image|><|image|><|end_of_image|>")


def _pixtral_parts(merge: int) -> tuple[Any, Any]:
    tokenizer = text.llama(["[IMG]", "[IMG_BREAK]", "[IMG_END]"])
    images = tf.PixtralImageProcessor(patch_size={"height": 7, "width": 7}, size={"longest_edge": 56})
    return tokenizer, tf.PixtralProcessor(images, tokenizer, patch_size=7, spatial_merge_size=merge)


PIXTRAL_TEMPLATE = text.LLAVA_TEMPLATE.replace("<image>\n", "[IMG]")


def _pixtral() -> Built:
    tokenizer, processor = _pixtral_parts(1)
    config = tf.LlavaConfig(
        vision_config=tf.PixtralVisionConfig(**VISION, image_size=56, patch_size=7),
        text_config=tf.MistralConfig(**LANGUAGE, **_ids(tokenizer)),
        image_token_index=tokenizer.convert_tokens_to_ids("[IMG]"),
        vision_feature_layer=-1,
        vision_feature_select_strategy="full",
        architectures=["LlavaForConditionalGeneration"],
    )
    return config, [tokenizer, processor], PIXTRAL_TEMPLATE


def _mistral3() -> Built:
    tokenizer, processor = _pixtral_parts(2)
    config = tf.Mistral3Config(
        vision_config=tf.PixtralVisionConfig(**VISION, image_size=56, patch_size=7),
        text_config=tf.MistralConfig(**LANGUAGE, **_ids(tokenizer)),
        image_token_index=tokenizer.convert_tokens_to_ids("[IMG]"),
        spatial_merge_size=2,
        architectures=["Mistral3ForConditionalGeneration"],
    )
    return config, [tokenizer, processor], PIXTRAL_TEMPLATE


def _ovis2() -> Built:
    special = ["<image>", "<IMG_ATOM>", "<IMG_START>", "<IMG_GRID>", "<IMG_COL>", "<IMG_ROW>", "<IMG_END>"]
    tokenizer = text.qwen(special)
    numbers = tokenizer.convert_tokens_to_ids(special)
    config = tf.Ovis2Config(
        vision_config={**VISION, "image_size": 28, "patch_size": 7, "vocab_size": 40, "hidden_stride": 2},
        text_config=tf.Qwen2Config(**LANGUAGE, **_ids(tokenizer)),
        image_token_id=numbers[1],
        visual_indicator_token_ids=numbers[2:],
        vocab_size=len(tokenizer),
        hidden_size=32,
        architectures=["Ovis2ForConditionalGeneration"],
    )
    images = tf.Ovis2ImageProcessor(size=SIDE, max_patches=2)
    return config, [tokenizer, tf.Ovis2Processor(images, tokenizer, image_seq_length=4)], _template("<image>\n")


def _deepseek_vl() -> Built:
    tokenizer = text.llama(["<image_placeholder>"])
    tokenizer._set_model_specific_special_tokens({"image_token": "<image_placeholder>"})
    config = tf.DeepseekVLConfig(
        vision_config=tf.SiglipVisionConfig(**VISION, image_size=28, patch_size=7, vision_use_head=False),
        text_config=tf.LlamaConfig(**LANGUAGE, **_ids(tokenizer)),
        image_token_id=tokenizer.convert_tokens_to_ids("<image_placeholder>"),
        architectures=["DeepseekVLForConditionalGeneration"],
    )
    images = tf.DeepseekVLImageProcessor(size=SIDE)
    processor = tf.DeepseekVLProcessor(images, tokenizer, num_image_tokens=16)
    return config, [tokenizer, processor], text.LLAVA_TEMPLATE.replace("<image>", "<image_placeholder>")


def _minicpm_v() -> Built:
    names = {"image_token": "<|image_pad|>", "video_token": "<|video_pad|>"}
    for name in ("image", "slice", "image_id"):
        names |= {f"{name}_start_token": f"<{name}>", f"{name}_end_token": f"</{name}>"}
    tokenizer = text.qwen([], **names)
    config = tf.MiniCPMV4_6Config(
        vision_config={**VISION, "num_hidden_layers": 3, "image_size": 56, "patch_size": 7},
        text_config=tf.Qwen3Config(**LANGUAGE, **_ids(tokenizer)),
        image_size=56,
        insert_layer_id=1,
        image_token_id=tokenizer.image_token_id,
        video_token_id=tokenizer.video_token_id,
        architectures=["MiniCPMV4_6ForConditionalGeneration"],
    )
    images = tf.MiniCPMV4_6ImageProcessor(patch_size=7, scale_resolution=56, max_slice_nums=2)
    return config, [tokenizer, images], _template("<|image_pad|>")


def _molmo2() -> Built:
    marks = ["<im_patch>", "<im_col>", "<im_start>", "<low_res_im_start>", "<frame_start>", "<im_end>"]
    marks += ["<frame_end>", "<im_low>", "<|image|>", "<|video|>"]
    tokenizer = text.qwen(marks)
    ids = _ids(tokenizer)
    patch, _, start, low, frame, end, frame_end = tokenizer.convert_tokens_to_ids(marks[:7])
    heads = {"num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 16, "hidden_size": 32}
    config = tf.Molmo2Config(
        vision_config={
            **heads,
            "num_hidden_layers": 2,
            "intermediate_size": 48,
            "image_size": [28, 28],
            "patch_size": 7,
            "num_position_embeddings": 16,
        },
        adapter_config={
            **heads,
            "vision_feature_layer": [-1, -2],
            "intermediate_size": 48,
            "text_hidden_size": 32,
        },
        text_config={**LANGUAGE, **ids, "vocab_size": ids["vocab_size"], "additional_vocab_size": 8},
        image_start_token_id=start,
        low_res_image_start_token_id=low,
        image_end_token_id=end,
        image_patch_id=patch,
        frame_start_token_id=frame,
        frame_end_token_id=frame_end,
        architectures=["Molmo2ForConditionalGeneration"],
    )
    images = tf.Molmo2ImageProcessor(size=SIDE, patch_size=7, max_crops=2, overlap_margins=[1, 1])
    return config, [tokenizer, images], _template("<|image|>")


def _kimi_k25() -> Built:
    tokenizer = text.qwen(["<|media_pad|>", "<|kimi_k25_video_placeholder|>", "<|media_begin|>", "<|media_end|>"])
    pad, video, begin, end = tokenizer.convert_tokens_to_ids(
        ["<|media_pad|>", "<|kimi_k25_video_placeholder|>", "<|media_begin|>", "<|media_end|>"]
    )
    language = {
        **{name: value for name, value in LANGUAGE.items() if name != "head_dim"},
        "kv_lora_rank": 8,
        "q_lora_rank": 8,
        "qk_rope_head_dim": 8,
        "qk_nope_head_dim": 8,
        "v_head_dim": 16,
        "n_routed_experts": 4,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 24,
        "n_group": 1,
        "topk_group": 1,
        "first_k_dense_replace": 1,
        "n_shared_experts": 1,
    }
    config = tf.Kimi_K25Config(
        vision_config={**VISION, "patch_size": 7, "pos_emb_height": 8, "pos_emb_width": 8},
        text_config=tf.DeepseekV3Config(**language, **_ids(tokenizer)),
        projection_hidden_size=32,
        image_token_id=pad,
        video_token_id=video,
        vision_start_token_id=begin,
        vision_end_token_id=end,
        architectures=["Kimi_K25ForConditionalGeneration"],
    )
    images = tf.Kimi_K25ImageProcessor(patch_size=7, size={"max_height": 8, "max_width": 8}, max_patches=64)
    return config, [tokenizer, images], _template("<|media_begin|><|media_pad|><|media_end|>")


def _phi4() -> Built:
    tokenizer = text.qwen([], image_token="<|image|>", audio_token="<|audio|>")
    config = tf.Phi4MultimodalConfig(
        vision_config={
            **VISION,  # images of another size get the number of marks of this one
            "image_token_id": tokenizer.image_token_id,
        },
        audio_config={
            "hidden_size": 32,
            "intermediate_size": 48,
            "num_blocks": 2,
            "num_attention_heads": 2,
            "ext_pw_out_channel": 32,
            "depthwise_separable_out_channel": 32,
            "nemo_conv_channels": 32,
            "audio_token_id": tokenizer.audio_token_id,
        },
        **{name: value for name, value in LANGUAGE.items() if name != "head_dim"},
        **_ids(tokenizer),
        architectures=["Phi4MultimodalForCausalLM"],
    )
    images = tf.Phi4MultimodalImageProcessor(dynamic_hd=1)
    processor = tf.Phi4MultimodalProcessor(images, tf.Phi4MultimodalFeatureExtractor(), tokenizer)
    return config, [tokenizer, processor], _template("<|image|>")


TODAY = {
    "minicpm-v": _minicpm_v,
    "molmo2": _molmo2,
    "kimi-k2.5": _kimi_k25,
    "phi4-multimodal": _phi4,
    "qwen2.5-vl": _qwen2_5_vl,
    "qwen3-vl": _qwen3_vl,
    "qwen3-vl-moe": _qwen3_vl_moe,
    "qwen3.5": _qwen3_5,
    "internvl": _internvl,
    "llava-onevision": _llava_onevision,
    "smolvlm": _smolvlm,
    "glm4v": _glm4v,
    "pixtral": _pixtral,
    "mistral3": _mistral3,
    "ovis2": _ovis2,
    "deepseek-vl": _deepseek_vl,
}
