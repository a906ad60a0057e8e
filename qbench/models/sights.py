"""What a model's eye made of pictures, kept for when they are shown again.

Both orders of a pair, several questions about one photo, and every match of a tournament show the same few pictures.
The mean of what it makes of one is that picture's embedding.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from qbench.models.chat import Rendered
from qbench.models.inputs import Side, Unanswerable, accepted, check_length, decode, special_tokens
from qbench.models.weights import first_line
from qbench.records import Picture, Prompt, Response

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
        self._marks = 0
        """How often the mark stands for a picture, of whatever size; known once one was prepared."""
        self._kept: OrderedDict[Picture, Any] = OrderedDict()

    def to_inputs(self, prompts: Sequence[Rendered], endings: Sequence[str], side: Side) -> dict[str, Any]:
        """What `qbench.models.inputs.to_inputs` gives, with what `see` takes in place of pixels; in any thread.

        Raises:
            Unanswerable: The processor or the model cannot take one of them.
            DataError: An image is damaged.
        """
        pictures = [picture for prompt in prompts for picture in prompt.pictures]
        prepared = self._prepare(pictures)
        texts = [self._marked(prompt) + ending for prompt, ending in zip(prompts, endings, strict=True)]
        encoded = self._processor.tokenizer(
            texts, padding=True, padding_side=side, return_tensors="pt", **special_tokens(self._processor, texts)
        )
        check_length(self._model, encoded)
        inputs = {name: encoded[name].to(self._model.device) for name in ("input_ids", "attention_mask")}
        return {**inputs, "pictures": pictures, "prepared": prepared}

    def _prepare(self, pictures: Iterable[Picture]) -> dict[Picture, Any]:
        """The pixels of those pictures that are not kept."""
        images = decode(picture for picture in pictures if picture not in self._kept)
        if not images:
            return {}
        marks = [self._processor.image_token] * len(images)
        try:
            inputs = self._processor(images=[*images.values()], text=marks, return_tensors="pt")
        except ValueError as error:
            raise Unanswerable(f"the model's processor refuses it: {first_line(error)}") from None
        self._marks = int((inputs["input_ids"][0] == self._processor.image_token_id).sum())
        return dict(zip(images, inputs["pixel_values"], strict=True))

    def _marked(self, prompt: Rendered) -> str:
        """The prompt's text with as many marks as its pictures take."""
        mark = self._processor.image_token
        if prompt.text.count(mark) != len(prompt.pictures):
            raise Unanswerable(f"the text has {prompt.text.count(mark)} image marks for {len(prompt.pictures)} images")
        return prompt.text.replace(mark, mark * self._marks)

    def see(self, pictures: Sequence[Picture], prepared: Mapping[Picture, Any]) -> dict[str, Any]:
        """What it makes of these pictures, which it takes in place of their pixels; new ones are looked at together."""
        from transformers.modeling_outputs import BaseModelOutputWithPooling

        return {"image": BaseModelOutputWithPooling(pooler_output=self._look(pictures, prepared))}

    def embed(self, prompts: Sequence[Prompt]) -> list[Response]:
        """The mean of each picture's tokens, as they are handed to the language model.

        Raises:
            Unanswerable: One of the prompts is not one picture alone.
            DataError: An image is damaged.
        """
        pictures = [part for prompt in prompts for part in prompt.parts if isinstance(part, Picture)]
        if any(len(prompt.parts) != 1 for prompt in prompts) or len(pictures) != len(prompts):
            raise Unanswerable("a vision-language model embeds one image at a time and no text; ask it about captions")
        return [
            Response(
                embedding=tuple(tokens.float().mean(dim=0).tolist()),
                note=f"the mean of the {len(tokens)} tokens that the model's eye hands to its language model",
            )
            for tokens in self._look(pictures, {})
        ]

    def _look(self, pictures: Sequence[Picture], prepared: Mapping[Picture, Any]) -> list[Any]:
        """Tokens of each picture."""
        import torch

        found = {picture: self._kept[picture] for picture in pictures if picture in self._kept}
        unseen = [picture for picture in dict.fromkeys(pictures) if picture not in found]
        if unseen:
            prepared = {**self._prepare(one for one in unseen if one not in prepared), **prepared}
            pixels = torch.stack([prepared[one] for one in unseen]).to(self._model.device, self._model.dtype)
            found |= zip(unseen, self._model.get_image_features(pixel_values=pixels).pooler_output, strict=True)
        for picture, seen in found.items():
            self._kept[picture] = seen
            self._kept.move_to_end(picture)
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return [found[one] for one in pictures]
