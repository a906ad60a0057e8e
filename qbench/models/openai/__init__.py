"""Models behind a server that speaks the OpenAI protocol."""

from __future__ import annotations

import math
import os
from urllib.parse import urlsplit

from qbench.errors import UserError
from qbench.models import ModelOptions
from qbench.models.openai.batches import BatchedEndpoint
from qbench.models.openai.endpoint import Endpoint
from qbench.models.openai.server import KEY_VARIABLE, Server, base_url
from qbench.models.openai.vllm import ServedByVllm
from qbench.models.providers import PROVIDERS
from qbench.models.retrying import ANSWER_SECONDS, RETRIES


def open_endpoint(name: str, options: ModelOptions) -> Endpoint:
    """The model called `name` at the servers in `options.endpoints`, or at one that vLLM is started as; nothing is
    asked of them yet.

    The key in `QBENCH_ENDPOINT_KEY` goes to every server named, that of a provider (`OPENAI_API_KEY`, `HF_TOKEN`, …) to
    its own address alone.

    Raises:
        UserError: A URL that is none, or a key or number that cannot be.
    """
    seconds = ANSWER_SECONDS if options.timeout is None else options.timeout
    for number, lowest in (("workers", 1), ("retries", 0)):  # the command line refuses them earlier
        if (given := getattr(options, number)) is not None and given < lowest:
            raise UserError(f"{number} is {given}; it must be at least {lowest}")
    if not 0 < seconds < math.inf:
        raise UserError(f"timeout is {seconds:g}; it must be a number above 0")
    urls = dict.fromkeys(base_url(url) for url in options.endpoints)
    servers = [Server(url, _key(url), seconds) for url in urls]
    asked: Endpoint
    if options.serve:
        asked = ServedByVllm(name, options, seconds)
    elif options.batch is None:
        asked = Endpoint(name, servers, workers=options.workers, template=options.template)
    else:
        if len(servers) > 1 or options.workers is not None:
            raise UserError("--batch asks one service, which does the rest; leave out --workers and other endpoints")
        asked = BatchedEndpoint(name, servers[0], options.batch, template=options.template)
    asked.retries = RETRIES if options.retries is None else options.retries
    asked.price = options.price
    return asked


def _key(url: str) -> str:
    if given := os.environ.get(KEY_VARIABLE):
        return given
    own = (each.key for each in PROVIDERS.values() if _origin(each.where()) == _origin(url))
    return os.environ.get(next(own, ""), "")


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc
