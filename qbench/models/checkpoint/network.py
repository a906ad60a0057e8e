"""A vision-language checkpoint in memory: prompts in its own form, logits after them and of continuations, and text.

Rows of a batch are padded on the right to be scored: no token can see the padding after it, so that every position is
what it would be in a batch of one. Two things are done once, up to the rounding of float32:

- The tokens of images are kept for when these are shown again: both orders of a pair, several questions about one
  photo and every match of a tournament show the same few.
- Several continuations of one prompt are scored from one reading of it.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from qbench.models.checkpoint.inputs import (
    PaddingSide,
    RenderedPrompt,
    Unanswerable,
    check_length,
    decode_pictures,
    forward_arguments,
    images_at_once,
    render,
    special_token_arguments,
    to_inputs,
)
from qbench.models.checkpoint.weights import first_sentence
from qbench.models.word_tokens import Continuation, tokenise_word
from qbench.records import Picture, Prompt

SEEING_ALONE = frozenset({"llava", "fast_vlm"})
"""Model types that encode every image by itself, as one tensor, in place of one mark repeated in the text."""
SHARED_READING_MODEL_TYPES = frozenset(
    {"llava", "fast_vlm", "llava_next", "llava_onevision", "qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe"}
    | {"internvl", "glm4v", "idefics2", "idefics3", "smolvlm", "gemma3", "gemma4"}
)
"""Model types that were seen to continue from their cache with several tokens at once as they would without one."""
_STACKED = frozenset({"fast_vlm"})
"""Model types that take the tokens of all images as one tensor; the others take a list."""
_KEPT_IMAGES = 64
"""Of a model with 7 billion parameters each takes 5 MB."""
NOTHING = Continuation("", ())


@dataclass(frozen=True)
class ScoringRequest:
    """A prompt, and the continuation whose tokens' logits are wanted; after an empty one, the logits of the next."""

    prompt: RenderedPrompt
    continuation: Continuation = NOTHING


Logits = dict[ScoringRequest, Any]
"""Request -> tensor of a row for each token decided: those of the continuation, or the next one."""


