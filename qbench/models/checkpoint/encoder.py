"""Encoders of images and texts (CLIP, SigLIP, BLIP and their kin): unit vectors, and texts weighed by cosine.

The logit of a text is 100 times its cosine with the image. At the temperature of 100 that Q-Bench's tables use, the
softmax of "a photo of good quality" and "a photo of poor quality" is then Eq. 2, the softmax of the cosines
(https://arxiv.org/abs/2309.14181, A.2.3); at temperature 1 it is CLIP's own, whose learned scale is 100.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from qbench.errors import UserError
from qbench.models import Model
from qbench.models.checkpoint.inputs import Unanswerable, decode_pictures, images_at_once, isolate_failures
from qbench.models.checkpoint.weights import Checkpoint, identity_of, load_processor, load_weights, memory_errors
from qbench.records import Picture, Prompt, Response, Want

SCALE = 100
"""Logit of a cosine of 1."""


def open_encoder(checkpoint: Checkpoint) -> Encoder:
    """Load an encoder, in float32: it is small, and cosines of different qualities differ in the third decimal."""
    import torch
    import transformers

    if checkpoint.config["model_type"] == "blip-2":
        raise UserError(
            f"{checkpoint.source} compares an image with a text through both at once and has no vectors for either; "
            "use a CLIP, SigLIP or BLIP checkpoint"
        )
    maker: Any = transformers.AutoModel
    if (checkpoint.config.get("architectures") or [""])[0] == "BlipForImageTextRetrieval":
        maker = transformers.BlipForImageTextRetrieval
    processor = load_processor(checkpoint)
    return Encoder(checkpoint, processor, load_weights(checkpoint, maker, torch.float32))


class Encoder(Model):
    """A loaded encoder of images and texts."""

    wants: frozenset[Want] = frozenset({"embedding", "words"})

    def __init__(self, checkpoint: Checkpoint, processor: Any, model: Any) -> None:
        self.name = checkpoint.name
        self.batch_size = 64 if model.device.type == "cuda" else 16
        scale = {"architecture": model.config.model_type, "scale": SCALE}
        self.identity: Mapping[str, Any] = identity_of(checkpoint, model.dtype, processor) | scale
        self._processor = processor
        self._model = model
        self._one_at_a_time = threading.Lock()

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        """Answer prompts that all want the same, in order; each image and text is embedded once."""
        import torch

        with self._one_at_a_time, memory_errors(), torch.inference_mode():
            return isolate_failures(self._weigh if prompts[0].want == "words" else self._embed, prompts)

    def _embed(self, prompts: Sequence[Prompt]) -> list[Response]:
        if any(len(prompt.parts) != 1 for prompt in prompts):
            raise Unanswerable("an encoder embeds one image or one text at a time")
        vectors = self._vectors(prompt.parts[0] for prompt in prompts)
        return [Response(embedding=tuple(vectors[prompt.parts[0]].tolist())) for prompt in prompts]

    def _weigh(self, prompts: Sequence[Prompt]) -> list[Response]:
        if any(len(prompt.parts) != 1 or not isinstance(prompt.parts[0], Picture) for prompt in prompts):
            raise Unanswerable("an encoder weighs texts against one image, without a question; put all text into words")
        vectors = self._vectors(item for prompt in prompts for item in (prompt.parts[0], *prompt.words))
        return [
            Response(logits={word: SCALE * float(vectors[prompt.parts[0]] @ vectors[word]) for word in prompt.words})
            for prompt in prompts
        ]

    def _vectors(self, items: Iterable[str | Picture]) -> dict[str | Picture, Any]:
        """Unit vectors of images and texts, each embedded once."""
        unique = list(dict.fromkeys(items))
        texts = [item for item in unique if isinstance(item, str)]
        pictures = [item for item in unique if isinstance(item, Picture)]
        vectors: dict[str | Picture, Any] = {}
        if pictures:
            pixels, count = list(decode_pictures(pictures).values()), images_at_once(self._model.device)
            batches = [pixels[start : start + count] for start in range(0, len(pixels), count)]
            units = (unit for batch in batches for unit in self._units("image", images=batch))
            vectors |= zip(pictures, units, strict=True)
        if texts:
            # SigLIP reads a text at its last position, padding included, and was trained at full length.
            padding = "max_length" if self._model.config.model_type.startswith("siglip") else "longest"
            most = self._model.config.text_config.max_position_embeddings
            units = self._units("text", text=texts, padding=padding, truncation=True, max_length=most)
            vectors |= zip(texts, units, strict=True)
        return vectors

    def _units(self, side: Literal["image", "text"], **content: Any) -> Any:
        import torch

        inputs = self._processor(**content, return_tensors="pt").to(self._model.device)
        if hasattr(self._model, "itm_head"):  # BLIP's retrieval model: what it compares before its matching head
            tower, project = {"image": ("vision_model", "vision_proj"), "text": ("text_encoder", "text_proj")}[side]
            states = getattr(self._model, tower)(**inputs).last_hidden_state
            features = getattr(self._model, project)(states[:, 0])
        else:
            features = getattr(self._model, f"get_{side}_features")(**inputs).pooler_output
        return torch.nn.functional.normalize(features.cpu().double(), dim=-1)
