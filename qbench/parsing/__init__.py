"""Replies -> values or reasons. Pure, and never a guess.

1. `cleaning`: the model's own answer as plain text. Thoughts, an echoed prompt, invented turns, stop tokens, markdown,
   JSON and LaTeX come off.
2. `mentions`: where the choices are named, by letter, by text, or by both.
3. `evidence`: which choice that comes to. The whole reply is one; or one is announced ("the answer is B"), the last
   announcement counts; or a letter leads the reply; or one alone is named and asserted (`asserting`).
4. `options`, `preference`, `numbers`: the questions that are asked, each with the choices that it offers.

Where negation, elimination or correction appears and the first steps do not settle it, the reply is unread, with the
reason. A judge model may read it then (`qbench.tasks.asking`).
"""

from qbench.parsing.evidence import Parsed, Reason
from qbench.parsing.numbers import parse_judge_score, parse_rating
from qbench.parsing.options import parse_numbered, parse_option, parse_quality_word, parse_yes_no
from qbench.parsing.preference import Preference, parse_preference

__all__ = [
    "Parsed",
    "Preference",
    "Reason",
    "parse_judge_score",
    "parse_numbered",
    "parse_option",
    "parse_preference",
    "parse_quality_word",
    "parse_rating",
    "parse_yes_no",
]
