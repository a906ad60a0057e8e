"""A vision-language checkpoint in memory, used the plain way: inputs, a forward pass, and text, a batch at a time.

`prepare`, `read` and `write` are the steps that the speed-ups wrap (`steps`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from qbench.models.checkpoint.chat import RenderedPrompt, TemplateArguments, render
from qbench.models.checkpoint.inputs import Inputs, PaddingSide, forward_arguments, to_inputs
from qbench.models.checkpoint.precision import float32_logits, precision_of
from qbench.models.checkpoint.sampling import gumbel_noise
from qbench.models.word_tokens import Continuation, tokenise_word
from qbench.records import Prompt

Write = Callable[[Sequence[RenderedPrompt], Inputs, int, Sequence[int]], Sequence[Any]]
"""Prompts, inputs, most tokens, repeats (0 for the likeliest text) -> token ids after each prompt."""


class Network:
    """A processor and a model, and how the two take text."""

    def __init__(self, processor: Any, model: Any, template: TemplateArguments) -> None:
        self.processor = processor
        self.model = model
        self.model_type: str = model.config.model_type
        self.precision = precision_of(model)
        self.is_float32 = str(self.precision) == "torch.float32"
        self._template = template
        self._decoder = model.config.get_text_config()
        self.has_encoder = bool(self._decoder.is_encoder_decoder)
        self.writing_side: PaddingSide = "right" if self.has_encoder else "left"
        self._takes_positions = "logits_to_keep" in forward_arguments(model)

    def render(self, prompts: Sequence[Prompt]) -> list[RenderedPrompt]:
        """Prompts as the processor takes them."""
        return [
            render(prompt, self.processor, self.model_type, encoder_decoder=self.has_encoder, template=self._template)
            for prompt in prompts
        ]

    def continuations(self, prompt: RenderedPrompt, words: Sequence[str]) -> list[Continuation]:
        """Words after a prompt, in tokens."""
        context = prompt.decoder_prefill if self.has_encoder else prompt.text
        return [tokenise_word(self.processor.tokenizer, context, word) for word in words]

    def tokens(self, text: str) -> tuple[int, ...]:
        """Token ids of a text by itself."""
        return tuple(self.processor.tokenizer(text, add_special_tokens=False)["input_ids"])

    def decoder_start(self, prompt: RenderedPrompt) -> tuple[int, ...]:
        """Token ids that the decoder of an encoder-decoder starts from."""
        return (self._decoder.decoder_start_token_id, *self.tokens(prompt.decoder_prefill))

    def pad(self, rows: Sequence[tuple[int, ...]]) -> Any:
        """Token ids as one tensor, padded on the right."""
        import torch

        longest, filler = max(map(len, rows)), (self.processor.tokenizer.pad_token_id,)
        padded = [row + filler * (longest - len(row)) for row in rows]
        return torch.tensor(padded, device=self.model.device)

    def prepare(self, prompts: Sequence[RenderedPrompt], endings: Sequence[str], side: PaddingSide) -> Inputs:
        """Inputs for prompts that show equally many images, each with text after it; see `to_inputs`."""
        return to_inputs(self.processor, self.model, prompts, endings, side)

    def forward(self, inputs: Inputs, positions: Sequence[int], *, use_cache: bool = False) -> Any:
        """The model's output, with float32 logits at these positions of every row alone."""
        import torch

        wanted = torch.tensor(positions, device=self.model.device)
        with float32_logits(self.model):
            if self._takes_positions:
                return self.model(**inputs, use_cache=use_cache, logits_to_keep=wanted)
            output = self.model(**inputs, use_cache=use_cache)
        output.logits = output.logits[:, wanted]
        return output

    def read(self, _prompts: Sequence[RenderedPrompt], inputs: Inputs, positions: Sequence[int]) -> Any:
        """Logits at these positions of every row."""
        return self.forward(inputs, positions).logits

    def write(
        self, prompts: Sequence[RenderedPrompt], inputs: Inputs, max_tokens: int, repeats: Sequence[int]
    ) -> Sequence[Any]:
        """Token ids after each prompt, by the checkpoint's own `generate`: the likeliest, or sampled (`sampling`)."""
        inputs = dict(inputs)
        asked = inputs["input_ids"]
        if self.has_encoder:
            asked = inputs["decoder_input_ids"] = self.pad([self.decoder_start(prompt) for prompt in prompts])
        if any(repeats):
            inputs["logits_processor"] = [gumbel_noise(prompts, repeats)]
        tokens: Any = self.model.generate(**inputs, max_new_tokens=max_tokens, do_sample=False, num_beams=1)
        length = asked.shape[1]
        if tokens.shape[1] >= length and bool((tokens[:, :length] == asked).all()):
            tokens = tokens[:, length:]
        rows: Sequence[Any] = tokens
        return rows
