"""Tiny real architectures, randomly initialised from configuration and saved as folders that load like any checkpoint.

Nothing is downloaded. Weights are drawn large enough for a misplaced position or mask to change the logits visibly,
which the library's own initialisation would hide.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import transformers as tf

from tests.models import tiny_text as text
from tests.models import tiny_today
from tests.models.tiny_parts import (
    CUT_MARKS,
    EYE,
    GRID,
    IDEFICS_MARKS,
    LANGUAGE,
    SHORT,
    SIDE,
    VISION,
    Built,
    reader,
    token_ids,
)


def build(kind: str, folder: Path, seed: int = 0) -> Path:
    """Write a checkpoint of this kind into a folder and return the folder."""
    torch.manual_seed(seed)
    config, parts, template = KINDS[kind]()
    name = type(config).__name__.removesuffix("Config")
    model = getattr(tf, name + HEADS.get(name, "ForConditionalGeneration"))(config).eval()
    _draw_weights(model, seed)
    if model.can_generate():
        model.generation_config.pad_token_id = parts[0].pad_token_id
        model.generation_config.eos_token_id = parts[0].eos_token_id
    model.save_pretrained(folder)
    for part in parts:
        part.save_pretrained(folder)
    if template:
        (folder / "chat_template.jinja").write_text(template, encoding="utf-8")
    return folder


def _draw_weights(model: torch.nn.Module, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    for name, weight in model.named_parameters():
        if "norm" in name or "_bn" in name or "logit_" in name:
            continue
        fan_in = weight[0].numel() if weight.ndim > 1 and "embed" not in name and "shared" not in name else 1
        scale = (0.3 if "embed" in name else 1.0) if weight.ndim > 1 else 0.1
        weight.data = torch.randn(weight.shape, generator=generator) * scale / fan_in**0.5
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):  # the library draws them so small that no picture comes through
            torch.nn.init.constant_(module.weight, 2.0)
    head = model.get_output_embeddings()
    if head is not None and head.weight is not model.get_input_embeddings().weight:
        head.weight.data *= 4


HEADS = {"Idefics": "ForVisionText2Text", "CLIP": "Model", "Siglip": "Model", "Blip": "ForImageTextRetrieval"}


def _llava_like(
    kind: Any, vision: Any, images: Any, patch: int = 7, has_class_token: bool = True, **more: Any
) -> Built:
    tokenizer = text.llama(["<image>"])
    processor = (tf.LlavaNextProcessor if kind is tf.LlavaNextConfig else tf.LlavaProcessor)(
        images,
        tokenizer,
        patch_size=patch,
        vision_feature_select_strategy="default" if has_class_token else "full",
        num_additional_image_tokens=int(has_class_token),
    )
    return reader(kind, tokenizer, vision, **more), [tokenizer, processor], text.LLAVA_TEMPLATE


def _llava() -> Built:
    images = tf.CLIPImageProcessor(size=SHORT, crop_size=SIDE)
    return _llava_like(tf.LlavaConfig, tf.CLIPVisionConfig(**EYE), images)


def _fast_vlm() -> Built:
    """With the eye of nano-vlm, whose maps are 32 times smaller than its pictures."""
    eye = tf.EfficientNetConfig(
        width_coefficient=0.1, depth_coefficient=0.1, hidden_dim=128, hidden_size=128, image_size=64
    )
    images = tf.CLIPImageProcessor(size={"shortest_edge": 64}, crop_size={"height": 64, "width": 64})
    return _llava_like(tf.FastVlmConfig, eye, images, patch=32, has_class_token=False, image_seq_length=4)


def _llava_next() -> Built:
    images = tf.LlavaNextImageProcessor(size=SHORT, crop_size=SIDE, image_grid_pinpoints=GRID)
    return _llava_like(tf.LlavaNextConfig, tf.CLIPVisionConfig(**EYE), images, image_grid_pinpoints=GRID)


def _idefics3() -> Built:
    tokenizer = text.qwen([*IDEFICS_MARKS, "<global-img>", *CUT_MARKS])
    config = reader(tf.Idefics3Config, tokenizer, EYE, scale_factor=2)
    images = tf.Idefics3ImageProcessor(size={"longest_edge": 56}, max_image_size={"longest_edge": 28})
    return config, [tokenizer, tf.Idefics3Processor(images, tokenizer, image_seq_len=4)], text.IDEFICS_TEMPLATE


def _idefics() -> Built:
    tokenizer = text.llama(IDEFICS_MARKS)
    ids = token_ids(tokenizer)
    config = tf.IdeficsConfig(
        **VISION,
        max_position_embeddings=2048,
        **{**ids, "vocab_size": ids["vocab_size"] - 3},
        additional_vocab_size=3,
        alpha_initializer="ones",
        vision_config={**EYE, "embed_dim": 32},
        use_resampler=True,
        perceiver_config={"resampler_n_latents": 4, "resampler_n_heads": 2, "resampler_head_dim": 16},
    )
    return config, [tokenizer, tf.IdeficsProcessor(tf.IdeficsImageProcessor(image_size=28), tokenizer)], None


def _idefics2() -> Built:
    tokenizer = text.llama(IDEFICS_MARKS)
    perceiver = {"resampler_n_latents": 4, "resampler_depth": 2, "resampler_n_heads": 2, "resampler_head_dim": 16}
    config = reader(
        tf.Idefics2Config,
        tokenizer,
        {**EYE, "image_size": 56},
        language=tf.MistralConfig,
        perceiver_config={"hidden_size": 32, "num_key_value_heads": 2, **perceiver},
    )
    images = tf.Idefics2ImageProcessor(size={"shortest_edge": 28, "longest_edge": 56})
    return config, [tokenizer, tf.Idefics2Processor(images, tokenizer, image_seq_len=4)], text.IDEFICS_TEMPLATE


def _gemma3() -> Built:
    tokenizer = text.gemma(image_token="<image_soft_token>", boi_token="<start_of_image>", eoi_token="<end_of_image>")
    config = tf.Gemma3Config(
        vision_config=tf.SiglipVisionConfig(**EYE),
        text_config=tf.Gemma3TextConfig(**LANGUAGE, **token_ids(tokenizer), sliding_window=16),
        mm_tokens_per_image=4,
        boi_token_index=tokenizer.boi_token_id,
        eoi_token_index=tokenizer.eoi_token_id,
        image_token_index=tokenizer.image_token_id,
    )
    processor = tf.Gemma3Processor(tf.Gemma3ImageProcessor(size=SIDE), tokenizer, image_seq_length=4)
    return config, [tokenizer, processor], text.GEMMA_TEMPLATE


def _qformer(**more: Any) -> dict[str, Any]:
    return {**VISION, "encoder_hidden_size": 32, "cross_attention_frequency": 1, **more}


def _instructblip(language: Any, tokenizer: Any) -> Built:
    qformer_tokenizer = text.bert()
    images = tf.BlipImageProcessor(size=SIDE)
    processor = tf.InstructBlipProcessor(images, tokenizer, qformer_tokenizer, num_query_tokens=4)
    config = tf.InstructBlipConfig(
        vision_config=EYE,
        qformer_config=_qformer(vocab_size=len(qformer_tokenizer), max_position_embeddings=512),
        text_config=language(len(tokenizer)),
        num_query_tokens=4,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
    )
    return config, [tokenizer, processor], None


def _instructblip_t5() -> Built:
    sizes = {"d_model": 32, "d_ff": 48, "d_kv": 16, "num_layers": 2, "num_heads": 2, "decoder_start_token_id": 0}
    return _instructblip(lambda size: tf.T5Config(vocab_size=size, **sizes), text.t5())


def _instructblip_vicuna() -> Built:
    tokenizer = text.llama([])
    ids = token_ids(tokenizer)
    return _instructblip(lambda size: tf.LlamaConfig(**LANGUAGE, **{**ids, "vocab_size": size}), tokenizer)


def _blip2_opt() -> Built:
    tokenizer = text.qwen([])
    processor = tf.Blip2Processor(tf.BlipImageProcessor(size=SIDE), tokenizer, num_query_tokens=4)
    language = {"hidden_size": 32, "ffn_dim": 48, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = tf.Blip2Config(
        vision_config=EYE,
        qformer_config=_qformer(),
        text_config=tf.OPTConfig(
            **language, **token_ids(tokenizer), word_embed_proj_dim=32, max_position_embeddings=512
        ),
        num_query_tokens=4,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
    )
    return config, [tokenizer, processor], None


def _kosmos2() -> Built:
    tokenizer = text.xlm_roberta()
    processor = tf.Kosmos2Processor(tf.CLIPImageProcessor(size=SIDE, crop_size=SIDE), tokenizer, 16)
    language = {"embed_dim": 32, "layers": 2, "ffn_dim": 48, "attention_heads": 2, "max_position_embeddings": 512}
    config = tf.Kosmos2Config(
        vision_config=EYE,
        text_config={**language, "vocab_size": len(tokenizer)},
        latent_query_num=64,
    )
    return config, [tokenizer, processor], None


def _clip() -> Built:
    tokenizer = text.clip()
    config = tf.CLIPConfig(
        vision_config=EYE,
        text_config={**VISION, **token_ids(tokenizer), "max_position_embeddings": 77},
        projection_dim=24,
        logit_scale_init_value=4.6052,
    )
    images = tf.CLIPImageProcessor(size={"shortest_edge": 28}, crop_size=SIDE)
    return config, [tokenizer, tf.CLIPProcessor(images, tokenizer)], None


def _siglip() -> Built:
    tokenizer = text.gemma()
    config = tf.SiglipConfig(
        vision_config=EYE,
        text_config={**VISION, **token_ids(tokenizer), "max_position_embeddings": 64},
    )
    return config, [tokenizer, tf.SiglipProcessor(tf.SiglipImageProcessor(size=SIDE), tokenizer)], None


def _blip() -> Built:
    tokenizer = text.bert()
    config = tf.BlipConfig(
        vision_config=EYE,
        text_config={**VISION, **token_ids(tokenizer), "encoder_hidden_size": 32, "max_position_embeddings": 77},
        image_text_hidden_size=24,
    )
    return config, [tokenizer, tf.BlipProcessor(tf.BlipImageProcessor(size=SIDE), tokenizer)], None


TODAY = {
    "gemma4": tiny_today.gemma4,
    "llama-3.2-vision": tiny_today.mllama,
    "aya-vision": tiny_today.aya_vision,
    "minicpm-v": tiny_today.minicpm_v,
    "qwen2.5-vl": tiny_today.qwen2_5_vl,
    "qwen3-vl": tiny_today.qwen3_vl,
    "qwen3-vl-moe": tiny_today.qwen3_vl_moe,
    "qwen3.5": tiny_today.qwen3_5,
    "internvl": tiny_today.internvl,
    "llava-onevision": tiny_today.llava_onevision,
    "smolvlm": tiny_today.smolvlm,
    "glm4v": tiny_today.glm4v,
    "ovis2": tiny_today.ovis2,
    "deepseek-vl": tiny_today.deepseek_vl,
}
"""The architectures of 2024 to 2026."""
QUICK = ("qwen3-vl", "internvl")
"""Those that the quick tests build; the others come with the slow ones."""
KINDS = {
    "llava": _llava,
    "fast-vlm": _fast_vlm,
    "llava-next": _llava_next,
    "qwen2-vl": tiny_today.qwen2_vl,
    "idefics": _idefics,
    "idefics2": _idefics2,
    "idefics3": _idefics3,
    "gemma3": _gemma3,
    "instructblip-t5": _instructblip_t5,
    "instructblip-vicuna": _instructblip_vicuna,
    "blip2-opt": _blip2_opt,
    "kosmos2": _kosmos2,
    "clip": _clip,
    "siglip": _siglip,
    "blip": _blip,
    **TODAY,
}
