// What stands under a table and is not ranked: submissions that wait for review, results of a part of a dataset.

import { sourceButton } from "./body.js";
import { authored, el } from "./dom.js";
import { MARKS, count, figure } from "./text.js";

const OPEN_UP_TO = 5;

/** Lists under the table, or nothing; see leaderboard/tables/unranked.py. `onSource` gets the result whose sources are asked for. */
export function makeUnranked(data, onSource) {
  const { pending, partial } = data;
  return el("div", {}, [
    pending > 0 && el("p", { class: "qb-unranked" },
      `${count(pending, "submission")} ${pending === 1 ? "waits" : "wait"} for review, without a rank, and not shown yet`),
    partial.count > 0 && el("details", { class: "qb-unranked", open: partial.count <= OPEN_UP_TO },
      el("summary", {}, `${count(partial.count, "result")} on a part of a dataset; not ranked`),
      el("ul", {},
        partial.newest.map((result) => el("li", {},
          authored(result.model),
          ` · ${[MARKS[result.origin.kind].words, result.origin.at].filter(Boolean).join(" · ")}`,
          ` · ${result.covers} · ${partFigures(data, result)} `,
          sourceButton(result.model, [result.origin.kind], () => onSource(result)))),
        partial.count > partial.newest.length && el("li", {}, `and ${(partial.count - partial.newest.length).toLocaleString("en")} older`))),
  ]);
}

/** The figures of a part, each with its column's name. */
export const partFigures = (data, result) => data.columns.filter(({ key }) => key in result.figures)
  .map((column) => {
    const unit = column.unit && ` ${column.unit}`;
    return `${column.named} ${figure(result.figures[column.key], column)}${unit}`;
  })
  .join(", ");
