"""Records as text for a terminal."""

from __future__ import annotations

from qbench.records import Estimate, Metrics, Result


def result_text(result: Result) -> str:
    """What a record says, as lines for a terminal."""
    head = f"{printable(result.model)} on {printable(result.dataset)} ({result.task}, {result.source.kind})"
    counts = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in result.status.items() if count)
    lines = [head, f"  {counts}", *_metric_lines(result.metrics, "  ")]
    for grouping, groups in result.groups.items():
        for group, metrics in groups.items():
            lines += [f"  {grouping}: {printable(group)}", *_metric_lines(metrics, "    ")]
    if read := result.protocol.get("read_by_judge"):
        lines.append(f"  read by the judge: {read['replies']:,} of {read['of']:,} replies")
    lines += [f"  unscored: {count:,} {reason}" for reason, count in result.unscored.items()]
    return "\n".join(lines)


def _metric_lines(metrics: Metrics, indent: str) -> list[str]:
    return [f"{indent}{name:<20} {_estimate_text(estimate)}" for name, estimate in metrics.items()]


def _estimate_text(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"–        {estimate.note or 'not computed'}"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:7.4f}"
    return f"{estimate.value:7.4f}  [{estimate.low:.4f}, {estimate.high:.4f}]  n={estimate.n:,}"


def printable(text: str) -> str:
    """Text out of a file, without the control characters that would move the cursor or break the encoding."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)
