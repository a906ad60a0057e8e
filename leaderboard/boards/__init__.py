"""The boards: which figures of which papers stand in which column."""

from __future__ import annotations

from dataclasses import replace

from leaderboard.boards import demo, other_benchmarks, qbench, recent, settings_compared, twoafc, unisim
from leaderboard.tables.columns import Board, Group


def all_boards() -> tuple[Board, ...]:
    """Every board, in groups by what a person wants of a model, the one to begin with first.

    The very first answers what most people come for, which model sees best today: the newest models report their
    answers to the dev questions, whose truth is public.
    """
    groups = {
        Group("Questions about one photo", "what is wrong with it, how sharp or bright is it?"): (
            qbench.perception_board("dev", "Table 7"),
            qbench.perception_board("test", "Table 2"),
            recent.close_set_board(),
            recent.damage_questions_board(),
            other_benchmarks.damage_places_board(),
            other_benchmarks.chinese_board(),
        ),
        Group("Questions about several photos", "which of them is sharper, brighter or less noisy?"): (
            recent.pairs_board("test", "999"),
            recent.pairs_board("dev", "1,000"),
            recent.several_images_board(),
        ),
        Group("Scoring", "give a photo the score that people would give"): (
            recent.trained_board(),
            qbench.assessment_board(),
            recent.levels_board(),
            recent.number_board(),
            settings_compared.score_words_board(),
            recent.metrics_board(),
            recent.full_reference_board(),
        ),
        Group("Comparing", "say which of two photos looks better"): (
            twoafc.coarse_board(),
            twoafc.fine_board(),
            recent.pair_accuracy_board(),
            settings_compared.rankings_board(),
        ),
        Group("Describing", "say in words how a photo looks"): (
            qbench.description_board(),
            qbench.pairs_description_board(),
            qbench.pathway_board(),
        ),
        Group("Generated images", "see what is wrong with images that a model made"): (
            other_benchmarks.abench_whole_board(),
            other_benchmarks.abench_dev_board(),
            recent.generated_quality_board(),
        ),
        Group("Videos and medical images", "see what is wrong with them"): (
            other_benchmarks.video_board(),
            other_benchmarks.medical_board(),
        ),
        Group("Similarity", "say which images or captions belong together"): (
            unisim.core_board(),
            unisim.other_tasks_board(),
            unisim.more_images_board(),
            settings_compared.training_data_board(),
        ),
        Group("Demo", "a quick test on photos that were damaged on purpose"): (
            demo.demo_board(),
            demo.demo_more_images_board(),
        ),
    }
    return tuple(replace(board, group=group) for group, boards in groups.items() for board in boards)
