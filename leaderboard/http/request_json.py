"""What is wrong with the JSON of a request, in a sentence, before Gradio reads it: too many values, files that were
never uploaded, and addresses to fetch files from."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

MOST_VALUES = 20_000
"""Values in it: Gradio goes through them in the thread that answers everybody, and took 8 s for 630,000 empty lists."""
_UPLOAD = "send it to /gradio_api/upload and name the path that this answers, as handle_file of gradio_client does"
WEB_ADDRESS = f"this server fetches no file from an address; {_UPLOAD}"
NOT_HERE = (
    f"the file is not here: it was never uploaded, or was deleted since; choose it again, or from a script {_UPLOAD}"
)
TOOL_FILE = (
    'tools take a file as what it holds, "data:image/jpeg;base64,…", up to 1.5 MB; this server fetches nothing from '
    "addresses and reads no paths"
)
FILE_ARGUMENTS = ("file", "photo", "first", "second", "pictures")
"""What the endpoints call their files. Gradio fetches those of its tools that are web addresses."""


def fault_of_body(body: bytes, is_here: Callable[[str], bool]) -> str | None:
    """A sentence, or None where nothing is wrong, or where it is no JSON: whoever reads it says what it should be.

    Args:
        body: Of the request.
        is_here: Whether a file of this path was uploaded and is there still.
    """
    try:
        data = json.loads(body or b"null")
        if b"\\ud" in body or b"\\uD" in body:
            json.dumps(data, ensure_ascii=False).encode()
        return fault_of(data, is_here)
    except UnicodeEncodeError:
        return "a text in the JSON has half a character (a surrogate alone); send it whole"
    except RecursionError:
        return "the JSON is nested too deeply"
    except ValueError:
        return None


def is_file_in(path: str, folder: str) -> bool:
    """Whether a file lies in the folder of uploads; of what lies elsewhere nothing is told."""
    place = os.path.abspath(path)
    return place.startswith(os.path.join(os.path.abspath(folder), "")) and os.path.isfile(place)


def fault_of(data: object, is_here: Callable[[str], bool] = lambda _path: True) -> str | None:
    """The same of what was read.

    A file in it may be one that the server would fetch: Gradio does where `path` is a web address, and passes over what
    has none. Arguments of MCP's tools are plain texts, of which Gradio fetches those that stand for files.
    """
    waiting, seen = [data], 0
    while waiting:
        value = waiting.pop()
        seen += 1
        if seen + len(waiting) > MOST_VALUES:
            return _TOO_MANY
        if isinstance(value, dict):
            if isinstance(path := value.get("path"), str):
                if _is_web_address(path):
                    return WEB_ADDRESS
                if not is_here(path) or not isinstance(value.get("meta", {}), dict):
                    return NOT_HERE
            elif _is_web_address(url := value.get("url")) or _is_data(url):
                return WEB_ADDRESS
            if value.get("method") == "tools/call" and not all(map(_is_data, _files_of_call(value))):
                return TOOL_FILE
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return None


def tool_call_of(body: bytes) -> object:
    """The number or name of a call of one of MCP's tools, by which its caller knows the answer; None for other JSON."""
    data = json.loads(body)
    is_call = isinstance(data, dict) and data.get("method") == "tools/call"
    return data.get("id") if is_call else None


def _files_of_call(call: dict[str, Any]) -> list[object]:
    params = call.get("params")
    arguments = params.get("arguments") if isinstance(params, dict) else None
    if not isinstance(arguments, dict):
        return []
    given = [arguments[name] for name in FILE_ARGUMENTS if arguments.get(name) is not None]
    return [file for files in given for file in (files if isinstance(files, list) else [files])]


def _is_data(value: object) -> bool:
    return isinstance(value, str) and value.startswith("data:")


def _is_web_address(value: object) -> bool:
    return isinstance(value, str) and value.strip().lower().startswith(("http:", "https:"))


_TOO_MANY = f"the JSON holds more than {MOST_VALUES:,} values; send less at once"
