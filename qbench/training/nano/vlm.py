"""nano-vlm: a small LLaVA with nano-clip's vision tower.

As LLaVA does in its first stage (https://arxiv.org/abs/2304.08485), the vision tower is kept and a projector is
trained; the language model with it. That one starts from random weights, so it is first trained on text alone: the same
questions about pictures that are described in words. The features of each picture are computed once and cached. Turns
on one picture share its tokens in a row but are masked from one another, so each is learnt as if it were asked alone.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qbench.errors import UserError
from qbench.training.loop import Recipe, train
from qbench.training.nano import vision
from qbench.training.nano.conversations import ConversationRow, conversation_rows, rows_in_words
from qbench.training.nano.packing import IMAGE, IMAGE_TOKENS, pad_rows, tokenise_row
from qbench.training.nano.photos import Photos, read_photos
from qbench.training.nano.scenes import VIEWS, Scenes, SceneView, calibrate, stack_pixels, without_pixels
from qbench.training.nano.tokens import chat_tokenizer

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
_READ_ROWS = 16
"""Rows of a step of reading."""
_SAMPLE = 600
"""Rows that the tokenizer is learnt from."""


@dataclasses.dataclass(frozen=True)
class VlmOptions:
    """What can be chosen for a training run."""

    photos: Path
    eye: Path
    """A folder with nano-clip."""
    out: Path
    work: Path
    steps: int
    reading: int
    """Steps of reading, before those of looking."""
    scenes: int
    """How many scenes, of four pictures each, are seen and kept."""
    rows: int
    """Of one to three pictures, in a step of looking."""
    seed: int = 0
    workers: int = 1
    device: str = "cpu"


@dataclasses.dataclass(frozen=True)
class ViewFeatures:
    """Features of pictures from the vision tower, and what is known of the pictures."""

    features: NDArray[np.float16]
    """Picture × token × width; four pictures of each scene lie together."""
    views: Sequence[SceneView]


def train_vlm(options: VlmOptions) -> Path:
    """Train, and write a checkpoint that loads as any LLaVA does; returns its folder."""
    photos = read_photos(options.photos)
    model, processor = build_vlm(options.eye, options.seed)
    train_reading(model, processor, options)
    features = cache_features(model, photos, options)
    standardise_projector(model.model.multi_modal_projector.linear_1, features.features)
    learner = vlm_learner(model, processor, features).to(options.device)
    recipe = _recipe(options.steps, rate=1e-3)
    eye = hashlib.sha256((options.eye / "model.safetensors").read_bytes()).hexdigest()
    settings = {"photos": photos.digest, "eye": eye, "reading": options.reading}
    settings |= {name: getattr(options, name) for name in ("seed", "scenes", "rows")}
    train(learner, partial(_batches, features, options), recipe, options.work, settings)
    model.half().save_pretrained(options.out)
    processor.save_pretrained(options.out)
    return options.out


def build_vlm(eye: Path, seed: int) -> tuple[Any, Any]:
    """A LLaVA with nano-clip's vision tower and a language model with random weights, and its processor."""
    import torch
    from transformers import CLIPModel, LlamaConfig, LlavaConfig, LlavaForConditionalGeneration, LlavaProcessor

    if not (eye / "config.json").is_file():
        raise UserError(f"{eye} holds no checkpoint; train one first: python -m qbench train clip")
    tower = CLIPModel.from_pretrained(eye, dtype=torch.float32).vision_model
    tokenizer = chat_tokenizer(_texts(seed), 1200, [IMAGE])
    ends = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id, "bos_token_id": None}
    config = LlavaConfig(
        vision_config=tower.config,
        text_config=LlamaConfig(**LANGUAGE, **ends, vocab_size=len(tokenizer)),
        image_token_index=tokenizer.convert_tokens_to_ids(IMAGE),
        vision_feature_select_strategy="full",
        vision_feature_layer=-1,
        tie_word_embeddings=True,
    )
    torch.manual_seed(seed)
    model = LlavaForConditionalGeneration(config)
    model.model.vision_tower.load_state_dict(tower.state_dict())
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    processor = LlavaProcessor(
        vision.image_processor(),
        tokenizer,
        patch_size=vision.PATCH,
        vision_feature_select_strategy="full",
        num_additional_image_tokens=1,
        chat_template=TEMPLATE,
    )
    return model, processor


def _texts(seed: int) -> Iterator[str]:
    """Texts such as training shows, to learn a tokenizer from."""
    generator = np.random.default_rng([seed, 3])
    for pictures, turns in rows_in_words(_SAMPLE, generator):
        yield " ".join(map(str, pictures))
        for turn in turns:
            said = [part for part in turn.prompt.parts if isinstance(part, str)]
            yield " ".join([*said, turn.prompt.prefill, turn.answer, *(word for word, _ in turn.words)])
    yield from 20 * ["USER: ASSISTANT: The first image. The second image. good poor fine bad high low A B C D E"]


