"""The architectures of 2024 to 2026 of which `tests.models.tiny` builds checkpoints."""

from __future__ import annotations

from tests.models import tiny_grids, tiny_tiles

TODAY = {
    "gemma4": tiny_grids.gemma4,
    "llama-3.2-vision": tiny_tiles.mllama,
    "aya-vision": tiny_tiles.aya_vision,
    "minicpm-v": tiny_tiles.minicpm_v,
    "molmo2": tiny_tiles.molmo2,
    "kimi-k2.5": tiny_grids.kimi_k25,
    "phi4-multimodal": tiny_tiles.phi4,
    "qwen2.5-vl": tiny_grids.qwen2_5_vl,
    "qwen3-vl": tiny_grids.qwen3_vl,
    "qwen3-vl-moe": tiny_grids.qwen3_vl_moe,
    "qwen3.5": tiny_grids.qwen3_5,
    "internvl": tiny_tiles.internvl,
    "llava-onevision": tiny_tiles.llava_onevision,
    "smolvlm": tiny_tiles.smolvlm,
    "glm4v": tiny_grids.glm4v,
    "pixtral": tiny_grids.pixtral,
    "mistral3": tiny_grids.mistral3,
    "ovis2": tiny_tiles.ovis2,
    "deepseek-vl": tiny_tiles.deepseek_vl,
}
NEEDS = {
    "smolvlm": "num2words",
    **dict.fromkeys(("pixtral", "mistral3", "molmo2", "kimi-k2.5", "phi4-multimodal"), "torchvision"),
}
"""Kind -> the package without which Transformers does not build its processor."""
