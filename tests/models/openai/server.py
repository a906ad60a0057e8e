"""A real HTTP server on this machine that speaks the OpenAI chat protocol, as several real ones do.

Its language model is a table: after the beginning of an answer come these tokens with these log-probabilities. Its
tokenizer splits at spaces, and a few words further. What it accepts, ignores and refuses follows vLLM 0.33, SGLang
0.5 and OpenAI's API; faults are served one a request from `faults`.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import re
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from PIL import Image

from tests.models.openai.faults import FAULTS

BEGUN = "The quality of the image is"
OTHERS = {f" other{number}": -2.0 - number / 100 for number in range(1200)}
"""More than any list of the most probable tokens holds; the first 350 are likelier than "poor"."""
NEXT: Mapping[str, Mapping[str, float]] = {
    BEGUN: {" good": -0.25, "good": -9.0, " fair": -1.5, " poor": -5.5, " medi": -3.25, " ": -4.0}
    | {" never": -9999.0, **OTHERS},
    f"{BEGUN} ": {"zesty": -0.5, **OTHERS},
    f"{BEGUN} medi": {"ocre": -0.125, "um": -2.0, **OTHERS},
    "": {"good": -0.75, " good": -4.0, "poor": -6.5, "Yes": -1.0, "A": -1.25, "B": -1.5, **OTHERS},
    "The colour is": {" blue": -0.1, " red": -2.5, **OTHERS},
}
SPLIT = {" mediocre": (" medi", "ocre"), " gritty": (" gri", "tty"), " gri": (" g", "ri"), " zesty": (" ", "zesty")}
IMAGE_TOKENS = 16


@dataclass(frozen=True)
class Behaviour:
    """How a server behaves."""

    owner: str
    version_at: str = ""
    version: str = ""
    token_ids: bool = False
    """Honours `logprob_token_ids`."""
    prompt: bool = False
    """Honours `prompt_logprobs`."""
    tokenizes_chats: bool = False
    continues: bool = False
    """Honours `continue_final_message`."""
    shows_prompt: bool = False
    """Honours `return_prompt_text`."""
    top: int = 20
    """Most `top_logprobs`; more are refused. 0: log-probabilities are refused."""
    lists: bool = True
    """Gives the most probable tokens, and not only the one it wrote."""
    strict: bool = False
    """Refuses fields it does not know, instead of ignoring them."""
    limit: str = "max_tokens"
    temperature: bool = True
    penalty: bool = False
    """Honours `repetition_penalty`."""
    thinks: bool = False
    """Its chat template closes the thoughts at once where `enable_thinking` is false."""


VLLM_BEFORE_TOKEN_IDS = Behaviour(
    "vllm", "/version", "0.12.0", prompt=True, tokenizes_chats=True, continues=True, penalty=True
)
VLLM = replace(VLLM_BEFORE_TOKEN_IDS, version="0.33.0", token_ids=True, shows_prompt=True)
SGLANG = Behaviour("sglang", "/server_info", "0.5.23", continues=True, top=1000, penalty=True)
OPENAI = Behaviour("openai", strict=True)
LENIENT = Behaviour("library")
"""Takes every field and ignores those it does not know."""
WITHOUT_LISTS = Behaviour("library", lists=False)
REASONING = Behaviour("openai", strict=True, top=0, limit="max_completion_tokens", temperature=False)

_KNOWN = {"model", "messages", "logprobs", "top_logprobs"}


@dataclass(frozen=True)
class SeenRequest:
    """A request as it arrived."""

    path: str
    headers: Mapping[str, str]
    payload: Any

    @property
    def images(self) -> list[tuple[str | None, Image.Image, bytes]]:
        """(format, picture, bytes) of every image in the user's message."""
        found: list[tuple[str | None, Image.Image, bytes]] = []
        asked = next(message["content"] for message in self.payload["messages"] if message["role"] == "user")
        for part in (part for part in asked if part["type"] == "image_url"):
            data = base64.b64decode(part["image_url"]["url"].partition(";base64,")[2], validate=True)
            picture = Image.open(io.BytesIO(data))
            picture.load()
            found.append((picture.format, picture, data))
        return found


class RefusedError(Exception):
    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        self.status, self.code = status, code
        super().__init__(message)


