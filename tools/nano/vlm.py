"""nano-vlm: a small FastVLM, which is a LLaVA with a convolutional vision tower.

As LLaVA does in its first stage (https://arxiv.org/abs/2304.08485), the vision tower is kept and a projector is
trained; the language model with it. That one starts from random weights, so it is first trained on text alone: the same
questions about pictures that are described in words.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qbench.models.checkpoint.inputs import render
from tools.nano.conversations import PAIR_GAP, Asked, answer_shares, asked_about, asked_in_words
from tools.nano.eye import PATCH, build_like, look_at_whole_photos
from tools.nano.options import NanoOptions, ranking_hinge, teach
from tools.nano.photos import Photos

IMAGE = "<image>"
_READ = 3
"""Scenes of a step of reading."""
_APART = 5.0
"""By how much the logits of good over poor of the best and the worst picture differ at least."""


def make_vlm(photos: Photos, options: NanoOptions, folder: Path) -> None:
    """Train, and write a checkpoint that loads as any FastVLM does."""
    from transformers import FastVlmForConditionalGeneration

    model, processor = build_like("nano-vlm", FastVlmForConditionalGeneration, "model.vision_tower", options)
    model.config.image_seq_length = (options.side // PATCH) ** 2
    ends = {name: getattr(model.config.text_config, name) for name in ("eos_token_id", "pad_token_id")}
    model.generation_config.update(**ends)

    def learn(name: str, tokens: NDArray[np.float16] | None, rate: float, draw: Any) -> None:
        teach(model, lambda asked: answer_losses(model, processor, asked, tokens), draw, options, name, rate)

    learn("reading", None, 2e-3, lambda generator: asked_in_words(_READ, generator))
    seen = look_at_whole_photos(photos, options).rated(options.out / "nano-iqa")
    standardise_projector(model.model.multi_modal_projector.linear_1, seen.tokens)
    shares = answer_shares(seen.views, np.random.default_rng([options.seed, 9]))
    learn("looking", seen.tokens, 1e-3, lambda generator: asked_about(seen.views, shares, generator))
    model.half().save_pretrained(folder, max_shard_size="5MB")
    processor.save_pretrained(folder)


def standardise_projector(first: Any, tokens: NDArray[np.float16]) -> None:
    """Set the projector's first layer so that it starts from features with mean 0 and spread 1."""
    import torch

    some = tokens[:: max(1, len(tokens) // 400)].reshape(-1, tokens.shape[-1]).astype(np.float32)
    mean, spread = (torch.from_numpy(of).to(first.weight.device) for of in (some.mean(axis=0), some.std(axis=0)))
    with torch.no_grad():
        first.weight.div_(spread + 1e-3)
        first.bias.copy_(-first.weight @ mean)


def tokenise(asked: Asked, processor: Any, tokens_each: int) -> tuple[list[int], list[Any]]:
    """Tokens of a question and its answer, and what comes after the question: tokens, or words with their shares."""

    def ids(text: str) -> list[int]:
        tokens: list[int] = processor.tokenizer(text, add_special_tokens=False)["input_ids"]
        return tokens

    pictures, turn = asked
    *before, rest = render(turn.prompt, processor, "fast_vlm").text.split(IMAGE)
    written = [picture if isinstance(picture, str) else IMAGE * tokens_each for picture in pictures]
    question = ids("".join(part for both in zip(before, written, strict=True) for part in both) + rest)
    if turn.words:
        return question, [[(ids(f" {word}")[0], share) for word, share in turn.words]]
    answer = [*ids(f" {turn.answer}"), processor.tokenizer.eos_token_id]
    return question + answer[:-1], answer


def answer_losses(model: Any, processor: Any, asked: list[Asked], seen: NDArray[np.float16] | None) -> dict[str, Any]:
    """Of what is asked about pictures: how unlikely answers are, how wrong ratings, and how wrong the pictures' order.

    Args:
        model: A FastVLM.
        processor: Its own.
        asked: Questions and answers.
        seen: Picture × token × width; None where pictures are described in words.
    """
    import torch
    from torch.nn.utils.rnn import pad_sequence

    rows = [tokenise(each, processor, 0 if seen is None else seen.shape[1]) for each in asked]
    filler = processor.tokenizer.pad_token_id
    tokens = pad_sequence([torch.tensor(row) for row, _ in rows], batch_first=True, padding_value=filler)
    inputs = model.get_input_embeddings()(tokens := tokens.to(model.device))
    if seen is not None:
        shown = torch.from_numpy(seen[[int(picture) for pictures, _ in asked for picture in pictures]])
        projected = model.model.multi_modal_projector(shown.float().to(model.device))
        inputs = inputs.masked_scatter((tokens == model.config.image_token_id)[..., None], projected)
    states = model.model.language_model(inputs_embeds=inputs).last_hidden_state  # what fills up comes after all else
    words, ratings, leanings, qualities = [], [], [], []
    for state, (row, targets) in zip(states, rows, strict=True):
        logs = model.lm_head(state[len(row) - len(targets) : len(row)]).log_softmax(dim=-1)
        if isinstance(targets[0], int):
            words.append(-logs[range(len(targets)), targets])
            continue
        ratings.append(-sum(share * logs[0, word] for word, share in targets[0]))
        (good, more), (poor, less), *_ = targets[0]
        leanings.append(logs[0, good] - logs[0, poor])
        qualities.append(more / (more + less))
    losses = {"words": torch.cat(words).mean()} if words else {}
    if ratings:
        quality = torch.tensor(qualities, device=model.device)
        margin = _APART * (quality[:, None] - quality)
        losses["quality"] = torch.stack(ratings).mean()
        losses["rank"] = ranking_hinge(torch.stack(leanings), quality, PAIR_GAP, margin)
    return losses
