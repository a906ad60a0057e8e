"""From rendered prompts to the tensors a vision-language model takes: pixels decoded once, text padded on one side."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Literal

from PIL import Image

from qbench.errors import DataError
from qbench.images import load_pixels
from qbench.models.chat import IMAGE_MARKS, Rendered
from qbench.models.weights import first_line
from qbench.records import Picture, Prompt, Response

DECODERS = 8
"""Threads that decode images; Pillow leaves the interpreter free while it works."""

MISCOUNTING = frozenset({"kosmos-2"})
"""Model types that count padding on the left as text once they generate from their cache (Transformers 5.23)."""

Side = Literal["left", "right"]


class Unanswerable(ValueError):  # noqa: N818 - a property of the prompt, not a fault of the program
    """This model cannot be asked this prompt; the message says why."""


def to_inputs(
    processor: Any, model: Any, prompts: Sequence[Rendered], endings: Sequence[str], side: Side
) -> dict[str, Any]:
    """Tensors for prompts that show equally many images, each with something said after it.

    Raises:
        Unanswerable: The processor or the model cannot take one of them.
        DataError: An image is damaged.
    """
    kind = model.config.model_type
    texts = [prompt.text + ending for prompt, ending in zip(prompts, endings, strict=True)]
    pixels = decode(picture for prompt in prompts for picture in prompt.pictures)
    images = [[pixels[picture] for picture in prompt.pictures] for prompt in prompts]
    if IMAGE_MARKS.get(kind) == "" and any(len(shown) != 1 for shown in images):
        raise Unanswerable(f"{kind} models take exactly one image per prompt")
    processor.tokenizer.padding_side = side
    content: dict[str, Any] = {"text": texts, "images": images if any(images) else None}
    if kind == "idefics":
        content = {"text": [_interleave(text, shown) for text, shown in zip(texts, images, strict=True)]}
    elif IMAGE_MARKS.get(kind) == "":
        content["images"] = [shown[0] for shown in images]
    content |= special_tokens(processor, texts)
    try:
        encoded = processor(**content, padding=True, padding_side=side, return_tensors="pt")
    except ValueError as error:
        raise Unanswerable(f"the model's processor refuses it: {first_line(error)}") from None
    if hasattr(processor, "qformer_tokenizer"):
        # InstructBLIP's Q-Former reads the instruction: it must not read the answer that is being weighed.
        asked = processor.qformer_tokenizer(
            [prompt.text for prompt in prompts], padding=True, padding_side="right", return_tensors="pt"
        )
        encoded["qformer_input_ids"] = asked["input_ids"]
        encoded["qformer_attention_mask"] = asked["attention_mask"]
    mask = encoded["attention_mask"]
    if not mask[:, 0 if side == "right" else -1].all() or (kind in MISCOUNTING and side == "left" and not mask.all()):
        raise Unanswerable(
            f"{kind} models cannot be padded on the {side}, so that prompts of two lengths share no batch"
        )
    check_length(model, encoded)
    encoded = encoded.to(model.device, model.dtype)
    return {name: value for name, value in encoded.items() if name in accepted(model) - {"labels"}}


def special_tokens(processor: Any, texts: Sequence[str]) -> dict[str, bool]:
    """Where the template has written the token that begins a text, the tokenizer must not add another."""
    begins = processor.tokenizer.bos_token
    return {"add_special_tokens": False} if begins and texts[0].startswith(begins) else {}


class Ahead:
    """Inputs that will be wanted next, made by another thread while the model is busy.

    Tokenizers take one thread at a time: whoever uses one meanwhile has to `wait`.
    """

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._made: tuple[Hashable, dict[str, Any]] | None = None

    def start(self, key: Hashable, make: Callable[[], dict[str, Any]]) -> None:
        """Begin, after what was begun before."""

        def work() -> None:
            # What cannot be made is left to whoever wants it, to fail there.
            with suppress(Unanswerable, DataError, RuntimeError):  # RuntimeError: no memory on the device
                self._made = key, make()

        self.wait()
        self._made = None
        self._thread = threading.Thread(target=work)
        self._thread.start()

    def wait(self) -> None:
        """Until the other thread has done with the processor."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def take(self, key: Hashable) -> dict[str, Any] | None:
        """What was made under this key, if that was made."""
        self.wait()
        if self._made is None or self._made[0] != key:
            return None
        (_, inputs), self._made = self._made, None
        return inputs


def accepted(model: Any) -> frozenset[str]:
    """Arguments that a model's forward pass names."""
    return frozenset(inspect.signature(type(model).forward).parameters)


def decode(pictures: Iterable[Picture]) -> dict[Picture, Image.Image]:
    """The pixels of pictures, in the order of their first mention.

    Raises:
        DataError: One of them is damaged.
    """
    unique = list(dict.fromkeys(pictures))
    with ThreadPoolExecutor(DECODERS) as pool:
        return dict(zip(unique, pool.map(load_pixels, unique), strict=True))


def apart(work: Callable[[Sequence[Prompt]], list[Response]], prompts: Sequence[Prompt]) -> list[Response]:
    """Answer together; if one cannot be answered, one by one, so that it fails alone."""
    try:
        return work(prompts)
    except (Unanswerable, DataError) as error:
        if len(prompts) == 1:
            return [Response(failure=str(error))]
        return [response for prompt in prompts for response in apart(work, [prompt])]


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
