"""The boards: which figures of which papers stand in which column. One file for what a person wants of a model."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from leaderboard.boards import comparing, demo, describing, other_images, questions, scoring, similarity
from leaderboard.tables.columns import Board, Group


@cache
def all_boards() -> tuple[Board, ...]:
    """Every board, in groups by what a person wants of a model, the one to begin with first.

    The very first answers what most people come for, which model sees best today: the newest models report their
    answers to the dev questions, whose truth is public.
    """
    groups = {
        Group("Questions about one photo", "what is wrong with it, how sharp or bright is it?"): questions.ONE_PHOTO,
        Group("Questions about several photos", "which of them is sharper, brighter or less noisy?"): questions.SEVERAL,
        Group("Scoring", "give a photo the score that people would give"): scoring.BOARDS,
        Group("Comparing", "say which of two photos looks better"): comparing.BOARDS,
        Group("Describing", "say in words how a photo looks"): describing.BOARDS,
        Group("Generated images", "see what is wrong with images that a model made"): other_images.GENERATED,
        Group("Videos and medical images", "see what is wrong with them"): other_images.VIDEOS_AND_MEDICAL,
        Group("Similarity", "say which images or captions belong together"): similarity.BOARDS,
        Group("Demo", "a quick test on photos that were damaged on purpose"): demo.BOARDS,
    }
    return tuple(replace(board, group=group) for group, boards in groups.items() for board in boards)
