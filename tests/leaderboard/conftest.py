"""The app, served once for all tests of what its server answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partialmethod
from typing import TYPE_CHECKING, Any

import pytest

from leaderboard.pages import import_gradio
from leaderboard.settings import Settings
from qbench.assets import assets_folder

if TYPE_CHECKING:
    from leaderboard.app import App

import_gradio()  # before the tests do, which would take twice as long


@pytest.fixture(scope="session")
def served_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The app, behind a proxy at this machine's own address."""
    from leaderboard.app import make_app

    folder = tmp_path_factory.mktemp("served")
    kept = {name: folder / name for name in ("results", "submissions", "runs", "studies")}
    app = make_app(Settings(assets_folder(), models=("sharpness", "niqe"), proxies="127.0.0.1", **kept))  # type: ignore[arg-type]
    with pytest.MonkeyPatch.context() as patch:
        serve_here(app, patch)
    yield app
    app.demo.close()


def serve_here(app: App, patch: pytest.MonkeyPatch) -> None:
    """As `python app.py` does, in a thread; the machine's own setting would believe everybody."""
    import gradio as gr

    from leaderboard.app import serve

    here = {"prevent_thread_lock": True, "quiet": True, "server_name": "127.0.0.1"}
    patch.setattr(gr.Blocks, "launch", partialmethod(gr.Blocks.launch, **here))
    patch.setattr("leaderboard.app.show_events", lambda: None)  # tests read them from the log
    patch.setenv("FORWARDED_ALLOW_IPS", "*")
    serve(app)


@pytest.fixture(scope="session")
def served(served_app: App) -> str:
    """Its address."""
    return str(served_app.demo.local_url)


async def ask(
    app: Any, path: str, headers: Mapping[str, str] | None = None, receive: Any = None, /, **scope: Any
) -> tuple[int, bytes]:
    """Status, 0 where it answers nothing, and body, of an app without a server before it."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    named = [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()]
    told = {"type": "http", "method": "GET", "path": path, "scheme": "http", "query_string": b"", "headers": named}
    await app({**told, **scope}, receive, send)
    status = next((message["status"] for message in sent if "status" in message), 0)
    return status, b"".join(message.get("body", b"") for message in sent)