def train_reading(model: Any, processor: Any, options: VlmOptions) -> None:
    """Teach the language model to answer about pictures that are described in words."""

    def batches(start: int) -> Iterator[list[ConversationRow]]:
        for step in range(start, options.reading):
            yield rows_in_words(_READ_ROWS, np.random.default_rng([options.seed, 5, step]))

    learner = vlm_learner(model, processor).to(options.device)
    train(learner, batches, _recipe(options.reading, rate=2e-3), options.work / "reading", {"seed": options.seed})


def cache_features(model: Any, photos: Photos, options: VlmOptions) -> ViewFeatures:
    """The features of every view of every scene, at full size, computed once."""
    import torch
    from tqdm import tqdm

    scenes = Scenes(photos, calibrate(photos, 1, options.seed), vision.SIDE, options.seed + 1)
    batches = [[(vision.SIDE, index)] for index in range(options.scenes)]
    tower = model.model.vision_tower.eval().to(options.device)
    features = np.empty((options.scenes * VIEWS, IMAGE_TOKENS, tower.config.hidden_size), np.float16)
    views: list[SceneView] = []
    with torch.inference_mode():
        for batch in tqdm(scenes.load(batches, options.workers), desc="looking", unit="scene", disable=None):
            seen = tower(vision.to_pixel_values(stack_pixels(batch), options.device)).last_hidden_state
            features[len(views) : len(views) + len(seen)] = seen.half().cpu()
            views += [view for scene in batch for view in without_pixels(scene).views]
    return ViewFeatures(features, views)


def standardise_projector(first: Any, features: NDArray[np.float16]) -> None:
    """Set the projector's first layer so that it starts from features with mean 0 and spread 1."""
    import torch

    flat = features.reshape(-1, features.shape[-1]).astype(np.float32)
    measured = (flat.mean(axis=0), flat.std(axis=0))
    mean, spread = (torch.from_numpy(statistic).to(first.weight.device) for statistic in measured)
    with torch.no_grad():
        torch.nn.init.orthogonal_(first.weight)
        first.weight.div_(spread + 1e-3)
        first.bias.copy_(-first.weight @ mean)


def _recipe(steps: int, rate: float) -> Recipe:
    return Recipe(steps, rate, warm_up=min(100, steps // 5))


def _batches(features: ViewFeatures, options: VlmOptions, start: int) -> Iterator[list[ConversationRow]]:
    for step in range(start, options.steps):
        yield conversation_rows(features.views, options.rows, np.random.default_rng([options.seed, 4, step]))


def vlm_learner(model: Any, processor: Any, features: ViewFeatures | None = None) -> Any:
    """The language model and the projector; called with rows, it gives their losses."""
    import torch

    image = model.config.image_token_id
    embed = model.get_input_embeddings()

    class Learner(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.projector, self.language = model.model.multi_modal_projector, model.model.language_model

        def forward(self, rows: list[ConversationRow]) -> dict[str, torch.Tensor]:
            device = embed.weight.device
            token_rows = [tokenise_row(pictures, turns, processor) for pictures, turns in rows]
            tokens, places, sees = (part.to(device) for part in pad_rows(token_rows, processor.tokenizer.pad_token_id))
            inputs = embed(tokens)
            numbers = [picture for pictures, _ in rows for picture in pictures if isinstance(picture, int)]
            if features and numbers:
                shown = torch.from_numpy(features.features[numbers]).float().to(device)
                inputs = inputs.masked_scatter((tokens == image)[..., None], self.projector(shown))
            mask = torch.zeros(sees.shape, device=device).masked_fill(~sees, torch.finfo(torch.float32).min)[:, None]
            states = self.language(inputs_embeds=inputs, attention_mask=mask, position_ids=places).last_hidden_state
            where = [(number, place) for number, row in enumerate(token_rows) for place, _ in row.targets]
            chosen = states[tuple(torch.tensor(where, device=device).T)]
            logs = model.lm_head(chosen).log_softmax(dim=-1)
            targets = [target for row in token_rows for _, target in row.targets]
            losses: dict[str, list[torch.Tensor]] = {"words": [], "quality": []}
            for line, target in zip(logs, targets, strict=True):
                if isinstance(target, int):
                    losses["words"].append(-line[target])
                else:
                    losses["quality"].append(-sum(share * line[word] for word, share in target))
            return {name: torch.stack(terms).mean() for name, terms in losses.items() if terms}

    return Learner()
