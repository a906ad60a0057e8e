"""What a visitor sees of a chart: the data plotly drew, read from the page."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

PLOT = "#{} .js-plotly-plot"


def traces(page: Page, plot: str) -> list[dict[str, Any]]:
    """Name, values and places of every trace of a plot, once it is drawn."""
    page.wait_for_function("(plot) => document.querySelector(plot)?.data?.length > 0", arg=PLOT.format(plot))
    drawn: list[dict[str, Any]] = page.evaluate(
        """(plot) => document.querySelector(plot).data.map(({name, meta, r, theta, x, y}) => {
          const list = (values) => values && [...values];
          const rows = document.querySelector(plot).layout.yaxis?.tickvals?.length;
          return {name, model: meta, r: list(r), theta: list(theta), x: list(x), y: list(y), rows};
        })""",
        PLOT.format(plot),
    )
    return drawn


def models(page: Page, plot: str) -> dict[str, list[float | None]]:
    """Model id -> values on the axes, of a radar or in rows of dots; None where it has no figure."""
    return {trace["model"]: _values(trace) for trace in traces(page, plot) if trace["model"]}


def _values(trace: dict[str, Any]) -> list[float | None]:
    if trace["r"]:
        return list(trace["r"][:-1])
    by_row = dict(zip(map(round, trace["y"]), trace["x"], strict=True))
    return [by_row.get(row) for row in range(trace["rows"])]


def wait_for_models(page: Page, plot: str, *ids: str) -> dict[str, list[float | None]]:
    """Values on the axes, once exactly these models beside the references are drawn."""
    page.wait_for_function(
        """([plot, wanted]) => {
          const drawn = (document.querySelector(plot)?.data ?? []).map(({meta}) => meta ?? "");
          const beside = (one) => one.startsWith("human") || ["random-guess", "niqe"].includes(one);
          const own = drawn.filter((one) => one && (wanted.includes(one) || !beside(one)));
          return own.sort().join() === wanted.sort().join();
        }""",
        arg=[PLOT.format(plot), list(ids)],
    )
    return models(page, plot)


def names(page: Page, plot: str) -> list[tuple[str, list[float]]]:
    """What is written in a chart, each with its left, top, right and bottom in it; and the chart's size, first."""
    page.locator(f"{PLOT.format(plot)} .annotation").first.wait_for(state="attached")
    found: list[tuple[str, list[float]]] = page.evaluate(
        """(plot) => {
          const own = document.querySelector(plot).getBoundingClientRect();
          const place = (box) => [box.left - own.left, box.top - own.top, box.right - own.left, box.bottom - own.top];
          const texts = [...document.querySelectorAll(`${plot} .annotation-text-g text`)];
          return [["", place(own)], ...texts.map((text) => [text.textContent, place(text.getBoundingClientRect())])];
        }""",
        PLOT.format(plot),
    )
    return found


def read_chart(page: Page, plot: str, *keys: str) -> list[str]:
    """What a chart says after each of these keys."""
    page.locator(f"#{plot} .js-plotly-plot .trace").first.wait_for()
    page.locator(f"#{plot} .qb-chart").focus()
    said = []
    for key in keys:
        page.keyboard.press(key)
        said.append(page.locator(f"#{plot} [role=status]").text_content() or "")
    return said


def fits(page: Page) -> bool:
    """Whether nothing makes the page scroll sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
