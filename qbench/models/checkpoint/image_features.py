"""What a vision encoder makes of images: the tokens that the language model is given in place of each.

The mean of an image's tokens is its embedding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from qbench.models.checkpoint.inputs import Unanswerable, decode_pictures, forward_arguments, images_at_once
from qbench.models.checkpoint.network import Network
from qbench.models.checkpoint.weights import first_sentence
from qbench.records import Picture, Prompt, Response

MODEL_TYPES = frozenset({"llava", "fast_vlm"})
"""Model types that encode every image by itself, as one tensor, in place of one mark repeated in the text."""
STACKED = frozenset({"fast_vlm"})
"""Those of them that take the tokens of all images as one tensor; the others take a list."""

TokensOf = Callable[[Sequence[Picture]], list[Any]]
"""Images -> for each a tensor with a row for each of its tokens."""


def encodes_images_alone(model: Any) -> bool:
    """Whether an image's tokens can be computed apart; Pixtral's images differ in size and are encoded side by side."""
    config = model.config
    return (
        config.model_type in MODEL_TYPES
        and config.vision_config.model_type != "pixtral"
        and "mm_encoder_outputs" in forward_arguments(model)
    )


class ImageFeatures:
    """The vision encoder of one model."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.tokens_per_image = 0
        """How often the mark in the text stands for an image, of whatever size; known once one was prepared."""

    def pixels_of(self, pictures: Iterable[Picture]) -> dict[Picture, Any]:
        """The pixels of images as the encoder takes them; in any thread.

        Raises:
            Unanswerable: The processor refuses one of them.
            DataError: An image is damaged.
        """
        processor, images = self.network.processor, decode_pictures(pictures)
        if not images:
            return {}
        try:
            inputs = processor(
                images=[*images.values()], text=[processor.image_token] * len(images), return_tensors="pt"
            )
        except ValueError as error:
            raise Unanswerable(f"the model's processor refuses it: {first_sentence(error)}") from None
        self.tokens_per_image = int((inputs["input_ids"][0] == processor.image_token_id).sum())
        return dict(zip(images, inputs["pixel_values"], strict=True))

    def tokens_of(self, pictures: Sequence[Picture], pixels: Mapping[Picture, Any] | None = None) -> list[Any]:
        """The tokens of each image; an image that comes several times is encoded once.

        Args:
            pictures: The images.
            pixels: From `pixels_of`, as far as they were prepared before.
        """
        import torch

        model, pixels = self.network.model, pixels or {}
        unique = list(dict.fromkeys(pictures))
        pixels = {**self.pixels_of(picture for picture in unique if picture not in pixels), **pixels}
        stacked = torch.stack([pixels[picture] for picture in unique]).to(model.device, model.dtype)
        batches = stacked.split(min(images_at_once(model.device), len(stacked)))
        encoded = (each for batch in batches for each in model.get_image_features(pixel_values=batch).pooler_output)
        tokens = dict(zip(unique, encoded, strict=True))
        return [tokens[picture] for picture in pictures]


def embed(prompts: Sequence[Prompt], tokens_of: TokensOf) -> list[Response]:
    """The mean of each image's tokens, as they are handed to the language model.

    Raises:
        Unanswerable: One of the prompts is not one image alone.
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
        for tokens in tokens_of(pictures)
    ]
