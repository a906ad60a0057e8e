"""The steps from rendered prompts to logits and text: the plain ones, wrapped in the speed-ups that are switched on.

Every speed-up is a file of its own and works without the others. Answers are the same with and without, up to the
rounding of float32.
"""

from __future__ import annotations

from dataclasses import dataclass

from qbench.models import SpeedUps
from qbench.models.checkpoint.image_cache import ImageFeatureCache
from qbench.models.checkpoint.image_features import ImageFeatures, TokensOf, encodes_images_alone
from qbench.models.checkpoint.inputs import Prepare
from qbench.models.checkpoint.network import Network, Write
from qbench.models.checkpoint.prefetch import InputPrefetcher
from qbench.models.checkpoint.prefix_cache import PrefixCache
from qbench.models.checkpoint.scoring import ComputeLogits, ReadLogits, Scorer
from qbench.models.checkpoint.shared_reading import SHARED_READING_MODEL_TYPES, SharedReading


@dataclass(frozen=True)
class Steps:
    """What answering takes of a network."""

    prepare: Prepare
    score: ComputeLogits
    write: Write
    tokens_of: TokensOf | None
    """Tokens of images by themselves, for an architecture that has them."""
    prefetcher: InputPrefetcher | None


def assemble_steps(network: Network, speed_ups: SpeedUps) -> Steps:
    """The plain steps of a network, wrapped in those speed-ups that are on and that its architecture allows."""
    prepare: Prepare = network.prepare
    read: ReadLogits = network.read
    write: Write = network.write
    features = ImageFeatures(network) if encodes_images_alone(network.model) else None
    tokens_of: TokensOf | None = features.tokens_of if features else None

    image_cache = ImageFeatureCache(features) if features and speed_ups.image_feature_cache else None
    if image_cache:
        prepare, tokens_of = image_cache.prepare, image_cache.tokens_of
    prefetcher = InputPrefetcher(prepare) if speed_ups.prefetch else None
    if prefetcher:
        prepare = prefetcher.prepare
    if image_cache:
        prepare = image_cache.with_tokens(prepare)

    # In half precision, rounding depends on what is read together.
    if speed_ups.prefix_cache and features is not None and network.is_float32:
        read = PrefixCache(network.forward, network.processor.image_token_id).read
    if prefetcher:
        read, write = prefetcher.during(read), prefetcher.during(write)

    scorer = Scorer(network, prepare, read)
    score: ComputeLogits = scorer.score
    if speed_ups.shared_reading and network.model_type in SHARED_READING_MODEL_TYPES:
        score = SharedReading(network, scorer).score
    return Steps(prepare, score, write, tokens_of, prefetcher)
