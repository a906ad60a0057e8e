"""A model of one's own: any object or function that takes a prompt, in a file (`my_model.py:MyModel`) or a package.

What it can be asked is what it offers: methods called `text`, `words`, `losses`, `embedding` and `score`, each of a
prompt. One that is only called gives text, or a score where its annotation says `-> float`. `prompt.text` is what is
asked, `prompt.images` are paths of the photos, `prompt.words` what is to be weighed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from qbench.errors import UserError
from qbench.models import Model, ModelOptions, open_model, refuse_server_options
from qbench.models.providers import find_provider
from qbench.records import Prompt, Response, Want

_OFFERED: tuple[Want, ...] = ("text", "words", "losses", "embedding", "score")
_IN_A_FILE = re.compile(r"(?P<path>.+\.py):(?P<name>[A-Za-z_]\w*)")


class OwnModel(Model):
    """An object or function as a model. A prompt on which it raises an error fails alone."""

    def __init__(self, thing: Any) -> None:
        kind = thing if inspect.isfunction(thing) else type(thing)
        self.name = str(getattr(thing, "name", "") or kind.__name__)
        self._asked: dict[Want, Callable[[Prompt], Any]] = {
            want: getattr(thing, want) for want in _OFFERED if callable(getattr(thing, want, None))
        }
        if not self._asked:
            if not callable(thing):
                raise UserError(
                    f"{self.name} can be asked nothing: give a function of a prompt, or an object with __call__ or "
                    f"with a method called {', '.join(_OFFERED)}"
                )
            told = inspect.get_annotations(thing if inspect.isfunction(thing) else type(thing).__call__)
            self._asked["score" if told.get("return") in (float, "float") else "text"] = thing
        self.wants = frozenset(self._asked)
        self.batch_size = int(getattr(thing, "batch_size", 1))
        self.identity = {"own": self.name, "code": _digest(kind), "version": str(getattr(thing, "version", ""))}

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        return [_as_response(prompt.want, self._asked[prompt.want](prompt)) for prompt in prompts]


def _as_response(want: Want, answer: Any) -> Response:
    """What was returned as a response; None is no answer."""
    if isinstance(answer, Response):
        return answer
    if answer is None:
        return Response(failure="the model returned None")
    if want == "text" and isinstance(answer, str):
        return Response(text=answer)
    if want == "score":
        return Response(score=float(answer))
    if want in ("words", "losses") and isinstance(answer, Mapping):
        numbers = {str(word): float(number) for word, number in answer.items()}
        return Response(logits=numbers) if want == "words" else Response(losses=numbers)
    if want == "embedding":
        return Response(embedding=tuple(map(float, answer)))
    raise TypeError(f"asked for {want}, the model returned {type(answer).__name__}")


def _digest(code: Any) -> str:
    """Of the source, so that answers of changed code are not taken from the cache; empty where there is none."""
    try:
        return hashlib.sha256(inspect.getsource(code).encode()).hexdigest()
    except (OSError, TypeError):
        return ""


def open_any(model: Any, options: ModelOptions) -> Model:
    """A model as people name it: an object, `FILE.py:NAME`, `PROVIDER/NAME`, or what `open_model` opens.

    Only for whoever runs the program: a file is run, and a provider costs its owner money.

    Raises:
        UserError: There is none, or it cannot be asked as the options say.
    """
    own = own_model(model)
    if own is not None:
        if options.endpoints or options.ray:
            raise UserError(f"{own.name} runs in this process; leave out --endpoint and --ray")
        refuse_server_options(options)
        return own
    found = find_provider(model)
    if found and (not options.endpoints or not found[0].address):
        provider, name = found
        urls = options.endpoints or tuple(filter(None, [provider.where()]))
        return open_model(name, replace(options, endpoints=urls, serve=not urls))
    return open_model(model, options)


def own_model(model: Any) -> Model | None:
    """A model of one's own: an object, `FILE.py:NAME`, or the name under which an installed package offers one (its
    entry point in the group `qbench.models`); None for a name that says something else.

    Raises:
        UserError: The file is not there, or has nothing of this name.
    """
    thing = model
    if isinstance(model, str):
        offered = entry_points(group="qbench.models", name=model)
        if found := _IN_A_FILE.fullmatch(model):
            thing = _in_file(Path(found["path"]), found["name"])
        elif offered:
            thing = next(iter(offered)).load()
        else:
            return None
    made = thing() if inspect.isclass(thing) else thing
    return made if isinstance(made, Model) else OwnModel(made)


def _in_file(path: Path, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise UserError(f"there is no file {path}; write FILE.py:NAME of a class or function in it")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not hasattr(module, name):
        raise UserError(f"{path} has nothing called {name}; write FILE.py:NAME of a class or function in it")
    return getattr(module, name)
