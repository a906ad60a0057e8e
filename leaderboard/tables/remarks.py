"""What follows from a remark on a printed figure: for whoever reads the board, not for whoever checked the paper."""

from __future__ import annotations

import re

_AS_PRINTED = "The figure is shown and ranked as printed."
_PARTS_DISAGREE = f"So the printed whole and the printed parts cannot both be right. {_AS_PRINTED}"
_TEXT_DISAGREES = "So the paper's text and its table disagree; the table's figure is shown."
_FOLLOWS = (
    (
        r"of (?P<n>[\d,]+) questions is no whole count; .* older version of the labels",
        "So the paper counted by the older labels; the figure is a little off the others of its column.",
    ),
    (
        r"of (?P<n>[\d,]+) questions is no whole count|No count of (?P<m>[\d,]+) questions gives",
        "So the paper's figure cannot come from {n} questions: a slip in printing, or the paper counted others. "
        "A rank by it may be off by one.",
    ),
    (
        r"^Counted over \d+ (of \d+ )?questions",
        "So it rests on one question more or less than the others of its column, which moves it by less than half a "
        "point.",
    ),
    (r"rounded (cells|means) can explain", "So nothing is known to be wrong: rounding alone can make the difference."),
    (r"^Sums the unrounded scores", "So the printed sum is the more exact one, and ranks as it should."),
    (r"^a digit is lost", "So the printed average is about a tenth of the true one, and ranks too low."),
    (r"^Table \d+ prints", f"So two tables of one paper disagree. {_AS_PRINTED}"),
    (
        r"[Cc]ells|question types, weighted|The overall is not between|^Averages the",
        _PARTS_DISAGREE,
    ),
    (r"^Cut off instead of rounded", "So the last digit is too low by one, and a rank by it may be off by one."),
    (
        r"^(The authors' evaluation notebook|The logits the authors released)",
        "So the paper and its authors' own "
        f"files disagree, and nobody can say from outside which is right. {_AS_PRINTED}",
    ),
    (
        r"^The option counts of the released questions",
        "So the printed guess is not quite that of the released questions; distances from it are off by as much.",
    ),
    (r"below its base model|[Tt]he text \(|^underlined as second best", _TEXT_DISAGREES),
    (r"below the chance level", "So guessing would do better, and differences among such models say little."),
    (r"^counts the undefined", "So the average is lower than the defined figures alone would make it."),
    (r"undefined, printed as 0", "So the 0 is no measured correlation, and a rank by it says nothing of the model."),
    (r"the row's dataset name is missing", "So the figure stands in this column by inference."),
    (
        r"^no whole number of",
        "So it rests on another number of comparisons than the paper states; its interval is not known exactly.",
    ),
)
"""What a remark says, as a pattern -> what follows from it; the first that is found tells."""


def with_consequence(remark: str) -> str:
    """A remark on a printed figure and, after it, what follows."""
    for pattern, follows in _FOLLOWS:
        if found := re.search(pattern, remark):
            numbers = [number for number in found.groupdict().values() if number]
            return f"{remark.rstrip('.')}. {follows.format(n=numbers[0] if numbers else '')}"
    return f"{remark.rstrip('.')}. {_AS_PRINTED}"
