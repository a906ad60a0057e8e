"""What a model's eye made of pictures, kept for when they are shown again.

Both orders of a pair, several questions about one photo, and every match of a tournament show the same few pictures.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from qbench.models.chat import Rendered
from qbench.models.inputs import accepted, decode
from qbench.records import Picture

SIGHTED = frozenset({"llava"})
"""Model types that see every picture by itself, as one tensor, in place of one mark repeated in the text."""
_KEPT = 64
"""Pictures; of a model with 7 billion parameters each takes 5 MB."""


def has_sights(model: Any) -> bool:
    """Whether what this model sees can be kept; Pixtral's pictures differ in size and are seen side by side."""
    config = model.config
    return (
        config.model_type in SIGHTED
        and config.vision_config.model_type != "pixtral"
        and "mm_encoder_outputs" in accepted(model)
    )


class Sights:
    """The eye of one model."""

    def __init__(self, processor: Any, model: Any) -> None:
        self._processor = processor
        self._model = model
        self._marks: dict[Picture, int] = {}
        """How often the mark stands for a picture."""
        self._kept: OrderedDict[Picture, Any] = OrderedDict()

    def prepare(self, pictures: Iterable[Picture]) -> dict[Picture, Any]:
        """The tensors of those pictures that are not kept; another thread may do this.

        Raises:
            DataError: One of them is damaged.
        """
        images = decode(picture for picture in pictures if picture not in self._kept)
        if not images:
            return {}
        mark = self._processor.image_token
        inputs = self._processor(
            images=[*images.values()], text=[mark] * len(images), padding=True, return_tensors="pt"
        )
        counts = (inputs["input_ids"] == self._processor.image_token_id).sum(dim=1).tolist()
        self._marks |= zip(images, counts, strict=True)
        return dict(zip(images, inputs["pixel_values"], strict=True))

    def marked(self, prompt: Rendered) -> str:
        """The prompt's text with as many marks as each of its pictures takes."""
        first, *rest = prompt.text.split(self._processor.image_token)
        if len(rest) != len(prompt.pictures):
            raise ValueError(f"the text has {len(rest)} image marks for {len(prompt.pictures)} images")
        marks = (self._processor.image_token * self._marks[picture] for picture in prompt.pictures)
        return first + "".join(mark + said for mark, said in zip(marks, rest, strict=True))

    def see(self, pictures: Sequence[Picture], prepared: Mapping[Picture, Any]) -> dict[str, Any]:
        """What the model takes in place of pixels: what it makes of these pictures, new ones looked at together."""
        import torch
        from transformers.modeling_outputs import BaseModelOutputWithPooling

        found = {picture: self._kept[picture] for picture in pictures if picture in self._kept}
        unseen = [picture for picture in dict.fromkeys(pictures) if picture not in found]
        if unseen:
            prepared = {**self.prepare(one for one in unseen if one not in prepared), **prepared}
            pixels = torch.stack([prepared[one] for one in unseen]).to(self._model.device, self._model.dtype)
            found |= zip(unseen, self._model.get_image_features(pixel_values=pixels).pooler_output, strict=True)
        for picture, seen in found.items():
            self._kept[picture] = seen
            self._kept.move_to_end(picture)
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return {"image": BaseModelOutputWithPooling(pooler_output=[found[one] for one in pictures])}