@dataclass
class OpenAIServer:
    """Serves until the `with` block ends."""

    behaviour: Behaviour = VLLM
    model: str = "tiny/vlm"
    key: str = ""
    weights: str | None = None
    """What the list of models says the name stands for."""
    says: Callable[[str], str] = lambda _: ""
    """What it writes to a question, instead of the likeliest token."""
    faults: list[str] = field(default_factory=list)
    """Names of `FAULTS`, one for each coming chat request."""
    handler: Any = None
    """What answers in place of `Handler`."""
    port: int = 0
    """0 is any that is free."""
    seen: list[SeenRequest] = field(default_factory=list)
    waiting: threading.Event = field(default_factory=threading.Event)
    """Set once a request is being kept waiting by the fault "slow"."""
    release: threading.Event = field(default_factory=threading.Event)
    """Lets such requests go."""

    def __enter__(self) -> OpenAIServer:
        self._ids: dict[str, int] = {}
        self._lock = threading.Lock()
        handler = type("Bound", (self.handler or Handler,), {"owner": self})
        self._http = _Http(("127.0.0.1", self.port), handler)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.release.set()
        self._http.shutdown()
        self._http.server_close()
        self._http.hang_up()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    @property
    def chats(self) -> list[SeenRequest]:
        return [request for request in self.seen if request.path == "/v1/chat/completions"]

    def token_id(self, token: str) -> int:
        with self._lock:
            return self._ids.setdefault(token, 1000 + len(self._ids))

    # The routes

    def models(self) -> Any:
        card = {"id": self.model, "owned_by": self.behaviour.owner, "root": self.weights or self.model}
        return {"object": "list", "data": [{**card, "object": "model"}]}

    def tokenize(self, payload: Mapping[str, Any]) -> Any:
        if not self.behaviour.tokenizes_chats or "messages" not in payload:
            raise RefusedError(404 if not self.behaviour.continues else 422, "Not Found")
        tokens = [self.token_id(token) for token in self._tokens(self._rendered(payload))]
        return {"count": len(tokens), "max_model_len": 4096, "tokens": tokens, "token_strs": None}

    def detokenize(self, payload: Mapping[str, Any]) -> Any:
        names = {number: token for token, number in self._ids.items()}
        # Tokenizers of SentencePiece's kind drop the space that the first token begins with.
        return {"prompt": "".join(names[number] for number in payload["tokens"]).removeprefix(" ")}

    def chat(self, payload: Mapping[str, Any]) -> Any:
        self._check(payload)
        last = payload["messages"][-1]
        begun = last["content"] if last["role"] == "assistant" and self._continued(payload) else ""
        nexts = NEXT.get(begun, NEXT[""])
        written = max(nexts, key=lambda token: nexts[token])
        choice: dict[str, Any] = {
            "index": 0,
            "message": {"role": "assistant", "content": self._said(payload) or written, "refusal": None},
            "logprobs": self._logprobs(payload, nexts, written) if payload.get("logprobs") else None,
            "finish_reason": "length",
        }
        shown = self._rendered(payload)
        usage = {"prompt_tokens": len(self._tokens(shown)), "completion_tokens": 1}
        about = {"id": "1", "object": "chat.completion", "model": self.model}
        reply: dict[str, Any] = {**about, "choices": [choice], "usage": usage}
        if self.behaviour.shows_prompt and payload.get("return_prompt_text"):
            reply["prompt_text"] = shown
        if self.behaviour.prompt and payload.get("prompt_logprobs") is not None:
            reply["prompt_logprobs"] = self._prompt_logprobs(shown)
        return reply

    # The model

    def _said(self, payload: Mapping[str, Any]) -> str:
        content = next(message["content"] for message in payload["messages"] if message["role"] == "user")
        parts = [{"text": content}] if isinstance(content, str) else content
        return self.says("\n".join(part["text"] for part in parts if "text" in part))

    def _check(self, payload: Mapping[str, Any]) -> None:
        behaviour = self.behaviour
        if payload["model"] != self.model:
            raise RefusedError(404, f"The model `{payload['model']}` does not exist.", "model_not_found")
        for name in ("max_tokens", "max_completion_tokens"):
            if name in payload and name != behaviour.limit:
                raise RefusedError(400, f"Unsupported parameter: '{name}'. Use '{behaviour.limit}' instead.")
        unknown = payload.keys() - _KNOWN - {behaviour.limit, "temperature"}
        if behaviour.strict and unknown:
            raise RefusedError(400, f"Unrecognized request argument supplied: {sorted(unknown)[0]}")
        if "temperature" in payload and not behaviour.temperature:
            raise RefusedError(400, "Unsupported value: 'temperature' does not support 0 with this model.")
        if payload.get("logprobs") and not behaviour.top:
            raise RefusedError(403, "You are not allowed to request logprobs from this model")
        if payload.get("top_logprobs", 0) > behaviour.top:
            raise RefusedError(400, f"Requested sample logprobs of {payload['top_logprobs']}, max: {behaviour.top}")
        if payload.get("logprob_token_ids") and not payload.get("logprobs") and behaviour.token_ids:
            raise RefusedError(400, "when using `logprob_token_ids`, `logprobs` must be set to true.")
        if behaviour.penalty and payload.get("repetition_penalty", 1.0) <= 0.0:
            raise RefusedError(400, "repetition_penalty must be greater than zero, got -1.0.")
        if behaviour.continues and payload.get("continue_final_message") and payload.get("add_generation_prompt", True):
            raise RefusedError(400, "Cannot set both `continue_final_message` and `add_generation_prompt` to True.")

    def _continued(self, payload: Mapping[str, Any]) -> bool:
        return self.behaviour.continues and bool(payload.get("continue_final_message"))

    def _logprobs(self, payload: Mapping[str, Any], nexts: Mapping[str, float], written: str) -> Any:
        best = sorted(nexts, key=lambda token: -nexts[token])[: payload.get("top_logprobs", 0)]
        by_number = self.behaviour.token_ids and payload.get("return_tokens_as_token_ids")
        if self.behaviour.token_ids and payload.get("logprob_token_ids"):
            names = {number: token for token, number in self._ids.items()}
            best = [written, *(names[number] for number in payload["logprob_token_ids"] if names[number] != written)]

        def entry(token: str) -> dict[str, Any]:
            name = f"token_id:{self.token_id(token)}" if by_number else token
            return {"token": name, "logprob": nexts.get(token, -20.0), "bytes": list(name.encode())}

        listed = [entry(token) for token in best] if self.behaviour.lists else []
        return {"content": [{**entry(written), "top_logprobs": listed}]}

    def _prompt_logprobs(self, shown: str) -> list[dict[str, Any] | None]:
        """Of each token of the prompt, after those of the answer before it; the first has none."""
        told: list[dict[str, Any] | None] = [None]
        tokens = self._tokens(shown)
        for place, token in enumerate(tokens[1:], 1):
            begun = "".join(tokens[:place]).rpartition("<|assistant|>")[2]
            logprob = NEXT.get(begun, {}).get(token, -20.0)
            told.append({str(self.token_id(token)): {"logprob": logprob, "rank": 1, "decoded_token": token}})
        return told

    def _rendered(self, payload: Mapping[str, Any]) -> str:
        """The prompt through a chat template."""
        text = ""
        for message in payload["messages"]:
            content = message["content"]
            if not isinstance(content, str):
                content = "".join(part.get("text", "<|image|>" * IMAGE_TOKENS) for part in content)
            text += f"<|{message['role']}|>{content}<|end|>"
        if self._continued(payload):
            return text.removesuffix("<|end|>")
        told = payload.get("chat_template_kwargs", {}) if self.behaviour.thinks else {}
        thoughts = "<think></think>" if told.get("enable_thinking") is False else ""
        return text + (f"<|assistant|>{thoughts}" if payload.get("add_generation_prompt", True) else "")

    @staticmethod
    def _tokens(text: str) -> list[str]:
        pieces = re.findall(r"<\|\w+\|>| ?\w+|.", text, flags=re.DOTALL)
        return [token for piece in pieces for token in SPLIT.get(piece, (piece,))]


