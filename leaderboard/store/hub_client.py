"""The few calls to a dataset repository on the Hub. Whoever calls tries again later; see `Worker`.

The token goes into the client and nowhere else: faults are told in our own words, never with the client's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import quote

from huggingface_hub import (
    CommitOperationAdd,
    DiscussionComment,
    HfApi,
    get_session,
    hf_raise_for_status,
    set_client_factory,
)
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, RepositoryNotFoundError
from huggingface_hub.hf_api import DatasetInfo, RepoFile
from huggingface_hub.utils import build_hf_headers, http_backoff  # type: ignore[attr-defined]  # exported lazily

from qbench.errors import ProviderError

PASSING = {408, 409, 412, 425, 429, 500, 502, 503, 504}
"""Answers that can be another one the next time: somebody else was writing, too many asked, the server is ill."""
_HTTP_FAULT = cast(
    "type[Exception]", HfHubHTTPError.__mro__[1]
)  # of httpx or its successor, whichever the installed client is built on


class RefusedError(ProviderError):
    """The Hub takes this content never, and other content still: one file of several may be the reason."""


@dataclass(frozen=True)
class HubClient:
    """One dataset repository."""

    repo: str
    token: str | None = field(default=None, repr=False)
    endpoint: str | None = None
    private: bool = False
    """Whether nobody but its owner may read it: it is made where it is missing, and not used while it is public."""

    def commit(self, files: Mapping[str, bytes], title: str) -> None:
        """Write files to the main branch in one commit, without a parent: nobody else's commit is in the way.

        Sending files again that are there already changes nothing.
        """
        if self.private:
            self.head()
        with self._explained():
            additions = [CommitOperationAdd(path, content) for path, content in files.items()]
            self._api.create_commit(self.repo, additions, commit_message=title, repo_type="dataset")

    def commit_each(
        self, pieces: Mapping[str, Mapping[str, bytes]], title: str
    ) -> tuple[list[str], RefusedError | None]:
        """Commit pieces of several files together, or one by one where one is refused, so that it holds up no other.

        Returns the names of those that are sent, and why the first other is not.
        """
        try:
            self.commit({path: content for files in pieces.values() for path, content in files.items()}, title)
        except RefusedError as fault:
            if len(pieces) == 1:
                return [], fault
            alone = [self.commit_each({name: files}, f"Add {name}") for name, files in pieces.items()]
            return [name for sent, _ in alone for name in sent], next((why for _, why in alone if why), None)
        return list(pieces), None

    def head(self) -> str:
        """The commit of the main branch.

        Raises:
            ProviderError: It is public where it must not be, the Hub is away, or the token may not.
        """
        with self._explained():
            try:
                found = self._look()
            except RepositoryNotFoundError:
                if not self.private:
                    raise
                self._api.create_repo(self.repo, repo_type="dataset", private=True, exist_ok=True)
                found = self._look()
        if self.private and not found.private:
            raise ProviderError(
                "permanent", f"{self.repo} is public; make it private in its settings on the Hub, or name another one."
            )
        return str(found.sha)

    def _look(self) -> DatasetInfo:
        return self._api.dataset_info(self.repo, expand=["sha", "private"])

    def tree(self, commit: str) -> dict[str, int]:
        """Path -> bytes of every file at a commit: one listing."""
        with self._explained():
            found = self._api.list_repo_tree(self.repo, recursive=True, revision=commit, repo_type="dataset")
            return {file.path: file.size for file in found if isinstance(file, RepoFile)}

    def read(self, path: str, revision: str, retries: int = 5) -> bytes:
        """The bytes of one file, asked for again so often where that can help."""
        url = f"{self.address}/resolve/{quote(revision, safe='')}/{quote(path)}"
        headers = build_hf_headers(token=self.token or False)
        with self._explained():
            answer = http_backoff("GET", url, headers=headers, max_retries=retries)
            hf_raise_for_status(answer)
            return bytes(answer.content)

    def squash(self) -> None:
        """Make one commit of the history of the main branch; what was deleted or overwritten is gone for good."""
        with self._explained():
            self._api.super_squash_history(self.repo, repo_type="dataset")

    def say(self, title: str, text: str) -> None:
        """Add a comment to the open discussion of this title, or begin one with it."""
        with self._explained():
            found = self._discussion(title)
            if found:
                self._api.comment_discussion(self.repo, found, repo_type="dataset", comment=text)
            else:
                self._api.create_discussion(self.repo, title, repo_type="dataset", description=text)

    def said(self, title: str) -> str:
        """All comments of the open discussion of this title."""
        with self._explained():
            found = self._discussion(title)
            events = self._api.get_discussion_details(self.repo, found, repo_type="dataset").events if found else []
            return "\n".join(event.content for event in events if isinstance(event, DiscussionComment))

    def _discussion(self, title: str) -> int | None:
        kind: dict[str, Any] = {"repo_type": "dataset", "discussion_type": "discussion", "discussion_status": "open"}
        begun = self._api.get_repo_discussions(self.repo, **kind)
        return next((one.num for one in begun if one.title == title), None)

    @property
    def address(self) -> str:
        """Where people see the repository."""
        return f"{self._api.endpoint}/datasets/{self.repo}"

    @property
    def _api(self) -> HfApi:
        return HfApi(endpoint=self.endpoint, token=self.token or False)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """What fails in the block, as a ProviderError, which brings nothing along of the client's own."""
        try:
            yield
        except (HfHubHTTPError, _HTTP_FAULT, OSError, ValueError, KeyError) as fault:
            error = explain(fault, self.repo)
        except RuntimeError as fault:  # of an upload; what went wrong is its cause
            error = explain(fault.__cause__ or fault, self.repo)
        else:
            return
        raise error


