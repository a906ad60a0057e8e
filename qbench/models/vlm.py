"""Any image-text-to-text checkpoint of Transformers, through its own processor and chat template.

Logits of words and losses of continuations come from one forward pass over sequences padded on the right, where no
token can see the padding and every position is what it would be alone. Several continuations of one prompt go on from
one reading of it, for the architectures in `BRANCHING`. Text comes from the checkpoint's own `generate`, padded on the
left; that of a prompt alone from `qbench.models.drafting`, where it writes the same. A word of several tokens gets the
logit of its first plus the log-probabilities of the others: the scale stays that of a single token's logit, and the
difference between two words is the logarithm of the ratio of their probabilities however many tokens they have.

A prompt with `repeat` above 0 wants a draw of its own and is sampled at temperature 1. Images alone are embedded, by
the architectures in `sights.SIGHTED`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from qbench.errors import UserError
from qbench.models import drafting
from qbench.models.chat import Rendered, heeds, render, style_of
from qbench.models.draws import chance
from qbench.models.inputs import Ahead, Side, Unanswerable, accepted, apart, to_inputs
from qbench.models.sights import Sights, has_sights
from qbench.models.stems import Stem
from qbench.models.weights import Checkpoint, identity_of, load_processor, load_weights, memory_errors
from qbench.models.words import Said, say
from qbench.records import Picture, Prompt, Response, Want

Row = tuple[Rendered, Said | None]
"""A prompt and what is said after it, whose tokens' logits are wanted; with None, those of the next token."""

BRANCHING = frozenset({"llava", "llava_next", "qwen2_vl", "idefics2", "idefics3", "gemma3"})
"""Model types that were seen to go on from their cache with several tokens at once as they would without one."""


def open_vlm(checkpoint: Checkpoint) -> Vlm:
    """Load a vision-language checkpoint: float32 on a CPU; on a GPU bfloat16, or float16 where it lacks that."""
    import torch
    from transformers import AutoModelForImageTextToText

    processor = load_processor(checkpoint)
    dtype = torch.float32
    if checkpoint.device == "cuda":
        dtype = torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float16
    return Vlm(checkpoint, processor, load_weights(checkpoint, AutoModelForImageTextToText, dtype))


