"""From rendered prompts to the tensors a vision-language model takes: pixels decoded once, text padded on one side."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

from PIL import Image

from qbench.errors import DataError
from qbench.images import load_pixels
from qbench.models.checkpoint.chat import IMAGE_MARKS, RenderedPrompt
from qbench.models.checkpoint.weights import first_sentence
from qbench.records import Picture, Prompt, Response

DECODER_THREADS = 8
"""Threads that decode images; Pillow leaves the interpreter free while it works."""

NO_LEFT_PADDING = frozenset({"kosmos-2"})
"""Model types that count padding on the left as text once they generate from their cache (Transformers 5.23)."""

PaddingSide = Literal["left", "right"]
Inputs = dict[str, Any]
"""Arguments of a model's forward pass."""
Prepare = Callable[[Sequence[RenderedPrompt], Sequence[str], PaddingSide], Inputs]
"""Prompts, the text after each, the side to pad -> inputs."""


def images_at_once(device: Any) -> int:
    """How many images a vision encoder is shown at once.

    On a CPU one: several keep it no busier, and memory for what their layers hand on costs more time than the layers.
    """
    return 1 if device.type == "cpu" else sys.maxsize


class Unanswerable(ValueError):  # noqa: N818 - a property of the prompt, not a fault of the program
    """This model cannot be asked this prompt; the message says why."""


def to_inputs(
    processor: Any, model: Any, prompts: Sequence[RenderedPrompt], endings: Sequence[str], side: PaddingSide
) -> dict[str, Any]:
    """Tensors for prompts that show equally many images, each with something said after it.

    Raises:
        Unanswerable: The processor or the model cannot take one of them.
        DataError: An image is damaged.
    """
    kind = model.config.model_type
    texts = [prompt.text + ending for prompt, ending in zip(prompts, endings, strict=True)]
    pixels = decode_pictures(picture for prompt in prompts for picture in prompt.pictures)
    images = [[pixels[picture] for picture in prompt.pictures] for prompt in prompts]
    if IMAGE_MARKS.get(kind) == "" and any(len(shown) != 1 for shown in images):
        raise Unanswerable(f"{kind} models take exactly one image per prompt")
    processor.tokenizer.padding_side = side
    content: dict[str, Any] = {"text": texts, "images": images if any(images) else None}
    if kind == "idefics":
        content = {"text": [_interleave(text, shown) for text, shown in zip(texts, images, strict=True)]}
    elif IMAGE_MARKS.get(kind) == "":
        content["images"] = [shown[0] for shown in images]
    content |= special_token_arguments(processor, texts)
    try:
        encoded = processor(**content, padding=True, padding_side=side, return_tensors="pt")
    except ValueError as error:
        raise Unanswerable(f"the model's processor refuses it: {first_sentence(error)}") from None
    if hasattr(processor, "qformer_tokenizer"):
        # InstructBLIP's Q-Former reads the instruction: it must not read the answer that is being weighed.
        asked = processor.qformer_tokenizer(
            [prompt.text for prompt in prompts], padding=True, padding_side="right", return_tensors="pt"
        )
        encoded["qformer_input_ids"] = asked["input_ids"]
        encoded["qformer_attention_mask"] = asked["attention_mask"]
    mask = encoded["attention_mask"]
    if not mask[:, 0 if side == "right" else -1].all() or (
        kind in NO_LEFT_PADDING and side == "left" and not mask.all()
    ):
        raise Unanswerable(
            f"{kind} models cannot be padded on the {side}, so that prompts of two lengths share no batch"
        )
    check_length(model, encoded)
    encoded = encoded.to(model.device, model.dtype)
    return {name: value for name, value in encoded.items() if name in forward_arguments(model) - {"labels"}}


def special_token_arguments(processor: Any, texts: Sequence[str]) -> dict[str, bool]:
    """Where the template has written the token that begins a text, the tokenizer must not add another."""
    begins = processor.tokenizer.bos_token
    return {"add_special_tokens": False} if begins and texts[0].startswith(begins) else {}


def forward_arguments(model: Any) -> frozenset[str]:
    """Arguments that a model's forward pass names."""
    return frozenset(inspect.signature(type(model).forward).parameters)


def decode_pictures(pictures: Iterable[Picture]) -> dict[Picture, Image.Image]:
    """The pixels of pictures, in the order of their first mention.

    Raises:
        DataError: One of them is damaged.
    """
    unique = list(dict.fromkeys(pictures))
    with ThreadPoolExecutor(DECODER_THREADS) as pool:
        return dict(zip(unique, pool.map(load_pixels, unique), strict=True))


def isolate_failures(work: Callable[[Sequence[Prompt]], list[Response]], prompts: Sequence[Prompt]) -> list[Response]:
    """Answer together; if one cannot be answered, one by one, so that it fails alone."""
    try:
        return work(prompts)
    except (Unanswerable, DataError) as error:
        if len(prompts) == 1:
            return [Response(failure=str(error))]
        return [response for prompt in prompts for response in isolate_failures(work, [prompt])]


def _interleave(text: str, images: Sequence[Image.Image]) -> list[str | Image.Image]:
    """Text and images in turn, as the processor of the first IDEFICS wants them."""
    first, *rest = text.split(IMAGE_MARKS["idefics"])
    return [first, *(part for image, said in zip(images, rest, strict=True) for part in (image, said))]


def check_length(model: Any, encoded: Any) -> None:
    """Refuse what exceeds a position table: past its end some models crash and the others answer nonsense."""
    config = model.config.get_text_config()
    tables = [("input_ids", None if config.is_encoder_decoder else getattr(config, "max_position_embeddings", None))]
    if "qformer_input_ids" in encoded:
        tables.append(("qformer_input_ids", model.config.qformer_config.max_position_embeddings))
    for name, most in tables:
        length = encoded[name].shape[1]
        if most is not None and length > most:
            raise Unanswerable(f"the prompt has {length} tokens with its images; the model takes {most}")
