"""How often a model's choices in Probe's standard questions are right: `python -m tools.photo_questions MODEL …`.

Each question is asked about the 14 demo photos, once for every option that is true of one of its copies (untouched, or
damaged on purpose), in every cyclic order of the options, as Probe asks it. Guessing, and always choosing the same, are
right for one in so many options. The counts go to `leaderboard/live/calibration.json`, under the digest of the weights.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from itertools import cycle
from pathlib import Path

from leaderboard.live.questions import FILE, STANDARD_QUESTIONS, ask_questions, doubt_of
from leaderboard.live.service.limits import Work
from leaderboard.live.service.live import LiveRunner, RecentResponses
from qbench.datasets.demo import ensure_file
from qbench.images import open_picture
from qbench.models import open_model
from tools.demo.damage import DEMO_PHOTOS, Damage, DemoPicture

TRUTHS: tuple[Mapping[str, Damage | None], ...] = (
    {"Not distorted": None, "Moderately distorted": Damage("jpeg", 3), "Severely distorted": Damage("jpeg", 5)},
    {
        "No distortion": None,
        "Blur": Damage("lens-blur", 4),
        "Noise": Damage("white-noise", 4),
        "JPEG artifacts": Damage("jpeg", 4),
    },
    {"Too dark": Damage("darken", 4), "Just fine": None, "Too bright": Damage("brighten", 4)},
    {"Faded": Damage("undersaturation", 4), "Natural": None, "Oversaturated": Damage("oversaturation", 4)},
    {"Too low": Damage("contrast-down", 4), "Just fine": None, "Too high": Damage("contrast-up", 4)},
    {"Blurry": Damage("lens-blur", 5), "Moderate": Damage("lens-blur", 2), "Clear": None},
)
"""Of each standard question, what makes each option true."""
KINDS = ("jpeg", "white-noise", "lens-blur")
"""How strongly a photo is distorted is asked of these in turn."""


def counts_of(name: str) -> tuple[str, dict[str, dict[str, list[int]]]]:
    """Digest of the model's weights, and of each question how often each option was right and chosen."""
    model, found = open_model(name), {}
    runner = LiveRunner(model, Work(), RecentResponses())
    with tempfile.TemporaryDirectory() as folder:
        for number, (question, truths) in enumerate(zip(STANDARD_QUESTIONS, TRUTHS, strict=True)):
            counts = {option: [0, 0] for option in question.options}
            for photo, kind in zip(DEMO_PHOTOS, cycle(KINDS), strict=False):
                for truth, damage in truths.items():
                    done = Damage(kind, damage.level) if damage and number == 0 else damage
                    picture = open_picture(ensure_file(DemoPicture(photo, done).name, Path(folder)))
                    [answer] = ask_questions(runner, picture, [question])
                    if answer.chosen is not None:
                        counts[answer.chosen][0] += answer.chosen == truth
                        counts[answer.chosen][1] += 1
            found[question.text] = counts
            print(question.text, flush=True)
            for option, (right, chosen) in counts.items():
                doubt = doubt_of(option, {option: (right, chosen)}, 1 / len(question.options))
                print(f"  {option:24} right {right:2} of {chosen:2}  {'can’t tell' if doubt else 'shown'}", flush=True)
    return str(model.identity["checkpoint"]), found


def main() -> None:
    stored = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}
    for name in sys.argv[1:] or ["nano-vlm"]:
        weights, counts = counts_of(name)
        stored[weights] = counts
    FILE.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
