"""What a Space and `python app.py` start: the pages of `leaderboard/app.py` with the settings of this folder."""

from __future__ import annotations

import gc
import os

from leaderboard.pages import import_gradio

if __name__ == "__main__":
    gc.disable()  # a fifth of the start would be looking for garbage among what stays; `serve` turns it on again
    import_gradio()

from leaderboard.app import make_app, serve
from leaderboard.settings import SettingsError, read_settings
from qbench.assets import assets_folder, working_folder

try:
    settings = read_settings(os.environ, working_folder(), assets_folder())
    app = make_app(settings, warm=__name__ == "__main__")
except SettingsError as fault:
    raise SystemExit(str(fault)) from None
demo = app.demo

if __name__ == "__main__":
    serve(app)
