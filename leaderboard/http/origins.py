"""Which web page a request comes from, as far as browsers tell: other pages than the server's own are refused.

A browser names the page in `Origin` with every request that is more than reading, and with reading by a script of
another page; `Sec-Fetch-Site` only where it trusts the connection. Programs name none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

FOREIGN = (
    "requests are taken from this server's own pages and from scripts, not from other web pages; open the page itself"
)
_OF_OTHERS = (b"cross-site", b"same-site")


def is_foreign(headers: Mapping[bytes, bytes], named: Collection[str]) -> bool:
    """Whether another web page than this server's own, or one that its owner names, asks.

    Behind a proxy the address that a browser has opened is in `X-Forwarded-Host`. A page elsewhere cannot send that
    one: browsers ask first whether they may, and are told no.
    """
    origin = headers.get(b"origin", b"").decode("latin-1").strip().lower()
    if not origin:
        return headers.get(b"sec-fetch-site", b"").lower() in _OF_OTHERS
    if origin in named:
        return False
    if origin == "null":  # of files, and of frames that may not know where they are
        return headers.get(b"sec-fetch-site", b"").lower() != b"same-origin"
    told = (part for name in _HOSTS for part in headers.get(name, b"").decode("latin-1").split(","))
    place = _place(origin)
    return not place or place not in {_place(f"//{part.strip()}") for part in told}


_HOSTS = (b"host", b"x-forwarded-host")


def _place(address: str) -> str:
    """Host and port, without those that browsers leave out; empty where there is none."""
    try:
        parts = urlsplit(address.lower())
        port = "" if parts.port in (None, 80, 443) else f":{parts.port}"
    except ValueError:
        return ""
    return f"{parts.hostname}{port}" if parts.hostname else ""