class _Http(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, *args: Any) -> None:
        self._open: list[socket.socket] = []
        super().__init__(*args)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.append(request)
        super().process_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):  # a client that gave up waiting, as it should
            super().handle_error(request, client_address)

    def hang_up(self) -> None:
        """End connections that clients keep open, as a server that goes down does."""
        for connection in self._open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class Handler(BaseHTTPRequestHandler):
    owner: OpenAIServer
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet an answer: unbuffered, each waits 40 ms for an acknowledgement

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._serve(None)

    def do_POST(self) -> None:
        self._serve(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def _serve(self, payload: Any) -> None:
        server = self.owner
        server.seen.append(SeenRequest(self.path, dict(self.headers), payload))
        try:
            if server.key and self.headers["Authorization"] != f"Bearer {server.key}":
                # As OpenAI does, which repeats some of the key, or all of it.
                said = f"Incorrect API key provided: {self.headers['Authorization']}"
                raise RefusedError(401, said, "invalid_api_key")
            if self.path == "/v1/chat/completions" and server.faults:
                FAULTS[server.faults.pop(0)](self, payload)
            else:
                self.send(200, self._answer(payload))
        except RefusedError as refusal:
            error = {"message": str(refusal), "type": "invalid_request_error", "param": None, "code": refusal.code}
            self.send(refusal.status, {"error": error})

    def _answer(self, payload: Any) -> Any:
        server, behaviour = self.owner, self.owner.behaviour
        if self.path == "/v1/models":
            return server.models()
        if behaviour.version_at and self.path == behaviour.version_at:
            return {"version": behaviour.version}
        if self.path == "/tokenize":
            return server.tokenize(payload)
        if self.path == "/detokenize":
            return server.detokenize(payload)
        if self.path == "/v1/chat/completions":
            return server.chat(payload)
        raise RefusedError(404, "Not Found")

    def send(self, status: int, body: Any, **headers: str) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)
