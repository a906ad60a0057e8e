"""nano-vlm: a small FastVLM, which is a LLaVA with a convolutional vision tower.

As LLaVA does in its first stage (https://arxiv.org/abs/2304.08485), the vision tower is kept and a projector is
trained; the language model with it. That one starts from random weights, so it is first trained on text alone: the same
questions about pictures that are described in words.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qbench.models.checkpoint.inputs import render
from tools.nano.conversations import PAIR_GAP, Asked, answer_shares, asked_about, asked_in_words
from tools.nano.eye import PATCH, image_processor, look_at_whole_photos, read_eye
from tools.nano.options import NanoOptions, teach
from tools.nano.photos import Photos
from tools.nano.tokens import make_tokenizer

IMAGE = "<image>"
TEMPLATE = (
    "{% for message in messages %}{% if message['role'] != 'system' %}{{ message['role'].upper() + ': ' }}{% endif %}"
    "{% for content in message['content'] | selectattr('type', 'equalto', 'image') %}{{ '<image>\n' }}{% endfor %}"
    "{% for content in message['content'] | selectattr('type', 'equalto', 'text') %}{{ content['text'] + ' ' }}"
    "{% endfor %}{% endfor %}{% if add_generation_prompt %}{{ 'ASSISTANT:' }}{% endif %}"
)
"""LLaVA 1.5's: pictures first, then the texts."""
LANGUAGE = {
    "hidden_size": 128,
    "intermediate_size": 352,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "max_position_embeddings": 2048,
    "tie_word_embeddings": True,
}
_READ = 3
"""Scenes of a step of reading."""
_APART = 5.0
"""By how much the logits of good over poor of the best and the worst picture differ at least."""
_SAMPLE = 200
"""Scenes that the tokenizer is learnt from."""


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
    """A FastVLM with this eye, whose language model has random weights, and its processor."""
    import torch
    from transformers import FastVlmConfig, FastVlmForConditionalGeneration, LlamaConfig, LlavaProcessor

    seeing = read_eye(options.eye)
    tokenizer = make_tokenizer(_texts(options.seed), 1200, [IMAGE])
    ends = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id}
    config = FastVlmConfig(
        vision_config=seeing.config,
        text_config=LlamaConfig(**LANGUAGE, **ends, bos_token_id=None, vocab_size=len(tokenizer)),
        image_token_index=tokenizer.convert_tokens_to_ids(IMAGE),
        image_seq_length=(options.side // PATCH) ** 2,
        tie_word_embeddings=True,
    )
    torch.manual_seed(options.seed)
    model = FastVlmForConditionalGeneration(config)
    model.model.vision_tower.load_state_dict(seeing.state_dict())
    model.generation_config.update(**ends)
    processor = LlavaProcessor(
        image_processor(options.side),
        tokenizer,
        patch_size=PATCH,
        vision_feature_select_strategy="full",
        num_additional_image_tokens=0,
        chat_template=TEMPLATE,
    )
    return model, processor


def _texts(seed: int) -> Iterator[str]:
    """Texts such as training shows, to learn a tokenizer from."""
    generator = np.random.default_rng([seed, 3])
    for pictures, turn in asked_in_words(_SAMPLE, generator):
        said = [part for part in turn.prompt.parts if isinstance(part, str)]
        words = [word for word, _ in turn.words]
        yield " ".join([*map(str, pictures), *said, turn.prompt.prefill, turn.answer, *words])
    yield from 20 * ["USER: ASSISTANT: The first image. The second image. good poor fine bad high low A B C D E"]


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
