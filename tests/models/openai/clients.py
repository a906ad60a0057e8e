"""Endpoints, prompts and pictures for the tests of servers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from qbench.images import open_picture
from qbench.models.openai.endpoint import Endpoint
from qbench.models.openai.server import Server
from qbench.records import Picture, Prompt, Response, Want
from tests.models.openai.server import BEGUN, OpenAIServer

KEY = "sk-very/secret+key=1234567890"
TOO_SLOW = ("slow", "trickling")
RATE = "Rate the quality of the image."


@dataclass
class FaultyServer:
    """A server that answers wrongly when told to, and clients for it: a patient one, and one that soon gives up."""

    server: OpenAIServer
    patient: Server
    hasty: Server

    def client(self, fault: str) -> Server:
        return self.hasty if fault in TOO_SLOW else self.patient

    def ask(self, fault: str, prompt: Prompt) -> Response:
        model = Endpoint("tiny/vlm", [self.client(fault)], wait=soon)
        assert model.capabilities
        self.server.faults = [fault]
        return ask(model, prompt)


def soon(_seconds: float) -> None:
    """In place of waiting."""


def pixels(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, shape or (6, 8, 3), dtype=np.uint8)


def saved(path: Path, image: Image.Image, **how: Any) -> Picture:
    image.save(path, **how)
    return open_picture(path)


def model_at(*servers: OpenAIServer, key: str = "") -> Endpoint:
    return Endpoint("tiny/vlm", [Server(server.url, key, 20.0) for server in servers])


def ask(model: Endpoint, prompt: Prompt) -> Response:
    [response] = model.respond([prompt])
    return response


def words(*chosen: str, prefill: str = BEGUN, want: Want = "words") -> Prompt:
    return Prompt(want, (RATE,), words=chosen or ("good", "poor"), prefill=prefill)


TEXT = Prompt("text", (RATE,))
