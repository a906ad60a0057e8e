"""How a script asks what a page shows: three lines for each endpoint."""

from __future__ import annotations

from leaderboard.html.markup import Html, join, template

LOCAL = "http://127.0.0.1:7860/"
"""Stands for the address that the page was opened at, until the browser puts that in its place."""
_LAST_LINES = {
    "leaderboard": (
        'client.predict(board="assessment", metric="srcc", part="spaq", api_name="/leaderboard")["rows"][0]',
    ),
    "compare": ('client.predict("perception-test", ["GPT-4V", "Qwen-VL"], api_name="/compare")["differences"]',),
    "bias": ('client.predict(api_name="/bias")["yes_no"][0]["finding"]',),
    "probe": ('client.predict(handle_file("photo.jpg"), model="{model}", api_name="/probe")',),
    "pair": ('client.predict(handle_file("a.jpg"), handle_file("b.jpg"), model="{model}", api_name="/pair")',),
    "tournament": (
        'client.predict([handle_file(f"{{name}}.jpg") for name in "abc"], model="{model}", api_name="/tournament")',
    ),
    "run": ('client.predict("{model}", "assessment", "demo-assessment", api_name="/run")',),
    "submit": (
        'client.predict(handle_file("results.json"), api_name="/check")["accepted"]',
        'client.predict(handle_file("results.json"), model="My model", api_name="/submit")["receipt"]',
        'client.predict(client.predict(handle_file("results.json"), model="My model", api_name="/submit")["receipt"], '
        'api_name="/receipt")["state"]',
    ),
}
"""Key of a page -> the last line of the program of each of its endpoints."""
_PROGRAMS = template("""
<div class="qb-page qb-python"><details><summary>Use from Python</summary>
<p class="qb-note">pip install gradio_client; every parameter is under “Use via API” at the foot of the page.</p>
{{ programs }}</details></div>
""")
_PROGRAM = template("""
<div class="qb-command"><code>{{ program }}</code>
<button type="button" class="qb-copy" data-copy="{{ program }}">Copy</button></div>
""")


def programs(page: str, address: str, model: str) -> list[str]:
    """A program of three lines for each endpoint of a page; none where it has none.

    Args:
        page: Key of the page.
        address: What the client is given: the app's address, or `owner/name` of a Space.
        model: A model that visitors may ask.
    """
    uses_files = {line: ", handle_file" if "handle_file" in line else "" for line in _LAST_LINES.get(page, ())}
    return [
        f'from gradio_client import Client{imported}\nclient = Client("{address}")\nprint({line.format(model=model)})'
        for line, imported in uses_files.items()
    ]


def shown(page: str, address: str, model: str) -> Html:
    """The programs of a page, folded, each with a button that copies it."""
    made = [_PROGRAM(program=program) for program in programs(page, address, model)]
    return _PROGRAMS(programs=join(*made)) if made else join()
