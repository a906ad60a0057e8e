"""From prompts to what a checkpoint takes: text by its chat template or its authors' plain form, with the pixels."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

from PIL import Image

from qbench.errors import DataError
from qbench.images import load_pixels
from qbench.models.checkpoint.weights import first_sentence
from qbench.records import Picture, Prompt, Response

PLAIN = "Question: {text} Answer:"
"""How a model without a chat template is asked, unless its authors say otherwise."""

PLAIN_FORMS: Mapping[str, str] = {
    "idefics": "User: {text}<end_of_utterance>\nAssistant:",
    "instructblip": "{text}",
    "paligemma": "{text}",
}
"""Model type -> the form on its model card. BLIP-2 and Kosmos-2 use `PLAIN` on theirs."""

IMAGE_MARKS: Mapping[str, str] = {
    "idefics": "<fake_token_around_image><image><fake_token_around_image>",
    "instructblip": "",
    "blip-2": "",
    "kosmos-2": "",
}
"""Model type -> what stands for an image in plain text; nothing where the processor puts the one image first itself."""


@dataclass(frozen=True)
class RenderedPrompt:
    """A prompt as the processor takes it."""

    text: str
    """Up to where the model goes on; of an encoder-decoder, what the encoder reads."""
    pictures: tuple[Picture, ...]
    decoder_prefill: str = ""
    """What the decoder of an encoder-decoder has written already."""


def render(
    prompt: Prompt,
    processor: Any,
    model_type: str,
    *,
    encoder_decoder: bool = False,
    template: dict[str, Any] | None = None,
) -> RenderedPrompt:
    """Write a prompt out; its prefill ends without a space, which belongs to the word that follows."""
    prefill = prompt.prefill.rstrip()
    pictures = tuple(part for part in prompt.parts if isinstance(part, Picture))
    decoder_prefill = prefill if encoder_decoder else ""
    if _has_template(processor, model_type):
        text = _through_template(processor, prompt, "" if decoder_prefill else prefill, template or {})
    else:
        text = _plainly(prompt, processor, model_type) + (f" {prefill}" if prefill and not decoder_prefill else "")
    return RenderedPrompt(text, pictures, decoder_prefill)


def prompt_style(processor: Any, model_type: str) -> str:
    """How prompts are written out, for the record: the digest of the chat template or the plain form itself."""
    if _has_template(processor, model_type):
        return f"chat template {hashlib.sha256(str(processor.chat_template).encode()).hexdigest()[:16]}"
    return f"plain {PLAIN_FORMS.get(model_type, PLAIN)!r}"


def _has_template(processor: Any, model_type: str) -> bool:
    """Whether to go through the chat template; a processor that places the image itself has no use for one."""
    return bool(processor.chat_template) and IMAGE_MARKS.get(model_type) != ""


def _plainly(prompt: Prompt, processor: Any, model_type: str) -> str:
    mark = IMAGE_MARKS.get(model_type, getattr(processor, "image_token", ""))
    text = "".join(mark if isinstance(part, Picture) else part for part in prompt.parts).strip()
    if prompt.system:
        text = f"{prompt.system}\n{text}"
    return PLAIN_FORMS.get(model_type, PLAIN).format(text=text)


def template_uses(processor: Any, model_type: str, template: dict[str, Any]) -> bool:
    """Whether these arguments change anything: templates ignore those they do not know."""
    asked = Prompt("text", ("?",))
    plain, filled = (render(asked, processor, model_type, template=arguments) for arguments in ({}, template))
    return plain != filled


def _through_template(processor: Any, prompt: Prompt, prefill: str, template: dict[str, Any]) -> str:
    from jinja2 import TemplateError

    def written(before: Sequence[str | Picture], lead: list[dict[str, Any]]) -> str:
        content = [{"type": "image"} if isinstance(part, Picture) else _text_part(part) for part in before]
        return _with_prefill(processor, [*lead, {"role": "user", "content": content}], prefill, template)

    parts, system = prompt.parts, prompt.system
    if not system:
        return written(parts, [])
    try:
        text = written(parts, [{"role": "system", "content": [_text_part(system)]}])
    except TemplateError:
        text = ""
    # Some templates refuse a system message and some drop it without a word.
    return text if system in text else written([f"{system}\n", *parts], [])


def _with_prefill(processor: Any, messages: list[dict[str, Any]], prefill: str, template: dict[str, Any]) -> str:
    if prefill:
        answer = {"role": "assistant", "content": [_text_part(prefill)]}
        try:
            text: str = processor.apply_chat_template(
                [*messages, answer], **template | {"continue_final_message": True, "tokenize": False}
            )
        except ValueError:
            text = ""
        if text.endswith(prefill):
            return text
    opened: str = processor.apply_chat_template(
        messages, **template | {"add_generation_prompt": True, "tokenize": False}
    )
    return opened + (prefill if not prefill or opened[-1:].isspace() else f" {prefill}")


def _text_part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


DECODER_THREADS = 8
"""Threads that decode images; Pillow leaves the interpreter free while it works."""

NO_LEFT_PADDING = frozenset({"kosmos-2"})
"""Model types that count padding on the left as text once they generate from their cache (Transformers 5.23)."""

PaddingSide = Literal["left", "right"]


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
    """The pixels of pictures, in the order of their first mention; DataError where one of them is damaged."""
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
