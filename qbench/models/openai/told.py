"""What records and visitors are told of a server: what it is, and where only if everybody may know."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace

from qbench.errors import ProviderError
from qbench.models.openai.http import Server
from qbench.records import Response

PUBLIC_HOSTS = frozenset(
    {
        "api.anthropic.com",
        "api.deepinfra.com",
        "api.deepseek.com",
        "api.fireworks.ai",
        "api.groq.com",
        "api.mistral.ai",
        "api.moonshot.ai",
        "api.openai.com",
        "api.siliconflow.cn",
        "api.siliconflow.com",
        "api.stepfun.com",
        "api.together.xyz",
        "api.x.ai",
        "api.z.ai",
        "dashscope-intl.aliyuncs.com",
        "dashscope.aliyuncs.com",
        "generativelanguage.googleapis.com",
        "integrate.api.nvidia.com",
        "open.bigmodel.cn",
        "openrouter.ai",
        "router.huggingface.co",
    }
)
"""Of services that anybody can ask: their names say who answered, and lead into nobody's network."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def told_host(host: str) -> str:
    """The host, or a mark that tells one from another and of which the host cannot be guessed."""
    if host in PUBLIC_HOSTS or host in _LOOPBACK:
        return host
    return f"#{hashlib.sha256(host.encode()).hexdigest()[:4]}"  # too short to find the one address that it is of


def without_address(text: str, server: Server) -> str:
    """The text with the server's address left out."""
    text = text.replace(server.url, "its server").replace(server.root, "its server")
    return re.sub(rf"(?<![\w.-]){re.escape(server.host)}(?![\w-])", "its server", text)


def unplaced_error(error: ProviderError, server: Server) -> ProviderError:
    """The error as a record may hold it."""
    return ProviderError(error.kind, without_address(str(error), server), error.retry_after)


def unplaced_response(response: Response, server: Server) -> Response:
    """The response as a record may hold it; what the model wrote stays."""
    failure, note = (text and without_address(text, server) for text in (response.failure, response.note))
    return replace(response, failure=failure, note=note)
