"""The first image of prompts that show several: read once, and kept to continue from with any image after it.

In a study of pairs each image comes first many times, and what a decoder makes of the beginning of a prompt does not
depend on what follows. Keys and values take much memory, so that a bounded number of bytes is kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from qbench.models.checkpoint.chat import RenderedPrompt
from qbench.models.checkpoint.inputs import Inputs
from qbench.models.checkpoint.network import Network
from qbench.models.checkpoint.scoring import ReadLogits
from qbench.records import Picture

FIRST_IMAGE_MODEL_TYPES = frozenset({"llava", "fast_vlm", "qwen2_vl", "qwen2_5_vl", "qwen3_vl"})
"""Model types that were seen to continue from the cache of one image with another as they would read both."""
MOST_BYTES = 2 << 30
"""Of keys and values. One image takes 1 MB in nano-vlm, and 600 MB in a LLaVA of 7 billion parameters."""

Kept = tuple[tuple[Any, Any], ...]
"""Keys and values of each layer, for one prompt."""


def continues_after_image(model: Any) -> bool:
    """Whether a model can be read in two parts: its type is known, and each of its layers keeps all it has read."""
    import transformers
    from transformers.cache_utils import DynamicLayer

    if model.config.model_type not in FIRST_IMAGE_MODEL_TYPES or model.config.vision_config.model_type == "pixtral":
        return False
    layers = transformers.DynamicCache(config=model.config.get_text_config()).layers
    return all(type(layer) is DynamicLayer for layer in layers)


def why_read_in_full(network: Network) -> str:
    """Why pairs are not continued from their first image; empty where they can be."""
    if not continues_after_image(network.model):
        return f"{network.model_type} is not among the architectures that were seen to continue after an image"
    # Rounding depends on what is read together.
    return "" if network.is_float32 else f"in {str(network.precision).removeprefix('torch.')} answers would change"


class FirstImageCache:
    """Wraps reading: prompts of several images continue from the end of their first."""

    def __init__(self, network: Network, read: ReadLogits, most_bytes: int = MOST_BYTES) -> None:
        self._network = network
        self._read = read
        self._most_bytes = most_bytes
        self._kept: OrderedDict[tuple[Picture, tuple[int, ...]], Kept] = OrderedDict()
        self.bytes = 0
        """That are kept now."""

    def read(self, prompts: Sequence[RenderedPrompt], inputs: Inputs, positions: Sequence[int]) -> Any:
        """Logits at these positions of every row, padded on the right; zeros at those before a row's second image."""
        import torch

        shown = len(prompts[0].pictures)
        if len(prompts) == 1 or shown < 2:
            return self._read(prompts, inputs, positions)
        groups: dict[int, list[int]] = {}
        for row, end in enumerate(self._ends_of_first_images(inputs, shown)):
            groups.setdefault(end, []).append(row)
        inputs = {**inputs, **self._places(inputs)}
        found = torch.zeros(0)
        for end, rows in groups.items():
            first = [prompts[row].pictures[0] for row in rows]
            after = [place for place, position in enumerate(positions) if position >= end]
            rest = _part(inputs, rows, slice(end, None), shown, slice(1, None))
            past = self._past([*zip(first, rows, strict=True)], inputs, end, shown)
            logits = self._network.forward(
                {**rest, "past_key_values": past}, [positions[place] - end for place in after], use_cache=True
            ).logits
            if not found.numel():
                found = logits.new_zeros(len(prompts), len(positions), logits.shape[-1])
            found[torch.tensor(rows)[:, None], torch.tensor(after)] = logits
        return found

    def _ends_of_first_images(self, inputs: Inputs, shown: int) -> list[int]:
        """How many tokens of each row its first image and what comes before it take."""
        marks = inputs["input_ids"] == self._network.model.config.image_token_id
        counts = marks.sum(dim=1) // shown
        if "image_grid_thw" in inputs:
            merged = self._network.model.config.vision_config.spatial_merge_size**2
            counts = inputs["image_grid_thw"][::shown].prod(dim=1) // merged
        seen = marks.cumsum(dim=1)
        return [int((own < count).sum()) + 1 for own, count in zip(seen, counts, strict=True)]

    def _places(self, inputs: Inputs) -> Inputs:
        """The places of tokens in time, height and width, for models that tell them apart."""
        if "image_grid_thw" not in inputs:
            return {}
        names = ("input_ids", "mm_token_type_ids", "image_grid_thw", "attention_mask")
        places, _ = self._network.model.model.get_rope_index(**{name: inputs[name] for name in names})
        return {"position_ids": places}

    def _past(self, rows: Sequence[tuple[Picture, int]], inputs: Inputs, end: int, shown: int) -> Any:
        """Keys and values of the first images of rows, each read if it is not kept."""
        import torch
        import transformers

        keys = [(picture, tuple(inputs["input_ids"][row, :end].tolist())) for picture, row in rows]
        found = {key: self._kept[key] for key in keys if key in self._kept}
        unread = {key: row for key, (_, row) in zip(keys, rows, strict=True) if key not in found}
        if unread:
            beginning = _part(inputs, [*unread.values()], slice(end), shown, slice(1))
            past = self._network.forward(beginning, [end - 1], use_cache=True).past_key_values
            for place, key in enumerate(unread):
                own = slice(place, place + 1)
                found[key] = tuple((layer.keys[own].clone(), layer.values[own].clone()) for layer in past.layers)
        self._keep(found)
        together = transformers.DynamicCache()
        for layer in range(len(found[keys[0]])):
            pairs = zip(*(found[key][layer] for key in keys), strict=True)
            together.update(*(torch.cat(each) for each in pairs), layer)
        return together

    def _keep(self, found: dict[tuple[Picture, tuple[int, ...]], Kept]) -> None:
        """Keep these as the latest; those of longest ago make room."""
        for key, kept in found.items():
            self.bytes += 0 if key in self._kept else _bytes_of(kept)
            self._kept[key] = kept
            self._kept.move_to_end(key)
        while self.bytes > self._most_bytes:
            self.bytes -= _bytes_of(self._kept.popitem(last=False)[1])


def _bytes_of(kept: Kept) -> int:
    return sum(int(tensor.nbytes) for layer in kept for tensor in layer)


def _part(inputs: Inputs, rows: Sequence[int], tokens: slice, shown: int, images: slice) -> Inputs:
    """Inputs for some rows, cut to some of their tokens and of the images that each shows."""
    chosen = [row * shown + image for row in rows for image in range(shown)[images]]
    part: Inputs = {"input_ids": inputs["input_ids"][rows, tokens]}
    if "position_ids" in inputs:
        part["position_ids"] = inputs["position_ids"][:, rows, tokens]
    if "mm_encoder_outputs" in inputs:
        known = inputs["mm_encoder_outputs"]["image"]
        features = known.pooler_output
        features = [features[each] for each in chosen] if isinstance(features, (list, tuple)) else features[chosen]
        return {**part, "mm_encoder_outputs": {"image": type(known)(pooler_output=features)}}
    pixels = inputs["pixel_values"]
    if "image_grid_thw" not in inputs:
        return {**part, "pixel_values": pixels[chosen]}
    grids = inputs["image_grid_thw"]
    ends = [0, *accumulate(grids.prod(dim=1).tolist())]
    patches = [patch for each in chosen for patch in range(ends[each], ends[each + 1])]
    return {**part, "pixel_values": pixels[patches], "image_grid_thw": grids[chosen]}
