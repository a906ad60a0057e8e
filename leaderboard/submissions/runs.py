"""A finished run of the Run page, handed in like any other file: its record with its raw answers, scored again here."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from leaderboard.store import Receipt
from leaderboard.submissions.form import SubmissionForm
from leaderboard.submissions.service import SubmissionService
from qbench.formats.runs import SCORED_AGAIN
from qbench.records import Result

PROMPTS = "Run on this board's Run page; the record says how."


def hand_in_run(
    submissions: SubmissionService,
    folder: Path,
    results: Mapping[str, Result],
    account: str | None,
    senders: Sequence[str],
) -> Receipt:
    """Hand in what a run came to, under the name of its model.

    Args:
        submissions: Who takes it.
        folder: The run's, as `python -m qbench run --out` writes it.
        results: Its records by the names of their files.
        account: Of whoever hands it in.
        senders: See `SubmissionService.submit`.

    Raises:
        UserError: It is not taken; one sentence says why.
    """
    first = next(iter(results.values()))
    with TemporaryDirectory(prefix="qbench-run-") as made:
        path = Path(made) / "run.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in results:
                archive.write(folder / name, name)
            if first.task in SCORED_AGAIN:
                archive.write(folder / "raw" / f"{first.raw}.jsonl", f"raw/{first.raw}.jsonl")
        form = SubmissionForm(model=first.model, prompts=PROMPTS)
        return submissions.submit(path, "", form, account, senders)
