"""The app: settings, store, pages. `python app.py` and `python -m leaderboard` serve it."""

from __future__ import annotations

import gc
import importlib.util
import logging
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import gradio as gr
from starlette.middleware import Middleware
from starlette.routing import Route

from leaderboard.account import BOUNDS, Account, Bound, Kind
from leaderboard.charts.chart import plotly_script
from leaderboard.data_files import data_files, opening_of
from leaderboard.events import show_events
from leaderboard.export.hub_results import hub_files
from leaderboard.html.early import early, finish
from leaderboard.html.look import TITLE
from leaderboard.http.answers import HELP, PageCache, card_route, data_route, file_routes, health_routes, photo_route
from leaderboard.http.request_json import is_file_in
from leaderboard.http.request_limits import RequestLimits
from leaderboard.live.run_service import RunService, open_runs
from leaderboard.live.service.live import Live, open_live
from leaderboard.live.service.uploads import upload_folder
from leaderboard.live.study import photos_folder
from leaderboard.live.study_answers import StudyService
from leaderboard.look import PAGES
from leaderboard.pages import (
    about,
    below_run,
    boards,
    owner,
    owner_studies,
    pair,
    probe,
    run,
    shell,
    study,
    submit,
    tournament,
)
from leaderboard.pages.gradio_changes import MOST_SESSIONS, answer_fault, keep_little_of_sessions, tell_plainly
from leaderboard.pages.shell import make_head, make_theme
from leaderboard.settings import Settings, SettingsError
from leaderboard.snapshot import SnapshotWatch, check_first_board
from leaderboard.store.local import Store
from leaderboard.store.open import open_store
from leaderboard.submissions.scoring import AnswerKeys
from leaderboard.submissions.service import SubmissionService
from qbench.archives import UPLOAD_LIMITS
from qbench.datasets import data_root

QUEUE: dict[str, Any] = {"api_open": False, "max_size": 200}
"""Nobody goes round the queue, and whoever comes when it is full hears so at once."""
MOST_UPLOADED = 8 * UPLOAD_LIMITS.size
"""Bytes of one request of uploads: the photos of a tournament come together."""


@dataclass(frozen=True)
class App:
    """What `serve` serves."""

    settings: Settings
    store: Store
    live: Live
    runs: RunService
    demo: gr.Blocks
    current: SnapshotWatch
    account: Account
    early: str = ""
    """HTML that stands there until Gradio's scripts have run."""

    def gauges(self) -> dict[str, float]:
        """What `/healthz`, `/metrics` and the Owner page tell of the board and its visitors at this moment."""
        loaded = self.current().loaded
        return {
            "qbench_model_seconds_total": self.live.visits.seconds,
            "qbench_work_going_on": float(self.live.visits.going_on),
            "qbench_submissions_waiting": float(len(loaded.pending)),
            "qbench_submissions": float(sum(entry.status == "accepted" for entry in loaded.entries)),
            "qbench_store_unsent": float(self.store.unsent()),
            "qbench_store_lag_seconds": self.store.lag(),
            "qbench_store_problems": float(len(loaded.problems) + bool(self.runs.fault) + bool(self.store.refuses)),
        }


def make_app(settings: Settings, *, warm: bool = False) -> App:
    """The pages over one store; `warm` imports what models need meanwhile, so that the first visitor waits less.

    Raises:
        SettingsError: The folder of studies cannot be made, a model that the owner names cannot be opened, or
            `site.toml` names a board that is not there.
    """
    check_first_board(settings)
    if settings.studies:
        try:
            settings.studies.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            why = f"QBENCH_STUDIES is {str(settings.studies)!r}, which cannot be made a folder ({fault.strerror})"
            raise SettingsError(f"{why}; name another or leave it out") from fault
    store = open_store(settings)
    current = SnapshotWatch(settings, store)
    account = _account(settings)
    keys = AnswerKeys(data_root(), settings.private_truth)
    by, link = settings.author, settings.link
    submissions = SubmissionService(store, keys, current, by, current.look_again, link, account)
    live = open_live(settings, account)
    runs = open_runs(settings, live)
    studies = StudyService(settings.studies, store, account) if settings.studies else None
    if warm:
        live.models.warm()
    first = opening_of(current(), in_app=True)
    os.environ["GRADIO_TEMP_DIR"] = str(upload_folder())  # Gradio keeps there what comes, and serves it
    with gr.Blocks(title=settings.look.title or TITLE, analytics_enabled=False) as demo:
        app = App(settings, store, live, runs, demo, current, account)
        shell.add_name(settings.look)
        builds = _builds(app, submissions, studies)
        shown = [key for key in settings.look.tabs if key in builds] or list(builds)
        hidden = [key for key in PAGES if key in builds and key not in shown]
        pages: list[tuple[str, str, Callable[[], None]]] = [(key, PAGES[key], builds[key]) for key in (*shown, *hidden)]
        if settings.owners:
            pages.append(("owner", "Owner", lambda: _owner_tab(app, submissions, studies)))
        made = shell.add_tabs(demo, pages, hidden, closed="owner")
        if settings.owners:
            owner.show_to_owners(demo, made["owner"], settings)
    tell_plainly()
    keep_little_of_sessions()
    live.uploads.keep(file for block in demo.blocks.values() for file in block.temp_files)
    look = replace(settings.look, tabs=tuple(shown))
    return replace(app, settings=replace(settings, look=look), early=early(look, first))


