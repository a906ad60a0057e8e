"""What the double of the Hub answers at each address: functions of its state, the query, the body and the address."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from tests.hub_double import Hub

ACCOUNT = "ada"
"""Whose token it is."""


def oid(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def create(hub: Hub, query: dict[str, str], body: bytes) -> Any:
    asked = json.loads(body)
    name = f"{asked.get('organization') or ACCOUNT}/{asked['name']}"
    url = f"{hub.address}/{asked.get('type', 'model')}s/{hub.repo}"
    if name != hub.repo or not hub.missing:
        return (409 if name == hub.repo else 403), {"error": "no", "url": url}, {}
    hub.missing, hub.private = False, asked.get("visibility") == "private"
    hub.write("main", {".gitattributes": b"*.parquet filter=lfs\n"}, deleted=["README.md"])
    return {"url": url, "name": hub.repo, "id": "1"}


def validate_yaml(hub: Hub, query: dict[str, str], body: bytes) -> Any:
    assert json.loads(body)["content"]
    return {"errors": [], "warnings": []}


def info(hub: Hub, query: dict[str, str], body: bytes, revision: str = "main") -> Any:
    files = hub.tree(revision)
    if files is None:
        return 404, {"error": "Revision not found"}, {"X-Error-Code": "RevisionNotFound"}
    gated = "auto" if hub.agreed is not None else False
    siblings = [sibling(hub, path, content) for path, content in sorted(files.items())] if query.get("blobs") else []
    commit = (hub.frozen_head if revision == "main" else None) or hub.branches.get(revision, revision)
    return {"id": hub.repo, "sha": commit, "private": hub.private, "gated": gated, "tags": [], "siblings": siblings}


def sibling(hub: Hub, path: str, content: bytes) -> dict[str, Any]:
    """A file as the Hub lists it with sizes and digests."""
    row: dict[str, Any] = {"rfilename": path, "size": len(content), "blobId": oid(content)}
    if is_large(hub, content):
        pointer = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 134}
        row |= {"blobId": oid(b"a pointer"), "lfs": pointer}
    return row


def is_large(hub: Hub, content: bytes) -> bool:
    return hub.large is not None and len(content) >= hub.large


def tree(hub: Hub, query: dict[str, str], body: bytes, revision: str) -> Any:
    files = hub.tree(revision)
    if files is None:
        return 404, {"error": "Revision not found"}, {"X-Error-Code": "RevisionNotFound"}
    assert query["recursive"].lower() == "true"
    return [{"type": "file", "path": path, "oid": oid(made), "size": len(made)} for path, made in sorted(files.items())]


def resolve(hub: Hub, query: dict[str, str], body: bytes, revision: str, path: str) -> Any:
    content = (hub.tree(revision) or {}).get(path)
    if content is None:
        return 404, {"error": "Entry not found"}, {"X-Error-Code": "EntryNotFound"}
    commit = hub.branches.get(revision, revision)
    if is_large(hub, content):
        digest = hashlib.sha256(content).hexdigest()
        linked = {"X-Linked-Size": str(len(content)), "X-Linked-ETag": f'"{digest}"', "X-Repo-Commit": commit}
        return 302, b"", {"Location": f"{hub.address}/storage/{commit}/{quote(path)}", **linked}
    sent = hub.damaged.get(path, content)
    return 200, sent, {"ETag": f'"{oid(content)}"', "X-Repo-Commit": commit, "Accept-Ranges": "bytes"}


def stored(hub: Hub, query: dict[str, str], body: bytes, commit: str, path: str) -> Any:
    """A large file, from where `resolve` redirects to."""
    content = hub.commits[commit][path]
    return 200, hub.damaged.get(path, content), {"Accept-Ranges": "bytes"}


def preupload(hub: Hub, query: dict[str, str], body: bytes, revision: str) -> Any:
    there = hub.tree(revision) or {}
    files = [file["path"] for file in json.loads(body)["files"]]
    known = {path: oid(there[path]) for path in files if path in there}
    rows = [
        {
            "path": file,
            "uploadMode": "lfs" if file.endswith(".parquet") else "regular",
            "shouldIgnore": False,
            "oid": known.get(file),
        }
        for file in files
    ]
    return {"files": rows}


def lfs_batch(hub: Hub, query: dict[str, str], body: bytes) -> Any:
    objects = [
        {**asked, "actions": {"upload": {"href": f"{hub.address}/lfs/{asked['oid']}"}}}
        for asked in json.loads(body)["objects"]
    ]
    return {"transfer": "basic", "objects": objects}


def lfs_put(hub: Hub, query: dict[str, str], body: bytes, digest: str) -> Any:
    if hashlib.sha256(body).hexdigest() != digest:
        return 400, {"error": "another content"}, {}
    hub.uploaded[digest] = body
    return {}


def commit(hub: Hub, query: dict[str, str], body: bytes, revision: str) -> Any:
    lines = [json.loads(line) for line in body.splitlines()]
    header = next(line["value"] for line in lines if line["key"] == "header")
    files = {
        line["value"]["path"]: base64.b64decode(line["value"]["content"]) for line in lines if line["key"] == "file"
    }
    files |= {line["value"]["path"]: hub.uploaded[line["value"]["oid"]] for line in lines if line["key"] == "lfsFile"}
    deleted = [line["value"]["path"] for line in lines if line["key"] == "deletedFile"]
    assert "parentCommit" not in header
    if hub.refuse and hub.refuse in files:
        return 400, {"error": "malformed"}, {}
    url = f"{hub.address}/datasets/{hub.repo}"
    if "create_pr" in query:
        made = hub.write("refs/pr/1", {**(hub.tree(revision) or {}), **files})
        return {"commitOid": made, "commitUrl": f"{url}/commit/{made}", "pullRequestUrl": f"{url}/discussions/1"}
    made = hub.write(revision, files, deleted)
    hub.titles.append(header["summary"])
    return {"commitOid": made, "commitUrl": f"{url}/commit/{made}"}


def squash(hub: Hub, query: dict[str, str], body: bytes, branch: str) -> Any:
    files = hub.tree(branch) or {}
    hub.history = [event for event in hub.history if event[0] != branch]
    hub.write(branch, dict(files))
    return {}


def set_in_space(hub: Hub, query: dict[str, str], body: bytes, kind: str) -> Any:
    asked = json.loads(body)
    hub.set_in_space[kind, asked["key"]] = asked["value"]
    return {}


def discussions(hub: Hub, query: dict[str, str], body: bytes) -> Any:
    """All of them or, with a body, a new one."""
    if body:
        asked = json.loads(body)
        hub.discussions.append((asked["title"], [asked["description"]]))
        return {"num": len(hub.discussions)}
    shown = [discussion(hub, query, b"", str(number + 1)) for number in range(len(hub.discussions))]
    return {"discussions": shown, "count": len(shown), "start": 0}


def discussion(hub: Hub, query: dict[str, str], body: bytes, number: str) -> Any:
    title, comments = hub.discussions[int(number) - 1]
    about = {"num": int(number), "status": "open", "isPullRequest": False, "createdAt": NOON, "title": title}
    return {**about, "events": [_message(said) for said in comments], "repo": {"name": hub.repo, "type": "dataset"}}


def comment(hub: Hub, query: dict[str, str], body: bytes, number: str) -> Any:
    said = json.loads(body)["comment"]
    hub.discussions[int(number) - 1][1].append(said)
    return {"newMessage": _message(said)}


def _message(said: str) -> dict[str, Any]:
    data = {"edited": False, "hidden": False, "latest": {"raw": said}}
    return {"id": "1", "type": "comment", "createdAt": NOON, "data": data}


def whoami(hub: Hub, query: dict[str, str], body: bytes) -> Any:
    return {"type": "user", "name": ACCOUNT, "fullname": "Ada", "avatarUrl": "", "orgs": []}


NOON = "2026-05-31T12:00:00.000Z"
WHOAMI = "/api/whoami-v2"
API = "/api/(?:models|datasets|spaces)/REPO"
ROUTES: list[tuple[str, Any]] = [
    (WHOAMI, whoami),
    ("/api/repos/create", create),
    ("/api/validate-yaml", validate_yaml),
    (API, info),
    (f"{API}/revision/(.+)", info),
    (f"{API}/tree/(.+)", tree),
    (f"{API}/preupload/(.+)", preupload),
    (f"{API}/commit/(.+)", commit),
    (r"/datasets/REPO\.git/info/lfs/objects/batch", lfs_batch),
    ("/lfs/([0-9a-f]{64})", lfs_put),
    (f"{API}/super-squash/(.+)", squash),
    (f"{API}/discussions", discussions),
    (f"{API}/discussions/([0-9]+)", discussion),
    (f"{API}/discussions/([0-9]+)/comment", comment),
    ("/api/spaces/REPO/(secrets|variables)", set_in_space),
    ("/datasets/REPO/resolve/([^/]+)/(.+)", resolve),
    ("/storage/([0-9a-f]+)/(.+)", stored),
]
