"""Command line of the board: `python -m leaderboard [serve | check | create | export | review | study]`."""

from __future__ import annotations

import argparse
import gc
import io
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from leaderboard.settings import Settings, SettingsError, check_hub_name, read_settings
from leaderboard.store.decisions import DECISIONS, by_source
from leaderboard.store.worker import do_now
from qbench.assets import assets_folder, working_folder
from qbench.errors import ProviderError, UserError, how_to_install

if TYPE_CHECKING:
    from leaderboard.store.local import Store

APP_NAME = "Low-level vision of multimodal models"
BY_COMMAND = "command-line"
"""By whom a decision was made that was made here: the Owner page knows accounts, a command does not."""
APP_DESCRIPTION = "Q-Bench, A-Bench, 2AFC prompting, UniSim-Bench: what multimodal models see of blur and noise."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of models hold what not every terminal can show
    asked = _parser().parse_args(arguments)
    commands = {
        "serve": _serve,
        "check": _check,
        "create": _create,
        "export": _export,
        "review": _review,
        "study": _study,
    }
    try:
        settings = read_settings(os.environ, working_folder(), assets_folder())
        said = commands[asked.command](settings, asked)
    except (SettingsError, UserError, ProviderError) as fault:
        sys.stderr.write(f"{fault}\n")
        return 2
    except ModuleNotFoundError as fault:
        sys.stderr.write(f"{how_to_install(fault)}\n")
        return 2
    except OSError as fault:
        sys.stderr.write(f"The files could not be written: {fault}\n")
        return 1
    sys.stdout.write(f"{said}\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m leaderboard", description="The leaderboard.")
    commands = parser.add_subparsers(dest="command")
    parser.set_defaults(command="serve")
    commands.add_parser("serve", help="serve the app (the default)")
    commands.add_parser("check", help="say what is set, what is missing and what does not work: folders, Hub, models")
    create = commands.add_parser("create", help="make the datasets and the Space of a new board on the Hub")
    create.add_argument("space", help="owner/name of the Space")
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
    review = commands.add_parser("review", help="list what waits for review; accept it, decline it, or take that back")
    review.add_argument("decision", nargs="?", choices=("list", *DECISIONS), default="list")
    review.add_argument("digests", nargs="*", metavar="digest", help="of each submission")
    review.add_argument("--source", help="all that waits of this account, or of those without: anonymous")
    review.add_argument("--reason", default="", help="the reason, kept beside the decision for all to read")
    study = commands.add_parser("study", help="have people compare photos under a link (set QBENCH_STUDIES first)")
    study.add_argument("doing", choices=("open", "list", "close", "reopen", "result"))
    study.add_argument("what", nargs="?", default="", help="open: a folder of photos; else: the study")
    study.add_argument("--title", default="", help="what the study is called (default: the folder's name)")
    study.add_argument("--question", default="Which photo looks better?", help="(default: %(default)s)")
    study.add_argument("--pairs", type=int, default=28, help="pairs a person, each in both orders (default: 28)")
    study.add_argument("--people", type=int, default=500, help="the most people that may answer (default: 500)")
    study.add_argument("--out", type=Path, help="result: folder for comparisons.jsonl and ranking.json")
    return parser


def _serve(settings: Settings, _asked: argparse.Namespace) -> str:
    gc.disable()  # `serve` turns it on again
    from leaderboard.pages import import_gradio

    import_gradio()
    from leaderboard.app import make_app, serve

    serve(make_app(settings, warm=True))
    return "The app has stopped."


def _check(settings: Settings, _asked: argparse.Namespace) -> str:
    from leaderboard.check import check

    wrong = 0
    for finding in check(settings, os.environ):
        sys.stdout.write(f"{finding}\n")
        sys.stdout.flush()
        wrong += finding.state == "wrong"
    if wrong:
        raise UserError(f"{wrong} of these stop something that the settings ask for.")
    return "Nothing is wrong."


def _create(settings: Settings, asked: argparse.Namespace) -> str:
    from leaderboard.store.create import create_board

    for line in create_board(check_hub_name(asked.space, "space"), settings.token, working_folder()):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    return "See what is set and what is missing: python -m leaderboard check"


def _open_store(settings: Settings) -> Store:
    """The store of the installation, in step with the Hub where it is kept there."""
    from leaderboard.store.open import open_store

    store = open_store(settings)
    do_now(store.sync)
    return store


