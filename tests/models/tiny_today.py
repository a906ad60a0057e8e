"""The architectures of 2024 to 2026 of which `tests.models.tiny` builds checkpoints."""

from __future__ import annotations

from tests.models import tiny_grids, tiny_tiles

TODAY = {
    "gemma4": tiny_grids.gemma4,
    "llama-3.2-vision": tiny_tiles.mllama,
    "aya-vision": tiny_tiles.aya_vision,
    "minicpm-v": tiny_tiles.minicpm_v,
    "qwen2.5-vl": tiny_grids.qwen2_5_vl,
    "qwen3-vl": tiny_grids.qwen3_vl,
    "qwen3-vl-moe": tiny_grids.qwen3_vl_moe,
    "qwen3.5": tiny_grids.qwen3_5,
    "internvl": tiny_tiles.internvl,
    "llava-onevision": tiny_tiles.llava_onevision,
    "smolvlm": tiny_tiles.smolvlm,
    "glm4v": tiny_grids.glm4v,
    "ovis2": tiny_tiles.ovis2,
    "deepseek-vl": tiny_tiles.deepseek_vl,
}
QUICK = ("qwen3-vl", "internvl")
"""Those that the quick tests build; the others come with the slow ones."""
