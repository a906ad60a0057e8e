"""A model that vLLM serves on this machine, started here when it is first asked and ended with this program.

It is asked as any server is. The flags are those that exact figures need: logits in float32, and no settings for
sampling that come with a checkpoint. Smaller steps leave room in the GPU's memory for log-probabilities of the prompt.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from qbench.cancelling import pause
from qbench.errors import ProviderError, UserError
from qbench.models import ModelOptions
from qbench.models.openai import guard
from qbench.models.openai.chats import ServedChat
from qbench.models.openai.endpoint import Endpoint
from qbench.models.openai.server import Server
from qbench.records import Prompt, Response

FLAGS = (
    *("--hf-overrides", '{"head_dtype":"float32"}'),
    *("--generation-config", "vllm"),
    *("--max-num-batched-tokens", "2048"),
    *("--max-model-len", "auto"),  # as long as the GPU's memory allows
)
_LOOK_SECONDS = 0.5
_MOST_TOLD, _LONGEST = 3, 200
"""Lines of the log, and letters of each."""
_FAULT = re.compile(r"(?:[\w.]*(?:Error|Exception)|error): .+|Value error, .+")


class ServedByVllm(Endpoint):
    """A checkpoint of the Hub, at the commit that it is at, or in a folder."""

    def __init__(self, source: str, options: ModelOptions, seconds: float) -> None:
        program = shutil.which(
            "vllm", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        )
        if program is None:
            raise UserError(
                f"vllm/{source} starts vLLM, which is not installed: pip install vllm, name a server that has the "
                "model with --endpoint URL, or leave out vllm/ and let Transformers run it"
            )
        if options.batch:
            raise UserError("--batch asks a service, and vLLM serves this model here; leave it out")
        from qbench.models.checkpoint.weights import checkpoint_digest, commit_of

        folder, flags = Path(source), list(FLAGS)
        if folder.is_dir():
            name, self._files = folder.resolve().name, {"checkpoint": checkpoint_digest(folder)}
        else:
            name, self._files = source, {"revision": commit_of(source, options.revision)}
            flags += ["--revision", self._files["revision"]]
        flags += ["--tensor-parallel-size", str(options.gpus)] if options.gpus else []
        flags += ["--trust-remote-code"] if options.remote_code else []
        self._flags = flags
        # Held until this ends, so that nobody else is given this port; vLLM may take it, since it does not listen.
        self._held = socket.socket()
        self._held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._held.bind(("127.0.0.1", 0))
        port, self._key = self._held.getsockname()[1], secrets.token_hex()
        self._command = [program, "serve", source, "--host", "127.0.0.1", "--port", str(port)]
        self._command += ["--served-model-name", name, *flags]
        self._watch = options.watch
        self._process: subprocess.Popen[bytes] | None = None
        server = Server(f"http://127.0.0.1:{port}", self._key, seconds)
        super().__init__(name, [server], workers=options.workers, template=options.template)

    @property
    def identity(self) -> Mapping[str, Any]:  # type: ignore[override]
        return {**super().identity, **self._files, "served": f"vllm serve {' '.join(self._flags)}"}

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        """See `Endpoint`; vLLM that has ended is no fault that passes."""
        try:
            return super().respond(prompts)
        except ProviderError:
            self._refuse_ended("when it was asked")
            raise

    def _find(self, server: Server) -> ServedChat:
        """See `Endpoint`; starts vLLM first, once."""
        if self._process is None:
            self._start()
        try:
            return super()._find(server)
        except ProviderError:
            self._refuse_ended("when it was asked")
            raise

    def _start(self) -> None:
        """Start vLLM, and wait until it answers."""
        handle, path = tempfile.mkstemp(prefix="qbench-vllm-", suffix=".log")
        self._log = Path(path)
        with open(handle, "wb") as log:
            self._process = process = subprocess.Popen(  # noqa: S603 - whoever runs the program chose the model
                [sys.executable, "-I", guard.__file__, *self._command],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env={**os.environ, "VLLM_API_KEY": self._key},
                start_new_session=True,
            )
        weakref.finalize(self, _end, process)
        started, told = time.monotonic(), 0.0
        while True:
            waited = time.monotonic() - started
            if waited >= told:
                since = f", for {waited:.0f} s now" if told else ""
                self._watch(f"vLLM is starting to serve {self.name}{since}; its log is {self._log}")
                told = max(15.0, 2 * told)
            with suppress(OSError), socket.create_connection(self._held.getsockname()):
                return  # it listens once the model is loaded
            self._refuse_ended("before it could be asked")
            pause(_LOOK_SECONDS)

    def _refuse_ended(self, when: str) -> None:
        if self._process is not None and self._process.poll() is not None:
            lines = [line.strip() for line in self._log.read_text("utf-8", "replace").splitlines() if line.strip()]
            faults = [found[0] for line in lines if (found := _FAULT.search(line))]
            said = [line[:_LONGEST] for line in dict.fromkeys(faults or lines)][-_MOST_TOLD:]
            raise UserError(f"vLLM ended {when}; its log, {self._log}, ends with: {' / '.join(said) or 'nothing'}")


def _end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()
    process.wait()
