"""nano-vlm: a small FastVLM, which is a LLaVA with a convolutional vision tower.

As LLaVA does in its first stage (https://arxiv.org/abs/2304.08485), the vision tower is kept and a projector is
trained; the language model with it. That one starts from random weights, so it is first trained on text alone: the same
questions about pictures that are described in words. The features of each picture are computed once and cached. Turns
on one picture share its tokens in a row but are masked from one another, so each is learnt as if it were asked alone.
At last it learns from nano-iqa, which says how good photos look.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qbench.training.loop import Recipe, train
from tools.nano import eye
from tools.nano.conversations import (
    PAIR_GAP,
    ConversationRow,
    answer_shares,
    conversation_rows,
    rated_rows,
    rows_in_words,
    spread_rows,
)
from tools.nano.packing import IMAGE, image_tokens, pad_rows, tokenise_row
from tools.nano.photos import Photos, read_photos
from tools.nano.taught import Lesson, taught_rows
from tools.nano.tokens import chat_tokenizer
from tools.nano.vlm_features import (
    ViewFeatures,
    VlmOptions,
    add_question_scenes,
    cache_features,
    cache_taught,
)

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
_APART = 5.0
"""By how much the logits of good over poor of the best and the worst picture differ at least."""
_RATED = 0.25
"""Share of the rows of looking whose pictures went through the chain of a phone."""
_SAMPLE = 600
"""Rows that the tokenizer is learnt from."""


def train_vlm(options: VlmOptions) -> Path:
    """Train, and write a checkpoint that loads as any FastVLM does; returns its folder."""
    photos = read_photos(options.photos)
    model, processor = build_vlm(options.eye, options.seed, options.onward)
    settings = {"photos": photos.digest, "reading": options.reading}
    folders = {"eye": options.eye, "onward": options.onward, "teacher": options.teacher}
    settings |= {name: folder and eye.digest(folder) for name, folder in folders.items()}
    settings |= {name: getattr(options, name) for name in ("seed", "scenes", "rows")}
    if options.onward:
        go_on_from(model, options.onward)
    else:
        teach_words(model, processor, photos, options, settings)
    be_taught(model, processor, photos, options, settings)
    model.half().save_pretrained(options.out)
    processor.save_pretrained(options.out)
    return options.out


def teach_words(model: Any, processor: Any, photos: Photos, options: VlmOptions, settings: dict[str, Any]) -> None:
    """Reading, looking at parts of photos and at whole ones, and questions; see the card."""
    train_reading(model, processor, options)
    for part, steps, rate in ((True, options.glances, 1e-3), (False, options.steps, 5e-4)):
        side, count = (eye.CROP, 2 * options.scenes) if part else (eye.SIDE, options.scenes)
        features = cache_features(photos, options, side, count)
        if part:
            standardise_projector(model.model.multi_modal_projector.linear_1, features.features)
        learner = vlm_learner(model, processor, features).to(options.device)
        work = options.work / "glancing" if part else options.work
        train(learner, partial(_batches, features, options, steps), _recipe(steps, rate), work, settings)
    settings["question_scenes"] = options.question_scenes
    asked = add_question_scenes(photos, options, features)
    learner = vlm_learner(model, processor, asked).to(options.device)
    batches = partial(_question_batches, asked, len(features.views), options)
    train(learner, batches, _recipe(options.questions, 7e-4), options.work / "questions", settings)


def go_on_from(model: Any, folder: Path) -> None:
    """Take the projector of a checkpoint; its language model has been taken already."""
    import torch
    from transformers import AutoModelForImageTextToText

    known = AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32).model
    model.model.multi_modal_projector.load_state_dict(known.multi_modal_projector.state_dict())


def build_vlm(tower: Path, seed: int, language: Path | None = None) -> tuple[Any, Any]:
    """A FastVLM with this eye, and its processor; its language model is a checkpoint's, or has random weights."""
    import torch
    from transformers import (
        AutoModelForImageTextToText,
        AutoTokenizer,
        FastVlmConfig,
        FastVlmForConditionalGeneration,
        LlamaConfig,
        LlavaProcessor,
    )

    seeing = eye.read_eye(tower)
    tokenizer = AutoTokenizer.from_pretrained(language) if language else chat_tokenizer(_texts(seed), 1200, [IMAGE])
    ends = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id, "bos_token_id": None}
    config = FastVlmConfig(
        vision_config=seeing.config,
        text_config=LlamaConfig(**LANGUAGE, **ends, vocab_size=len(tokenizer)),
        image_token_index=tokenizer.convert_tokens_to_ids(IMAGE),
        image_seq_length=image_tokens(eye.SIDE),
        tie_word_embeddings=True,
    )
    torch.manual_seed(seed)
    model = FastVlmForConditionalGeneration(config)
    model.model.vision_tower.load_state_dict(seeing.state_dict())
    if language:
        earlier = AutoModelForImageTextToText.from_pretrained(language, dtype=torch.float32)
        model.model.language_model.load_state_dict(earlier.model.language_model.state_dict())
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    processor = LlavaProcessor(
        eye.image_processor(),
        tokenizer,
        patch_size=eye.PATCH,
        vision_feature_select_strategy="full",
        num_additional_image_tokens=0,
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


def be_taught(model: Any, processor: Any, photos: Photos, options: VlmOptions, settings: dict[str, Any]) -> None:
    """The last step: what nano-iqa says of whole photos, and of scenes that questions are asked about."""
    features, lesson = cache_taught(photos, options)
    learner = vlm_learner(model, processor, features, ranked=True).to(options.device)
    settings |= {"taught_views": options.taught_views}
    batches = partial(_taught_batches, lesson, options)
    train(learner, batches, _recipe(options.taught, 5e-4), options.work / "taught", settings)


def _taught_batches(lesson: Lesson, options: VlmOptions, start: int) -> Iterator[list[ConversationRow]]:
    for step in range(start, options.taught):
        yield taught_rows(lesson, np.random.default_rng([options.seed, 13, step]))


def _batches(features: ViewFeatures, options: VlmOptions, steps: int, start: int) -> Iterator[list[ConversationRow]]:
    for step in range(start, steps):
        generator = np.random.default_rng([options.seed, 4, step])
        rated = rated_rows(features.rated, len(features.views), round(_RATED * options.rows), generator)
        yield [*rated, *conversation_rows(features.views, options.rows - len(rated), generator)]


def _question_batches(
    features: ViewFeatures, first: int, options: VlmOptions, start: int
) -> Iterator[list[ConversationRow]]:
    """Rows about the scenes to ask about, which begin here, beside a few about the others."""
    shares = answer_shares(features.views, np.random.default_rng([options.seed, 9]))
    for step in range(start, options.questions):
        generator = np.random.default_rng([options.seed, 10, step])
        rated = rated_rows(features.rated, len(features.views), 1, generator)
        others = round(_RATED * options.rows)
        rows = spread_rows(features.views[:first], shares, others, generator)
        asked = spread_rows(features.views[first:], shares, max(1, options.rows - others - len(rated)), generator)
        yield [
            *rated,
            *rows,
            *((tuple(first + int(number) for number in pictures), turns) for pictures, turns in asked),
        ]


def vlm_learner(model: Any, processor: Any, features: ViewFeatures | None = None, *, ranked: bool = False) -> Any:
    """The language model and the projector; called with rows, it gives their losses; if asked, also of their ranks."""
    import torch

    image = model.config.image_token_id
    tokens_each = features.features.shape[1] if features else 0
    embed = model.get_input_embeddings()

    class Learner(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.projector, self.language = model.model.multi_modal_projector, model.model.language_model

        def forward(self, rows: list[ConversationRow]) -> dict[str, torch.Tensor]:
            losses: dict[str, list[torch.Tensor]] = {"words": [], "quality": []}
            leanings: list[tuple[torch.Tensor, float]] = []
            # Rows of one picture are half as long as others, and need not be filled up to those.
            for group in ([row for row in rows if (len(row[0]) > 1) == several] for several in (False, True)):
                if group:
                    self.add_losses(group, losses, leanings)
            means = {name: torch.stack(terms).mean() for name, terms in losses.items() if terms}
            if ranked and (missing := pairs_apart(leanings)):
                means["rank"] = torch.stack(missing).mean()
            return means

        def add_losses(
            self,
            rows: list[ConversationRow],
            losses: dict[str, list[torch.Tensor]],
            leanings: list[tuple[torch.Tensor, float]],
        ) -> None:
            device = embed.weight.device
            token_rows = [tokenise_row(pictures, turns, processor, tokens_each) for pictures, turns in rows]
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
            for line, target in zip(logs, targets, strict=True):
                if isinstance(target, int):
                    losses["words"].append(-line[target])
                else:
                    losses["quality"].append(-sum(share * line[word] for word, share in target))
                    (good, more), (poor, less), *_ = target
                    leanings.append((line[good] - line[poor], more / (more + less)))

    return Learner()


def pairs_apart(leanings: Sequence[tuple[Any, float]]) -> list[Any]:
    """How much each two pictures' logits of good over poor are too near, or in the wrong order, for their qualities."""
    missing = []
    for place, (first, quality) in enumerate(leanings):
        for second, other in leanings[place + 1 :]:
            gap = quality - other
            if abs(gap) > PAIR_GAP:
                missing.append((_APART * abs(gap) - (first - second) * np.sign(gap)).relu())
    return missing