class Network:
    """A processor and a model."""

    def __init__(self, processor: Any, model: Any, template: dict[str, Any], *, shares: bool = True) -> None:
        self.processor = processor
        self.model = model
        self.template = template
        self.shares = shares
        """Whether it keeps and shares what its architecture allows."""
        self.model_type: str = model.config.model_type
        self.precision = precision_of(model)
        self._decoder = model.config.get_text_config()
        self.has_encoder = bool(self._decoder.is_encoder_decoder)
        self.writing_side: PaddingSide = "right" if self.has_encoder else "left"
        arguments = forward_arguments(model)
        self._takes_positions = "logits_to_keep" in arguments
        # Pixtral's images differ in size and are encoded side by side.
        self.sees_alone = (
            self.model_type in SEEING_ALONE
            and model.config.vision_config.model_type != "pixtral"
            and "mm_encoder_outputs" in arguments
        )
        self._kept: OrderedDict[Picture, Any] = OrderedDict()
        """Tokens of images, those of longest ago first."""

    def render(self, prompts: Sequence[Prompt]) -> list[RenderedPrompt]:
        """Prompts as the processor takes them."""
        style: dict[str, Any] = {"encoder_decoder": self.has_encoder, "template": self.template}
        return [render(prompt, self.processor, self.model_type, **style) for prompt in prompts]

    def continuations(self, prompt: RenderedPrompt, words: Sequence[str]) -> list[Continuation]:
        """Words after a prompt, in tokens."""
        context = prompt.decoder_prefill if self.has_encoder else prompt.text
        return [tokenise_word(self.processor.tokenizer, context, word) for word in words]

    def tokens(self, text: str) -> tuple[int, ...]:
        """Token ids of a text by itself."""
        return tuple(self.processor.tokenizer(text, add_special_tokens=False)["input_ids"])

    def prepare(self, prompts: Sequence[RenderedPrompt], endings: Sequence[str], side: PaddingSide) -> dict[str, Any]:
        """Inputs for prompts that show equally many images, each with text after it; see `to_inputs`.

        Where images are seen alone, their tokens are in place of their pixels, and those that are kept are used.
        """
        if not (self.shares and self.sees_alone):
            return to_inputs(self.processor, self.model, prompts, endings, side)
        import torch
        from transformers.modeling_outputs import BaseModelOutputWithPooling

        tokens: Any = self.tokens_of([picture for prompt in prompts for picture in prompt.pictures])
        count = len(tokens[0]) if tokens else 0  # the same of images of whatever size
        texts = [self._with_marks(prompt, count) + ending for prompt, ending in zip(prompts, endings, strict=True)]
        special = special_token_arguments(self.processor, texts)
        encoded = self.processor.tokenizer(texts, padding=True, padding_side=side, return_tensors="pt", **special)
        check_length(self.model, encoded)
        inputs: dict[str, Any] = {name: encoded[name].to(self.model.device) for name in ("input_ids", "attention_mask")}
        if tokens:
            tokens = torch.stack(tokens) if self.model_type in _STACKED else tokens
            inputs["mm_encoder_outputs"] = {"image": BaseModelOutputWithPooling(pooler_output=tokens)}
        return inputs

    def _with_marks(self, prompt: RenderedPrompt, count: int) -> str:
        """The prompt's text with so many marks for each image."""
        mark: str = self.processor.image_token
        if (marks := prompt.text.count(mark)) != len(prompt.pictures):
            raise Unanswerable(f"the text has {marks} image marks for {len(prompt.pictures)} images")
        return prompt.text.replace(mark, mark * count)

    def forward(self, inputs: dict[str, Any], positions: Sequence[int], *, use_cache: bool = False) -> Any:
        """The model's output, with float32 logits at these positions of every row alone."""
        import torch

        wanted = torch.tensor(positions)  # on the CPU: weights that are split decide on another GPU than they begin on
        with float32_logits(self.model):
            if self._takes_positions:
                return self.model(**inputs, use_cache=use_cache, logits_to_keep=wanted)
            output = self.model(**inputs, use_cache=use_cache)
        output.logits = output.logits[:, wanted]
        return output

    def score(self, requests: Sequence[ScoringRequest], batch_size: int) -> Logits:
        """Float32 logits for every request, so many rows at once; one that comes several times is computed once.

        Raises:
            Unanswerable: The processor or the model cannot take one of them.
            DataError: An image is damaged.
        """
        unique = list(dict.fromkeys(requests))
        continuations: dict[RenderedPrompt, list[Continuation]] = {}
        for request in unique:
            if request.continuation.tokens and self.shares and self.model_type in SHARED_READING_MODEL_TYPES:
                continuations.setdefault(request.prompt, []).append(request.continuation)
        found: Logits = {}
        prompts = list(continuations)
        size = max(1, batch_size // max(map(len, continuations.values()), default=1))
        for start in range(0, len(prompts), size):
            found |= self._score_together({prompt: continuations[prompt] for prompt in prompts[start : start + size]})
        alone = [request for request in unique if request not in found]
        batches = [alone[start : start + batch_size] for start in range(0, len(alone), batch_size)]
        return found | {request: row for batch in batches for request, row in self._score_batch(batch)}

    def _score_together(self, continuations: Mapping[RenderedPrompt, Sequence[Continuation]]) -> Logits:
        """Logits after each prompt and of its continuations, which go on from the cache of their prompt.

        Prompts share a reading where they are equally long.
        """
        import torch

        inputs, _ = self.encode([ScoringRequest(prompt) for prompt in continuations])
        lengths = inputs["attention_mask"].sum(dim=1).tolist()
        alike: dict[tuple[int, int], dict[RenderedPrompt, Sequence[Continuation]]] = {}
        for (prompt, own), length in zip(continuations.items(), lengths, strict=True):
            alike.setdefault((length, len(own)), {})[prompt] = own
        if len(alike) > 1:
            apart = map(self._score_together, alike.values())
            return {request: logits for each in apart for request, logits in each.items()}
        requests = [ScoringRequest(prompt, each) for prompt, own in continuations.items() for each in own]
        [(_, count)] = alike
        reading = self.forward(inputs, [inputs["input_ids"].shape[1] - 1], use_cache=True)
        first = reading.logits.float().repeat_interleave(count, dim=0)
        following = first[:, :0]
        written = [request.continuation.tokens for request in requests]
        longest = max(map(len, written))
        if longest > 1:
            reading.past_key_values.batch_repeat_interleave(count)
            tokens = self.pad([each[:-1] for each in written])
            further = {"input_ids": tokens, "past_key_values": reading.past_key_values}
            following = self.forward(further, range(longest - 1), use_cache=True).logits.float()
        logits = torch.cat([first, following], dim=1)
        found = {ScoringRequest(request.prompt): row for request, row in zip(requests, first, strict=True)}
        return found | {request: row[: len(own)] for request, own, row in zip(requests, written, logits, strict=True)}

    def _score_batch(self, requests: Sequence[ScoringRequest]) -> list[tuple[ScoringRequest, Any]]:
        inputs, rows = self.encode(requests)
        decided = []
        for request, tokens in zip(requests, rows, strict=True):
            count = len(request.continuation.tokens)
            first = len(tokens) - count - 1
            decided.append(range(first, first + max(count, 1)))
        positions = sorted({position for own in decided for position in own})
        logits = self.forward(inputs, positions).logits
        return [
            (request, logits[row, [positions.index(position) for position in own]].float())
            for row, (request, own) in enumerate(zip(requests, decided, strict=True))
        ]

    def encode(self, requests: Sequence[ScoringRequest]) -> tuple[dict[str, Any], list[tuple[int, ...]]]:
        """Inputs for requests, and each one's tokens in the decoder, without padding."""
        prompts = [request.prompt for request in requests]
        if self.has_encoder:
            inputs = dict(self.prepare(prompts, [""] * len(prompts), "right"))
            rows = [self._decoder_start(request.prompt) + request.continuation.tokens for request in requests]
            inputs["decoder_input_ids"] = self.pad(rows)
            return inputs, rows
        inputs = self.prepare(prompts, [request.continuation.text for request in requests], "right")
        lengths = inputs["attention_mask"].sum(dim=1).tolist()
        rows = [tuple(row[:length].tolist()) for row, length in zip(inputs["input_ids"], lengths, strict=True)]
        for request, row in zip(requests, rows, strict=True):
            said = request.continuation
            end = self.tokens(request.prompt.text + said.text)[-1 - len(said.tokens) :]
            if row[len(row) - len(end) :] != end:
                raise Unanswerable("the model's processor changes the end of the prompt, where the words would stand")
        return inputs, rows

    def _decoder_start(self, prompt: RenderedPrompt) -> tuple[int, ...]:
        """Token ids that the decoder of an encoder-decoder starts from."""
        return (self._decoder.decoder_start_token_id, *self.tokens(prompt.decoder_prefill))

    def pad(self, rows: Sequence[tuple[int, ...]]) -> Any:
        """Token ids as one tensor, padded on the right."""
        import torch

        longest, filler = max(map(len, rows)), (self.processor.tokenizer.pad_token_id,)
        padded = [row + filler * (longest - len(row)) for row in rows]
        return torch.tensor(padded, device=self.model.device)

    def write(
        self, prompts: Sequence[RenderedPrompt], inputs: dict[str, Any], max_tokens: int, repeats: Sequence[int]
    ) -> Sequence[Any]:
        """Token ids after each prompt, by the checkpoint's own `generate`: the likeliest where its repeat is 0, else
        sampled at temperature 1."""
        inputs = dict(inputs)
        asked = inputs["input_ids"]
        if self.has_encoder:
            asked = inputs["decoder_input_ids"] = self.pad([self._decoder_start(prompt) for prompt in prompts])
        if any(repeats):
            inputs["logits_processor"] = [gumbel_noise(prompts, repeats)]
        # Checkpoints may punish repeated words by default, and then the likeliest token is another.
        plainly = {"do_sample": False, "num_beams": 1, "repetition_penalty": 1.0}
        with float32_logits(self.model):
            tokens: Any = self.model.generate(**inputs, max_new_tokens=max_tokens, **plainly)
        length = asked.shape[1]
        if tokens.shape[1] >= length and bool((tokens[:, :length] == asked).all()):
            tokens = tokens[:, length:]
        rows: Sequence[Any] = tokens
        return rows

    def tokens_of(self, pictures: Sequence[Picture]) -> list[Any]:
        """What the language model is given in place of each image: a tensor with a row a token.

        Raises:
            Unanswerable: The processor refuses one of them.
            DataError: An image is damaged.
        """
        found = {picture: self._kept[picture] for picture in pictures if picture in self._kept}
        found |= self._encoded([picture for picture in dict.fromkeys(pictures) if picture not in found])
        for picture, tokens in found.items() if self.shares else ():
            self._kept[picture] = tokens
            self._kept.move_to_end(picture)
        while len(self._kept) > _KEPT_IMAGES:
            self._kept.popitem(last=False)
        return [found[picture] for picture in pictures]

    def _encoded(self, pictures: Sequence[Picture]) -> dict[Picture, Any]:
        """Tokens of images, which the vision encoder sees now."""
        if not pictures:
            return {}
        processor, model, images = self.processor, self.model, decode_pictures(pictures)
        try:
            inputs = processor(
                images=[*images.values()], text=[processor.image_token] * len(images), return_tensors="pt"
            )
        except ValueError as error:
            raise Unanswerable(f"the model's processor refuses it: {first_sentence(error)}") from None
        pixels = inputs["pixel_values"].to(model.device, model.dtype)
        batches = pixels.split(min(images_at_once(model.device), len(pixels)))
        encoded = (each for batch in batches for each in model.get_image_features(pixel_values=batch).pooler_output)
        # Copied, since a row of a batch would keep the whole batch in memory.
        return dict(zip(images, (tokens.clone() for tokens in encoded), strict=True))


def precision_of(model: Any) -> Any:
    """The data type of most weights.

    The model itself reports that of its first weights, which may stay in float32 (BLIP-2's queries).
    """
    head = model.get_output_embeddings()
    return model.dtype if head is None else head.weight.dtype


@contextmanager
def float32_logits(model: Any) -> Iterator[None]:
    """Compute logits in float32 within the block.

    In bfloat16 logits near 20 come in steps of 1/8, which leaves a few dozen distinct scores for ten thousand images.
    """
    import torch

    head = model.get_output_embeddings()
    if precision_of(model) == torch.float32 or type(head) is not torch.nn.Linear:
        yield
        return

    def compute(layer: Any, inputs: tuple[Any, ...], _: Any) -> Any:
        states, weight = inputs[0].to(layer.weight.device), layer.weight
        if weight.is_cuda and not torch.version.hip:  # AMD's GPUs go by the same name
            logits = torch.mm(states.flatten(0, -2), weight.T, out_dtype=torch.float32).unflatten(0, states.shape[:-1])
        else:
            logits = states.float() @ weight.float().T
        return logits if layer.bias is None else logits + layer.bias.float()

    hook = head.register_forward_hook(compute)
    try:
        yield
    finally:
        hook.remove()


def gumbel_noise(prompts: Sequence[RenderedPrompt], repeats: Sequence[int]) -> Callable[[Any, Any], Any]:
    """A logits processor for `generate`, under which the likeliest token is a sample at temperature 1.

    Each prompt has a random generator of its own, so its texts are the same again whatever else is in the batch; where
    its repeat is 0 its logits stay as they are.
    """
    import torch

    def seed(prompt: RenderedPrompt, repeat: int) -> int:
        content = (prompt.text, prompt.decoder_prefill, [picture.sha256 for picture in prompt.pictures], repeat)
        return int.from_bytes(hashlib.sha256(repr(content).encode()).digest()[:6], "big")

    generators: list[Any] = []

    def add_noise(_: Any, logits: Any) -> Any:
        if not generators:  # where the logits are
            seeds = map(seed, prompts, repeats)
            generators.extend(torch.Generator(logits.device).manual_seed(each) for each in seeds)
        for row, (generator, repeat) in enumerate(zip(generators, repeats, strict=True)):
            if repeat:
                logits[row] -= torch.empty_like(logits[row]).exponential_(generator=generator).log()
        return logits

    return add_noise
