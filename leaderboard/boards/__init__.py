"""The boards: which figures of which papers stand in which column."""

from __future__ import annotations

from leaderboard.boards import abench, demo, qbench, recent, settings_compared, twoafc, unisim
from leaderboard.tables.columns import Board


def all_boards() -> tuple[Board, ...]:
    """Every board, in the order people choose from: those of one benchmark stand together, synthetic truth last.

    The first answers what most people come for, which model sees best today: the newest models report their answers to
    the dev questions, whose truth is public.
    """
    return (
        qbench.perception_board("dev", "Table 7"),
        qbench.perception_board("test", "Table 2"),
        recent.close_set_board(),
        qbench.description_board(),
        qbench.assessment_board(),
        recent.levels_board(),
        recent.number_board(),
        recent.trained_board(),
        recent.metrics_board(),
        recent.full_reference_board(),
        settings_compared.score_words_board(),
        recent.pairs_board("test", "999"),
        recent.pairs_board("dev", "1,000"),
        recent.several_images_board(),
        qbench.pairs_description_board(),
        qbench.pathway_board(),
        twoafc.coarse_board(),
        twoafc.fine_board(),
        recent.pair_accuracy_board(),
        settings_compared.rankings_board(),
        abench.whole_board(),
        abench.dev_board(),
        unisim.core_board(),
        unisim.other_tasks_board(),
        unisim.more_images_board(),
        settings_compared.training_data_board(),
        demo.demo_board(),
        demo.demo_more_images_board(),
    )
