"""Records as text for a terminal, and what stands on stderr beside them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from qbench.records import Estimate, Items, Metrics, Result

_TOLD = ("note", "left_out")
"""Keys of a protocol."""


def records_text(results: Sequence[Result]) -> str:
    """What records say, one after the other; what their reader must know stands on stderr too, each sentence once."""
    notes = (f"{result.protocol[key]}" for result in results for key in _TOLD if key in result.protocol)
    for note in dict.fromkeys(notes):
        tell(note)
    return "\n\n".join(map(result_text, results))


def tell(sentence: str) -> None:
    """Say something on stderr."""
    print(f"qbench: {printable(sentence)}", file=sys.stderr)


def result_text(result: Result) -> str:
    """What a record says, as lines for a terminal."""
    head = f"{printable(result.model)} on {printable(result.dataset)} ({result.task}, {result.source.kind})"
    counts = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in result.status.items() if count)
    lines = [head, f"  {counts}", *metric_lines(result.metrics, "  ", result.items)]
    for grouping, groups in result.groups.items():
        for group, metrics in groups.items():
            lines += [f"  {grouping}: {printable(group)}", *metric_lines(metrics, "    ")]
    if read := result.protocol.get("read_by_judge"):
        lines.append(f"  read by the judge: {read['replies']:,} of {read['of']:,} replies")
    lines += [f"  unscored: {count:,} {reason}" for reason, count in result.unscored.items()]
    if usage := result.protocol.get("usage"):
        cost = f", which cost {usage['cost']:.4g}" if "cost" in usage else ""
        read, written = (usage.get(f"{kind}_tokens", 0) for kind in ("prompt", "completion"))
        lines.append(f"  the whole run: {read:,.0f} tokens read, {written:,.0f} written{cost}")
    return "\n".join(lines)


def metric_lines(metrics: Metrics, indent: str = "", items: Mapping[str, Items] | None = None) -> list[str]:
    """A line for each figure."""
    return [
        f"{indent}{name:<20} {_estimate_text(estimate, (items or {}).get(name))}" for name, estimate in metrics.items()
    ]


def _estimate_text(estimate: Estimate, items: Items | None) -> str:
    if estimate.value is None:
        return f"–        {estimate.note or 'not computed'}"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:7.4f}" + (f"  {estimate.note}" if estimate.note else "")
    return f"{estimate.value:7.4f}  [{estimate.low:.4f}, {estimate.high:.4f}]  n={_count(estimate, items)}"


def _count(estimate: Estimate, items: Items | None) -> str:
    """Items, and in how many clusters they are where some share an image: so many are independent."""
    if items and len(set(items.clusters)) == estimate.n != len(items.names):
        return f"{len(items.names):,} in {estimate.n:,} clusters"
    return f"{estimate.n:,} clusters" if estimate.method.endswith("over clusters") else f"{estimate.n:,}"


def printable(text: str) -> str:
    """Text out of a file, without the control characters that would move the cursor or break the encoding."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)


@contextmanager
def progress_line(told: Callable[..., str]) -> Iterator[Callable[..., None]]:
    """One line on stderr, rewritten with what is told of each progress; none where nobody watches."""
    from tqdm import tqdm  # comes with the client of OpenAI

    with tqdm(bar_format="{desc}", disable=None, leave=False) as line:
        yield lambda *progress: line.set_description_str(told(*progress))
