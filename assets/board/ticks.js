// Models that are ticked to be compared, and the ways from a table to the Compare page.

import { toggled } from "./data.js";
import { button, el } from "./dom.js";

const LEADERS = 3;

/** Address of the Compare page for models of a board. */
export const compareAddress = (board, models) => `?${new URLSearchParams({ tab: "compare", board, models: models.join(",") })}`;

/** The box of one row; `change(patch)` merges into the view. */
export function tickBox(data, row, view, change) {
  const id = data.ids[row];
  return el("input", {
    type: "checkbox", class: "qb-tick", checked: view.models.includes(id), "aria-label": `Tick ${data.models.name[row]} to compare`,
    on: { change: () => change({ models: toggled(view.models, id) }) },
  });
}

/** A link that compares one row with whoever leads the rows in view; none where there is nobody else. */
export function compareLink(data, arranged, row) {
  const leader = arranged.best.find((other) => other !== row);
  if (leader === undefined) return null;
  const { name } = data.models;
  return el("a", {
    href: compareAddress(data.board, [data.ids[row], data.ids[leader]]), class: "qb-mark qb-compare",
    "aria-label": `Compare ${name[row]} with ${name[leader]}`, data: { tip: `Compare with ${name[leader]}.` },
  }, "⇄");
}

/** What stands beside the count of models: compare those ticked, or the best in view. Returns {element, update(arranged)}. */
export function makeCompare(data, change) {
  const link = el("a", {});
  const none = button("Untick all", () => change({ models: [] }), { class: "qb-plain" });
  return {
    element: el("span", { class: "qb-to-compare" }, link, " ", none),
    update(arranged) {
      const ticked = arranged.view.models.filter((id) => data.ids.includes(id));
      const chosen = ticked.length ? ticked : arranged.best.slice(0, LEADERS).map((row) => data.ids[row]);
      none.hidden = !ticked.length;
      link.hidden = chosen.length < (ticked.length ? 1 : 2);
      link.href = compareAddress(data.board, chosen);
      link.textContent = ticked.length ? `Compare the ${ticked.length} ticked` : `Compare the top ${chosen.length}`;
    },
  };
}
