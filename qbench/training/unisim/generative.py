"""A generative model tuned on conversations about images, such as `unisim-conversations` writes.

UniSim, App. B.2, https://arxiv.org/abs/2412.10594: one epoch, no decay, a short warm-up. What learns here is LoRA on
the language side alone; the paper trains all weights of its 0.5B model, and all but the vision tower's of its 7B one.
Each conversation is a question and its answer, of which the answer and the end after it are learnt. Questions are
written out as the benchmark writes them, so that what is trained is what will be asked, for every decoder-only
architecture that it runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count, islice, zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from qbench.errors import DataError, UserError
from qbench.images import open_picture
from qbench.models.checkpoint import checkpoint_kind
from qbench.models.checkpoint.inputs import render, to_inputs
from qbench.models.checkpoint.weights import load_processor, load_weights
from qbench.models.word_tokens import tokenise_word
from qbench.records import Prompt
from qbench.rows import Row, read_rows
from qbench.rows import digest as digest_of_file
from qbench.training.loop import Recipe, train
from qbench.training.unisim.tuning import TuningOptions, add_lora, make_learner, reproducible_step

MARK = "<image>"
WARM_UP = 0.03
"""Share of the steps."""
_IGNORED = -100


@dataclass(frozen=True, kw_only=True)
class VlmTuningOptions(TuningOptions):
    """And for that of a generative model."""

    conversations: Path
    images: Path | None = None
    """Folder that images are named from; None is that of the file."""
    samples: int | None = None
    """How many conversations are seen in all; None is each of them once."""


@dataclass(frozen=True)
class Conversation:
    """A question and its answer."""

    question: tuple[str | Path, ...]
    """Texts and images, in their order."""
    answer: str

    @property
    def images(self) -> int:
        """How many are shown."""
        return sum(isinstance(part, Path) for part in self.question)

    @property
    def prompt(self) -> Prompt:
        """As the benchmark asks it."""
        return Prompt("text", tuple(part if isinstance(part, str) else open_picture(part) for part in self.question))


def tune_vlm(options: VlmTuningOptions) -> Path:
    """Train, and write a checkpoint that loads as the model did, in float32; returns its folder.

    Raises:
        UserError: The model does not write, or reads with an encoder of its own; or `peft` is missing.
        DataError: No such file, or conversations of another kind.
    """
    conversations = read_conversations(options.conversations, options.images or options.conversations.parent)
    found = options.find()
    if checkpoint_kind(found) == "encoder":
        raise UserError(f"{options.model} compares and writes nothing; `train unisim` tunes CLIPs")
    import torch
    from transformers import AutoModelForImageTextToText

    model = load_weights(found, AutoModelForImageTextToText, torch.float32)
    processor = load_processor(found)
    if model.config.get_text_config().is_encoder_decoder:
        raise UserError(f"{options.model} reads with an encoder of its own; only decoders are tuned here")
    tuned = add_lora(model, language_layers(model), options.seed)
    steps = max(1, (options.samples or len(conversations)) // options.batch)
    recipe = Recipe(steps, options.rate, warm_up=max(1, round(WARM_UP * steps)), decay=0.0)
    settings = {**options.settings(found), "conversations": digest_of_file(options.conversations)}
    tuned.train()

    def losses(batch: tuple[int, Sequence[Conversation]]) -> dict[str, Any]:
        step, chosen = batch
        with reproducible_step(model.device, options.seed, step):
            counts = dict.fromkeys(one.images for one in chosen)  # processors take equally many together
            each = [answer_losses(model, processor, [one for one in chosen if one.images == count]) for count in counts]
        return {"answer": torch.cat(each).mean()}

    train(make_learner(tuned, losses), partial(_batches, conversations, options, steps), recipe, options.work, settings)
    options.write(tuned, processor)
    return options.out


def read_conversations(path: Path, images: Path) -> list[Conversation]:
    """The conversations of a file in the layout of LLaVA's trainers; DataError names the first row that is none."""
    return [_read_conversation(row, path.name, images) for row in read_rows(path)]


def _read_conversation(row: Row, file: str, images: Path) -> Conversation:
    turns: Any = row.data.get("conversations")
    said = [(turn.get("from"), turn.get("value")) for turn in turns] if _are(dict, turns) else []
    if [who for who, _ in said] != ["human", "gpt"] or not _are(str, [text for _, text in said]):
        raise DataError(f"{file}, {row.place}: conversations must hold one text from human and one from gpt")
    shown = row.data.get("image", [])
    shown = [shown] if isinstance(shown, str) else shown
    question, answer = (text.strip() for _, text in said)
    texts = question.split(MARK)
    if not answer or not _are(str, shown) or len(texts) - 1 != len(shown):
        raise DataError(f"{file}, {row.place}: an empty answer, or not one image for each {MARK} of the question")
    paths = [images / name for name in shown]
    absent = [path for path in paths if not path.is_file()]
    if absent:
        raise DataError(f"{file}, {row.place}: there is no image {absent[0]}; name their folder with --images")
    return Conversation(tuple(part for both in zip_longest(texts, paths) for part in both if part), answer)


def _are(kind: type, listed: object) -> bool:
    return isinstance(listed, list) and all(isinstance(value, kind) for value in listed)


def language_layers(model: Any) -> list[str]:
    """Names of the linear layers of the language side, its output layer left out."""
    import torch

    inside = set(model.get_decoder().modules()) - {model.get_output_embeddings()}
    return [
        name
        for name, part in model.named_modules()
        if type(part) is torch.nn.Linear and part in inside and "vision" not in name
    ]


def _batches(
    conversations: Sequence[Conversation], options: VlmTuningOptions, steps: int, start: int
) -> Iterator[tuple[int, list[Conversation]]]:
    """Every conversation once in random order, then again in another."""
    order = (
        place
        for epoch in count()
        for place in np.random.default_rng([options.seed, 9, epoch]).permutation(len(conversations)).tolist()
    )
    left = islice(order, start * options.batch, None)
    for step in range(start, steps):
        yield step, [conversations[place] for place in islice(left, options.batch)]


def answer_losses(model: Any, processor: Any, conversations: Sequence[Conversation]) -> Any:
    """Negative log-likelihood of every token of the answers and of the end after each."""
    import torch

    tokenizer = processor.tokenizer
    rendered = [render(conversation.prompt, processor, model.config.model_type) for conversation in conversations]
    answered = [
        tokenise_word(tokenizer, prompt.text, conversation.answer)
        for prompt, conversation in zip(rendered, conversations, strict=True)
    ]
    inputs = to_inputs(processor, model, rendered, [answer.text + tokenizer.eos_token for answer in answered], "right")
    lengths = inputs["attention_mask"].sum(dim=1).tolist()
    labels = torch.full_like(inputs["input_ids"], _IGNORED)
    for row, (answer, length) in enumerate(zip(answered, lengths, strict=True)):
        learnt = (*answer.tokens, tokenizer.eos_token_id)
        tail = slice(length - len(learnt), length)
        if not answer.tokens or tuple(inputs["input_ids"][row, tail].tolist()) != learnt:
            raise UserError(
                f"the model's tokenizer has no tokens of its own for the answer {conversations[row].answer!r}"
            )
        labels[row, tail] = inputs["input_ids"][row, tail]
    logits = model(**inputs, use_cache=False).logits[:, :-1].float()
    losses = torch.nn.functional.cross_entropy(logits.transpose(1, 2), labels[:, 1:], reduction="none")
    return losses[labels[:, 1:] != _IGNORED]
