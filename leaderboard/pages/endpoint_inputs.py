"""What scripts give to endpoints, read strictly: a wrong kind of value is refused in a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import gradio as gr

from leaderboard.live.run_request import whole_number
from leaderboard.pages.widgets import refused
from qbench.errors import UserError

NumberT = TypeVar("NumberT", gr.Number, gr.Slider)


def optional(*values: str) -> list[gr.Textbox]:
    """Inputs of an endpoint that need not be given: Gradio's clients take what an input holds as its default."""
    return [gr.Textbox(value, visible=False) for value in values]


def whole(number: NumberT, name: str) -> NumberT:
    """This input, which refuses a fraction in a sentence: Gradio's own rounds it without a word.

    Args:
        number: What stands in it counts where nothing is sent.
        name: As the sentence calls it.
    """

    def preprocess(sent: object) -> int:
        try:
            return whole_number(number.value if sent is None else sent, name)
        except UserError as fault:
            raise refused(str(fault)) from None

    number.precision = 0
    number.preprocess = preprocess
    return number


def given_names(sent: object, what: str) -> list[str]:
    """The names that the caller of an endpoint lists.

    Raises:
        gr.Error: It is no list of names; of a text alone every letter would be one.
    """
    if not isinstance(sent, list) or not all(isinstance(name, str) for name in sent):
        raise refused(f'{what} is a list of names, such as ["nano-iqa", "nano-vlm"]')
    return sent


def given_file(path: str | None) -> Path:
    """The file that the caller of an endpoint gave.

    Raises:
        gr.Error: There is none.
    """
    if not path:
        raise refused("there is no file; give one")
    return Path(path)