def _builds(app: App, submissions: SubmissionService, studies: StudyService | None) -> dict[str, Callable[[], None]]:
    """Key of each page -> what adds it; that of owners is apart."""
    settings, current, live = app.settings, app.current, app.live
    for_hub = partial(hub_files, benchmark=settings.look.benchmark)
    asked = {"study": lambda: study.build(studies)} if studies else {}
    return {
        "overview": boards.build_overview,
        "leaderboard": lambda: boards.build_leaderboard(current),
        "model": lambda: boards.build_model(settings, current, live, for_hub),
        "compare": lambda: boards.build_compare(settings, current),
        "bias": lambda: boards.build_bias(settings, current),
        "answers": lambda: boards.build_answers(settings),
        "probe": lambda: probe.build(settings, live),
        "pair": lambda: pair.build(live),
        "tournament": lambda: tournament.build(live),
        **asked,
        "run": lambda: _run_tab(app, submissions),
        "submit": lambda: submit.build(settings, current, submissions),
        "about": lambda: about.build(settings, current),
    }


def _run_tab(app: App, submissions: SubmissionService) -> None:
    """Models on datasets, and below on a visitor's own images; for owners, how to get more datasets."""
    run.build(app.settings, app.current, app.live, app.runs, submissions)
    below_run.add_own_images(app.live)
    below_run.add_datasets(app.settings, app.live)


def _owner_tab(app: App, submissions: SubmissionService, studies: StudyService | None) -> None:
    """What waits for review, and below the studies, where the owner named a folder for them."""
    owner.build(app.settings, submissions, lambda: {HELP[name]: value for name, value in app.gauges().items()})
    if studies:
        owner_studies.build(app.settings, studies)


def serve(app: App) -> None:
    """Serve the app until it is stopped."""
    gc.freeze()  # what was made so far stays, and is not looked through for garbage
    gc.enable()
    show_events()
    if app.store.refuses:
        logging.getLogger(__name__).warning("%s.", app.store.refuses)
    app.store.start()
    app.runs.keep_elsewhere()
    app.live.uploads.sweep_always()
    os.environ["FORWARDED_ALLOW_IPS"] = app.settings.proxies  # Gradio leaves this to what its web server reads
    app.demo.queue(**QUEUE)
    app.demo._queue.ANALYTICS_MAX_EVENTS = 1  # of all that it remembers Gradio makes a table anew after each event
    app.demo.launch(**launch_options(app))


def page_routes(settings: Settings, current: SnapshotWatch) -> list[Route]:
    """What pages fetch: the boards' data, scripts, styles and examples."""
    files = partial(data_files, link=settings.link, about="?tab=about")
    places = [settings.assets / "board", settings.assets / "examples", plotly_script()]
    photos, cards = photo_route(data_root()), card_route(settings.assets)
    return [data_route(current, files), photos, cards, *file_routes(places)]


def _joined(demo: gr.Blocks) -> list[str | None]:
    """Where the work in the queue comes from, whether it waits or goes on."""
    events = list(demo._queue.event_ids_to_events.values())
    return [event.request.client.host if event.request.client else None for event in events]


def _account(settings: Settings) -> Account:
    """What visitors may hold; where they have limits each may have half as many at the models as wait."""
    hourly = settings.live_hourly
    if hourly is None:
        return Account()
    work, seconds = BOUNDS["work"], BOUNDS["seconds"]
    limited: dict[Kind, Bound] = {
        "work": replace(work, own=16, network=32),
        "seconds": replace(seconds, own=hourly, network=4 * hourly),
    }
    return Account({**BOUNDS, **limited})


def launch_options(app: App) -> dict[str, Any]:
    """How the app is served, whatever starts it."""
    statuses: Counter[int] = Counter()
    served = [app.live.uploads.root]
    if app.settings.studies:
        served.append(photos_folder(app.settings.studies))
    return {
        "theme": make_theme(app.settings.look.accent),
        "head": make_head(),
        "allowed_paths": [str(path) for path in served],
        "max_file_size": UPLOAD_LIMITS.size,
        "app_kwargs": {
            "exception_handlers": {Exception: answer_fault},
            "routes": [
                *health_routes(app.gauges, statuses),
                *page_routes(app.settings, app.current),
            ],
            "middleware": [
                Middleware(
                    RequestLimits,
                    most_uploaded=MOST_UPLOADED,
                    account=app.account,
                    leave=app.live.leave,
                    is_here=partial(is_file_in, folder=app.demo.GRADIO_CACHE),
                    joined=partial(_joined, app.demo),
                    origins=app.settings.origins,
                    statuses=statuses,
                ),
                Middleware(PageCache, finish=partial(finish, title=app.demo.title, shown_early=app.early)),
            ],
        },
        "footer_links": ["api"],
        "i18n": gr.I18n(en=shell.UPLOAD_WORDS),
        "state_session_capacity": MOST_SESSIONS,
        "run_history": False,
        "enable_monitoring": False,
        "mcp_server": importlib.util.find_spec("mcp") is not None,
    }
