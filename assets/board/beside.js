// What stands under a table and is not ranked: submissions that wait for review, results of a part of a dataset.

import { authored, el } from "./dom.js";
import { MARKS, columnName, count, figure } from "./text.js";

const OPEN_UP_TO = 5;

/** Lists under the table, or nothing; see leaderboard/beside.py. `onSource` gets the result whose sources are asked for. */
export function makeBeside(data, onSource) {
  const { pending, partial } = data;
  return el("div", {}, [
    list(pending, `${count(pending.count, "submission")} ${pending.count === 1 ? "waits" : "wait"} for review; not ranked`,
      (one) => [authored(one.model), ` · by ${one.by ?? "anonymous"} · ${one.at}`]),
    list(partial, `${count(partial.count, "result")} on a part of a dataset; not ranked`,
      (one) => [authored(one.model), ` · ${wayOf(one.origin)} · ${one.covers}: ${partFigures(data, one)} `, sourceButton(one, onSource)]),
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

const wayOf = ({ kind, at }) => [MARKS[kind].words, at].filter(Boolean).join(" · ");

function sourceButton(one, onSource) {
  const { mark, words } = MARKS[one.origin.kind];
  return el("button", {
    type: "button",
    class: "qb-mark",
    "aria-label": `Sources of ${one.model}: ${words}`,
    data: { tip: `Source: ${words}. Open for the exact place.` },
    on: { click: () => onSource(one) },
  }, mark);
}

/** The figures of a part, each with its column's name. */
export const partFigures = (data, one) => data.columns.filter(({ key }) => key in one.figures)
  .map((column) => `${columnName(data, column)} ${figure(one.figures[column.key], column)}${column.unit && ` ${column.unit}`}`)
  .join(", ");