class Vlm:
    """A loaded vision-language model."""

    def __init__(self, checkpoint: Checkpoint, processor: Any, model: Any) -> None:
        self.name = checkpoint.name
        self.batch_size = 16 if model.device.type == "cuda" else 8
        kind = model.config.model_type
        self._template = checkpoint.template
        if self._template and not heeds(processor, kind, self._template):
            raise UserError(f"the chat template of {self.name} does nothing with {', '.join(self._template)}")
        prompts = {"architecture": kind, "prompt_style": style_of(processor, kind)}
        prompts |= {"template": self._template} if self._template else {}
        precision = _precision(model)
        self.identity: Mapping[str, Any] = identity_of(checkpoint, precision, processor) | prompts
        self._processor = processor
        self._model = model
        self._decoder = model.config.get_text_config()
        self._has_encoder = bool(self._decoder.is_encoder_decoder)
        self._one_at_a_time = threading.Lock()
        self._writing_side: Side = "right" if self._has_encoder else "left"
        self._ahead = Ahead()
        self._sights = Sights(processor, model) if has_sights(model) else None
        in_full = str(precision) == "torch.float32"  # in half precision, rounding depends on what is read together
        self._stem = Stem(processor.image_token_id) if self._sights and in_full else None
        self._drafts = drafting.Drafts() if drafting.can_draft(model) else None
        embeds: frozenset[Want] = frozenset({"embedding"} if self._sights else ())
        self.wants: frozenset[Want] = embeds.union(("text", "words", "losses"))
        self._expected: Sequence[Prompt] = ()

    def expect(self, prompts: Sequence[Prompt]) -> None:
        """What will be asked after this; its images are prepared while the model is busy with this."""
        self._expected = prompts

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        """Answer prompts that all want the same, in order; see `qbench.models.Model`."""
        import torch

        ways = {"text": self._write, "words": self._weigh, "losses": self._measure}
        work = self._sights.embed if self._sights and prompts[0].want == "embedding" else ways[prompts[0].want]
        answers: dict[int, Response] = {}
        # Processors batch images by the number each prompt shows; within a task that is one group.
        shown: dict[int, list[int]] = {}
        for index, prompt in enumerate(prompts):
            shown.setdefault(sum(isinstance(part, Picture) for part in prompt.parts), []).append(index)
        with self._one_at_a_time, memory_errors(), torch.inference_mode():
            self._ahead.wait()
            for group in shown.values():
                answers |= zip(group, apart(work, [prompts[index] for index in group]), strict=True)
        return [answers[index] for index in range(len(prompts))]

    def _inputs(self, prompts: Sequence[Rendered], endings: Sequence[str], side: Side) -> dict[str, Any]:
        inputs = self._ahead.take((*prompts, *endings, side)) or self._made(prompts, endings, side)
        if self._sights:
            pictures, prepared = inputs.pop("pictures"), inputs.pop("prepared")
            if pictures:
                inputs["mm_encoder_outputs"] = self._sights.see(pictures, prepared)
        return inputs

    def _made(self, prompts: Sequence[Rendered], endings: Sequence[str], side: Side) -> dict[str, Any]:
        if self._sights:
            return self._sights.to_inputs(prompts, endings, side)
        return to_inputs(self._processor, self._model, prompts, endings, side)

    def _look_ahead(self) -> None:
        """Make the inputs of what is asked next, as far as it will share a batch; the model is about to be busy."""
        expected, self._expected = self._expected, ()
        if not expected or expected[0].want == "losses":  # those are asked prompt by prompt, or with what is said after
            return
        shown = [sum(isinstance(part, Picture) for part in prompt.parts) for prompt in expected]
        prompts = self._render([one for one, count in zip(expected, shown, strict=True) if count == shown[0]])
        endings, side = [""] * len(prompts), self._writing_side if expected[0].want == "text" else "right"
        self._ahead.start((*prompts, *endings, side), partial(self._made, prompts, endings, side))

    def _render(self, prompts: Sequence[Prompt]) -> list[Rendered]:
        kind = self._model.config.model_type
        return [
            render(prompt, self._processor, kind, encoder_decoder=self._has_encoder, template=self._template)
            for prompt in prompts
        ]

    def _say(self, prompt: Rendered, words: Sequence[str]) -> list[Said]:
        context = prompt.begun if self._has_encoder else prompt.text
        return [say(self._processor.tokenizer, context, word) for word in words]

    def _weigh(self, prompts: Sequence[Prompt]) -> list[Response]:
        """Logits of words at the next position."""
        rendered = self._render(prompts)
        said = [self._say(one, prompt.words) for one, prompt in zip(rendered, prompts, strict=True)]
        rows: list[Row] = []
        for one, words in zip(rendered, said, strict=True):
            rows += [(one, None), *((one, word) for word in words if len(word.tokens) > 1)]
        logits = self._logits(rows, len(prompts))
        answers = []
        for one, prompt, words in zip(rendered, prompts, said, strict=True):
            weighed, notes = {}, []
            for word, how in zip(prompt.words, words, strict=True):
                notes += [how.note] if how.note else []
                if not how.tokens:
                    continue
                weighed[word] = float(logits[one, None][0, how.tokens[0]])
                if len(how.tokens) > 1:
                    weighed[word] += sum(_log_likelihoods(logits[one, how], how.tokens)[1:])
                    notes.append(f"{word!r} has {len(how.tokens)} tokens")
            answers.append(Response(logits=weighed, note="; ".join(notes) or None))
        return answers

    def _measure(self, prompts: Sequence[Prompt]) -> list[Response]:
        """Mean negative log-likelihood of each continuation's tokens."""
        rendered = self._render(prompts)
        said = [self._say(one, prompt.words) for one, prompt in zip(rendered, prompts, strict=True)]
        for how in (how for words in said for how in words):
            if not how.tokens:
                raise Unanswerable(how.note)
        rows = [(one, how) for one, words in zip(rendered, said, strict=True) for how in words]
        logits = self._logits(rows, len(prompts))
        answers = []
        for one, prompt, words in zip(rendered, prompts, said, strict=True):
            likelihoods = [_log_likelihoods(logits[one, how], how.tokens) for how in words]
            losses = {word: -sum(each) / len(each) for word, each in zip(prompt.words, likelihoods, strict=True)}
            answers.append(Response(losses=losses))
        return answers

    def _logits(self, rows: Sequence[Row], at_once: int) -> dict[Row, Any]:
        """Row -> float32 logits where each of its tokens is decided; every row once, as many together as prompts."""
        found = self._branches(rows, at_once) if self._model.config.model_type in BRANCHING else {}
        rows = [row for row in dict.fromkeys(rows) if row not in found]
        for start in range(0, len(rows), at_once):
            batch = rows[start : start + at_once]
            found |= zip(batch, self._forward(batch), strict=True)
        return found

    def _branches(self, rows: Sequence[Row], at_once: int) -> dict[Row, Any]:
        """Logits of the prompts after which something is said, and of that."""
        said: dict[Rendered, list[Said]] = {}
        for prompt, one in dict.fromkeys(rows):
            if one:
                said.setdefault(prompt, []).append(one)
        found: dict[Row, Any] = {}
        size = max(1, at_once // max(map(len, said.values()), default=1))
        for start in range(0, len(said), size):
            found |= self._branch(dict(list(said.items())[start : start + size]))
        return found

    def _branch(self, said: Mapping[Rendered, Sequence[Said]]) -> dict[Row, Any]:
        """The same from one reading of each prompt, several at once where they are equally long."""
        import torch

        inputs, _ = self._spell([(prompt, None) for prompt in said])
        branches = {len(each) for each in said.values()}
        if len(said) > 1 and (len(branches) > 1 or not inputs["attention_mask"].all()):
            return {row: one for each in said.items() for row, one in self._branch(dict([each])).items()}
        rows = [(prompt, one) for prompt, each in said.items() for one in each]
        with _precise_head(self._model):
            read = self._model(**inputs, use_cache=True, logits_to_keep=1)
            first = read.logits.float().repeat_interleave(max(branches), dim=0)
            following = first[:, :0]
            if any(len(one.tokens) > 1 for _, one in rows):
                read.past_key_values.batch_repeat_interleave(max(branches))
                tokens = self._pad([one.tokens[:-1] for _, one in rows])
                following = self._model(input_ids=tokens, past_key_values=read.past_key_values, use_cache=True).logits
        logits = torch.cat([first, following.float()], dim=1)
        found: dict[Row, Any] = {(prompt, None): one for (prompt, _), one in zip(rows, first, strict=True)}
        return found | {row: one[: len(row[1].tokens)] for row, one in zip(rows, logits, strict=True)}

    def _forward(self, rows: Sequence[Row]) -> list[Any]:
        inputs, spoken = self._spell(rows)
        tails = [len(said.tokens) if said else 0 for _, said in rows]
        decided = [
            range(len(tokens) - tail - 1, len(tokens) - tail - 1 + max(tail, 1))
            for tokens, tail in zip(spoken, tails, strict=True)
        ]
        kept = list(range(max(map(len, spoken))))
        if "logits_to_keep" in accepted(self._model):
            kept = sorted({position for positions in decided for position in positions})
        self._look_ahead()
        with _precise_head(self._model):
            logits = self._read([prompt for prompt, _ in rows], inputs, kept)
        return [logits[row, [kept.index(one) for one in positions]].float() for row, positions in enumerate(decided)]

    def _read(self, prompts: Sequence[Rendered], inputs: dict[str, Any], kept: Sequence[int]) -> Any:
        """Logits at these positions of every row; what was read before is not read again."""
        import torch

        if "logits_to_keep" not in accepted(self._model):
            return self._model(**inputs, use_cache=False).logits
        alone = self._stem is not None and len(prompts) == 1
        left, known = self._stem.go_on(prompts, inputs, kept[0]) if self._stem else (inputs, 0)
        wanted = torch.tensor(kept, device=self._model.device) - known
        answer = self._model(**left, use_cache=alone or known > 0, logits_to_keep=wanted)
        if self._stem and alone and not known:
            self._stem.keep(prompts[0], inputs["input_ids"][0], answer.past_key_values)
        return answer.logits

    def _spell(self, rows: Sequence[Row]) -> tuple[dict[str, Any], list[tuple[int, ...]]]:
        """Inputs for rows, and the tokens of the side that speaks."""
        prompts = [prompt for prompt, _ in rows]
        if self._has_encoder:
            inputs = self._inputs(prompts, [""] * len(prompts), "right")
            spoken = [self._begin(prompt) + (said.tokens if said else ()) for prompt, said in rows]
            inputs["decoder_input_ids"] = self._pad(spoken)
            return inputs, spoken
        endings = [said.text if said else "" for _, said in rows]
        inputs = self._inputs(prompts, endings, "right")
        lengths = inputs["attention_mask"].sum(dim=1).tolist()
        spoken = [tuple(tokens[:length].tolist()) for tokens, length in zip(inputs["input_ids"], lengths, strict=True)]
        for (prompt, said), tokens in zip(rows, spoken, strict=True):
            end = self._tokens(prompt.text + (said.text if said else ""))[-1 - len(said.tokens if said else ()) :]
            if tokens[len(tokens) - len(end) :] != end:
                raise Unanswerable("the model's processor changes the end of the prompt, where the words would stand")
        return inputs, spoken

    def _tokens(self, text: str) -> tuple[int, ...]:
        return tuple(self._processor.tokenizer(text, add_special_tokens=False)["input_ids"])

    def _begin(self, prompt: Rendered) -> tuple[int, ...]:
        """What the decoder of an encoder-decoder starts from."""
        return (self._decoder.decoder_start_token_id, *self._tokens(prompt.begun))

    def _pad(self, rows: Sequence[tuple[int, ...]]) -> Any:
        import torch

        longest, filler = max(map(len, rows)), (self._processor.tokenizer.pad_token_id,)
        padded = [row + filler * (longest - len(row)) for row in rows]
        return torch.tensor(padded, device=self._model.device)

    def _write(self, prompts: Sequence[Prompt]) -> list[Response]:
        """What the model writes: what it finds likeliest token by token, or a draw."""
        rendered = self._render(prompts)
        alike: dict[tuple[int, str], list[int]] = {}
        for index, (prompt, one) in enumerate(zip(prompts, rendered, strict=True)):
            alike.setdefault((prompt.max_tokens, one.begun), []).append(index)
        answers: dict[int, Response] = {}
        for (most, _), group in alike.items():
            draws = [prompts[index].repeat for index in group]
            written = self._generate([rendered[index] for index in group], most, draws)
            answers |= zip(group, written, strict=True)
        return [answers[index] for index in range(len(prompts))]

    def _generate(self, prompts: Sequence[Rendered], most: int, draws: Sequence[int]) -> list[Response]:
        inputs = self._inputs(prompts, [""] * len(prompts), self._writing_side)
        read = inputs["attention_mask"].sum(dim=1).tolist()
        self._look_ahead()
        if self._drafts and len(prompts) == 1 and not any(draws):
            if self._stem:
                inputs, _ = self._stem.go_on(prompts, inputs, read[0] - 1)
            tokens: Any = [drafting.write(self._model, inputs, most, self._drafts)]
        else:
            tokens = self._continue(prompts, inputs, most, draws)
        self._ahead.wait()
        texts = self._processor.tokenizer.batch_decode(tokens, skip_special_tokens=True)
        return [
            Response(text=text.strip(), usage={"prompt_tokens": count}) for text, count in zip(texts, read, strict=True)
        ]

    def _continue(self, prompts: Sequence[Rendered], inputs: dict[str, Any], most: int, draws: Sequence[int]) -> Any:
        """Tokens after each prompt, by the checkpoint's own way of writing."""
        asked = inputs["input_ids"]
        if self._has_encoder:
            asked = inputs["decoder_input_ids"] = self._pad([self._begin(prompt) for prompt in prompts])
        if any(draws):
            inputs["logits_processor"] = [chance(prompts, draws)]
        tokens = self._model.generate(**inputs, max_new_tokens=most, do_sample=False, num_beams=1)
        if tokens.shape[1] >= asked.shape[1] and bool((tokens[:, : asked.shape[1]] == asked).all()):
            tokens = tokens[:, asked.shape[1] :]
        return tokens


def _log_likelihoods(logits: Any, tokens: Sequence[int]) -> list[float]:
    """Log-probability of each token from the logits of its position."""
    chosen = logits.log_softmax(dim=-1)[range(len(tokens)), tokens]
    likelihoods: list[float] = chosen.tolist()
    return likelihoods


def _precision(model: Any) -> Any:
    """What most weights are in; the first, by which the model itself tells, may stay in float32 (BLIP-2's queries)."""
    head = model.get_output_embeddings()
    return model.dtype if head is None else head.weight.dtype


@contextmanager
def _precise_head(model: Any) -> Iterator[None]:
    """Compute logits in float32 whatever the model's precision.

    In bfloat16 logits near 20 come in steps of 1/8, which leaves a few dozen distinct scores for ten thousand images.
    """
    import torch

    head = model.get_output_embeddings()
    if _precision(model) == torch.float32 or type(head) is not torch.nn.Linear:
        yield
        return

    def precisely(layer: Any, inputs: tuple[Any, ...], _: Any) -> Any:
        bias = None if layer.bias is None else layer.bias.float()
        return torch.nn.functional.linear(inputs[0].float(), layer.weight.float(), bias)

    hook = head.register_forward_hook(precisely)
    try:
        yield
    finally:
        hook.remove()
