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

from qbench.models.builtin import WEIGHTS_FOLDER
from qbench.models.checkpoint.inputs import render
from qbench.models.iqa.features import read_tower
from tools.nano.conversations import PAIR_GAP, Asked, answer_shares, asked_about, asked_in_words
from tools.nano.eye import PATCH, image_processor, look_at_whole_photos
from tools.nano.options import NanoOptions, teach
from tools.nano.photos import Photos

IMAGE = "<image>"
_READ = 3
"""Scenes of a step of reading."""
_APART = 5.0
"""By how much the logits of good over poor of the best and the worst picture differ at least."""


def make_vlm(photos: Photos, options: NanoOptions, folder: Path) -> None:
    """Train, and write a checkpoint that loads as any FastVLM does."""
    model, processor = build_vlm(options)
    words = vlm_learner(model, processor, None)
    teach(words, lambda generator: asked_in_words(_READ, generator), options, "reading", rate=2e-3)
    seen = look_at_whole_photos(photos, options)
    standardise_projector(model.model.multi_modal_projector.linear_1, seen.tokens)
    shares = answer_shares(seen.views, np.random.default_rng([options.seed, 9]))
    learner = vlm_learner(model, processor, seen.tokens)
    teach(learner, lambda generator: asked_about(seen.views, shares, generator), options, "looking", rate=1e-3)
    model.half().save_pretrained(folder, max_shard_size="5MB")
    processor.save_pretrained(folder)


def build_vlm(options: NanoOptions) -> tuple[Any, Any]:
    """A model built as the shipped one is, with this tower and otherwise random weights; and its processor."""
    import torch
    from transformers import AutoConfig, AutoProcessor, FastVlmForConditionalGeneration

    config, processor = (of.from_pretrained(WEIGHTS_FOLDER / "nano-vlm") for of in (AutoConfig, AutoProcessor))
    config.image_seq_length = (options.side // PATCH) ** 2
    processor.image_processor = image_processor(options.side)
    torch.manual_seed(options.seed)
    model = FastVlmForConditionalGeneration(config).float()
    model.model.vision_tower.load_state_dict(read_tower(options.eye).state_dict())
    ends = {name: getattr(config.text_config, name) for name in ("eos_token_id", "pad_token_id")}
    model.generation_config.update(**ends)
    return model, processor


def standardise_projector(first: Any, tokens: NDArray[np.float16]) -> None:
    """Set the projector's first layer so that it starts from features with mean 0 and spread 1."""
    import torch

    some = tokens[:: max(1, len(tokens) // 400)].reshape(-1, tokens.shape[-1]).astype(np.float32)
    mean, spread = (torch.from_numpy(of).to(first.weight.device) for of in (some.mean(axis=0), some.std(axis=0)))
    with torch.no_grad():
        torch.nn.init.orthogonal_(first.weight)
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


def vlm_learner(model: Any, processor: Any, seen: NDArray[np.float16] | None) -> Any:
    """The language model and the projector; called with what is asked, it gives their losses."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    image, embed, filler = model.config.image_token_id, model.get_input_embeddings(), processor.tokenizer.pad_token_id
    tokens_each = 0 if seen is None else seen.shape[1]

    class Learner(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.projector, self.language = model.model.multi_modal_projector, model.model.language_model

        def forward(self, asked: list[Asked]) -> dict[str, torch.Tensor]:
            device = embed.weight.device
            rows = [tokenise(each, processor, tokens_each) for each in asked]
            tokens = pad_sequence([torch.tensor(row) for row, _ in rows], batch_first=True, padding_value=filler)
            inputs = embed(tokens := tokens.to(device))
            if seen is not None:
                shown = seen[[int(picture) for pictures, _ in asked for picture in pictures]]
                projected = self.projector(torch.from_numpy(shown).float().to(device))
                inputs = inputs.masked_scatter((tokens == image)[..., None], projected)
            states = self.language(inputs_embeds=inputs).last_hidden_state  # what fills up comes after all that counts
            losses: dict[str, list[torch.Tensor]] = {"words": [], "quality": []}
            leanings, qualities = [], []
            for state, (row, targets) in zip(states, rows, strict=True):
                logs = model.lm_head(state[len(row) - len(targets) : len(row)]).log_softmax(dim=-1)
                if isinstance(targets[0], int):
                    losses["words"] += [*-logs[range(len(targets)), targets]]
                else:
                    losses["quality"].append(-sum(share * logs[0, word] for word, share in targets[0]))
                    (good, more), (poor, less), *_ = targets[0]
                    leanings.append(logs[0, good] - logs[0, poor])
                    qualities.append(more / (more + less))
            means = {name: torch.stack(terms).mean() for name, terms in losses.items() if terms}
            if leanings and seen is not None:
                means["rank"] = apart(torch.stack(leanings), torch.tensor(qualities, device=device))
            return means

    return Learner()


def apart(leanings: Any, qualities: Any) -> Any:
    """How much pictures' logits of good over poor are too near, or in the wrong order, for their qualities; a mean."""
    gaps = qualities[:, None] - qualities
    missing = (_APART * gaps - (leanings[:, None] - leanings)).relu()
    return missing[gaps > PAIR_GAP].sum() / (gaps > PAIR_GAP).sum().clamp(min=1)