def set_timeouts(seconds: float = 60.0) -> None:
    """Let no request of the Hub's client wait for ever, as most do by default; call once, when the app starts."""
    made = get_session()
    hooks, kind = made.event_hooks, type(made)

    def limit(request: Any) -> None:  # here, because some calls ask for no limit whatever the client's is
        limits = request.extensions.get("timeout", {})
        steps = ("connect", "read", "write", "pool")
        request.extensions["timeout"] = {step: limits.get(step) or seconds for step in steps}

    hooks["request"] = [*hooks["request"], limit]
    set_client_factory(lambda: kind(event_hooks=hooks, follow_redirects=True, timeout=seconds))


def explain(fault: BaseException, repo: str) -> ProviderError:
    """What went wrong, in words that hold no token, address or header of a request."""
    if isinstance(fault, HFValidationError):
        return ProviderError("permanent", f"{repo!r} names no dataset on the Hub; write it as owner/name.")
    answer = fault.response if isinstance(fault, HfHubHTTPError) else None
    if answer is None:
        return ProviderError("transient", f"The Hub could not be reached ({type(fault).__name__}).")
    status = answer.status_code
    if status == 429:
        return ProviderError("rate-limit", "The Hub asks to wait: too many requests.", seconds_to_wait(answer.headers))
    if status in PASSING:
        return ProviderError("transient", f"The Hub answered {status}.", seconds_to_wait(answer.headers))
    if status in (401, 403) or isinstance(fault, RepositoryNotFoundError):
        return ProviderError(
            "permanent", f"The Hub does not let this token use {repo} ({status}); check both and the token's rights."
        )
    return RefusedError("permanent", f"The Hub refused the request ({status}).")


def seconds_to_wait(headers: Mapping[str, str]) -> float:
    """How long a server asks to wait: Retry-After, or the rest of the window of RateLimit."""
    for name, pattern in (("retry-after", r"(\d+)"), ("ratelimit", r".*\bt=(\d+).*")):
        found = re.fullmatch(pattern, headers.get(name, "").strip())
        if found:
            return float(found[1])
    return 0.0
