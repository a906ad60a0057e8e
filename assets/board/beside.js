// What stands under a table and is not ranked: submissions that wait for review, results of a part of a dataset.

import { authored, el } from "./dom.js";
import { MARKS, columnName, count, figure } from "./text.js";

const OPEN_UP_TO = 5;

/** Lists under the table, or nothing; see leaderboard/beside.py. */
export function makeBeside(data) {
  const { pending, partial } = data;
  return el("div", {}, [
    list(pending, `${count(pending.count, "submission")} ${pending.count === 1 ? "waits" : "wait"} for review; not ranked`,
      (one) => [authored(one.model), ` · by ${one.by ?? "anonymous"} · ${one.at}`]),
    list(partial, `${count(partial.count, "result")} on a part of a dataset; not ranked`,
      (one) => [authored(one.model), ` · ${MARKS[one.kind].words}${one.at ? ` · ${one.at}` : ""} · ${one.covers}: ${figures(data, one)}`]),
  ]);
}

function list({ count: all, newest }, summary, describe) {
  if (!all) return null;
  return el("details", { class: "qb-beside", open: all <= OPEN_UP_TO },
    el("summary", {}, summary),
    el("ul", {},
      newest.map((one) => el("li", {}, describe(one))),
      all > newest.length && el("li", {}, `and ${(all - newest.length).toLocaleString("en")} older`)));
}

const figures = (data, one) => data.columns.filter(({ key }) => key in one.figures)
  .map((column) => `${columnName(data, column)} ${figure(one.figures[column.key], column)}${column.unit && ` ${column.unit}`}`)
  .join(", ");
