"""What whoever keeps the server running asks of it: `/healthz`, and `/metrics` for Prometheus.

Numbers of this process alone, without names, addresses or contents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

REFUSED = (400, 403, 413, 429, 503)
HELP = {
    "qbench_requests_total": "Requests answered, by status.",
    "qbench_refused_total": "Requests refused: too large, malformed, from other web pages, or too many.",
    "qbench_model_seconds_total": "Model time that visitors used, in seconds.",
    "qbench_work_going_on": "Visitors' jobs that run or wait for a model.",
    "qbench_submissions_waiting": "Submissions waiting for review.",
    "qbench_submissions": "Submissions on the board.",
    "qbench_store_unsent": "Files waiting for upload to the Hub.",
    "qbench_store_lag_seconds": "Seconds since the last synchronisation with the Hub; 0 without a Hub.",
    "qbench_store_problems": "Faults of the store: unreadable files, failed uploads, no place for submissions.",
}
Gauges = Callable[[], Mapping[str, float]]
"""The state of the board at this moment; raises where it cannot be read."""


def health_routes(gauges: Gauges, statuses: Counter[int]) -> list[Route]:
    """`/healthz` and `/metrics`, of these gauges, and of how many answers there were of each status."""

    def healthz(_request: Request) -> Response:
        try:
            known = gauges()
        except Exception as fault:  # noqa: BLE001 - whatever it is, this server is not well
            return JSONResponse({"status": "the board cannot be read", "fault": type(fault).__name__}, 503)
        told = {
            "problems": "store_problems",
            "waiting": "submissions_waiting",
            "unsent": "store_unsent",
            "lag_seconds": "store_lag_seconds",
        }
        return JSONResponse({"status": "ok", **{name: int(known[f"qbench_{key}"]) for name, key in told.items()}})

    def counted(_request: Request) -> Response:
        return Response(metrics_page(gauges(), statuses), media_type="text/plain; version=0.0.4; charset=utf-8")

    return [Route("/healthz", healthz), Route("/metrics", counted)]


def metrics_page(gauges: Mapping[str, float], statuses: Mapping[int, int]) -> str:
    """Counters and gauges in Prometheus' text format."""
    values = {**gauges, "qbench_refused_total": float(sum(statuses.get(status, 0) for status in REFUSED))}
    lines = []
    for name, said in HELP.items():
        kind = "counter" if name.endswith("_total") else "gauge"
        lines += [f"# HELP {name} {said}", f"# TYPE {name} {kind}"]
        if name == "qbench_requests_total":
            lines += [f'{name}{{status="{status}"}} {count}' for status, count in sorted(statuses.items())]
        else:
            lines.append(f"{name} {values[name]:g}")
    return "\n".join(lines) + "\n"
