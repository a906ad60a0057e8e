"""Replies that the parser leaves unread, as a judge model reads them.

The judge is asked once, without chance, by MMBench's prompt for the extraction of choices (Appendix C.1,
https://arxiv.org/abs/2307.06281): it sees the question, the options and the reply, not the images nor the right answer.
What it reads is marked, so that records count it apart.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from qbench import prompts
from qbench.errors import UserError
from qbench.parsing import parse_option
from qbench.records import Prompt, Response, Want
from qbench.tasks.plan import Ask

REASONS = frozenset(["ambiguous", "unparseable"])
"""Why the parser may leave a reply unread that yet has a meaning; a refusal and a letter too many are read."""
GRADED_BY = {"graded_by": "parser, then a judge for what it left unread"}


@dataclass(frozen=True)
class Unread:
    """A reply, and what it is a reply to."""

    sample: str
    question: str
    options: Sequence[str]
    reply: str


def ask_judge(unread: Sequence[Unread]) -> Generator[Sequence[Ask], Sequence[Response], list[int | None]]:
    """The place of the option that each reply means; None where the judge finds none."""
    if not unread:
        return []
    answers = yield [
        Ask(
            each.sample,
            Prompt(
                "text",
                (prompts.match_option(each.question, each.options, each.reply),),
                max_tokens=prompts.JUDGE_TOKENS,
            ),
            of="judge",
        )
        for each in unread
    ]
    return [read_judge(each, answer.text or "") for each, answer in zip(unread, answers, strict=True)]


def read_judge(unread: Unread, said: str) -> int | None:
    """The place of the option that a judge finds in a reply; None where it finds none."""
    return parse_option(said, unread.options, unread.question).value


def need_replies(task: str, mode: str, want: Want) -> None:
    """Refuse a judge where there is nothing to read.

    Raises:
        UserError: The mode gets no replies in words.
    """
    if want != "text":
        raise UserError(f"a judge reads replies, and {task} by {mode} gets none; leave out the judge")
