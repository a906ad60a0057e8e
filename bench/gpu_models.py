"""Models of real size with random weights, built on a GPU, and photos to ask them about; `bench.gpu` measures them."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
import transformers as tf
from PIL import Image

from bench.hardware import MODELS
from qbench.images import open_picture
from qbench.models.checkpoint.devices import pick_device
from qbench.models.checkpoint.vision_towers import speed_up_vision
from qbench.models.checkpoint.vlm import Vlm
from qbench.models.checkpoint.weights import Checkpoint, load_processor
from qbench.records import Picture
from tests.models.tiny import KINDS
from tests.models.tiny_parts import token_ids


class Bench:
    """The device, the sizes, and where files lie."""

    def __init__(self, folder: Path, *, tiny: bool) -> None:
        self.folder, self.tiny = folder, tiny
        self.device = torch.device(pick_device("auto"))
        self.dtype = torch.bfloat16
        self._drawn = 0

    def photos(self, count: int) -> list[Picture]:
        """JPEG files that nobody has read yet."""
        width, height = (64, 48) if self.tiny else (1024, 768)

        def draw(number: int) -> Picture:
            coarse = np.random.default_rng(number).integers(0, 256, (24, 32, 3), dtype=np.uint8)
            path = self.folder / f"{number}.jpg"
            Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC).save(path, quality=90)
            return open_picture(path)

        numbers = range(self._drawn, self._drawn + count)
        self._drawn += count
        with ThreadPoolExecutor() as pool:
            return list(pool.map(draw, numbers))

    def checkpoint(self, kind: str) -> Checkpoint:
        """Settings of a checkpoint, with its processor and without weights."""
        config, parts, template = KINDS[kind]()
        if not self.tiny:
            tokenizer, small = parts[0], config
            config = MODELS["Qwen2.5-VL-7B" if kind == "qwen2.5-vl" else "LLaVA-1.5-7B"]()
            for name in ("image_token_id", "video_token_id", "vision_start_token_id", "vision_end_token_id"):
                if hasattr(small, name):
                    setattr(config, name, getattr(small, name))
            for name in ("bos_token_id", "eos_token_id", "pad_token_id"):
                setattr(config.text_config, name, token_ids(tokenizer)[name])
            if kind == "qwen2.5-vl":
                sections = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [16, 24, 24]}
                config.text_config.rope_parameters = sections
                parts = [tokenizer, tf.Qwen2VLImageProcessor()]
            else:
                images = tf.CLIPImageProcessor(size={"shortest_edge": 336}, crop_size={"height": 336, "width": 336})
                how = {"patch_size": 14, "vision_feature_select_strategy": "default", "num_additional_image_tokens": 1}
                parts = [tokenizer, tf.LlavaProcessor(images, tokenizer, **how)]
        folder = self.folder / kind
        config.save_pretrained(folder)
        for part in parts:
            part.save_pretrained(folder)
        (folder / "chat_template.jinja").write_text(template or "", encoding="utf-8")
        return Checkpoint(str(folder), None, config.to_dict(), self.device.type, remote_code=False)

    def model(self, kind: str) -> Vlm:
        """A vision-language model with random weights, made on the device."""
        found = self.checkpoint(kind)
        gc.collect()
        torch.cuda.empty_cache()
        torch.manual_seed(0)
        with torch.device(self.device):
            config = tf.AutoConfig.from_pretrained(found.source)
            model = tf.AutoModelForImageTextToText.from_config(config, dtype=self.dtype).eval()
        model.generation_config.pad_token_id = config.get_text_config().pad_token_id
        model.generation_config.eos_token_id = None  # texts of equal length
        speed_up_vision(model)
        return Vlm(found, load_processor(found), model)
