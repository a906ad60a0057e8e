"""The tokens of images, kept for when the images are shown again.

Both orders of a pair, several questions about one photo, and every match of a tournament show the same few images.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from qbench.models.checkpoint.chat import RenderedPrompt
from qbench.models.checkpoint.image_features import STACKED, ImageFeatures
from qbench.models.checkpoint.inputs import (
    Inputs,
    PaddingSide,
    Prepare,
    Unanswerable,
    check_length,
    special_token_arguments,
)
from qbench.records import Picture

_KEPT_IMAGES = 64
"""Of a model with 7 billion parameters each takes 5 MB."""


class ImageFeatureCache:
    """Wraps a vision encoder, and the preparing of inputs: the model takes the kept tokens in place of pixels."""

    def __init__(self, features: ImageFeatures) -> None:
        self._features = features
        self._network = features.network
        self._kept: OrderedDict[Picture, Any] = OrderedDict()

    def prepare(self, prompts: Sequence[RenderedPrompt], endings: Sequence[str], side: PaddingSide) -> Inputs:
        """What `to_inputs` gives, with the pixels of images that are not kept apart; in any thread.

        Raises:
            Unanswerable: The processor or the model cannot take one of the prompts.
            DataError: An image is damaged.
        """
        processor, model = self._network.processor, self._network.model
        pictures = [picture for prompt in prompts for picture in prompt.pictures]
        pixels = self._features.pixels_of(picture for picture in pictures if picture not in self._kept)
        texts = [self._with_marks(prompt) + ending for prompt, ending in zip(prompts, endings, strict=True)]
        special = special_token_arguments(processor, texts)
        encoded = processor.tokenizer(texts, padding=True, padding_side=side, return_tensors="pt", **special)
        check_length(model, encoded)
        inputs = {name: encoded[name].to(model.device) for name in ("input_ids", "attention_mask")}
        return {**inputs, "pictures": pictures, "pixels": pixels}

    def _with_marks(self, prompt: RenderedPrompt) -> str:
        """The prompt's text with as many marks for each image as it has tokens."""
        mark: str = self._network.processor.image_token
        count = prompt.text.count(mark)
        if count != len(prompt.pictures):
            raise Unanswerable(f"the text has {count} image marks for {len(prompt.pictures)} images")
        return prompt.text.replace(mark, mark * self._features.tokens_per_image)

    def with_tokens(self, prepare: Prepare) -> Prepare:
        """A way of preparing that computes the tokens of the images; where the model may be run."""

        def prepare_with_tokens(prompts: Sequence[RenderedPrompt], endings: Sequence[str], side: PaddingSide) -> Inputs:
            import torch
            from transformers.modeling_outputs import BaseModelOutputWithPooling

            inputs = dict(prepare(prompts, endings, side))
            pictures, pixels = inputs.pop("pictures"), inputs.pop("pixels")
            if pictures:
                tokens: Any = self.tokens_of(pictures, pixels)
                if self._network.model_type in STACKED:
                    tokens = torch.stack(tokens)
                inputs["mm_encoder_outputs"] = {"image": BaseModelOutputWithPooling(pooler_output=tokens)}
            return inputs

        return prepare_with_tokens

    def tokens_of(self, pictures: Sequence[Picture], pixels: Mapping[Picture, Any] | None = None) -> list[Any]:
        """The tokens of each image; those not kept are encoded together, see `ImageFeatures.tokens_of`."""
        found = {picture: self._kept[picture] for picture in pictures if picture in self._kept}
        unseen = [picture for picture in dict.fromkeys(pictures) if picture not in found]
        if unseen:
            found |= zip(unseen, self._features.tokens_of(unseen, pixels), strict=True)
        for picture, tokens in found.items():
            self._kept[picture] = tokens
            self._kept.move_to_end(picture)
        while len(self._kept) > _KEPT_IMAGES:
            self._kept.popitem(last=False)
        return [found[picture] for picture in pictures]
