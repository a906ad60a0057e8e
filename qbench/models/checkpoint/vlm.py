"""Any image-text-to-text checkpoint of Transformers, through its own processor and chat template.

A word of several tokens gets the logit of its first plus the log-probabilities of the others: the scale stays that of a
single token's logit, and the difference between two words is the logarithm of the ratio of their probabilities however
many tokens they have. A prompt with `repeat` above 0 is sampled at temperature 1. Images alone are embedded, by the
architectures in `network.SEEING_ALONE`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

from qbench.errors import UserError
from qbench.models import Model
from qbench.models.checkpoint.inputs import RenderedPrompt, Unanswerable, isolate_failures, prompt_style, template_uses
from qbench.models.checkpoint.network import Network, ScoringRequest
from qbench.models.checkpoint.weights import Checkpoint, identity_of, load_processor, load_weights, memory_errors
from qbench.records import Picture, Prompt, Response, Want


def open_vlm(checkpoint: Checkpoint) -> Vlm:
    """Load a vision-language checkpoint: on CUDA in bfloat16, or float16 where it lacks that; elsewhere in float32."""
    import torch
    import transformers
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES as SEEING

    processor = load_processor(checkpoint)
    dtype = torch.float32
    if checkpoint.device in ("cuda", "split"):
        dtype = torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float16
    # Some that also hear, such as Phi-4-multimodal, are in the wider table alone.
    sees_alone = checkpoint.config.get("model_type") in SEEING or checkpoint.remote_code
    maker = transformers.AutoModelForImageTextToText if sees_alone else transformers.AutoModelForMultimodalLM
    return Vlm(checkpoint, processor, load_weights(checkpoint, maker, dtype))


class Vlm(Model):
    """A loaded vision-language model."""

    def __init__(self, checkpoint: Checkpoint, processor: Any, model: Any) -> None:
        self.name = checkpoint.name
        self.batch_size = 16 if model.device.type == "cuda" else 8
        # What is kept between prompts would be on one of several GPUs.
        self.network = Network(processor, model, checkpoint.template, shares=checkpoint.device != "split")
        self.identity = self._identity(checkpoint)
        embeds: frozenset[Want] = frozenset({"embedding"} if self.network.sees_alone else ())
        self.wants: frozenset[Want] = embeds.union(("text", "words", "losses"))
        self._one_at_a_time = threading.Lock()

    def _identity(self, checkpoint: Checkpoint) -> Mapping[str, Any]:
        processor, model_type, template = self.network.processor, self.network.model_type, checkpoint.template
        if template and not template_uses(processor, model_type, template):
            raise UserError(f"the chat template of {self.name} does nothing with {', '.join(template)}")
        identity = identity_of(checkpoint, self.network.precision, processor)
        identity |= {"architecture": model_type, "prompt_style": prompt_style(processor, model_type)}
        # What the checkpoint would do to repeated words, and `Network.write` leaves undone.
        if getattr(self.network.model.generation_config, "repetition_penalty", None) not in (None, 1):
            identity["repetition_penalty"] = 1.0
        return identity | ({"template": template} if template else {})

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        """Answer prompts that all want the same, in order; see `qbench.models.Model`."""
        import torch

        works: dict[Want, Callable[[Sequence[Prompt]], list[Response]]] = {
            "text": self._write,
            "words": self._score_words,
            "losses": self._measure_losses,
            "embedding": self._embed,
        }
        work = works[prompts[0].want]
        with self._one_at_a_time, memory_errors(), torch.inference_mode():
            # Processors batch images by the number each prompt shows; within a task that is one group.
            return _in_groups(
                [sum(isinstance(part, Picture) for part in prompt.parts) for prompt in prompts],
                lambda group: isolate_failures(work, [prompts[place] for place in group]),
            )

    def _score_words(self, prompts: Sequence[Prompt]) -> list[Response]:
        """Logits of words at the next position."""
        rendered = self.network.render(prompts)
        words = [self.network.continuations(text, prompt.words) for text, prompt in zip(rendered, prompts, strict=True)]
        requests: list[ScoringRequest] = []
        for text, continuations in zip(rendered, words, strict=True):
            long = (ScoringRequest(text, each) for each in continuations if len(each.tokens) > 1)
            requests += [ScoringRequest(text), *long]
        logits = self.network.score(requests, len(prompts))
        answers = []
        for prompt, text, continuations in zip(prompts, rendered, words, strict=True):
            scores, notes = {}, []
            for word, continuation in zip(prompt.words, continuations, strict=True):
                tokens = continuation.tokens
                notes += [continuation.note] if continuation.note else []
                if not tokens:
                    continue
                scores[word] = float(logits[ScoringRequest(text)][0, tokens[0]])
                if len(tokens) > 1:
                    scores[word] += sum(_log_likelihoods(logits[ScoringRequest(text, continuation)], tokens)[1:])
                    notes.append(f"{word!r} has {len(tokens)} tokens")
            answers.append(Response(logits=scores, note="; ".join(notes) or None))
        return answers

    def _measure_losses(self, prompts: Sequence[Prompt]) -> list[Response]:
        """Mean negative log-likelihood of each continuation's tokens."""
        requests: list[list[ScoringRequest]] = []
        for prompt, text in zip(prompts, self.network.render(prompts), strict=True):
            continuations = self.network.continuations(text, prompt.words)
            for continuation in continuations:
                if not continuation.tokens:
                    raise Unanswerable(continuation.note)
            requests.append([ScoringRequest(text, continuation) for continuation in continuations])
        logits = self.network.score([request for own in requests for request in own], len(prompts))
        answers = []
        for prompt, own in zip(prompts, requests, strict=True):
            likelihoods = [_log_likelihoods(logits[request], request.continuation.tokens) for request in own]
            losses = {word: -sum(each) / len(each) for word, each in zip(prompt.words, likelihoods, strict=True)}
            answers.append(Response(losses=losses))
        return answers

    def _write(self, prompts: Sequence[Prompt]) -> list[Response]:
        """What the model writes: the likeliest token each time, or sampled."""
        rendered = self.network.render(prompts)
        return _in_groups(
            [(prompt.max_tokens, text.decoder_prefill) for prompt, text in zip(prompts, rendered, strict=True)],
            lambda group: self._write_group([rendered[place] for place in group], [prompts[place] for place in group]),
        )

    def _write_group(self, rendered: Sequence[RenderedPrompt], prompts: Sequence[Prompt]) -> list[Response]:
        inputs = self.network.prepare(rendered, [""] * len(rendered), self.network.writing_side)
        lengths = inputs["attention_mask"].sum(dim=1).tolist()
        repeats = [prompt.repeat for prompt in prompts]
        tokens = self.network.write(rendered, inputs, prompts[0].max_tokens, repeats)
        texts = self.network.processor.tokenizer.batch_decode(tokens, skip_special_tokens=True)
        return [
            Response(text=text.strip(), usage={"prompt_tokens": length})
            for text, length in zip(texts, lengths, strict=True)
        ]

    def _embed(self, prompts: Sequence[Prompt]) -> list[Response]:
        """The mean of each image's tokens, as they are handed to the language model."""
        pictures = [part for prompt in prompts for part in prompt.parts if isinstance(part, Picture)]
        if any(len(prompt.parts) != 1 for prompt in prompts) or len(pictures) != len(prompts):
            raise Unanswerable("a vision-language model embeds one image at a time and no text; ask it about captions")
        return [
            Response(
                embedding=tuple(tokens.float().mean(dim=0).tolist()),
                note=f"the mean of the {len(tokens)} tokens that the model's eye hands to its language model",
            )
            for tokens in self.network.tokens_of(pictures)
        ]


def _in_groups(keys: Sequence[Hashable], answer: Callable[[list[int]], Iterable[Response]]) -> list[Response]:
    """Answers in order, those of places with one key given together."""
    groups: dict[Hashable, list[int]] = {}
    for place, key in enumerate(keys):
        groups.setdefault(key, []).append(place)
    found = {place: each for group in groups.values() for place, each in zip(group, answer(group), strict=True)}
    return [found[place] for place in range(len(keys))]


def _log_likelihoods(logits: Any, tokens: Sequence[int]) -> list[float]:
    """Log-probability of each token from the logits of its position."""
    chosen = logits.log_softmax(dim=-1)[range(len(tokens)), tokens]
    likelihoods: list[float] = chosen.tolist()
    return likelihoods