def _export(settings: Settings, asked: argparse.Namespace) -> str:
    from leaderboard.export import find_metric_on, write_texts
    from leaderboard.export.every_eval import every_eval_ever
    from leaderboard.export.hub_results import eval_results, eval_yaml
    from leaderboard.export.site import export_site
    from leaderboard.snapshot import check_first_board, open_snapshot
    from leaderboard.tables.words import told_unshown

    if asked.benchmark is not None:
        check_hub_name(asked.benchmark, "--benchmark")
        if asked.form != "eval-results":
            raise UserError("--benchmark is for --as eval-results; add that, or leave it out")
    check_first_board(settings)
    snapshot = open_snapshot(settings, _open_store(settings))
    if asked.form == "site":
        written = export_site(snapshot, settings.assets, asked.folder, settings.look)
    elif asked.form == "eval-results":
        if not asked.benchmark:
            raise UserError("Rows of .eval_results/ name the dataset that holds eval.yaml; add --benchmark owner/name.")
        texts = eval_results(snapshot.tables, asked.benchmark)
        texts["eval.yaml"] = eval_yaml(snapshot.tables, APP_NAME, APP_DESCRIPTION, asked.framework)
        written = write_texts(texts, asked.folder)
    else:
        find_metric, at = find_metric_on(snapshot.boards), int(time.time())
        records = snapshot.loaded.records
        documents = every_eval_ever(records, find_metric, snapshot.find_model, asked.organisation, at)
        written = write_texts(documents, asked.folder)
    said = f"{written} files in {asked.folder}, data as of {snapshot.loaded.revision}"
    return "\n".join(filter(None, [said, told_unshown(snapshot.unshown)]))


def _review(settings: Settings, asked: argparse.Namespace) -> str:
    if settings.results_repo is None and not settings.submissions.is_dir():
        raise UserError(
            f"There is no folder of submissions at {settings.submissions}; set QBENCH_SUBMISSIONS to it, or "
            "QBENCH_RESULTS_REPO to the dataset on the Hub that keeps them."
        )
    store = _open_store(settings)
    if asked.decision == "list":
        return _waiting(settings, store)
    digests = asked.digests
    if asked.source is not None:
        if asked.decision == "back" or digests:
            raise UserError("--source is for `review accept` and `review decline` without a digest")
        digests = [entry.digest for entry in by_source(store.load().pending).get(asked.source, [])]
    elif not digests:
        raise UserError(f"name the submission: python -m leaderboard review {asked.decision} DIGEST")
    done, refused = store.decide_each(digests, DECISIONS[asked.decision], BY_COMMAND, asked.reason)
    do_now(store.sync)
    if refused:
        raise UserError("\n".join([*(f"{digest} is {DECISIONS[asked.decision]}." for digest in done), *refused]))
    if asked.source is not None:
        return f"{len(done)} submissions of {asked.source} are {DECISIONS[asked.decision]}."
    return "\n".join(f"{digest} is {DECISIONS[asked.decision]}." for digest in done)


def _study(settings: Settings, asked: argparse.Namespace) -> str:
    from leaderboard.live import study as studies
    from leaderboard.live.study_answers import StudyService, result_json, write_result

    folder = settings.studies
    if folder is None:
        raise UserError("Set QBENCH_STUDIES to the folder that studies are to be kept in; without it there are none.")
    if asked.doing == "open":
        photos = Path(asked.what)
        if not asked.what or not photos.is_dir():
            raise UserError("Name the folder of photos: python -m leaderboard study open FOLDER --title TITLE")
        title = asked.title or photos.resolve().name
        opened = studies.open_study(folder, photos, title, asked.question, asked.pairs, asked.people)
        address = studies.study_link(opened, settings.link)
        return address if settings.link else f"Write this after the address of your board: {address}"
    store = _open_store(settings)
    if asked.doing == "list":
        rows = [
            f"{study.name}  {'open' if study.is_open else 'closed'}  {len(store.load_answers(study.name))} people  "
            f"{study.title}"
            for study in studies.list_studies(folder)
        ]
        return "\n".join(rows) or "There is no study."
    if asked.doing == "reopen":
        return f"{studies.set_open(folder, asked.what, is_open=True).name} is open again."
    if asked.doing == "close":
        closed = studies.set_open(folder, asked.what, is_open=False)
        return f"{closed.name} is closed; its link shows the ranking."
    result = StudyService(folder, store).result(asked.what)
    if asked.out:
        write_result(result, asked.out)
    return json.dumps(result_json(result), indent=1, ensure_ascii=False)


def _waiting(settings: Settings, store: Store) -> str:
    """What waits for review, by who handed it in, whoever handed in most first."""
    from leaderboard.snapshot import open_snapshot
    from leaderboard.submissions.review import list_waiting
    from leaderboard.submissions.service import receipt_link

    pending = store.load().pending
    of_source = by_source(pending)
    lines: list[str] = []
    for waiting in list_waiting(open_snapshot(settings, store), pending):
        entry, said = waiting.entry, waiting.entry.submission.metadata
        if entry is of_source[waiting.source][0]:
            lines.append(f"{waiting.source}: {len(of_source[waiting.source])}")
        links = [said.link, receipt_link(entry.digest, settings.link) if settings.link else None]
        lines.append(f"  {entry.digest}  {entry.submission.submitted_at}  {said.model!r}")
        told = [waiting.board, waiting.figure, waiting.place, ", ".join(waiting.flags), *links]
        lines.append(f"    {'  '.join(filter(None, told))}")
    return "\n".join([*lines, f"{len(pending)} submissions wait for review."])


if __name__ == "__main__":
    raise SystemExit(main())
