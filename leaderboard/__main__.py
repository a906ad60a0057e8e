"""Command line of the board: `python -m leaderboard export | review | compact`."""

from __future__ import annotations

import argparse
import io
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from leaderboard.export import export_site
from leaderboard.exports import metrics_of, write_texts
from leaderboard.exports.every_eval import every_eval_ever
from leaderboard.exports.hub_results import eval_results, eval_yaml
from leaderboard.settings import Settings, dataset_named, read_settings
from leaderboard.snapshot import open_snapshot
from leaderboard.store.opening import compact, open_store
from qbench.errors import ProviderError, UserError

NAME = "Low-level vision of multimodal models"
DESCRIPTION = "Q-Bench, 2AFC prompting and UniSim-Bench: what multimodal models see of blur, noise and exposure."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of models hold what not every terminal can show
    asked = _parser().parse_args(arguments)
    try:
        settings = read_settings(os.environ, Path(__file__).resolve().parent.parent)
        said = {"export": _export, "review": _review, "compact": _compact}[asked.command](settings, asked)
    except (UserError, ProviderError) as fault:
        sys.stderr.write(f"{fault}\n")
        return 2
    except OSError as fault:
        sys.stderr.write(f"The files could not be written: {fault}\n")
        return 1
    sys.stdout.write(f"{said}\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m leaderboard", description="The leaderboard without its app.")
    commands = parser.add_subparsers(dest="command", required=True)
    export = commands.add_parser("export", help="write the boards as a static site, or their figures for other places")
    export.add_argument("folder", type=Path, help="where to write it; made if it does not exist")
    forms = {
        "site": "a static site that any web server can host",
        "eval-results": "eval.yaml for a benchmark's dataset, and .eval_results/ for the models' repositories",
        "every-eval-ever": "documents in the schema of Every Eval Ever",
    }
    described = "; ".join(f"{form}: {what}" for form, what in forms.items())
    export.add_argument("--as", dest="form", choices=forms, default="site", help=f"{described} (default: site)")
    export.add_argument("--benchmark", help="owner/name of the dataset that holds eval.yaml, for eval-results")
    export.add_argument(
        "--framework", default="qbench", help="evaluation_framework of eval.yaml (default: %(default)s)"
    )
    export.add_argument("--organisation", default="unknown", help="who gives the data, for every-eval-ever")
    review = commands.add_parser("review", help="list what waits for review; accept or decline it")
    review.add_argument("decision", nargs="?", choices=("list", "accept", "decline"), default="list")
    review.add_argument("digest", nargs="?", default="", help="of the submission")
    review.add_argument("--reason", default="", help="why it is declined; kept beside it, for all to read")
    commands.add_parser("compact", help="make one commit of the history of the dataset of results")
    return parser


def _export(settings: Settings, asked: argparse.Namespace) -> str:
    if asked.benchmark is not None:
        dataset_named(asked.benchmark, "--benchmark")
        if asked.form != "eval-results":
            raise UserError("--benchmark is for --as eval-results; add that, or leave it out")
    snapshot = open_snapshot(settings, open_store(settings))
    results, metrics = snapshot.loaded.results, metrics_of(snapshot.boards)
    if asked.form == "site":
        written = len(export_site(snapshot, settings.assets, asked.folder))
    elif asked.form == "eval-results":
        if not asked.benchmark:
            raise UserError("Rows of .eval_results/ name the dataset that holds eval.yaml; add --benchmark owner/name.")
        texts = eval_results(results, metrics, snapshot.find_model, asked.benchmark)
        texts["eval.yaml"] = eval_yaml(results, metrics, NAME, DESCRIPTION, asked.framework)
        written = write_texts(texts, asked.folder)
    else:
        documents = every_eval_ever(results, metrics, snapshot.find_model, asked.organisation, int(time.time()))
        written = write_texts(documents, asked.folder)
    return f"{written} files in {asked.folder}, data as of {snapshot.loaded.revision}"


def _review(settings: Settings, asked: argparse.Namespace) -> str:
    store = open_store(settings)
    store.sync()
    if asked.decision == "list":
        rows = [
            f"{one.digest}  {one.submission.submitted_at}  {one.submission.metadata.model!r}"
            f" by {one.submission.identity or 'anonymous'}  {one.url or ''}".rstrip()
            for one in store.load().pending
        ]
        return "\n".join([*rows, f"{len(rows)} submissions wait for review."])
    if asked.decision == "accept":
        entry = store.accept(asked.digest)
    else:
        entry = store.withdraw(asked.digest, by="review", reason=asked.reason)
    store.sync()
    return f"{entry.digest} is {entry.status}."


def _compact(settings: Settings, _asked: argparse.Namespace) -> str:
    compact(settings)
    return f"The history of {settings.results_repo} is one commit."


if __name__ == "__main__":
    raise SystemExit(main())
